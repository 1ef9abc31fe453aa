"""Points at which materials meet in straight sectors, and the functions that solutions have there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.collocation.cells.vertices import meeting_points
from fspielm.equations import Problem
from fspielm.equations.crossing_powers import CrossingPower, crossing_powers
from fspielm.equations.once import once
from fspielm.features.corner_terms import CornerTerms, no_corner_terms
from fspielm.geometry import Sites
from fspielm.geometry.cells import Cover
from fspielm.geometry.intervals import bisect

# Directions that are looked at around a point, and how far from it, of the size of the domain: at two distances.
_DIRECTIONS = 360
_AROUND = (1e-3, 5e-4)
_BISECTIONS = 44
# Borders are straight where their directions at both distances are so close.
_STRAIGHT = 1e-9
_SIMPLE = math.pi / 12
# What is so close, of the size of the domain, is there.
_CLOSE = 1e-9
# Cells so many times as far as they are large have no use for the functions: polynomials will do.
_SEEN = 1.0
# Coefficients of both second derivatives are alike up to this.
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


@once
def crossings(problem: Problem) -> list[Crossing]:
    """Those of a problem of one unknown and second order, with constants before the second derivatives there."""
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
        around = point + _AROUND[1] * size * _directions(middles)
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
    """Points with nothing but the domain around them, and the directions in which materials change there."""
    points = meeting_points(problem)
    if not points:
        return [], []
    ring = np.array(points)[:, None] + _AROUND[0] * size * _directions(_angles())
    held = np.all(problem.domain.contains(ring.reshape(-1, 2)).reshape(len(points), -1), axis=1)
    both = [_changes(problem, np.array(points), distance * size) for distance in _AROUND]
    found = []
    for number, inside in enumerate(np.ravel(held)):
        first, second = (angle[which == number] for which, angle in both)
        straight = len(first) == len(second) and bool(np.all(np.abs(first - second) < _STRAIGHT))
        found.append(first if straight and inside else np.empty(0))
    return points, found


def _changes(problem: Problem, points: FloatArray, distance: float) -> tuple[NDArray[np.intp], FloatArray]:
    """Which points have another material from a direction on, at some distance, and those directions."""
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
    """Angles that are multiples of a simple one up to rounding are just that: many crossings are then alike."""
    simple = _SIMPLE * np.round(angles / _SIMPLE)
    return np.where(np.abs(angles - simple) < _STRAIGHT, simple, angles)


def _conducts(problem: Problem, place: FloatArray, point: FloatArray) -> float | None:
    """What is before the Laplacian in the material of a place, if it is that; at the point close to it."""
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
    """The functions of all crossings, in the cells that touch them or are as large as they are far."""
    frames = tiling.frames
    parts: list[tuple[int, int, complex, float, float, complex, complex]] = []
    count = 0
    lower, upper = problem.domain.bounding_box
    slack = _CLOSE * float(np.max(upper - lower))
    for crossing in crossings(problem):
        beside = np.maximum(np.maximum(frames.lower - crossing.point, crossing.point - frames.upper), 0.0)
        far, sides = np.linalg.norm(beside, axis=1), frames.lengths.max(axis=1)
        close = np.flatnonzero(far <= slack + _SEEN * sides)
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
    """The sector that a cell is in: of its material, and in its direction; None if it is in none of them."""
    lower, upper = tiling.cells[cell].boxes[0]
    away = 0.5 * (lower + upper) - crossing.point
    aside = np.abs(np.angle(np.exp(1j * (crossing.middles - np.arctan2(away[1], away[0])))))
    alike = np.all(crossing.rows == tiling.frames.rows[tiling.materials[cell]], axis=1)  # type: ignore[union-attr]
    return int(np.argmin(np.where(alike, aside, np.inf))) if alike.any() else None
