"""Spectra of a field over a box, and the frequencies they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.expressions import Field
from fspielm.spectrum.inscribed import Box

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
