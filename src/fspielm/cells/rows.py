"""The rows of a system on cells, and the residuals of traces between neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, positions_in_runs
from fspielm.basis.basis import LocalOperator
from fspielm.cells.basis import Batch, CellBasis, RowsInCells
from fspielm.cells.edges import EdgeFunctions
from fspielm.cells.places import Cells, Placed, chebyshev, sparse_at
from fspielm.cells.sums import Part
from fspielm.cells.traces import Traces, polynomials_along
from fspielm.collocation.system import BlockRows, Seam
from fspielm.problem.statement import Relation
from fspielm.resources import check_deadline

Indices = NDArray[np.int_]

# ---- The rows of relations
# User functions are called where these are made, in the caller's thread; matrices are filled on several threads later.

# Rows along an edge in excess of the number of polynomials there.
_MORE_ROWS = 4


@final
@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a relation.

    Attributes
    ----------
    placed : Placed
    rows : RowsInCells
    scales : (n,) array
        Their factors.
    values : (n,) array
        The right-hand side, scaled.
    """

    placed: Placed
    rows: RowsInCells
    scales: FloatArray
    values: NumberArray

    def __len__(self) -> int:
        return len(self.values)


# ---- The rows that tie cells to the traces on their edges


@final
@dataclass(frozen=True, eq=False)
class Ties:
    """Rows "quantity of a cell minus trace" for both cells of every trace.

    Attributes
    ----------
    basis : CellBasis
    traces : Traces
    more : int
        Nodes along an edge in excess of the number of polynomials.
    """

    basis: CellBasis
    traces: Traces
    more: int

    @cached_property
    def nodes(self) -> Indices:
        """The number of nodes of each trace, ``(E,)``."""
        return np.asarray(self.traces.counts + self.more)

    def __len__(self) -> int:
        return 2 * int(self.nodes.sum())

    @cached_property
    def trace(self) -> Indices:
        """The trace of each row: those of all traces for the first cells, then for the second ones."""
        return np.tile(np.repeat(np.arange(len(self.traces)), self.nodes), 2)

    @cached_property
    def cells(self) -> Cells:
        """The cell of each row."""
        first, second = self.traces.cells.T
        return np.concatenate([np.repeat(first, self.nodes), np.repeat(second, self.nodes)])

    @cached_property
    def groups(self) -> list[tuple[slice, RowsInCells, NumberArray]]:
        """Rows of one kind, without the functions that cells share, and their values."""
        found = []
        start, half = 0, len(self) // 2
        first_trace = 0
        for group in self.traces.groups:
            check_deadline()
            nodes = self.nodes[first_trace : first_trace + len(group.counts)]
            edges = np.repeat(np.arange(len(nodes)), nodes)
            along = np.concatenate([np.empty(0), *map(chebyshev, nodes.tolist())])
            both = group.sites(edges, along)
            for side, operator in enumerate(group.localised(edges, both, self.basis.components)):
                rows = slice(side * half + start, side * half + start + len(edges))
                values = group.values(edges, both[1]) if side else np.zeros(len(edges))
                found.append((rows, RowsInCells(self.basis, group.cells[edges, side], operator, (), False), values))
            start += len(edges)
            first_trace += len(nodes)
        return found

    @cached_property
    def values(self) -> NumberArray:
        """The right-hand side."""
        kind = np.result_type(np.float64, *(values for _, _, values in self.groups))
        found = np.zeros(len(self), dtype=kind)
        for rows, _, values in self.groups:
            found[rows] = values
        return found

    @cached_property
    def columns(self) -> list[tuple[Indices, Indices, FloatArray]]:
        """For traces of equally many polynomials: rows ``(t, q)``, columns ``(t, p)``, and polynomials ``(q, p)``."""
        found = []
        starts = np.cumsum(self.nodes) - self.nodes
        first = self.basis.size - self.basis.elsewhere
        for count in np.unique(self.traces.counts).tolist():
            own = np.flatnonzero(self.traces.counts == count)
            rows = starts[own][:, None] + np.arange(count + self.more)
            columns = first + self.traces.starts[own][:, None] + np.arange(count)
            both = np.concatenate([rows, rows + len(self) // 2])
            found.append((both, np.concatenate([columns, columns]), polynomials_along(count + self.more, count)))
        return found

    @cached_property
    def shared(self) -> list[tuple[Indices, Indices, NumberArray]]:
        """Rows with functions that cells share, these columns, and the entries.

        For functions of both cells it is the difference: they fit together by themselves, however fast they vary along
        the edge.
        """
        found: list[tuple[Indices, Indices, NumberArray]] = []
        held = np.isin(self.traces.cells, self.basis.sharing_cells).any(axis=1)
        operators: list[LocalOperator] = [operator.operator for _, operator, _ in self.groups]
        spans = [rows for rows, _, _ in self.groups]
        starts = np.cumsum(self.nodes) - self.nodes
        for trace in np.flatnonzero(held).tolist():
            cells, parts = self.traces.cells[trace].tolist(), []
            at = [start + np.arange(self.nodes[trace]) for start in (starts[trace], starts[trace] + len(self) // 2)]
            for cell, rows in zip(cells, at, strict=True):
                number = next(n for n, span in enumerate(spans) if span.start <= rows[0] < span.stop)
                operator = operators[number].select(rows - spans[number].start)
                parts.append(self.basis.shared_rows(cell, operator))
            one, other = (self.basis.shared(cell) for cell in cells)
            _, first, second = np.intersect1d(one, other, return_indices=True)
            parts[1][:, second] -= parts[0][:, first]
            parts[0][:, first] = 0.0
            found += [(rows, own, part) for rows, own, part in zip(at, (one, other), parts, strict=True)]
        return found

    def at(self, fields: NumberArray) -> NumberArray:
        """The rows times coefficients ``(F, M)``, shape ``(F, n)``."""
        kind = np.result_type(fields, np.float64, *(rows.operator.coefficients for _, rows, _ in self.groups))
        found = np.zeros((len(fields), len(self)), dtype=kind)
        for span, rows, _ in self.groups:
            found[:, span] = rows.sums(fields)
        for at, columns, polynomials in self.columns:
            found[:, at] -= fields[:, columns] @ polynomials.T
        for at, columns, entries in self.shared:
            found[:, at] += fields[:, columns] @ entries.T
        return found

    def across(self, numbers: NumberArray) -> NumberArray:
        """The adjoint of `at`."""
        kind = np.result_type(numbers, np.float64, *(rows.operator.coefficients for _, rows, _ in self.groups))
        found = np.zeros((len(numbers), self.basis.size), dtype=kind)
        for span, rows, _ in self.groups:
            found += rows.adjoint(numbers[:, span])
        for at, columns, polynomials in self.columns:
            traces = len(at) // 2  # both cells have the same columns
            each = numbers[:, at] @ polynomials
            found[:, columns[:traces]] -= each[:, :traces] + each[:, traces:]
        for at, columns, entries in self.shared:
            found[:, columns] += numbers[:, at] @ entries.conj()
        return found


def fitted_ties(basis: CellBasis, traces: Traces) -> Ties:
    """The rows at which traces are fitted."""
    return Ties(basis, traces, _MORE_ROWS)


# ---- The matrices of cells


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """All rows of a system: those of relations, then of ties, then of parts of sums.

    Attributes
    ----------
    basis : CellBasis
    blocks : sequence of Block
    ties : Ties
    parts : sequence of sequences of Part
        The parts of sums of each cell.
    parts_at : int
        The first column of parts of sums.
    """

    basis: CellBasis
    blocks: Sequence[Block]
    ties: Ties
    parts: Sequence[Sequence[Part]]
    parts_at: int

    def renewed(self, relations: Mapping[str, Relation]) -> Rows:
        """The same rows for relations, by name, that have other values."""
        found = []
        for block in self.blocks:
            placed = replace(block.placed, relation=relations[block.placed.relation.name])
            found.append(replace(block, placed=placed, values=block.scales * placed.relation.values(placed.sites)))
        other = replace(self, blocks=found)
        kept = ("cells", "_order", "spans")
        other.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return other

    @cached_property
    def spans(self) -> list[slice]:
        """The rows of each block."""
        ends = np.cumsum([0, *map(len, self.blocks)]).tolist()
        return [slice(first, last) for first, last in pairwise(ends)]

    @property
    def _begins(self) -> tuple[int, int]:
        """The first rows of ties and of parts."""
        begin = sum(map(len, self.blocks))
        return begin, begin + len(self.ties)

    @cached_property
    def cells(self) -> Cells:
        """The cell of each row."""
        parts = [np.full(sum(map(len, own)), cell, dtype=np.intp) for cell, own in enumerate(self.parts) if own]
        return np.concatenate([*(block.rows.cells for block in self.blocks), self.ties.cells, *parts])

    @cached_property
    def heights(self) -> Indices:
        """The number of rows of each cell."""
        return np.bincount(self.cells, minlength=len(self.basis.frames))

    @cached_property
    def _order(self) -> tuple[Indices, Indices]:
        """The rows cell by cell, and the position of each row in its cell."""
        order = np.argsort(self.cells, kind="stable")
        position = np.empty(len(order), dtype=np.int_)
        position[order] = positions_in_runs(self.heights)
        return order, position

    def of(self, cell: int) -> Indices:
        """The rows of a cell."""
        end = self._ends[cell]
        return self._order[0][end - self.heights[cell] : end]

    @cached_property
    def _ends(self) -> Indices:
        return np.cumsum(self.heights)

    @cached_property
    def values(self) -> NumberArray:
        """The right-hand side."""
        parts = [part.values for own in self.parts for part in own]
        return np.concatenate([*(block.values for block in self.blocks), self.ties.values, *parts])

    @cached_property
    def shared(self) -> list[Indices]:
        """The columns of each cell that it shares: with functions of others, with traces, with parts of sums."""
        first = self.basis.size - self.basis.elsewhere
        traces: list[list[int]] = [[] for _ in self.heights]
        for trace, (one, other) in enumerate(self.ties.traces.cells.tolist()):
            traces[one].append(trace)
            if other != one:
                traces[other].append(trace)
        starts, counts = self.ties.traces.starts, self.ties.traces.counts
        found = []
        for cell, own in enumerate(traces):
            each = counts[own]
            columns = first + np.repeat(starts[own], each) + positions_in_runs(each)
            of_parts = [self.parts_at + part.shared for part in self.parts[cell]]
            found.append(np.concatenate([self.basis.shared(cell), columns, *of_parts]).astype(np.int_))
        return found

    @cached_property
    def alone(self) -> Indices:
        """How many of the first shared columns of each cell no other cell has."""
        found = np.zeros(len(self.heights), dtype=np.int_)
        for cell in self.basis.sharing_cells.tolist():
            found[cell] = np.count_nonzero(self.basis.meeting.sharing[self.basis.meeting.columns(cell)] == 1)
        return found

    @cached_property
    def is_complex(self) -> BoolArray:
        """Whether any row of a cell is complex."""
        found = np.zeros(len(self.heights), dtype=np.bool_)
        for _, rows, _ in self._applied():
            if np.iscomplexobj(rows.operator.coefficients):
                found[rows.cells] = True
        for cell, own in enumerate(self.parts):
            found[cell] |= any(np.iscomplexobj(part.operator.coefficients) for part in own)
        return found

    def _applied(self) -> Iterator[tuple[int, RowsInCells, FloatArray | None]]:
        """All rows on cells' own functions, with the number of the first one, and their scales."""
        for span, block in zip(self.spans, self.blocks, strict=True):
            yield span.start, block.rows, block.scales
        begin, _ = self._begins
        for span, rows, _ in self.ties.groups:
            yield begin + span.start, rows, None

    @cached_property
    def _batches(self) -> list[tuple[int, Batch, FloatArray | None]]:
        """All batches, with the number of the first row of what they belong to, and scales."""
        return [(start, batch, scales) for start, rows, scales in self._applied() for batch in rows.batches]

    @cached_property
    def _batches_of(self) -> list[list[int]]:
        """The batches of each cell, by their numbers."""
        found: list[list[int]] = [[] for _ in self.heights]
        for number, (_, batch, _) in enumerate(self._batches):
            for cell in batch.cells.tolist():
                found[cell].append(number)
        return found

    def fill(self, cells: Indices, values: int) -> NumberArray:
        """The matrices of cells of equal degrees, shape ``(B, h, w)``: own columns, shared ones, right-hand side.

        Cells with fewer rows or fewer shared columns than others have zeros at the end of each. `values` is the number
        of columns of the right-hand side: two if it is complex and the rows are real.
        """
        check_deadline()
        basis, (_, position) = self.basis, self._order
        own = int(basis.starts[cells[0] + 1] - basis.starts[cells[0]])
        shared = [self.shared[cell] for cell in cells.tolist()]
        width = own + max(map(len, shared))
        kind = np.complex128 if self.is_complex[cells].any() else np.float64
        found = np.zeros((len(cells), int(self.heights[cells].max()), width + values), dtype=kind)
        place = np.full(len(self.heights), -1, dtype=np.int_)
        place[cells] = np.arange(len(cells))
        change = self.change(int(cells[0]))
        for number in sorted({number for cell in cells.tolist() for number in self._batches_of[cell]}):
            start, batch, scales = self._batches[number]
            batch = batch.select(np.flatnonzero(place[batch.cells] >= 0))
            entries, held = batch.matrix(change), batch.rows < batch.count
            if scales is not None:
                entries *= np.append(scales, 0.0)[batch.rows][:, :, None]
            at = np.broadcast_to(place[batch.cells][:, None], held.shape)
            found[at[held], position[start + batch.rows[held]], :own] = entries[held]
        # columns of all that cells share, in these matrices
        column = np.full(basis.size, -1, dtype=np.int_)
        for b, (cell, its) in enumerate(zip(cells.tolist(), shared, strict=True)):
            column[its] = own + np.arange(len(its))
            self._fill_shared(cell, found[b], column)
            rows = self.of(cell)
            right = self.values[rows]
            found[b, : len(rows), width] = right if values == 1 else right.real
            if values == 2:
                found[b, : len(rows), width + 1] = right.imag
        return found

    def change(self, cell: int) -> EdgeFunctions | None:
        """The functions for which the matrix of a cell is filled, if it is full."""
        if not self.basis.full[cell]:
            return None
        first, second = self.basis.degrees[cell].tolist()
        return EdgeFunctions((first, second), self.basis.components)

    def _fill_shared(self, cell: int, matrix: NumberArray, column: Indices) -> None:
        """Write the entries of traces and of shared functions, and the rows of parts of sums."""
        basis, (_, position), (begin, _) = self.basis, self._order, self._begins
        for rows, columns, polynomials in self._tied[cell]:
            matrix[position[begin + rows][:, None], column[columns]] = -polynomials
        if len(basis.shared(cell)):
            columns = column[basis.shared(cell)]
            for span, block in zip(self.spans, self.blocks, strict=True):
                own = np.flatnonzero(block.rows.cells == cell)
                if not len(own):
                    continue
                entries = basis.shared_rows(cell, block.rows.operator.select(own))
                matrix[position[span.start + own][:, None], columns] = block.scales[own][:, None] * entries
        for at, its, entries in self.ties.shared:
            if self.ties.cells[at[0]] == cell and len(its):
                matrix[position[begin + at][:, None], column[its]] = entries
        row = self.heights[cell] - sum(map(len, self.parts[cell]))
        own_columns = basis.columns(cell)
        for part in self.parts[cell]:
            end = row + len(part)
            own_rows = part.weights @ basis.rows(cell, part.operator, self.change(cell))
            matrix[row:end, : own_columns.stop - own_columns.start] = own_rows
            if len(basis.shared(cell)):
                entries = part.weights @ basis.shared_rows(cell, part.operator)
                matrix[row:end, column[basis.shared(cell)]] = entries
            matrix[row:end, column[self.parts_at + part.shared]] = part.beside
            row = end

    @cached_property
    def _tied(self) -> list[list[tuple[Indices, Indices, FloatArray]]]:
        """For each cell, the rows, columns and polynomials of its traces."""
        found: list[list[tuple[Indices, Indices, FloatArray]]] = [[] for _ in self.heights]
        for rows, columns, polynomials in self.ties.columns:
            for at, its, cell in zip(rows, columns, self.ties.cells[rows[:, 0]].tolist(), strict=True):
                found[cell].append((at, its, polynomials))
        return found


# ---- Residuals of traces, between the nodes at which they were fitted

# The name of the ties between cells among residuals.
JOINED = "edges of cells"


@final
@dataclass(frozen=True, eq=False)
class Seams:
    """Both sides of every trace at other nodes than those where it was fitted.

    Attributes
    ----------
    fitted : Ties
    """

    fitted: Ties

    @cached_property
    def _checked(self) -> Ties:
        return Ties(self.fitted.basis, self.fitted.traces, 2 * _MORE_ROWS + 1)

    @cached_property
    def _weights(self) -> FloatArray:
        each: FloatArray = np.sqrt(self.fitted.nodes / self._checked.nodes)
        return each[self._checked.trace]

    @property
    def rows(self) -> int:
        """Number of fitted rows."""
        return len(self.fitted)

    @property
    def cells(self) -> NDArray[np.intp]:
        """The cell of each residual."""
        return self._checked.cells

    def seen(self, coefficients: NumberArray, is_cut: BoolArray) -> tuple[Seam, ...]:
        """Differences between the traces of cells and the fitted ones."""
        if not len(self.fitted.traces):
            return ()
        deviation = self.at(coefficients[None])[0] - self._weights * self._checked.values
        nodes = self._checked.nodes.tolist()
        sparse = np.tile(np.concatenate([sparse_at(chebyshev(count)) for count in nodes]), 2)
        scale = float(np.sqrt(len(deviation) / self.rows))
        return (Seam(BlockRows(JOINED, slice(0, self.rows), scale), deviation, is_cut[self.cells], sparse),)

    def at(self, fields: NumberArray) -> NumberArray:
        """Differences between the traces of cells and the common ones, up to prescribed jumps."""
        return np.asarray(self._weights * self._checked.at(fields))

    def across(self, numbers: NumberArray) -> NumberArray:
        """The adjoint of `at`."""
        return self._checked.across(self._weights * numbers)
