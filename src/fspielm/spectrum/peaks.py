"""Where the spectrum of a datum lives: boxes around its peaks."""

from __future__ import annotations

from functools import cache, reduce

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.expressions import Field
from fspielm.geometry import Domain
from fspielm.spectrum.inscribed import inscribed_boxes
from fspielm.spectrum.lines import THRESHOLD
from fspielm.spectrum.peak import Peak, sharpened

# Side lobes of this Kaiser window lie just below the threshold, so that it tells frequencies apart as well as can be.
_BETA = 16.0
# Samples per period of the highest frequency beyond the two that are needed, so that others would be seen.
_OVERSAMPLING = 1.5
# Zero padding, so that frequencies are read finer than one period per box; in space the grids are large without.
_PADDING = {1: 4, 2: 2}
_MOST_SAMPLES = 4_000_000
# Frequencies that make up a spectrum; thin ones have a few peaks.
_MOST_LINES = 200
# What counts as the image of a frequency by the window: so many times more, and as if nearer by some of a period per
# box, as it is under a slowly varying amplitude.
_MARGIN = 2.0
_SPREAD = 0.6
_FINE = 8
# Frequencies closer than this, over the extent of the box, share a peak: within it each passes for the image of the
# other, and there may be more between them.
_MERGED = 30.0


def find_peaks(
    field: Field, domain: Domain, highest: FloatArray, rng: np.random.Generator, threshold: float = THRESHOLD
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

    Returns
    -------
    tuple of Peak or None
        None where the field is not finite, has higher frequencies than expected, more peaks than are of use, or
        would need too many samples.
    """
    if field.constant is not None:
        return (Peak(np.zeros(domain.dimension), np.zeros(domain.dimension)),)
    boxes = inscribed_boxes(domain, rng)
    grids = [_grid_size(upper - lower, highest) for lower, upper in boxes]
    if not boxes or sum(float(np.prod(size)) for size in grids) > _MOST_SAMPLES:
        return None
    spectra = [_spectrum(field, box, size) for box, size in zip(boxes, grids, strict=True)]
    largest = max(float(np.max(amplitudes)) for amplitudes, _ in spectra)
    if not np.isfinite(largest):
        return None
    if largest == 0.0:
        return ()
    found: list[_Box] = []
    for (amplitudes, steps), size in zip(spectra, grids, strict=True):
        lines = _lines(amplitudes / largest, size, threshold)
        if lines is None:
            return None
        found += [np.stack([line, line]) for line in lines * steps]
    coarsest = np.min([upper - lower for lower, upper in boxes], axis=0)
    return sharpened(_one_of_each_pair(_merge(found, _MERGED / coarsest)), field, domain, rng)


# (2, d) array: lowest and highest frequency along each axis
_Box = FloatArray


def _grid_size(lengths: FloatArray, highest: FloatArray) -> tuple[int, ...]:
    """Samples along each axis."""
    seen = _OVERSAMPLING * (highest + 4 * _BETA / lengths)
    return tuple(int(n) for n in np.ceil(lengths * seen / np.pi))


def _spectrum(field: Field, box: tuple[FloatArray, FloatArray], size: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Amplitudes with zero frequency in the middle, and the step from one to the next along each axis."""
    axes = [np.linspace(low, high, n) for low, high, n in zip(*box, size, strict=True)]
    points = np.stack([values.ravel() for values in np.meshgrid(*axes, indexing="ij")], axis=1)
    samples = field(points).reshape(size)
    for axis, n in enumerate(size):
        shape = [1] * len(size)
        shape[axis] = n
        samples = samples * (np.kaiser(n, _BETA) / np.kaiser(n, _BETA).sum()).reshape(shape)
    padded = [_PADDING.get(len(size), 1) * n for n in size]
    amplitudes = np.abs(np.fft.fftshift(np.fft.fftn(samples, padded)))
    spacing = (box[1] - box[0]) / (np.array(size) - 1)
    return amplitudes, 2 * np.pi / (spacing * padded)


def _lines(amplitudes: FloatArray, size: tuple[int, ...], threshold: float) -> FloatArray | None:
    """Frequencies, in steps from zero, whose images by the window make up all amplitudes above the threshold.

    The largest amplitude is one, with its mirror image; then the largest that exceeds what the window makes of those
    found, and so on. A spectrum that is not thin is strewn with them. None if they are too many, or if there are some
    near the highest frequencies that the samples can see.
    """
    shape = np.array(amplitudes.shape)
    zero = shape // 2
    explained = np.zeros_like(amplitudes)
    lines: list[FloatArray] = []
    while len(lines) < _MOST_LINES:
        left = np.where(amplitudes > _MARGIN * explained, amplitudes, 0.0)
        index = np.array(np.unravel_index(int(np.argmax(left)), left.shape))
        top = amplitudes[tuple(index)]
        if left[tuple(index)] <= threshold:
            return np.array(lines)
        if np.any(index <= 1) or np.any(index >= shape - 2):
            return None
        exact = index + _offset(amplitudes, index) - zero
        for line in (exact, -exact):
            lines.append(line)
            along = [_image(n, p // n, np.arange(p) - c) for n, p, c in zip(size, shape, line + zero, strict=True)]
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


@cache
def _envelope(n: int) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the window's spectrum, without its dips, at multiples of its lowest frequency."""
    amplitude = np.abs(np.fft.rfft(np.kaiser(n, _BETA), _FINE * n))
    falling = np.maximum.accumulate(amplitude[::-1])[::-1] / amplitude[0]
    return np.arange(len(falling)) / _FINE, np.log(falling + 1e-300)


def _merge(boxes: list[_Box], resolution: FloatArray) -> list[_Box]:
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


def _one_of_each_pair(boxes: list[_Box]) -> tuple[Peak, ...]:
    peaks = []
    for low, high in boxes:
        center, widths = 0.5 * (low + high), 0.5 * (high - low)
        rounding = 1e-9 * np.abs(boxes).max()
        if np.all(np.abs(center) <= rounding):
            peaks.append(Peak(np.zeros_like(center), widths))
        elif center[np.argmax(np.abs(center) > rounding)] > 0:
            peaks.append(Peak(center, widths))
    return tuple(peaks)
