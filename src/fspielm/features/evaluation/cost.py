"""What sums of sinusoids cost, directly and by fast transforms: the choice between the two.

The constants are seconds on one thread, fitted by ``benchmarks/evaluation.py --calibrate``. Only their ratios matter,
which differ less between machines than the machines do, and only where the two ways take about as long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray

# finufft's transforms exist in one, two and three dimensions.
MOST_DIMENSIONS = 3

# Seconds for one cosine of the direct sum.
_COSINE = 2.5e-8
# Seconds for one chunk of points, whatever its size; for one point of the kernel at a frequency or at a point;
# for one point of the grid in the fast Fourier transform; for what each point needs along each axis.
_START = 2e-4
_KERNEL = 2.2e-10
_GRID = 2.3e-8
_POINT = 5e-7
# Points of the kernel along an axis at full accuracy, and the sampling rate that goes with it.
_WIDTH = 16
_UPSAMPLING = 2.0
# Chunks are so large that what each of them repeats takes no more than about this share of its time.
_REPEATED = 0.2
_LEAST_CHUNK, _MOST_CHUNK = 2**13, 2**18
# A transform that needs more than this is left alone.
_MOST_BYTES = 600e6
# A grid that needs more than this is cut into tiles, each with the points that lie on it.
_MOST_GRID_BYTES = 160e6


def transform_pays(frequencies: Sequence[FloatArray], points: FloatArray, transforms: int, sums: int) -> bool:
    """Whether fast transforms take less time than direct sums, and not too much memory.

    Parameters
    ----------
    frequencies : sequence of (M, d) arrays
        Each a set that is transformed on its own.
    points : (n, d) array
    transforms : int
        How many, for each set.
    sums : int
        How many direct ones would do instead.
    """
    extent = np.ptp(points, axis=0)
    directly = sum(sums * _COSINE * len(points) * len(W) for W in frequencies)
    seconds = 0.0
    for W in frequencies:
        tiles = tile_counts(extent * np.ptp(W, axis=0), transforms)
        reach = extent * np.ptp(W, axis=0) / tiles
        step = chunk_points(len(W), transforms, reach)
        if transform_bytes(step, transforms, reach) > _MOST_BYTES:
            return False
        chunks = int(np.prod(tiles)) - 1 - (-len(points) // step)
        seconds += chunks * _repeated(len(W), transforms, reach)
        seconds += len(points) * _each_point(transforms, len(reach))
    return seconds < directly


def tile_counts(reach: FloatArray, transforms: int) -> NDArray[np.int_]:
    """Into how many tiles to cut the points along each axis, so that the grid of each is not too large.

    The grid shrinks with the extent of the points: tiles together need no more of it than the whole.
    """
    tiles = np.ones(len(reach), dtype=np.int_)
    while _grid_bytes(reach / tiles, transforms) > max(_MOST_GRID_BYTES, _grid_bytes(0 * reach, transforms)):
        tiles[np.argmax(reach / tiles)] += 1
    return tiles


def chunk_points(neurons: int, transforms: int, reach: FloatArray) -> int:
    """How many points to transform at once, given the extent of frequencies times that of points along each axis."""
    wanted = _repeated(neurons, transforms, reach) / (_REPEATED * _each_point(transforms, len(reach)))
    return int(np.clip(wanted, _LEAST_CHUNK, _MOST_CHUNK))


def transform_bytes(points: int, transforms: int, reach: FloatArray) -> float:
    """About what one transform of so many points holds in memory."""
    return _grid_bytes(reach, transforms) + points * (16.0 * transforms + 24.0 * len(reach) + 64.0)


def _grid_bytes(reach: FloatArray, transforms: int) -> float:
    return 16.0 * min(transforms, 2) * _grid(reach)


def _repeated(neurons: int, transforms: int, reach: FloatArray) -> float:
    """Seconds that every chunk takes, however few its points."""
    kernel = _KERNEL * _WIDTH ** len(reach)
    return float(_START + transforms * (neurons * kernel + _GRID * _grid(reach)))


def _each_point(transforms: int, dimension: int) -> float:
    """Seconds that every point takes."""
    return float(dimension * _POINT + transforms * _KERNEL * _WIDTH**dimension)


def _grid(reach: FloatArray) -> float:
    """Points of the grid between frequencies and points; both are sampled, and hence finer than either alone needs."""
    coarse = np.maximum(_UPSAMPLING * reach / (2 * np.pi) + _WIDTH + 1, 2 * (_WIDTH + 1))
    return float(np.prod(_UPSAMPLING * coarse))
