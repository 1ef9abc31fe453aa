"""What a system leaves open, and the relations that fix it: the constant of a pressure, the rigid motions of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.operator import Operator, Term
from fspielm.equations.regions import Region
from fspielm.equations.relations import Relation
from fspielm.equations.setting import Setting
from fspielm.geometry import Sampling, Sites

# Sites of each relation at which it is looked at, and nodes of the integrals.
_SITES = 64
_NODES = 400
# A fields that all relations see less of than this is not seen.
_UNSEEN = 1e-9
# Such a row is one beside thousands; it is to count as much as they do together.
_WEIGHT = 30.0


def pins(relations: Sequence[Relation], setting: Setting) -> tuple[Relation, ...]:
    """Integrals that are to be zero: against every field of degree one that no relation sees.

    A pressure then has the mean zero, and a body that nothing holds stays where it is and does not turn. Fields of a
    single unknown are left to the user, who can prescribe a value.
    """
    if len(setting.unknowns) == 1:
        return ()
    lower, upper = setting.domain.bounding_box
    monomials = _Monomials(0.5 * (lower + upper), upper - lower)
    unseen = _unseen(relations, monomials, len(setting.unknowns))
    return tuple(_pin(mode, monomials, setting) for mode in unseen)


@dataclass(frozen=True, eq=False)
class _Monomials:
    """One, and every coordinate: counted from the middle of a domain, in units of its extent."""

    center: FloatArray
    lengths: FloatArray

    @property
    def size(self) -> int:
        return 1 + len(self.center)

    def derivative(self, points: FloatArray, orders: tuple[int, ...]) -> FloatArray:
        """A derivative of each of them, ``(n, size)``."""
        values = np.zeros((len(points), self.size))
        if sum(orders) == 0:
            values[:, 0] = 1.0
            values[:, 1:] = (points - self.center) / self.lengths
        elif sum(orders) == 1:
            axis = orders.index(1)
            values[:, 1 + axis] = 1.0 / self.lengths[axis]
        return values


def _unseen(relations: Sequence[Relation], monomials: _Monomials, unknowns: int) -> FloatArray:
    """Coefficients ``(modes, unknowns * size)`` of the fields that no relation sees."""
    rng = np.random.default_rng(0)  # only looks
    rows = []
    for relation in relations:
        sites = relation.sample(_SITES, rng, "low-discrepancy")
        block = sum(_rows(operator, places, monomials, unknowns) for operator, places in relation.pieces(sites))
        rows.append(block / (np.abs(block).max() or 1.0))
    matrix = np.concatenate(rows)
    matrix = np.concatenate([matrix.real, matrix.imag]) if np.iscomplexobj(matrix) else matrix
    sizes = np.linalg.norm(matrix, axis=0)
    scales = np.where(sizes > 0, sizes, 1.0)
    _, singular, modes = np.linalg.svd(matrix / scales, full_matrices=True)
    seen = int(np.sum(singular > _UNSEEN * max(singular[0], np.finfo(float).tiny)))
    return np.asarray(modes[seen:] / scales)


def _rows(operator: Operator, sites: Sites, monomials: _Monomials, unknowns: int) -> NumberArray:
    total: NumberArray = np.zeros((len(sites), unknowns, monomials.size))
    for term in operator.terms:
        share = np.zeros_like(total)
        share[:, term.unknown] = monomials.derivative(sites.points, term.orders)
        total = total + term.at(sites)[:, None, None] * share
    return total.reshape(len(sites), -1)


@dataclass(frozen=True, eq=False)
class _Mode:
    """One unknown of a field of degree one, as a coefficient."""

    monomials: _Monomials
    coefficients: FloatArray

    def __call__(self, sites: Sites) -> FloatArray:
        values = self.monomials.derivative(sites.points, (0,) * sites.dimension)
        return np.asarray(values @ self.coefficients)


def _pin(mode: FloatArray, monomials: _Monomials, setting: Setting) -> Relation:
    """The integral of the unknowns times a field."""
    each = mode.reshape(len(setting.unknowns), -1) / np.abs(mode).max()
    orders = (0,) * setting.dimension
    on = [place for place, one in enumerate(each) if np.abs(one).max() > _UNSEEN]
    terms = tuple(Term(_Mode(monomials, each[place]), orders, place) for place in on)
    rule = setting.domain.quadrature(_NODES)

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return rule.sites

    names = " and ".join(setting.symbols[place].func.__name__ for place in on)
    is_constant = np.abs(each[:, 1:]).max() <= _UNSEEN
    name = f"mean of {names}" if is_constant else f"motion of {names}"
    region = Region("inside", "", 1.0, sample, count=1)
    weights = rule.weights / rule.weights.sum()
    return Relation(
        name, Operator(setting.dimension, terms), setting.field(0, "zero"), region, _WEIGHT, sum_weights=weights
    )
