"""Objects whose wavenumber varies: cells inside, radiating functions outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from fspielm.arrays import FloatArray, Latest, NumberArray
from fspielm.basis.basis import Basis, JoinedBasis
from fspielm.basis.outgoing.family import IncidentBasis, Outward
from fspielm.cells.basis import CellBasis, SumsOnCells
from fspielm.cells.patchwork import Patchwork
from fspielm.collocation.least_squares import QR, Factored
from fspielm.errors import ProblemError, SolveError
from fspielm.estimate.estimate import ErrorEstimate
from fspielm.estimate.examination import Examination
from fspielm.geometry.boundary import Sites
from fspielm.geometry.exterior import PlaneExterior
from fspielm.problem.derived import with_data
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import (
    impedance_operator,
    interior_impedance,
    interior_problem,
    largest_interior_wavenumber,
    varying_media,
)
from fspielm.problem.scattering.media import media_of
from fspielm.problem.scattering.open_domain import incident_of, outer_wavenumbers
from fspielm.resources import current_deadline
from fspielm.solvers.driver import solve_automatically
from fspielm.solvers.plan import Attempt, FeatureTrial, Trial
from fspielm.solvers.request import Approach, Request
from fspielm.solvers.strategies.open_space import around_curves, caution_beside, join_by_unknown, points_on, wanted_for
from fspielm.solvers.strategies.strategy import Ending, Stage, Step

# ---- Fields inside of objects whose wavenumber varies: polynomials in cells, for whatever arrives from around them


# Right-hand sides that are solved for together.
_AT_ONCE = 48
# Of the seconds that are left, what the field inside may take; and so many at least.
_SHARE, _LEAST = 0.7, 1e-3


@final
@dataclass(frozen=True, eq=False)
class Driven:
    """What arrives of a sum of functions, as data of the problem inside.

    Attributes
    ----------
    operator : Operator
        What arrives of a function.
    basis : Basis
    coefficients : (F,) array
    """

    operator: Operator
    basis: Basis
    coefficients: NumberArray

    def __call__(self, points: FloatArray, normals: FloatArray) -> NumberArray:
        """At points of the boundary, with the normals of the object."""
        return np.asarray(self.basis.matrix(self.operator, Sites(points, normals)) @ self.coefficients)


@final
@dataclass(frozen=True, eq=False)
class Inside:
    """The problem inside of an object, factored: it serves for whatever arrives.

    Attributes
    ----------
    problem : Problem
        The two-sided one.
    number : int
        Which of its unknowns this is.
    factored : Factored
    examination : Examination
    """

    problem: Problem
    number: int
    factored: Factored
    examination: Examination

    @property
    def arriving(self) -> Operator:
        """What of a function around the object is prescribed inside."""
        return impedance_operator(self.problem, self.number)

    def driven_by(self, basis: Basis) -> Responses:
        """The fields inside that each function around the object makes."""
        finite, blocks = self.examination.discretisation, self.examination.blocks
        places = {name: sites for name, (sites, _) in finite.fitted(blocks).items() if sites.normals is not None}
        rows = {name: basis.matrix(self.arriving, sites) for name, sites in places.items()}
        found = []
        for some in np.array_split(np.arange(basis.size), -(-basis.size // _AT_ONCE)):
            each = [finite.spread({name: own[:, j] for name, own in rows.items()}, blocks) for j in some]
            found.append(self.factored.solve(np.stack(each, axis=1)).T)
        return Responses(self, basis, np.concatenate(found))


@final
@dataclass(frozen=True, eq=False)
class Responses:
    """Fields inside, one for each of some functions around the object.

    Attributes
    ----------
    inside : Inside
    basis : Basis
        Functions around it.
    fields : (F, M) array
        Coefficients of the field that each makes.
    """

    inside: Inside
    basis: Basis
    fields: NumberArray

    @cached_property
    def functions(self) -> SumsOnCells:
        """These fields."""
        cells, fields = self.inside.examination.discretisation.basis.valued(self.fields)
        assert isinstance(cells, CellBasis)
        return SumsOnCells(cells, fields)

    def data(self, coefficients: NumberArray) -> Driven:
        """What arrives where fields inside are summed with these coefficients."""
        return Driven(self.inside.arriving, self.basis, coefficients)

    def estimate(self, coefficients: NumberArray) -> ErrorEstimate:
        """How wrong their sum is inside, as the field that what arrives makes."""

        def work() -> ErrorEstimate:
            examination = self.inside.examination
            problem = with_data(examination.discretisation.problem, values={"robin": self.data(coefficients)})
            return examination.estimate(coefficients @ self.fields, problem)

        return self._latest(work, coefficients)

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """What the error of their sum inside may amount to in the conditions on the object, each by name.

        Nothing of it arrives: so its slope is that of an impedance.
        """
        (Phi,) = self.inside.examination.sensitivity.values
        peak = float(np.abs(Phi @ (coefficients @ self.fields)).max())
        error = self.estimate(coefficients).largest * peak
        problem, number = self.inside.problem, self.inside.number
        factors = (1.0, abs(interior_impedance(problem, number)))
        own = [each for each in problem.constraints if number in each.operator.unknowns]
        return {each.name: factors[min(each.operator.order, 1)] * error for each in own}

    @cached_property
    def _latest(self) -> Latest[ErrorEstimate]:
        return Latest()


def solve_inside(request: Request, number: int, tol: float, data: Driven, seconds: float) -> Inside:
    """Solve for what arrives at a medium in a share of the `seconds` that are left; keep what serves for other data.

    Raises
    ------
    ProblemError
        If the budget is too small.
    SolveError
        If cells do not serve.
    """
    budget = request.budget
    if budget.seconds is not None:
        budget = replace(budget, seconds=max(_SHARE * seconds, _LEAST))
    inner = replace(
        request,
        problem=interior_problem(request.problem, number, data),
        tol=tol,
        budget=budget,
        method=QR(),
        scaling="rms",
        approach="patches",
        reuse=True,
    )
    try:
        kept = solve_automatically(inner).best.reusable
    except ProblemError as error:  # which names the approach, as if it had been asked for
        raise ProblemError(f"Transparent: the field inside: {str(error).removeprefix('approach: ')}") from None
    if kept is None or not isinstance(kept.examination.discretisation, Patchwork):
        raise SolveError("the field inside was not kept")
    return Inside(request.problem, number, kept.factored, kept.examination)


# ---- Objects whose wavenumber varies: functions that radiate around them, and what they make inside, on cells


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
    """Functions of open space and of media that do not vary, and the fields that those around lenses make in these.

    All sides are fitted to each other on the boundaries. From round to round either there are more functions, or the
    cells inside are finer, whichever is to blame.

    Attributes
    ----------
    request : Request
    wavenumber : float
        The largest.
    tol : float
        Of the fields inside.
    level : int
        How often functions were made more.
    inside : mapping of int to Inside
        The problems inside, as they were factored last, by their unknowns.
    fitted : tuple of (Responses, slice)
        Of the last round, with the columns of each.
    errors : tuple of float
        Of all rounds.
    """

    approach: ClassVar[Approach] = "characteristic"
    title: ClassVar[str] = "functions that radiate, and polynomials in cells inside"
    redraws: ClassVar[bool] = False

    wavenumber: float
    tol: float
    level: int = 0
    inside: Mapping[int, Inside] = field(default_factory=dict)
    fitted: tuple[tuple[Responses, slice], ...] = ()
    errors: tuple[float, ...] = ()

    def first(self) -> Step:
        """As many functions as the wavelength and the tolerance ask for, and cells for what comes in."""
        return self._step(self.title, {})

    def next(self, latest: Attempt) -> Step | Ending:
        """More functions, or finer cells, as long as that helps."""
        error = latest.outcome.error
        if self.errors and not error * _BETTER <= self.errors[-1]:
            return Ending("neither more functions nor finer cells helped", is_final=True)
        if len(self.errors) + 1 >= _MOST_ROUNDS:
            return Ending(f"{_MOST_ROUNDS} rounds with more functions or finer cells were not enough", is_final=True)
        after = replace(self, errors=(*self.errors, error))
        blamed = {}
        for responses, columns in self.fitted:
            own = latest.coefficients[columns]
            if any(doubt > latest.residuals[name].rms for name, doubt in responses.doubts(own).items()):
                blamed[responses.inside.number] = responses.data(own)
        if not blamed:
            return replace(after, level=self.level + 1)._step("more functions, closer to the boundary", {})
        finer = max(self.tol * _SPARE * min(self.request.tol / error, 1.0), _FINEST)
        kept = {number: inside for number, inside in self.inside.items() if number not in blamed}
        return replace(after, tol=finer, inside=kept)._step("finer cells inside", blamed)

    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """None: fewer would hold nothing."""
        return None

    def _step(self, why: str, data: Mapping[int, Driven]) -> Step:
        """A step, with cells for what arrives of the last solution, or of what comes in."""
        problem = self.request.problem
        wanted = wanted_for(problem, self.wavenumber, self.request.tol, self.level)
        sides = around_curves(problem, wanted)
        placed, bases, media = sides.together, list(sides.bases), media_of(problem)
        comes_in = IncidentBasis(incident_of(problem), problem.dimension)
        inside = self._solved_inside(data, comes_in)
        found = []
        for number, own in inside.items():
            # on the boundary, fields of all others and what comes in are sums of these; where there are no others, what
            # comes in may as well be known, but beside them it would be all but a sum of these
            drive = sides.drives[number]
            found.append(own.driven_by(JoinedBasis([drive, comes_in]) if len(sides.placed) == 1 else drive))
            bases[number] = found[-1].functions
        ends = np.cumsum([0, *(own.size for own in bases if own is not None)])
        fitted = tuple((one, slice(*ends[one.inside.number : one.inside.number + 2])) for one in found)

        def doubted(coefficients: NumberArray) -> Mapping[str, float]:
            return {name: doubt for one, own in fitted for name, doubt in one.doubts(coefficients[own]).items()}

        cells = sum(len(one.functions.cells.frames) for one in found)
        words = f"{placed.in_words}, and what they make in {cells} cells"
        family = Outward(join_by_unknown(bases), words, caution_beside(placed), doubted)
        responses = {media[one.inside.number - 1].place: one.functions.size for one in found}
        trial = FeatureTrial(family, points_on(problem, sides.crowd(problem, responses)), (), why)
        return Step(trial, replace(self, inside=inside, fitted=fitted))

    def _solved_inside(self, data: Mapping[int, Driven], comes_in: IncidentBasis) -> dict[int, Inside]:
        """The problems inside of all lenses; those that are not there yet for these data, or for what comes in."""
        problem, found = self.request.problem, {}
        lenses = varying_media(problem)
        for done, number in enumerate(lenses):
            seconds = current_deadline().seconds_left / (len(lenses) - done)
            # to those in other media no wave comes as it is, but with about as many oscillations
            known = data.get(number) or Driven(impedance_operator(problem, number), comes_in, np.ones(1))
            found[number] = self.inside.get(number) or solve_inside(self.request, number, self.tol, known, seconds)
        return found


def lens(request: Request) -> Lens:
    """The stage before its first round.

    Raises
    ------
    ProblemError
        If nothing comes in, waves grow inside, or an object whose wavenumber varies has corners, or others in it.
    """
    problem = request.problem
    if problem.dimension != 2:
        raise ProblemError("Transparent: a wavenumber that varies inside is known in the plane; in space give a number")
    domain = problem.domain
    assert isinstance(domain, PlaneExterior)  # of two dimensions
    for medium in (media_of(problem)[number - 1] for number in varying_media(problem)):
        if domain.owners.count(medium.place) > 1:
            raise ProblemError("Transparent: every object must be in one piece; name its pieces, fs.Exterior(a, b)")
        if medium.shape.corners():
            raise ProblemError(
                "Transparent: a wavenumber that varies is known for objects without corners; round them, or give a "
                "number"
            )
        if medium.place in domain.around:
            raise ProblemError(
                f"Transparent: the wavenumber varies in {medium.shape!r}, in which others lie; give a number, or write "
                "what is in it as one sp.Piecewise"
            )
    if not incident_of(problem):
        raise ProblemError(
            "Transparent: nothing comes in, so that the field is zero; state incident=fs.plane_wave(...)"
        )
    fastest = max(abs(outer_wavenumbers(problem)[0]), largest_interior_wavenumber(problem))
    return Lens(request, fastest, max(_FINER * request.tol, _FINEST))
