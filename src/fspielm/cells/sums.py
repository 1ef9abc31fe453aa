"""Sums over many cells, such as integrals: the parts of cells are added up along the tree of their mergers.

Each part is an additional unknown with two rows: one defines it and one adds it to another part. No row therefore has
entries in more than one cell, or in more than three parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import LocalOperator, localise
from fspielm.cells.places import Degrees, sizes_in
from fspielm.cells.tiling import Cover
from fspielm.collocation.nested import Merges
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# Sums in a cell in excess of the degree along time.
_MORE_TIMES = 3


@final
@dataclass(frozen=True, eq=False)
class Part:
    """The contribution of a cell to some sums.

    Attributes
    ----------
    operator : LocalOperator
        At the points in the cell.
    weights : (k, n) array
        Scaled weights of the points in each sum.
    columns : (k,) integer array
        Columns of the parts, counted from zero; -1 if the cell contains the whole sum.
    values : (k,) array
        Zero, or the prescribed value if the cell contains the whole sum.
    """

    operator: LocalOperator
    weights: FloatArray
    columns: np.ndarray[tuple[int], np.dtype[np.int_]]
    values: NumberArray

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def shared(self) -> np.ndarray[tuple[int], np.dtype[np.int_]]:
        """The columns that other cells use as well."""
        return self.columns[self.columns >= 0]

    @property
    def beside(self) -> FloatArray:
        """The entries of the shared columns."""
        return np.asarray(-np.eye(len(self))[:, self.columns >= 0])


@final
@dataclass(frozen=True, eq=False)
class Added:
    """Rows that add up parts.

    Attributes
    ----------
    columns : (s,) integer array
        Columns of all parts in them, counted from zero.
    entries : (n, s) array
    values : (n,) array
    """

    columns: np.ndarray[tuple[int], np.dtype[np.int_]]
    entries: FloatArray
    values: NumberArray

    def fill(self, values: int) -> FloatArray:
        """The rows, with so many columns of values."""
        parts = (self.values,) if values == 1 else (self.values.real, self.values.imag)
        return np.column_stack([self.entries, *parts])


@final
@dataclass(frozen=True, eq=False)
class Sums:
    """All sums of a problem.

    Attributes
    ----------
    parts : tuple of tuples of Part
        The parts of each cell.
    added : tuple of Added
        Additional leaves, which follow those of the cells.
    merges : nested tuple of int
        The tree of the cells with these leaves where parts meet; empty if no parts do.
    count : int
        Number of columns of parts.
    counts : dict
        Number of sums of each relation.
    """

    parts: tuple[tuple[Part, ...], ...]
    added: tuple[Added, ...]
    merges: Merges
    count: int
    counts: dict[str, int]


def sums_of(
    problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float], order: Callable[[], Merges]
) -> Sums:
    """The sums that relations of a problem prescribe; `order` is the tree in which cells merge."""
    relations = [relation for relation in problem.relations if relation.sum_weights is not None]
    split = [_split(relation, tiling, degrees, scales) for relation in relations]
    totals = [own for each in split for own in each.totals]
    met = np.zeros((len(tiling.cells), len(totals)), dtype=np.bool_)
    start = 0
    for each in split:
        for cell, (_, which, _) in each.cells.items():
            met[cell, start + which] = True
        start += len(each.totals)
    if not totals:
        return Sums(((),) * len(tiling.cells), (), (), 0, {})
    chain = _Chain(met, totals)
    merges, _ = chain.along(order())
    parts: list[list[Part]] = [[] for _ in tiling.cells]
    start = 0
    for each in split:
        for cell, (operator, which, weights) in each.cells.items():
            columns = np.array([chain.columns[cell].get(start + own, -1) for own in which.tolist()], dtype=np.int_)
            values = np.where(columns < 0, np.asarray(each.totals)[which], 0.0)
            parts[cell].append(Part(operator, weights, columns, values))
        start += len(each.totals)
    counts = {relation.name: len(each.totals) for relation, each in zip(relations, split, strict=True)}
    return Sums(tuple(map(tuple, parts)), tuple(chain.added), merges, chain.count, counts)


@dataclass(frozen=True, eq=False)
class _Split:
    """The values of a relation's sums; and for each cell the operator, the sums with points in it, and weights."""

    totals: list[complex | float]
    cells: dict[int, tuple[LocalOperator, np.ndarray[tuple[int], np.dtype[np.int_]], FloatArray]]


def _split(relation: Relation, tiling: Cover, degrees: Degrees, scales: Sequence[float]) -> _Split:
    assert relation.sum_weights is not None
    assert relation.region.count is not None
    if relation.sums_at is None:
        sites = relation.sample(relation.region.count, np.random.default_rng(0))
    else:
        sites = relation.sums_at(_times(tiling, degrees))
    each = len(relation.sum_weights)
    number, cells = np.arange(len(sites)) // each, tiling.locate(sites.points)
    weights = np.tile(relation.sum_weights, len(sites) // each)
    sizes = []
    found = {}
    for cell in np.unique(cells).tolist():
        here = np.flatnonzero(cells == cell)
        which, place = np.unique(number[here], return_inverse=True)
        own = np.zeros((len(which), len(here)))
        own[place, np.arange(len(here))] = weights[here]
        operator = localise(relation.operator, sites.select(here), len(scales))
        sizes.append(float(sizes_in(np.full(len(here), cell), operator, tiling, degrees, scales)[cell]))
        found[cell] = operator, which, own
    # together they are to count as much as those of the relation do
    scale = relation.weight * np.sqrt(relation.region.count * each / len(sites)) / max(sizes)
    totals = scale * relation.values(sites.select(slice(None, None, each)))
    return _Split(totals.tolist(), {cell: (op, which, scale * own) for cell, (op, which, own) in found.items()})


def _times(tiling: Cover, degrees: Degrees) -> FloatArray:
    """Times at which sums are imposed so that they hold at all times: as many as polynomials can distinguish.

    A function of time alone is one polynomial in all of the longest cells, whatever those beside them are.
    """
    lower, upper = tiling.frames.lower[:, -1], tiling.frames.upper[:, -1]
    counts: dict[tuple[float, float], int] = {}
    for start, end, degree in zip(lower.tolist(), upper.tolist(), degrees[:, -1].tolist(), strict=True):
        if not np.any((lower <= start) & (end <= upper) & (end - start < upper - lower)):
            counts[start, end] = max(counts.get((start, end), 0), degree + _MORE_TIMES)
    found = []
    for (start, end), count in counts.items():
        unit = np.cos(np.pi * (np.arange(count) + 0.5) / count)
        found.append(0.5 * ((1 - unit) * start + (1 + unit) * end))
    return np.concatenate(found)


class _Chain:
    """Assigns columns to parts and makes the rows that add them, from the cells to the root."""

    def __init__(self, met: np.ndarray[tuple[int, int], np.dtype[np.bool_]], totals: Sequence[complex | float]) -> None:
        self.columns: list[dict[int, int]] = [{} for _ in met]
        self.added: list[Added] = []
        self.count = 0
        self._met, self._totals = met, totals
        self._cells = met.sum(axis=0)  # that each sum has places in

    def along(self, merges: Merges) -> tuple[Merges, dict[int, tuple[int, int]]]:
        """The tree with the rows that add parts; and the open parts: their sum, column and cells."""
        if not isinstance(merges, tuple):
            open_parts = {}
            for own in np.flatnonzero(self._met[merges]).tolist():
                if self._cells[own] > 1:
                    self.columns[merges][own] = self._new()
                    open_parts[own] = self.columns[merges][own], 1
            return merges, open_parts
        if len(merges) > 2:  # pieces of a domain that nothing joins
            merges = merges[0], merges[1:]
        (first, one), (second, other) = (self.along(child) for child in merges)
        left = {own: part for own, part in (one | other).items() if not (own in one and own in other)}
        rows = []
        for own in sorted(one.keys() & other.keys()):
            cells = one[own][1] + other[own][1]
            done: complex | float = 0.0
            entries = {one[own][0]: 1.0, other[own][0]: 1.0}
            if cells < self._cells[own]:
                left[own] = self._new(), cells
                entries[left[own][0]] = -1.0
            else:
                done = self._totals[own]
            rows.append((entries, done))
        return (first, second, self._add(rows)) if rows else (first, second), left

    def _new(self) -> int:
        self.count += 1
        return self.count - 1

    def _add(self, rows: Sequence[tuple[dict[int, float], complex | float]]) -> int:
        columns = np.array(sorted({column for entries, _ in rows for column in entries}), dtype=np.int_)
        matrix = np.zeros((len(rows), len(columns)))
        for row, (entries, _) in enumerate(rows):
            matrix[row, np.searchsorted(columns, list(entries))] = list(entries.values())
        self.added.append(Added(columns, matrix, np.array([value for _, value in rows])))
        return len(self._met) + len(self.added) - 1
