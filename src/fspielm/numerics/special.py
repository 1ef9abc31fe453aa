"""Bessel and Hankel functions beyond those of SciPy."""

from __future__ import annotations

from math import factorial

import numpy as np
import scipy

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.numerics.piecewise import PiecewiseChebyshev, expand
from fspielm.numerics.tolerances import CLOSE, ITERATIONS

# ---- Derivatives of Bessel functions with respect to their order

# The power series is accurate below this argument, the closed form above it.
_SERIES_END = 6.0


def jv_by_order(n: int, z: FloatArray) -> FloatArray:
    """dJ_v(z)/dv at v = n, for ``z > 0``; near zero it is about ``J_n(z) log(z / 2)``."""
    return _by_order(n, z, -1)


def iv_by_order(n: int, z: FloatArray) -> FloatArray:
    """dI_v(z)/dv at v = n, for ``z > 0``."""
    return _by_order(n, z, 1)


def _by_order(n: int, z: FloatArray, sign: int) -> FloatArray:
    if n < 0:
        # the second solutions Y and K are the sums of these derivatives at n and -n
        parity = -1.0 if n % 2 else 1.0
        if sign < 0:
            return np.asarray(parity * (np.pi * scipy.special.yn(-n, z) - _by_order(-n, z, sign)))
        return np.asarray(-2.0 * parity * scipy.special.kn(-n, z) - _by_order(-n, z, sign))
    small = z < _SERIES_END
    result = np.empty(z.shape)
    result[small] = _series(n, z[small], sign)
    result[~small] = _closed_form(n, z[~small], sign)
    return result


def _series(n: int, z: FloatArray, sign: int) -> FloatArray:
    """The derivative of the power series ``sum sign^k (z/2)^(v+2k) / (k! gamma(v+k+1))``, term by term."""
    half = 0.5 * z
    k = np.arange(ITERATIONS)
    terms = float(sign) ** k / (scipy.special.gamma(k + 1.0) * scipy.special.gamma(n + k + 1.0))
    powers = half[:, None] ** (n + 2.0 * k)
    return np.asarray(np.sum(powers * terms * (np.log(half)[:, None] - scipy.special.psi(n + k + 1.0)), axis=1))


def _closed_form(n: int, z: FloatArray, sign: int) -> FloatArray:
    """NIST Digital Library of Mathematical Functions, 10.15.3 for J and 10.38.4 for I."""
    bessel = scipy.special.jv if sign < 0 else scipy.special.iv
    total = np.zeros(z.shape)
    for k in range(n):
        total += float(-sign) ** k * (0.5 * z) ** k * bessel(k, z) / (factorial(k) * (n - k))
    rest = 0.5 * factorial(n) * (0.5 * z) ** (-n) * total
    if sign < 0:
        return np.asarray(0.5 * np.pi * scipy.special.yn(n, z) + rest)
    parity = -1.0 if n % 2 else 1.0
    return np.asarray(parity * (rest - scipy.special.kn(n, z)))


# ---- Hankel functions along a ray

# Interpolation pays from this number of arguments on.
_MANY = 4000
# Pieces are as long as their distance from zero, up to this length; this number of coefficients reaches rounding.
_LONGEST, _COEFFICIENTS = 3.0, 20


def hankel_on_ray(order: int, z: NumberArray) -> ComplexArray:
    """``H(order, z) exp(-i z)`` for arguments of one angle; many of them by polynomials in the distance from zero."""
    if z.size < _MANY:
        return np.asarray(scipy.special.hankel1e(order, z))
    distances = np.abs(z).ravel()
    angle = complex(z.flat[0]) / float(distances[0])
    found = np.empty(z.size, dtype=np.complex128)
    small = distances < CLOSE  # near the singularity at zero the pieces would be too many
    found[small] = scipy.special.hankel1e(order, z.ravel()[small])
    found[~small] = _interpolated(order, angle, distances[~small])
    return found.reshape(z.shape)


def _interpolated(order: int, angle: complex, distances: FloatArray) -> ComplexArray:
    if not len(distances):
        return np.empty(0, dtype=np.complex128)
    ends, last = [float(distances.min())], float(distances.max())
    while ends[-1] <= last:
        ends.append(ends[-1] + min(ends[-1], _LONGEST))
    pieces = np.array(ends)
    series, _, _ = expand(lambda r: scipy.special.hankel1e(order, angle * r), pieces[:-1], pieces[1:], _COEFFICIENTS)
    return PiecewiseChebyshev(pieces, series)(distances)
