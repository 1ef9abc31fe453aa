"""Where in frequency the energy of a solution is: a method of `Solution`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fspielm.errors import ProblemError

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
    # pictures import solutions
    from fspielm.solution.pictures.energy import energy_along_line, energy_in_plane
    from fspielm.solution.pictures.frequencies import frequencies

    if any(leaf.frequencies is not None and not leaf.oscillates for leaf in solution.basis.leaves):
        raise ProblemError("a spectrum needs functions that have frequencies; got others")
    W, _ = frequencies(solution.basis, solution.coefficients)
    reach = np.abs(W).max(axis=0)
    reach = np.where(reach > 0, reach, 1.0)
    return energy_along_line(solution, float(reach[0])) if len(reach) == 1 else energy_in_plane(solution, reach[:2])
