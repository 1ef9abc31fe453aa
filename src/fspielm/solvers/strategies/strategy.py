"""The interface of the kinds of functions that the automatic solver tries."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, final

from fspielm.errors import MemoryBudgetError, SolveError, UnsuitableError, is_users
from fspielm.estimate.bands import Bands
from fspielm.problem.problem import Problem
from fspielm.solvers.request import Approach, Request
from fspielm.solvers.round import RoundPlan, RoundResult

_log = logging.getLogger(__name__)

# ---- Numbers that several strategies share

# Digits beyond those of the tolerance: the estimate is some ten to a hundred times larger than the error.
SPARE_DIGITS = 1.5
# The most digits that smooth functions have in double precision; and the digits to which they hold data that are not
# smooth, or oscillate much faster than the waves of the equation.
DIGITS, ROUGH_DIGITS = 12.0, 4.0
# Coefficients so much larger than the solution show that a band is too narrow.
NARROW = 1e3
# Functions in the next round, relative to those before; at least.
GROWTH, LEAST_GROWTH = 1.5, 1.26
# Rows on the boundary for each function that is placed beside it; with fewer than the second number, functions are free
# to oscillate between them.
ROWS_PER_FUNCTION, LEAST_ROWS_PER_FUNCTION = 2.0, 1.2
# Operations of a round that are many, so that others may be cheaper.
DEAR = 2e11
# Lines along each axis on which the frequencies of a solution are measured.
CHORDS = 16
# A round has helped if the estimate is smaller by this factor; and if a few rounds must be enough.
BETTER, MUCH_BETTER = 1.5, 3.0
# The most rounds of one kind of functions; and how many in a row may fail or not help.
MOST_ROUNDS, PATIENCE = 20, 2

# ---- The interface


def why_failed(error: Exception) -> str:
    """Why a kind of functions failed, in words; errors that the user has to correct are raised again.

    An unexpected error is logged with its traceback, since other kinds may still find a solution.
    """
    if is_users(error):
        raise error
    if isinstance(error, UnsuitableError | SolveError | MemoryBudgetError):
        return str(error)
    _log.warning("a kind of functions failed", exc_info=error)
    return f"{type(error).__name__}: {error}"


@final
class StopReason(Enum):
    """Why there is no further round; an `Ending` has the details."""

    MET = "the tolerance is met"
    FLOOR = "the floor of double precision is reached"
    BUDGET = "the budget allows no further round"
    STALLED = "larger rounds did not help"
    EXHAUSTED = "nothing larger is known, it failed, or would be as uncertain"


@dataclass(frozen=True, eq=False)
class Strategy(ABC):
    """One kind of features, and what rounds with it have shown so far; immutable.

    The `title` is its name in reports. It `redraws` its functions at the floor of double precision, unless these are
    many.
    """

    approach: ClassVar[Approach]
    title: ClassVar[str]
    redraws: ClassVar[bool] = True

    request: Request

    @abstractmethod
    def first(self) -> Step:
        """The first step."""

    @abstractmethod
    def next(self, latest: RoundResult) -> Step | Ending:
        """What to try after `latest`, the round of this strategy; or why nothing is left to gain."""

    def smaller(self, plan: RoundPlan, neurons: int) -> RoundPlan | None:
        """A plan with at most so many neurons; None if so few would have no digit."""
        return None

    def onward(self, latest: RoundResult) -> Step | None:
        """A larger step than `latest`, whatever rounds so far have shown; None if there is none."""
        return None

    def around(self, problem: Problem) -> Strategy:
        """The same strategy for another linearisation of a nonlinear problem."""
        return self

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """The first step for a similar problem; None if this strategy says nothing about it.

        The estimate was below the tolerance by a factor of `spare`: if that is large, fewer functions may be enough.
        """
        return None

    def finer(self, request: Request, latest: RoundResult) -> Step | Ending:
        """What to try after `latest` for a request with a smaller tolerance."""
        return replace(self, request=request).next(latest)

    def is_waste(self, neurons: int) -> bool:
        """Whether a round with so few neurons is known to have no digit."""
        return False


@final
@dataclass(frozen=True, eq=False)
class Step:
    """What to try, and the strategy that says what comes next."""

    plan: RoundPlan
    strategy: Strategy


@final
@dataclass(frozen=True)
class Ending:
    """Why there is no further round; the `reason` is empty where the tolerance is met.

    It is final where other kinds of features would be no better. Where the time of the budget is too short, `seconds`
    is what the next round would take.
    """

    reason: str
    is_final: bool = False
    cause: StopReason = StopReason.EXHAUSTED
    seconds: float = 0.0
