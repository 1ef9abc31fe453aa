"""An object whose wavenumber varies: functions that radiate outside, and what they make inside, on cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from fspielm.equations.open_domain import incident_of, outer_wavenumbers
from fspielm.equations.within import arriving, fastest_inside
from fspielm.errors import ProblemError
from fspielm.features import Component, JoinedBasis
from fspielm.features.outward import IncidentBasis, Outward
from fspielm.geometry.exterior import PlaneExterior
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.request import Request
from fspielm.solvers.stages.open_space import caution_beside, outside_alone, points_for, wanted_for
from fspielm.solvers.stages.stage import Ending, Stage, Step
from fspielm.solvers.trial import FeatureTrial, Trial

if TYPE_CHECKING:
    from fspielm.solvers.inside import Driven, Inside, Responses

# The tolerance inside, of that of the whole, to begin with and at least.
_FINER = 0.02
_FINEST = 1e-13
# What is asked for inside, of what is still too much.
_SPARE = 0.3
_MOST_ROUNDS = 5
# A round has helped if the estimate is smaller by so much.
_BETTER = 1.5


@final
@dataclass(frozen=True, eq=False)
class Lens(Stage):
    """Functions in the object for the field outside, and the fields that they and what comes in make inside.

    Both sides are fitted to each other on the boundary. From round to round either there are more functions, or the
    cells inside are finer, whichever is to blame.

    Attributes
    ----------
    request : Request
    wavenumber : float
        The largest.
    tol : float
        Of the field inside.
    until : float
        When the budget ends, on the clock of `perf_counter`.
    level : int
        How often functions outside were made more.
    inside : Inside or None
        The problem inside, as it was factored last.
    responses : Responses or None
        Of the last round.
    errors : tuple of float
        Of all rounds.
    """

    approach: ClassVar[Approach] = "characteristic"
    title: ClassVar[str] = "functions that radiate, and polynomials in cells inside"
    redraws: ClassVar[bool] = False

    request: Request
    wavenumber: float
    tol: float
    until: float
    level: int = 0
    inside: Inside | None = None
    responses: Responses | None = None
    errors: tuple[float, ...] = ()

    def first(self) -> Step:
        """As many functions as the wavelength and the tolerance ask for, and cells for what comes in."""
        return self._step(self.title, None)

    def next(self, latest: Attempt) -> Step | Ending:
        """More functions, or finer cells, as long as that helps."""
        error, responses = latest.outcome.error, self.responses
        assert responses is not None  # of the round that this is after
        if self.errors and not error * _BETTER <= self.errors[-1]:
            return Ending("neither more functions nor finer cells helped", is_final=True)
        if len(self.errors) + 1 >= _MOST_ROUNDS:
            return Ending(f"{_MOST_ROUNDS} rounds with more functions or finer cells were not enough", is_final=True)
        after = replace(self, errors=(*self.errors, error))
        own = latest.coefficients[-responses.basis.size :]
        doubts = responses.doubts(own)
        if all(doubt <= latest.residuals[name].rms for name, doubt in doubts.items()):
            return replace(after, level=self.level + 1)._step("more functions, closer to the boundary", None)
        finer = max(self.tol * _SPARE * min(self.request.tol / error, 1.0), _FINEST)
        return replace(after, tol=finer, inside=None)._step("finer cells inside", responses.data(own))

    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """None: fewer would hold nothing."""
        return None

    def _step(self, why: str, data: Driven | None) -> Step:
        """A step, with cells for what arrives of the last solution, or of what comes in."""
        from fspielm.solvers.inside import Driven, solve_inside  # which needs stages itself

        problem = self.request.problem
        placed, outside = outside_alone(problem, wanted_for(problem, self.wavenumber, self.request.tol, self.level))
        comes_in = IncidentBasis(incident_of(problem), problem.dimension)
        data = data or Driven(arriving(problem), comes_in, np.ones(1))
        inside = self.inside or solve_inside(self.request, self.tol, data, self.until - perf_counter())
        responses = inside.driven_by(JoinedBasis([outside, comes_in]))
        basis = JoinedBasis([Component(outside, 0, 2), Component(responses.functions, 1, 2)])
        words = f"{placed.in_words}, and what they make in {len(responses.functions.cells.frames)} cells"
        family = Outward(basis, words, caution_beside(placed), lambda c: responses.doubts(c[outside.size :]))
        trial = FeatureTrial(family, points_for(problem, placed, basis.size), (), why)
        return Step(trial, replace(self, inside=inside, responses=responses))


def lens(request: Request) -> Lens:
    """The stage before its first round.

    Raises
    ------
    ProblemError
        If nothing comes in, waves grow inside, or the object has corners.
    """
    problem = request.problem
    if problem.dimension != 2:
        raise ProblemError("Transparent: a wavenumber that varies inside is known in the plane; in space give a number")
    assert isinstance(problem.domain, PlaneExterior)  # of two dimensions
    if len(problem.domain.loops) > 1:
        raise ProblemError(
            "Transparent: a wavenumber that varies is known for one object, in one piece; name one shape"
        )
    if problem.domain.corners():
        raise ProblemError(
            "Transparent: a wavenumber that varies is known for objects without corners; round them, or give a number"
        )
    if not incident_of(problem):
        raise ProblemError(
            "Transparent: nothing comes in, so that the field is zero; state incident=fs.plane_wave(...)"
        )
    fastest = max(abs(outer_wavenumbers(problem)[0]), fastest_inside(problem))
    seconds = request.budget.seconds
    until = math.inf if seconds is None else perf_counter() + seconds
    return Lens(request, fastest, max(_FINER * request.tol, _FINEST), until)
