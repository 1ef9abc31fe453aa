"""The state of an automatic solve, and one round of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation import Points, Scaling
from fspielm.equations import Problem
from fspielm.features import widths_of
from fspielm.linalg import LeastSquares
from fspielm.solution import Forecast, Round
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt, Streams, attempt
from fspielm.solvers.budget import Budget
from fspielm.solvers.pace import operation_of
from fspielm.solvers.singular import Choice
from fspielm.solvers.trial import Trial
from fspielm.spectrum import Patience

_log = logging.getLogger(__name__)

# Of the seconds of a budget, what may be spent before anything is solved.
_LOOKING = 0.3
# Seconds of a round that is announced before it begins.
_LONG = 2.0


@dataclass(eq=False)
class Run:
    """What is fixed, what was tried, what is left to spend."""

    problem: Problem
    tol: float
    budget: Budget
    streams: Streams
    points: Points | None
    method: LeastSquares
    scaling: Scaling
    progress: Callable[[Forecast | Round], None]
    reuse: bool = False
    singular: Choice = None
    approach: Approach | None = None
    started: float = field(default_factory=perf_counter)
    rounds: list[Round] = field(default_factory=list)
    best: Attempt | None = None
    operation: float | None = None
    phases: dict[str, float] = field(default_factory=dict)
    choice: str = ""
    ending: str = ""

    @property
    def lengths(self) -> FloatArray:
        """Extent of the domain along each axis."""
        lower, upper = self.problem.domain.bounding_box
        return upper - lower

    @property
    def seconds_left(self) -> float:
        """What is left of the budget."""
        return np.inf if self.budget.seconds is None else self.budget.seconds - (perf_counter() - self.started)

    @property
    def seconds(self) -> dict[str, float]:
        """What each phase took over all rounds; the rest went into the choice of features, and rounds that failed."""
        rest = perf_counter() - self.started - sum(self.phases.values())
        return self.phases | {"choice": max(rest, 0.0)}

    @property
    def patience(self) -> Patience:
        """When looking at data should end: most of the time belongs to the rounds."""
        return Patience() if self.budget.seconds is None else Patience(self.started + _LOOKING * self.budget.seconds)

    @property
    def kept_bytes(self) -> int:
        """Memory of the factored system of the best round, if it is kept."""
        return 0 if self.best is None or self.best.reusable is None else self.best.reusable.system.augmented.nbytes


def play(run: Run, trial: Trial, seconds: float) -> Attempt:
    """Solve with what the trial says, in so many seconds as is thought, and tell about it."""
    number = len(run.rounds) + 1
    if seconds > _LONG:
        expected = Forecast(number, trial.why, trial.neurons, trial.rows(run.problem), seconds)
        _log.info("%s", expected)
        run.progress(expected)
    begun = perf_counter()
    latest = attempt(
        run.problem,
        trial.family,
        trial.points,
        run.method,
        run.scaling,
        run.streams,
        threads=run.budget.thread_count,
        estimate=True,
        keep_matrix=False,
        reuse=run.reuse,
        columns=trial.columns,
    )
    spent = perf_counter() - begun
    for phase, taken in latest.seconds.items():
        run.phases[phase] = run.phases.get(phase, 0.0) + taken
    run.operation = operation_of(latest) or run.operation
    assert latest.estimate is not None
    best = run.best
    if best is None or best.estimate is None or latest.estimate.relative <= best.estimate.relative:
        run.best = latest
    done = Round(
        number=number,
        why=trial.why,
        neurons=latest.basis.size,
        rows=latest.rows,
        widths=widths_of(trial.family, latest.basis),
        error_estimate=latest.estimate.relative,
        growth=latest.growth,
        seconds=spent,
        forecast=seconds,
    )
    run.rounds.append(done)
    _log.info("%s", done)
    run.progress(done)
    return latest
