"""What every kind of functions has to tell the automatic solver."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, final

from fspielm.errors import MemoryBudgetError, SolveError, UnsuitableError, is_users
from fspielm.estimate.bands import Bands
from fspielm.problem.problem import Problem
from fspielm.solvers.plan import Attempt, Trial
from fspielm.solvers.request import Approach, Request

_log = logging.getLogger(__name__)


def why_failed(error: Exception) -> str:
    """Why a kind of functions failed, in words; an error that is for the user to mend is raised on.

    Whatever goes wrong in one kind costs its time alone, so this takes any error; one that nobody foresaw is logged
    with its traceback.
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
class Stage(ABC):
    """One kind of features, as far as it has been tried: a value, which `first` and `next` make others of.

    Attributes
    ----------
    request : Request
    approach : str
        Its name.
    title : str
        The same for reports.
    redraws : bool
        Whether its functions are so few that others in their place may do better at the floor of double precision.
    """

    approach: ClassVar[Approach]
    title: ClassVar[str]
    redraws: ClassVar[bool] = True

    request: Request

    @abstractmethod
    def first(self) -> Step:
        """What to begin with."""

    @abstractmethod
    def next(self, latest: Attempt) -> Step | Ending:
        """What to try after `latest`, the attempt of the step that led here; or why nothing is left to gain."""

    @abstractmethod
    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """The trial with at most so many neurons; None if fewer would be of no use."""

    def onward(self, latest: Attempt) -> Step | None:
        """A larger step than `latest`, whatever rounds so far have shown; None where there is no such thing."""
        return None

    def around(self, problem: Problem) -> Stage:
        """The same for another linearisation of a nonlinear problem, where it serves such problems."""
        return self

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """What to begin a problem with that differs little from the one that this stage has served.

        Its estimate was below the tolerance by a factor of `spare`: where that is large, fewer functions may do. None
        where a problem says nothing of the next one.
        """
        return None

    def finer(self, request: Request, latest: Attempt) -> Step | Ending:
        """What to try after `latest`, which has served, for another request: one with a smaller tolerance."""
        return replace(self, request=request).next(latest)

    def is_waste(self, neurons: int) -> bool:
        """Whether a round with so few neurons is known to give no digit."""
        return False


@final
@dataclass(frozen=True, eq=False)
class Step:
    """What to try, and the stage to ask what comes after it."""

    trial: Trial
    stage: Stage


@final
@dataclass(frozen=True)
class Ending:
    """Why there is no further round.

    Attributes
    ----------
    reason : str
        Empty where the tolerance is met.
    is_final : bool
        Whether another kind of features would be no better.
    cause : StopReason
    seconds : float
        What the next round would take, where the time of the budget is too short for it.
    """

    reason: str
    is_final: bool = False
    cause: StopReason = StopReason.EXHAUSTED
    seconds: float = 0.0
