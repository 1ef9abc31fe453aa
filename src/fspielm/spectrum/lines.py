"""The highest frequency of samples along lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from fspielm.arrays import FloatArray

# Below this share of the largest amplitude, a frequency does not count: the loop adds what is missing, while a
# lower threshold would follow the slow tails of windows and of rounding.
THRESHOLD = 1e-5
# What data without a highest frequency (jumps, kinks) are cut at: a first digit or two can still be had.
ROUGH_THRESHOLD = 1e-1
# Above this share, frequencies that never end are noise: the tail of a jump is lower than that long before.
NOISE_THRESHOLD = 1e-2
# From each of these thresholds to the next, jumps and kinks (amplitudes like 1/w and 1/w^2) raise the band tenfold and
# threefold, smooth functions by half at most; a second derivative that jumps (twofold) can still be resolved.
_DECAY_THRESHOLDS = (1e-2, 1e-3, 1e-4, 1e-5)
_ROUGH_RATIO = 2.5
# Side lobes of this Kaiser window lie far below the threshold.
_BETA = 24.0
# Zero padding, so that frequencies are read finer than one period per line.
_PADDING = 4


@dataclass(frozen=True)
class LineBand:
    """What the spectra of a set of lines say.

    Attributes
    ----------
    frequency : float
        The highest frequency with an amplitude above the threshold, less the window's own width.
    settled : bool
        Whether it lies below half of what the samples can see.
    rough : bool
        Whether amplitudes fall no faster than the square of the frequency, as those of jumps and kinks.
    """

    frequency: float
    settled: bool
    rough: bool


def line_band(samples: FloatArray, lengths: FloatArray, threshold: float = THRESHOLD) -> LineBand:
    """Read the band of lines.

    Parameters
    ----------
    samples : (lines, n) array
        Values at n equispaced points of each line, both ends included.
    lengths : (lines,) array
    threshold : float
        Share of the largest amplitude below which a frequency does not count.

    Returns
    -------
    LineBand
        Over all lines: amplitudes are compared with the largest on any of them.
    """
    n = samples.shape[1]
    amplitudes = np.abs(np.fft.rfft(samples * np.kaiser(n, _BETA), _PADDING * n, axis=1))
    largest = amplitudes.max(initial=0.0)
    if largest == 0.0:
        return LineBand(0.0, True, False)
    per_bin = 2 * np.pi / (lengths * _PADDING * n / (n - 1))

    def highest(share: float) -> tuple[float, int]:
        above = amplitudes > share * largest
        bins = np.where(above.any(axis=1), above.shape[1] - 1 - np.argmax(above[:, ::-1], axis=1), 0)
        return float(np.max(np.maximum(bins - _window_bins(n, share), 0) * per_bin)), int(bins.max())

    frequency, last = highest(threshold)
    decay = np.array([highest(share)[0] for share in _DECAY_THRESHOLDS])
    return LineBand(
        frequency,
        last < amplitudes.shape[1] // 2,
        bool(decay[0] > 0 and np.all(decay[1:] > _ROUGH_RATIO * decay[:-1])),
    )


@cache
def _window_bins(n: int, threshold: float) -> int:
    """How many bins the window itself spreads a single frequency over, at the threshold."""
    amplitude = np.abs(np.fft.rfft(np.kaiser(n, _BETA), _PADDING * n))
    return int(np.flatnonzero(amplitude > threshold * amplitude[0])[-1])
