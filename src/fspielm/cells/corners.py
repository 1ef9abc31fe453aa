"""The singular functions of corners, and of changes of conditions, in the cells around them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.basis.singular.angular import angular_columns, angular_corners, angular_limits
from fspielm.basis.singular.columns import axes_at, known_corners, local_columns
from fspielm.cells.crossings import corner_terms
from fspielm.cells.places import Degrees, Placed, held_to
from fspielm.cells.shared import AroundPoint, SharedFunctions, join_functions
from fspielm.cells.tiling import Cover
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.domain import Corner
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# Functions have powers up to the first number, and one more for so many degrees, up to the last: polynomials of degree
# n approximate the power s of the distance up to n^(-2 s).
_LEAST_POWER, _DEGREES_EACH, _MOST_POWER = 2.0, 6.0, 6.0
# Distances, relative to a cell, at which a point touches it, and up to which polynomials do not suffice.
_TOUCHING, _NEAR = 1e-9, 0.5
# The same relative to the distance of the farthest point of its cells.
_AT_CORNER = 1e-6
# The same, up to which the extent of a condition is next to nothing.
_SLIVER = 1e-6
# Distances of further rows of conditions from a corner, in units of the side in the cell.
_TOWARD = np.geomspace(1e-5, 0.2, 10)
# Distances of further rows of equations, in units of the distance of the farthest point; and their directions.
_INSIDE, _RAYS = np.geomspace(1e-4, 0.15, 7), 6
# Rays outside of a corner on which functions of the angle are not known, and points along rays.
_BEYOND_RAYS = 9
_ALONG_RAY = np.concatenate([np.geomspace(1e-6, 1e-2, 40), np.linspace(0.01, 1.0, 200)])


def shared_functions(problem: Problem, tiling: Cover, degrees: Degrees) -> SharedFunctions:
    """The singular functions at corners and where materials meet, each in the cells around its point."""
    return join_functions([corner_terms(problem, tiling), *functions_at_corners(problem, tiling, degrees)])


def corners_with_functions(problem: Problem) -> tuple[Corner, ...]:
    """The corners and changes of conditions whose functions are known."""
    plain = known_corners(problem)
    points = {each.point for each in plain}
    return (*plain, *(each for each in angular_corners(problem) if each.point not in points))


def functions_at_corners(problem: Problem, tiling: Cover, degrees: Degrees) -> list[AroundPoint]:
    """The functions of all corners where they are known and the cells around are small enough for them."""
    found = []
    plain = known_corners(problem)
    for corner in corners_with_functions(problem):
        at = cells_around(tiling, corner.point, _TOUCHING)
        if not len(at) or np.any(tiling.materials[at] != tiling.materials[at[0]]):
            continue
        close = cells_around(tiling, corner.point, _NEAR)
        close = close[tiling.materials[close] == tiling.materials[at[0]]]
        if corner in plain:
            axes = axes_at(corner)
            beyond = [[axis + math.pi] for axis in axes]
        else:
            axes, (first, last) = [0.0], angular_limits(corner)
            beyond = [np.linspace(last, first + 2 * math.pi, _BEYOND_RAYS).tolist()]
        spared = _spared(problem, tiling, corner, beyond, close)
        cells, axis = max(zip(spared, axes, strict=True), key=lambda both: (np.isin(at, both[0]).all(), len(both[0])))
        if np.isin(at, cells).all():
            highest = min(_LEAST_POWER + float(degrees[cells].min()) / _DEGREES_EACH, _MOST_POWER)
            reach = _reach(tiling, corner, cells)
            if corner in plain:
                found.append(AroundPoint(local_columns(problem, corner, axis, reach, highest), cells))
            else:
                found.append(AroundPoint(angular_columns(problem, corner, reach, highest), cells))
    return found


def cells_around(tiling: Cover, point: tuple[float, float], farthest: float) -> NDArray[np.intp]:
    """The cells that touch a point, or are closer than a share of their size."""
    frames = tiling.frames
    beside = np.maximum(np.maximum(frames.lower - point, point - frames.upper), 0.0)
    return np.flatnonzero(np.linalg.norm(beside, axis=1) <= farthest * frames.lengths.max(axis=1))


def _reach(tiling: Cover, corner: Corner, cells: NDArray[np.intp]) -> float:
    """The distance of the farthest point of some cells from a corner."""
    frames, point = tiling.frames, np.array(corner.point)
    farthest = np.maximum(point - frames.lower[cells], frames.upper[cells] - point)
    return float(np.linalg.norm(farthest, axis=1).max())


def _spared(
    problem: Problem, tiling: Cover, corner: Corner, beyond: Sequence[Sequence[float]], cells: NDArray[np.intp]
) -> list[NDArray[np.intp]]:
    """For each choice of rays, across or between which functions jump, those of some cells without any of them."""
    angles = np.array(beyond)
    away = _reach(tiling, corner, cells) * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    rays = (np.array(corner.point) + _ALONG_RAY[:, None] * away[:, :, None]).reshape(-1, 2)
    inside = np.flatnonzero(problem.domain.contains(rays))
    met = np.full(len(rays), -1, dtype=np.intp)
    met[inside] = tiling.locate(rays[inside])
    return [np.setdiff1d(cells, own) for own in met.reshape(len(beyond), -1)]


def without_slivers(placed: Placed, shared: SharedFunctions) -> Placed:
    """Rows of a condition without those on next to nothing at a corner.

    Where a condition ends, it may reach a hair too far. Singular functions, unlike polynomials, change there.
    """
    region = placed.relation.region
    if region.kind != "boundary" or region.count is not None:
        return placed
    close = np.zeros(len(placed.sites), dtype=np.bool_)
    for part in shared.parts:
        if isinstance(part, AroundPoint):
            distances = np.linalg.norm(placed.sites.points - part.corners[0], axis=1)
            close |= distances <= _SLIVER * part.basis.scale
    if not close.any():
        return placed
    return replace(placed, sites=placed.sites.select(~close), cells=placed.cells[~close])


def rows_toward(
    problem: Problem, tiling: Cover, shared: SharedFunctions, corners: Sequence[Corner]
) -> Iterator[Placed]:
    """Rows that crowd toward corners, where singular functions change faster than polynomials.

    Without these, sums of singular functions that vanish at all other rows need not be small between these and the
    corner.
    """
    by_point = {corner.point: corner for corner in corners}
    for part in shared.parts:
        if not isinstance(part, AroundPoint):
            continue
        point, size = np.array(part.corners[0]), part.basis.scale
        for relation in held_to(problem):
            curve = relation.region.part
            if relation.region.kind == "domain":
                points = point + size * _fan(by_point[part.corners[0]])
                yield from _in_cells(relation, tiling, part, points)
            elif curve is not None and curve.parameters == 1 and relation.region.count is None:
                yield from _along(relation, curve, tiling, part)


def _fan(corner: Corner) -> FloatArray:
    """Points in the sector of a corner, in units of their largest distance ``(n, 2)``."""
    angles = corner.start + corner.opening * (np.arange(_RAYS) + 0.5) / _RAYS
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.asarray(_INSIDE[:, None, None] * rays).reshape(-1, 2)


def _in_cells(relation: Relation, tiling: Cover, part: AroundPoint, points: FloatArray) -> Iterator[Placed]:
    """Rows of an equation at those of some points that are in the cells around a corner."""
    points = points[tiling.domain.contains(points)]
    cells = tiling.locate(points)
    held = np.isin(cells, part.cells)
    if held.any():
        yield Placed(relation, Sites(points[held]), cells[held], np.zeros(len(tiling.cells)))


def _along(relation: Relation, curve: BoundaryPart, tiling: Cover, part: AroundPoint) -> Iterator[Placed]:
    """Rows of a condition on both sides of a corner."""
    for stretch in tiling.stretches(curve, relation.region.mask):
        if stretch.cell not in part.cells:
            continue
        for first, last in ((stretch.start, stretch.end), (stretch.end, stretch.start)):
            sites = curve.place((first + (last - first) * np.append(0.0, _TOWARD))[:, None])
            if np.linalg.norm(sites.points[0] - part.corners[0]) <= _AT_CORNER * part.basis.scale:
                cells = np.full(len(_TOWARD), stretch.cell)
                yield Placed(relation, sites.select(slice(1, None)), cells, np.zeros(len(tiling.cells)))
