"""How wide and how dense a band of features must be for so many digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features.band import Band, in_rounded_box
from fspielm.geometry import unit_stream

# Features on a domain of length L with frequencies spaced 2 pi / (T L) are a Fourier extension with factor T.
_FACTORS = np.linspace(1.2, 5.0, 153)
# Convergence beyond the one-dimensional theory, which counts every axis at its worst; measured, see docs/method.md.
_GAIN = {1: 1.2, 2: 1.5}
_GAIN_ABOVE = 2.0
# Even constant data make solutions that vary, so some of a period across the domain is assumed; in three and more
# dimensions, where that costs most, nothing is until a round asks for it.
_LEAST_PERIODS = {1: 0.75, 2: 0.75}
# Narrower bands than those of the last factor would need large coefficients for amplitudes that vary.
_CLOUD_FACTORS = np.linspace(1.2, 14.0, 513)
# Measured: 1.07 to 1.16 for waves of constant amplitude in one to three dimensions, 0.87 for one like exp(x); a few
# functions too many cost nothing where these are few.
_CLOUD_GAIN = {1: 0.85}
_CLOUD_GAIN_ABOVE = 1.0


@dataclass(frozen=True, eq=False)
class Layout:
    """A band of features for one round of the solver.

    Attributes
    ----------
    family : Band
    factor : float
        Density of the frequencies: how many times more than the domain's length alone would ask for.
    """

    family: Band
    factor: float

    @property
    def widths(self) -> FloatArray:
        """Half-width of the band along each axis."""
        return np.array(self.family.widths)


def least_core(frequencies: FloatArray, lengths: FloatArray) -> FloatArray:
    """Frequencies ``(d,)`` to lay out for, given the highest that were found along each axis."""
    least = _LEAST_PERIODS.get(len(lengths), 0.0)
    return np.maximum(frequencies, least * 2 * np.pi / lengths)


def layout(core: FloatArray, lengths: FloatArray, decades: float, most: int | None = None) -> Layout:
    """The smallest band that should reach ``10**-decades`` for a solution with frequencies in the box `core`.

    A Fourier extension with factor T converges like ``E(T)**-n``, ``E(T) = cot(pi / (4 T))**2``, in the number n of
    frequencies per axis and sign that exceed the ``T core L / (2 pi)`` needed to resolve at all. A large T converges
    faster, a small T resolves cheaper; the T with the fewest neurons is taken.

    Parameters
    ----------
    core : (d,) array
        Highest frequencies expected in the solution.
    lengths : (d,) array
        Extent of the domain along each axis.
    decades : float
    most : int, optional
        At most so many neurons, in the same band.
    """
    gain = _GAIN.get(len(core), _GAIN_ABOVE)
    filled = _fill(core, lengths, decades, gain, _FACTORS)
    neurons = max(int(filled.number), 8)
    if most is not None:
        neurons = min(neurons, most)
    return Layout(Band(neurons, tuple(filled.widths), tuple(core)), filled.factor)


def cloud(center: FloatArray, core: FloatArray, lengths: FloatArray, decades: float) -> Layout:
    """The smallest band around `center` that should hold frequencies in the box ``center +- core`` to so many digits.

    Few frequencies, as of a single wave, are made with a large extension factor: a narrow band, in which the features
    hardly differ but by slowly varying amplitudes. Around zero a cosine and its mirror image are one frequency;
    elsewhere there are two functions to each.

    Parameters
    ----------
    center : (d,) array
    core : (d,) array
        Half-widths of what the data have there.
    lengths : (d,) array
        Extent of the domain along each axis.
    decades : float
    """
    filled = _fill(core, lengths, decades, _CLOUD_GAIN.get(len(core), _CLOUD_GAIN_ABOVE), _CLOUD_FACTORS)
    if not center.any():
        return Layout(Band(max(int(filled.number), 2), tuple(filled.widths), tuple(core)), filled.factor)
    family = Band(max(int(2 * filled.number), 2), tuple(filled.widths), tuple(core), tuple(center))
    return Layout(family, filled.factor)


@dataclass(frozen=True, eq=False)
class _Filling:
    """Frequencies that fill a band: how wide it is, how dense they are, and how many."""

    widths: FloatArray
    factor: float
    number: float


def _fill(core: FloatArray, lengths: FloatArray, decades: float, gain: float, factors: FloatArray) -> _Filling:
    extra = decades * np.log(10) / (gain * np.log(1 / np.tan(np.pi / (4 * factors)) ** 2))
    resolved = core * lengths / (2 * np.pi)
    per_axis = factors * resolved[:, None] + extra
    best = int(np.argmin(np.prod(per_axis, axis=0)))
    factor = float(factors[best])
    widths = core + (extra[best] / factor) * 2 * np.pi / lengths
    return _Filling(widths, factor, float(np.prod(2 * per_axis[:, best])) * _rounded_share(core, widths))


def _rounded_share(core: FloatArray, widths: FloatArray) -> float:
    """Volume of the band with rounded corners, as a share of its box."""
    unit = unit_stream(len(core), np.random.default_rng(0), "low-discrepancy")(4096)
    return float(np.mean(in_rounded_box((2 * unit - 1) * widths, core, widths)))
