"""Rows of cells between those that are fitted: to check with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation.cells.places import Degrees, Placed, held_to, place_rows
from fspielm.collocation.finite import Checks
from fspielm.equations import Problem
from fspielm.features import CellBasis, RowsInCells
from fspielm.geometry import join_sites
from fspielm.geometry.cells import Cover


@final
@dataclass(frozen=True, eq=False)
class Finer:
    """More rows of each relation than were fitted, at finer nodes of each cell.

    Attributes
    ----------
    rows : mapping of relation name to RowsInCells
    placed : mapping of relation name to list of Placed
        Where they are, in the same order.
    """

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
    return Finer(rows, found)
