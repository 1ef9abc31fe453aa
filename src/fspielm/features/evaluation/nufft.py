"""Sums of complex exponentials by non-uniform fast Fourier transforms of type 3, from scattered to scattered."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.features.evaluation.cost import chunk_points, tile_counts, transform_bytes
from fspielm.machine import run_tasks

# The smallest that finufft reaches: its kernels are 16 points wide then, at twice the sampling rate.
_EPS = 1e-14
_UPSAMPLING = 2.0
# What transforms that run at the same time may take together.
_MEMORY = 400e6


def sum_waves(
    W: FloatArray, strengths: ComplexArray, origin: FloatArray, points: FloatArray, *, threads: int
) -> FloatArray:
    """Real part of ``sum_j strengths[r, j] exp(i W_j (points - origin))``, shape ``(R, n)``.

    The points are cut into tiles where the grid of all would be too large, and into chunks, whose size does not depend
    on the number of threads; each chunk is transformed by one thread alone: the same bits on any number of them.

    Parameters
    ----------
    W : (M, d) array
        Frequencies, in one to three dimensions.
    strengths : (R, M) array
    origin : (d,) array
    points : (n, d) array
    threads : int
    """
    values = np.empty((len(strengths), len(points)))
    reach = np.ptp(W, axis=0) * np.ptp(points, axis=0)
    counts = tile_counts(reach, len(strengths))
    step = chunk_points(len(W), len(strengths), reach / counts)
    at_once = max(1, min(threads, int(_MEMORY / transform_bytes(step, len(strengths), reach / counts))))
    frequencies = [np.ascontiguousarray(column) for column in W.T]
    run_tasks(
        [
            partial(_transform, W, frequencies, strengths, origin, points, tile[start : start + step], values)
            for tile in _tiles(points, counts)
            for start in range(0, len(tile), step)
        ],
        at_once,
    )
    return values


def _tiles(points: FloatArray, counts: NDArray[np.int_]) -> list[NDArray[np.int_]]:
    """The indices of the points on each tile of their bounding box, tiles without any left out."""
    if np.all(counts == 1):
        return [np.arange(len(points))]
    lower, extent = points.min(axis=0), np.ptp(points, axis=0)
    share = np.divide(points - lower, extent, out=np.zeros_like(points), where=extent > 0)
    place = np.minimum((share * counts).astype(np.int_), counts - 1)
    tile = np.ravel_multi_index(tuple(place.T), tuple(counts))
    order = np.argsort(tile, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(tile[order])) + 1)


def _transform(
    W: FloatArray,
    frequencies: list[FloatArray],
    strengths: ComplexArray,
    origin: FloatArray,
    points: FloatArray,
    chosen: NDArray[np.int_],
    values: FloatArray,
) -> None:
    import finufft  # takes a while to load, and few programs evaluate at many points

    place = points[chosen] - origin
    # From the middle of the points, phases are as small as can be. The turn of each wave on the way there may be
    # many times around; long doubles keep its digits, where the platform has them.
    middle = 0.5 * (place.min(axis=0) + place.max(axis=0))
    turn = W.astype(np.longdouble) @ middle.astype(np.longdouble)
    place -= middle
    turned = strengths * (np.cos(turn).astype(np.float64) + 1j * np.sin(turn).astype(np.float64))
    dimension = len(frequencies)
    plan = finufft.Plan(
        3, dimension, n_trans=len(turned), eps=_EPS, isign=1, nthreads=1, upsampfac=_UPSAMPLING, showwarn=0
    )
    absent = [None] * (3 - dimension)
    plan.setpts(*frequencies, *absent, *(np.ascontiguousarray(column) for column in place.T))
    values[:, chosen] = plan.execute(turned if len(turned) > 1 else turned[0]).real
