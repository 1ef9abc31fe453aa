"""The sizes that unknowns of a system have beside one another."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations.once import once
from fspielm.equations.problem import Problem
from fspielm.geometry import Sites

_SITES = 64
_STEPS = 20


def natural_scales(problem: Problem, frequencies: FloatArray) -> FloatArray:
    """The size of each unknown, relative to others, at which its terms weigh as much as theirs; shape ``(U,)``.

    The matrix of the equations at `frequencies` along each axis is balanced: rows and columns are divided by the roots
    of their largest entries until none stands out. Units differ: the pressure of a slow flow is of the size of its
    viscosity.
    """
    number = len(problem.unknowns)
    if number == 1:
        return np.ones(1)
    matrix = np.zeros((len(problem.equations), number))
    for row, orders, place, size in _terms(problem):
        matrix[row, place] += size * np.prod(frequencies**orders)
    scales = np.ones(number)
    for _ in range(_STEPS):
        rows = matrix.max(axis=1, keepdims=True)
        matrix /= np.where(rows > 0, np.sqrt(rows), 1.0)
        columns = matrix.max(axis=0)
        factor = np.where(columns > 0, np.sqrt(columns), 1.0)
        matrix /= factor
        scales /= factor
    return np.asarray(scales / scales.max())


@once
def _terms(problem: Problem) -> list[tuple[int, tuple[int, ...], int, float]]:
    """Of every term: its equation, its orders, its unknown, and the largest size of its coefficient."""
    sites = Sites(problem.domain.sample(_SITES, np.random.default_rng(0), "low-discrepancy"))  # only looks
    return [
        (row, term.orders, term.unknown, float(np.abs(term.at(sites)).max()))
        for row, equation in enumerate(problem.equations)
        for term in equation.operator.terms
    ]
