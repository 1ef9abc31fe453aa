"""A round with cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, final

import numpy as np

from fspielm.blas import limited
from fspielm.collocation import Patchwork
from fspielm.deadline import check_deadline
from fspielm.equations import Problem
from fspielm.features import Basis
from fspielm.solvers.expected import Expected
from fspielm.solvers.request import Request
from fspielm.solvers.trial import Trial

# What a round takes in any case; and the error estimate for each function: about the same however long the
# factorisation takes, and hardly less on several threads (2e-5 to 5e-5 s were measured).
_FIXED = 0.1
_ESTIMATE = 3.5e-5
# A factorisation takes so many times longer than its largest cell lets expect: the others are less efficient.
_OTHERS = 1.2
# How often that cell is factored (the first time things are loaded), unless that takes this share of the time left.
_TIMES, _SHARE_OF_TIME = 2, 0.1
# Operations that are over before they could be measured.
_QUICK = 2e8
_USUAL = 1e-10
# Time grows with so high a power of the number of functions.
_POWER = 1.5


@final
@dataclass(frozen=True, eq=False)
class CellTrial(Trial):
    """Cells, the degrees of their polynomials, and the reason for them.

    Attributes
    ----------
    patchwork : Patchwork
    why : str
    """

    patchwork: Patchwork
    why: str

    @property
    def neurons(self) -> int:
        """Columns of the system."""
        return self.patchwork.basis.size

    @property
    def cells(self) -> int:
        """How many there are."""
        return len(self.patchwork.tiling.cells)

    def rows(self, problem: Problem) -> int:
        """Rows of the system."""
        return self.patchwork.rows

    def work(self, problem: Problem) -> float:
        """Floating-point operations of the factorisation."""
        return self.patchwork.nested().cost.operations

    @property
    def description(self) -> str:
        """The number of cells, and their degrees."""
        degrees = self.patchwork.degrees
        span = f"{degrees.min()}" if degrees.min() == degrees.max() else f"{degrees.min()} to {degrees.max()}"
        return f"polynomials of degree {span} in {self.cells} cell{'s' * (self.cells > 1)}"

    def widths(self, basis: Basis) -> tuple[float, ...]:
        """The highest frequency along each axis that all cells hold."""
        return tuple(basis.reach.tolist())

    def because(self, why: str) -> CellTrial:
        """The same for another reason."""
        return replace(self, why=why)

    def nbytes(self, request: Request) -> int:
        """Of the factorisation."""
        return self.patchwork.nested(keep=request.reuse).cost.nbytes

    def outlook(self, request: Request, operation: float | None, time_left: float) -> CellOutlook:
        """How long it will take, from the factorisation of one cell."""
        nested = self.patchwork.nested()
        each = _USUAL
        if nested.cost.operations > _QUICK:
            leaf = max(nested.leaves, key=lambda leaf: (nested.operations_of(leaf.dtype), leaf.height))
            taken: list[float] = []
            with limited(1):  # as when cells are factored on threads
                while not taken or (len(taken) < _TIMES and sum(taken) <= _SHARE_OF_TIME * time_left):
                    check_deadline()
                    began = perf_counter()
                    rows = leaf.fill()
                    np.linalg.qr(rows, mode="raw")
                    taken.append(perf_counter() - began)
            each = min(taken) / (nested.operations_of(leaf.dtype) * 2.0 * rows.shape[0] * rows.shape[1] ** 2)
        return CellOutlook(self.neurons, nested.cost.in_a_row(nested.threads), each)

    def discretise(self, request: Request, seconds: dict[str, float]) -> Patchwork:
        """As it is: nothing of it is random."""
        return self.patchwork


@final
@dataclass(frozen=True)
class CellOutlook(Expected):
    """How long a round with cells takes.

    Attributes
    ----------
    neurons : int
    operations : float
        Of the factorisation, one after the other.
    each : float
        Seconds for one of them, in the largest cell.
    """

    neurons: int
    operations: float
    each: float

    @property
    def seconds(self) -> float:
        """How long it will take."""
        return _FIXED + _OTHERS * self.each * self.operations + _ESTIMATE * self.neurons

    def neurons_within(self, seconds: float) -> int:
        """How many of its functions take no longer than so many seconds."""
        share = max(seconds - _FIXED, 0.0) / max(self.seconds - _FIXED, 1e-9)
        return int(self.neurons * min(share, 1.0) ** (1 / _POWER))

    def of(self, problem: Problem, trial: Any) -> CellOutlook:
        """The same for another trial."""
        nested = trial.patchwork.nested()
        return CellOutlook(trial.neurons, nested.cost.in_a_row(nested.threads), self.each)
