"""Points at which a solution may be no smoother than a power of the distance."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import scipy

from fspielm.arrays import FloatArray, NumberArray
from fspielm.cells.crossings import crossings, is_on_rim, lowest_power, lowest_without_data, meeting_points
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Corner
from fspielm.problem.changes import change_places, sides_of
from fspielm.problem.operator import Operator, once
from fspielm.problem.problem import Problem

# ---- Exponents of singular solutions at corners, for equations of second order
# Near a corner a solution is a sum of ``r^z phi(theta)`` that satisfy the equations and conditions with their highest
# derivatives alone. Of such functions a derivative along x is ``r^(z - 1) (z cos - sin d/dtheta) phi``, so that z is an
# eigenvalue of a polynomial of matrices on the values of phi at Chebyshev's nodes.


# Nodes: an eigenvalue counts if it is found with both, up to this.
_NODES = (18, 23)
_SAME = 1e-6
# Those that are looked at.
_LEAST, _MOST = 0.05, 6.0


def wedge_power(problem: Problem, corner: Corner) -> float | None:
    """The lowest power at a corner but for linear functions; None where it cannot be told."""
    orders = [equation.operator.order for equation in problem.equations]
    sides = sides_of(problem, corner)
    unknowns = len(problem.unknowns)
    if set(orders) != {2} or len(orders) != unknowns or {len(sides.first), len(sides.second)} != {unknowns}:
        return None
    equations = [equation.operator for equation in problem.equations]
    conditions = [[condition.operator for condition in side] for side in (sides.first, sides.second)]
    try:
        once, again = (_powers(corner, equations, conditions, nodes) for nodes in _NODES)
    except ProblemError:  # a coefficient has no value at the corner: whoever needs it there says so
        return None
    found = [z.real for z in once if len(again) and np.abs(again - z).min() < _SAME]
    return min(found, default=None)


def _powers(
    corner: Corner, equations: Sequence[Operator], conditions: Sequence[Sequence[Operator]], nodes: int
) -> NumberArray:
    """All with a real part in question, as far as so many nodes tell."""
    unit = np.cos(np.pi * np.arange(nodes) / (nodes - 1))[::-1]
    angles = corner.start + 0.5 * corner.opening * (1 + unit)
    slope = _slopes(unit) * 2 / corner.opening
    with np.errstate(over="ignore", invalid="ignore"):
        rows = {
            z: np.concatenate(
                [
                    *(_applied(each, corner, angles, slope, z, equations)[1:-1] for each in equations),
                    *(_applied(each, corner, angles, slope, z, equations)[:1] for each in conditions[0]),
                    *(_applied(each, corner, angles, slope, z, equations)[-1:] for each in conditions[1]),
                ]
            )
            for z in (-1.0, 0.0, 1.0)
        }
        # a polynomial of second degree through these
        zeroth, first, second = rows[0.0], 0.5 * (rows[1.0] - rows[-1.0]), 0.5 * (rows[1.0] + rows[-1.0]) - rows[0.0]
    if not np.isfinite([zeroth, first, second]).all():
        return np.empty(0)
    one, none = np.eye(len(zeroth)), np.zeros_like(zeroth)
    values, vectors = scipy.linalg.eig(
        np.block([[-zeroth, none], [none, one]]), np.block([[first, second], [one, none]])
    )
    kept = np.isfinite(values) & (values.real > _LEAST) & (values.real < _MOST)
    kept[kept] = [
        abs(z - 1) > _SAME or not _is_linear(vector[: len(one)], angles)
        for z, vector in zip(values[kept], vectors[:, kept].T, strict=True)
    ]
    return np.asarray(values[kept])


def _applied(
    operator: Operator, corner: Corner, angles: FloatArray, slope: FloatArray, z: float, equations: Sequence[Operator]
) -> NumberArray:
    """The highest derivatives of an operator on the values of ``r^z phi``, at all angles, with coefficients there."""
    along = corner.start + np.array([0.0, corner.opening])
    normals = np.array([[math.sin(along[0]), -math.cos(along[0])], [-math.sin(along[1]), math.cos(along[1])]])
    each = normals[(np.arange(len(angles)) >= len(angles) // 2).astype(int)]
    sites = Sites(np.tile(corner.point, (len(angles), 1)), each)
    found = np.zeros((len(angles), len(equations) * len(angles)), dtype=complex)
    for term in operator.terms:
        if sum(term.orders) < operator.order:
            continue
        matrix, power = np.eye(len(angles)), z
        for axis in [axis for axis, order in enumerate(term.orders) for _ in range(order)]:
            by = (np.cos(angles), -np.sin(angles)) if axis == 0 else (np.sin(angles), np.cos(angles))
            matrix = power * by[0][:, None] * matrix + by[1][:, None] * (slope @ matrix)
            power -= 1
        columns = slice(term.unknown * len(angles), (term.unknown + 1) * len(angles))
        found[:, columns] += np.reshape(term.at(sites), (-1, 1)) * matrix
    return found


def _is_linear(values: NumberArray, angles: FloatArray) -> bool:
    """Whether all unknowns are linear functions of the coordinates, as far as rounding lets them be."""
    parts = values.reshape(-1, len(angles)).T
    plane = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    left = parts - plane @ np.linalg.lstsq(plane, parts, rcond=None)[0]
    return bool(np.linalg.norm(left) < math.sqrt(_SAME) * np.linalg.norm(parts))


def _slopes(nodes: FloatArray) -> FloatArray:
    """The matrix of derivatives of polynomials through values at Chebyshev's nodes, both ends included."""
    weights = np.ones(len(nodes))
    weights[1::2] = -1
    weights[[0, -1]] *= 0.5
    apart = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    found = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(found, 0.0)
    return np.asarray(found - np.diag(found.sum(axis=1)))


# ---- Points at which a solution may not be smooth

# Where conditions change, solutions are like the root of the distance.
_HALF = 0.5
# At crossings, what sources and terms of lower order bring beside the functions that are known.
_BEYOND = 2.0
# Of the domain's size: what is so close is there.
CLOSE = 1e-9
# Where the search for the powers of fourth order begins, and which of them are none.
_STARTS = [complex(real, imaginary) for real in np.arange(0.3, 5.0, 0.2) for imaginary in (0.0, 0.6, 1.2)]
_LEAST_CORNERS, _TRIVIAL = 0.2, 1e-6


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
        if abs(z) <= 10 and abs(off(z)) < 1e-9 and z.real > _LEAST_CORNERS and abs(z - 1) > _TRIVIAL:
            roots.append(z.real)
    return 1.0 + min(roots, default=_HALF)
