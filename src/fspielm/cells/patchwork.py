"""The discretisation of a problem on cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, Latest, NumberArray
from fspielm.basis.basis import LocalOperator
from fspielm.basis.singular.columns import known_corners
from fspielm.cells.basis import CellBasis, RowsInCells
from fspielm.cells.corners import rows_toward, shared_functions, without_slivers
from fspielm.cells.places import Contrasts, Degrees, Placed, contrasts_of, held_to, place_rows, size_in, sparse_in
from fspielm.cells.rows import JOINED, CellRows, Seams, Tie, fill_cell, fitted_along, shared_along, type_of_rows
from fspielm.cells.sums import Sums, sums_of
from fspielm.cells.tails import Tails, last_degrees, orthogonal_at, tails_of
from fspielm.cells.tiling import Cover
from fspielm.cells.traces import Trace, traces_of
from fspielm.collocation.nested import Leaf, Nested, merge_order
from fspielm.collocation.system import BlockRows, Checks, Finite, Scaling, Seam, System
from fspielm.errors import UnsuitableError
from fspielm.geometry.boundary import Sites, join_sites
from fspielm.geometry.time import regions_in
from fspielm.problem.changes import change_places
from fspielm.problem.derived import leaves_constant_open
from fspielm.problem.problem import Problem
from fspielm.problem.statement import has_complex_operator
from fspielm.resources import check_deadline, limited, run_tasks

# ---- Cells at corners, where slopes may be infinite

# Distance, relative to a cell, at which a corner touches it; and the opening of a corner that is only a change of
# conditions, or that is re-entrant.
_TOUCHING, _STRAIGHT = 1e-3, 0.999 * np.pi


def cells_at_corners(
    problem: Problem, tiling: Cover, is_cut: BoolArray, known: Collection[tuple[float, float]] = ()
) -> BoolArray:
    """Mask ``(C,)`` of the cells at corners: all cut cells, and others if the corner is flat or re-entrant.

    Corners with `known` singular functions do not count.
    """
    found = np.zeros(len(tiling.cells), dtype=np.bool_)
    if problem.dimension != 2 or problem.domain.time is not None:
        return found
    frames = tiling.frames
    for place in (*problem.domain.corners(), *change_places(problem)):
        if place.point in known:
            continue
        point, slack = np.array(place.point), _TOUCHING * frames.lengths
        at = np.all((frames.lower - slack <= point) & (point <= frames.upper + slack), axis=1)
        found |= at & (is_cut | (place.opening > _STRAIGHT))
    return found


# ---- Which problems suit cells

# The least thickness of a domain, relative to its extent.
_THINNEST = 1e-6


def check_suitable(problem: Problem) -> None:
    """Raise `UnsuitableError` for problems that cells cannot solve."""
    if problem.dimension > 2:
        raise UnsuitableError(f"cells are for one and two dimensions; this problem has {problem.dimension}")
    _refuse_thin(problem)
    if problem.interfaces and problem.whole is not None:
        raise UnsuitableError("cells do not know materials beside unknowns whose conjugates occur")


def _refuse_thin(problem: Problem) -> None:
    """Refuse domains and regions that are far thinner than long, for which cells would be too elongated."""
    if problem.dimension != 2 or problem.domain.time is not None:
        return
    lower, upper = problem.domain.bounding_box
    extent = float(np.max(upper - lower))
    shapes, regions = {"the domain": problem.domain}, regions_in(problem.domain)
    if regions is not None:
        shapes |= {repr(name): shape for name, shape in regions.shapes.items()}
    for name, shape in shapes.items():
        thickness = 2 * shape.measure / sum(part.measure for part in shape.boundary())
        if thickness < _THINNEST * extent:
            raise UnsuitableError(
                f"{name} is about {thickness:.1e} thin beside an extent of {extent:.3g}, and cells are no thinner than "
                f"{_THINNEST:.0e} of it; leave out what varies across, in a problem of one dimension, or for a region "
                "with fs.Interface(jump=..., flux_jump=...) in its place"
            )


# ---- The discretisation: polynomials in each cell, tied to those of its neighbours

# Truncation error of polynomials at a corner where a function is not smooth, in units of their last coefficients.
_AT_CORNERS = 10.0
# Factor of further rows that crowd toward corners: they matter only to functions that no others see.
_LIGHT = 0.1
# Degrees are whole up to this.
_SURELY = 1e-9


@final
@dataclass(frozen=True, eq=False)
class _Finer:
    """Rows of each relation at finer nodes of each cell than those that were fitted.

    Attributes
    ----------
    rows : mapping of relation name to RowsInCells
    placed : mapping of relation name to list of Placed
        Their sites, in the same order.
    """

    rows: Mapping[str, RowsInCells]
    placed: Mapping[str, list[Placed]]

    def checks(self, weights: Mapping[str, FloatArray]) -> Checks:
        """All rows as checks; each cell counts as much as the weights ``(C,)`` of its fitted rows."""
        sites, emphasis = {}, {}
        for name, its in self.placed.items():
            sites[name] = join_sites([placed.sites for placed in its])
            cells = np.concatenate([np.full(len(placed.sites), placed.cell) for placed in its])
            number = np.bincount(cells, minlength=len(weights[name]))
            each = weights[name][cells] / number[cells]
            emphasis[name] = np.sqrt(len(cells) * each / weights[name].sum())
        return Checks(sites, emphasis, self.rows)


def _finer_rows(problem: Problem, tiling: Cover, degrees: Degrees, basis: CellBasis) -> _Finer:
    """The finer rows of all relations that hold in single cells."""
    found: dict[str, list[Placed]] = {each.name: [] for each in held_to(problem)}
    for placed in without_slivers(place_rows(problem, tiling, degrees, finer=True), basis.meeting):
        if len(placed.sites):
            found[placed.relation.name].append(placed)
    rows = {
        name: RowsInCells(basis, tuple((each.cell, each.localised(basis.components)) for each in its))
        for name, its in found.items()
    }
    return _Finer(rows, found)


@final
@dataclass(frozen=True, eq=False)
class Patchwork(Finite):
    """Polynomials on the cells of a tiling, and the sites at which relations are imposed on them.

    Attributes
    ----------
    problem : Problem
    tiling : Cover
    degrees : (C, d) integer array
        Degrees of the polynomials in each cell along each axis.
    scales : tuple of float
        The natural sizes of the unknowns.
    threads : int
    functions_of : Problem or None
        The problem whose singular functions it has, if that is another one.
    """

    problem: Problem
    tiling: Cover
    degrees: Degrees
    scales: tuple[float, ...]
    threads: int
    functions_of: Problem | None = None

    def __reduce__(self) -> tuple[type[Patchwork], tuple[Any, ...]]:
        return Patchwork, tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def basis(self) -> CellBasis:
        """The functions of all cells, followed by columns for traces and for parts of sums."""
        shared = shared_functions(self.functions_of or self.problem, self.tiling, self.degrees)
        elsewhere = self._traced + self._sums.count
        return CellBasis(self.tiling.frames, self.degrees, self.scales, elsewhere, shared)

    @cached_property
    def _traced(self) -> int:
        return sum(trace.count for trace in self._traces)

    @cached_property
    def _sums(self) -> Sums:
        columns: list[list[int]] = [[] for _ in self.tiling.cells]
        for trace in self._traces:
            for cell in trace.cells:
                columns[cell] += range(trace.start, trace.start + trace.count)
        shared = [np.array(own, dtype=np.int_) for own in columns]
        return sums_of(self.problem, self.tiling, self.degrees, self.scales, lambda: merge_order(shared))

    @cached_property
    def _traces(self) -> list[Trace]:
        return traces_of(self.problem, self.tiling, self.degrees, self.scales, self._contrasts)

    @cached_property
    def _contrasts(self) -> Contrasts:
        return contrasts_of(self.problem, self.tiling)

    @cached_property
    def _ties_in(self) -> list[list[Tie]]:
        """The traces on the edges of each cell."""
        found: list[list[Tie]] = [[] for _ in self.tiling.cells]
        for trace in self._traces:
            check_deadline()
            nodes = fitted_along(trace)
            local = trace.localised(nodes, len(self.scales))
            shared = shared_along(self.basis, trace.cells, local)
            for cell, operator, its in zip(trace.cells, local, shared, strict=True):
                found[cell].append(Tie(trace, operator, trace.values(cell, nodes), its))
        return found

    @cached_property
    def _rows(self) -> list[CellRows]:
        rows = []
        shared = self.basis.meeting
        regular = without_slivers(place_rows(self.problem, self.tiling, self._row_degrees), shared)
        corners = known_corners(self.functions_of or self.problem)
        further = without_slivers(rows_toward(self.problem, self.tiling, shared, corners), shared)
        each = chain(((placed, 1.0) for placed in regular), ((placed, _LIGHT) for placed in further))
        for placed, weight in each:
            check_deadline()
            operator = placed.localised(len(self.scales))
            size = self._size(placed.cell, operator)
            scale = weight * self._contrast(placed) * placed.relation.weight / size
            rows.append(CellRows(placed, operator, scale, scale * placed.relation.values(placed.sites)))
        return rows

    @cached_property
    def _row_degrees(self) -> Degrees:
        """Degrees at which a cell has as many polynomials as functions in all, where it shares some."""
        basis, found = self.basis, self.degrees.astype(np.float64)
        for cell in range(len(found)):
            own = basis.columns(cell)
            share = 1.0 + len(basis.shared(cell)) / (own.stop - own.start)
            found[cell] = (found[cell] + 1) * share ** (1 / found.shape[1]) - 1
        return np.ceil(found - _SURELY).astype(np.int_)

    def _contrast(self, placed: Placed) -> float:
        of = self._contrasts.of_equation if placed.relation.region.kind == "domain" else self._contrasts.of_flux
        return of(int(self.tiling.materials[placed.cell]), placed.relation.operator)

    def _size(self, cell: int, operator: LocalOperator) -> float:
        return size_in(cell, operator, self.tiling, self.degrees, self.scales)

    @cached_property
    def _rows_in(self) -> list[list[CellRows]]:
        found: list[list[CellRows]] = [[] for _ in self.tiling.cells]
        for rows in self._rows:
            found[rows.placed.cell].append(rows)
        return found

    @property
    def rows(self) -> int:
        """Number of rows of its system."""
        return sum(self._heights) + sum(len(added.values) for added in self._sums.added)

    @cached_property
    def _heights(self) -> tuple[int, ...]:
        each = zip(self._rows_in, self._ties_in, self._sums.parts, strict=True)
        return tuple(sum(len(rows) for own in cell for rows in own) for cell in each)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of rows of each relation."""
        found: dict[str, int] = {}
        for rows in self._rows:
            name = rows.placed.relation.name
            found[name] = found.get(name, 0) + len(rows)
        if self._traces:
            found[JOINED] = self._seams.rows
        return found | self._sums.counts

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers in its system."""
        return np.dtype(complex if any(map(has_complex_operator, self.problem.relations)) else float)

    def assemble(self, scaling: Scaling, *, reuse: bool = False) -> System:
        """Its system, whose rows are computed and scaled cell by cell during factorisation."""
        return System(self.nested(keep=reuse), self.blocks)

    def nested(self, *, keep: bool = False) -> Nested:
        """The rows of all cells."""
        basis = self.basis
        first = basis.size - basis.elsewhere
        sharing = np.ones(basis.size, dtype=np.int_)
        sharing[first:] = 2
        sharing[first - len(basis.meeting) : first] = basis.meeting.sharing
        values = 2 if self.problem.dtype.kind == "c" else 1
        leaves = []
        each = zip(self._rows_in, self._ties_in, self._sums.parts, strict=True)
        for cell, (rows, ties, parts) in enumerate(each):
            check_deadline()
            own = basis.columns(cell)
            common = basis.shared(cell)
            alone = int(np.count_nonzero(sharing[common] == 1))  # these come first
            shared = [first + np.arange(tie.trace.start, tie.trace.start + tie.trace.count) for tie in ties]
            shared += [first + self._traced + part.shared for part in parts]
            joined = np.concatenate([common[alone:], *shared])
            dtype = type_of_rows(rows, ties, parts)
            fill = partial(fill_cell, basis, cell, rows, ties, parts, 1 if dtype.kind == "c" else values)
            held = np.append(np.arange(own.start, own.stop), common[:alone])
            leaves.append(Leaf(held, joined, self._heights[cell], dtype, fill))
        merges = self._sums.merges if self._sums.added else merge_order([leaf.shared for leaf in leaves])
        leaves += [added.leaf(first + self._traced, values) for added in self._sums.added]
        undetermined = bool(self.problem.missing) or leaves_constant_open(self.problem)
        return Nested(tuple(leaves), merges, sharing, values, self.threads, keep, leave_out=undetermined)

    def fitted(self, scaled: Sequence[BlockRows]) -> Mapping[str, tuple[Sites, FloatArray]]:
        """See `Finite.fitted`; each cell has its own scales."""
        by_name: dict[str, list[CellRows]] = {}
        for rows in self._rows:
            by_name.setdefault(rows.placed.relation.name, []).append(rows)
        return {
            name: (
                join_sites([rows.placed.sites for rows in each]),
                np.concatenate([np.full(len(rows), rows.scale) for rows in each]),
            )
            for name, each in by_name.items()
        }

    @cached_property
    def blocks(self) -> tuple[BlockRows, ...]:
        """The number of rows of each relation, and their average scale."""
        found = []
        for relation in held_to(self.problem):
            count = self.counts[relation.name]
            scale = float(np.sqrt(np.sum(self._weights[relation.name]) / count))
            found.append(BlockRows(relation.name, slice(0, count), scale))
        return tuple(found)

    @cached_property
    def _weights(self) -> dict[str, FloatArray]:
        """Sums of squares of the rows' scales, for each relation in each cell."""
        found = {relation.name: np.zeros(len(self.tiling.cells)) for relation in held_to(self.problem)}
        for rows in self._rows:
            found[rows.placed.relation.name][rows.placed.cell] += len(rows) * rows.scale**2
        return found

    @cached_property
    def _shares(self) -> dict[str, FloatArray]:
        """The share of each relation's measure in each cell."""
        found = {relation.name: np.zeros(len(self.tiling.cells)) for relation in held_to(self.problem)}
        for rows in self._rows:
            found[rows.placed.relation.name][rows.placed.cell] += rows.placed.share
        return found

    def left_out(self, coefficients: NumberArray) -> FloatArray:
        """The truncation error if coefficients keep falling at their rate, which they may not do at corners."""
        areas = np.array([float(np.prod(cell.upper - cell.lower)) * cell.share for cell in self.tiling.cells])
        tails = self.tails(coefficients)
        further = np.where(self._at_corners[:, None], _AT_CORNERS * tails.last, 0.0)
        each = np.sqrt(areas / areas.sum())[:, None] * np.maximum(tails.left_out, further)
        return np.asarray(each * self.scales)

    def unresolved(self, coefficients: NumberArray) -> BoolArray:
        """Cells whose coefficients do not fall; at corners, those whose last coefficients do not fall either."""
        tails = self.tails(coefficients)
        return tails.falls_slowly | (tails.ends_slowly & self._at_corners)

    @cached_property
    def _at_corners(self) -> BoolArray:
        return cells_at_corners(self.problem, self.tiling, self._is_cut, self.basis.corners)

    @property
    def pieces(self) -> int:
        """See `Finite.pieces`."""
        return len(self.tiling.cells)

    def cells_at(self, points: FloatArray) -> NDArray[np.intp]:
        """See `Finite.cells_at`."""
        return self.tiling.locate(points)

    def tails(self, coefficients: NumberArray) -> Tails:
        """The last coefficients of each cell."""
        return self._latest_tails(lambda: tails_of(self.basis, coefficients, self._orthogonal), coefficients)

    def last_degrees(self, coefficients: NumberArray) -> NumberArray:
        """See `Finite.last_degrees`."""
        return last_degrees(self.basis, coefficients, self._orthogonal)

    @cached_property
    def _orthogonal(self) -> dict[int, FloatArray]:
        """Maps to polynomials that are orthogonal on the pieces of cut cells."""
        found: dict[int, FloatArray] = {}

        def find(cell: int) -> None:
            points = np.concatenate([rows.placed.sites.points for rows in self._rows_in[cell]])
            found[cell] = orthogonal_at(points, self.basis, cell)

        with limited(1):
            run_tasks([partial(find, int(cell)) for cell in np.flatnonzero(self._is_cut)], self.threads)
        return found

    @cached_property
    def _latest_tails(self) -> Latest[Tails]:
        return Latest()

    @cached_property
    def _finer(self) -> _Finer:
        return _finer_rows(self.problem, self.tiling, self._row_degrees, self.basis)

    def emphasis(self, name: str, sites: Sites, shares: FloatArray) -> FloatArray:
        """By how much deviations at some sites count more than on average: rows are denser in smaller cells.

        All sites in a cell together stand for no more than that.
        """
        cells = self.tiling.locate(sites.points)
        told = np.maximum(np.bincount(cells, shares, minlength=len(self.tiling.cells)), self._shares[name])
        each = np.divide(self._weights[name], told, out=np.zeros(len(told)), where=told > 0)
        return np.asarray(np.sqrt(each / self._weights[name].sum())[cells])

    def hold_out(self, rng: np.random.Generator) -> Checks:
        """Rows at finer nodes of each cell than those that were fitted; none of them are random."""
        return self._finer.checks(self._weights)

    def with_problem(self, problem: Problem) -> Patchwork:
        """The same for other data, or another operator on the same functions."""
        return replace(self, problem=problem, functions_of=self.functions_of or self.problem)

    @cached_property
    def _seams(self) -> Seams:
        return Seams(self.basis, self._traces, self.dtype)

    def seams(self, coefficients: NumberArray) -> tuple[Seam, ...]:
        """Differences between the traces of cells and the fitted ones, between the fitted nodes."""
        return self._seams.seen(coefficients, self._is_cut)

    @property
    def seam_cells(self) -> NDArray[np.intp]:
        """See `Finite.seam_cells`."""
        return self._seams.cells

    def at_seams(self, fields: NumberArray) -> NumberArray:
        """Differences between the traces of cells and the common ones, up to prescribed jumps."""
        return self._seams.at(fields)

    def across_seams(self, numbers: NumberArray) -> NumberArray:
        """The adjoint of `at_seams`."""
        return self._seams.across(numbers)

    @cached_property
    def _is_cut(self) -> BoolArray:
        return np.array([not cell.whole for cell in self.tiling.cells])

    def uneven(self, sites: Sites) -> BoolArray:
        """The rows in cells that the boundary cuts."""
        if not self._is_cut.any():
            return np.zeros(len(sites), dtype=np.bool_)
        return np.asarray(self._is_cut[self.tiling.locate(sites.points)])

    def sparse(self, sites: Sites) -> FloatArray:
        """Nodes are dense at the ends of cells."""
        return sparse_in(self.tiling, sites.points)

    def values(self, scaled: Sequence[BlockRows]) -> NumberArray:
        """The right-hand side of its system, scaled like the rows."""
        parts: list[NumberArray] = []
        for each in zip(self._rows_in, self._ties_in, self._sums.parts, strict=True):
            parts += [rows.values for own in each for rows in own]
        return np.concatenate([*parts, *(added.values for added in self._sums.added)])

    def spread(self, values: Mapping[str, NumberArray], scaled: Sequence[BlockRows]) -> NumberArray:
        """See `Finite.spread`."""
        begins = dict.fromkeys(values, 0)
        own: dict[int, NumberArray] = {}
        for rows in self._rows:  # in the order of `fitted`
            name = rows.placed.relation.name
            if name in values:
                end = begins[name] + len(rows)
                own[id(rows)] = rows.scale * values[name][begins[name] : end]
                begins[name] = end
        parts = []
        for in_cell, ties, sums in zip(self._rows_in, self._ties_in, self._sums.parts, strict=True):
            parts += [own.get(id(rows), np.zeros(len(rows))) for rows in in_cell]
            parts.append(np.zeros(sum(map(len, ties)) + sum(map(len, sums))))
        return np.concatenate([*parts, *(np.zeros(len(added.values)) for added in self._sums.added)])
