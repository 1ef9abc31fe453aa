"""Cells made smaller until polynomials on them hold the data, where those are narrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.equations import Problem, Relation
from fspielm.features.cells import ball
from fspielm.geometry import Sites
from fspielm.geometry.cells import Cell, Cover
from fspielm.scrutiny import Narrow
from fspielm.solvers.cells.corners import CLOSE
from fspielm.solvers.cells.grading import UNLIKE_BESIDE, balanced

# Cells are halved so often, and there are no more of them to begin with.
_MOST_HALVINGS = 24
_MOST_CELLS = 500
# Data are to be held as well as the solution, relative to what they make of it, but for this.
_BESIDES = 0.3
# Axes along which the tail is at least this share of the largest are halved.
_AXIS = 0.1
# Where the boundary cuts a cell, so many more nodes along each axis; the share of degrees that are the last; and what
# is no more than rounding.
_MORE, _LAST, _ROUNDING = 4, 0.85, 1e-14
# Where nodes meet nothing of what is narrow: it is somewhere along an axis, if it takes less than this share of it.
_UNSEEN, _SOMEWHERE = 0.1, 0.5


@final
@dataclass(frozen=True, eq=False)
class Held:
    """How well polynomials hold the data in a cell.

    Attributes
    ----------
    size : float
        What data make of a solution there.
    error : float
        What they leave of the data, in scaled rows.
    along : (d,) array of bool
        Along which axes the cell is too long, if it is.
    """

    size: float
    error: float
    along: BoolArray


def within_materials(problem: Problem, places: Sequence[Narrow]) -> list[Narrow]:
    """Without what is narrow only because data change where materials do, as they may: cells end there."""
    if not problem.interfaces or problem.domain.time is not None:  # what moves is narrow wherever it is
        return list(places)
    found = []
    for place in places:
        points = place.sites.points
        inside = np.all((points >= place.lower) & (points <= place.upper), axis=1)
        rows = problem.material_of(points[inside]) if place.kind == "narrow" else np.empty((0, 1))
        if np.all(rows == rows[:1]):
            found.append(place)
    return found


def toward_narrow(problem: Problem, tiling: Cover, places: Sequence[Narrow], degree: int, tol: float) -> Cover:
    """Halved, where something is narrow, until polynomials of a degree hold the data to a tolerance.

    Layers that the boundary's data show go on in the domain if there is anything narrow in it too; otherwise these are
    spots on the boundary, and cells at them as short along every axis.
    """
    narrow = [place for place in places if place.kind == "narrow" and place.width > 0]
    size = float(np.max(np.subtract(*reversed(tiling.domain.bounding_box))))
    flat = [np.ptp(place.sites.points, axis=0) <= CLOSE * size for place in narrow]
    inner = [place for place, level in zip(narrow, flat, strict=True) if not level.any()]
    if inner:
        points = np.concatenate([place.sites.points for place in inner])
        tiling = _halved(tiling, partial(_held, problem, degree), points, tol, everywhere=True)
        tiling = balanced(tiling, UNLIKE_BESIDE)
    for place, level in zip(narrow, flat, strict=True):
        relation = next((each for each in problem.relations if repr(each.name) in place.source), None)
        if relation is None or relation.operator.order > 0 or np.count_nonzero(level) != problem.dimension - 1:
            continue
        held = partial(_held_along, relation, int(np.argmin(level)), degree, only=bool(inner))
        tiling = _halved(tiling, held, place.sites.points, tol)
    return tiling


def _halved(
    tiling: Cover,
    hold: Callable[[Cover, int, FloatArray], Held],
    points: FloatArray,
    tol: float,
    *,
    everywhere: bool = False,
) -> Cover:
    """Halved until data are held in the cells of some points, or everywhere."""
    known: dict[bytes, Held] = {}
    for _ in range(_MOST_HALVINGS):
        cells = tiling.locate(points)
        found = {}
        for index in range(len(tiling.cells)) if everywhere else np.unique(cells).tolist():
            cell = tiling.cells[index]
            key = cell.lower.tobytes() + cell.upper.tobytes()
            if key not in known:
                known[key] = hold(tiling, index, points[cells == index])
            found[index] = known[key]
        most = _BESIDES * tol * max(each.size for each in found.values())
        wanted = {index: np.flatnonzero(each.along).tolist() for index, each in found.items() if each.error > most}
        if not wanted or len(tiling.cells) + 3 * len(wanted) > _MOST_CELLS:
            break
        tiling = tiling.halve(wanted)
    return tiling


def _held_along(
    relation: Relation, axis: int, degree: int, tiling: Cover, index: int, points: FloatArray, *, only: bool
) -> Held:
    """How well polynomials hold the values of a condition along an axis; `only` along it, a cell may be too long."""
    cell = tiling.cells[index]
    line = [np.cos(np.pi * (np.arange(count) + 0.5) / count) for count in (degree + 1, degree + 2)]
    sites = [np.tile(points[:1], (len(unit), 1)) for unit in line]
    for unit, some in zip(line, sites, strict=True):
        some[:, axis] = 0.5 * ((1 - unit) * cell.lower[axis] + (1 + unit) * cell.upper[axis])
    fitted, checked = sites[0], np.concatenate([sites[1], points])
    local = [2 * (some[:, axis] - cell.lower[axis]) / (cell.upper - cell.lower)[axis] - 1 for some in (fitted, checked)]
    functions, others = (chebvander(some, degree) for some in local)
    values = np.nan_to_num(relation.value(fitted))
    off = np.abs(others @ np.linalg.solve(functions, values) - np.nan_to_num(relation.value(checked)))
    along: BoolArray = (np.arange(len(cell.lower)) == axis) | (not only)
    return Held(float(np.max(np.abs(values))), float(off.max()), along)


def _held(problem: Problem, degree: int, tiling: Cover, index: int, points: FloatArray) -> Held:
    """How well polynomials hold the data of all equations in a cell, between nodes and where something is narrow."""
    cell, dimension = tiling.cells[index], problem.dimension
    # a node more along each axis lies between the others
    fitted, checked = (_inside(tiling, index, count) for count in (degree + 1 + _MORE * (not cell.whole), degree + 2))
    checked = np.concatenate([checked, points])
    if not len(fitted) or not len(checked):
        return Held(0.0, 0.0, np.ones(dimension, dtype=np.bool_))
    which = ball((degree,) * dimension)
    functions, others = (_functions(cell, which, degree, some) for some in (fitted, checked))
    size, error, along = 0.0, 0.0, np.zeros(dimension)
    for equation in problem.equations_at(fitted[len(fitted) // 2]):
        steep, slow = (_size(cell, equation, fitted, scale) for scale in (degree, 1))
        values = np.nan_to_num(equation.value(fitted))
        coefficients = _fit(functions, values, cell)
        size = max(size, float(np.max(np.abs(values))) / slow)
        off = np.abs(others @ coefficients - np.nan_to_num(equation.value(checked)))
        error = max(error, float(off.max()) / steep)
        tails = [np.linalg.norm(coefficients[which[:, axis] >= _LAST * degree]) for axis in range(dimension)]
        along = np.maximum(along, np.array(tails) / steep)
    chosen: BoolArray = along >= _AXIS * along.max()
    if not cell.whole:
        chosen = np.ones(dimension, dtype=np.bool_)
    elif along.max() < _UNSEEN * error:
        spread: BoolArray = np.ptp(checked[off > 0.5 * off.max()], axis=0) < _SOMEWHERE * (cell.upper - cell.lower)
        chosen = spread if spread.any() else np.ones(dimension, dtype=np.bool_)
    return Held(size, error, chosen)


def _inside(tiling: Cover, index: int, count: int) -> FloatArray:
    """So many of Chebyshev's nodes along each axis, as far as they are in a cell."""
    cell = tiling.cells[index]
    line = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    nodes = np.stack(np.meshgrid(*[line] * len(cell.lower), indexing="ij"), axis=-1).reshape(-1, len(cell.lower))
    points = 0.5 * ((1 - nodes) * cell.lower + (1 + nodes) * cell.upper)
    return points if cell.whole else points[tiling.holds(index, points)]


def _functions(cell: Cell, which: NDArray[np.int_], degree: int, points: FloatArray) -> FloatArray:
    """Polynomials of some degrees ``(k, d)`` at points of a cell, ``(n, k)``."""
    local = 2 * (points - cell.lower) / (cell.upper - cell.lower) - 1
    found = np.ones((len(points), len(which)))
    for axis in range(local.shape[1]):
        found *= chebvander(local[:, axis], degree)[:, which[:, axis]]
    return found


def _fit(functions: FloatArray, values: NumberArray, cell: Cell) -> NumberArray:
    """The coefficients that leave least of the values; at all of Chebyshev's nodes his polynomials are orthogonal."""
    if cell.whole:
        return np.asarray(functions.T @ values / np.sum(functions**2, axis=0))
    return np.asarray(np.linalg.lstsq(functions, values, rcond=_ROUNDING)[0])


def _size(cell: Cell, equation: Relation, points: FloatArray, degree: int) -> float:
    """The size of an operator on functions of a degree in a cell."""
    steep = 2.0 * degree / (cell.upper - cell.lower)
    each = [
        float(np.max(np.abs(term.at(Sites(points))))) * float(np.prod(steep**term.orders))
        for term in equation.operator.terms
    ]
    return max(sum(each), _ROUNDING)
