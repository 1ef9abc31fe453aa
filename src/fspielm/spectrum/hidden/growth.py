"""How fast disturbances grow in time: exponents in time of the symbol at real frequencies in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.equations.operator import FieldCoefficient
from fspielm.features.characteristic.directions import half_sphere
from fspielm.geometry import Sites
from fspielm.spectrum.hidden.exponents import rates
from fspielm.spectrum.hidden.frozen import Frozen, freeze, freeze_inside, telling
from fspielm.spectrum.hidden.wide import freeze_wide

_DIRECTIONS = 8
# Frequencies from an eighth of a period over the domain, so many octaves up, with so many steps for each.
_OCTAVES = 14
_STEPS = 3
_LOWEST = np.pi / 4
# Those below the lowest that values prescribed all round allow for, by so much.
_BELOW = 0.9
# Where coefficients change with time, so do rates: from one of so many stretches to the next.
_STRETCHES = 12
# Samples of a condition that tell where it holds.
_FEW = 3
# Times in each of them at which the fronts of a linearisation are looked for.
_LOOKS = 2
# Powers of e on one of them that are not worth a closer look.
_LITTLE = 0.05
# Growth over the time given by more than this, and by as much more two octaves on, has no bound.
HOPELESS = 40.0
_LARGER = 1.3


@final
@dataclass(frozen=True, eq=False)
class Growth:
    """Disturbances ``exp(i k x + s t)`` that grow, and by how much.

    Attributes
    ----------
    frequencies : (n, d) array
        Absolute values of k along each axis of space; along time, of s.
    stretches : (n, m) array
        By how many powers of e each grows on each of m equal stretches of the time given.
    has_bound : bool
        Whether the growth stays bounded as frequencies rise.
    places : (n, m, d) array or None
        Where each grows fastest on each stretch, where that is somewhere in particular: at a front of a linearisation.
    ends : tuple of float or None
        Where disturbances begin to grow and where they end, if that is not the time given but along a line.
    """

    frequencies: FloatArray
    stretches: FloatArray
    has_bound: bool = True
    places: FloatArray | None = None
    ends: tuple[float, float] | None = None

    @property
    def foldings(self) -> FloatArray:
        """By how many powers of e each grows over the time given."""
        return np.asarray(self.stretches.sum(axis=1))

    def left(self, which: int, shares: FloatArray) -> FloatArray:
        """By how many powers of e one of them still grows after these shares of the time given."""
        grown = np.concatenate([[0.0], np.cumsum(self.stretches[which])])
        return np.asarray(grown[-1] - np.interp(shares, np.linspace(0.0, 1.0, len(grown)), grown))

    def first_hopeless(self) -> tuple[float, float]:
        """The lowest frequency in space of which no digit would be left, and its e-foldings."""
        lost = np.flatnonzero(self.foldings > HOPELESS)
        sizes = np.linalg.norm(self.frequencies[lost, :-1], axis=1)
        first = lost[np.argmin(sizes)]
        return float(sizes.min()), float(self.foldings[first])


def find_growth(problem: Problem) -> Growth:
    """The disturbances that grow, with coefficients frozen at some points; a ProblemError where they have no value."""
    time, space = problem.domain.time, problem.dimension - 1
    assert time is not None
    points, frozen = freeze_inside(problem)
    lower, upper = problem.domain.bounding_box
    lengths = (upper - lower)[:-1]
    k = _frequencies(lengths)
    number = _STRETCHES if _changes(problem) else 1
    during = np.minimum((number * (points[:, -1] - time.start) / time.duration).astype(int), number - 1)
    fronts = _fronts(problem, number)
    stretches, sizes, places = [], [], []
    for stretch in range(number):
        now = np.flatnonzero(during == stretch)
        now = now[telling(frozen.select(now))]
        here, where = frozen.select(now), points[now]
        if fronts is not None:
            where = np.concatenate([where, fronts[stretch]])
            here = freeze(problem.determinant, Sites(where))
        stay = np.full(len(where), time.duration)
        if not _is_periodic(problem):
            stay = _stays(here, lengths, time.duration)
        if fronts is not None:
            growing, size = _rates_of_wide(problem, where, k, 1 / time.duration)
        else:
            growing, size = rates(here, k, 1 / time.duration)
        grown = growing * stay[:, None] / number
        most = grown.max(axis=0)
        if fronts is not None:
            most = _on_their_way(problem, fronts[stretch], k, most, time.duration / number)
        stretches.append(most)
        fastest = grown.argmax(axis=0)
        sizes.append(size[fastest, np.arange(len(k))])
        places.append(where[fastest])
    each = np.stack(stretches, axis=1)
    foldings = each.sum(axis=1)
    grows = (foldings > 0) & (np.linalg.norm(k, axis=1) >= _BELOW * _lowest(problem, lengths))
    found = np.column_stack([np.abs(k), np.max(sizes, axis=0)])[grows]
    at = np.stack(places, axis=1)[grows] if problem.is_linearisation else None
    return Growth(found, each[grows], _has_bound(foldings) if space else True, at)


def find_growth_from_one_end(problem: Problem) -> Growth | None:
    """What grows along a line from the end that all conditions are at; None where they are not all at one end."""
    if (
        problem.dimension > 1
        or problem.domain.is_unbounded
        or any(c.region.partner is not None for c in problem.constraints)
    ):
        return None
    rng = np.random.default_rng(0)  # only looks
    held = np.concatenate([c.sample(_FEW, rng, "uniform").points[:, 0] for c in problem.constraints])
    (lower,), (upper,) = problem.domain.bounding_box
    length = float(upper - lower)
    if np.ptp(held) > 1e-9 * length:
        return None
    growing, sizes = np.zeros(_STRETCHES), np.zeros(_STRETCHES)
    begin, end = (lower, upper) if held[0] - lower < upper - held[0] else (upper, lower)
    points, frozen = freeze_inside(problem)
    backward = (-1.0) ** frozen.orders.sum(axis=1) if end < begin else 1.0
    rate, size = rates(Frozen(frozen.orders, frozen.coefficients * backward), np.zeros((1, 0)), 1 / length)
    during = np.minimum((_STRETCHES * np.abs(points[:, 0] - begin) / length).astype(int), _STRETCHES - 1)
    for stretch in range(_STRETCHES):
        here = during == stretch if len(points) > 1 else np.array([True])
        if here.any():
            growing[stretch] = rate[here, 0].mean() * length / _STRETCHES
            sizes[stretch] = size[here, 0].max()
    fastest = np.array([[sizes.max()]])
    return Growth(fastest, growing[None], ends=(float(begin), float(end))) if growing.sum() > 0 else None


def _fronts(problem: Problem, number: int) -> FloatArray | None:
    """Where the iterate of a linearisation is steep on each of so many stretches ``(number, n, d)``; None of others."""
    if not problem.is_linearisation or problem.dimension == 1:
        return None
    from fspielm.spectrum.hidden.fronts import find_fronts  # much code, which few problems need

    looks = number * _LOOKS
    return find_fronts(problem, (np.arange(looks) + 0.5) / looks).reshape(number, -1, problem.dimension)


def _rates_of_wide(problem: Problem, points: FloatArray, k: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """The same where coefficients are those of a linearisation, by what disturbances see of them."""
    lower, upper = problem.domain.bounding_box
    lengths = (upper - lower)[:-1]
    # half a period of each, in the lengths of the domain, and not more than these
    shares = np.pi / np.maximum(np.linalg.norm(k * lengths, axis=1), np.pi)
    growing, sizes = np.zeros((len(points), len(k))), np.zeros((len(points), len(k)))
    for these, frozen in freeze_wide(problem, points, shares):
        growing[:, these], sizes[:, these] = rates(frozen, k[these], unit)
    return growing, sizes


def _on_their_way(problem: Problem, fronts: FloatArray, k: FloatArray, grown: FloatArray, seconds: float) -> FloatArray:
    """What disturbances grow on a stretch, ``(m,)``, where they do not stay at what makes them grow."""
    much = np.flatnonzero(grown > _LITTLE)
    if problem.dimension != 2 or not much.size:
        return grown
    from fspielm.spectrum.hidden.transit import gathered  # much code, which few problems need

    less = grown.copy()
    less[much] = np.minimum(grown[much], gathered(problem, fronts, k[much], seconds))
    return less


def _changes(problem: Problem) -> bool:
    """Whether coefficients may change with time: callables may."""
    coefficients = [term.coefficient for term in problem.determinant.terms if callable(term.coefficient)]
    fields = [c.field for c in coefficients if isinstance(c, FieldCoefficient) and c.field.is_formula]
    now = problem.coordinates[-1]
    return len(fields) < len(coefficients) or any(now in getattr(f.source, "free_symbols", ()) for f in fields)


def _is_periodic(problem: Problem) -> bool:
    return any(constraint.region.partner is not None for constraint in problem.constraints)


def _lowest(problem: Problem, lengths: FloatArray) -> float:
    """The lowest frequency in space of a disturbance: where values are prescribed all round, half a period each way."""
    bound = [c for c in problem.constraints if c.region.kind == "boundary"]
    held = all(c.operator.order == 0 and c.region.partner is None for c in bound)
    covered = {name for c in bound if c.mask is None for name in c.part_names}
    names = {part.name for part in problem.domain.boundary([str(symbol) for symbol in problem.coordinates])}
    return float(np.linalg.norm(np.pi / lengths)) if bound and held and names <= covered else 0.0


def _frequencies(lengths: FloatArray) -> FloatArray:
    """Frequencies in space ``(m, d - 1)``: none, then all sizes in some directions, the highest last."""
    space = len(lengths)
    if not space:
        return np.zeros((1, 0))
    sizes = _LOWEST * 2.0 ** (np.arange(_OCTAVES * _STEPS + 1) / _STEPS)
    directions = half_sphere(_DIRECTIONS, space, np.random.default_rng(0)) / lengths
    # those along the axes, which may differ most
    directions = np.concatenate([directions, np.diag(1 / lengths)])
    every = (sizes[:, None, None] * directions).reshape(-1, space)
    return np.concatenate([np.zeros((1, space)), every])


def _stays(frozen: Frozen, lengths: FloatArray, duration: float) -> FloatArray:
    """How long a disturbance stays at most, by site: what is only carried along leaves the domain."""
    orders = frozen.orders
    if orders.sum(axis=1).max(initial=0) > 1 or not lengths.size:
        return np.full(len(frozen.coefficients), duration)
    velocity = np.zeros((len(frozen.coefficients), len(lengths)), dtype=frozen.coefficients.dtype)
    start = np.zeros(len(frozen.coefficients), dtype=frozen.coefficients.dtype)
    for order, values in zip(orders, frozen.coefficients.T, strict=True):
        if order[-1]:
            start += values
        elif order.any():
            velocity[:, int(order.argmax())] += values
    crossings = np.abs(start) / np.maximum(np.max(np.abs(velocity) / lengths, axis=1), 1e-300)
    # with a velocity that is not real nothing is carried anywhere
    turned = np.any(np.abs((velocity * np.conj(start)[:, None]).imag) > 0, axis=1)
    return np.asarray(np.where(turned, duration, np.minimum(duration, crossings)))


def _has_bound(foldings: FloatArray) -> bool:
    """Whether growth levels off towards the highest frequencies."""
    highest = foldings[1:].reshape(_OCTAVES * _STEPS + 1, -1).max(axis=1)
    later, before = highest[-1], highest[-1 - 2 * _STEPS]
    return not (later > HOPELESS and later > _LARGER * before)
