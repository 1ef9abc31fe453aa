"""Sums of waves in many dimensions, where no grid is affordable: from their frequencies along each axis alone."""

from __future__ import annotations

from itertools import product

import numpy as np
import scipy

from fspielm.arrays import FloatArray, NumberArray
from fspielm.expressions import Field
from fspielm.geometry import Domain, chord_lines
from fspielm.spectrum.waves import Peak, exact_waves, wave_amplitudes

_CHORDS = 8
# Waves that are fitted at once, of all that the frequencies along the axes may be parts of.
_MOST_CANDIDATES = 750
_POINTS_PER_CANDIDATE = 4
# Amplitudes below this share of the largest are what inexact frequencies leave of zero.
_SHARE = 1e-2
# Samples along a chord, and more of them for short waves, as far as a pencil of them is cheap.
_LEAST_SAMPLES = 64
_MOST_SAMPLES = 600
_SAMPLES_PER_PERIOD = 6.0
# Along one axis: waves at most (a frequency and its mirror image are two), what is noise beside them, and by how much
# a wave may seem to grow from one sample to the next.
_MOST_ALONG = 12
_NOISE = 1e-10
_DAMPED = 1e-4
# Frequencies that differ by less, in periods over the domain, are one.
_SAME = 0.05


def waves_from_axes(
    field: Field, domain: Domain, highest: FloatArray, rng: np.random.Generator
) -> tuple[Peak, ...] | None:
    """The waves that a field is a sum of, each of one frequency; None if it is not, or they are too many.

    Along chords in the direction of an axis, a wave shows its frequency along that axis. Whichever of these belong
    together is decided by a fit of all combinations, and the waves found so are checked to rounding.
    """
    lower, upper = domain.bounding_box
    seeds = domain.sample(_CHORDS, rng, "low-discrepancy")
    along = [_frequencies(field, domain, seeds, axis, float(highest[axis])) for axis in range(domain.dimension)]
    signed = [np.unique(np.concatenate([-one, one])) for one in along if one is not None]
    if len(signed) < len(along) or np.prod([float(len(one)) for one in signed]) > 2 * _MOST_CANDIDATES:
        return None
    candidates = np.array([w for w in product(*signed) if _is_first_of_pair(w)])
    if not len(candidates):  # nothing was met along any chord
        return None
    points = domain.sample(_POINTS_PER_CANDIDATE * len(candidates) + 100, rng, "low-discrepancy")
    amplitudes = wave_amplitudes(candidates, points - 0.5 * (lower + upper), field(points))
    if not np.all(np.isfinite(amplitudes)):
        return None
    strong = candidates[amplitudes > _SHARE * amplitudes.max()]
    return exact_waves([Peak(w, np.zeros_like(w)) for w in strong], field, domain, rng)


def _frequencies(field: Field, domain: Domain, seeds: FloatArray, axis: int, highest: float) -> FloatArray | None:
    """The frequencies along one axis, zero and above; None if it is not a few waves that vary along it."""
    lower, upper = domain.bounding_box
    length = float((upper - lower)[axis])
    n = _LEAST_SAMPLES + int(_SAMPLES_PER_PERIOD * highest * length / (2 * np.pi))
    if n > _MOST_SAMPLES:
        return None
    lines, lengths = chord_lines(domain, seeds, axis, n)
    values = field(lines.reshape(-1, domain.dimension)).reshape(len(lines), n)
    if not np.all(np.isfinite(values)):
        return None
    found = [_pencil(samples, each / (n - 1)) for samples, each in zip(values, lengths, strict=True)]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    return _distinct(np.sort(np.concatenate(known)), _SAME * 2 * np.pi / length)


def _pencil(samples: NumberArray, spacing: float) -> FloatArray | None:
    """Frequencies, zero and above, of a sum of a few waves, from equispaced samples; None if it is no such sum.

    Of samples without noise, the matrix pencil tells frequencies apart that differ by a fraction of a period over the
    line (Y. Hua, T. K. Sarkar, IEEE Trans. Acoust. 38, 1990).
    """
    if not samples.any():
        return np.empty(0)
    _, sizes, V = np.linalg.svd(scipy.linalg.hankel(samples[: len(samples) // 2], samples[len(samples) // 2 - 1 :]))
    rank = int(np.count_nonzero(sizes > _NOISE * sizes[0]))
    if rank > _MOST_ALONG:
        return None
    rows = V[:rank].T
    steps = np.linalg.eigvals(np.linalg.lstsq(rows[:-1], rows[1:], rcond=None)[0])
    if np.any(np.abs(np.abs(steps) - 1.0) > _DAMPED):
        return None
    return np.asarray(np.abs(np.angle(steps)) / spacing)


def _distinct(frequencies: FloatArray, resolution: float) -> FloatArray:
    """Sorted frequencies, each cluster of them once, zero where it is all but that."""
    groups = np.split(frequencies, np.flatnonzero(np.diff(frequencies) > resolution) + 1)
    means = [float(np.median(group)) for group in groups if len(group)]
    return np.array([0.0 if mean <= resolution else mean for mean in means])


def _is_first_of_pair(frequency: tuple[float, ...]) -> bool:
    """Whether it is not the mirror image of another one."""
    leading = next((w for w in frequency if w != 0.0), 0.0)
    return leading >= 0.0
