"""Cells joined by their traces, for whatever is local."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from fspielm.collocation import Patchwork
from fspielm.equations import Problem
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.cells import CellTrial, first_cells, refine
from fspielm.solvers.cells.plans import MOST_DEGREE
from fspielm.solvers.request import Request
from fspielm.solvers.stages.stage import Ending, Stage, Step
from fspielm.solvers.trial import Trial
from fspielm.spectrum import Bands

_MOST_ROUNDS = 16
# Rounds after which there must have been some gain, and how much.
_PATIENCE = 3
_GAIN = 0.7
_LEAST_DEGREE = 5
# What degrees are raised by where the sensitivity is not settled.
_TO_SETTLE = 3


@final
@dataclass(frozen=True, eq=False)
class Cells(Stage):
    """Cells, halved or with higher degrees from round to round."""

    approach: ClassVar[Approach] = "patches"
    title: ClassVar[str] = "polynomials in cells"
    redraws: ClassVar[bool] = False

    patchwork: Patchwork
    errors: tuple[float, ...] = ()

    def first(self) -> Step:
        """The cells that were found first."""
        return Step(CellTrial(self.patchwork, self.title), self)

    def next(self, latest: Attempt) -> Step | Ending:
        """Smaller cells and higher degrees, where coefficients have not fallen enough."""
        errors = (*self.errors, latest.outcome.error)
        if len(errors) >= _MOST_ROUNDS or self._is_stalled(errors):
            return Ending("smaller cells and higher degrees bring nothing more", cause="stalled")
        assert latest.estimate is not None
        tried = replace(self, errors=errors)
        return tried._finer(latest) if latest.estimate.has_settled else tried._higher()

    def onward(self, latest: Attempt) -> Step:
        """The same whatever rounds so far have shown."""
        return replace(self, errors=())._finer(latest)

    def _finer(self, latest: Attempt) -> Step:
        assert latest.estimate is not None
        sizes = np.array([field.scale for field in latest.estimate.fields])
        assert latest.cells is not None
        error, tol = latest.outcome.error, self.request.tol
        patchwork, why = refine(self.patchwork, latest.coefficients, sizes, latest.cells, error, tol)
        return Step(CellTrial(patchwork, why), replace(self, patchwork=patchwork))

    def _higher(self) -> Step | Ending:
        """Higher degrees everywhere, for a sensitivity that settles: the solution does not say where."""
        degrees = np.minimum(self.patchwork.degrees + _TO_SETTLE, MOST_DEGREE)
        if np.array_equal(degrees, self.patchwork.degrees):
            return Ending("higher degrees bring nothing more")
        patchwork = replace(self.patchwork, degrees=degrees)
        why = "higher degrees, for a sensitivity that settles"
        return Step(CellTrial(patchwork, why), replace(self, patchwork=patchwork))

    def finer(self, request: Request, latest: Attempt) -> Step | Ending:
        """The same cells once more, where the errors of each were not asked for."""
        return super().finer(request, latest) if latest.cells is not None else replace(self, request=request).first()

    def around(self, problem: Problem) -> Cells:
        """The same for another linearisation of a nonlinear problem."""
        request = replace(self.request, problem=problem)
        return replace(self, request=request, patchwork=self.patchwork.with_problem(problem))

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """The same cells, unless there are materials, whose borders may have moved."""
        if request.problem.interfaces:
            return None
        patchwork = self.patchwork.with_problem(request.problem)
        return replace(self, request=request, patchwork=patchwork, errors=()).first()

    def _is_stalled(self, errors: tuple[float, ...]) -> bool:
        if len(errors) <= _PATIENCE:
            return False
        before = min(errors[:-_PATIENCE])
        if not math.isfinite(before):
            return len(errors) > 3 * _PATIENCE
        return min(errors[-_PATIENCE:]) > _GAIN * before

    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """Lower degrees in the same cells."""
        share = math.sqrt(neurons / trial.neurons)
        degrees = np.floor(share * self.patchwork.degrees).astype(int)
        if degrees.min() < _LEAST_DEGREE:
            return None
        return CellTrial(replace(self.patchwork, degrees=degrees), trial.why)


def cells_for(request: Request, bands: Bands, *, narrow: bool = True) -> Cells:
    """The stage for a problem; where cells are not to be smaller toward what is narrow, rounds will show it."""
    return Cells(request, first_cells(request, bands, narrow=narrow))
