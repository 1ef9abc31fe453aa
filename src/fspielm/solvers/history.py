"""What an automatic solve has done so far."""

from __future__ import annotations

import logging
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from time import perf_counter
from typing import final

from fspielm.deadline import Deadline, current_deadline
from fspielm.estimate.bands import Bands
from fspielm.solution.report import Forecast, Round
from fspielm.solvers.cost_model import operation_of
from fspielm.solvers.plan import Attempt, Trial
from fspielm.solvers.request import Budget, Request, Streams, timed
from fspielm.solvers.strategies.strategy import Stage

_log = logging.getLogger(__name__)

# Seconds of a round that is announced before it begins.
LONG = 2.0
# Of the seconds of a budget, what may be spent before anything is solved.
_LOOKING = 0.3
# Seconds beyond a budget that a round under way may take to end, rather than be lost.
_GRACE = 0.5


@final
@dataclass(eq=False)
class Record:
    """Rounds, the best of them, and where the time went; what is in it came by its own methods.

    Attributes
    ----------
    budget : Budget
        What there was to spend.
    bands : Bands or None
    streams : Streams or None
        What rounds draw from, as it was before the first one.
    rounds : tuple of Round
    best : Attempt or None
        That with the smallest estimate; where none has digits, with the smallest misfit of its kind.
    stage : Stage or None
        The kind of features it had, as far as it had been tried.
    operation : float or None
        Seconds for each operation of a large factorisation, as a round has shown.
    deadline : Deadline
        Until when: that of the budget, or an enforced one if that is tighter.
    choice : str
        Which features were chosen, and why.
    under_way : Forecast or None
        The round that has begun and not ended.
    """

    budget: Budget
    bands: Bands | None = None
    streams: Streams | None = None
    rounds: tuple[Round, ...] = ()
    best: Attempt | None = None
    stage: Stage | None = None
    operation: float | None = None
    deadline: Deadline = field(init=False)
    choice: str = ""
    under_way: Forecast | None = None
    _began: float = field(default_factory=perf_counter)
    _phases: dict[str, float] = field(default_factory=dict)
    _is_late: bool = False

    def __post_init__(self) -> None:
        limit = Deadline.within(self.budget.seconds, self.budget.memory_limit, _GRACE)
        self.deadline = limit.tightened(current_deadline())

    @classmethod
    def after(cls, before: Record, budget: Budget) -> Record:
        """One that goes on where another has ended, with what there is to spend now."""
        known = ("bands", "streams", "rounds", "best", "stage", "operation", "choice")
        return cls(budget, **{name: getattr(before, name) for name in known})

    @property
    def seconds_left(self) -> float:
        """What is left of the budget."""
        return self.deadline.seconds_left

    @property
    def seconds(self) -> dict[str, float]:
        """What each phase took over all rounds; the rest went into the choice of features, and rounds that failed."""
        rest = self.spent - sum(self._phases.values())
        return self._phases | {"choice": max(rest, 0.0)}

    @property
    def kept_bytes(self) -> int:
        """Memory of the factored system of the best round, if it is kept."""
        return 0 if self.best is None or self.best.reusable is None else self.best.reusable.nbytes

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return perf_counter() - self._began

    def meets(self, tol: float) -> bool:
        """Whether the best round meets a tolerance."""
        return self.best is not None and self.best.outcome.error <= tol

    def go_on(self, title: str) -> None:
        """A kind of features goes on, after all of them had ended by themselves."""
        self._is_late = True
        said = f"; with time left, {title} went on in larger steps"
        self.choice += said if said not in self.choice else ""

    def look(self, find: Callable[[], Bands], streams: Streams | None = None) -> None:
        """Find the bands, and keep the streams that rounds draw from; most of the time belongs to the rounds."""
        share = Deadline(self._began + _LOOKING * (self.budget.seconds or float("inf")), grace=float("inf"))
        with share.enforced():
            self.bands, self._phases["bands"] = timed(find)
        self.streams = deepcopy(streams)

    def begin(self, request: Request, trial: Trial, seconds: float) -> Forecast:
        """A round that is under way from now on, forecast to take so many seconds: announced if it is long."""
        rows = trial.rows(request.problem)
        self.under_way = Forecast(len(self.rounds) + 1, trial.why, trial.neurons, rows, seconds, trial.cells)
        if seconds > LONG:
            _log.info("%s", self.under_way)
            request.progress(self.under_way)
        return self.under_way

    def add(self, latest: Attempt, *, forecast: float, seconds: float, stage: Stage | None = None) -> Round:
        """A round more, of a stage, which took so many seconds where so many were forecast."""
        for phase, taken in latest.seconds.items():
            self._phases[phase] = self._phases.get(phase, 0.0) + taken
        self.operation = operation_of(latest) or self.operation
        shown = latest.outcome
        # where no round has digits, misfits of different kinds tell nothing: the later one, by plan, is taken
        best, family = self.best, type(getattr(latest.trial, "family", None))
        is_other = best is not None and not isinstance(getattr(best.trial, "family", None), family)
        if is_other and best is not None and best.outcome.error == shown.error:
            best = latest if self._is_late else None
        if best is None or (best is not latest and shown.badness <= best.outcome.badness):
            self.best, self.stage = latest, stage
        done = Round(
            number=len(self.rounds) + 1,
            why=latest.trial.why,
            neurons=shown.neurons,
            rows=latest.rows,
            widths=latest.trial.widths(latest.basis),
            error_estimate=shown.error,
            growth=shown.growth,
            seconds=seconds,
            forecast=forecast,
            cells=latest.trial.cells,
        )
        self.rounds += (done,)
        self.under_way = None
        _log.info("%s", done)
        return done
