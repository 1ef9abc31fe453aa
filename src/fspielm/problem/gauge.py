"""What a system leaves open, and the relations that fix it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.geometry.points import Sites
from fspielm.geometry.quadrature import Quadrature
from fspielm.geometry.time import SpaceTime
from fspielm.numerics.sampling import Sampling
from fspielm.problem.operator import Operator, Term
from fspielm.problem.places import Region
from fspielm.problem.relations import Relation, distinct
from fspielm.problem.setting import Setting

# ---- Fields of degree one: constants, rigid motions and the like, as functions that relations may not see


@final
@dataclass(frozen=True, eq=False)
class LinearFields:
    """One and, in degree one, every coordinate: counted from the middle of a domain, in units of its extent.

    Attributes
    ----------
    center, lengths : (d,) array
    degree : int
        0 or 1.
    at_all_times : bool
        Whether they are multiplied with a function of time, the last coordinate, that may be any.
    """

    center: FloatArray
    lengths: FloatArray
    degree: int
    at_all_times: bool

    @property
    def axes(self) -> int:
        """The number of coordinates that they depend on by themselves."""
        return len(self.center) - self.at_all_times

    @property
    def size(self) -> int:
        """How many they are."""
        return 1 + self.degree * self.axes

    def derivative(self, points: FloatArray, orders: tuple[int, ...]) -> FloatArray:
        """A derivative of each of them along the coordinates they depend on, ``(n, size)``."""
        along = orders[: self.axes]
        values = np.zeros((len(points), self.size))
        if sum(along) == 0:
            values[:, 0] = 1.0
            if self.degree:
                values[:, 1:] = ((points - self.center) / self.lengths)[:, : self.axes]
        elif sum(along) == 1 and self.degree:
            axis = along.index(1)
            values[:, 1 + axis] = 1.0 / self.lengths[axis]
        return values

    def rows(self, operator: Operator, sites: Sites, unknowns: int) -> NumberArray:
        """The operator on each of them, in each unknown: ``(T, n, unknowns * size)``.

        One of the T blocks for each order in time: the derivatives of a function that may be any are independent.
        """
        number = 1 + max((self._later(term.orders) for term in operator.terms), default=0)
        total: NumberArray = np.zeros((number, len(sites), unknowns, self.size))
        for term in operator.terms:
            share = np.zeros_like(total)
            share[self._later(term.orders), :, term.unknown] = self.derivative(sites.points, term.orders)
            total = total + term.at(sites)[:, None, None] * share
        return total.reshape(number, len(sites), -1)

    def _later(self, orders: tuple[int, ...]) -> int:
        return orders[-1] if self.at_all_times else 0


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """One unknown of such a field, as a coefficient."""

    fields: LinearFields
    coefficients: NumberArray

    def __call__(self, sites: Sites) -> NumberArray:
        """Its values at `sites`."""
        values = self.fields.derivative(sites.points, (0,) * sites.dimension)
        return np.asarray(values @ self.coefficients)


# ---- What a system leaves open, and the relations that fix it: the constant of a pressure, the rigid motions of a body


# Sites of each relation at which it is looked at; nodes of integrals; and, of those at each time, nodes and times.
_SITES = 64
_NODES = 400
_NODES_IN_SPACE, _TIMES = 100, 100
# A field that all relations see less of than this is not seen.
_UNSEEN = 1e-9
# Such a row is one beside thousands; it is to count as much as they do together.
_WEIGHT = 30.0


def pins(relations: Sequence[Relation], setting: Setting) -> tuple[Relation, ...]:
    """Integrals that are to be zero: against every field of degree one that no relation sees.

    A pressure then has the mean zero, and a body that nothing holds stays where it is and does not turn; at all times,
    where nothing says how that changes with time. Fields of a single unknown are left to the user, who can prescribe a
    value.
    """
    if len(setting.unknowns) == 1:
        return ()
    found: list[Relation] = []
    lower, upper = setting.domain.bounding_box
    for at_all_times in (True, False) if isinstance(setting.domain, SpaceTime) else (False,):
        for degree in (0, 1):
            fields = LinearFields(0.5 * (lower + upper), upper - lower, degree, at_all_times)
            modes = _unseen([*relations, *found], fields, len(setting.unknowns))
            found += [_pin(mode, fields, setting) for mode in modes]
    return tuple(distinct(found))


def _unseen(relations: Sequence[Relation], fields: LinearFields, unknowns: int) -> NumberArray:
    """Coefficients ``(modes, unknowns, size)`` of integrals that find the fields which no relation sees."""
    rng = np.random.default_rng(0)  # only looks
    rows = []
    for relation in relations:
        sites = relation.sample(_SITES, rng, "low-discrepancy")
        pieces = [fields.rows(operator, places, unknowns) for operator, places in relation.pieces(sites)]
        block = np.sum(pieces, axis=0)
        if relation.sum_weights is not None:
            each = len(relation.sum_weights)
            block = np.einsum("q,orqm->orm", relation.sum_weights, block.reshape(len(block), -1, each, block.shape[-1]))
        rows.append(block.reshape(-1, block.shape[-1]) / (np.abs(block).max() or 1.0))
    matrix = np.concatenate(rows)
    sizes = np.linalg.norm(matrix, axis=0)
    scales = np.where(sizes > 0, sizes, 1.0)
    _, singular, modes = np.linalg.svd(np.linalg.qr(matrix / scales, mode="r"), full_matrices=True)
    seen = int(np.sum(singular > _UNSEEN * max(singular[0], np.finfo(float).tiny)))
    return _told_apart(modes[seen:] / scales).reshape(-1, unknowns, fields.size)


def _told_apart(modes: NumberArray) -> NumberArray:
    """Combinations of the modes (rows) that have as many zeros as can be: the mean of each unknown by itself."""
    reduced = np.array(modes)
    for row in range(len(reduced)):
        sizes = np.abs(reduced[row:])
        best, column = divmod(int(sizes.argmax()), sizes.shape[1])
        reduced[[row, row + best]] = reduced[[row + best, row]]
        reduced[row] /= reduced[row, column]
        others = np.arange(len(reduced)) != row
        reduced[others] -= reduced[others, column, None] * reduced[row]
    return np.asarray(np.where(np.abs(reduced) > _UNSEEN, reduced, 0.0))


def _pin(mode: NumberArray, fields: LinearFields, setting: Setting) -> Relation:
    """The integral of the unknowns times a field, over the domain or over space at some times."""
    orders = (0,) * setting.dimension
    on = [place for place, one in enumerate(mode) if np.any(one)]
    terms = tuple(Term(Motion(fields, mode[place]), orders, place) for place in on)
    names = " and ".join(setting.symbols[place].func.__name__ for place in on)
    name = f"mean of {names}" if fields.degree == 0 else f"motion of {names}"
    rule, times = _rule(fields, setting)
    rows = len(times) if times is not None else 1
    sums_at = None if times is None else partial(_at_times, rule.sites)
    nodes = rule.sites if times is None else _at_times(rule.sites, times)

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return nodes

    region = Region("inside", "", 1.0, sample, count=rows)
    weights = rule.weights / rule.weights.sum()
    zero, weight = setting.field(0, "zero"), _WEIGHT / np.sqrt(rows)
    operator = Operator(setting.dimension, terms)
    return Relation(name, operator, zero, region, float(weight), sum_weights=weights, sums_at=sums_at)


def _at_times(nodes: Sites, times: FloatArray) -> Sites:
    """Nodes in space at each of some times, one after the other."""
    every = np.repeat(times, len(nodes))[:, None]
    return Sites(np.concatenate([np.tile(nodes.points, (len(times), 1)), every], axis=1))


def _rule(fields: LinearFields, setting: Setting) -> tuple[Quadrature, FloatArray | None]:
    """Nodes and weights of integrals, and the times at which they are taken, where that is at all times."""
    domain = setting.domain
    if not fields.at_all_times:
        return domain.quadrature(_NODES), None
    assert isinstance(domain, SpaceTime)
    # more of them towards both ends, where polynomials and waves of high degree are least held by others
    angles = (np.arange(_TIMES) + 0.5) * np.pi / _TIMES
    times = domain.time.start + domain.time.duration * 0.5 * (1 - np.cos(angles))
    return domain.space.quadrature(_NODES_IN_SPACE), times
