"""Pinned modes as solutions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.accuracy.without_data import estimate_without_data
from fspielm.arrays import FloatArray, safe_rms
from fspielm.collocation import BlockResidual, Discretisation, allot_conditions
from fspielm.equations import identity
from fspielm.features.evaluation import evaluate
from fspielm.geometry import Sites
from fspielm.solution import Solution
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.automatic import Course
from fspielm.solvers.modes.inner import sign_of
from fspielm.solvers.modes.membranes.membrane import Membrane
from fspielm.solvers.modes.membranes.pinned import Pinned
from fspielm.solvers.modes.modes import Mode, alike
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.finish import finish
from fspielm.solvers.trial import FeatureTrial

_WHY = "functions that satisfy the equation"
_ENDING = "the function of a mode is known to fewer digits than its value; ask for a smaller tol"
# Places inside where equations and signs are looked at.
_PLACES = 1000


@final
@dataclass(frozen=True, eq=False)
class MembraneNotary:
    """Makes modes of what was pinned.

    Attributes
    ----------
    membrane : Membrane
    request : Request
    record : Record
    """

    membrane: Membrane
    request: Request
    record: Record

    def modes(self, found: list[Pinned]) -> list[Mode]:
        """All of them, with how many cannot be told from each."""
        each = [(one, column) for one in found for column in one.coefficients.T]
        values = np.array([self.membrane.value(one.look.energy) for one, _ in each])
        bounds = np.array([self.membrane.error(one.bound) for one, _ in each])
        return [
            Mode(
                float(value),
                float(bound),
                float(bound),
                self._solution(float(value), one, column),
                alike(values, bounds, place),
            )
            for place, (value, bound, (one, column)) in enumerate(zip(values, bounds, each, strict=True))
        ]

    def _solution(self, value: float, one: Pinned, column: FloatArray) -> Solution:
        here = replace(self.request, problem=self.membrane.pencil.at(value))
        attempt = self._attempt(here, one, column)
        return finish(here, Course(attempt, self.record, _WHY, _ENDING), quietly=True)

    def _attempt(self, here: Request, one: Pinned, column: FloatArray) -> Attempt:
        problem, functions = here.problem, one.look.functions
        rng = np.random.default_rng(0)  # only looks
        inside = Sites(problem.domain.sample(_PLACES, rng, "low-discrepancy"))
        points = allot_conditions(problem, functions.basis.size)
        sites = points.draw(problem, rng)
        finite = Discretisation(
            problem, functions.family, functions.drawn, functions.columns, points, sites, here.threads
        )
        residuals = {}
        for relation in problem.relations:
            places = inside if relation.region.kind == "domain" else sites[relation.name]
            left = evaluate(finite.basis, column, relation.operator, places, threads=here.threads, method="direct")
            residuals[relation.name] = BlockResidual(safe_rms(left), float(np.abs(left).max()))
        scale = 1.0 / float(np.sqrt(problem.domain.measure))
        estimate = estimate_without_data(
            one.error * one.amplification,
            scale,
            column,
            residuals,
            residual=one.error,
            amplification=one.amplification,
        )
        signed = column * sign_of(
            evaluate(finite.basis, column, identity(problem.dimension), inside, threads=here.threads)
        )
        trial = FeatureTrial(functions.family, points, functions.columns, _WHY)
        return Attempt(trial, finite, signed, residuals, one.look.rank, one.look.condition, {}, estimate)
