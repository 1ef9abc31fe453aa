"""Solutions along a line, by the reference: with conditions at both ends, or around a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable

from adversary_families.reference import Equation, Function, March, graded, march

# The coordinate along the line, from the narrow place, or the radius around it.
S = sp.Symbol("s", real=True)


@dataclass(frozen=True, eq=False)
class Line:
    """div(a grad u) - c u = f along a coordinate, or along a radius in some dimension.

    Attributes
    ----------
    a, c, f : Expr
        Of `S`; `a` is smooth.
    places : sequence of (centre, width)
    jumps : sequence of float
        Where `c` or `f` jump.
    """

    a: sp.Expr
    c: sp.Expr
    f: sp.Expr
    places: Sequence[tuple[float, float]] = ()
    jumps: Sequence[float] = ()

    def equation(self, dimension: int = 1, order: int = 0) -> Equation:
        """For v, where u is v times a harmonic polynomial of that order; even in the radius beyond one dimension."""
        around = 2 * order + dimension - 1
        slope = self.a.diff(S) / self.a + (around / S if around else 0)
        value = -self.c / self.a + (order * self.a.diff(S) / (self.a * S) if order else 0)
        return Equation(*(_function(e) for e in (slope, value, self.f / self.a)))


def _function(expression: sp.Expr) -> Function:
    field = as_callable(sp.sympify(expression), (S,))
    return lambda s: field(s[:, None])


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum of the solutions of a march on either side."""

    left: March
    right: March
    weights: NDArray[np.float64]

    def __call__(self, s: NDArray[np.float64], slope: bool = False) -> NDArray[np.float64]:
        """Values, or slopes."""
        result = np.empty(len(s))
        below = s < 0
        result[below] = self.left(s[below], slope) @ self.weights
        result[~below] = self.right(s[~below], slope) @ self.weights
        return result


@dataclass(frozen=True)
class End:
    """``value u + slope du/ds = data`` at one end."""

    at: float
    value: float
    slope: float
    data: float


def between(line: Line, ends: tuple[End, End]) -> tuple[Sum, float]:
    """The solution with conditions at both ends, on either side of zero, and how far it is from a resonance."""
    starts = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    equation = line.equation()
    # somewhat further than the ends, for whoever differentiates there
    left, right = (
        march(equation, starts, graded(0.0, 1.1 * end.at, line.places, [*line.jumps, end.at])) for end in ends
    )
    rows = np.array(
        [
            (end.value * side(at) + end.slope * side(at, slope=True))[0]
            for end, side in zip(ends, (left, right), strict=True)
            for at in [np.array([end.at])]
        ]
    )
    data = np.array([end.data for end in ends]) - rows[:, 2]
    size = np.abs(rows[:, :2]).max(axis=1, keepdims=True)
    weights = np.linalg.solve(rows[:, :2] / size, data / size[:, 0])
    return Sum(left, right, np.append(weights, 1.0)), float(1 / np.linalg.cond(rows[:, :2] / size))


def around(line: Line, dimension: int, order: int, reach: float) -> March:
    """The regular solutions v around a point: of the homogeneous equation with v = 1 there, and of f with v = 0."""
    breaks = graded(0.0, reach, [(0.0, 0.05 * reach), *line.places], line.jumps)
    return march(line.equation(dimension, order), [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)], breaks)
