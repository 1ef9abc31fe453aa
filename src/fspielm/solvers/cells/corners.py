"""Points at which a solution may be as singular as a power of the distance."""

from __future__ import annotations

import cmath
import math
from collections.abc import Collection, Sequence
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
from fspielm.problem.operator import Operator, cache_by_object
from fspielm.problem.problem import Problem

# ---- Exponents of singular solutions at corners, for equations of second order
# Near a corner a solution is a sum of terms ``r^z phi(theta)`` that satisfy the equations and conditions with their
# highest derivatives only. The derivative of a term along x is ``r^(z - 1) (z cos - sin d/dtheta) phi``, so that z is
# an eigenvalue of a matrix polynomial on the values of phi at Chebyshev nodes.

# Numbers of nodes: an eigenvalue counts if both give it, up to this difference.
_NODES = (18, 23)
_SAME = 1e-6
# The range of real parts.
_LEAST, _MOST = 0.05, 6.0


def wedge_power(problem: Problem, corner: Corner) -> float | None:
    """The lowest power at a corner, except for linear functions; None if it is not known."""
    orders = [equation.operator.order for equation in problem.equations]
    sides = sides_of(problem, corner)
    unknowns = len(problem.unknowns)
    if set(orders) != {2} or len(orders) != unknowns or {len(sides.first), len(sides.second)} != {unknowns}:
        return None
    equations = [equation.operator for equation in problem.equations]
    conditions = [[condition.operator for condition in side] for side in (sides.first, sides.second)]
    try:
        once, again = (_powers(corner, equations, conditions, nodes) for nodes in _NODES)
    except ProblemError:  # a coefficient has no value at the corner; the error is raised where it is needed
        return None
    found = [z.real for z in once if len(again) and np.abs(again - z).min() < _SAME]
    return min(found, default=None)


def _powers(
    corner: Corner, equations: Sequence[Operator], conditions: Sequence[Sequence[Operator]], nodes: int
) -> NumberArray:
    """All powers with real parts in the range, by so many nodes."""
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
        # coefficients of the quadratic polynomial in z
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
    """Whether all unknowns are linear functions of the coordinates, up to rounding."""
    parts = values.reshape(-1, len(angles)).T
    plane = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    left = parts - plane @ np.linalg.lstsq(plane, parts, rcond=None)[0]
    return bool(np.linalg.norm(left) < math.sqrt(_SAME) * np.linalg.norm(parts))


def _slopes(nodes: FloatArray) -> FloatArray:
    """The differentiation matrix at Chebyshev nodes, with both ends."""
    weights = np.ones(len(nodes))
    weights[1::2] = -1
    weights[[0, -1]] *= 0.5
    apart = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    found = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(found, 0.0)
    return np.asarray(found - np.diag(found.sum(axis=1)))


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
    found = wedge_power(problem, corner)
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
