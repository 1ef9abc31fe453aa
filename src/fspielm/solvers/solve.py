"""solve(): from a problem to a solution; and many similar problems, one after the other."""

from __future__ import annotations

from functools import partial
from typing import Any, final

import numpy as np

from fspielm.basis.random.families import Family
from fspielm.basis.singular.columns import Choice, check_singular
from fspielm.collocation.least_squares import QR, LeastSquares
from fspielm.collocation.points import Points
from fspielm.collocation.system import Scaling, check_scaling
from fspielm.errors import ProblemError
from fspielm.problem.nonlinear.iterate import as_iterate
from fspielm.problem.parameters import need_values
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import transmission_problem
from fspielm.problem.scattering.media import has_media
from fspielm.solution.solution import Solution
from fspielm.solvers.by_hand import solve_by_hand
from fspielm.solvers.driver import History, finish, finish_quietly, solve_automatically
from fspielm.solvers.newton.rounds import solve_nonlinear
from fspielm.solvers.request import Approach, Budget, Progress, Request, check_approach, offering
from fspielm.solvers.round import RoundResult
from fspielm.solvers.time.windows import is_long, solve_in_windows


@offering(lambda solution: solution, "solution")
def solve(
    problem: Problem,
    *,
    tol: float = 1e-8,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    features: Family | None = None,
    points: Points | None = None,
    least_squares: LeastSquares | None = None,
    scaling: Scaling = "rms",
    singular: Choice = None,
    approach: Approach | None = None,
    guess: Any = None,
) -> Solution:
    """Solve a problem, with an estimate of the error.

    Everything is chosen from the equation and its data: the kind of features, their frequencies and number, the
    points, the scaling of rows. Rounds with more of them follow until the estimate meets `tol`.

    Parameters
    ----------
    problem : Problem
    tol : float
        Relative L2 error to reach, measured by the estimate.
    budget : Budget, optional
        Limits on neurons, seconds, memory and threads.
    rng : int, Generator or None
        Seed of features and points.
    progress : bool or callable, optional
        True writes a line to standard error after each round, and before one of more than two seconds; a callable
        receives these as a `Round` and a `Forecast`.
    features : Family, optional
        Fixes the features, and with them a single round; for instance one of the paper's families.
    points : Points, optional
        Fixes the collocation points.
    least_squares : LeastSquares, optional
        `QR` by default; the paper's is ``TruncatedSVD(1e-12)``.
    scaling : {"rms", "none"}
        Whether every block of rows is divided by its root-mean-square entry; the paper's is ``"none"``.
    singular : bool, Singular or sequence of Singular, optional
        Singular functions at corners of a plane domain: at all (True), at none (False), or at those named. By
        default they are added where the solution turns out not to be smooth.
    approach : {"characteristic", "thin", "band", "patches", "windows"}, optional
        The kind of features: functions that satisfy the equation; those and cosines around the few frequencies of
        the right-hand side; cosines that fill a band of frequencies; or polynomials in cells joined by their traces, in
        one and two dimensions, all at once or in one window of time after the other. By default the one that should
        be cheapest, and others where it is not good enough.
    guess : number, Expr, callable, Solution, or mapping of such by unknown, optional
        What Newton's method begins with where the problem is not linear; zero by default. Of several solutions, it
        decides which one is found.

    Returns
    -------
    Solution
        Its `converged` tells whether the estimate meets `tol`; if not, an `AccuracyWarning` says why.

    Raises
    ------
    ProblemError
        If an argument is wrong or the data have no band, before any long computation.
    MemoryBudgetError
        If not even a hundred functions would fit; by hand, if those asked for would not.
    SolveError
        If the least-squares method cannot solve the system, with any kind of features.
    SolveInterrupted
        After Ctrl-C; its `solution` is the best so far.
    """
    check_arguments(problem, tol, budget, features, points, least_squares)
    check_scaling(scaling)
    check_singular(singular)
    check_approach(approach)
    if approach in ("patches", "windows"):
        _check_for_cells(approach, points, least_squares, scaling, singular)
    if features is not None and approach is not None:
        raise ProblemError("give features or approach, not both: an approach chooses the functions")
    if problem.domain.is_unbounded:
        _check_for_open(features, points, singular)
        problem = transmission_problem(problem)
    _check_for_newton(problem, features, guess)
    request = Request.of(
        problem,
        tol,
        budget,
        rng,
        progress,
        points=points,
        method=least_squares or QR(),
        scaling=scaling,
        singular=singular,
        approach=approach,
    )
    with offering(partial(finish_quietly, request)):
        if approach == "windows" or (not problem.is_linear and is_long(request)):
            return solve_in_windows(request, guess)
        solved: RoundResult | History
        if not problem.is_linear:
            solved = solve_nonlinear(request, guess)
        elif features is not None:
            solved = solve_by_hand(request, features)
        else:
            solved = solve_automatically(request)
        return finish(request, solved)


def _check_for_cells(approach: str, points: Any, least_squares: Any, scaling: str, singular: Choice) -> None:
    """Refuse settings that cells ignore."""
    _refuse_ignored(
        f'with approach="{approach}": cells have points, scales and a QR factorisation of their own, and are halved '
        "toward corners instead; leave it out, or take another approach",
        points=points is not None,
        least_squares=least_squares is not None and not isinstance(least_squares, QR),
        scaling=scaling != "rms",
        singular=bool(singular),
    )


def _check_for_open(features: Any, points: Any, singular: Choice) -> None:
    """Refuse settings that functions of open domains ignore."""
    _refuse_ignored(
        "on an open domain: functions that radiate, and the points that suit them, follow from its objects; leave it "
        "out",
        features=features is not None,
        points=points is not None,
        singular=bool(singular),
    )


def _refuse_ignored(why: str, **given: bool) -> None:
    ignored = [name for name, is_given in given.items() if is_given]
    if ignored:
        raise ProblemError(f"{' and '.join(ignored)} cannot be chosen {why}")


def _check_for_newton(problem: Problem, features: Any, guess: Any) -> None:
    """Refuse a guess for a linear problem, and features chosen by hand for a nonlinear one."""
    if problem.is_linear:
        if guess is not None:
            raise ProblemError(
                "guess is where Newton's method begins; this problem is linear and needs none: leave it out"
            )
        return
    if features is not None:
        raise ProblemError(
            "functions chosen by hand are for linear problems; leave them out, or solve problem.linearised(iterate) "
            "with them, step by step"
        )
    as_iterate(problem, guess)  # which says what is wrong with it


def check_arguments(
    problem: Any, tol: Any, budget: Any, features: Any = None, points: Any = None, least_squares: Any = None
) -> None:
    """Refuse arguments of the wrong kind, each by name and with an example."""
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    if problem.open_symbols:
        raise ProblemError(need_values(problem, problem.open_symbols))
    check_settings(tol, budget, features, points, least_squares)


def check_settings(tol: Any, budget: Any, features: Any = None, points: Any = None, least_squares: Any = None) -> None:
    """Refuse settings of the wrong kind, whatever the problem is."""
    least = np.finfo(float).resolution
    if isinstance(tol, bool) or not isinstance(tol, int | float | np.number) or not least <= tol < 1:
        raise ProblemError(f"tol must be a number from {least:g} to 1; got {tol!r}")
    for name, value, kind, example in (
        ("features", features, Family, "fs.FrequencyShift(2000, mu=(5, 100))"),
        ("points", points, Points, "fs.Points(interior=4000, boundary=400)"),
        ("least_squares", least_squares, LeastSquares, "fs.QR()"),
        ("budget", budget, Budget, "fs.Budget(seconds=60)"),
    ):
        if value is not None and not isinstance(value, kind):
            raise ProblemError(f"{name} must be an object such as {example}; got {value!r}")


# ---- Many similar problems, one after the other


@final
class Series:
    """Solves as `solve` does, but begins each problem with the functions that solved the one before.

    Most problems then need a single round. Each has its own rows, error estimate and verdict; where the first functions
    are not good enough, others are tried as in any solve. The seed of features and points is the same for every
    problem.
    """

    def __init__(self, tol: float, budget: Budget, seed: int) -> None:
        self._tol, self._budget, self._seed = tol, budget, seed
        self._before: History | None = None

    def solve(self, problem: Problem) -> Solution:
        """The solution of the next problem; an `AccuracyWarning` says why its estimate does not meet the tolerance."""
        # the last solution would decide which one of a nonlinear problem is found; media add unknowns
        if not problem.is_linear or has_media(problem):
            return solve(problem, tol=self._tol, budget=self._budget, rng=self._seed)
        check_arguments(problem, self._tol, self._budget)
        request = Request.of(problem, self._tol, self._budget, self._seed)
        self._before = solve_automatically(request, self._before)
        return finish(request, self._before)
