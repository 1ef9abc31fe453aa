"""Functions of open domains, exact outside and at infinity."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, final

import numpy as np

from fspielm.basis.basis import Basis, JoinedBasis
from fspielm.basis.outgoing.family import Outward, elastic_potentials
from fspielm.basis.outgoing.grating import GratingBasis
from fspielm.basis.outgoing.placement import (
    Effort,
    Placed,
    Wanted,
    distance_between,
    merged,
    place_around,
    place_in,
    rim_of,
)
from fspielm.basis.outgoing.radiating import HarmonicBasis, RadiatingBasis
from fspielm.basis.outgoing.space import Functions, Neighbourhood, basis_of, place_beside
from fspielm.basis.outgoing.space import place_in as place_in_of_space
from fspielm.basis.wrapping import Component
from fspielm.collocation.points import Crowd, Crowds, Lattices, Place, Points, Surface, first_edges
from fspielm.errors import ProblemError
from fspielm.estimate.bands import Bands
from fspielm.estimate.estimate import NO_DIGITS, ErrorEstimate
from fspielm.geometry.boundary import Sites
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Corner
from fspielm.geometry.exterior import PlaneExterior, SpaceExterior
from fspielm.numerics.tolerances import CLOSE, ITERATIONS, PROBES, SAME
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.media import Medium, media_of
from fspielm.problem.scattering.open_domain import (
    elastic_waves,
    has_data,
    incident_of,
    inner_wavenumbers,
    lattice_of,
    outer_wavenumbers,
)
from fspielm.problem.statement import Relation
from fspielm.solvers.request import Approach, Request
from fspielm.solvers.round import (
    BETTER,
    LEAST_GROWTH,
    LEAST_ROWS_PER_FUNCTION,
    PATIENCE,
    ROWS_PER_FUNCTION,
    SPARE_DIGITS,
    Ending,
    FeaturePlan,
    RoundResult,
    Step,
    StopReason,
    Strategy,
)

# ---- Which objects need more functions, from the residual on each

# Half waves of data along an object that the first round resolves.
_FIRST_HALF_WAVES = 16.0
# An object gets no more functions while its residual is less than this share of the largest.
_WAITS = 0.03
# The most levels in one round, where many digits are missing.
_MOST_LEVELS = 2
# About how much finer the next level is.
_FINER = 4 / 3


@final
@dataclass(frozen=True)
class ObjectEffort:
    """The functions for one object, and what they should resolve.

    The `blocks` are the conditions on it. Data `along` it may have such high frequencies, often far more than matters.
    The next round has the functions that are `made`.
    """

    blocks: frozenset[str]
    along: float
    made: Effort

    @property
    def is_slow(self) -> bool:
        """Whether data may have higher frequencies than the functions resolve."""
        return self.made.held < self.along

    def faster(self) -> ObjectEffort:
        """Functions for frequencies of the data that are twice as high."""
        return replace(self, made=replace(self.made, held=min(2 * self.made.held, self.along)))

    def finer(self, levels: int) -> ObjectEffort:
        """More functions, closer to the boundary."""
        return replace(self, made=replace(self.made, level=self.made.level + levels))


def first_efforts(problem: Problem, bands: Bands | None, level: int = 0) -> tuple[ObjectEffort, ...]:
    """The functions of the first round for each object; without `bands`, for the wavenumber alone."""
    slowest = max(map(abs, outer_wavenumbers(problem)))
    lower, upper = problem.domain.bounding_box
    slow = max(math.pi * _FIRST_HALF_WAVES / float(np.max(upper - lower)), slowest)
    waves = zip(media_of(problem), inner_wavenumbers(problem), strict=True)
    inside = {medium.place: abs(complex(k).real) for medium, k in waves if k is not None}
    owners = problem.domain.owners if isinstance(problem.domain, PlaneExterior) else [0]
    found = []
    for blocks, owner in zip(_blocks(problem), owners, strict=True):
        data = [] if bands is None else [band for band in bands.data if band.source in blocks and band.settled]
        along = max((band.frequency for band in data), default=0.0)
        found.append(ObjectEffort(blocks, along, Effort(min(along, slow), level, inside.get(owner, 0.0))))
    return tuple(found)


def more_effort(
    efforts: tuple[ObjectEffort, ...], estimate: ErrorEstimate, tol: float, *, helped: bool
) -> tuple[ObjectEffort, ...]:
    """More functions for objects whose residual keeps the estimate above the tolerance.

    They are for higher frequencies while there is no digit, or where finer functions did not help.
    """
    error = estimate.relative
    # the parts of the norm of all residuals that are on each object
    parts = [math.sqrt(sum(estimate.shares.get(name, 0.0) for name in each.blocks)) for each in efforts]
    # the residual on all objects is small enough if it amounts to half of the tolerance
    enough = 0.5 * tol / (error * math.sqrt(len(efforts))) if math.isfinite(error) else 0.0
    least = max(_WAITS * max(parts), min(enough, max(parts)))
    is_vague = not error < NO_DIGITS
    levels = _MOST_LEVELS
    if not is_vague:  # digits grow with the number of functions
        growth = math.log(tol) / math.log(error)
        levels = min(max(round(math.log(growth) / math.log(_FINER)), 1), _MOST_LEVELS)

    def more(effort: ObjectEffort, part: float) -> ObjectEffort:
        if part < least:
            return effort
        return effort.faster() if effort.is_slow and (is_vague or not helped) else effort.finer(levels)

    return tuple(map(more, efforts, parts))


def _blocks(problem: Problem) -> list[frozenset[str]]:
    """The names of the conditions on each object; in space, all objects count as one."""
    domain, names = problem.domain, [relation.name for relation in problem.constraints]
    if not isinstance(domain, PlaneExterior):
        return [frozenset(names)]
    rims = [rim_of(loop) for loop in domain.loops]
    found: list[set[str]] = [set() for _ in rims]
    for relation in problem.constraints:
        for number in _objects_of(relation, rims):
            found[number].add(relation.name)
    return [frozenset(each) for each in found]


def _objects_of(relation: Relation, rims: list[np.ndarray]) -> set[int]:
    """The numbers of the objects that a condition is on; all of them if its part is unknown."""
    part = relation.part
    if part is None:
        return set(range(len(rims)))
    edges = first_edges(part, _ON_PART)
    places = part.place(0.5 * (edges[1:] + edges[:-1])[:, None]).points
    nearest = np.argmin([[distance_between(place[None], rim) for place in places] for rim in rims], axis=0)
    return set(nearest.tolist())


# ---- Functions for objects of the plane: outside, and in the media inside


@final
@dataclass(frozen=True, eq=False)
class Sides:
    """Functions that are placed inside and around objects.

    For each object, there are those `placed` inside, for the field around it, and around it, for the field inside.
    There are `bases` for the field outside of all objects, and in each medium; None for a medium that varies. For
    these, by the places of their unknowns, functions inside are the `drives` of the field around them.
    """

    placed: tuple[tuple[Placed, ...], ...]
    bases: tuple[Basis | None, ...]
    drives: Mapping[int, Basis]

    @property
    def together(self) -> Placed:
        """All functions that are placed."""
        return merged([placed for own in self.placed for placed in own])

    def crowd(self, problem: Problem, others: Mapping[int, int]) -> Crowd | Crowds:
        """Rows on the objects, which crowd where functions do; `others` counts further functions by object.

        With media, each object has rows for its own functions only.
        """
        if len(self.placed) == 1 or not media_of(problem):
            size = sum(basis.size for basis in self.bases if basis is not None) + sum(others.values())
            return _crowd(self.together, size, None)
        assert isinstance(problem.domain, PlaneExterior)
        parts = problem.domain.object_parts([str(symbol) for symbol in problem.coordinates])
        crowds = []
        for place, own in enumerate(self.placed):
            size = sum(placed.functions for placed in own) + others.get(place, 0)
            crowds.append(_crowd(merged(own), size, frozenset(part.name for part in parts[place])))
        return Crowds(tuple(crowds))


def _crowd(placed: Placed, functions: int, parts: frozenset[str] | None) -> Crowd:
    return Crowd(placed.crowd, math.ceil(ROWS_PER_FUNCTION * functions), placed.strengths, evenly=True, parts=parts)


def around_curves(problem: Problem, wanted: Wanted) -> Sides:
    """Functions inside of objects of the plane, for the field outside; and functions of each medium.

    Those of a medium are around it, and inside of the objects that lie in it.
    """
    domain = problem.domain
    assert isinstance(domain, PlaneExterior)  # as the strategy found
    corners = _singular_corners(problem, domain)
    placed: list[list[Placed]] = [[] for _ in domain.shapes]
    outside = _in_objects(domain, -1, corners, wanted, placed)
    bases: list[Basis | None] = [_basis(problem, merged(outside))]
    drives: dict[int, Basis] = {}
    waves = inner_wavenumbers(problem)
    for number, (medium, k) in enumerate(zip(media_of(problem), waves, strict=True), 1):
        bases.append(None if k is None else _of_medium(domain, medium, k, corners, wanted, placed))
        if k is None:
            (own,) = placed[medium.place]
            around = waves[medium.around - 1] if medium.around else None
            drives[number] = _basis(problem, own) if around is None else _radiating(own, around)
    return Sides(tuple(map(tuple, placed)), tuple(bases), drives)


def join_by_unknown(bases: Sequence[Basis | None]) -> Basis:
    """The functions of several unknowns in one basis."""
    known = [basis for basis in bases if basis is not None]
    if len(known) == 1:
        return known[0]
    return JoinedBasis([Component(basis, number, len(known)) for number, basis in enumerate(known)])


def _of_medium(
    domain: PlaneExterior,
    medium: Medium,
    k: complex,
    corners: Sequence[Corner],
    wanted: Wanted,
    placed: list[list[Placed]],
) -> Basis:
    """The functions of a medium, which are also added to `placed`."""
    here, outer = medium.place, domain.around[medium.place]
    own = _loops(domain, lambda place: place == here)
    others = _loops(domain, lambda place: place != here and domain.around[place] in (here, outer))
    if len(own) > 1:
        raise ProblemError("Transparent: every object must be in one piece; name its pieces, fs.Exterior(a, b)")
    wanted = replace(wanted, wavenumber=abs(k), period=None)  # copies of the whole are outside of it
    around = place_around(own[0], corners, wanted.of(domain.owners.index(here)), others)
    placed[here].append(around)
    found = [around, *_in_objects(domain, here, corners, wanted, placed)]
    bases = [_radiating(each, k) for each in found]
    return bases[0] if len(bases) == 1 else JoinedBasis(bases)


def _radiating(placed: Placed, k: complex) -> RadiatingBasis:
    return RadiatingBasis(placed.centers, placed.orders, k, placed.scales)


def _in_objects(
    domain: PlaneExterior, outer: int, corners: Sequence[Corner], wanted: Wanted, placed: list[list[Placed]]
) -> list[Placed]:
    """Functions inside of the objects that lie in the object `outer`, also added to `placed`."""
    within = _loops(domain, lambda place: domain.around[place] == outer)
    wall = _loops(domain, lambda place: place == outer)
    numbers = [number for number, owner in enumerate(domain.owners) if domain.around[owner] == outer]
    found = place_in(within, corners, wanted.among(numbers), wall) if within else []
    for number, own in zip(numbers, found, strict=True):
        placed[domain.owners[number]].insert(0, own)
    return found


def _loops(domain: PlaneExterior, which: Callable[[int], bool]) -> list[tuple[PlaneCurve, ...]]:
    """The boundaries of some objects, by their places."""
    return [loop for loop, owner in zip(domain.loops, domain.owners, strict=True) if which(owner)]


# ---- Functions for objects in space

# Evenly spread rows for each function.
_ROWS_PER_FUNCTION_IN_SPACE = 1.6
# Rows lie on rings for functions with so many times more degrees than orders; and so many rings for each degree.
_FAR_MORE = 2.0
_RINGS_PER_DEGREE = 1.4


def around_bodies(problem: Problem, wanted: Wanted) -> tuple[Outward, Lattices]:
    """Functions inside of all objects, and around those that transmit waves, with the rows for them."""
    domain = problem.domain
    assert isinstance(domain, SpaceExterior)  # as the strategy found
    # whether a condition has both values and slopes
    bends = any(len({term.order for term in relation.operator.terms}) > 1 for relation in problem.constraints)
    media, each = media_of(problem), (*outer_wavenumbers(problem), *inner_wavenumbers(problem))
    waves = [k for k in each if k is not None]
    numbers = {-1: 0} | {medium.place: number for number, medium in enumerate(media, 1)}
    parts = domain.object_parts() if media else [shape.boundary() for shape in domain.shapes]
    outward: list[list[Functions]] = [[] for _ in waves]
    regular: list[list[Functions]] = [[] for _ in waves]
    surfaces: list[Surface] = []
    for place, body in enumerate(domain.bodies):
        outer = domain.around[place]
        beside = zip(domain.bodies, domain.around, strict=True)
        others = [other for other, its_outer in beside if its_outer == outer and other is not body]
        inside = waves[numbers[place]] if place in numbers else 0.0
        here = wanted if outer < 0 else replace(wanted, wavenumber=abs(waves[numbers[outer]]))
        around = Neighbourhood(body, others, here, inside, bends)
        within = place_in_of_space(around)
        outward[numbers[outer]].append(within)
        rows = _ROWS_PER_FUNCTION_IN_SPACE * within.size
        if place in numbers:
            own = place_beside(around)
            regular[numbers[place]].append(own)
            both = within.size, own.size
            rows = max(0.5 * _ROWS_PER_FUNCTION_IN_SPACE * sum(both), LEAST_ROWS_PER_FUNCTION * max(both))
        sites, rings = _rows_of(within)
        surfaces += [Surface(part.name, sites, math.ceil(rows), rings) for part in parts[place]]
    words = f"in {len(outward[0])} objects, of degrees up to {max(each.degree for each in outward[0])}"
    bases: list[Basis] = []
    for k, around_it, leaving in zip(waves, regular, outward, strict=True):
        every = [*(basis_of([one], k) for one in around_it), *([basis_of(leaving, k)] if leaving else [])]
        bases.append(every[0] if len(every) == 1 else JoinedBasis(every))
    return Outward(join_by_unknown(bases), words), Lattices(tuple(surfaces))


def _rows_of(placed: Functions) -> tuple[Place, int | None]:
    """Where rows lie, and the number of rings: for an object along which fields vary far more than around it."""
    if placed.rings is None or placed.degree <= _FAR_MORE * placed.rings.order:
        return placed.body.sites, None
    return partial(placed.body.sites_along, placed.axis), math.ceil(_RINGS_PER_DEGREE * (placed.degree + 1))


# ---- The strategy

# Rows on every part in addition to those that crowd.
_ON_PART = 8
# Factor of the error estimate with corners: closer to them than all poles, functions miss up to two times as much.
_NEAR_CORNERS = 3.0


@final
@dataclass(frozen=True, eq=False)
class OpenSpace(Strategy):
    """Functions inside of objects, more of them and closer to the boundary each round.

    The `efforts` are those for each object, `best` is the estimate of all rounds, and `idle` counts the rounds in a row
    that have not helped.
    """

    approach: ClassVar[Approach] = "characteristic"
    title: ClassVar[str] = "functions that satisfy the equation and radiate"
    redraws: ClassVar[bool] = False

    efforts: tuple[ObjectEffort, ...]
    best: ErrorEstimate | None = None
    idle: int = 0

    def first(self) -> Step:
        """As many functions as the wavelength, the shapes and the tolerance require."""
        return self._step(self.title)

    def next(self, latest: RoundResult) -> Step | Ending:
        """More functions for objects with large residuals, as long as that helps."""
        after = latest.estimate
        assert after is not None
        helped = self.best is None or _is_better(after, self.best)
        idle = 0 if helped else self.idle + 1
        if idle >= PATIENCE and not any(each.is_slow for each in self.efforts):
            return Ending("more functions in the objects did not help", cause=StopReason.STALLED)
        strategy = replace(self, best=after if helped else self.best, idle=idle)
        enough = (1 + (LEAST_GROWTH - 1) / len(self.efforts)) * latest.basis.size
        for _ in range(ITERATIONS):
            strategy = replace(strategy, efforts=more_effort(strategy.efforts, after, self.request.tol, helped=helped))
            is_finer = [each.made.level for each in strategy.efforts] != [each.made.level for each in self.efforts]
            why = "more functions, closer to the boundary" if is_finer else "more functions, for data that are faster"
            step = strategy._step(why)
            if step.plan.neurons >= enough:
                return step
        return Ending("there are no more functions for the objects", is_final=True)

    def onward(self, latest: RoundResult) -> Step | None:
        """The same, however little rounds have helped."""
        following = replace(self, best=None, idle=0).next(latest)
        return following if isinstance(following, Step) else None

    def _step(self, why: str) -> Step:
        problem = self.request.problem
        made = tuple(each.made for each in self.efforts)
        waves, level = max(map(abs, outer_wavenumbers(problem))), max(each.level for each in made)
        wanted = replace(wanted_for(problem, waves, self.request.tol, level), efforts=made)
        if problem.dimension == 3:
            family, lattices = around_bodies(problem, wanted.of(0))
            return Step(FeaturePlan(family, points_on(problem, lattices), (), why), self)
        sides = around_curves(problem, wanted)
        placed = sides.together
        family = Outward(join_by_unknown(sides.bases), placed.in_words, caution_beside(placed))
        return Step(FeaturePlan(family, points_on(problem, sides.crowd(problem, {})), (), why), self)


def open_space(request: Request, bands: Bands) -> OpenSpace:
    """The strategy before its first round; refuses fluxes for which there is no bounded field."""
    problem = request.problem
    _check_balance(problem)
    return OpenSpace(request, first_efforts(problem, bands if has_data(problem) else None))


def _is_better(estimate: ErrorEstimate, best: ErrorEstimate) -> bool:
    """Whether a round has helped."""
    if math.isfinite(best.relative):
        return estimate.relative * BETTER <= best.relative
    # relative to the data of each round: more functions change how rows are scaled
    shares = [each.residual / each.data if each.data > 0 else 0.0 for each in (estimate, best)]
    return math.isfinite(estimate.relative) or shares[0] * BETTER <= shares[1]


def points_on(problem: Problem, crowd: Crowd | Crowds | Lattices) -> Points:
    """Rows on the objects, and a few more on every part."""
    names = {part for relation in problem.constraints for part in relation.part_names}
    return Points(0, dict.fromkeys(sorted(names), _ON_PART), sampling="low-discrepancy", crowd=crowd)


def caution_beside(placed: Placed) -> float:
    """The factor of the error estimate for residuals near corners."""
    return _NEAR_CORNERS if 1 in placed.orders else 1.0


def _check_balance(problem: Problem) -> None:
    """Refuse a net flux out of smooth objects, of which the harmonic field would be a logarithm far away."""
    constraints = problem.constraints
    orders = {term.order for relation in constraints for term in relation.operator.terms}
    is_harmonic = problem.dimension == 2 and outer_wavenumbers(problem) == (0,)
    if not is_harmonic or orders != {1} or problem.domain.corners():
        return
    net, all_together = 0j, 0.0
    for relation in constraints:
        if relation.part is None or relation.mask is not None:
            return
        rule = relation.part.quadrature(PROBES)
        values = relation.values(Sites(rule.points, rule.normals))
        net += complex(rule.weights @ values)
        all_together += float(rule.weights @ np.abs(values))
    if abs(net) > CLOSE * all_together:
        raise ProblemError(
            f"conditions: fluxes out of the objects do not balance, {abs(net):.3g} is left of {all_together:.3g}; far "
            "away the field would be a logarithm, which is not bounded: balance them, or prescribe values on an object"
        )


def wanted_for(problem: Problem, wavenumber: float, tol: float, level: int) -> Wanted:
    """The resolution of fields of a wavenumber, for a number of digits and a level."""
    sources = [field.place for field in incident_of(problem) if field.place is not None]
    nearby = np.array(sources).reshape(-1, problem.dimension)
    domain = problem.domain
    period = domain.period if isinstance(domain, PlaneExterior) else None
    return Wanted(wavenumber, -math.log10(tol) + SPARE_DIGITS, level, nearby, period)


def _basis(problem: Problem, placed: Placed) -> Basis:
    """Radiating or harmonic functions inside of objects; displacements from both elastic potentials."""
    waves = outer_wavenumbers(problem)
    radiating = [_radiating(placed, k) for k in waves if k != 0]
    if len(radiating) > 1:
        longitudinal, transverse = radiating
        axes = elastic_waves([equation.operator for equation in problem.equations]).axes
        return elastic_potentials(longitudinal, transverse, axes)
    if radiating:
        lattice, domain = lattice_of(problem), problem.domain
        if lattice is None or not isinstance(domain, PlaneExterior):
            return radiating[0]
        (_, bottom), (_, top) = domain.objects_box
        return GratingBasis(radiating[0], lattice, float(bottom), float(top))
    # without values on the boundary, the value at infinity is free, and that of the incident field is taken
    constant = any(term.order == 0 for relation in problem.constraints for term in relation.operator.terms)
    return HarmonicBasis(placed.centers, placed.orders, placed.scales, placed.charged, constant=constant)


def _singular_corners(problem: Problem, domain: PlaneExterior) -> tuple[Corner, ...]:
    """Corners of the objects at which fields are singular, and joints of smooth curves."""
    corners = domain.corners([str(symbol) for symbol in problem.coordinates])
    known = np.array([corner.point for corner in corners]).reshape(-1, 2)
    joints = []
    for curve in (curve for loop in domain.loops if len(loop) > 1 for curve in loop):
        (x, y), (dx, dy) = curve.ends[0], curve.tangent(np.array([curve.t0]))[0]
        if not np.any(np.hypot(*(known - (x, y)).T) <= SAME * (1 + curve.length)):
            joints.append(Corner((float(x), float(y)), math.pi, math.atan2(dy, dx), ("", ""), straight=False))
    return (*(corner for corner in corners if not _is_mirror(problem, corner)), *joints)


def _is_mirror(problem: Problem, corner: Corner) -> bool:
    """Whether reflections continue fields smoothly beyond a corner: two straight sides with conditions of one kind."""
    kinds = {tuple(sorted({term.order for term in relation.operator.terms})) for relation in problem.constraints}
    mirrors = math.pi / corner.opening if corner.opening else 0.0
    if len(problem.unknowns) > 1:  # a reflection changes the sign of some
        return False
    return corner.straight and kinds in ({(0,)}, {(1,)}) and mirrors > 1.5 and abs(mirrors - round(mirrors)) < SAME
