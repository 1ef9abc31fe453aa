"""How long it takes to state a problem whose coefficients are long expressions, and to begin with its solution."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import sympy as sp
from problems import unknown

import fspielm as fs

COLUMNS = ("statement", "step", "status", "message", "seconds")
# What is timed: the statement alone, or after it a solve with so few features that only what precedes them counts.
STEPS = ("fs.Problem", "fs.solve")
_FEW = 30

# As most people write them: SymPy knows nothing of them, not even that they are real.
x, y = sp.symbols("x y")


def _tanhs(count: int) -> sp.Expr:
    """Smooth steps in several directions."""
    return 2 + sum(sp.tanh((i + 3) * (x - 0.1 * i) + (5 - i) * (y - 0.15 * i)) for i in range(count)) / 8


def _gaussians(count: int) -> sp.Expr:
    """Inclusions here and there."""
    return 1 + sum((i + 1) * sp.exp(-20 * ((x - 0.2 * i) ** 2 + (y - 0.3 - 0.1 * i) ** 2)) for i in range(count))


def _steep(count: int) -> sp.Expr:
    """The same, so steep that away from the steps there is nothing but rounding to see of their slopes."""
    return 2 + sum(sp.tanh(300 * (x - 0.1 - 0.2 * i) + 200 * (y - 0.15 * i)) for i in range(count)) / 8


def _cliffs() -> sp.Expr:
    """Five jumps, or almost."""
    return 2 + sum(sp.tanh(10**6 * (x - sp.Rational(i, 11))) for i in (2, 5, 6, 8, 9)) / 8


def _narrow(count: int) -> sp.Expr:
    """Inclusions a hundredth wide."""
    return 1 + sum((i + 1) * sp.exp(-5000 * ((x - 0.2 * i) ** 2 + (y - 0.6 - 0.1 * i) ** 2)) for i in range(count))


def _rings() -> sp.Expr:
    """Steps across circles."""
    return 2 + sum(sp.tanh(20 * (sp.sqrt((x - 0.2 * i) ** 2 + (y - 0.3) ** 2) - 0.1)) for i in range(4)) / 8


def _radicals() -> sp.Expr:
    """Roots of roots of roots."""
    return sp.sqrt(1 + sp.sqrt(2 + x**2 + sp.sqrt(3 + x * y + sp.sqrt(1 + y**4))))


def _cliff() -> sp.Expr:
    """A step that is a jump to everybody but a mathematician."""
    return 2 + sp.tanh(10**6 * (x - sp.Rational(1, 2)))


def _halves() -> sp.Expr:
    return sp.Piecewise((1, x < sp.Rational(1, 2)), (3, True))


def _inclusion() -> sp.Expr:
    return sp.Piecewise((2 + x * y, (x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.09), (1 + sp.exp(-x), True))


def _layers() -> sp.Expr:
    """Five strips."""
    return sp.Piecewise(*((1 + i + x, y < sp.Rational(i + 1, 5)) for i in range(4)), (5, True))


COEFFICIENTS: dict[str, Callable[[], sp.Expr]] = {
    "two tanh": lambda: _tanhs(2),
    "five tanh": lambda: _tanhs(5),
    "five tanh, exact numbers": lambda: sp.nsimplify(_tanhs(5), rational=True),
    "four Gaussians": lambda: _gaussians(4),
    "four Gaussians, exact numbers": lambda: sp.nsimplify(_gaussians(4), rational=True),
    "ten Gaussians": lambda: _gaussians(10),
    "five steep tanh": lambda: _steep(5),
    "four narrow Gaussians": lambda: _narrow(4),
    "tanh across four rings": _rings,
    "product of five tanh": lambda: sp.prod([1.5 + sp.tanh((i + 3) * (x - 0.1 * i) + (5 - i) * y) for i in range(5)]),
    "nested radicals": _radicals,
    "tanh(1e6 (x - 1/2))": _cliff,
    "five of tanh(1e6 (x - c))": _cliffs,
    "five tanh times four Gaussians": lambda: _tanhs(5) * _gaussians(4),
    "steep tanh times narrow Gaussians": lambda: _steep(5) * _narrow(4),
    "radicals times five tanh": lambda: _radicals() * _tanhs(5),
    "radicals of Gaussians": lambda: sp.sqrt(_gaussians(4) + sp.sqrt(_gaussians(3))),
    "tanh(1e6 (x - 1/2)) times four Gaussians": lambda: _cliff() * _gaussians(4),
    "all of them times each other": lambda: _tanhs(5) * _gaussians(4) * _radicals() * _cliff(),
    "quotient of Gaussians and tanh": lambda: _gaussians(4) / _tanhs(5),
    "Piecewise, continuous": lambda: sp.Piecewise((1 + x, x < y), (1 + y, True)),
    "Piecewise, halves": _halves,
    "Piecewise, inclusion": _inclusion,
    "Piecewise, five layers": _layers,
    "Piecewise times four Gaussians": lambda: _inclusion() * _gaussians(4),
    "Piecewise times five tanh": lambda: _layers() * _tanhs(5),
}


def perform(task: tuple[str, str]) -> dict[str, Any]:
    """The seconds of a step for div(a grad u) = 0, which may be refused: a jump in `a` is."""
    name, step = task
    u, a = unknown(x, y), COEFFICIENTS[name]()
    equation = sp.Eq(sum((a * u.diff(s)).diff(s) for s in (x, y)), 0)
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    row: dict[str, Any] = {"status": "ok"}
    begun = perf_counter()
    try:
        problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(x)])
        if step == "fs.solve":
            begun = perf_counter()
            fs.solve(problem, budget=fs.Budget(neurons=_FEW), rng=0)
    except fs.ProblemError as error:
        row |= {"status": "refused", "message": " ".join(str(error).split())}
    except Exception as error:
        row |= {"status": "exception", "message": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    return row | {"seconds": f"{perf_counter() - begun:.3f}"}
