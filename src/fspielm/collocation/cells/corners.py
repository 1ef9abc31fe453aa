"""Cells in which slopes may be infinite."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import BoolArray
from fspielm.equations import Problem, change_places
from fspielm.geometry.cells import Cover

# What is so close to a cell, relative to it, touches it; and a corner that is none but for a change of conditions, or
# opens more.
_TOUCHING, _STRAIGHT = 1e-3, 0.999 * np.pi


def cells_at_corners(problem: Problem, tiling: Cover, is_cut: BoolArray) -> BoolArray:
    """Those at corners of the domain, ``(C,)``: at ones that open wide, and all that the boundary cuts."""
    found = np.zeros(len(tiling.cells), dtype=np.bool_)
    if problem.dimension != 2 or problem.domain.time is not None:
        return found
    frames = tiling.frames
    for place in (*problem.domain.corners(), *change_places(problem)):
        point, slack = np.array(place.point), _TOUCHING * frames.lengths
        at = np.all((frames.lower - slack <= point) & (point <= frames.upper + slack), axis=1)
        found |= at & (is_cut | (place.opening > _STRAIGHT))
    return found
