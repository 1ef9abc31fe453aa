"""A named nonlinear problem, and what its solutions are measured by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import fspielm as fs
from fspielm.expr import make_field
from fspielm.geometry import Domain

x, y, t = sp.symbols("x y t")
u = sp.Function("u")
SQUARE = fs.Box((0, 0), (1, 1))
_POINTS = 4000

Values = Callable[[NDArray[np.float64]], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class NonlinearProblem:
    """A problem and how to tell the error of a solution.

    Attributes
    ----------
    problem : fs.Problem
    exact : tuple of Expr or callable
        One for each unknown, or the values ``(n,)`` of the only one, ``(n, U)`` of several.
    tol : float
        What is asked for.
    goal : float
        The error that the solution is to have.
    guess : object
        What to begin with, as in `fs.solve`.
    free : tuple of int
        Unknowns of which nothing fixes the mean.
    points : (n, d) array or None
        Where it is measured; random places by default.
    numbers : callable or None
        Makes numbers ``(m,)`` of the solution, which it is measured by instead.
    known : tuple of float
        Those that are right.
    """

    problem: fs.Problem
    exact: tuple[sp.Expr, ...] | Values
    tol: float
    goal: float
    guess: Any = None
    free: tuple[int, ...] = ()
    points: NDArray[np.float64] | None = None
    numbers: Callable[[Any], NDArray[np.float64]] | None = None
    known: tuple[float, ...] = ()

    def error(self, solution: Values) -> float:
        """Relative L2 error, the largest of all unknowns; or that of numbers."""
        if self.numbers is not None:
            return float(np.max(np.abs(self.numbers(solution) / np.array(self.known) - 1)))
        points = self.points
        if points is None:
            points = self.problem.domain.sample(_POINTS, np.random.default_rng(0))
        known = self._known(points)
        found = np.asarray(solution(points)).reshape(known.shape)
        for place in self.free:
            found, known = (v - np.where(np.arange(v.shape[1]) == place, v.mean(axis=0), 0.0) for v in (found, known))
        return float(np.max(np.linalg.norm(found - known, axis=0) / np.linalg.norm(known, axis=0)))

    def _known(self, points: NDArray[np.float64]) -> NDArray[Any]:
        if callable(self.exact):
            return self.exact(points).reshape(len(points), -1)
        coordinates = self.problem.coordinates
        return np.stack([make_field(e, coordinates)(points) for e in self.exact], axis=1)


NONLINEAR_PROBLEMS: dict[str, tuple[str, Callable[[], NonlinearProblem]]] = {}


def nonlinear_problem(
    name: str, what: str
) -> Callable[[Callable[[], NonlinearProblem]], Callable[[], NonlinearProblem]]:
    """Register the function that makes a problem."""

    def register(make: Callable[[], NonlinearProblem]) -> Callable[[], NonlinearProblem]:
        NONLINEAR_PROBLEMS[name] = (what, make)
        return make

    return register


def laplacian(v: sp.Expr) -> sp.Expr:
    """In the plane."""
    return v.diff(x, 2) + v.diff(y, 2)


def made(
    form: Callable[[sp.Expr], sp.Expr],
    unknown: sp.Expr,
    exact: sp.Expr,
    domain: Domain,
    *,
    tol: float,
    goal: float,
    conditions: Sequence[Any] | None = None,
) -> NonlinearProblem:
    """A problem with the right-hand side of a solution, and its values all around unless there are conditions."""
    given = [fs.Dirichlet(exact)] if conditions is None else list(conditions)
    equation = sp.Eq(form(unknown), form(exact), evaluate=False)
    return NonlinearProblem(fs.Problem(equation, domain, given), (exact,), tol, goal)
