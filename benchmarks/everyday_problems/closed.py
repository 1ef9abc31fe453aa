"""Solutions that are known without elements: series, Ritz' method, expressions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.polynomial import legendre
from numpy.typing import NDArray

x, y = sp.symbols("x y")
_TERMS, _BLOCK = 20000, 100
# Ritz functions along each axis; twelve digits from about 20 on.
_RITZ = 36


def heated_square(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """``-lap u = 1`` on the unit square, zero around it: a series in the coordinate that is farther from its walls."""
    away = np.minimum(points, 1 - points)
    swap = away[:, 0] > away[:, 1]
    s, t = np.where(swap[:, None], points[:, ::-1], points).T
    n = np.arange(1, 2 * _TERMS, 2) * np.pi
    far = np.minimum(t, 1 - t)
    found = s * (1 - s) / 2
    for begin in range(0, len(points), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        # cosh(n (t - 1/2)) / cosh(n / 2)
        fall = np.exp(-np.outer(far[part], n)) * (1 + np.exp(-np.outer(1 - 2 * far[part], n))) / (1 + np.exp(-n))
        found[part] -= (4 / n**3 * np.sin(np.outer(s[part], n)) * fall).sum(axis=1)
    return found


def clamped_plate(points: NDArray[np.float64], width: float, height: float, number: int = _RITZ) -> NDArray[np.float64]:
    """Deflection of a clamped rectangle from the origin under a load of one, by Ritz' method with polynomials."""
    k = 2 * np.arange(number)
    # Shen's basis: value and slope vanish at both ends
    functions = np.zeros((number, k[-1] + 5))
    rows = np.arange(number)
    functions[rows, k] = 1
    functions[rows, k + 2] = -2 * (2 * k + 5) / (2 * k + 7)
    functions[rows, k + 4] = (2 * k + 3) / (2 * k + 7)
    functions /= np.sqrt(2 * (2 * k[:, None] + 3) ** 2 * (2 * k[:, None] + 5))
    nodes, gauss = legendre.leggauss(k[-1] + 8)
    values, slopes, bends = (legendre.legval(nodes, legendre.legder(functions.T, m)) for m in range(3))
    mass, stretch, bend = ((f * gauss) @ f.T for f in (values, slopes, bends))
    across, along = (2 / width) ** 2, (2 / height) ** 2
    mixed = 2 * across * along * np.kron(stretch, stretch)
    energy = across**2 * np.kron(bend, mass) + mixed + along**2 * np.kron(mass, bend)
    load = values @ gauss
    weights = np.linalg.solve(energy, np.kron(load, load)).reshape(number, number)
    left, right = (legendre.legval(2 * points[:, i] / size - 1, functions.T) for i, size in enumerate((width, height)))
    return np.asarray(np.einsum("in,ij,jn->n", left, weights, right))


def medium(wavelengths: float) -> tuple[sp.Expr, sp.Expr]:
    """The square of the wavenumber of a medium, and a wave that bends in it."""
    k = 2 * math.pi * wavelengths
    index = 1 + sp.Rational(3, 10) * sp.exp(-6 * ((x - 0.4) ** 2 + (y - 0.55) ** 2)) + sp.sin(2 * x * y + 1) / 10
    phase = 0.8 * x + 0.55 * y + 0.15 * sp.sin(2 * x + y**2)
    return k**2 * index**2, (1 + x * y / 2) * sp.sin(k * phase) + sp.cos(k * (0.9 * y - 0.3 * x * y)) / 3


def source(square: sp.Expr, wave: sp.Expr) -> sp.Expr:
    """What ``-lap u - square u`` is of a wave."""
    return -wave.diff(x, 2) - wave.diff(y, 2) - square * wave


def medium_wave(wavelengths: float, points: NDArray[np.float64]) -> NDArray[Any]:
    """Values of the wave in a medium."""
    return np.asarray(sp.lambdify((x, y), medium(wavelengths)[1], "numpy")(*points.T))
