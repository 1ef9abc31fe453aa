"""The functions that solutions are followed with: chosen by a solve, and then kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.collocation import Finite
from fspielm.equations import Problem
from fspielm.equations.nonlinear import Iterate
from fspielm.equations.problem import compile_statement
from fspielm.equations.residual import residual_form
from fspielm.errors import IterateError, ProblemError, UnsuitableError
from fspielm.features import Basis
from fspielm.solvers.approach import Approach
from fspielm.solvers.automatic import Course, solve_automatically
from fspielm.solvers.expected import Expected
from fspielm.solvers.newton import solve_nonlinear
from fspielm.solvers.request import Request
from fspielm.solvers.trial import Trial

# Digits that the first solve has more than were asked for, for solutions become harder along the way.
_MORE = 0.1
_LEAST_TOLERANCE = 1e-13


@final
@dataclass(frozen=True, eq=False)
class Kept(Trial):
    """Functions and places that were drawn before.

    Attributes
    ----------
    trial : Trial
        What they were drawn by.
    finite : Finite
    why : str
    """

    trial: Trial
    finite: Finite
    why: str = "functions that were kept"

    @property
    def neurons(self) -> int:
        """Columns of the system."""
        return self.finite.basis.size

    @property
    def cells(self) -> int | None:
        """How many cells the functions are on."""
        return self.trial.cells

    def rows(self, problem: Problem) -> int:
        """Rows of the system."""
        return self.finite.rows

    def work(self, problem: Problem) -> float:
        """Floating-point operations, about."""
        return self.trial.work(problem)

    @property
    def description(self) -> str:
        """The functions, for reports."""
        return self.trial.description

    def widths(self, basis: Basis) -> tuple[float, ...]:
        """The highest frequency along each axis."""
        return self.trial.widths(basis)

    def because(self, why: str) -> Kept:
        """The same for another reason."""
        return replace(self, why=why)

    def nbytes(self, request: Request) -> int:
        """Memory of a round with it."""
        return self.trial.nbytes(request)

    def outlook(self, request: Request, operation: float | None, time_left: float) -> Expected:
        """How long a round with it will take."""
        return self.trial.outlook(request, operation, time_left)

    def discretise(self, request: Request, seconds: dict[str, float]) -> Finite:
        """What was drawn, for another problem."""
        return self.finite.with_problem(request.problem)


def solve_with_any(request: Request, guess: Iterate | Any = None) -> Course:
    """Solve with functions that serve all solutions nearby: a filled band, or, where that is not enough, cells.

    Raises
    ------
    ProblemError
        If there is no solution, or neither kind of functions suits.
    """
    finer = replace(request, tol=max(_MORE * request.tol, _LEAST_TOLERANCE))
    best: Course | None = None
    failure: Exception | None = None
    for approach in _approaches(request):
        asked = replace(finer, approach=approach)
        try:
            course = solve_automatically(asked) if request.problem.is_linear else solve_nonlinear(asked, guess)
        except IterateError:
            raise
        except (ProblemError, UnsuitableError) as error:
            failure = failure or error
            continue
        if best is None or _error(course) < _error(best):
            best = course
        if _error(best) <= request.tol:
            return best
    if best is None:
        assert failure is not None
        raise failure
    return best


def functions_at_rest(request: Request) -> Course:
    """Functions to begin with where the solution is zero, and shows nothing: those that solve ``F'(0) w = 1``."""
    statement = request.problem.linearised(0).statement
    equations = tuple(sp.Eq(residual_form(each), 1, evaluate=False) for each in statement.equations)
    return solve_with_any(replace(request, problem=compile_statement(replace(statement, equations=equations))))


def _approaches(request: Request) -> tuple[Approach, ...]:
    if request.approach is not None:
        return (request.approach,)
    return ("band", "patches") if request.problem.dimension < 3 else ("band",)


def _error(course: Course) -> float:
    estimate = course.best.estimate
    return np.inf if estimate is None else estimate.relative
