"""Exponents in time of the symbol at real frequencies in space: how fast waves grow, and where they go."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.features.powers import expand_powers
from fspielm.spectrum.hidden.frozen import Frozen, roots_of

# A real part below this share of a root is rounding: of a double one, half of the digits are.
_ROUNDING = 1e-12
_ROUNDING_OF_MANY = 1e-6
# A step of frequencies, as a share of them, over which symbols are differentiated.
_STEP = 1e-4


def rates(frozen: Frozen, k: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """The fastest growth at each site with each frequency in space ``(n, m)``, and the size of that exponent."""
    n, m = len(frozen.coefficients), len(k)
    if not _degree(frozen):  # of equations whose determinant has no time: nothing grows by itself
        return np.zeros((n, m)), np.zeros((n, m))
    roots = roots_of(_polynomials(frozen, k), np.full(n * m, unit))
    growing = _growing(roots)
    most = growing.argmax(axis=1)
    row = np.arange(n * m)
    return growing[row, most].reshape(n, m), np.nan_to_num(np.abs(roots[row, most])).reshape(n, m)


def rates_and_speeds(frozen: Frozen, k: FloatArray, unit: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The fastest growth at each site with each frequency, and the least and the largest speed of a packet ``(n, m)``.

    Of one dimension in space. The group velocity of ``exp(i k x + s t)`` is ``-Im ds/dk``; where two exponents meet,
    there is none, and the least one is taken to be zero.
    """
    n, m = len(frozen.coefficients), len(k)
    if not _degree(frozen):
        return np.zeros((n, m)), np.zeros((n, m)), np.zeros((n, m))
    polynomials = _polynomials(frozen, k)
    roots = roots_of(polynomials, np.full(n * m, unit))
    step = _STEP * np.abs(k)
    change = _polynomials(frozen, k + step) - _polynomials(frozen, k - step)
    slopes = change / np.tile(2 * step, (n, 1))
    powers = np.arange(polynomials.shape[1])
    s = roots[:, :, None] ** powers
    by_s = polynomials[:, None, 1:] * powers[1:] * s[:, :, :-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        velocities = -(-(slopes[:, None, :] * s).sum(axis=2) / by_s.sum(axis=2)).imag
    speeds = np.where(np.isfinite(velocities), np.abs(velocities), 0.0)
    most = _growing(roots).max(axis=1)
    return most.reshape(n, m), speeds.min(axis=1).reshape(n, m), speeds.max(axis=1).reshape(n, m)


def _degree(frozen: Frozen) -> int:
    return int(frozen.orders[:, -1].max(initial=0))


def _polynomials(frozen: Frozen, k: FloatArray) -> ComplexArray:
    """The symbol as polynomials in the exponent in time, at each site with each frequency ``(n m, degree + 1)``."""
    space, highest = k.shape[1], int(frozen.orders.sum(axis=1).max(initial=0))
    exponents = np.column_stack([1j * k, np.zeros(len(k))])
    later = np.broadcast_to(np.append(np.zeros(space), 1.0), exponents.shape)
    powers = expand_powers(frozen.orders, exponents, later, highest)[:, :, : _degree(frozen) + 1]
    each = np.einsum("mtk,nt->nmk", powers, frozen.coefficients)
    return np.asarray(each.reshape(-1, powers.shape[2]))


def _growing(roots: ComplexArray) -> FloatArray:
    """Real parts of roots that are more than rounding, and zero of all others."""
    share = _ROUNDING if roots.shape[1] <= 2 else _ROUNDING_OF_MANY
    with np.errstate(invalid="ignore"):
        return np.where(roots.real > share * np.abs(roots), roots.real, 0.0)
