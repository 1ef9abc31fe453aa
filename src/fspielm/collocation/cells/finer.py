"""Rows of cells between those that are fitted: to check with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.collocation.cells.places import Degrees, Placed, held_to, place_rows
from fspielm.collocation.finite import Checks
from fspielm.equations import Problem
from fspielm.features import CellBasis, LocalOperator, RowsInCells
from fspielm.geometry import join_sites
from fspielm.geometry.cells import Cover


@final
@dataclass(frozen=True, eq=False)
class Finer:
    """More rows of each relation than were fitted, at finer nodes of each cell.

    Attributes
    ----------
    problem : Problem
    rows : mapping of relation name to RowsInCells
    placed : mapping of relation name to list of Placed
        Where they are, in the same order.
    """

    problem: Problem
    rows: Mapping[str, RowsInCells]
    placed: Mapping[str, list[Placed]]

    def checks(self, weights: Mapping[str, FloatArray]) -> Checks:
        """All of them, each cell's as important as the weights ``(C,)`` of its fitted rows."""
        sites, emphasis = {}, {}
        for name, its in self.placed.items():
            sites[name] = join_sites([placed.sites for placed in its])
            cells = np.concatenate([np.full(len(placed.sites), placed.cell) for placed in its])
            number = np.bincount(cells, minlength=len(weights[name]))
            each = weights[name][cells] / number[cells]
            emphasis[name] = np.sqrt(len(cells) * each / weights[name].sum())
        return Checks(sites, emphasis, self.rows)

    def residuals(
        self,
        coefficients: NumberArray,
        problem: Problem,
        wanted: BoolArray,
        size: Callable[[int, LocalOperator], float],
    ) -> FloatArray:
        """Root mean square of what each cell that is `wanted` leaves of the relations of a problem, ``(C,)``.

        In units of the size of an operator in a cell.
        """
        squares, number = np.zeros(len(wanted)), np.zeros(len(wanted))
        relations = {relation.name: relation for relation in problem.relations}
        for name, rows in self.rows.items():
            sums, end = rows @ coefficients, 0
            for (cell, operator), placed in zip(rows.parts, self.placed[name], strict=True):
                start, end = end, end + len(placed.sites)
                if not wanted[cell]:
                    continue
                own = placed.relation if problem is self.problem else relations[name]
                deviation = np.abs(sums[start:end] - own.values(placed.sites)) / size(cell, operator)
                squares[cell] += float(np.sum(deviation**2))
                number[cell] += len(deviation)
        return np.sqrt(squares / np.maximum(number, 1))


def finer_rows(problem: Problem, tiling: Cover, degrees: Degrees, basis: CellBasis) -> Finer:
    """Those of all relations that cells are held to one by one."""
    found: dict[str, list[Placed]] = {each.name: [] for each in held_to(problem)}
    for placed in place_rows(problem, tiling, degrees, finer=True):
        if len(placed.sites):
            found[placed.relation.name].append(placed)
    rows = {
        name: RowsInCells(basis, tuple((each.cell, each.localised(basis.components)) for each in its))
        for name, its in found.items()
    }
    return Finer(problem, rows, found)
