"""Where the spectrum of a datum lives: boxes around its peaks."""

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
from fspielm.estimate.band_data import THRESHOLD
from fspielm.expr.functions import Field
from fspielm.geometry.domain import Domain, chord_lines
from fspielm.geometry.time import SpaceTime
from fspielm.numerics.sampling import bisect

# ---- Boxes inside a domain, at several places


Box = tuple[FloatArray, FloatArray]

_PLACES = 24
_MOST_BOXES = 4
_HALVINGS = 7
# Points along each edge of a box that all have to lie inside.
_LATTICE = 7
# Smaller boxes, as a share of the largest, tell too little.
_LEAST_SHARE = 0.5
_INSIDE = 1 - 1e-9


def inscribed_boxes(domain: Domain, rng: np.random.Generator) -> list[Box]:
    """Large boxes inside the domain, of its bounding box's shape: one if that is the domain, otherwise some.

    With time, they last as long as the domain does. Holes narrower than a seventh of a box may be overlooked.
    """
    if isinstance(domain, SpaceTime):
        (start,), (end,) = (corner[-1:] for corner in domain.bounding_box)
        return [(np.append(low, start), np.append(high, end)) for low, high in inscribed_boxes(domain.space, rng)]
    lower, upper = domain.bounding_box
    half = 0.5 * (upper - lower)
    middle = 0.5 * (lower + upper)[None, :]
    if _fit(domain, middle, _INSIDE * half[None, :]).all():
        return [(lower, upper)]
    places = np.concatenate([middle, domain.sample(_PLACES, rng, "low-discrepancy")])
    shares = _largest_shares(domain, places, half)
    boxes: list[Box] = []
    for index in np.argsort(-shares):
        if len(boxes) == _MOST_BOXES or shares[index] < _LEAST_SHARE * shares.max() or shares.max() == 0:
            break
        # another one within a box would see the same
        if not any(np.all((low <= places[index]) & (places[index] <= high)) for low, high in boxes):
            boxes.append((places[index] - shares[index] * half, places[index] + shares[index] * half))
    return boxes


def _largest_shares(domain: Domain, places: FloatArray, half: FloatArray) -> FloatArray:
    """The largest box around each place that fits, as a share of `half`, by halving."""
    none, whole = np.zeros(len(places)), np.ones(len(places))
    return bisect(none, whole, lambda shares: _fit(domain, places, shares[:, None] * half), _HALVINGS)[0]


def _fit(domain: Domain, places: FloatArray, halves: FloatArray) -> BoolArray:
    """Mask of the places ``(n, d)`` whose boxes ``(n, d)`` lie inside."""
    ticks = np.linspace(-1.0, 1.0, _LATTICE)
    lattice = np.stack([t.ravel() for t in np.meshgrid(*[ticks] * places.shape[1], indexing="ij")], axis=1)
    points = places[:, None, :] + lattice * halves[:, None, :]
    inside = domain.contains(points.reshape(-1, places.shape[1]))
    return np.asarray(np.all(inside.reshape(points.shape[:2]), axis=1))


# ---- A peak of a spectrum, and the frequency of one that is nothing but a wave


_MOST_WAVES = 24
_STEPS = 8
_LEAST_SITES = 200
# What is left, beside the largest value, of a sum of waves whose frequencies are known to rounding.
_ROUNDING = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Peak:
    """A box of frequencies that a datum has, together with its mirror image.

    Attributes
    ----------
    center : (d,) array
        Zero for a box around the origin, which is its own mirror image.
    widths : (d,) array
        Half-widths; zero for a single frequency, as far as the domain's extent lets that be told.
    exact : bool
        Whether there is nothing but the frequency `center`, known to rounding.
    """

    center: FloatArray
    widths: FloatArray
    exact: bool = False


def exact_waves(
    peaks: Sequence[Peak], field: Field, domain: Domain, rng: np.random.Generator
) -> tuple[Peak, ...] | None:
    """The peaks with their exact frequencies, if the field is a sum of waves with one each; None if not.

    The frequencies are fitted to the field by steps of Gauss and Newton's, and checked at other points.
    """
    if not 0 < len(peaks) <= _MOST_WAVES:
        return None
    lower, upper = domain.bounding_box
    number = max(4 * len(peaks) * (domain.dimension + 2), _LEAST_SITES)
    points = domain.sample(2 * number, rng, "low-discrepancy") - 0.5 * (lower + upper)
    values = field(points + 0.5 * (lower + upper))
    if not np.all(np.isfinite(values)):
        return None
    W = np.array([peak.center for peak in peaks])
    for _ in range(_STEPS):
        W = W + _step(W, points[::2], values[::2])
    amplitudes, _ = _fit_waves(W, points[::2], values[::2])
    error = np.abs(_waves(W, points[1::2]) @ amplitudes - values[1::2]).max()
    if not error <= _ROUNDING * np.abs(values).max():
        return None
    return tuple(Peak(center, peak.widths, exact=True) for center, peak in zip(W, peaks, strict=True))


def wave_amplitudes(W: FloatArray, points: FloatArray, values: NumberArray) -> FloatArray:
    """How strong waves of frequencies `W` ``(m, d)`` are in values at points, by a fit of all of them, ``(m,)``."""
    amplitudes, _ = _fit_waves(W, points, values)
    return np.asarray(np.hypot(np.abs(amplitudes[: len(W)]), np.abs(amplitudes[len(W) :])))


def _step(W: FloatArray, points: FloatArray, values: NumberArray) -> FloatArray:
    """What Gauss and Newton would add to the frequencies; of complex values, both parts have the same ones."""
    amplitudes, left = _fit_waves(W, points, values)
    waves = _waves(W, points)
    each = real_parts(amplitudes)
    slopes = np.concatenate([_slopes(W, part, points) for part in each])
    own = np.kron(np.eye(len(each)), waves) if len(each) > 1 else waves
    right = np.concatenate(real_parts(left))
    change = np.linalg.lstsq(np.concatenate([own, slopes], axis=1), right, rcond=None)[0]
    return np.asarray(change[own.shape[1] :].reshape(W.shape))


def _fit_waves(W: FloatArray, points: FloatArray, values: NumberArray) -> tuple[NumberArray, NumberArray]:
    """Amplitudes ``(2 m,)`` of the waves, and what they leave of the values."""
    waves = _waves(W, points)
    amplitudes = np.asarray(np.linalg.lstsq(waves, values, rcond=None)[0])
    return amplitudes, values - waves @ amplitudes


def _waves(W: FloatArray, points: FloatArray) -> FloatArray:
    """Cosines, then sines, at points, shape ``(n, 2 m)``."""
    phase = points @ W.T
    return np.concatenate([np.cos(phase), np.sin(phase)], axis=1)


def _slopes(W: FloatArray, amplitudes: FloatArray, points: FloatArray) -> FloatArray:
    """How the sum of the waves changes with each component of their frequencies, shape ``(n, m d)``."""
    phase = points @ W.T
    turned = amplitudes[len(W) :] * np.cos(phase) - amplitudes[: len(W)] * np.sin(phase)
    return np.asarray((turned[:, :, None] * points[:, None, :]).reshape(len(points), -1))


# ---- Spectra of a field over a box, and the frequencies they are made of


# Side lobes of this Kaiser window lie just below the threshold, so that it tells frequencies apart as well as can be.
_BETA = 16.0
# Samples per period of the highest frequency beyond the two that are needed, so that others would be seen.
_OVERSAMPLING = 1.5
# Zero padding, so that frequencies are read finer than one period per box; in space the grids are large without.
_PADDING = {1: 4, 2: 2}
# Frequencies that make up a spectrum; thin ones have a few peaks.
_MOST_LINES = 200
# What counts as the image of a frequency by the window: so many times more, and as if nearer by some of a period per
# box, as it is under a slowly varying amplitude.
_MARGIN = 2.0
_SPREAD = 0.6
_FINE = 8


@final
@dataclass(frozen=True, eq=False)
class Spectrum:
    """Amplitudes of a field over a box.

    Attributes
    ----------
    amplitudes : array
        One axis for each coordinate, zero frequency in the middle.
    size : tuple of int
        Samples along each axis.
    steps : (d,) array
        From one frequency to the next.
    """

    amplitudes: FloatArray
    size: tuple[int, ...]
    steps: FloatArray


@final
@dataclass(frozen=True, eq=False)
class Lines:
    """Frequencies that a spectrum is made of, each with its mirror image.

    Attributes
    ----------
    frequencies : (m, d) array
        The strongest first.
    stand_out : (m,) array of bool
        Whether the amplitude is larger than all around it.
    """

    frequencies: FloatArray
    stand_out: BoolArray


def grid_size(box: Box, highest: FloatArray) -> tuple[int, ...]:
    """Samples along each axis that show frequencies up to `highest`, and whether there are others."""
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
    """Frequencies whose images by the window make up all amplitudes above the threshold.

    The largest amplitude is one, with its mirror image; then the largest that exceeds what the window makes of those
    found, and so on. A spectrum that is not thin is strewn with them. None if they are too many, or if there are some
    near the highest frequencies that the samples can see.
    """
    amplitudes = spectrum.amplitudes
    shape = np.array(amplitudes.shape)
    zero = shape // 2
    explained = np.zeros_like(amplitudes)
    found: list[FloatArray] = []
    stand_out: list[bool] = []
    while len(found) < _MOST_LINES:
        left = np.where(amplitudes > _MARGIN * explained, amplitudes, 0.0)
        index = np.array(np.unravel_index(int(np.argmax(left)), left.shape))
        top = amplitudes[tuple(index)]
        if left[tuple(index)] <= threshold:
            return Lines(np.array(found).reshape(-1, len(shape)) * spectrum.steps, np.array(stand_out, dtype=np.bool_))
        if np.any(index <= 1) or np.any(index >= shape - 2):
            return None
        around = amplitudes[tuple(slice(i - 1, i + 2) for i in index)]
        exact = index + _offset(amplitudes, index) - zero
        for line in (exact, -exact):
            found.append(line)
            stand_out.append(bool(top >= around.max()))
            along = [
                _image(n, p // n, np.arange(p) - c) for n, p, c in zip(spectrum.size, shape, line + zero, strict=True)
            ]
            explained += top * reduce(np.multiply.outer, along)
    return None


def _offset(amplitudes: FloatArray, index: NDArray[np.int_]) -> FloatArray:
    """How far the top of a peak is from its highest bin, by a parabola through the logarithms."""
    offsets = []
    for axis in range(amplitudes.ndim):
        step = np.eye(amplitudes.ndim, dtype=int)[axis]
        low, middle, high = (np.log(amplitudes[tuple(index + sign * step)] + 1e-300) for sign in (-1, 0, 1))
        bend = low - 2 * middle + high
        offsets.append(np.clip(0.5 * (low - high) / bend, -0.5, 0.5) if bend < 0 else 0.0)
    return np.array(offsets)


def _image(n: int, padding: int, bins: FloatArray) -> FloatArray:
    """The most that the window makes of a frequency so many bins away, or a little less, relative to its top."""
    away = np.maximum(np.abs(bins) / padding - _SPREAD, 0.0)
    return np.asarray(np.exp(np.interp(away, *_envelope(n))))


@lru_cache(maxsize=16)
def _envelope(n: int) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the window's spectrum, without its dips, at multiples of its lowest frequency."""
    amplitude = np.abs(np.fft.rfft(np.kaiser(n, _BETA), _FINE * n))
    falling = np.maximum.accumulate(amplitude[::-1])[::-1] / amplitude[0]
    return np.arange(len(falling)) / _FINE, np.log(falling + 1e-300)


# ---- Sums of waves in many dimensions, where no grid is affordable: from their frequencies along each axis alone


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


# ---- Where the spectrum of a datum lives: boxes around its peaks


_MOST_SAMPLES_PEAKS = 4_000_000
# Memory for each sample, with the padding of its transform and what is made of that.
SAMPLE_BYTES = 250
# Frequencies closer than this, over the extent of the box, share a peak: within it each passes for the image of the
# other, and there may be more between them.
_MERGED = 30.0


def find_peaks(
    field: Field,
    domain: Domain,
    highest: FloatArray,
    rng: np.random.Generator,
    threshold: float = THRESHOLD,
    most: float = _MOST_SAMPLES_PEAKS,
) -> tuple[Peak, ...] | None:
    """Boxes that hold every frequency of a smooth field with an amplitude above `threshold` of the largest.

    Windowed Fourier transforms over boxes inside the domain; neighbours that those cannot tell apart share a box.

    Parameters
    ----------
    field : Field
    domain : Domain
    highest : (d,) array
        The highest frequency expected along each axis, which decides the sampling.
    rng : Generator
    threshold : float
    most : float
        Samples at most.

    Returns
    -------
    tuple of Peak or None
        None where the field is not finite, has higher frequencies than expected, more peaks than are of use, or
        would need too many samples and is no sum of waves.
    """
    if field.constant is not None:
        return () if field.constant == 0.0 else (Peak(np.zeros(domain.dimension), np.zeros(domain.dimension)),)
    boxes = inscribed_boxes(domain, rng)
    sizes = [grid_size(box, highest) for box in boxes]
    if sum(float(np.prod(size)) for size in sizes) > min(most, _MOST_SAMPLES_PEAKS):
        return waves_from_axes(field, domain, highest, rng)
    if not boxes:
        return None
    if not _are_inside(field, domain, boxes, sizes):
        return None
    spectra = [windowed_spectrum(field, box, size) for box, size in zip(boxes, sizes, strict=True)]
    largest = max(float(spectrum.amplitudes.max()) for spectrum in spectra)
    if not np.isfinite(largest):
        return None
    lines = [find_lines(spectrum, threshold * largest) for spectrum in spectra]
    found = [line for line in lines if line is not None]
    if len(found) < len(lines):
        return None
    # a sum of waves with one frequency each is known better than any window shows
    tops = _one_of_each_pair([np.stack([w, w]) for w in found[0].frequencies[found[0].stand_out]])
    waves = exact_waves(tops, field, domain, rng)
    if waves is not None:
        return waves
    coarsest = np.min([upper - lower for lower, upper in boxes], axis=0)
    ends = [np.stack([w, w]) for line in found for w in line.frequencies]
    return _one_of_each_pair(_merge(ends, _MERGED / coarsest))


def _are_inside(field: Field, domain: Domain, boxes: list[Box], sizes: list[tuple[int, ...]]) -> bool:
    """Whether the field may be asked all over the boxes: a callable need not be defined outside of the domain."""
    lower, upper = domain.bounding_box
    if field.is_formula or (np.all(boxes[0][0] == lower) and np.all(boxes[0][1] == upper)):
        return True
    return all(bool(domain.contains(grid_points(*one)).all()) for one in zip(boxes, sizes, strict=True))


def _merge(boxes: list[FloatArray], resolution: FloatArray) -> list[FloatArray]:
    """Boxes that overlap, or nearly do, made one."""
    left, merged = list(boxes), []
    while left:
        box = left.pop()
        near = [
            other for other in left if np.all(np.maximum(box[0], other[0]) <= np.minimum(box[1], other[1]) + resolution)
        ]
        if not near:
            merged.append(box)
            continue
        left = [other for other in left if not any(other is one for one in near)]
        together = [box, *near]
        left.append(np.stack([np.min([b[0] for b in together], axis=0), np.max([b[1] for b in together], axis=0)]))
    return merged


def _one_of_each_pair(boxes: list[FloatArray]) -> tuple[Peak, ...]:
    peaks = []
    for low, high in boxes:
        center, widths = 0.5 * (low + high), 0.5 * (high - low)
        rounding = 1e-9 * np.abs(boxes).max()
        if np.all(np.abs(center) <= rounding):
            peaks.append(Peak(np.zeros_like(center), widths))
        elif center[np.argmax(np.abs(center) > rounding)] > 0:
            peaks.append(Peak(center, widths))
    return tuple(peaks)
