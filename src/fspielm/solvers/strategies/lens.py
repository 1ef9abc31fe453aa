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
from fspielm.numerics.tolerances import ROUNDING
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
from fspielm.solvers.driver import FIRST_SHARE, solve_automatically
from fspielm.solvers.request import AT_ONCE, FINER, Approach, Request, with_seconds
from fspielm.solvers.round import BETTER, MOST_ROUNDS, Ending, FeaturePlan, RoundResult, Step, Strategy
from fspielm.solvers.strategies.open_space import around_curves, caution_beside, join_by_unknown, points_on, wanted_for

# ---- Fields inside the objects: polynomials in cells


@final
@dataclass(frozen=True, eq=False)
class Driven:
    """The impedance data of the problem inside, from a sum of functions around the object."""

    operator: Operator
    basis: Basis
    coefficients: NumberArray

    def __call__(self, points: FloatArray, normals: FloatArray) -> NumberArray:
        """At points of the boundary, with the normals of the object."""
        return np.asarray(self.basis.matrix(self.operator, Sites(points, normals)) @ self.coefficients)


@final
@dataclass(frozen=True, eq=False)
class Inside:
    """The problem inside of an object, factored, for any impedance data.

    The field inside is the unknown with this `number` of the transmission problem.
    """

    problem: Problem
    number: int
    factored: Factored
    examination: Examination

    @property
    def impedance_operator(self) -> Operator:
        """The impedance trace that is prescribed inside."""
        return impedance_operator(self.problem, self.number)

    def driven_by(self, basis: Basis) -> Responses:
        """The field inside for each function around the object."""
        finite, blocks = self.examination.discretisation, self.examination.blocks
        places = {name: sites for name, (sites, _) in finite.fitted(blocks).items() if sites.normals is not None}
        rows = {name: basis.matrix(self.impedance_operator, sites) for name, sites in places.items()}
        found = []
        for some in np.array_split(np.arange(basis.size), -(-basis.size // AT_ONCE)):
            each = [finite.spread({name: own[:, j] for name, own in rows.items()}, blocks) for j in some]
            found.append(self.factored.solve(np.stack(each, axis=1)).T)
        return Responses(self, basis, np.concatenate(found))


@final
@dataclass(frozen=True, eq=False)
class Responses:
    """Fields inside, one for each of some functions around the object; the rows of `fields` have their coefficients."""

    inside: Inside
    basis: Basis
    fields: NumberArray

    @cached_property
    def functions(self) -> SumsOnCells:
        """The fields as a basis."""
        cells, fields = self.inside.examination.discretisation.basis.valued(self.fields)
        assert isinstance(cells, CellBasis)
        return SumsOnCells(cells, fields)

    def data(self, coefficients: NumberArray) -> Driven:
        """The impedance data of the sum of fields with these coefficients."""
        return Driven(self.inside.impedance_operator, self.basis, coefficients)

    def estimate(self, coefficients: NumberArray) -> ErrorEstimate:
        """The error inside of the sum of fields with these coefficients."""

        def work() -> ErrorEstimate:
            examination = self.inside.examination
            problem = with_data(examination.discretisation.problem, values={"robin": self.data(coefficients)})
            return examination.estimate(coefficients @ self.fields, problem)

        return self._latest(work, coefficients)

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """What the error of their sum may amount to in each condition on the object, by name.

        Its impedance trace is zero, from which its slope follows.
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
    """Solve inside for impedance data, in a share of the `seconds` that are left, and keep the factored system.

    A `ProblemError` says that the budget is too small, a `SolveError` that cells do not serve.
    """
    inner = replace(
        request,
        problem=interior_problem(request.problem, number, data),
        tol=tol,
        budget=with_seconds(request.budget, FIRST_SHARE * seconds),
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


# ---- The strategy


@final
@dataclass(frozen=True, eq=False)
class Lens(Strategy):
    """Radiating functions, and the fields that they make inside of objects whose wavenumber varies, on cells.

    Both are fitted to each other on the boundaries. Each round has either more functions or finer cells, whichever
    limits the error. The `wavenumber` is the largest, `tol` that of the fields inside, and `level` says how often the
    number of functions was raised. The problems `inside` are known by the places of their unknowns; the fields `fitted`
    last have their columns.
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
        """As many functions as the wavelength and the tolerance require, and cells for the incident field."""
        return self._step(self.title, {})

    def next(self, latest: RoundResult) -> Step | Ending:
        """More functions, or finer cells, as long as that helps."""
        error = latest.outcome.error
        if self.errors and not error * BETTER <= self.errors[-1]:
            return Ending("neither more functions nor finer cells helped", is_final=True)
        if len(self.errors) + 1 >= MOST_ROUNDS:
            return Ending(f"{MOST_ROUNDS} rounds with more functions or finer cells were not enough", is_final=True)
        after = replace(self, errors=(*self.errors, error))
        blamed = {}
        for responses, columns in self.fitted:
            own = latest.coefficients[columns]
            if any(doubt > latest.residuals[name].rms for name, doubt in responses.doubts(own).items()):
                blamed[responses.inside.number] = responses.data(own)
        if not blamed:
            return replace(after, level=self.level + 1)._step("more functions, closer to the boundary", {})
        finer = max(self.tol * FINER * min(self.request.tol / error, 1.0), ROUNDING)
        kept = {number: inside for number, inside in self.inside.items() if number not in blamed}
        return replace(after, tol=finer, inside=kept)._step("finer cells inside", blamed)

    def _step(self, why: str, data: Mapping[int, Driven]) -> Step:
        """A step, with cells for the impedance data of the last solution, or of the incident field."""
        problem = self.request.problem
        wanted = wanted_for(problem, self.wavenumber, self.request.tol, self.level)
        sides = around_curves(problem, wanted)
        placed, bases, media = sides.together, list(sides.bases), media_of(problem)
        incident = IncidentBasis(incident_of(problem), problem.dimension)
        inside = self._solved_inside(data, incident)
        found = []
        for number, own in inside.items():
            # a single object is driven by the incident field too; with others, that would nearly be a sum of the drives
            drive = sides.drives[number]
            found.append(own.driven_by(JoinedBasis([drive, incident]) if len(sides.placed) == 1 else drive))
            bases[number] = found[-1].functions
        ends = np.cumsum([0, *(own.size for own in bases if own is not None)])
        fitted = tuple((one, slice(*ends[one.inside.number : one.inside.number + 2])) for one in found)

        def doubted(coefficients: NumberArray) -> Mapping[str, float]:
            return {name: doubt for one, own in fitted for name, doubt in one.doubts(coefficients[own]).items()}

        cells = sum(len(one.functions.cells.frames) for one in found)
        words = f"{placed.in_words}, and what they make in {cells} cells"
        family = Outward(join_by_unknown(bases), words, caution_beside(placed), doubted)
        responses = {media[one.inside.number - 1].place: one.functions.size for one in found}
        plan = FeaturePlan(family, points_on(problem, sides.crowd(problem, responses)), (), why)
        return Step(plan, replace(self, inside=inside, fitted=fitted))

    def _solved_inside(self, data: Mapping[int, Driven], incident: IncidentBasis) -> dict[int, Inside]:
        """The problems inside of all lenses; new ones are solved for these data, or for the incident field."""
        problem, found = self.request.problem, {}
        lenses = varying_media(problem)
        for done, number in enumerate(lenses):
            seconds = current_deadline().seconds_left / (len(lenses) - done)
            # inside other media the incident field is changed, but has about as many oscillations
            known = data.get(number) or Driven(impedance_operator(problem, number), incident, np.ones(1))
            found[number] = self.inside.get(number) or solve_inside(self.request, number, self.tol, known, seconds)
        return found


def lens(request: Request) -> Lens:
    """The strategy before its first round.

    A `ProblemError` says that nothing comes in, that waves grow inside, or that an object whose wavenumber varies has
    corners, or others in it.
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
    return Lens(request, fastest, max(FINER * request.tol, ROUNDING))
