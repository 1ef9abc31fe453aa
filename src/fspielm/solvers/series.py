"""Many similar problems, one after the other."""

from __future__ import annotations

from typing import final

from fspielm.problem.problem import Problem
from fspielm.problem.scattering.media import has_media
from fspielm.solution.solution import Solution
from fspielm.solvers.driver import History, solve_automatically
from fspielm.solvers.finish import finish
from fspielm.solvers.request import Budget, Request, Streams
from fspielm.solvers.solve import check_arguments, solve


@final
class Series:
    """Solves as `solve` does, but begins each problem with the functions that solved the one before.

    Most problems then need a single round. Each has its own rows, error estimate and verdict; where the first functions
    are not good enough, others are tried as in any solve.

    Parameters
    ----------
    tol : float
    budget : Budget
    seed : int
        Of features and points, the same for every problem.
    """

    def __init__(self, tol: float, budget: Budget, seed: int) -> None:
        self._tol, self._budget, self._seed = tol, budget, seed
        self._before: History | None = None

    def solve(self, problem: Problem) -> Solution:
        """The solution of the next problem; an `AccuracyWarning` says why its estimate does not meet the tolerance."""
        # the last solution would decide which one of a nonlinear problem is found; media add unknowns
        if not problem.is_linear or has_media(problem):
            return solve(problem, tol=self._tol, budget=self._budget, rng=self._seed)
        check_arguments(problem, self._tol, None, None, None, self._budget)
        streams, seed = Streams.spawned(self._seed)
        request = Request(problem, self._tol, self._budget, streams, seed)
        history = solve_automatically(request, self._before)
        self._before = history
        return finish(request, history)
