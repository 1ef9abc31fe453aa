"""Resonances as modes, whose fields are solutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.accuracy.without_data import estimate_without_data
from fspielm.arrays import ComplexArray, safe_rms
from fspielm.collocation import BlockResidual
from fspielm.features.outward import Outward
from fspielm.solution import Solution
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.automatic import Course
from fspielm.solvers.modes.modes import Mode
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.resonances.judged import Judged
from fspielm.solvers.finish import finish

_WHY = "functions that satisfy the equation and radiate"
_ENDING = "the function of a resonance is known to fewer digits than its value; ask for a smaller tol"


@final
@dataclass(frozen=True, eq=False)
class OpenNotary:
    """Makes modes of resonances.

    Attributes
    ----------
    request : Request
    record : Record
    """

    request: Request
    record: Record

    def modes(self, found: Sequence[Judged]) -> list[Mode]:
        """All of them in the order of their real parts, with how many cannot be told from each."""
        each = sorted(found, key=lambda one: (one.value.real, one.value.imag))
        values = np.array([one.value for one in each])
        errors = np.array([one.estimate for one in each])
        return [
            Mode(
                one.value,
                None,
                one.estimate,
                self._solution(one),
                int(np.count_nonzero(np.abs(values - one.value) <= errors + one.estimate)),
            )
            for one in each
        ]

    def _solution(self, one: Judged) -> Solution:
        here = replace(self.request, problem=one.rows.finite.problem)
        attempt = _attempt(one)
        return finish(here, Course(attempt, self.record, _WHY, _ENDING), quietly=True)


def _attempt(one: Judged) -> Attempt:
    """The field, which is one where it is largest of all places of the window that were looked at."""
    in_window: ComplexArray = one.rows.window @ one.coefficients * np.sqrt(len(one.rows.window))
    top = complex(in_window[np.argmax(np.abs(in_window))])
    coefficients = one.coefficients / top
    scale = safe_rms(in_window) / abs(top)
    residuals = {
        each.name: BlockResidual(safe_rms(each.values) / abs(top), float(np.abs(each.values).max()) / abs(top))
        for each in one.left
    }
    estimate = estimate_without_data(
        one.relative,
        scale,
        coefficients,
        residuals,
        residual=float(np.linalg.norm([each.scale * np.linalg.norm(each.values) for each in one.left])) / abs(top),
        unknowns=len(one.rows.finite.problem.unknowns),
    )
    finite = one.rows.finite
    assert isinstance(one.trial.family, Outward)  # as those of open domains are
    family = replace(one.trial.family, basis=finite.drawn)
    trial = replace(one.trial, family=family)
    return Attempt(
        trial, replace(finite, family=family), coefficients, residuals, one.rank, one.condition, {}, estimate
    )
