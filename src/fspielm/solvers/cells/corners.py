"""Points at which a solution may be as singular as a power of the distance."""

from __future__ import annotations

import cmath
import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.singular.angular import wedge_at
from fspielm.cells.crossings import crossings, is_on_rim, lowest_power, lowest_without_data, meeting_points
from fspielm.geometry.domain import Corner
from fspielm.problem.changes import change_places, sides_of
from fspielm.problem.operator import cache_by_object
from fspielm.problem.problem import Problem

# ---- Points at which a solution may not be smooth

# The power where conditions change.
_HALF = 0.5
# The power at crossings and corners, after the singular functions that cells have.
_BEYOND = 2.0
# Points that are closer than this share of the size of the domain are the same.
CLOSE = 1e-9
# Starts of the search for powers of equations of fourth order; and the limits of roots that are not trivial.
_STARTS = [complex(real, imaginary) for real in np.arange(0.3, 5.0, 0.2) for imaginary in (0.0, 0.6, 1.2)]
_LEAST_CORNERS, _TRIVIAL = 0.2, 1e-6


@final
@dataclass(frozen=True, eq=False)
class Special:
    """A point at which a solution may not be smooth.

    Attributes
    ----------
    point : (d,) array
    power : float
        The lowest expected power of the distance.
    gain : float
        Logarithm of the factor by which each halving of the cells there reduces errors from the point.
    """

    point: FloatArray
    power: float
    gain: float

    @property
    def is_sharp(self) -> bool:
        """Whether slopes may be infinite there."""
        return self.power < 1


@cache_by_object
def special_points(problem: Problem) -> list[Special]:
    """Corners, and points where conditions change or several materials meet."""
    if problem.dimension != 2 or problem.domain.time is not None:
        return []
    order = max(equation.operator.order for equation in problem.equations)
    lower, upper = problem.domain.bounding_box
    met = meeting_points(problem)
    found = [
        _special(corner.point, _power(problem, corner, order), order, is_held=_holds_values(problem, corner))
        for corner in problem.domain.corners()
    ]
    found += [
        _special(place.point, _HALF, order)
        for place in change_places(problem)
        # not where interfaces end: data have kinks there as solutions do
        if all(math.dist(place.point, point) > CLOSE * np.max(upper - lower) for point in met)
    ]
    # at crossings, cells have singular functions for lower powers
    known = [_special(crossing.point, _BEYOND, order) for crossing in crossings(problem)]
    others = [point for point in met if all(math.dist(point, each.point) > 0 for each in known)]
    rim = [is_on_rim(problem, point) for point in others]
    quiet = _is_quiet(problem)
    vertices = [
        # on the boundary, incompatible data add a logarithm to the first power
        _special(point, (lowest_without_data if quiet and on_rim else lowest_power)(problem, point), order)
        for point, on_rim in zip(others, rim, strict=True)
    ]
    return found + known + [each for each, on_rim in zip(vertices, rim, strict=True) if each.is_sharp or on_rim]


def points_left(problem: Problem, known: Collection[tuple[float, float]]) -> list[Special]:
    """The `special_points`; those with `known` singular functions are smoother after these."""
    order = max(equation.operator.order for equation in problem.equations)
    return [
        _special(each.point, max(each.power, _BEYOND), order) if tuple(each.point.tolist()) in known else each
        for each in special_points(problem)
    ]


def _is_quiet(problem: Problem) -> bool:
    """Whether conditions are constant values or zero slopes, and do not change where materials meet the boundary."""
    lower, upper = problem.domain.bounding_box
    close = CLOSE * float(np.max(upper - lower))
    places = [place.point for place in change_places(problem)]
    if any(math.dist(place, point) <= close for place in places for point in meeting_points(problem)):
        return False
    held = [each for each in problem.relations if each.region.kind == "boundary"]
    orders = [{sum(term.orders) for term in each.operator.terms} for each in held]
    return all(
        each.value.constant is not None and (own == {0} or (own == {1} and each.value.constant == 0))
        for each, own in zip(held, orders, strict=True)
    )


def _special(point: FloatArray | tuple[float, float], power: float, order: int, *, is_held: bool = True) -> Special:
    """A special point with its gain: perturbations at the point decay with the dual power.

    Without a condition on values, a perturbation adds a constant, which does not decay.
    """
    dual = max(power - max(order - 2, 0), 0.0) if is_held else 0.0
    return Special(np.array(point), power, math.log(2) * (power + dual))


def _holds_values(problem: Problem, corner: Corner) -> bool:
    """Whether a condition at a corner is on values."""
    return any(condition.operator.order == 0 for side in sides_of(problem, corner) for condition in side)


def _power(problem: Problem, corner: Corner, order: int) -> float:
    """The lowest power at a corner, from its opening alone where that is enough."""
    if order >= 4:
        return _plate_power(round(corner.opening, 9))
    usual = math.pi / corner.opening
    kinds = [{condition.operator.order for condition in side} for side in sides_of(problem, corner)]
    if len(problem.unknowns) == 1 and kinds[0] == kinds[1]:
        return usual
    wedge = wedge_at(problem, corner)
    found = None if wedge is None else wedge.power
    # incompatible data add the usual power
    return usual if found is None else min(found, usual)


@lru_cache(maxsize=64)
def _plate_power(opening: float) -> float:
    """The lowest power of a clamped plate: one more than the least root of ``sin^2(z w) = z^2 sin^2 w``."""

    def off(z: complex) -> complex:
        return cmath.sin(z * opening) ** 2 - (z * cmath.sin(opening)) ** 2

    def slope(z: complex) -> complex:
        return opening * cmath.sin(2 * z * opening) - 2 * z * cmath.sin(opening) ** 2

    roots = []
    for z in _STARTS:
        for _ in range(30):
            steep = slope(z)
            if steep == 0 or abs(z) > 10:
                break
            z -= off(z) / steep
        if abs(z) <= 10 and abs(off(z)) < 1e-9 and z.real > _LEAST_CORNERS and abs(z - 1) > _TRIVIAL:
            roots.append(z.real)
    return 1.0 + min(roots, default=_HALF)
