"""The frequency band of a problem, axis by axis, and what set it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.geometry import Sites
from fspielm.spectrum.data import DataBand, data_bands
from fspielm.spectrum.symbol import symbol_band

_FROZEN_SITES = 512


@dataclass(frozen=True, eq=False)
class Bands:
    """Highest frequencies that the equation and its data contain.

    Attributes
    ----------
    frequencies : (d,) array
        Along each axis.
    sources : tuple of str
        What set each one: a datum's name, ``"the equation"``, or ``"constant data"``.
    unsettled : tuple of str
        Data without a clear highest frequency (jumps, kinks): the solution is hardly smooth.
    """

    frequencies: FloatArray
    sources: tuple[str, ...]
    unsettled: tuple[str, ...]


def infer_bands(problem: Problem, rng: np.random.Generator) -> Bands:
    """Infer the band from the spectra of the data, joined with the waves that the equation carries."""
    data = data_bands(problem, rng)
    frequencies = np.zeros(problem.dimension)
    sources = ["constant data"] * problem.dimension
    for band in data:
        if band.frequency > frequencies[band.axis]:
            frequencies[band.axis] = band.frequency
            sources[band.axis] = band.source
    sites = Sites(problem.domain.sample(_FROZEN_SITES, rng, "low-discrepancy"))
    waves = symbol_band(problem.operator, sites, frequencies)
    for axis in np.flatnonzero(waves > frequencies):
        frequencies[axis] = waves[axis]
        sources[axis] = "the equation"
    return Bands(frequencies, tuple(sources), _unsettled(data))


def _unsettled(data: list[DataBand]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(band.source for band in data if not band.settled))
