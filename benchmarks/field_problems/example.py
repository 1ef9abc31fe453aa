"""Problems of several unknowns, or of complex values, with what their solutions are measured by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.problem import without_modes

import fspielm as fs
from fspielm.expr import make_field

x, y, z, t = sp.symbols("x y z t", real=True)


@dataclass(frozen=True, eq=False)
class FieldExample:
    """A problem and its solution.

    Attributes
    ----------
    problem : fs.Problem
    exact : tuple of Expr
        One for each unknown; empty where none is known, and another solve with a smaller tolerance measures.
    wavelengths : float
        How many fit across the domain, roughly; zero where nothing oscillates.
    tol : float
    modes : tuple of tuple of Expr
        Fields that nothing in the problem sees, as the constant of a pressure; they do not count.
    """

    problem: fs.Problem
    exact: tuple[sp.Expr, ...]
    wavelengths: float = 0.0
    tol: float = 1e-8
    modes: tuple[tuple[Any, ...], ...] = ()

    def error(self, solution: Callable[[NDArray[np.float64]], NDArray[Any]], points: NDArray[np.float64]) -> float:
        """The largest relative L2 error of all unknowns."""
        shape = len(points), len(self.problem.unknowns)
        exact = self._values(self.exact, points) if self.exact else self._solved_again()(points).reshape(shape)
        unseen = [self._values(mode, points) for mode in self.modes]
        difference = without_modes(solution(points).reshape(shape) - exact, unseen)
        return float(np.max(np.linalg.norm(difference, axis=0) / np.linalg.norm(without_modes(exact, unseen), axis=0)))

    def _values(self, fields: Sequence[Any], points: NDArray[np.float64]) -> NDArray[Any]:
        return np.stack([make_field(sp.sympify(f), self.problem.coordinates)(points) for f in fields], axis=1)

    def _solved_again(self) -> fs.Solution:
        return fs.solve(self.problem, tol=1e-2 * self.tol, rng=1)


FIELD_EXAMPLES: dict[str, tuple[str, Callable[[], FieldExample]]] = {}


def field_example(name: str, what: str) -> Callable[[Callable[[], FieldExample]], Callable[[], FieldExample]]:
    """Register the function that makes an example."""

    def register(make: Callable[[], FieldExample]) -> Callable[[], FieldExample]:
        FIELD_EXAMPLES[name] = (what, make)
        return make

    return register


def functions(names: str, *coordinates: sp.Symbol) -> list[Any]:
    """Unknown functions of these coordinates."""
    return [sp.Function(name)(*coordinates) for name in names.split()]


def equations(operator: Callable[..., Sequence[Any]], unknowns: Sequence[Any], exact: Sequence[Any]) -> list[Any]:
    """The equations of an operator whose right-hand sides belong to the exact solution."""
    sides = zip(operator(*unknowns), operator(*exact), strict=True)
    return [sp.Eq(left, right, evaluate=False) for left, right in sides]


def on_both(
    rule: Callable[..., Sequence[Any]], unknowns: Sequence[Any], exact: Sequence[Any], on: Any = None
) -> list[fs.Condition]:
    """Conditions with the values that the exact solution has."""
    sides = zip(rule(*unknowns), rule(*exact), strict=True)
    return [fs.Condition(sp.Eq(left, right, evaluate=False), on=on) for left, right in sides]
