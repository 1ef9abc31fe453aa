"""Points at which materials meet, and the singular functions of solutions there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import mpmath
import numpy as np
import scipy
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.cells.basis import CornerTerms, no_corner_terms
from fspielm.cells.frames import runs_along
from fspielm.cells.tiling import Cover
from fspielm.geometry.boundary import Sites
from fspielm.numerics.roots import bisect
from fspielm.problem.operator import cache_by_object
from fspielm.problem.problem import Problem

# ---- Powers of the distance in solutions where sectors of several materials meet, to full precision

# Powers are found up to this; integers, up to a tolerance, are left out: they are polynomials in each sector.
HIGHEST = 6.0
_WHOLE = 1e-6
# Degree of the polynomials on each sector for the first approximation, and its accuracy.
_DEGREE = 40
_APART = 1e-4
_DIGITS = 40


@final
@dataclass(frozen=True)
class CrossingPower:
    """A solution ``Re(factor * w^power)`` in each sector, with ``w`` rotated so that its middle is on the real axis.

    Attributes
    ----------
    power : float
    factors : tuple of complex
        One for each sector.
    """

    power: float
    factors: tuple[complex, ...]


@lru_cache(maxsize=256)
def crossing_powers(openings: tuple[float, ...], conducts: tuple[float, ...]) -> tuple[CrossingPower, ...]:
    """The solutions of ``div(a grad u) = 0`` around a point that are not polynomials in the sectors around it.

    Parameters
    ----------
    openings : tuple of float
        Consecutive angles of the sectors, which add up to a full turn.
    conducts : tuple of float
        The values of `a` in the sectors.

    Returns
    -------
    tuple of CrossingPower
        From the lowest positive power up to `HIGHEST`.

    Notes
    -----
    In a sector, u is ``r^s`` times a cosine and a sine of ``s`` times the angle. A two by two matrix maps values and
    fluxes at one border to those at the next; the product of all these matrices has the eigenvalue one.
    """
    found = []
    for guess, several in _guesses(openings, conducts):
        if abs(guess - round(guess)) < _APART and several == 2:
            continue
        with mpmath.workdps(_DIGITS):
            power = _polished(guess, several, openings, conducts)
            if abs(power - mpmath.nint(power)) > _WHOLE and power > 0:
                found += [
                    CrossingPower(float(power), _factors(power, state, openings, conducts))
                    for state in _states(power, several, openings, conducts)
                ]
    return tuple(found)


def _guesses(openings: Sequence[float], conducts: Sequence[float]) -> list[tuple[float, int]]:
    """Approximate powers by finite elements of high degree around the point, and the number of solutions of each."""
    nodes = np.cos(np.pi * np.arange(_DEGREE, -1, -1) / _DEGREE)
    at, weights = leggauss(_DEGREE + 2)
    values = np.polynomial.chebyshev.chebvander(at, _DEGREE) @ np.linalg.inv(
        np.polynomial.chebyshev.chebvander(nodes, _DEGREE)
    )
    slopes_of = np.polynomial.chebyshev.chebder(np.eye(_DEGREE + 1))
    slopes = np.polynomial.chebyshev.chebval(at, slopes_of).T @ np.linalg.inv(
        np.polynomial.chebyshev.chebvander(nodes, _DEGREE)
    )
    size = _DEGREE * len(openings)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    for sector, (opening, a) in enumerate(zip(openings, conducts, strict=True)):
        own = (sector * _DEGREE + np.arange(_DEGREE + 1)) % size
        K[np.ix_(own, own)] += a * 2 / opening * slopes.T @ (weights[:, None] * slopes)
        M[np.ix_(own, own)] += a * opening / 2 * values.T @ (weights[:, None] * values)
    squares = scipy.linalg.eigh(K, M, eigvals_only=True)
    powers = np.sqrt(squares[1:][squares[1:] < HIGHEST**2])  # the first is a constant
    groups = np.split(powers, np.flatnonzero(np.diff(powers) > _APART) + 1)
    return [(float(group.mean()), len(group)) for group in groups if len(group)]


def _turns(power: mpmath.mpf, openings: Sequence[float], conducts: Sequence[float]) -> list[mpmath.matrix]:
    """The matrix that maps the value and the flux over the power at one border to those at the next."""
    found = []
    for opening, a in zip(openings, conducts, strict=True):
        c, s = mpmath.cos(power * opening), mpmath.sin(power * opening)
        found.append(mpmath.matrix([[c, s / a], [-a * s, c]]))
    return found


def _round(power: mpmath.mpf, openings: Sequence[float], conducts: Sequence[float]) -> mpmath.matrix:
    product = mpmath.eye(2)
    for turn in _turns(power, openings, conducts):
        product = turn * product
    return product


def _polished(guess: float, several: int, openings: Sequence[float], conducts: Sequence[float]) -> mpmath.mpf:
    """The power near a guess, where the trace is two; with two solutions the trace only touches two."""

    def off(power: mpmath.mpf) -> mpmath.mpf:
        product = _round(power, openings, conducts)
        return product[0, 0] + product[1, 1] - 2

    function = off if several == 1 else lambda power: mpmath.diff(off, power)
    return mpmath.findroot(function, (mpmath.mpf(guess), mpmath.mpf(guess) * (1 + mpmath.mpf(10) ** -9)))


def _states(
    power: mpmath.mpf, several: int, openings: Sequence[float], conducts: Sequence[float]
) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Values and fluxes at the first border that are unchanged after a full turn."""
    if several > 1:
        return [(mpmath.mpf(1), mpmath.mpf(0)), (mpmath.mpf(0), mpmath.mpf(1))]
    left = _round(power, openings, conducts) - mpmath.eye(2)
    rows = [(left[i, 0], left[i, 1]) for i in range(2)]
    first, second = max(rows, key=lambda row: abs(row[0]) + abs(row[1]))
    return [(-second, first)]


def _factors(
    power: mpmath.mpf, state: tuple[mpmath.mpf, mpmath.mpf], openings: Sequence[float], conducts: Sequence[float]
) -> tuple[complex, ...]:
    found = []
    here = mpmath.matrix(state)
    for turn, opening, a in zip(_turns(power, openings, conducts), openings, conducts, strict=True):
        found.append(complex((here[0] - 1j * here[1] / a) * mpmath.expj(power * opening / 2)))
        here = turn * here
    largest = max(abs(factor) for factor in found)
    return tuple(factor / largest for factor in found)


# ---- Points at which interfaces meet each other or the boundary, and the lowest power of solutions there

# Number of directions sampled around a point, and their radius relative to the domain.
_DIRECTIONS = 360
_RADIUS = 1e-5
# Points this close are the same.
SAME = 1e-9
# The power assumed if it cannot be computed.
_UNKNOWN = 0.4
# Powers above this, and integers up to a tolerance, are those of smooth functions; angles are known approximately.
_SMOOTH, _NEAR_INTEGER = 0.98, 0.02
# Number of powers that are computed.
_POWERS = 4


@cache_by_object
def meeting_points(problem: Problem) -> list[FloatArray]:
    """The points where interfaces cross, turn or end, each once."""
    size = _size(problem)
    found: list[FloatArray] = []
    for line in problem.interfaces:
        if line.part.parameters == 0:
            continue
        runs = [run for side in (-1, 1) for run in runs_along(line.part, problem.material_of, side, size)]
        places = np.unique([*line.part.breaks, *(run.start for run in runs), *(run.end for run in runs)])
        for point in line.part.place(places[:, None]).points:
            if all(np.linalg.norm(point - other) > SAME * size for other in found):
                found.append(point)
    return found


def lowest_power(problem: Problem, point: FloatArray) -> float:
    """The lowest power of the distance in a solution at a meeting point; one if it is smooth in each material."""
    power = _powers_at(problem, point)[0]
    return power if power < _SMOOTH else 1.0


def lowest_without_data(problem: Problem, point: FloatArray) -> float:
    """The same without data on the boundary: integer powers are then polynomials, and sources bring the second one."""
    return min([each for each in _powers_at(problem, point) if abs(each - round(each)) > _NEAR_INTEGER], default=2.0)


def is_on_rim(problem: Problem, point: FloatArray) -> bool:
    """Whether a meeting point is on the boundary of the domain."""
    return not problem.domain.contains(_around(point, _RADIUS * _size(problem))).all()


def _around(point: FloatArray, radius: float) -> FloatArray:
    angles = 2 * math.pi * (np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS
    return np.asarray(point + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def _size(problem: Problem) -> float:
    lower, upper = problem.domain.bounding_box
    return float(np.max(upper - lower))


def _powers_at(problem: Problem, point: FloatArray) -> tuple[float, ...]:
    """The lowest powers, for an equation of second order."""
    around = _around(point, _RADIUS * _size(problem))
    inside = problem.domain.contains(around)
    rows = problem.material_of(around)
    stiff = np.zeros(_DIRECTIONS)
    for row in np.unique(rows[inside], axis=0):
        here = np.flatnonzero(inside & np.all(rows == row, axis=1))
        equations = problem.equations_at(around[here[len(here) // 2]])
        own = [t for t in equations[0].operator.terms if t.orders in ((2, 0), (0, 2))]
        if len(problem.unknowns) > 1 or equations[0].operator.order != 2 or not own:
            return (_UNKNOWN,)
        stiff[here] = abs(sum(complex(t.at(Sites(around[here[:1]]))[0]) for t in own))
    if not np.any(stiff > 0):
        return (1.0,)
    # starts outside of the domain, if there are such directions
    turned = np.roll(stiff, -int(np.argmin(inside)))
    return _lowest_powers(tuple((turned / turned.max()).round(6).tolist()))


@lru_cache(maxsize=64)
def _lowest_powers(stiff: tuple[float, ...]) -> tuple[float, ...]:
    """The lowest powers in order, by finite elements around the point; the stiffness is zero outside of the domain."""
    a, step = np.array(stiff), 2 * math.pi / len(stiff)
    closed = bool(np.all(a > 0))
    a = a[a > 0]
    n = len(a) + (not closed)
    first, second = np.arange(len(a)), (np.arange(len(a)) + 1) % n
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for i, j, same in ((first, first, True), (second, second, True), (first, second, False), (second, first, False)):
        np.add.at(K, (i, j), (1.0 if same else -1.0) * a / step)
        np.add.at(M, (i, j), (2.0 if same else 1.0) * a * step / 6)
    # the first is a constant; on the boundary, values may be prescribed as well
    squares = [*scipy.linalg.eigh(K, M, eigvals_only=True, subset_by_index=[1, _POWERS])]
    if not closed:
        held = K[1:-1, 1:-1], M[1:-1, 1:-1]
        squares += [*scipy.linalg.eigh(*held, eigvals_only=True, subset_by_index=[0, _POWERS - 1])]
    return tuple(math.sqrt(max(float(square), 0.0)) for square in sorted(squares))


# ---- Points at which materials meet in straight sectors, and the singular functions there

# Two radii at which materials are sampled around a point, relative to the domain.
_RADII = (1e-3, 5e-4)
_BISECTIONS = 44
# Borders are straight if their directions at both radii are this close.
_STRAIGHT = 1e-9
_SIMPLE = math.pi / 12
# Distance, relative to the domain, at which a point counts as reached.
_CLOSE = 1e-9
# Cells farther away than this multiple of their size do not get the functions: polynomials suffice.
_FARTHEST = 1.0
# Relative difference up to which the coefficients of both second derivatives are equal.
_ALIKE = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Crossing:
    """A point inside of the domain around which each material fills a sector.

    Attributes
    ----------
    point : (2,) array
    middles : (k,) array
        Directions of the middles of the sectors.
    rows : (k, m) integer array
        Their materials.
    functions : tuple of CrossingPower
    """

    point: FloatArray
    middles: FloatArray
    rows: NDArray[np.int_]
    functions: tuple[CrossingPower, ...]


@cache_by_object
def crossings(problem: Problem) -> list[Crossing]:
    """The crossings of a problem with one unknown, second order and constant leading coefficients around them."""
    if problem.dimension != 2 or problem.domain.time is not None or not problem.interfaces:
        return []
    if len(problem.unknowns) > 1 or problem.whole is not None or any(e.operator.order != 2 for e in problem.equations):
        return []
    lower, upper = problem.domain.bounding_box
    size = float(np.max(upper - lower))
    found = []
    for point, borders in zip(*_borders(problem, size), strict=True):
        if len(borders) < 2:
            continue
        openings = np.diff([*borders, borders[0] + 2 * math.pi])
        middles = borders + openings / 2
        around = point + _RADII[1] * size * _directions(middles)
        conducts = [a for a in (_conducts(problem, place, point) for place in around) if a is not None]
        if len(conducts) < len(around):
            continue
        largest = max(conducts, key=abs)
        relative = tuple(round(a / largest, 14) for a in conducts)
        if min(relative) < 0:  # powers are those of positive materials
            continue
        functions = crossing_powers(tuple(openings.round(13).tolist()), relative)
        if functions:
            found.append(Crossing(point, middles, problem.material_of(around), functions))
    return found


def _borders(problem: Problem, size: float) -> tuple[list[FloatArray], list[FloatArray]]:
    """Points inside of the domain, and the directions in which materials change there."""
    points = meeting_points(problem)
    if not points:
        return [], []
    ring = np.array(points)[:, None] + _RADII[0] * size * _directions(_angles())
    held = np.all(problem.domain.contains(ring.reshape(-1, 2)).reshape(len(points), -1), axis=1)
    both = [_changes(problem, np.array(points), distance * size) for distance in _RADII]
    found = []
    for number, inside in enumerate(np.ravel(held)):
        first, second = (angle[which == number] for which, angle in both)
        straight = len(first) == len(second) and bool(np.all(np.abs(first - second) < _STRAIGHT))
        found.append(first if straight and inside else np.empty(0))
    return points, found


def _changes(problem: Problem, points: FloatArray, distance: float) -> tuple[NDArray[np.intp], FloatArray]:
    """The points around which materials change at some distance, and the directions of the changes."""
    angles = _angles()
    around = problem.material_of((points[:, None] + distance * _directions(angles)).reshape(-1, 2))
    around = around.reshape(len(points), len(angles), -1)
    which, at = np.nonzero(np.any(around != np.roll(around, -1, axis=1), axis=2))
    before = around[which, at]

    def is_before(angle: FloatArray) -> BoolArray:
        return np.asarray(np.all(problem.material_of(points[which] + distance * _directions(angle)) == before, axis=1))

    low, high = bisect(angles[at], angles[at] + 2 * math.pi / len(angles), is_before, _BISECTIONS)
    return which, _snapped(0.5 * (low + high))


def _angles() -> FloatArray:
    return 2 * math.pi * (np.arange(_DIRECTIONS) + 0.25) / _DIRECTIONS


def _directions(angles: FloatArray) -> FloatArray:
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _snapped(angles: FloatArray) -> FloatArray:
    """Angles rounded to multiples of a simple one if they are close, which makes many crossings equal."""
    simple = _SIMPLE * np.round(angles / _SIMPLE)
    return np.where(np.abs(angles - simple) < _STRAIGHT, simple, angles)


def _conducts(problem: Problem, place: FloatArray, point: FloatArray) -> float | None:
    """The coefficient of the Laplacian in the material of a place, evaluated at the point; None without Laplacian."""
    second: dict[tuple[int, ...], float] = {}
    for term in problem.equations_at(place)[0].operator.terms:
        if term.order == 2:
            value = complex(term.at(Sites(point[None]))[0])
            if value.imag != 0:
                return None
            second[term.orders] = second.get(term.orders, 0.0) + value.real
    a, b = second.get((2, 0), 0.0), second.get((0, 2), 0.0)
    if a * b <= 0 or abs(a - b) > _ALIKE * abs(a) or abs(second.get((1, 1), 0.0)) > _ALIKE * abs(a):
        return None
    return a


def corner_terms(problem: Problem, tiling: Cover) -> CornerTerms:
    """The functions of all crossings, in the cells that touch them or are as large as their distance."""
    frames = tiling.frames
    parts: list[tuple[int, int, complex, float, float, complex, complex]] = []
    count = 0
    lower, upper = problem.domain.bounding_box
    slack = _CLOSE * float(np.max(upper - lower))
    for crossing in crossings(problem):
        beside = np.maximum(np.maximum(frames.lower - crossing.point, crossing.point - frames.upper), 0.0)
        far, sides = np.linalg.norm(beside, axis=1), frames.lengths.max(axis=1)
        close = np.flatnonzero(far <= slack + _FARTHEST * sides)
        length = float(sides[close].max())
        for cell in close.tolist():
            sector = _sector(crossing, tiling, cell)
            if sector is None:
                continue
            turn = complex(np.exp(-1j * crossing.middles[sector]))
            for number, function in enumerate(crossing.functions):
                at = complex(*crossing.point)
                factor = function.factors[sector]
                parts.append((cell, count + number, at, function.power, length, turn, factor))
        count += len(crossing.functions)
    if not parts:
        return no_corner_terms()
    each = zip(*sorted(parts, key=lambda part: part[:2]), strict=True)
    return CornerTerms(*(np.array(numbers) for numbers in each))


def _sector(crossing: Crossing, tiling: Cover, cell: int) -> int | None:
    """The sector of a cell, by its material and direction; None if it is in none."""
    lower, upper = tiling.cells[cell].boxes[0]
    away = 0.5 * (lower + upper) - crossing.point
    aside = np.abs(np.angle(np.exp(1j * (crossing.middles - np.arctan2(away[1], away[0])))))
    alike = np.all(crossing.rows == tiling.frames.rows[tiling.materials[cell]], axis=1)  # type: ignore[union-attr]
    return int(np.argmin(np.where(alike, aside, np.inf))) if alike.any() else None
