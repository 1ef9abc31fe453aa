"""How far the budget goes: the largest layout it allows, and what to say where that is not enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from fspielm.arrays import FloatArray
from fspielm.collocation import matrix_bytes, readable_bytes
from fspielm.equations import Problem
from fspielm.errors import MemoryBudgetError
from fspielm.linalg import QR, LeastSquares
from fspielm.solution import PROBES
from fspielm.solvers.budget import Budget
from fspielm.solvers.density import Layout
from fspielm.solvers.search import Target
from fspielm.spectrum import Bands

# Floating-point operations per second and thread before the first round has shown the machine's.
CAUTIOUS_RATE = 5e9
_FEWEST_DECADES = 3.0
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
    budget: Budget, method: LeastSquares, wanted: int, rows: int, seconds_left: float, rate: float, kept: int = 0
) -> list[Limit]:
    """The parts of the budget, and the points chosen by hand, that `wanted` neurons with so many rows would exceed.

    `kept` are the bytes of an earlier round that stay in memory.
    """
    exceeded = []
    if _LEAST_ROWS_PER_NEURON * wanted > rows:
        reason = f"{wanted} neurons are needed, too many for the {rows} rows of the points chosen by hand; give more"
        exceeded.append(Limit(int(rows / _LEAST_ROWS_PER_NEURON), "points", reason))
    if budget.neurons is not None and wanted > budget.neurons:
        reason = f"the budget of {budget.neurons} neurons ended it, {wanted} are needed; allow more"
        exceeded.append(Limit(budget.neurons, "neurons", reason))
    # QR works in place
    memory = (
        kept + matrix_bytes(rows + PROBES, wanted) + (0 if isinstance(method, QR) else method.workspace(rows, wanted))
    )
    if memory > budget.memory_limit:
        reason = (
            f"{wanted} neurons need {readable_bytes(memory)} of memory, above the budget of "
            f"{readable_bytes(budget.memory_limit)}; solve on a smaller domain, or allow more with "
            "budget=fs.Budget(memory=...), in bytes"
        )
        exceeded.append(Limit(int(wanted * (budget.memory_limit / memory) ** 0.5), "memory", reason))
    predicted = work(rows, wanted) / rate
    if budget.seconds is not None and predicted > seconds_left:
        reason = (
            f"the budget of {budget.seconds:g} s ended it, {wanted} neurons would take about {predicted:.2g} s; "
            "allow more with budget=fs.Budget(seconds=...)"
        )
        exceeded.append(Limit(int(wanted * (max(seconds_left, 0.0) / predicted) ** (1 / 3)), "seconds", reason))
    return exceeded


def shrink(target: Target, lengths: FloatArray, most: int) -> Layout:
    """The layout of `target` with at most so many neurons: fewer digits first, then a sparser band.

    Fewer digits are still right ones; a sparse band gives none.
    """
    while target.decades > _FEWEST_DECADES:
        target = replace(target, decades=max(target.decades - 0.5, _FEWEST_DECADES))
        smaller = target.layout(lengths)
        if smaller.family.neurons <= most:
            return smaller
    return target.layout(lengths, max(most, 1))


def too_few(target: Target, lengths: FloatArray, most: int) -> bool:
    """Whether so many neurons would make the band sparse, and a solve with them a waste of time."""
    return replace(target, decades=_FEWEST_DECADES).layout(lengths).family.neurons > most


def refuse_memory(problem: Problem, bands: Bands, limit: Limit) -> NoReturn:
    """Raise for a band that cannot be held in memory, with what was found and what it would need."""
    found = ", ".join(
        f"{symbol}: {frequency:.4g}, set by {source}"
        for symbol, frequency, source in zip(problem.coordinates, bands.frequencies, bands.sources, strict=True)
    )
    raise MemoryBudgetError(f"the band found ({found}) is too high: {limit.reason}")


def work(rows: int, columns: int) -> float:
    """Floating-point operations of a QR factorisation, and of filling its matrix at some hundred an entry."""
    return 2.0 * rows * columns**2 + 200.0 * rows * columns
