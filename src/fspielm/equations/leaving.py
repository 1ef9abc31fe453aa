"""Wavenumbers of waves that leave, for a time factor exp(-i omega t)."""

from __future__ import annotations

import cmath

# Of a wavenumber, what is rounding of its imaginary part: a wave is not turned round by that.
_ROUNDING = 1e-12


def grows(wavenumber: complex) -> bool:
    """Whether a wave grows on its way, by more than rounding."""
    return wavenumber.imag < -_ROUNDING * abs(wavenumber)


def leaving_root(square: complex) -> complex:
    """The root that radiates or falls off."""
    root = cmath.sqrt(square)
    return -root if grows(root) else root
