"""A random problem, what only its maker knows, and how it is solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

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
    exact : Expr
    tol : float
        What to ask for.
    share : float or None
        The budget as a share of the neurons that an ample solve takes; None for an ample budget.
    ample : bool
        Whether the budget and the tolerance leave the solver a fair chance.
    most : int
        The neurons of an ample budget: more than almost any of the problems needs; only keeps a misjudged one from
        taking all day.
    """

    seed: int
    family: str
    description: str
    problem: fs.Problem
    exact: sp.Expr
    tol: float
    share: float | None
    ample: bool
    most: int = 4000

    def true_error(self, solution: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> float:
        """Relative L2 error at fresh points, uniform in the domain."""
        points = self.problem.domain.sample(_CHECKS, np.random.default_rng(self.seed))
        exact = as_callable(self.exact, self.problem.coordinates)(points)
        return float(np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact))


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
    budget = fs.Budget(neurons=random.most)
    if random.share is not None:
        whole = fs.solve(random.problem, tol=random.tol, budget=budget, rng=random.seed)
        budget = fs.Budget(neurons=max(int(random.share * whole.report.neurons), 8))
    start = perf_counter()
    solution = fs.solve(random.problem, tol=random.tol, budget=budget, rng=random.seed, progress=progress)
    return solution, perf_counter() - start
