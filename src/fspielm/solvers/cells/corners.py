"""Points at which a solution may be no smoother than a power of the distance."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation.cells.crossings import crossings
from fspielm.collocation.cells.vertices import is_on_rim, lowest_power, lowest_without_data, meeting_points
from fspielm.equations import Problem, change_places, sides_of
from fspielm.equations.once import once
from fspielm.geometry import Corner
from fspielm.solvers.cells.wedges import wedge_power

# Where conditions change, solutions are like the root of the distance.
_HALF = 0.5
# At crossings, what sources and terms of lower order bring beside the functions that are known.
_BEYOND = 2.0
# Of the domain's size: what is so close is there.
CLOSE = 1e-9
# Where the search for the powers of fourth order begins, and which of them are none.
_STARTS = [complex(real, imaginary) for real in np.arange(0.3, 5.0, 0.2) for imaginary in (0.0, 0.6, 1.2)]
_LEAST, _TRIVIAL = 0.2, 1e-6


@final
@dataclass(frozen=True, eq=False)
class Special:
    """Such a point.

    Attributes
    ----------
    point : (d,) array
    power : float
        The lowest one that is expected.
    gain : float
        Logarithm of what an error that comes from there loses with each halving of the cells at it.
    """

    point: FloatArray
    power: float
    gain: float

    @property
    def is_sharp(self) -> bool:
        """Whether slopes may be infinite there."""
        return self.power < 1


@once
def special_points(problem: Problem) -> list[Special]:
    """Where solutions may not be smooth: at corners, and where conditions change or several materials meet."""
    if problem.dimension != 2 or problem.domain.time is not None:
        return []
    order = max(equation.operator.order for equation in problem.equations)
    lower, upper = problem.domain.bounding_box
    met = meeting_points(problem)
    found = [
        _special(corner.point, _power(problem, corner, order), order, is_held=_is_held(problem, corner))
        for corner in problem.domain.corners()
    ]
    found += [
        _special(place.point, _HALF, order)
        for place in change_places(problem)
        # where interfaces end, data have kinks as solutions do
        if all(math.dist(place.point, point) > CLOSE * np.max(upper - lower) for point in met)
    ]
    # at crossings cells have functions with the powers that are lower
    known = [_special(crossing.point, _BEYOND, order) for crossing in crossings(problem)]
    others = [point for point in met if all(math.dist(point, each.point) > 0 for each in known)]
    rim = [is_on_rim(problem, point) for point in others]
    quiet = _brings_nothing(problem)
    vertices = [
        # on the boundary, data that do not fit leave a logarithm beside the first power
        _special(point, (lowest_without_data if quiet and on_rim else lowest_power)(problem, point), order)
        for point, on_rim in zip(others, rim, strict=True)
    ]
    return found + known + [each for each, on_rim in zip(vertices, rim, strict=True) if each.is_sharp or on_rim]


def _brings_nothing(problem: Problem) -> bool:
    """Whether conditions are as smooth as they can be where materials meet the boundary: constant values, no slopes."""
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
    """With the gain: what a perturbation at the point sends out falls with the power dual to its own.

    Where no value is held, it adds a constant besides, which does not fall.
    """
    dual = max(power - max(order - 2, 0), 0.0) if is_held else 0.0
    return Special(np.array(point), power, math.log(2) * (power + dual))


def _is_held(problem: Problem, corner: Corner) -> bool:
    """Whether some condition at a corner is on values."""
    return any(condition.operator.order == 0 for side in sides_of(problem, corner) for condition in side)


def _power(problem: Problem, corner: Corner, order: int) -> float:
    """The lowest one, from the opening alone where nothing else matters."""
    if order >= 4:
        return _of_a_plate(round(corner.opening, 9))
    usual = math.pi / corner.opening
    kinds = [{condition.operator.order for condition in side} for side in sides_of(problem, corner)]
    if len(problem.unknowns) == 1 and kinds[0] == kinds[1]:
        return usual
    found = wedge_power(problem, corner)
    # what data that do not fit leave beside functions that are smooth
    return usual if found is None else min(found, usual)


@lru_cache(maxsize=64)
def _of_a_plate(opening: float) -> float:
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
        if abs(z) <= 10 and abs(off(z)) < 1e-9 and z.real > _LEAST and abs(z - 1) > _TRIVIAL:
            roots.append(z.real)
    return 1.0 + min(roots, default=_HALF)
