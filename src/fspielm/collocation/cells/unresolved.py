"""Which cells do not hold what is in them."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import BoolArray
from fspielm.collocation.cells.tails import Tails
from fspielm.equations import Problem, change_places
from fspielm.geometry.cells import Cover

# What is so close to a cell, relative to it, touches it; and a corner that is none but for a change of conditions, or
# opens more.
_TOUCHING, _STRAIGHT = 1e-3, 0.999 * np.pi


def unresolved_in(problem: Problem, tiling: Cover, is_cut: BoolArray, tails: Tails) -> BoolArray:
    """Those whose coefficients do not fall, and those at corners: where slopes may be infinite, or all is cut."""
    slow = tails.falls_slowly
    slow[is_cut] = False
    if problem.dimension == 2 and problem.domain.time is None:
        frames = tiling.frames
        for place in (*problem.domain.corners(), *change_places(problem)):
            point, slack = np.array(place.point), _TOUCHING * frames.lengths
            at = np.all((frames.lower - slack <= point) & (point <= frames.upper + slack), axis=1)
            slow |= at & (is_cut | (place.opening > _STRAIGHT))
    return slow
