"""Where in frequency the energy of a solution is: a method of `Solution`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fspielm.errors import ProblemError
from fspielm.solution.evaluation import split_waves

if TYPE_CHECKING:
    from fspielm.solution.pictures.energy import Energy
    from fspielm.solution.solution import Solution


def spectrum(solution: Solution) -> Energy:
    """Energy of the solution by frequency, relative to its largest value: what `plot_spectrum` draws.

    It is the squared Fourier transform over the first two coordinates, faded out toward the boundary, at frequencies
    up to those of the features; later coordinates are held in the middle of the domain.

    Returns
    -------
    Energy
        Its `axes` are angular frequencies, its `values` have one axis for each.
    """
    from fspielm.solution.pictures.energy import energy_along_line, energy_in_plane  # pictures import solutions

    waves, _ = split_waves(solution.basis, solution.coefficients[None, :])
    if not waves:
        raise ProblemError("a spectrum needs features that have frequencies; got none")
    reach = np.max([np.abs(group.W).max(axis=0) for group in waves], axis=0)
    reach = np.where(reach > 0, reach, 1.0)
    return energy_along_line(solution, float(reach[0])) if len(reach) == 1 else energy_in_plane(solution, reach[:2])
