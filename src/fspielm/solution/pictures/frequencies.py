"""The frequencies of a solution's features, and the highest that its pictures have to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.features import Basis
from fspielm.features.evaluation import split_leaves

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def frequencies(basis: Basis, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The frequencies ``(n, d)`` of those functions that have one, and their coefficients ``(n,)``.

    Of exponentials, how fast they oscillate.
    """
    leaves = split_leaves(basis, coefficients[None, :])
    found = [(leaf.frequencies.real, part[0]) for leaf, part in leaves if leaf.frequencies is not None]
    if not found:
        got = "polynomials in cells" if basis.on_cells else type(basis).__name__
        raise ProblemError(f"a spectrum needs functions that have frequencies; got {got}")
    return np.concatenate([W for W, _ in found]), np.concatenate([c for _, c in found])


def highest_frequencies(solution: Solution) -> FloatArray:
    """The band along each axis that the solver found, or that of the features where it looked for none."""
    bands = solution.report.bands
    if bands:
        return np.array([band.frequency for band in bands.values()])
    try:
        W, _ = frequencies(solution.basis, solution.coefficients)
    except ProblemError:
        return np.zeros(solution.problem.dimension)
    return np.asarray(np.abs(W).max(axis=0))
