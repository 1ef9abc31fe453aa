"""Hankel's functions of many complex numbers on one ray from zero."""

from __future__ import annotations

import numpy as np
import scipy

from fspielm.arrays import ComplexArray, FloatArray, NumberArray

# From so many numbers on it pays to interpolate.
_MANY = 4000
# Below that, functions are as they are at zero, and pieces would be many.
_SMALL = 1e-6
# Pieces are as long as their distance from zero, at most so long; with polynomials of so many coefficients that what is
# left is rounding.
_LONGEST, _COEFFICIENTS = 3.0, 20


def hankel_on_ray(order: int, z: NumberArray) -> ComplexArray:
    """``H(order, z) exp(-i z)``; where numbers are many, by polynomials in the distance from zero.

    Parameters
    ----------
    order : int
    z : array
        All of one angle.
    """
    if z.size < _MANY:
        return np.asarray(scipy.special.hankel1e(order, z))
    distances = np.abs(z).ravel()
    angle = complex(z.flat[0]) / float(distances[0])
    found = np.empty(z.size, dtype=np.complex128)
    small = distances < _SMALL
    found[small] = scipy.special.hankel1e(order, z.ravel()[small])
    found[~small] = _interpolated(order, angle, distances[~small])
    return found.reshape(z.shape)


def _interpolated(order: int, angle: complex, distances: FloatArray) -> ComplexArray:
    if not len(distances):
        return np.empty(0, dtype=np.complex128)
    ends, last = [float(distances.min())], float(distances.max())
    while ends[-1] <= last:
        ends.append(ends[-1] + min(ends[-1], _LONGEST))
    first, second = np.array(ends[:-1]), np.array(ends[1:])
    nodes = np.cos(np.pi * (np.arange(_COEFFICIENTS) + 0.5) / _COEFFICIENTS)
    places = 0.5 * (first + second)[:, None] + 0.5 * (second - first)[:, None] * nodes
    series = scipy.fft.dct(scipy.special.hankel1e(order, angle * places), axis=1) / _COEFFICIENTS
    series[:, 0] *= 0.5
    piece = np.searchsorted(second, distances, side="left")
    t = (2 * distances - (first + second)[piece]) / (second - first)[piece]
    # Clenshaw's recurrence, from the highest coefficient down
    ahead = behind = np.zeros(len(distances), dtype=np.complex128)
    for own in series.T[:0:-1]:
        ahead, behind = own[piece] + 2 * t * ahead - behind, ahead
    return np.asarray(series[piece, 0] + t * ahead - behind)
