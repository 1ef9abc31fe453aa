"""The square plate clamped all around under a uniform load, by Ritz' method with polynomials that are clamped."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

# Errors fall like a high power of the number of functions: twelve digits from about 20 on.
FUNCTIONS = 30


def clamped_plate(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Deflection ``(n,)`` of the unit square under a load of one."""
    functions, weights = _solution(FUNCTIONS)
    left, right = (legendre.legval(2 * points[:, axis] - 1, functions.T) for axis in (0, 1))
    return np.asarray(np.einsum("in,ij,jn->n", left, weights, right) / 16)


@cache
def _solution(number: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Even functions as rows of Legendre coefficients, and the weight of each product; on the square from -1 to 1."""
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
    energy = np.kron(bend, mass) + 2 * np.kron(stretch, stretch) + np.kron(mass, bend)
    load = values @ gauss
    return functions, np.linalg.solve(energy, np.kron(load, load)).reshape(number, number)
