"""How far the budget goes: the largest layout it allows, and what to say where that is not enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

from fspielm.collocation import matrix_bytes, readable_bytes
from fspielm.equations import Problem
from fspielm.errors import MemoryBudgetError
from fspielm.linalg import QR, LeastSquares
from fspielm.solution import PROBES
from fspielm.solvers.budget import Budget
from fspielm.solvers.trial import Trial
from fspielm.spectrum import Bands

# Floating-point operations per second and thread before the first round has shown the machine's.
CAUTIOUS_RATE = 5e9
# With fewer rows the solution is free to swing between them.
_LEAST_ROWS_PER_NEURON = 1.2


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


def limits(
    problem: Problem,
    trial: Trial,
    budget: Budget,
    method: LeastSquares,
    seconds_left: float,
    rate: float,
    *,
    kept: int = 0,
    points_by_hand: bool = False,
) -> list[Limit]:
    """The parts of the budget, and the points chosen by hand, that a trial would exceed.

    `kept` are the bytes of an earlier round that stay in memory.
    """
    wanted, rows = trial.neurons, trial.rows(problem)
    exceeded = []
    if points_by_hand and _LEAST_ROWS_PER_NEURON * wanted > rows:
        reason = f"{wanted} neurons are needed, too many for the {rows} rows of the points chosen by hand; give more"
        exceeded.append(Limit(int(rows / _LEAST_ROWS_PER_NEURON), "points", reason))
    if budget.neurons is not None and wanted > budget.neurons:
        reason = f"the budget of {budget.neurons} neurons ended it, {wanted} are needed; allow more"
        exceeded.append(Limit(budget.neurons, "neurons", reason))
    # QR works in place
    workspace = 0 if isinstance(method, QR) else method.workspace(rows, wanted)
    memory = kept + matrix_bytes(rows + PROBES, wanted) + workspace + trial.probing_bytes(problem)
    if memory > budget.memory_limit:
        reason = (
            f"{wanted} neurons need {readable_bytes(memory)} of memory, above the budget of "
            f"{readable_bytes(budget.memory_limit)}; solve on a smaller domain, or allow more with "
            "budget=fs.Budget(memory=...), in bytes"
        )
        exceeded.append(Limit(int(wanted * (budget.memory_limit / memory) ** 0.5), "memory", reason))
    predicted = trial.work(problem) / rate
    if budget.seconds is not None and predicted > seconds_left:
        reason = (
            f"the budget of {budget.seconds:g} s ended it, {wanted} neurons would take about {predicted:.2g} s; "
            "allow more with budget=fs.Budget(seconds=...)"
        )
        exceeded.append(Limit(int(wanted * (max(seconds_left, 0.0) / predicted) ** (1 / 3)), "seconds", reason))
    return exceeded


def refuse_memory(problem: Problem, bands: Bands, limit: Limit) -> NoReturn:
    """Raise for a band that cannot be held in memory, with what was found and what it would need."""
    found = ", ".join(
        f"{symbol}: {frequency:.4g}, set by {source}"
        for symbol, frequency, source in zip(problem.coordinates, bands.frequencies, bands.sources, strict=True)
    )
    raise MemoryBudgetError(f"the band found ({found}) is too high: {limit.reason}")
