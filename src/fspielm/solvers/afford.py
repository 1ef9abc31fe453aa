"""How far the budget goes: a trial as large as it allows, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, final

from fspielm.deadline import MANY_WAVES, memory_left
from fspielm.errors import MemoryBudgetError
from fspielm.solvers.expected import Expected, Repeated
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.stages import Ending, Step
from fspielm.solvers.trial import Trial
from fspielm.wording import duration, readable_bytes, too_many_waves

# With fewer rows the solution is free to swing between them.
_LEAST_ROWS_PER_NEURON = 1.2
# A round may take so much longer than its forecast.
_FORECAST_MARGIN = 1.25
# As long as there is no answer at all, so many functions are solved for, however little time is left.
_FEWEST = 100
# Where the budget falls short of a first digit by more than this factor, few functions say so as well as many.
_BY_FAR = 2
_TOKEN, _HOPELESS = 500, 100
# Modules that a solve imports take so many bytes: with a smaller budget, what the process holds says nothing.
_MODULES = 2**26
# A smaller round than was wanted must be this much larger than the one before.
_LARGER = 1.1


@final
@dataclass(frozen=True, eq=False)
class Afforded:
    """What a round will solve.

    Attributes
    ----------
    trial : Trial
    seconds : float
        How long it is thought to take.
    limit : Ending or None
        Why it is smaller than was wanted, and the last one therefore; None if it is not.
    """

    trial: Trial
    seconds: float
    limit: Ending | None = None


def afford(request: Request, record: Record, step: Step, times: float = 1.0) -> Afforded | Ending:
    """The trial of a step as far as the budget goes; an ending if it is not worth a round then.

    What does not fit anyway is not tried out. A round solves it so many `times` over.
    """
    trial, ended = step.trial, None
    exceeded = _limits(request, record, trial)
    if exceeded:
        tightest = min(exceeded, key=lambda limit: limit.neurons)
        fitting = _fit(request, record, step, tightest)
        if isinstance(fitting, Ending):
            return fitting
        trial, ended = fitting, tightest.ending(trial)
    outlook = Repeated(trial.outlook(request, record.operation, record.seconds_left), times)
    late = _time_limit(record, trial, outlook)
    if late is None:
        return Afforded(trial, outlook.seconds, ended)
    fitting = _fit(request, record, step, late)  # not from one that is smaller already
    if isinstance(fitting, Ending):
        return fitting
    return Afforded(fitting, outlook.of(request.problem, fitting).seconds, ended or late.ending(trial))


@dataclass(frozen=True)
class _Limit:
    """The most neurons that a part of the budget allows, and the same as a sentence with its numbers."""

    neurons: int
    resource: Literal["neurons", "memory", "seconds", "points"]
    reason: str
    seconds: float = 0.0

    def ending(self, trial: Trial) -> Ending:
        """Of a kind that wanted this trial: others may do with less time, or with fewer functions than cells have."""
        cheaper = self.resource == "seconds" or (self.resource == "neurons" and trial.cells is not None)
        return Ending(self.reason, is_final=not cheaper, cause="budget", seconds=self.seconds)


def _fit(request: Request, record: Record, step: Step, limit: _Limit) -> Trial | Ending:
    """The trial of a step as far as a limit goes.

    A stage whose features cannot be fewer leaves it to the next one.
    """
    stage, wanted = step.stage, step.trial
    hopeless = stage.is_waste(_BY_FAR * limit.neurons) or wanted.neurons > _HOPELESS * limit.neurons
    most = min(limit.neurons, _TOKEN) if hopeless else limit.neurons
    smaller = stage.smaller(wanted, most)
    # memory grows with the neurons' square or less: what is left of it is found in steps
    while smaller is not None and limit.resource == "memory" and _exceeds_memory(request, record, smaller):
        most = int(0.9 * most)
        if most < min(_FEWEST, wanted.neurons) and not record.rounds:
            assert record.bands is not None
            found = ", ".join(record.bands.lines(request.problem.coordinates))
            raise MemoryBudgetError(f"the band found ({found}) is too high: {limit.reason}")
        smaller = stage.smaller(wanted, most) if most > 0 else None
    if smaller is None:
        if limit.resource == "memory":
            raise MemoryBudgetError(limit.reason)
        return replace(limit.ending(wanted), is_final=False)
    # functions in cells are many, and tell nothing of how many others there should be
    alike = [each for each in record.rounds[-1:] if (each.cells is None) == (wanted.cells is None)]
    no_larger = alike and smaller.neurons < _LARGER * alike[0].neurons
    if no_larger or (record.rounds and stage.is_waste(limit.neurons)):
        return limit.ending(wanted)
    return smaller


def _limits(request: Request, record: Record, trial: Trial) -> list[_Limit]:
    """The parts of the budget but time, and the points chosen by hand, that a trial would exceed."""
    wanted, budget = trial.neurons, request.budget
    exceeded = []
    if request.points is not None and _LEAST_ROWS_PER_NEURON * wanted > (rows := trial.rows(request.problem)):
        reason = f"{trial.size} are needed, too many for the {rows} rows of the points chosen by hand; give more"
        exceeded.append(_Limit(int(rows / _LEAST_ROWS_PER_NEURON), "points", reason))
    if budget.neurons is not None and wanted > budget.neurons:
        needed = wanted if trial.cells is None else trial.size
        reason = f"the budget of {budget.neurons} functions ended it, {needed} are needed; allow more"
        exceeded.append(_Limit(budget.neurons, "neurons", reason))
    if _exceeds_memory(request, record, trial):
        memory, left = bytes_of(request, record, trial), _memory_for(request, record)
        remain = "" if memory > budget.memory_limit else f"{readable_bytes(left)} that remain of the "
        reason = _too_many_waves(request, record, trial, memory) or (
            f"{trial.size} need {readable_bytes(memory)} of memory, above the {remain}budget of "
            f"{readable_bytes(budget.memory_limit)}; solve on a smaller domain, or allow more with "
            "budget=fs.Budget(memory=...)"
        )
        exceeded.append(_Limit(int(wanted * (left / memory) ** 0.5), "memory", reason))
    return exceeded


def _too_many_waves(request: Request, record: Record, trial: Trial, memory: float) -> str:
    """That a domain has very many wavelengths, and how many fit into the memory; empty if that is not the cause."""
    assert record.bands is not None
    limit, waves = request.budget.memory_limit, float(max(record.bands.frequencies * request.lengths)) / (2 * math.pi)
    if waves < MANY_WAVES or memory < _BY_FAR * limit:
        return ""
    return too_many_waves(waves, trial.neurons, memory, limit, request.problem.dimension)


def _time_limit(record: Record, trial: Trial, outlook: Expected) -> _Limit | None:
    """The most neurons that time allows, if that is less than the trial has."""
    seconds = record.budget.seconds
    if seconds is None or _FORECAST_MARGIN * outlook.seconds <= record.seconds_left:
        return None
    total = duration(max(record.spent + _FORECAST_MARGIN * outlook.seconds, _FORECAST_MARGIN * seconds))
    reason = (
        f"the budget of {seconds:g} s ended it, {trial.size} would take about {duration(outlook.seconds)} more; "
        f"allow {total} in all with budget=fs.Budget(seconds=...)"
    )
    affordable = outlook.neurons_within(record.seconds_left / _FORECAST_MARGIN)
    return _Limit(affordable if record.rounds else max(affordable, _FEWEST), "seconds", reason, outlook.seconds)


def _exceeds_memory(request: Request, record: Record, trial: Trial) -> bool:
    return bytes_of(request, record, trial) > _memory_for(request, record)


def _memory_for(request: Request, record: Record) -> float:
    """Bytes that a round may take with what is kept of an earlier one, which the process holds already."""
    limit = request.budget.memory_limit
    return limit if limit < _MODULES else min(limit, record.kept_bytes + max(memory_left(), 0.0))


def bytes_of(request: Request, record: Record, trial: Trial) -> int:
    """Memory of a round, with what is kept of an earlier one; at least: to count very many rows takes long."""
    square = request.itemsize * trial.neurons**2 if trial.cells is None else 0
    return record.kept_bytes + (square if square > _BY_FAR * request.budget.memory_limit else trial.nbytes(request))
