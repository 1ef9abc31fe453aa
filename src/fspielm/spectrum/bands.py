"""The frequency band of a problem, axis by axis, and what set it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.geometry import Sites
from fspielm.spectrum.data import DataBand, data_bands
from fspielm.spectrum.extension import TOLERANCE, extension_band
from fspielm.spectrum.fastest_places import fastest_places
from fspielm.spectrum.hidden import affordable, hidden_of
from fspielm.spectrum.lines import ROUGH_THRESHOLD, line_band
from fspielm.spectrum.sizes import RIGHT_HAND_SIDE, data_sizes
from fspielm.spectrum.symbol import symbol_band
from fspielm.spectrum.wells import well_band

_FROZEN_SITES = 512
# Higher by a few percent is what every band has beyond its frequencies.
_CLEARLY = 1.02
# Between these shares of the largest amplitude the frequency of a smooth function rises by half at most, and by more
# than this where amplitudes fall like the fourth power of it, or more slowly.
_POWER_SHARES = 1e-3, 1e-5
_POWER_RATIO = 3.0


# What sets a band, where that is no datum.
OF_THE_PROBLEM = (
    "the equation",
    "a wave caught in a well of its coefficients",
    "a condition that lets it through",
)


@dataclass(frozen=True, eq=False)
class Bands:
    """Highest frequencies that the equation and its data contain.

    Attributes
    ----------
    frequencies : (d,) array
        Along each axis.
    sources : tuple of str
        What set each one: a datum's name, ``"the equation"``, ``"a wave caught in a well of its coefficients"``, ``"a
        condition that lets it through"``, ``"data that do not oscillate"`` or ``"constant data"``.
    unsettled : tuple of str
        Data without a clear highest frequency (jumps, kinks): the solution is hardly smooth.
    data : tuple of DataBand
        Each datum's, along each axis that it varies along.
    """

    frequencies: FloatArray
    sources: tuple[str, ...]
    unsettled: tuple[str, ...]
    data: tuple[DataBand, ...] = ()

    def lines(self, coordinates: Sequence[object]) -> list[str]:
        """What was found along each axis, and what set it, in words."""
        found = zip(coordinates, self.frequencies, self.sources, strict=True)
        return [f"{symbol}: {frequency:.4g}, set by {source}" for symbol, frequency, source in found]


def infer_bands(problem: Problem, rng: np.random.Generator) -> Bands:
    """Infer the band from the spectra of the data, joined with the waves that the equation carries.

    At the end of the enforced deadline it takes the bands as they are: what they leave out shows in the rounds.
    """
    if problem.domain.is_unbounded:
        from fspielm.equations.open_domain import has_data, highest_wavenumber  # few problems have an open domain

        if not has_data(problem):  # what comes in has the waves of the equation
            highest = highest_wavenumber(problem)
            return Bands(np.full(problem.dimension, highest), (OF_THE_PROBLEM[0],) * problem.dimension, ())
    return _with_waves(problem, data_bands(problem, rng), rng)


def refine_bands(problem: Problem, bands: Bands, rng: np.random.Generator) -> Bands:
    """The bands to eight digits of the solution instead of five of each datum.

    For features that are solved with once: it takes longer, and nothing is left to be added.
    """
    return _with_waves(problem, _refined(problem, list(bands.data), rng), rng)


def bands_of_conditions(problem: Problem, bands: Bands, rng: np.random.Generator) -> Bands:
    """The bands of the conditions' data alone, joined with the waves that the equation carries."""
    return _with_waves(problem, [band for band in bands.data if not band.source.startswith(RIGHT_HAND_SIDE)], rng)


def without_short_lines(problem: Problem, bands: Bands, shortest: float, rng: np.random.Generator) -> Bands:
    """The bands but for data along shorter lines, such as small pieces of the boundary; as they are without such."""
    long = [band for band in bands.data if band.samples is None or float(np.max(band.samples[1])) >= shortest]
    return bands if len(long) == len(bands.data) else _with_waves(problem, long, rng)


def settled_bands(problem: Problem, bands: Bands, rng: np.random.Generator) -> Bands:
    """The bands of data without jumps and kinks, of any order, joined with the waves that the equation carries."""
    return _with_waves(problem, [_without_kinks(band) for band in bands.data if band.settled], rng)


def _without_kinks(band: DataBand) -> DataBand:
    """Cut where jumps are, if amplitudes fall like a power: a higher derivative jumps somewhere along the lines."""
    if band.samples is None:
        return band
    lower, upper = (line_band(*band.samples, share).frequency for share in _POWER_SHARES)
    if upper <= _POWER_RATIO * lower:
        return band
    return replace(band, frequency=band.slant * line_band(*band.samples, ROUGH_THRESHOLD).frequency)


def _with_waves(problem: Problem, data: list[DataBand], rng: np.random.Generator) -> Bands:
    frequencies = np.zeros(problem.dimension)
    sources = ["constant data"] * problem.dimension
    for band in data:
        if band.frequency > frequencies[band.axis]:
            frequencies[band.axis] = band.frequency
            sources[band.axis] = band.source
        elif band.varies and sources[band.axis] == "constant data":
            sources[band.axis] = "data that do not oscillate"
    sites = Sites(problem.domain.sample(_FROZEN_SITES, rng, "low-discrepancy"))
    waves = _waves(problem, sites, frequencies)
    lower, upper = problem.domain.bounding_box
    passing = hidden_of(problem).affordable(upper - lower)
    caught = affordable(well_band(problem), upper - lower)
    for found, source in zip((waves, caught, passing), OF_THE_PROBLEM, strict=True):
        for axis in np.flatnonzero(found > frequencies):
            frequencies[axis] = found[axis]
            sources[axis] = source
    return Bands(frequencies, tuple(sources), _unsettled(data), tuple(data))


def _waves(problem: Problem, sites: Sites, frequencies: FloatArray) -> FloatArray:
    """The waves that the equation carries: where coefficients vary, at the fastest places, if that is clearly more."""
    waves = symbol_band(problem.determinant, sites, frequencies)
    if problem.determinant.is_constant:
        return waves
    if problem.determinant.order == 1:
        # where a stream turns, frozen coefficients have frequencies across it that are beyond all bounds
        return waves if problem.domain.time is not None else np.zeros_like(waves)
    try:
        fastest = symbol_band(problem.determinant, sites, frequencies, fastest_places(problem, frequencies))
    except ProblemError:  # a coefficient has no value at one of many points: whoever needs it there says so
        return waves
    return np.where(fastest > _CLEARLY * waves, fastest, waves)


def _unsettled(data: list[DataBand]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(band.source for band in data if not band.settled))


def _refined(problem: Problem, data: list[DataBand], rng: np.random.Generator) -> list[DataBand]:
    """The bands to eight digits of the solution, in which data weigh as much as they are large.

    Without waves, what decays in time is no matter of frequencies.
    """
    sizes = data_sizes(problem, rng)
    largest = max(sizes.values()) or 1.0
    last = problem.dimension - 1
    highest = np.array([max((b.frequency for b in data if b.axis == i), default=0.0) for i in range(last + 1)])
    sites = Sites(problem.domain.sample(_FROZEN_SITES, rng, "low-discrepancy"))
    decaying = problem.domain.time is not None and symbol_band(problem.determinant, sites, highest)[last] == 0.0
    refined = []
    for band in data:
        if band.settled and band.samples is not None:
            values, lengths = band.samples
            guess = band.frequency / band.slant
            tolerance = TOLERANCE / max(sizes[band.source] / largest, TOLERANCE)
            found = extension_band(values, lengths, guess, tolerance, decaying=decaying and band.axis == last)
            refined.append(replace(band, frequency=band.slant * max(guess, found)))
        else:
            refined.append(band)
    return refined
