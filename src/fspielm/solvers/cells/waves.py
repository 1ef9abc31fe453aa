"""How fast solutions may oscillate in each cell: in a medium that varies, not everywhere alike."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.geometry.cells import Cover
from fspielm.spectrum import Bands, waves_at

# A cell with fewer points than this that are looked at may hide something.
_LOOKS = 6
# How many there are to be in each on average.
_AIMED = 16
# By how much of what the frequency varies within a cell, relative to it, functions of it have more of them.
_BENT = 1.0


def waves_in_cells(problem: Problem, tiling: Cover, bands: Bands, frequencies: FloatArray) -> FloatArray:
    """The highest frequency along each axis in each of C cells, ``(C, d)``; that of all where nothing varies."""
    everywhere = np.tile(frequencies, (len(tiling.cells), 1))
    if problem.interfaces or problem.domain.time is not None or "the equation" not in bands.sources:
        return everywhere
    data = np.zeros(problem.dimension)
    for band in bands.data:
        data[band.axis] = max(data[band.axis], band.frequency)
    try:
        points, waves = waves_at(problem, data, _AIMED * len(tiling.cells))
    except ProblemError:  # a coefficient has no value at one of many points: whoever needs it there says so
        return everywhere
    cells = tiling.locate(points)
    highest, lowest = np.zeros_like(everywhere), np.full_like(everywhere, np.inf)
    np.maximum.at(highest, cells, waves)
    np.minimum.at(lowest, cells, waves)
    varies = 1 - np.divide(lowest, highest, out=np.ones_like(highest), where=highest > 0)
    seen = np.bincount(cells, minlength=len(tiling.cells)) >= _LOOKS
    found = np.maximum(highest * (1 + _BENT * varies), data)
    of_equation = np.array([source == "the equation" for source in bands.sources])
    return np.where(seen[:, None] & of_equation, found, everywhere)
