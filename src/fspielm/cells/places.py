"""Where the rows of relations are in the cells of a tiling, and their scales."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.basis.basis import LocalOperator, localise
from fspielm.cells.basis import CellBasis, Grid, RowsInCells
from fspielm.cells.tiling import Cell, Contact, Cover, Stretch
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.resources import check_deadline

# ---- The sites of rows

Degrees: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int_]]
Cells: TypeAlias = NDArray[np.intp]
# Maps a number to as many nodes from -1 to 1.
Line: TypeAlias = Callable[[int], FloatArray]

# Rows of an equation for each function of a cell; the functions of a cut cell are less independent.
_ROWS_WHOLE = 1.15
_ROWS_CUT = 1.6
# Share of a square's degrees that lie within the ball.
_BALL = np.pi / 4
# Rows of a condition along the side of a whole cell in excess of the degree; and, along a curve that cuts a cell, for
# each degree.
_MORE_ALONG = 4
_ALONG_CUT = 3.0
_LEAST_ALONG = 8
# Nodes are at an end of -1 to 1 if the sine of their angle is below this.
_END = 1e-4
# Layers of points along a curve that cuts a cell.
_LAYERS = 3
_HAIR = 1e-9
# Factor of the number of nodes along each line for checks: sums of products of residuals and functions of a cell over
# these nodes are as good as integrals.
_FINER = 1.5


@final
@dataclass(frozen=True, eq=False)
class Placed:
    """Sites of a relation in cells.

    Attributes
    ----------
    relation : Relation
    sites : Sites
    cells : (n,) integer array
        The cell of each site.
    shares : (C,) array
        Share of the relation's measure in each cell.
    grids : tuple of Grid
        Sites that form grids in cells.
    """

    relation: Relation
    sites: Sites
    cells: Cells
    shares: FloatArray
    grids: tuple[Grid, ...] = ()

    def rows(self, basis: CellBasis) -> RowsInCells:
        """The operator of the relation at the sites."""
        return RowsInCells(
            basis, self.cells, localise(self.relation.operator, self.sites, basis.components), self.grids
        )


def place_rows(
    problem: Problem, tiling: Cover, degrees: Degrees, full: BoolArray | None = None, *, finer: bool = False
) -> list[Placed]:
    """The rows to be fitted, at nodes that suit polynomials; or, if `finer`, more of them for checks.

    In `full` cells, each equation has as many rows as there are functions that vanish on all edges.
    """
    line: Line = chebyshev if not finer else lambda count: chebyshev(math.ceil(_FINER * count))
    found: list[Placed] = []
    for relation in held_to(problem):
        if relation.region.kind == "domain":
            continue
        if relation.region.count is not None:
            found.append(_at_points(relation, tiling))
        elif relation.region.part is not None:
            found.append(_along(relation, relation.region.part, tiling, degrees, line))
        else:
            found.append(_at_start(relation, tiling, degrees, line))
    full = np.zeros(len(degrees), dtype=np.bool_) if full is None else full
    return [*_of_equations(problem, tiling, degrees, full, line, finer=finer), *found]


def _of_equations(
    problem: Problem, tiling: Cover, degrees: Degrees, full: BoolArray, line: Line, *, finer: bool
) -> Iterator[Placed]:
    """The rows of all equations: on grids in whole cells, and inside and along the rims of others."""
    frames = tiling.frames
    grids = _grids(tiling, degrees, full, _FINER if finer else 1.0)
    points = [grid.points(frames.lower, frames.upper) for grid in grids]
    cells = [np.repeat(grid.cells, grid.each) for grid in grids]
    for others in (_within(tiling, degrees, _FINER if finer else 1.0), _rims(tiling, degrees, line)):
        points.append(others[0])
        cells.append(others[1])
    place, cell = np.concatenate(points), np.concatenate(cells)
    measures = np.array([float(np.prod(each.upper - each.lower)) * each.share for each in tiling.cells])
    shares = measures / measures.sum()
    if not problem.interfaces:
        for relation in held_to(problem):
            if relation.region.kind == "domain":
                yield Placed(relation, Sites(place), cell, shares, tuple(grids))
        return
    # each material has equations of its own
    for material in range(int(tiling.materials.max(initial=0)) + 1):
        here = tiling.materials[cell] == material
        if not here.any():
            continue
        own_grids = _numbered([replace(g, cells=g.cells[tiling.materials[g.cells] == material]) for g in grids])
        own_shares = np.where(tiling.materials == material, shares, 0.0)
        for relation in problem.equations_at(place[here][0]):
            yield Placed(relation, Sites(place[here]), cell[here], own_shares, own_grids)


def _numbered(grids: Sequence[Grid]) -> tuple[Grid, ...]:
    """The grids that have cells, one after the other."""
    starts = np.cumsum([0, *(len(grid.cells) * grid.each for grid in grids)]).tolist()
    return tuple(replace(grid, start=start) for grid, start in zip(grids, starts, strict=False) if len(grid.cells))


def held_to(problem: Problem) -> tuple[Relation, ...]:
    """The relations that hold in single cells; interfaces and identified faces tie two cells, and sums all of them."""

    def ties(relation: Relation) -> bool:
        region = relation.region
        return region.kind == "interface" or region.shift is not None or relation.sum_weights is not None

    return tuple(relation for relation in problem.relations if not ties(relation))


@cache
def chebyshev(count: int) -> FloatArray:
    """Chebyshev nodes from -1 to 1."""
    return np.asarray(-np.cos(np.pi * (np.arange(count) + 0.5) / count))


def sparse_at(unit: FloatArray) -> FloatArray:
    """Spacing of Chebyshev nodes relative to their average; one at the ends."""
    inner = np.sqrt(np.clip(1.0 - unit**2, 0.0, None))
    return np.where(inner > _END, 0.5 * np.pi * inner, 1.0)


def sparse_in(tiling: Cover, points: FloatArray) -> FloatArray:
    """The same for points in cells, with an average of one in each cell."""
    cells = tiling.locate(points)
    lower, upper = tiling.frames.lower[cells], tiling.frames.upper[cells]
    each = sparse_at(((points - lower) - (upper - points)) / (upper - lower)).prod(axis=1)
    number = np.bincount(cells, minlength=len(tiling.cells))
    total = np.bincount(cells, each, minlength=len(tiling.cells))
    return np.asarray(each * (number / np.where(total > 0, total, 1.0))[cells])


def _count_inside(cell: Cell, degrees: FloatArray, finer: float) -> list[int]:
    """Numbers of Chebyshev nodes along each axis of a cell's frame, `finer` times as dense."""
    most = _BALL if len(degrees) == 2 else 1.0
    share = (_ROWS_WHOLE if cell.whole else _ROWS_CUT / max(cell.share, 0.05)) * most
    return [int(np.ceil(finer * (degree + 1) * share ** (1 / len(degrees)))) for degree in degrees]


def _grids(tiling: Cover, degrees: Degrees, full: BoolArray, finer: float) -> list[Grid]:
    """The grids of all whole cells, by their degrees."""
    whole = np.flatnonzero(tiling.frames.whole)
    kinds, which = np.unique(np.column_stack([degrees, full])[whole], axis=0, return_inverse=True)
    found = []
    for number, (*own, is_full) in enumerate(kinds.tolist()):
        cells = whole[which.ravel() == number]
        if is_full:
            counts = [math.ceil(finer * (degree - 1)) for degree in own]
        else:
            counts = _count_inside(tiling.cells[cells[0]], np.array(own), finer)
        found.append(Grid(cells, tuple(map(chebyshev, counts))))
    return list(_numbered(found))


def _within(tiling: Cover, degrees: Degrees, finer: float) -> tuple[FloatArray, Cells]:
    """The nodes of the frames of cut cells that are in these cells, and their cells."""
    lower, upper = tiling.frames.lower, tiling.frames.upper
    points, cells = [np.empty((0, tiling.domain.dimension))], [np.empty(0, dtype=np.intp)]
    for index in np.flatnonzero(~tiling.frames.whole).tolist():
        check_deadline()
        axes = tuple(map(chebyshev, _count_inside(tiling.cells[index], degrees[index], finer)))
        grid = Grid(np.array([index]), axes)
        points.append(grid.points(lower, upper))
        cells.append(np.full(grid.each, index))
    return _held(tiling, np.concatenate(points), np.concatenate(cells))


def _held(tiling: Cover, points: FloatArray, cells: Cells) -> tuple[FloatArray, Cells]:
    """The points that are in their cells, and these."""
    held = tiling.holds(cells, points)
    return points[held], cells[held]


def _rims(tiling: Cover, degrees: Degrees, line: Line) -> tuple[FloatArray, Cells]:
    """Points on and close to the boundary, in cells that it cuts; and close to edges within their frames.

    They are as close as Chebyshev nodes are to the ends: without equations there, polynomials may oscillate between the
    boundary and the grid.
    """
    dimension = tiling.domain.dimension
    at: list[FloatArray] = [np.empty((0, dimension))]
    on: list[Cells] = [np.empty(0, dtype=np.intp)]
    beside: list[tuple[FloatArray, Cells]] = []
    if dimension != 2:
        return at[0], on[0]
    sides = np.max(tiling.frames.lengths, axis=1)
    highest = degrees.max(axis=1)
    depths = 0.5 * sides * (1 - np.cos(np.pi * np.arange(1, _LAYERS)[:, None] / (highest + 1)))
    rims: dict[int, tuple[BoundaryPart, list[Stretch]]] = {}
    for part, stretch in tiling.rims():
        rims.setdefault(id(part), (part, []))[1].append(stretch)
    for part, stretches in rims.values():
        check_deadline()
        unit, cells = _nodes_along(part, stretches, tiling, degrees, line)
        sites = part.place(unit)
        assert sites.normals is not None  # every boundary part has them
        # a hair inside: of two materials it is clear which one is meant
        at.append(sites.points - (_HAIR * 0.5 * sides[cells])[:, None] * sites.normals)
        on.append(cells)
        beside += [(sites.points - depth[cells][:, None] * sites.normals, cells) for depth in depths]
    lower, upper = tiling.frames.lower, tiling.frames.upper
    for joint in tiling.joints:
        for index in joint.cells:
            low, high = lower[index, joint.axis], upper[index, joint.axis]
            if min(abs(low - joint.at), abs(high - joint.at)) <= _HAIR * (high - low):
                continue
            start, end = joint.span
            nodes = line(_number_along(tiling.cells[index], int(highest[index]), end - start))
            points = np.full((len(nodes), 2), joint.at)
            points[:, 1 - joint.axis] = 0.5 * ((1 - nodes) * start + (1 + nodes) * end)
            for depth in depths[:, index].tolist():
                # one of them is in the cell
                beside += [
                    (points + way * np.eye(2)[joint.axis], np.full(len(nodes), index)) for way in (-depth, depth)
                ]
    if beside:
        points, cells = _held(tiling, np.concatenate([p for p, _ in beside]), np.concatenate([c for _, c in beside]))
        at.append(points)
        on.append(cells)
    return np.concatenate(at), np.concatenate(on)


def _count_along(part: BoundaryPart, stretch: Stretch, cell: Cell, degree: int) -> int:
    """Number of rows along a stretch of a boundary part."""
    if cell.whole:
        return degree + _MORE_ALONG
    return _number_along(cell, degree, (stretch.end - stretch.start) * part.measure)


def _number_along(cell: Cell, degree: int, length: float) -> int:
    """Number of rows along a line of some length through a cell."""
    return int(_ALONG_CUT * degree * min(1.0, length / float(np.linalg.norm(cell.upper - cell.lower)))) + _LEAST_ALONG


def _nodes_along(
    part: BoundaryPart, stretches: Sequence[Stretch], tiling: Cover, degrees: Degrees, line: Line
) -> tuple[FloatArray, Cells]:
    """Unit coordinates ``(n, 1)`` of nodes along stretches of a part, and the cells that these are in."""
    units, cells = [np.empty(0)], [np.empty(0, dtype=np.intp)]
    for each in stretches:
        nodes = line(_count_along(part, each, tiling.cells[each.cell], int(degrees[each.cell].max())))
        units.append(0.5 * ((1 - nodes) * each.start + (1 + nodes) * each.end))
        cells.append(np.full(len(nodes), each.cell))
    return np.concatenate(units)[:, None], np.concatenate(cells)


def _along(relation: Relation, part: BoundaryPart, tiling: Cover, degrees: Degrees, line: Line) -> Placed:
    """Rows on a piece of the boundary, or on a curve inside."""
    stretches = tiling.stretches(part, relation.region.mask)
    shares = np.zeros(len(tiling.cells))
    if part.parameters == 0:
        cells = np.array([each.cell for each in stretches], dtype=np.intp)
        shares[cells] = 1.0
        return Placed(relation, part.place(np.empty((len(cells), 0))), cells, shares)
    check_deadline()
    total = sum(each.end - each.start for each in stretches)
    for each in stretches:
        shares[each.cell] += (each.end - each.start) / total
    unit, cells = _nodes_along(part, stretches, tiling, degrees, line)
    return Placed(relation, part.place(unit), cells, shares)


def _at_start(relation: Relation, tiling: Cover, degrees: Degrees, line: Line) -> Placed:
    """Rows at the start of time."""
    axis = tiling.domain.dimension - 1
    start = float(tiling.domain.bounding_box[0][axis])
    faces = tiling.face_stretches(axis, 0)
    total = sum(high - low for _, (low, high) in faces)
    shares = np.zeros(len(tiling.cells))
    places, cells = [np.empty(0)], [np.empty(0, dtype=np.intp)]
    for index, (low, high) in faces:
        nodes = np.zeros(1) if axis == 0 else line(int(degrees[index, 0]) + _MORE_ALONG)
        places.append(0.5 * ((1 - nodes) * low + (1 + nodes) * high))
        cells.append(np.full(len(nodes), index))
        shares[index] += 1.0 if axis == 0 else (high - low) / total
    cell, along = np.concatenate(cells), np.concatenate(places)
    points = np.full((len(cell), axis + 1), start)
    if axis:
        points[:, 0] = along
    return Placed(relation, Sites(points), cell, shares)


def _at_points(relation: Relation, tiling: Cover) -> Placed:
    """Rows at the given points of a relation."""
    count = relation.region.count
    assert count is not None
    sites = relation.sample(count, np.random.default_rng(0))
    cells = tiling.locate(sites.points)
    return Placed(relation, sites, cells, np.bincount(cells, minlength=len(tiling.cells)) / count)


def sizes_in(
    cells: Cells, operator: LocalOperator, tiling: Cover, degrees: Degrees, scales: Sequence[float]
) -> FloatArray:
    """The size of an operator on functions of the highest degree, away from the ends of cells: for each cell, ``(C,)``.

    It is one in cells without points.
    """
    steep = 2.0 * np.maximum(degrees, 1) / tiling.frames.lengths
    unknowns = list(operator.unknowns or (0,) * len(operator.orders))
    each = np.asarray(scales)[unknowns] * np.prod(steep[:, None] ** operator.orders, axis=2)
    coefficients = operator.coefficients
    at = each[cells].T * (coefficients[:, None] if operator.is_constant else coefficients)
    return rms_of_runs(at, cells, len(tiling.cells))


def rms_of_runs(terms: NumberArray, runs: NDArray[np.integer[Any]], count: int) -> FloatArray:
    """Root mean squares of the norms of terms ``(T, n)`` over n points, by the run of each point; one if zero."""
    largest = float(np.abs(terms).max(initial=0.0)) or 1.0  # squares of tiny numbers underflow
    squares = np.bincount(runs, np.sum(np.abs(terms / largest) ** 2, axis=0), minlength=count)
    found = largest * np.sqrt(squares / np.maximum(np.bincount(runs, minlength=count), 1))
    return np.where(found > 0, found, 1.0)


# ---- Weights of rows for materials of different conductivity

# Samples along an interface.
_SAMPLES = 16
# The largest ratio between the rows of two materials: rounding errors grow with it.
_MOST = 1e4


@final
@dataclass(frozen=True, eq=False)
class Contrasts:
    """Weights of the rows of fluxes, and of equations that balance them, in each material.

    A flux into a material that conducts well hardly changes the solution inside. With rows of equal size, a violation
    of its balance by the whole flux would cost almost nothing, and the level inside would be undetermined. With these
    weights fluxes count the same on both sides of an interface, as in the material that conducts least.

    Attributes
    ----------
    weights : (m, u) array
        At least one, for each material and unknown.
    highest : tuple of int
        The highest order of each unknown in the equations.
    """

    weights: FloatArray
    highest: tuple[int, ...]

    def of_fluxes(self, materials: Cells, operator: Operator) -> FloatArray:
        """The weight of rows with or without a flux, in each of some materials ``(n,)``."""
        return self._largest(materials, {term.unknown for term in operator.terms if term.order > 0})

    def of_equations(self, materials: Cells, operator: Operator) -> FloatArray:
        """The weight of an equation: the largest of the unknowns whose fluxes it balances."""
        balanced = {term.unknown for term in operator.terms if 0 < term.order == self.highest[term.unknown]}
        return self._largest(materials, balanced)

    def _largest(self, materials: Cells, unknowns: set[int]) -> FloatArray:
        return (
            self.weights[materials][:, sorted(unknowns)].max(axis=1, initial=0.0)
            if unknowns
            else np.ones(len(materials))
        )


def contrasts_of(problem: Problem, tiling: Cover) -> Contrasts:
    """The contrasts of a problem; all one with time, where the past determines the solution as much as balances do."""
    count = len(problem.unknowns)
    highest = [0] * count
    for equation in problem.equations:
        for term in equation.operator.terms:
            highest[term.unknown] = max(highest[term.unknown], term.order)
    conducts = np.zeros((int(tiling.materials.max(initial=0)) + 1, count))
    if problem.domain.time is None:
        for contact in _one_each(tiling):
            line = problem.interfaces[contact.line]
            places = 0.5 * ((1 - chebyshev(_SAMPLES)) * contact.start + (1 + chebyshev(_SAMPLES)) * contact.end)
            sites = line.part.place(places[:, None] if line.part.parameters else np.empty((1, 0)))
            for rule in line.rules:
                for cell, operator in zip(contact.cells, (rule.first, rule.second), strict=True):
                    own = conducts[tiling.materials[cell]]
                    for term in operator.terms:
                        if term.order > 0:
                            size = float(np.max(np.abs(term.at(sites)), initial=0.0))
                            own[term.unknown] = max(own[term.unknown], size)
    known = np.where(conducts > 0, conducts, np.inf)
    weights = np.where(conducts > 0, conducts / np.min(known, axis=0), 1.0)
    return Contrasts(np.minimum(weights, _MOST), tuple(highest))


def _one_each(tiling: Cover) -> Sequence[Contact]:
    """One piece of each interface between each pair of materials."""
    found: dict[tuple[int, int, int], Contact] = {}
    for contact in tiling.contacts:
        first, second = (int(tiling.materials[cell]) for cell in contact.cells)
        found.setdefault((contact.line, first, second), contact)
    return list(found.values())
