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
from fspielm.cells.basis import CellBasis, RowsInCells, join_rows
from fspielm.cells.corners import corners_with_functions, rows_toward, shared_functions, without_slivers
from fspielm.cells.places import Contrasts, Degrees, Placed, contrasts_of, held_to, place_rows, sizes_in, sparse_in
from fspielm.cells.rows import JOINED, Block, Rows, Seams, fitted_ties
from fspielm.cells.shared import AroundPoint, SharedFunctions
from fspielm.cells.sums import Sums, sums_of
from fspielm.cells.tails import Tails, last_degrees, lower_degrees, orthogonal_at, tails_of
from fspielm.cells.tiling import Cover
from fspielm.cells.traces import Traces, traces_of
from fspielm.collocation.nested import Leaf, Nested, merge_order
from fspielm.collocation.system import BlockRows, Finite, HeldOut, Scaling, Seam, System
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


# ---- Which cells have all products of polynomials

# Cells of a lower degree have hardly any functions that vanish on all edges.
_LEAST_DEGREE = 4


def full_cells(problem: Problem, tiling: Cover, degrees: Degrees, shared: SharedFunctions) -> BoolArray:
    """The cells that are full: whole ones without singular functions, for steady equations of second order."""
    found: BoolArray = tiling.frames.whole & (degrees.min(axis=1) >= _LEAST_DEGREE)
    if not is_second_order(problem):
        return np.zeros_like(found)
    if len(shared):
        found &= [not len(shared.columns(cell)) for cell in range(len(found))]
    return found


def is_second_order(problem: Problem) -> bool:
    """Whether equations are of second order in each unknown along each axis, so that values on edges determine all."""
    if problem.dimension != 2 or problem.domain.time is not None:
        return False
    highest = np.zeros((len(problem.unknowns), 2), dtype=np.int_)
    for equation in problem.equations:
        for term in equation.operator.terms:
            highest[term.unknown] = np.maximum(highest[term.unknown], term.orders)
    orders = {equation.operator.order for equation in problem.equations}
    return orders == {2} and bool(np.all(highest == 2))


# ---- The discretisation: polynomials in each cell, tied to those of its neighbours

# Matrices of cells are filled together up to this ratio of their heights, and so many numbers.
_ALIKE, _TOGETHER = 1.5, 2**17
# The same for full cells.
_TOGETHER_FULL = 2**21
# Truncation error of polynomials at a corner where a function is not smooth, in units of their last coefficients.
_AT_CORNERS = 10.0
# Factor of further rows that crowd toward corners: they matter only to functions that no others see.
_LIGHT = 0.1
# Degrees are whole up to this.
_SURELY = 1e-9
# The most cells in which lower degrees make up for the last ones; and rounding of functions of a cut cell.
_MADE_UP, _ROUNDING = 24, 1e-13


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
        elsewhere = self._traces.columns + self._sums.count
        return CellBasis(self.tiling.frames, self.degrees, self.scales, elsewhere, self._shared, self._full)

    @cached_property
    def _full(self) -> BoolArray:
        return full_cells(self.functions_of or self.problem, self.tiling, self.degrees, self._shared)

    @cached_property
    def _shared(self) -> SharedFunctions:
        """The singular functions."""
        return shared_functions(self.functions_of or self.problem, self.tiling, self.degrees)

    @cached_property
    def _sums(self) -> Sums:
        columns: list[list[int]] = [[] for _ in self.tiling.cells]
        traces = self._traces
        for both, start, count in zip(traces.cells.tolist(), traces.starts, traces.counts, strict=True):
            for cell in set(both):
                columns[cell] += range(start, start + count)
        shared = [np.array(own, dtype=np.int_) for own in columns]
        return sums_of(self.problem, self.tiling, self.degrees, self.scales, lambda: merge_order(shared))

    @cached_property
    def _traces(self) -> Traces:
        return traces_of(self.problem, self.tiling, self.degrees, self.scales, self._contrasts)

    @cached_property
    def _contrasts(self) -> Contrasts:
        return contrasts_of(self.problem, self.tiling)

    @cached_property
    def _rows(self) -> Rows:
        blocks = []
        materials, shared = self.tiling.materials, self.basis.meeting
        regular = place_rows(self.problem, self.tiling, self._row_degrees, self._full)
        corners = corners_with_functions(self.functions_of or self.problem)
        further = rows_toward(self.problem, self.tiling, shared, corners)
        each = chain(((placed, 1.0) for placed in regular), ((placed, _LIGHT) for placed in further))
        for placed, weight in each:
            check_deadline()
            placed = without_slivers(placed, shared)
            relation, rows = placed.relation, placed.rows(self.basis)
            operator = relation.operator
            sizes = sizes_in(placed.cells, rows.operator, self.tiling, self.degrees, self.scales)
            of = self._contrasts.of_equations if relation.region.kind == "domain" else self._contrasts.of_fluxes
            scales = weight * of(materials[placed.cells], operator) * relation.weight / sizes[placed.cells]
            blocks.append(Block(placed, rows, scales, scales * relation.values(placed.sites)))
        ties, parts_at = fitted_ties(self.basis, self._traces), self.basis.size - self._sums.count
        return Rows(self.basis, blocks, ties, self._sums.parts, parts_at)

    @cached_property
    def _row_degrees(self) -> Degrees:
        """Degrees at which a cell has as many polynomials as functions in all, where it shares some."""
        basis, found = self.basis, self.degrees.astype(np.float64)
        for cell in basis.sharing_cells.tolist():
            own = basis.columns(cell)
            share = 1.0 + len(basis.shared(cell)) / (own.stop - own.start)
            found[cell] = (found[cell] + 1) * share ** (1 / found.shape[1]) - 1
        return np.ceil(found - _SURELY).astype(np.int_)

    @property
    def rows(self) -> int:
        """Number of rows of its system."""
        return len(self._rows.cells) + sum(len(added.values) for added in self._sums.added)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of rows of each relation."""
        found: dict[str, int] = {}
        for block in self._rows.blocks:
            name = block.placed.relation.name
            found[name] = found.get(name, 0) + len(block)
        if len(self._traces):
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
        return replace(self._nested, keep=keep)

    @cached_property
    def _nested(self) -> Nested:
        basis, rows = self.basis, self._rows
        values = 2 if self.problem.dtype.kind == "c" else 1
        first = basis.size - self._sums.count
        leaves = []
        for cell, shared in enumerate(rows.shared):
            check_deadline()
            own, alone = basis.columns(cell), rows.alone[cell]
            dtype = np.dtype(complex if rows.is_complex[cell] else float)
            held = np.append(np.arange(own.start, own.stop), shared[:alone])
            change = rows.change(cell)
            core = change.inner if change else 0
            leaves.append(Leaf(held, shared[alone:], rows.of(cell), dtype, change, core))
        merges = self._sums.merges if self._sums.added else merge_order([leaf.shared for leaf in leaves])
        start = len(rows.cells)
        for added in self._sums.added:
            end = start + len(added.values)
            none = np.empty(0, dtype=np.int_)
            leaves.append(Leaf(none, first + added.columns, np.arange(start, end), added.entries.dtype))
            start = end
        columns = np.concatenate([np.empty(0, dtype=np.int_), *(leaf.shared for leaf in leaves)])
        sharing = np.maximum(np.bincount(columns, minlength=basis.size), 1)
        undetermined = bool(self.problem.missing) or leaves_constant_open(self.problem)
        return Nested(
            tuple(leaves), merges, sharing, values, self._fill, self._kinds, self.threads, leave_out=undetermined
        )

    @cached_property
    def _kinds(self) -> tuple[NDArray[np.int_], ...]:
        """Cells whose matrices are filled together, in groups of about so many numbers; then each added leaf."""
        rows = self._rows
        shared = np.array([len(own) for own in rows.shared], dtype=np.int_)
        key = np.column_stack([rows.is_complex, rows.alone, self.basis.kinds, rows.heights, shared])
        order = np.lexsort(key.T[::-1])
        found: list[list[int]] = []
        most = 0
        for cell in order.tolist():
            last = found[-1] if found else []
            alike = last and np.array_equal(key[last[0], :-2], key[cell, :-2])
            if alike and key[cell, -2] <= _ALIKE * key[last[0], -2] and len(last) < most:
                last.append(cell)
            else:
                found.append([cell])
                own = int(self.basis.starts[cell + 1] - self.basis.starts[cell])
                together = _TOGETHER_FULL if self.basis.full[cell] else _TOGETHER
                most = max(1, int(together // (key[cell, -2] * (own + key[cell, -1]))))
        cells = len(rows.heights)
        added = [np.array([cells + number]) for number in range(len(self._sums.added))]
        return (*map(np.array, found), *added)

    def _fill(self, leaves: NDArray[np.int_], values: int) -> NumberArray:
        cells = len(self.tiling.cells)
        if leaves[0] < cells:
            return self._rows.fill(leaves, values)
        return np.asarray(self._sums.added[leaves[0] - cells].fill(values)[None])

    def fitted(self, scaled: Sequence[BlockRows]) -> Mapping[str, tuple[Sites, FloatArray]]:
        """See `Finite.fitted`; each cell has its own scales."""
        by_name: dict[str, list[Block]] = {}
        for block in self._rows.blocks:
            by_name.setdefault(block.placed.relation.name, []).append(block)
        return {
            name: (
                join_sites([block.placed.sites for block in each]),
                np.concatenate([block.scales for block in each]),
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
        for block in self._rows.blocks:
            own = np.bincount(block.rows.cells, block.scales**2, minlength=len(self.tiling.cells))
            found[block.placed.relation.name] += own
        return found

    @cached_property
    def _shares(self) -> dict[str, FloatArray]:
        """The share of each relation's measure in each cell."""
        found = {relation.name: np.zeros(len(self.tiling.cells)) for relation in held_to(self.problem)}
        for block in self._rows.blocks:
            found[block.placed.relation.name] += block.placed.shares
        return found

    def left_out(self, coefficients: NumberArray) -> FloatArray:
        """The truncation error if coefficients keep falling at their rate, which they may not do at corners."""
        areas = np.array([float(np.prod(cell.upper - cell.lower)) * cell.share for cell in self.tiling.cells])
        tails, at_corners = self.tails(coefficients), self._at_corners.copy()
        for part in self.basis.meeting.parts:
            if isinstance(part, AroundPoint) and part.is_angular:
                # errors at a corner also rotate the whole body, so they count beyond the cell
                at_corners[part.cells] = True
        further = np.where(at_corners[:, None], _AT_CORNERS * tails.last, 0.0)
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

    def can_do_without_last(self, coefficients: NumberArray, most: float) -> bool:
        """See `Finite.can_do_without_last`: lower degrees make up for the last ones, cell by cell."""
        last, rows = self.last_degrees(coefficients), self._rows
        parts = [np.abs(block.scales * block.rows.sums(last[None])[0]) for block in rows.blocks]
        parts.append(np.abs(rows.ties.at(last[None])[0]))
        cells = rows.cells[: sum(map(len, parts))]
        squares = np.bincount(cells, np.concatenate(parts) ** 2, minlength=self.pieces)
        for cell in np.argsort(squares)[::-1][:_MADE_UP].tolist():
            if squares.sum() <= most**2 or not self._is_cut[cell]:
                break
            own = self.basis.columns(cell)
            matrix = self._fill(np.array([cell]), 2)[0][:, : own.stop - own.start]
            lower = matrix @ lower_degrees(self.basis, cell, self._orthogonal[cell])
            left = matrix @ last[own]
            left = left - lower @ np.linalg.lstsq(lower, left, rcond=_ROUNDING)[0]
            squares[cell] = np.sum(np.abs(left) ** 2)
        return bool(squares.sum() <= most**2)

    @cached_property
    def _orthogonal(self) -> dict[int, FloatArray]:
        """Maps to polynomials that are orthogonal on the pieces of cut cells."""
        found: dict[int, FloatArray] = {}
        blocks = [(block.rows.cells, block.placed.sites.points) for block in self._rows.blocks]

        def find(cell: int) -> None:
            points = np.concatenate([points[cells == cell] for cells, points in blocks])
            found[cell] = orthogonal_at(points, self.basis, cell)

        with limited(1):
            run_tasks([partial(find, int(cell)) for cell in np.flatnonzero(self._is_cut)], self.threads)
        return found

    @cached_property
    def _latest_tails(self) -> Latest[Tails]:
        return Latest()

    @cached_property
    def _finer(self) -> dict[str, tuple[RowsInCells, Sites]]:
        """The rows of all relations that hold in single cells, at finer nodes than those that are fitted."""
        found: dict[str, list[Placed]] = {each.name: [] for each in held_to(self.problem)}
        for placed in place_rows(self.problem, self.tiling, self._row_degrees, self._full, finer=True):
            found[placed.relation.name].append(without_slivers(placed, self.basis.meeting))
        return {
            name: (join_rows([each.rows(self.basis) for each in its]), join_sites([each.sites for each in its]))
            for name, its in found.items()
        }

    def emphasis(self, name: str, sites: Sites, shares: FloatArray) -> FloatArray:
        """By how much deviations at some sites count more than on average: rows are denser in smaller cells.

        All sites in a cell together stand for no more than that.
        """
        cells = self.tiling.locate(sites.points)
        told = np.maximum(np.bincount(cells, shares, minlength=len(self.tiling.cells)), self._shares[name])
        each = np.divide(self._weights[name], told, out=np.zeros(len(told)), where=told > 0)
        return np.asarray(np.sqrt(each / self._weights[name].sum())[cells])

    def hold_out(self, rng: np.random.Generator) -> HeldOut:
        """Rows at finer nodes of each cell than those that were fitted; none of them are random."""
        emphasis = {}
        for name, (rows, _) in self._finer.items():
            # each cell counts as much as the weights of its fitted rows
            weights, number = self._weights[name], np.bincount(rows.cells, minlength=len(self.tiling.cells))
            each = weights[rows.cells] / number[rows.cells]
            emphasis[name] = np.sqrt(len(rows) * each / weights.sum())
        sites = {name: sites for name, (_, sites) in self._finer.items()}
        return HeldOut(sites, emphasis, {name: rows for name, (rows, _) in self._finer.items()})

    def with_problem(self, problem: Problem) -> Patchwork:
        """The same for other data, or another operator on the same functions."""
        other = replace(self, problem=problem, functions_of=self.functions_of or self.problem)
        other.__dict__["_shared"] = self._shared  # finding these takes longer than all else
        renewed = {relation.name: relation for relation in problem.relations}
        both = [(each, renewed.get(each.name, each)) for each in self.problem.relations]
        alike = all(own.operator is its.operator and own.weight == its.weight for own, its in both)
        same = len(both) == len(problem.relations) and alike and renewed.keys() == {own.name for own, _ in both}
        # linearisations have the same operators for any iterate
        if same and not (problem.interfaces or problem.is_linearisation):
            other.__dict__.update(_traces=self._traces, basis=self.basis, _rows=self._rows.renewed(renewed))
        return other

    @cached_property
    def _seams(self) -> Seams:
        return Seams(self._rows.ties)

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
        return np.asarray(~self.tiling.frames.whole)

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
        return np.concatenate([self._rows.values, *(added.values for added in self._sums.added)])

    def spread(self, values: Mapping[str, NumberArray], scaled: Sequence[BlockRows]) -> NumberArray:
        """See `Finite.spread`."""
        found = np.zeros(self.rows, dtype=np.result_type(np.float64, *values.values()))
        begins = dict.fromkeys(values, 0)
        for span, block in zip(self._rows.spans, self._rows.blocks, strict=True):  # in the order of `fitted`
            name = block.placed.relation.name
            if name in values:
                end = begins[name] + len(block)
                found[span] = block.scales * values[name][begins[name] : end]
                begins[name] = end
        return found
