"""Where the rows of relations are in the cells of a tiling, and their scales."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray, safe_norm
from fspielm.basis.basis import LocalOperator, localise
from fspielm.cells.tiling import Cell, Contact, Cover, Stretch
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.resources import check_deadline

# ---- The sites of rows

Degrees: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int_]]
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
    """Sites of a relation in one cell.

    Attributes
    ----------
    relation : Relation
    cell : int
    sites : Sites
    share : float
        Share of the relation's measure that is in the cell.
    axes : tuple of (m,) arrays
        If the sites form a grid, its coordinates along each axis.
    """

    relation: Relation
    cell: int
    sites: Sites
    share: float
    axes: tuple[FloatArray, ...] = ()

    def localised(self, components: int) -> LocalOperator:
        """The operator of the relation, which acts on `components` unknowns, at the sites."""
        return replace(localise(self.relation.operator, self.sites, components), axes=self.axes)


def place_rows(problem: Problem, tiling: Cover, degrees: Degrees, *, finer: bool = False) -> list[Placed]:
    """The rows to be fitted, at nodes that suit polynomials; or, if `finer`, more of them for checks."""
    line: Line = chebyshev if not finer else lambda count: chebyshev(math.ceil(_FINER * count))
    grids = [_inside(tiling, index, degrees[index], _FINER if finer else 1.0) for index in range(len(tiling.cells))]
    inside, axes = [points for points, _ in grids], [axes for _, axes in grids]
    for index, points in _rims(tiling, degrees, line).items():
        inside[index], axes[index] = np.concatenate([inside[index], points]), ()
    areas = np.array([float(np.prod(cell.upper - cell.lower)) * cell.share for cell in tiling.cells])
    # with the material of the cell, also on its rim
    own: list[dict[str, Relation]] = [
        {each.name: each for each in problem.equations_at(points[0])} if problem.interfaces and len(points) else {}
        for points in inside
    ]
    shares = areas / areas.sum()
    found = []
    for relation in held_to(problem):
        if relation.region.kind == "domain":
            found += [
                Placed(own[index].get(relation.name, relation), index, Sites(points), shares[index], axes[index])
                for index, points in enumerate(inside)
            ]
        elif relation.region.count is not None:
            found += _at_points(relation, tiling)
        elif relation.region.part is not None:
            found += _along(relation, relation.region.part, tiling, degrees, line)
        else:
            found += _at_start(relation, tiling, degrees, line)
    return found


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


def _inside(
    tiling: Cover, index: int, degrees: Sequence[int], finer: float
) -> tuple[FloatArray, tuple[FloatArray, ...]]:
    """Points of a cell: a grid of Chebyshev nodes on its frame, `finer` times as dense, without points outside.

    The second result are the grid's coordinates along each axis if no point was left out.
    """
    check_deadline()
    cell, dimension = tiling.cells[index], len(degrees)
    most = _BALL if dimension == 2 else 1.0
    share = (_ROWS_WHOLE if cell.whole else _ROWS_CUT / max(cell.share, 0.05)) * most
    counts = [int(np.ceil(finer * (degree + 1) * share ** (1 / dimension))) for degree in degrees]
    units = [np.cos(np.pi * (np.arange(count) + 0.5) / count) for count in counts]
    axes = tuple(
        0.5 * ((1 - unit) * low + (1 + unit) * high)
        for unit, low, high in zip(units, cell.lower, cell.upper, strict=True)
    )
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, dimension)
    return (points, axes) if cell.whole else (points[tiling.holds(index, points)], ())


def _rims(tiling: Cover, degrees: Degrees, line: Line) -> dict[int, FloatArray]:
    """Points on and close to the boundary, for each cell that it cuts; and close to edges within their frames.

    They are as close as Chebyshev nodes are to the ends: without equations there, polynomials may oscillate between the
    boundary and the grid.
    """
    found: dict[int, list[FloatArray]] = {}
    for part, stretch in tiling.rims() if tiling.domain.dimension == 2 else ():
        check_deadline()
        cell, degree = tiling.cells[stretch.cell], int(degrees[stretch.cell].max())
        sites = part.place(_between(stretch, line(_count_along(part, stretch, cell, degree))))
        assert sites.normals is not None  # every boundary part has them
        # a hair inside: of two materials it is clear which one is meant
        hair = _HAIR * 0.5 * float(np.max(cell.upper - cell.lower))
        found.setdefault(stretch.cell, []).append(sites.points - hair * sites.normals)
        for depth in _depths(cell, degree):
            points = sites.points - depth * sites.normals
            found[stretch.cell].append(points[tiling.holds(stretch.cell, points)])
    for joint in tiling.joints if tiling.domain.dimension == 2 else ():
        check_deadline()
        for index in joint.cells:
            cell, degree = tiling.cells[index], int(degrees[index].max())
            frame = np.array([cell.lower, cell.upper])[:, joint.axis]
            if np.min(np.abs(frame - joint.at)) <= _HAIR * (frame[1] - frame[0]):
                continue
            low, high = joint.span
            unit = line(_number_along(cell, degree, high - low))
            points = np.full((len(unit), 2), joint.at)
            points[:, 1 - joint.axis] = 0.5 * ((1 - unit) * low + (1 + unit) * high)
            for depth in _depths(cell, degree):
                for way in (-depth, depth):  # one of them is in the cell
                    beside = points + way * np.eye(2)[joint.axis]
                    found.setdefault(index, []).append(beside[tiling.holds(index, beside)])
    return {cell: np.concatenate(parts) for cell, parts in found.items()}


def _depths(cell: Cell, degree: int) -> list[float]:
    """Distances from the boundary of the layers of rows along it."""
    half = 0.5 * float(np.max(cell.upper - cell.lower))
    return [half * (1 - math.cos(math.pi * layer / (degree + 1))) for layer in range(1, _LAYERS)]


def _count_along(part: BoundaryPart, stretch: Stretch, cell: Cell, degree: int) -> int:
    """Number of rows along a stretch of a boundary part."""
    if cell.whole:
        return degree + _MORE_ALONG
    return _number_along(cell, degree, (stretch.end - stretch.start) * part.measure)


def _number_along(cell: Cell, degree: int, length: float) -> int:
    """Number of rows along a line of some length through a cell."""
    return int(_ALONG_CUT * degree * min(1.0, length / float(np.linalg.norm(cell.upper - cell.lower)))) + _LEAST_ALONG


def _between(stretch: Stretch, places: FloatArray) -> FloatArray:
    """Unit coordinates of nodes along a stretch."""
    return np.asarray(0.5 * ((1 - places) * stretch.start + (1 + places) * stretch.end))[:, None]


def _along(relation: Relation, part: BoundaryPart, tiling: Cover, degrees: Degrees, line: Line) -> Iterator[Placed]:
    """Rows on a piece of the boundary, or on a curve inside."""
    total = 0.0
    stretches = tiling.stretches(part, relation.region.mask)
    for stretch in stretches:
        total += stretch.end - stretch.start
    for stretch in stretches:
        cell = tiling.cells[stretch.cell]
        if part.parameters == 0:
            yield Placed(relation, stretch.cell, part.place(np.empty((1, 0))), 1.0)
            continue
        check_deadline()
        count = _count_along(part, stretch, cell, int(degrees[stretch.cell].max()))
        unit = _between(stretch, line(count))
        yield Placed(relation, stretch.cell, part.place(unit), (stretch.end - stretch.start) / total)


def _at_start(relation: Relation, tiling: Cover, degrees: Degrees, line: Line) -> Iterator[Placed]:
    """Rows at the start of time."""
    axis = tiling.domain.dimension - 1
    start = float(tiling.domain.bounding_box[0][axis])
    faces = tiling.face_stretches(axis, 0)
    total = sum(high - low for _, (low, high) in faces)
    for index, (low, high) in faces:
        if axis == 0:
            yield Placed(relation, index, Sites(np.full((1, 1), start)), 1.0)
            continue
        unit = line(int(degrees[index, 0]) + _MORE_ALONG)
        points = np.column_stack([0.5 * ((1 - unit) * low + (1 + unit) * high), np.full(len(unit), start)])
        yield Placed(relation, index, Sites(points), (high - low) / total)


def _at_points(relation: Relation, tiling: Cover) -> Iterator[Placed]:
    """Rows at the given points of a relation."""
    count = relation.region.count
    assert count is not None
    sites = relation.sample(count, np.random.default_rng(0))
    cells = tiling.locate(sites.points)
    for index in np.unique(cells):
        here = np.flatnonzero(cells == index)
        yield Placed(relation, int(index), sites.select(here), len(here) / count)


def size_in(cell: int, operator: LocalOperator, tiling: Cover, degrees: Degrees, scales: Sequence[float]) -> float:
    """The size of an operator on functions of the highest degree, away from the ends of the cell."""
    if not len(operator.points):
        return 1.0
    frame = tiling.cells[cell]
    steep = 2.0 * np.maximum(degrees[cell], 1) / (frame.upper - frame.lower)
    unknowns = list(operator.unknowns or (0,) * len(operator.orders))
    each = np.asarray(scales)[unknowns] * np.prod(steep**operator.orders, axis=1)
    # one column where coefficients are the same at all points
    sizes = np.abs(each[:, None] * operator.coefficients.reshape(len(each), -1))
    size = float(np.sqrt(np.mean(np.sum(sizes**2, axis=0))))
    return size or safe_norm(sizes) / float(np.sqrt(sizes.shape[1])) or 1.0  # squares of tiny numbers underflow


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

    def of_flux(self, material: int, operator: Operator) -> float:
        """The weight of a row with or without a flux."""
        return self._largest(material, {term.unknown for term in operator.terms if term.order > 0})

    def of_equation(self, material: int, operator: Operator) -> float:
        """The weight of an equation: the largest of the unknowns whose fluxes it balances."""
        balanced = {term.unknown for term in operator.terms if 0 < term.order == self.highest[term.unknown]}
        return self._largest(material, balanced)

    def _largest(self, material: int, unknowns: set[int]) -> float:
        return max((float(self.weights[material, unknown]) for unknown in unknowns), default=1.0)


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
