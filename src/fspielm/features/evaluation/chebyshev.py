"""Polynomials on boxes: expansions in Chebyshev's, from values at nodes, and their sums at points."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray

# Columns of one product of matrices: more would tempt the linear algebra library to use threads, of which each of ours
# would get some, all of them waiting for each other.
_AT_ONCE = 448


def lobatto(count: int) -> FloatArray:
    """Nodes from -1 to 1, both included: where Chebyshev's polynomial of degree ``count - 1`` is largest."""
    return np.sin(np.pi * np.arange(1 - count, count, 2) / (2 * (count - 1)))


def polynomials(x: FloatArray, count: int) -> FloatArray:
    """Chebyshev's polynomials of degree 0 to ``count - 1``, shape ``(count, *x.shape)``."""
    values = np.empty((count, *x.shape))
    values[0], values[1] = 1.0, x
    twice = 2.0 * x
    for degree in range(2, count):
        np.multiply(twice, values[degree - 1], out=values[degree])
        values[degree] -= values[degree - 2]
    return values


def to_coefficients(values: FloatArray, nodes: FloatArray) -> FloatArray:
    """Coefficients ``(T, R, p, ..., p)`` of the polynomials with these values at the nodes.

    Nodes need not be Chebyshev's to the last digit: far from zero, floating-point numbers are too coarse for that.

    Parameters
    ----------
    values : (T, R, p, ..., p) array
        Of R functions on each of T boxes.
    nodes : (T, d, p) array
        Along each of the d axes, from -1 to 1.
    """
    count = nodes.shape[-1]
    # (d, T, 1, ..., 1, p, p): from values to coefficients
    inverse = np.linalg.inv(np.moveaxis(polynomials(nodes, count), 0, -1).swapaxes(0, 1))
    inverse = inverse.reshape(inverse.shape[:2] + (1,) * (values.ndim - 3) + (count, count))
    for axis, matrix in enumerate(inverse, start=2):
        values = np.moveaxis(matrix @ np.moveaxis(values, axis, -2), -2, axis)
    return values


def sum_polynomials(coefficients: FloatArray, points: FloatArray) -> FloatArray:
    """Values ``(R, n)`` of expansions ``(R, p, ..., p)`` at `points` ``(d, n)`` from -1 to 1 along each axis."""
    count = coefficients.shape[-1]
    *others, last = points
    along = polynomials(last, count)
    values = np.empty((*coefficients.shape[:-1], len(last)))
    for start in range(0, len(last), _AT_ONCE):
        values[..., start : start + _AT_ONCE] = coefficients @ along[:, start : start + _AT_ONCE]
    for place in reversed(others):
        values = np.einsum("...kn,kn->...n", values, polynomials(place, count))
    return np.asarray(values)
