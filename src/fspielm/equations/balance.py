"""The sizes that unknowns of a system have beside one another."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations.once import once
from fspielm.equations.problem import Problem
from fspielm.geometry import Sites

_SITES = 64
# Sums of logarithms that differ by less are the same.
_SAME = 1e-9


def natural_scales(problem: Problem, frequencies: FloatArray) -> FloatArray:
    """The size of each unknown, relative to others, at which its terms weigh as much as theirs; shape ``(U,)``.

    The matrix of the equations at `frequencies` along each axis is balanced: rows and columns are scaled such that the
    largest product of its determinant has factors of one, and no other entry is larger (I. S. Duff, J. Koster, SIAM J.
    Matrix Anal. Appl. 22, 2001); where that leaves a choice, with sizes that differ as little as can be. Units differ:
    the pressure of a slow flow is of the size of its viscosity.
    """
    number = len(problem.unknowns)
    if number == 1:
        return np.ones(1)
    matrix = np.zeros((len(problem.equations), number))
    for row, orders, place, size in _terms(problem):
        matrix[row, place] += size * np.prod(frequencies**orders)
    heights = _heights(matrix)
    return np.asarray(np.exp(heights.min() - heights))


def _heights(matrix: FloatArray) -> FloatArray:
    """Logarithms of what columns are divided by: a linear program, and a second one for their least spread."""
    from scipy.optimize import linprog

    rows, columns = matrix.shape
    some = np.argwhere(matrix > 0)
    # unknowns: one height for each row, none of them negative, then for each column; then the lowest and the highest
    above = np.zeros((len(some), rows + columns + 2))
    above[np.arange(len(some)), some[:, 0]] = above[np.arange(len(some)), rows + some[:, 1]] = -1.0
    least = -np.log(matrix[some[:, 0], some[:, 1]])
    total = np.concatenate([np.ones(rows + columns), np.zeros(2)])
    bounds = [(0, None)] * rows + [(None, None)] * (columns + 2)
    best = linprog(total, above, least, bounds=bounds)
    if not best.success:  # the determinant vanishes
        return np.zeros(columns)
    each = np.zeros((2 * columns, rows + columns + 2))
    each[:columns, rows:-2], each[columns:, rows:-2] = -np.eye(columns), np.eye(columns)
    each[:columns, -2], each[columns:, -1] = 1.0, -1.0
    limits = np.concatenate([above, each, total[None]])
    most = np.concatenate([least, np.zeros(2 * columns), [best.fun + _SAME * (1.0 + abs(best.fun))]])
    spread = np.concatenate([np.zeros(rows + columns), [-1.0, 1.0]])
    found = linprog(spread, limits, most, bounds=bounds)
    return np.asarray((found if found.success else best).x[rows:-2])


@once
def _terms(problem: Problem) -> list[tuple[int, tuple[int, ...], int, float]]:
    """Of every term: its equation, its orders, its unknown, and the largest size of its coefficient."""
    sites = Sites(problem.domain.sample(_SITES, np.random.default_rng(0), "low-discrepancy"))  # only looks
    return [
        (row, term.orders, term.unknown, float(np.abs(term.at(sites)).max()))
        for row, equation in enumerate(problem.equations)
        for term in equation.operator.terms
    ]
