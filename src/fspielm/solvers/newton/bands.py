"""Frequencies to begin with: those of the solution, not of the right-hand side, whose harmonics it does not have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fspielm.solvers.request import Request
from fspielm.spectrum import Bands, Patience, bands_of_conditions, infer_bands

# A right-hand side has what nonlinear terms make of a solution: three times its frequencies where they are cubes. With
# too few to begin with, the first rounds show it.
_HARMONICS = 3.0


def bands_of(linear: Request, patience: Patience) -> Bands:
    """The bands of the conditions and of the equation, and a share of those of the right-hand side."""
    rng = linear.streams.probes
    found = infer_bands(linear.problem, rng, patience)
    own = bands_of_conditions(linear.problem, found, rng)
    shared = found.frequencies / _HARMONICS
    frequencies = np.maximum(own.frequencies, shared)
    sources = tuple(
        theirs if high > low else one
        for theirs, one, high, low in zip(found.sources, own.sources, shared, own.frequencies, strict=True)
    )
    return replace(found, frequencies=frequencies, sources=sources)
