"""Solutions of evolutions by other means."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import BarycentricInterpolator

_NU = 0.01 / np.pi
_NODES = 8001
# Standard deviations of the kernel that are integrated over: the data weigh up to fourteen of them.
_WIDE = 24.0
# Polynomials of this degree in space, and the times at which they are kept.
_DEGREE = 600
TIMES = np.linspace(0, 1, 21)[1:]


def burgers_values(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The integral of Cole and Hopf for -sin(pi x), by the trapezoidal rule, which is exact to rounding here."""
    z = np.linspace(-_WIDE, _WIDE, _NODES)[None, :]
    found = np.empty(len(points))
    for chunk in np.array_split(np.arange(len(points)), max(len(points) // 200, 1)):
        place, time = points[chunk, :1], points[chunk, 1:]
        at = place - np.sqrt(2 * _NU * time) * z
        exponent = -np.cos(np.pi * at) / (2 * np.pi * _NU) - z**2 / 2
        weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        found[chunk] = -np.sum(np.sin(np.pi * at) * weight, axis=1) / np.sum(weight, axis=1)
    return found


def allen_cahn_values(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Collocation at Chebyshev points, in time an implicit method of Runge and Kutta; at points with these `TIMES`."""
    nodes, kept = _allen_cahn()
    found = np.full(len(points), np.nan)
    for time, values in zip(TIMES, kept, strict=True):
        here = points[:, 1] == time
        found[here] = BarycentricInterpolator(nodes, values)(points[here, 0])
    return found


@cache
def _allen_cahn() -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    nodes, first = _chebyshev(_DEGREE)
    second = (first @ first)[1:-1]

    def slope(_: float, inner: NDArray[np.float64]) -> NDArray[np.float64]:
        whole = np.concatenate([[-1.0], inner, [-1.0]])
        return np.asarray(1e-3 * second @ whole + 5 * (inner - inner**3))

    def jacobian(_: float, inner: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(1e-3 * second[:, 1:-1] + np.diag(5 * (1 - 3 * inner**2)))

    inner, kept = (nodes**2 * np.cos(np.pi * nodes))[1:-1], []
    # one after the other, for between its steps the method has fewer digits
    for start, end in zip([0.0, *TIMES[:-1]], TIMES, strict=True):
        done = solve_ivp(slope, (start, end), inner, "Radau", t_eval=[end], rtol=1e-9, atol=1e-11, jac=jacobian)
        inner = done.y[:, -1]
        kept.append(np.concatenate([[-1.0], inner, [-1.0]]))
    return nodes, kept


def _chebyshev(degree: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Chebyshev points and the matrix that differentiates there (Trefethen, Spectral methods in MATLAB, chapter 6)."""
    k = np.arange(degree + 1)
    nodes = np.cos(np.pi * k / degree)
    weights = np.where((k == 0) | (k == degree), 2.0, 1.0) * (-1.0) ** k
    apart = nodes[:, None] - nodes[None, :] + np.eye(degree + 1)
    matrix = np.outer(weights, 1 / weights) / apart
    matrix -= np.diag(matrix.sum(axis=1))
    return nodes, matrix
