"""Cells joined by their traces, for whatever is local."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from fspielm.basis.basis import Basis
from fspielm.cells.patchwork import Patchwork
from fspielm.estimate.bands import Bands
from fspielm.numerics.tolerances import SAME
from fspielm.problem.problem import Problem
from fspielm.resources import check_deadline, limited
from fspielm.solvers.cells.first import first_cells
from fspielm.solvers.cells.refine import MOST_DEGREE, refine
from fspielm.solvers.request import LOOKING, Approach, Request, timed
from fspielm.solvers.round import (
    BETTER,
    MOST_ROUNDS,
    Ending,
    Expected,
    RoundPlan,
    RoundResult,
    Step,
    StopReason,
    Strategy,
)

# So few operations are not timed.
_QUICK = 2e9


@final
@dataclass(frozen=True, eq=False)
class CellPlan(RoundPlan):
    """Cells, the degrees of their polynomials, and the reason for them."""

    patchwork: Patchwork
    why: str

    @property
    def neurons(self) -> int:
        """Columns of the system."""
        return self.patchwork.basis.size

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.patchwork.tiling.cells)

    def rows(self, problem: Problem) -> int:
        """Rows of the system."""
        return self.patchwork.rows

    def work(self, problem: Problem) -> float:
        """Floating-point operations of the factorisation."""
        return self.patchwork.nested().cost.operations

    @property
    def description(self) -> str:
        """The number of cells, their degrees, and the corners with singular functions."""
        degrees, corners = self.patchwork.degrees, len(self.patchwork.basis.corners)
        span = f"{degrees.min()}" if degrees.min() == degrees.max() else f"{degrees.min()} to {degrees.max()}"
        words = f"polynomials of degree {span} in {self.cells} cell{'s' * (self.cells > 1)}"
        return words + f", and singular functions at {corners} corner{'s' * (corners > 1)}" * bool(corners)

    def widths(self, basis: Basis) -> tuple[float, ...]:
        """The highest frequency along each axis that all cells resolve."""
        return tuple(basis.reach.tolist())

    def nbytes(self, request: Request) -> int:
        """Memory of the factorisation."""
        return self.patchwork.nested(keep=request.reuse).cost.nbytes

    def outlook(self, request: Request, operation: float | None, time_left: float) -> CellOutlook:
        """How long it will take, from the factorisation of one cell."""
        nested = self.patchwork.nested()
        outlook = CellOutlook(self.neurons, nested.cost.sequential_operations(nested.threads))
        if nested.cost.operations <= _QUICK:
            return outlook
        sizes = [(nested.operations_of(leaf.dtype), leaf.height) for leaf in nested.leaves]
        largest = max(range(len(sizes)), key=sizes.__getitem__)

        def eliminate() -> float:
            check_deadline()
            return nested.eliminate(largest)

        with limited(1):  # as when cells are factored on threads
            operations, seconds = timed(eliminate)
            if seconds <= LOOKING * time_left:  # the first time, libraries were loaded
                seconds = min(seconds, timed(eliminate)[1])
        return replace(outlook, each=seconds / operations)

    def discretise(self, request: Request, seconds: dict[str, float]) -> Patchwork:
        """The cells themselves: nothing is random."""
        return self.patchwork


@final
@dataclass(frozen=True)
class CellOutlook(Expected):
    """How long a round with cells takes, from the `operations` of its factorisation on one thread.

    The error estimate takes seconds for `every` function (2e-5 to 5e-5 were measured, hardly less on several threads).
    Other cells are less efficient than the largest one, which takes so many seconds for `each` operation. The time
    grows with a `power` of the number of functions.
    """

    neurons: int
    operations: float
    each: float = 1e-10
    every: float = 3.5e-5
    others: float = 1.2
    fixed: float = 0.1
    power: float = 1.5

    @property
    def seconds(self) -> float:
        """How long it will take."""
        return self.fixed + self.others * self.each * self.operations + self.every * self.neurons

    def neurons_within(self, seconds: float) -> int:
        """How many of its functions take no longer than so many seconds."""
        share = max(seconds - self.fixed, 0.0) / max(self.seconds - self.fixed, SAME)
        return int(self.neurons * min(share, 1.0) ** (1 / self.power))

    def of(self, problem: Problem, plan: Any) -> CellOutlook:
        """The same for another plan."""
        nested = plan.patchwork.nested()
        return replace(self, neurons=plan.neurons, operations=nested.cost.sequential_operations(nested.threads))


# Over so many rounds, the error must become better.
_PATIENCE = 3
# Rounds are slow if so many of them have not reduced the error by this factor.
_LATELY, _SLOW = 2, 0.1
_LEAST_DEGREE = 5
# Degrees are raised by so much where the sensitivity has not settled.
_TO_SETTLE = 3


@final
@dataclass(frozen=True, eq=False)
class Cells(Strategy):
    """Cells that are halved, or get higher degrees, from round to round."""

    approach: ClassVar[Approach] = "patches"
    title: ClassVar[str] = "polynomials in cells"
    redraws: ClassVar[bool] = False

    patchwork: Patchwork
    errors: tuple[float, ...] = ()

    def first(self) -> Step:
        """The first cells."""
        return Step(CellPlan(self.patchwork, self.title), self)

    def next(self, latest: RoundResult) -> Step | Ending:
        """Smaller cells and higher degrees, where coefficients do not decay enough."""
        errors = (*self.errors, latest.outcome.error)
        if len(errors) >= MOST_ROUNDS or self._is_stalled(errors):
            return Ending("smaller cells and higher degrees bring nothing more", cause=StopReason.STALLED)
        assert latest.estimate is not None
        tried = replace(self, errors=errors)
        return tried._finer(latest) if latest.estimate.has_settled else tried._higher()

    def onward(self, latest: RoundResult) -> Step:
        """The same, whatever rounds so far have shown."""
        return replace(self, errors=())._finer(latest)

    def _finer(self, latest: RoundResult) -> Step:
        assert latest.estimate is not None
        sizes = np.array([field.scale for field in latest.estimate.fields])
        assert latest.cells is not None
        error, tol = latest.outcome.error, self.request.tol
        is_slow = len(self.errors) > _LATELY and self.errors[-1] > _SLOW * self.errors[-1 - _LATELY]
        patchwork, why = refine(self.patchwork, latest.coefficients, sizes, latest.cells, error, tol, is_slow=is_slow)
        return Step(CellPlan(patchwork, why), replace(self, patchwork=patchwork))

    def _higher(self) -> Step | Ending:
        """Higher degrees everywhere, since the solution does not show where the sensitivity needs them."""
        degrees = np.minimum(self.patchwork.degrees + _TO_SETTLE, MOST_DEGREE)
        if np.array_equal(degrees, self.patchwork.degrees):
            return Ending("higher degrees bring nothing more")
        patchwork = replace(self.patchwork, degrees=degrees)
        why = "higher degrees, for a sensitivity that settles"
        return Step(CellPlan(patchwork, why), replace(self, patchwork=patchwork))

    def finer(self, request: Request, latest: RoundResult) -> Step | Ending:
        """Finer cells; the same once more where errors by cell are not known."""
        return super().finer(request, latest) if latest.cells is not None else replace(self, request=request).first()

    def around(self, problem: Problem) -> Cells:
        """The same for another linearisation of a nonlinear problem."""
        request = replace(self.request, problem=problem)
        return replace(self, request=request, patchwork=replace(self.patchwork, problem=problem, functions_of=None))

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """The same cells, unless there are materials, whose borders may have moved."""
        if request.problem.interfaces:
            return None
        patchwork = replace(self.patchwork, problem=request.problem, functions_of=None)
        return replace(self, request=request, patchwork=patchwork, errors=()).first()

    def _is_stalled(self, errors: tuple[float, ...]) -> bool:
        if len(errors) <= _PATIENCE:
            return False
        before = min(errors[:-_PATIENCE])
        if not math.isfinite(before):
            return len(errors) > 3 * _PATIENCE
        return BETTER * min(errors[-_PATIENCE:]) > before

    def smaller(self, plan: RoundPlan, neurons: int) -> RoundPlan | None:
        """Lower degrees in the same cells."""
        share = math.sqrt(neurons / plan.neurons)
        degrees = np.floor(share * self.patchwork.degrees).astype(int)
        if degrees.min() < _LEAST_DEGREE:
            return None
        return CellPlan(replace(self.patchwork, degrees=degrees), plan.why)


def cells_for(request: Request, bands: Bands, *, narrow: bool = True) -> Cells:
    """The strategy for a problem; an `UnsuitableError` says what cells do not support.

    With `narrow`, the first cells are smaller at narrow features.
    """
    return Cells(request, first_cells(request, bands, narrow=narrow))
