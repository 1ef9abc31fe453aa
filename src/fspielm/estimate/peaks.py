"""The peaks of the spectra of data, and boxes of frequencies around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, real_parts
from fspielm.estimate.amounts import ALIKE, CLEARLY, FEW, FEW_DIGITS, MANY, NEAR, SEVERAL
from fspielm.estimate.band_data import NOISE_THRESHOLD, THRESHOLD
from fspielm.expr.functions import Field
from fspielm.geometry.domain import Domain, chord_lines
from fspielm.geometry.time import SpaceTime
from fspielm.numerics.roots import bisect
from fspielm.numerics.tolerances import ROUNDED, SAME, TINY

# ---- Boxes inside a domain

Box = tuple[FloatArray, FloatArray]

# Halvings to find the size of a box; and points along each of its edges, all of which have to lie inside.
_FINENESS = 7


def inscribed_boxes(domain: Domain, rng: np.random.Generator) -> list[Box]:
    """Large boxes inside the domain, with the shape of its bounding box: one if that is the domain, otherwise some.

    With time, they cover all of it. Holes narrower than a seventh of a box may be overlooked.
    """
    if isinstance(domain, SpaceTime):
        (start,), (end,) = (corner[-1:] for corner in domain.bounding_box)
        return [(np.append(low, start), np.append(high, end)) for low, high in inscribed_boxes(domain.space, rng)]
    lower, upper = domain.bounding_box
    half = 0.5 * (upper - lower)
    middle = 0.5 * (lower + upper)[None, :]
    if _fit(domain, middle, (1 - SAME) * half[None, :]).all():
        return [(lower, upper)]
    places = np.concatenate([middle, domain.sample(MANY, rng, "low-discrepancy")])
    # the largest box around each place that fits, as a share of the bounding box
    none, whole = np.zeros(len(places)), np.ones(len(places))
    shares, _ = bisect(none, whole, lambda shares: _fit(domain, places, shares[:, None] * half), _FINENESS)
    boxes: list[Box] = []
    for index in np.argsort(-shares):
        if len(boxes) == FEW or CLEARLY * shares[index] < shares.max() or shares.max() == 0:
            break
        # a center within a box would give the same
        if not any(np.all((low <= places[index]) & (places[index] <= high)) for low, high in boxes):
            boxes.append((places[index] - shares[index] * half, places[index] + shares[index] * half))
    return boxes


def _fit(domain: Domain, places: FloatArray, halves: FloatArray) -> BoolArray:
    """Mask of the places ``(n, d)`` whose boxes ``(n, d)`` lie inside."""
    ends = np.ones(places.shape[1])
    points = places[:, None, :] + grid_points((-ends, ends), (_FINENESS,) * len(ends)) * halves[:, None, :]
    inside = domain.contains(points.reshape(-1, places.shape[1]))
    return np.asarray(np.all(inside.reshape(points.shape[:2]), axis=1))


# ---- Peaks, and exact frequencies of sums of waves


@final
@dataclass(frozen=True, eq=False)
class Peak:
    """A box of frequencies of a datum, together with its mirror image."""

    center: FloatArray  # (d,); zero for a box around the origin, which is its own mirror image
    widths: FloatArray  # (d,): half-widths; zero for a single frequency, up to the resolution of the domain
    exact: bool = False  # whether it is the single frequency `center`, known to rounding


def exact_waves(
    peaks: Sequence[Peak], field: Field, domain: Domain, rng: np.random.Generator
) -> tuple[Peak, ...] | None:
    """The peaks with exact frequencies, if the field is a sum of waves with one each; None if not.

    The frequencies are fitted to the field by Gauss-Newton steps, and checked at other points.
    """
    if not 0 < len(peaks) <= MANY:
        return None
    lower, upper = domain.bounding_box
    number = max(4 * len(peaks) * (domain.dimension + 2), _MOST_LINES)
    points = domain.sample(2 * number, rng, "low-discrepancy") - 0.5 * (lower + upper)
    values = field(points + 0.5 * (lower + upper))
    if not np.all(np.isfinite(values)):
        return None
    W = np.array([peak.center for peak in peaks])
    for _ in range(SEVERAL):
        W = W + _gauss_newton_step(W, points[::2], values[::2])
    amplitudes, _ = _fit_waves(W, points[::2], values[::2])
    error = np.abs(_waves(W, points[1::2]) @ amplitudes - values[1::2]).max()
    if not error <= ROUNDED * np.abs(values).max():
        return None
    return tuple(Peak(center, peak.widths, exact=True) for center, peak in zip(W, peaks, strict=True))


def _gauss_newton_step(W: FloatArray, points: FloatArray, values: NumberArray) -> FloatArray:
    """The change of the frequencies, which both parts of complex values share."""
    amplitudes, rest = _fit_waves(W, points, values)
    waves = _waves(W, points)
    cosines, sines = np.split(waves, 2, axis=1)
    each = real_parts(amplitudes)
    # derivatives of the sum of waves with respect to each component of the frequencies
    turned = np.concatenate([part[len(W) :] * cosines - part[: len(W)] * sines for part in each])
    slopes = (turned[:, :, None] * np.tile(points, (len(each), 1))[:, None, :]).reshape(len(turned), -1)
    own = np.kron(np.eye(len(each)), waves) if len(each) > 1 else waves
    right = np.concatenate(real_parts(rest))
    change = np.linalg.lstsq(np.concatenate([own, slopes], axis=1), right, rcond=None)[0]
    return np.asarray(change[own.shape[1] :].reshape(W.shape))


def _fit_waves(W: FloatArray, points: FloatArray, values: NumberArray) -> tuple[NumberArray, NumberArray]:
    """Amplitudes ``(2 m,)`` of the waves, and the residual of the values."""
    waves = _waves(W, points)
    amplitudes = np.asarray(np.linalg.lstsq(waves, values, rcond=None)[0])
    return amplitudes, values - waves @ amplitudes


def _waves(W: FloatArray, points: FloatArray) -> FloatArray:
    """Cosines, then sines, at points, shape ``(n, 2 m)``."""
    phase = points @ W.T
    return np.concatenate([np.cos(phase), np.sin(phase)], axis=1)


# ---- Spectra of a field over a box, and their spectral lines

# The side lobes of this Kaiser window lie just below the threshold, which gives the best resolution.
_BETA = 16.0
# The factor of samples beyond the two per period that are needed, to see higher frequencies.
_OVERSAMPLING = 1.5
# Zero padding, to read frequencies finer than one period per box; in space the grids are large without.
_PADDING = {1: 4, 2: 2}
# The most frequencies of a spectrum with a few peaks, and the fewest points at which they are fitted.
_MOST_LINES = 200
# The window's image of a frequency counts this much closer, in periods per box, as amplitudes may vary slowly.
_SPREAD = 0.6


@final
@dataclass(frozen=True, eq=False)
class Spectrum:
    """Amplitudes of a field over a box, one axis for each coordinate."""

    amplitudes: FloatArray  # frequency zero is in the middle
    size: tuple[int, ...]  # samples along each axis
    steps: FloatArray  # from one frequency to the next, (d,)


@final
@dataclass(frozen=True, eq=False)
class Lines:
    """The frequencies ``(m, d)`` of a spectrum with their mirror images, the strongest first."""

    frequencies: FloatArray
    is_peak: BoolArray  # whether the amplitude is a local maximum, (m,)


def grid_size(box: Box, highest: FloatArray) -> tuple[int, ...]:
    """Samples along each axis that resolve frequencies up to `highest`, and show whether there are higher ones."""
    lengths = box[1] - box[0]
    seen = _OVERSAMPLING * (highest + 4 * _BETA / lengths)
    return tuple(int(n) for n in np.ceil(lengths * seen / np.pi))


def grid_points(box: Box, size: tuple[int, ...]) -> FloatArray:
    """The points of a grid on a box, its faces included, ``(n, d)``."""
    axes = [np.linspace(low, high, n) for low, high, n in zip(*box, size, strict=True)]
    return np.stack([values.ravel() for values in np.meshgrid(*axes, indexing="ij")], axis=1)


def windowed_spectrum(field: Field, box: Box, size: tuple[int, ...]) -> Spectrum:
    """The Fourier transform of the field over the box, under a Kaiser window."""
    points = grid_points(box, size)
    windows = [np.kaiser(n, _BETA) / np.kaiser(n, _BETA).sum() for n in size]
    samples = field(points).reshape(size) * reduce(np.multiply.outer, windows)
    padded = [_PADDING.get(len(size), 1) * n for n in size]
    amplitudes = np.abs(scipy.fft.fftshift(scipy.fft.fftn(samples, padded)))
    spacing = (box[1] - box[0]) / (np.array(size) - 1)
    return Spectrum(amplitudes, size, 2 * np.pi / (spacing * padded))


def find_lines(spectrum: Spectrum, threshold: float) -> Lines | None:
    """Frequencies whose images under the window explain all amplitudes above the threshold.

    The first is the largest amplitude, with its mirror image; the next is the largest that clearly exceeds the images
    of those found, and so on. None if they are too many, or some are near the highest that the samples resolve.
    """
    amplitudes = spectrum.amplitudes
    shape = np.array(amplitudes.shape)
    zero = shape // 2
    explained = np.zeros_like(amplitudes)
    found: list[FloatArray] = []
    is_peak: list[bool] = []
    while len(found) < _MOST_LINES:
        unexplained = np.where(amplitudes > CLEARLY * explained, amplitudes, 0.0)
        index = np.array(np.unravel_index(int(np.argmax(unexplained)), unexplained.shape))
        top = amplitudes[tuple(index)]
        if unexplained[tuple(index)] <= threshold:
            return Lines(np.array(found).reshape(-1, len(shape)) * spectrum.steps, np.array(is_peak, dtype=np.bool_))
        if np.any(index <= 1) or np.any(index >= shape - 2):
            return None
        around = amplitudes[tuple(slice(i - 1, i + 2) for i in index)]
        exact = index + _offset(amplitudes, index) - zero
        for line in (exact, -exact):
            found.append(line)
            is_peak.append(bool(top >= around.max()))
            along = [
                _image(n, p // n, np.arange(p) - c) for n, p, c in zip(spectrum.size, shape, line + zero, strict=True)
            ]
            explained += top * reduce(np.multiply.outer, along)
    return None


def _offset(amplitudes: FloatArray, index: NDArray[np.int_]) -> FloatArray:
    """The offset of a peak from its highest bin, by a parabola through the logarithms."""
    offsets = []
    for axis in range(amplitudes.ndim):
        step = np.eye(amplitudes.ndim, dtype=int)[axis]
        low, middle, high = (np.log(amplitudes[tuple(index + sign * step)] + TINY) for sign in (-1, 0, 1))
        bend = low - 2 * middle + high
        offsets.append(np.clip(0.5 * (low - high) / bend, -0.5, 0.5) if bend < 0 else 0.0)
    return np.array(offsets)


def _image(n: int, padding: int, bins: FloatArray) -> FloatArray:
    """The largest image of a frequency under the window at a distance of `bins`, or a little less."""
    away = np.maximum(np.abs(bins) / padding - _SPREAD, 0.0)
    return np.asarray(np.exp(np.interp(away, *_envelope(n))))


@lru_cache(maxsize=16)
def _envelope(n: int) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the window's spectrum, without its dips, at multiples of its lowest frequency."""
    amplitude = np.abs(np.fft.rfft(np.kaiser(n, _BETA), SEVERAL * n))
    falling = np.maximum.accumulate(amplitude[::-1])[::-1] / amplitude[0]
    return np.arange(len(falling)) / SEVERAL, np.log(falling + TINY)


# ---- Sums of waves in many dimensions, where no grid is affordable, from their frequencies along each axis

# The most waves that are fitted at once, combinations of the frequencies along the axes; and the most samples along a
# chord, more for short waves as long as a matrix pencil is cheap.
_MOST_AT_ONCE = 750
_SAMPLES_PER_PERIOD = 6.0


def waves_from_axes(
    field: Field, domain: Domain, highest: FloatArray, rng: np.random.Generator
) -> tuple[Peak, ...] | None:
    """The waves of a field that is a sum of waves, each of one frequency; None if it is not, or they are too many.

    Along chords in the direction of an axis, a wave shows its frequency along that axis. A fit of all combinations
    tells which of these belong together, and the waves are checked to rounding.
    """
    lower, upper = domain.bounding_box
    seeds = domain.sample(SEVERAL, rng, "low-discrepancy")
    along = [_frequencies(field, domain, seeds, axis, float(highest[axis])) for axis in range(domain.dimension)]
    signed = [np.unique(np.concatenate([-one, one])) for one in along if one is not None]
    if len(signed) < len(along) or np.prod([float(len(one)) for one in signed]) > 2 * _MOST_AT_ONCE:
        return None
    # of two mirror images, the one whose first nonzero component is positive
    candidates = np.array([w for w in product(*signed) if next((x for x in w if x != 0.0), 0.0) >= 0.0])
    if not len(candidates):  # no waves along any chord
        return None
    points = domain.sample(FEW * len(candidates) + 100, rng, "low-discrepancy")
    fitted, _ = _fit_waves(candidates, points - 0.5 * (lower + upper), field(points))
    amplitudes = np.hypot(*np.abs(np.split(fitted, 2)))
    if not np.all(np.isfinite(amplitudes)):
        return None
    # others are zero up to the errors of frequencies
    strong = candidates[amplitudes > NOISE_THRESHOLD * amplitudes.max()]
    return exact_waves([Peak(w, np.zeros_like(w)) for w in strong], field, domain, rng)


def _frequencies(field: Field, domain: Domain, seeds: FloatArray, axis: int, highest: float) -> FloatArray | None:
    """The frequencies along one axis, zero and above; None if the field is not a few waves along it."""
    length = float(np.ptp(domain.bounding_box, axis=0)[axis])
    n = NEAR + int(_SAMPLES_PER_PERIOD * highest * length / (2 * np.pi))
    if n > _MOST_AT_ONCE:
        return None
    lines, lengths = chord_lines(domain, seeds, axis, n)
    values = field(lines.reshape(-1, domain.dimension)).reshape(len(lines), n)
    if not np.all(np.isfinite(values)):
        return None
    found = [_pencil(samples, each / (n - 1)) for samples, each in zip(values, lengths, strict=True)]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    # one frequency for each cluster, exactly zero for a cluster near zero
    sorted_, resolution = np.sort(np.concatenate(known)), ALIKE * 2 * np.pi / length
    clusters = np.split(sorted_, np.flatnonzero(np.diff(sorted_) > resolution) + 1)
    means = np.array([float(np.median(cluster)) for cluster in clusters if len(cluster)])
    return np.where(means <= resolution, 0.0, means)


def _pencil(samples: NumberArray, spacing: float) -> FloatArray | None:
    """Frequencies, zero and above, of a sum of a few waves, from equispaced samples; None if it is no such sum.

    For samples without noise, the matrix pencil resolves frequencies that differ by a fraction of a period over the
    line (Y. Hua, T. K. Sarkar, IEEE Trans. Acoust. 38, 1990).
    """
    if not samples.any():
        return np.empty(0)
    _, sizes, V = np.linalg.svd(scipy.linalg.hankel(samples[: len(samples) // 2], samples[len(samples) // 2 - 1 :]))
    rank = int(np.count_nonzero(sizes > SAME * sizes[0]))
    if 2 * rank > MANY:  # a frequency and its mirror image are two
        return None
    rows = V[:rank].T
    steps = np.linalg.eigvals(np.linalg.lstsq(rows[:-1], rows[1:], rcond=None)[0])
    if np.any(np.abs(np.abs(steps) - 1.0) > FEW_DIGITS):  # it grows or decays
        return None
    return np.asarray(np.abs(np.angle(steps)) / spacing)


# ---- Boxes around the peaks of a spectrum

_MOST_GRID_SAMPLES = 4_000_000
# Memory for each sample, including the padded transform and its derived arrays.
SAMPLE_BYTES = 250
# Frequencies closer than this, over the extent of the box, share a peak: their images overlap, and there may be more
# frequencies between them.
_MERGED = 30.0


def find_peaks(
    field: Field,
    domain: Domain,
    highest: FloatArray,
    rng: np.random.Generator,
    threshold: float = THRESHOLD,
    most: float = _MOST_GRID_SAMPLES,
) -> tuple[Peak, ...] | None:
    """Boxes that contain every frequency of a smooth field with an amplitude above `threshold` of the largest.

    By windowed Fourier transforms over boxes inside the domain; frequencies that these cannot resolve share a box. The
    highest frequencies expected along the axes ``(d,)`` decide the sampling, with no more than `most` samples. None
    where the field is not finite, has higher frequencies than expected, has too many peaks, or would need too many
    samples and is not a sum of waves.
    """
    if field.constant is not None:
        return () if field.constant == 0.0 else (Peak(np.zeros(domain.dimension), np.zeros(domain.dimension)),)
    boxes = inscribed_boxes(domain, rng)
    sizes = [grid_size(box, highest) for box in boxes]
    if sum(float(np.prod(size)) for size in sizes) > min(most, _MOST_GRID_SAMPLES):
        return waves_from_axes(field, domain, highest, rng)
    if not boxes:
        return None
    # a callable need not be defined outside of the domain
    is_whole = np.array_equal(boxes[0], domain.bounding_box)
    if not (field.is_formula or is_whole):
        grids = (grid_points(box, size) for box, size in zip(boxes, sizes, strict=True))
        if not all(domain.contains(grid).all() for grid in grids):
            return None
    spectra = [windowed_spectrum(field, box, size) for box, size in zip(boxes, sizes, strict=True)]
    largest = max(float(spectrum.amplitudes.max()) for spectrum in spectra)
    if not np.isfinite(largest):
        return None
    lines = [find_lines(spectrum, threshold * largest) for spectrum in spectra]
    found = [line for line in lines if line is not None]
    if len(found) < len(lines):
        return None
    # the frequencies of a sum of waves can be found more accurately than by a window
    tops = _one_of_each_pair([np.stack([w, w]) for w in found[0].frequencies[found[0].is_peak]])
    waves = exact_waves(tops, field, domain, rng)
    if waves is not None:
        return waves
    coarsest = np.min([upper - lower for lower, upper in boxes], axis=0)
    ends = [np.stack([w, w]) for line in found for w in line.frequencies]
    return _one_of_each_pair(_merge(ends, _MERGED / coarsest))


def _merge(boxes: list[FloatArray], resolution: FloatArray) -> list[FloatArray]:
    """Merge boxes that overlap, or nearly do."""
    queue, merged = list(boxes), []
    while queue:
        box = queue.pop()
        is_near = [bool(np.all(np.maximum(box[0], b[0]) <= np.minimum(box[1], b[1]) + resolution)) for b in queue]
        if not any(is_near):
            merged.append(box)
            continue
        together = np.stack([box, *(b for b, near in zip(queue, is_near, strict=True) if near)])
        queue = [b for b, near in zip(queue, is_near, strict=True) if not near]
        queue.append(np.stack([together[:, 0].min(axis=0), together[:, 1].max(axis=0)]))
    return merged


def _one_of_each_pair(boxes: list[FloatArray]) -> tuple[Peak, ...]:
    peaks = []
    for low, high in boxes:
        center, widths = 0.5 * (low + high), 0.5 * (high - low)
        rounding = SAME * np.abs(boxes).max()
        if np.all(np.abs(center) <= rounding):
            peaks.append(Peak(np.zeros_like(center), widths))
        elif center[np.argmax(np.abs(center) > rounding)] > 0:
            peaks.append(Peak(center, widths))
    return tuple(peaks)
