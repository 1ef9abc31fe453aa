"""A random problem, what only its maker knows, and how it is solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import fspielm as fs
from random_families.conditions import as_callable
from random_families.draw import Draw

_CHECKS = 4000


@dataclass(frozen=True, eq=False)
class RandomProblem:
    """A problem and what only its maker knows.

    Attributes
    ----------
    seed : int
    family : str
    description : str
        Operator, domain, conditions and ingredients of the solution.
    problem : fs.Problem
    exact : Expr, tuple of Expr, or callable
        Of several unknowns one for each; a function of points where there is no expression.
    tol : float
        What to ask for.
    share : float or None
        The budget as a share of the neurons that an ample solve takes; None for an ample budget.
    ample : bool
        Whether the budget and the tolerance leave the solver a fair chance.
    most : int
        The neurons of an ample budget: more than almost any of the problems needs; only keeps a misjudged one from
        taking all day.
    modes : tuple of tuple of Expr
        Fields of several unknowns that nothing in the problem sees, as the constant of a pressure.
    seconds : float
        After which no further round begins.
    several : bool
        Whether there may be other solutions than `exact`.
    added : bool
        Whether `exact` is what objects of an open domain add to what comes in.
    """

    seed: int
    family: str
    description: str
    problem: fs.Problem
    exact: sp.Expr | tuple[sp.Expr, ...] | Callable[[NDArray[np.float64]], NDArray[Any]]
    tol: float
    share: float | None
    ample: bool
    most: int = 4000
    modes: tuple[tuple[sp.Expr, ...], ...] = ()
    seconds: float = 600.0
    several: bool = False
    added: bool = False

    def true_error(self, solution: Any) -> float:
        """Relative L2 error at fresh points, uniform in the domain; of several unknowns the largest of theirs.

        What nothing determines does not count, neither in the difference nor in the size of the solution.
        """
        points = self.problem.domain.sample(_CHECKS, np.random.default_rng(self.seed))
        exact = self._values(self.exact if isinstance(self.exact, tuple) else (self.exact,), points)
        found = (solution.scattered if self.added else solution)(points).reshape(exact.shape)
        unseen = [self._values(mode, points) for mode in self.modes]
        difference = without_modes(found - exact, unseen)
        return float(np.max(np.linalg.norm(difference, axis=0) / np.linalg.norm(without_modes(exact, unseen), axis=0)))

    def _values(self, fields: tuple[Any, ...], points: NDArray[np.float64]) -> NDArray[Any]:
        functions = [as_callable(f, self.problem.coordinates) if isinstance(f, sp.Expr) else f for f in fields]
        return np.stack([function(points) for function in functions], axis=1)


def without_modes(values: NDArray[Any], modes: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Values ``(n, fields)`` without their share in the modes."""
    if not modes:
        return values
    columns = np.stack([mode.ravel() for mode in modes], axis=1)
    share = np.linalg.lstsq(columns, values.ravel(), rcond=None)[0]
    return np.asarray(values - (columns @ share).reshape(values.shape))


def draw_goal(draw: Draw, least: float) -> tuple[float, float | None, bool]:
    """Tolerance, share of the neurons, and whether the two are ample: a third of the time one of them is too small."""
    tol = draw.log_between(least, 1e-4)
    share = None
    ample = not draw.chance(1 / 3)
    if not ample:
        if draw.chance(0.75):
            share = draw.between(0.15, 0.8)
        else:
            tol = draw.log_between(1e-15, 1e-13)
    return tol, share, ample


def solve(random: RandomProblem, progress: bool = False) -> tuple[fs.Solution, float]:
    """Solve within the budget, and the seconds it took."""
    budget = fs.Budget(neurons=random.most, seconds=random.seconds)
    if random.share is not None:
        whole = fs.solve(random.problem, tol=random.tol, budget=budget, rng=random.seed)
        budget = replace(budget, neurons=max(int(random.share * whole.report.neurons), 8))
    start = perf_counter()
    solution = fs.solve(random.problem, tol=random.tol, budget=budget, rng=random.seed, progress=progress)
    return solution, perf_counter() - start
