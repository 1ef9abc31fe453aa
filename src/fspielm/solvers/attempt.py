"""One round: draw, assemble, solve, estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import final

import numpy as np

from fspielm.accuracy import CellErrors, ErrorEstimate, Examination, examine
from fspielm.arrays import NumberArray, safe_norm
from fspielm.collocation import BlockResidual, Finite, System
from fspielm.features import Basis
from fspielm.linalg import Factored, LeastSquares
from fspielm.solvers.cost import work
from fspielm.solvers.request import Request
from fspielm.solvers.timing import timed
from fspielm.solvers.trial import Trial

# Coefficients of the size of the solution: the band is ample, and what is left is rounding.
_AMPLE = 100.0
# Where a tolerance is nearly met, the sensitivity that the estimate rests on is looked at.
_NEARLY = 10.0
# Residual of a row that is all rounding, in units of the coefficients' rounding: 1 to 5 where nothing else is left.
_NOISE = 12.0
# Where no digit is certain: more than any error, and a share of the data below which a misfit tells nothing.
_UNCERTAIN, _LEAST_MISFIT = 1e20, 1e-8


@final
@dataclass(frozen=True, eq=False)
class Reusable:
    """What serves for other data of the same problem: the factored system, and what its solutions are checked with."""

    factored: Factored
    examination: Examination

    @property
    def nbytes(self) -> int:
        """Memory of the factored system."""
        return self.factored.nbytes


@final
@dataclass(frozen=True)
class Outcome:
    """What a round showed.

    Attributes
    ----------
    error : float
        The estimate of it.
    growth : float
        Norm of the coefficients over the size of the solution: large where the band is too narrow.
    neurons : int
    work : float
        Floating-point operations, about.
    misfit : float
        Held-out residual over the data.
    """

    error: float
    growth: float
    neurons: int
    work: float
    misfit: float = 0.0

    @property
    def badness(self) -> float:
        """What rounds are compared by: the error; the misfit where no digit is certain, beyond all errors."""
        return self.error if np.isfinite(self.error) else _UNCERTAIN * max(self.misfit, _LEAST_MISFIT)


@final
@dataclass(frozen=True, eq=False)
class Attempt:
    """One solve with everything decided, and what it showed; by cells, as long as the tolerance is not met."""

    trial: Trial
    discretisation: Finite
    coefficients: NumberArray
    residuals: Mapping[str, BlockResidual]
    rank: int
    condition: float
    seconds: Mapping[str, float]
    estimate: ErrorEstimate | None
    reusable: Reusable | None = None
    cells: CellErrors | None = None

    @property
    def basis(self) -> Basis:
        """The functions that the coefficients belong to."""
        return self.discretisation.basis

    @property
    def rows(self) -> int:
        """Rows of the system."""
        return self.discretisation.rows

    @property
    def outcome(self) -> Outcome:
        """What it showed, in short; of one whose error was estimated."""
        assert self.estimate is not None
        estimate, size = self.estimate, self.basis.size
        misfit = estimate.residual / estimate.data if estimate.data > 0 else 0.0
        return Outcome(estimate.relative, estimate.growth, size, work(self.rows, size), misfit)

    @property
    def is_at_floor(self) -> bool:
        """Whether the residual is down to rounding while the coefficients are small: nothing is left to gain."""
        assert self.estimate is not None
        noise = _NOISE * np.finfo(float).eps * safe_norm(self.coefficients)
        each = self.rows / (self.trial.cells or 1)  # those that a coefficient is in
        rounding = self.outcome.growth < _AMPLE and self.estimate.residual <= noise * np.sqrt(each)
        return self.estimate.has_settled and rounding


def attempt(request: Request, trial: Trial, *, by_hand: bool = False) -> Attempt:
    """Solve once.

    Parameters
    ----------
    request : Request
    trial : Trial
    by_hand : bool
        Whether residuals are those of the fitted rows, which needs a second copy of the matrix, and the error is
        estimated only if the method leaves what that takes; otherwise they are those of the held-out rows, the method
        may work in place, and an estimate may cost a factorisation more.
    """
    seconds: dict[str, float] = {}
    discretisation = trial.discretise(request, seconds)
    system, seconds["assembly"] = timed(lambda: discretisation.assemble(request.scaling, reuse=request.reuse))
    (factored, coefficients, condition), seconds["solve"] = timed(
        lambda: factor(request.method, system, in_place=not by_hand)
    )
    examination, estimate, cells = None, None, None
    start = perf_counter()
    if request.method.leaves_triangle or not by_hand:
        examination = examine(discretisation, system.blocks, factored, request.streams.probes)
        estimate = examination.estimate(coefficients)
        estimate = estimate if by_hand else examination.settled(estimate, _NEARLY * request.tol)
        if not estimate.relative <= request.tol:
            cells = examination.by_cell(coefficients, estimate)
    seconds["estimate"] = perf_counter() - start
    return Attempt(
        trial=trial,
        discretisation=discretisation,
        coefficients=coefficients,
        residuals=system.residuals(coefficients) if estimate is None or by_hand else estimate.residuals,
        rank=factored.rank,
        condition=condition,
        seconds=seconds,
        estimate=estimate,
        reusable=Reusable(factored, examination) if request.reuse and examination is not None else None,
        cells=cells,
    )


def factor(method: LeastSquares, system: System, *, in_place: bool) -> tuple[Factored, NumberArray, float]:
    """The factored system, its solution, and its condition."""
    factored = method.factor(system.augmented, in_place=in_place)
    coefficients: NumberArray = factored.coefficients
    if system.imaginary is not None:
        coefficients = coefficients + 1j * factored.solve(system.imaginary)
    return factored, coefficients, factored.condition  # which take their time when first asked for
