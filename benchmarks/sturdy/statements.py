"""How long it takes to state a problem whose coefficients are long expressions."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import sympy as sp
from problems import unknown, x, y

import fspielm as fs

COLUMNS = ("statement", "status", "message", "writing_seconds", "seconds")


def _tanhs(count: int) -> sp.Expr:
    """Smooth steps in several directions."""
    return 2 + sum(sp.tanh((i + 3) * (x - 0.1 * i) + (5 - i) * (y - 0.15 * i)) for i in range(count)) / 8


def _gaussians(count: int) -> sp.Expr:
    """Inclusions here and there."""
    return 1 + sum((i + 1) * sp.exp(-20 * ((x - 0.2 * i) ** 2 + (y - 0.3 - 0.1 * i) ** 2)) for i in range(count))


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
    "nested radicals": _radicals,
    "tanh(1e6 (x - 1/2))": _cliff,
    "five tanh times four Gaussians": lambda: _tanhs(5) * _gaussians(4),
    "radicals times five tanh": lambda: _radicals() * _tanhs(5),
    "radicals of Gaussians": lambda: sp.sqrt(_gaussians(4) + sp.sqrt(_gaussians(3))),
    "tanh(1e6 (x - 1/2)) times four Gaussians": lambda: _cliff() * _gaussians(4),
    "all of them times each other": lambda: _tanhs(5) * _gaussians(4) * _radicals() * _cliff(),
    "quotient of Gaussians and tanh": lambda: _gaussians(4) / _tanhs(5),
    "Piecewise, halves": _halves,
    "Piecewise, inclusion": _inclusion,
    "Piecewise, five layers": _layers,
    "Piecewise times four Gaussians": lambda: _inclusion() * _gaussians(4),
    "Piecewise times five tanh": lambda: _layers() * _tanhs(5),
}


def perform(name: str) -> dict[str, Any]:
    """The seconds that SymPy takes to write div(a grad u) down, and those of `fs.Problem`."""
    u, a = unknown(x, y), COEFFICIENTS[name]()
    begun = perf_counter()
    equation = sp.Eq(sum((a * u.diff(s)).diff(s) for s in (x, y)), sp.sin(x + y))
    written = perf_counter()
    row: dict[str, Any] = {"status": "ok", "writing_seconds": f"{written - begun:.3f}"}
    try:
        fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    except Exception as error:
        row |= {"status": "exception", "message": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    return row | {"seconds": f"{perf_counter() - written:.3f}"}
