"""Poisson's equation in the unit cube of five dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp
from problems import Example, laplacian, unknown

import fspielm as fs

_V = sp.symbols("x1:6", real=True)


def poisson(solution: Callable[[Sequence[sp.Symbol]], sp.Expr]) -> Example:
    """With the right-hand side and the boundary values of a solution of five coordinates."""
    u, exact = unknown(*_V), solution(_V)
    equation = sp.Eq(-laplacian(u, *_V), -laplacian(exact, *_V))
    return Example(fs.Problem(equation, fs.Box([0] * 5, [1] * 5), [fs.Dirichlet(exact)]), exact)


def _sines(frequencies: Sequence[int]) -> Example:
    return poisson(lambda v: sum(sp.sin(n * sp.pi * s) for n, s in zip(frequencies, v, strict=True)))


FIVE_DIMENSIONS: dict[str, Callable[[], Example]] = {
    "five sines, pi": lambda: _sines((1, 1, 1, 1, 1)),
    "five sines, pi and 2 pi": lambda: _sines((1, 2, 1, 2, 1)),
    "five sines, 2 pi": lambda: _sines((2, 2, 2, 2, 2)),
}
