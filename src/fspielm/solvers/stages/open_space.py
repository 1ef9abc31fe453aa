"""Functions of open domains: around places in the objects, exact outside and at infinity."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from fspielm.accuracy import ErrorEstimate
from fspielm.collocation import Crowd, Lattices, Points
from fspielm.collocation.crowd import Crowds
from fspielm.equations import Problem
from fspielm.equations.elastic_waves import elastic_waves
from fspielm.equations.lattice import lattice_of
from fspielm.equations.open_domain import has_data, incident_of, outer_wavenumbers
from fspielm.errors import ProblemError
from fspielm.features import Basis
from fspielm.features.outward import HarmonicBasis, Outward, RadiatingBasis, elastic_potentials
from fspielm.features.outward.placement import Placed, Wanted
from fspielm.geometry import Corner, Sites
from fspielm.geometry.exterior import PlaneExterior
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.request import Request
from fspielm.solvers.stages.by_object import ObjectEffort, first_efforts, more_effort
from fspielm.solvers.stages.open_bodies import around_bodies
from fspielm.solvers.stages.open_media import Sides, join_by_unknown, on_all_sides
from fspielm.solvers.stages.stage import Ending, Stage, Step
from fspielm.solvers.trial import FeatureTrial, Trial
from fspielm.spectrum import Bands

# Digits beyond those of the tolerance: what the boundary's residual is multiplied with to be an error.
_FURTHER_DIGITS = 1.5
# Rows on every part beside those that crowd.
_ON_PART = 8
# A round has helped if the estimate is smaller by so much, or the residual where no digit is certain; so many that did
# not are enough.
_BETTER = 1.5
_PATIENCE = 2
# Another round has so many functions more, at least, in units of those of an object; found in so many steps at most.
_CLEARLY_MORE = 0.3
_MOST_STEPS = 12
_SAME = 1e-9
# Nodes on a part, and what is left of fluxes that balance.
_FLUX_NODES = 400
_BALANCED = 1e-6
# What is closer to a corner than all poles amounts to more than functions that these can hold, by up to two times.
_BESIDE_CORNERS = 3.0


@final
@dataclass(frozen=True, eq=False)
class OpenSpace(Stage):
    """Functions in objects, more of them and closer to the boundary round by round.

    Attributes
    ----------
    request : Request
    efforts : tuple of ObjectEffort
        What is made of each object, so far.
    best : ErrorEstimate or None
        Of all rounds.
    idle : int
        How many rounds in a row have not helped.
    """

    approach: ClassVar[Approach] = "characteristic"
    title: ClassVar[str] = "functions that satisfy the equation and radiate"
    redraws: ClassVar[bool] = False

    efforts: tuple[ObjectEffort, ...]
    best: ErrorEstimate | None = None
    idle: int = 0

    def first(self) -> Step:
        """As many as the wavelength, the shapes and the tolerance ask for."""
        return self._step(self.title)

    def next(self, latest: Attempt) -> Step | Ending:
        """More in the objects where the residual is, as long as that helps."""
        after = latest.estimate
        assert after is not None
        helped = self.best is None or _is_better(after, self.best)
        idle = 0 if helped else self.idle + 1
        if idle >= _PATIENCE and not any(each.is_slow for each in self.efforts):
            return Ending("more functions in the objects did not help", cause="stalled")
        stage = replace(self, best=after if helped else self.best, idle=idle)
        enough = (1 + _CLEARLY_MORE / len(self.efforts)) * latest.basis.size
        for _ in range(_MOST_STEPS):
            stage = replace(stage, efforts=more_effort(stage.efforts, after, self.request.tol, helped=helped))
            is_finer = [each.made.level for each in stage.efforts] != [each.made.level for each in self.efforts]
            why = "more functions, closer to the boundary" if is_finer else "more functions, for data that are faster"
            step = stage._step(why)
            if step.trial.neurons >= enough:
                return step
        return Ending("there are no more functions for the objects", is_final=True)

    def onward(self, latest: Attempt) -> Step | None:
        """The same, however little it helped."""
        following = replace(self, best=None, idle=0).next(latest)
        return following if isinstance(following, Step) else None

    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """None: fewer would hold nothing."""
        return None

    def _step(self, why: str) -> Step:
        problem = self.request.problem
        made = tuple(each.made for each in self.efforts)
        waves, level = max(map(abs, outer_wavenumbers(problem))), max(each.level for each in made)
        wanted = replace(wanted_for(problem, waves, self.request.tol, level), efforts=made)
        if problem.dimension == 3:
            family, lattices = around_bodies(problem, wanted.of(0))
            return Step(FeatureTrial(family, points_on(problem, lattices), (), why), self)
        sides = around_curves(problem, wanted)
        placed = sides.together
        family = Outward(join_by_unknown(sides.bases), placed.in_words, caution_beside(placed))
        return Step(FeatureTrial(family, points_on(problem, sides.crowd(problem, {})), (), why), self)


def open_space(request: Request, bands: Bands) -> OpenSpace:
    """The stage before its first round; refuses fluxes for which there is no field that is bounded."""
    problem = request.problem
    _check_balance(problem)
    return OpenSpace(request, first_efforts(problem, bands if has_data(problem) else None))


def _is_better(estimate: ErrorEstimate, best: ErrorEstimate) -> bool:
    """Whether a round has helped."""
    if math.isfinite(best.relative):
        return estimate.relative * _BETTER <= best.relative
    # of each its own data: more functions change how rows are scaled
    shares = [each.residual / each.data if each.data > 0 else 0.0 for each in (estimate, best)]
    return math.isfinite(estimate.relative) or shares[0] * _BETTER <= shares[1]


def points_on(problem: Problem, crowd: Crowd | Crowds | Lattices) -> Points:
    """Rows on the objects, and a few more on every part."""
    names = {part for relation in problem.constraints for part in relation.part_names}
    return Points(0, dict.fromkeys(sorted(names), _ON_PART), sampling="low-discrepancy", crowd=crowd)


def caution_beside(placed: Placed) -> float:
    """How much more than functions can hold may be beside corners."""
    return _BESIDE_CORNERS if 1 in placed.orders else 1.0


def _check_balance(problem: Problem) -> None:
    """Refuse a net flux out of smooth objects: far away, it would make a logarithm of a harmonic field."""
    constraints = problem.constraints
    orders = {term.order for relation in constraints for term in relation.operator.terms}
    is_harmonic = problem.dimension == 2 and outer_wavenumbers(problem) == (0,)
    if not is_harmonic or orders != {1} or problem.domain.corners():
        return
    net, all_together = 0j, 0.0
    for relation in constraints:
        if relation.part is None or relation.mask is not None:
            return
        rule = relation.part.quadrature(_FLUX_NODES)
        values = relation.values(Sites(rule.points, rule.normals))
        net += complex(rule.weights @ values)
        all_together += float(rule.weights @ np.abs(values))
    if abs(net) > _BALANCED * all_together:
        raise ProblemError(
            f"conditions: fluxes out of the objects do not balance, {abs(net):.3g} is left of {all_together:.3g}; far "
            "away the field would be a logarithm, which is not bounded: balance them, or prescribe values on an object"
        )


def around_curves(problem: Problem, wanted: Wanted) -> Sides:
    """Functions in objects of the plane, and around those that let waves through."""
    assert isinstance(problem.domain, PlaneExterior)
    return on_all_sides(problem, _singular_corners(problem, problem.domain), wanted, _basis)


def wanted_for(problem: Problem, wavenumber: float, tol: float, level: int) -> Wanted:
    """How well functions are to hold fields of a wavenumber, for the `level`-th round."""
    sources = [field.place for field in incident_of(problem) if field.place is not None]
    nearby = np.array(sources).reshape(-1, problem.dimension)
    domain = problem.domain
    period = domain.period if isinstance(domain, PlaneExterior) else None
    return Wanted(wavenumber, -math.log10(tol) + _FURTHER_DIGITS, level, nearby, period)


def _basis(problem: Problem, placed: Placed) -> Basis:
    """The functions in objects: those that radiate, or harmonic ones; displacements from potentials of both kinds."""
    waves = outer_wavenumbers(problem)
    radiating = [RadiatingBasis(placed.centers, placed.orders, k, placed.scales) for k in waves if k != 0]
    if len(radiating) > 1:
        longitudinal, transverse = radiating
        axes = elastic_waves([equation.operator for equation in problem.equations]).axes
        return elastic_potentials(longitudinal, transverse, axes)
    if radiating:
        lattice, domain = lattice_of(problem), problem.domain
        if lattice is None or not isinstance(domain, PlaneExterior):
            return radiating[0]
        from fspielm.features.outward.grating import GratingBasis  # few open domains are gratings

        (_, bottom), (_, top) = domain.objects_box
        return GratingBasis(radiating[0], lattice, float(bottom), float(top))
    # without values on the boundary, that at infinity is free, and chosen to be that of what comes in
    constant = any(term.order == 0 for relation in problem.constraints for term in relation.operator.terms)
    return HarmonicBasis(placed.centers, placed.orders, placed.scales, placed.charged, constant=constant)


def _singular_corners(problem: Problem, domain: PlaneExterior) -> tuple[Corner, ...]:
    """Corners of the objects, and where curves join smoothly, but not as one: but for those that mirrors continue."""
    corners = domain.corners([str(symbol) for symbol in problem.coordinates])
    known = np.array([corner.point for corner in corners]).reshape(-1, 2)
    joints = []
    for curve in (curve for loop in domain.loops if len(loop) > 1 for curve in loop):
        (x, y), (dx, dy) = curve.ends[0], curve.tangent(np.array([curve.t0]))[0]
        if not np.any(np.hypot(*(known - (x, y)).T) <= _SAME * (1 + curve.length)):
            joints.append(Corner((float(x), float(y)), math.pi, math.atan2(dy, dx), ("", ""), straight=False))
    return (*(corner for corner in corners if not _is_mirror(problem, corner)), *joints)


def _is_mirror(problem: Problem, corner: Corner) -> bool:
    """Whether fields are smooth in a corner, which mirrors continue them beyond: two straight sides of one kind."""
    kinds = {tuple(sorted({term.order for term in relation.operator.terms})) for relation in problem.constraints}
    mirrors = math.pi / corner.opening if corner.opening else 0.0
    if len(problem.unknowns) > 1:  # of which a mirror turns some around
        return False
    return corner.straight and kinds in ({(0,)}, {(1,)}) and mirrors > 1.5 and abs(mirrors - round(mirrors)) < _SAME
