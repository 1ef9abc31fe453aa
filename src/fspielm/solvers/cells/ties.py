"""Cells that are neighbours across faces that are one place."""

from __future__ import annotations

import numpy as np

from fspielm.equations import Problem
from fspielm.geometry.cells import Cover, tied_across


def tied_cells(tiling: Cover, problem: Problem) -> dict[tuple[int, int], int]:
    """Pairs of them, and along which axis their faces lie apart; one cell may be at both faces."""
    found: dict[tuple[int, int], int] = {}
    for relation in problem.relations:
        part, shift = relation.region.part, relation.region.shift
        if part is not None and shift is not None:
            axis = int(np.argmax(np.abs(shift)))
            found |= {contact.cells: axis for contact in tied_across(tiling, part, shift)}
    return found
