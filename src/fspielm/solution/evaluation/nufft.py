"""Sums of complex exponentials by non-uniform fast Fourier transforms of type 3, from scattered to scattered."""

from __future__ import annotations

from functools import partial

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.machine import run_tasks
from fspielm.solution.evaluation.cost import chunk_points, transform_bytes
from fspielm.solution.evaluation.waves import ComplexArray

# The smallest that finufft reaches: its kernels are 16 points wide then, at twice the sampling rate.
_EPS = 1e-14
_UPSAMPLING = 2.0
# What transforms that run at the same time may take together.
_MEMORY = 400e6


def sum_waves(
    W: FloatArray, strengths: ComplexArray, origin: FloatArray, points: FloatArray, *, threads: int
) -> FloatArray:
    """Real part of ``sum_j strengths[r, j] exp(i W_j (points - origin))``, shape ``(R, n)``.

    The points are cut into chunks of a size that does not depend on the number of threads, each chunk is
    transformed by one thread alone: the same bits on any number of them.

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
    step = chunk_points(len(W), len(strengths), reach)
    at_once = max(1, min(threads, int(_MEMORY / transform_bytes(step, len(strengths), reach))))
    frequencies = [np.ascontiguousarray(column) for column in W.T]
    run_tasks(
        [
            partial(_transform, W, frequencies, strengths, origin, points[start : start + step], values[:, index])
            for start in range(0, len(points), step)
            for index in [slice(start, start + step)]
        ],
        at_once,
    )
    return values


def _transform(
    W: FloatArray,
    frequencies: list[FloatArray],
    strengths: ComplexArray,
    origin: FloatArray,
    points: FloatArray,
    out: FloatArray,
) -> None:
    import finufft  # takes a while to load, and few programs evaluate at many points

    place = points - origin
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
    out[...] = plan.execute(turned if len(turned) > 1 else turned[0]).real
