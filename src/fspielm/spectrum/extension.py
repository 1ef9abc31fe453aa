"""How far the frequencies of a Fourier extension must go to hold samples along lines."""

from __future__ import annotations

import numpy as np
import scipy

from fspielm.arrays import FloatArray

# How closely, as a share of the largest line, and by coefficients how many times as large.
TOLERANCE = 1e-8
_GROWTH = 30.0
# A line so much longer than needed resolves frequencies to this, times its length, or to a share of the highest.
_RESOLUTION = 6.0
_RELATIVE_RESOLUTION = 0.05
# Beyond the band by `excess`, an extension by the factor 1 + share holds it where excess * share is this.
_EXCESS_TIMES_SHARE = 22.0
_LARGEST_SHARE = _EXCESS_TIMES_SHARE / _RESOLUTION
# Samples for each function, at least.
_SAMPLES = 2.2
# Frequencies to try at most: the work grows as their cube. Of more, from a few digits to many is taken to be as far as
# for a bump, whose spectrum falls off as a Gaussian.
_MOST_FREQUENCIES = 400
_FURTHER = 1.3
# Rates of decay, times the length of a line.
_RATES = np.geomspace(0.3, 3e3, 24)


def extension_band(
    samples: FloatArray, lengths: FloatArray, guess: float, tolerance: float = TOLERANCE, *, decaying: bool = False
) -> float:
    """The highest frequency that samples contain to many digits, as far as lines of these lengths can tell.

    Other than a spectrum seen through a window, it counts what happens at the ends of the lines.

    Parameters
    ----------
    samples : (lines, n) array
        Values at n equispaced points of each line, both ends included.
    lengths : (lines,) array
    guess : float
        The highest frequency to a few digits.
    tolerance : float
        Share of the largest line that may be left over.
    decaying : bool
        Whether exponentials that decay along the lines, at any rate, do not count.
    """
    scale = float(np.linalg.norm(samples, axis=1).max(initial=0.0))
    if scale == 0.0 or tolerance >= 1.0:
        return 0.0
    reach = guess * float(lengths.max())
    share = min(_EXCESS_TIMES_SHARE / max(_RELATIVE_RESOLUTION * reach, 1e-300), _LARGEST_SHARE)
    excess = _EXCESS_TIMES_SHARE / share
    # as far as a sharp end of the band needs; if that is not enough, as far as the tail of a bump may
    narrow, wide = reach + 1.5 * excess, 1.2 * reach + 24.0 * np.sqrt(reach) + 60.0
    if wide * (1 + share) > 2 * np.pi * _MOST_FREQUENCIES:
        return _FURTHER * guess
    found = _first_enough(samples / scale, narrow, share, tolerance, decaying)
    if np.any(np.isinf(found)):
        found = np.minimum(_first_enough(samples / scale, wide, share, tolerance, decaying), wide)
    return float(np.max(np.maximum(found - 0.5 * excess, 0.0) / lengths))


def _first_enough(samples: FloatArray, limit: float, share: float, tolerance: float, decaying: bool) -> FloatArray:
    """For each line, of length one, the frequency from which on the rest is below the tolerance; infinite if none is.

    One factorisation serves all of them: frequencies are nested, and the penalty on coefficients is part of the rows.
    """
    step = 2 * np.pi / (1 + share)
    frequencies = step * np.arange(int(limit / step) + 2)
    stride = max(int(samples.shape[1] / max(_SAMPLES * 2 * len(frequencies), 200)), 1)
    values = samples[:, ::stride]
    places = np.linspace(0.0, 1.0, samples.shape[1])[::stride] - 0.5
    waves = np.outer(places, frequencies)
    columns = np.stack([np.cos(waves), np.sin(waves)], axis=2).reshape(len(places), -1)[:, 1:]
    columns[:, 0] = 1.0  # the sine of frequency zero makes room for its cosine
    given = np.exp(-np.outer(places + 0.5, _RATES)) if decaying else np.empty((len(places), 0))
    columns = np.concatenate([given, columns], axis=1)
    penalty = tolerance / _GROWTH * np.sqrt(len(places)) * np.eye(columns.shape[1])
    Q, _ = scipy.linalg.qr(np.concatenate([columns, penalty]), mode="economic", check_finite=False)
    target = np.concatenate([values.T, np.zeros((columns.shape[1], len(values)))])
    parts = Q.T @ target
    rest = np.sum((target - Q @ parts) ** 2, axis=0)
    # what is left with the first j functions, for every j
    left = np.sqrt(np.concatenate([np.cumsum(parts[::-1] ** 2, axis=0)[::-1], np.zeros((1, len(values)))]) + rest)
    left = left[given.shape[1] :]
    enough = left <= tolerance / np.sqrt(stride)
    counts = np.where(enough.any(axis=0), np.argmax(enough, axis=0), -1)
    return np.where(counts >= 0, frequencies[counts // 2], np.inf)
