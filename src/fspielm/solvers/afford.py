"""How far the budget goes: the largest layout it allows, and what to say where that is not enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fspielm.collocation import matrix_bytes, readable_bytes
from fspielm.solution import PROBES
from fspielm.solvers.pace import Outlook
from fspielm.solvers.rounds import Run
from fspielm.solvers.trial import Trial
from fspielm.wording import duration

# With fewer rows the solution is free to swing between them.
_LEAST_ROWS_PER_NEURON = 1.2
# A round may take so much longer than its forecast.
_FORECAST_MARGIN = 1.25
# As long as there is no answer at all, so many functions are solved for, however little time is left.
FEWEST = 100


@dataclass(frozen=True)
class Limit:
    """The most neurons that a budget allows.

    Attributes
    ----------
    neurons : int
    resource : {"neurons", "memory", "seconds", "points"}
        Which part of the budget it is.
    reason : str
        The same as a sentence, with its numbers.
    """

    neurons: int
    resource: Literal["neurons", "memory", "seconds", "points"]
    reason: str


def limits(run: Run, trial: Trial) -> list[Limit]:
    """The parts of the budget but time, and the points chosen by hand, that a trial would exceed."""
    wanted, rows, budget = trial.neurons, trial.rows(run.problem), run.budget
    exceeded = []
    if run.points is not None and _LEAST_ROWS_PER_NEURON * wanted > rows:
        reason = f"{wanted} neurons are needed, too many for the {rows} rows of the points chosen by hand; give more"
        exceeded.append(Limit(int(rows / _LEAST_ROWS_PER_NEURON), "points", reason))
    if budget.neurons is not None and wanted > budget.neurons:
        reason = f"the budget of {budget.neurons} neurons ended it, {wanted} are needed; allow more"
        exceeded.append(Limit(budget.neurons, "neurons", reason))
    memory = bytes_of(run, trial)
    if memory > budget.memory_limit:
        reason = (
            f"{wanted} neurons need {readable_bytes(memory)} of memory, above the budget of "
            f"{readable_bytes(budget.memory_limit)}; solve on a smaller domain, or allow more with "
            "budget=fs.Budget(memory=...), in bytes"
        )
        exceeded.append(Limit(int(wanted * (budget.memory_limit / memory) ** 0.5), "memory", reason))
    return exceeded


def time_limit(run: Run, trial: Trial, outlook: Outlook) -> Limit | None:
    """The most neurons that time allows, if that is less than the trial has."""
    seconds = run.budget.seconds
    if seconds is None or _FORECAST_MARGIN * outlook.seconds <= run.seconds_left:
        return None
    reason = (
        f"the budget of {seconds:g} s ended it, {trial.neurons} neurons would take about "
        f"{duration(outlook.seconds)}; allow more with budget=fs.Budget(seconds=...)"
    )
    affordable = outlook.neurons_within(run.seconds_left / _FORECAST_MARGIN)
    return Limit(affordable if run.rounds else max(affordable, FEWEST), "seconds", reason)


def bytes_of(run: Run, trial: Trial) -> int:
    """Memory of a round, with what is kept of an earlier one."""
    rows, neurons = trial.rows(run.problem), trial.neurons
    workspace = run.method.workspace(rows, neurons, in_place=True)
    probing = 8 * rows * trial.further(run.problem)
    return run.kept_bytes + matrix_bytes(rows + PROBES, neurons) + workspace + probing
