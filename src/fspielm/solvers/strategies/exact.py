"""Trefftz functions: only the conditions are left to fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias, final

import numpy as np
from numpy.polynomial import chebyshev

from fspielm.arrays import BoolArray, FloatArray
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.sums import evaluate
from fspielm.basis.exact.family import Characteristic
from fspielm.basis.singular.columns import (
    helmholtz_ratio,
    hole_columns,
    is_isotropic,
    is_plane,
    leading_exponent,
    satisfies,
    special_columns,
    special_names,
)
from fspielm.basis.singular.outgoing import SourceBasis
from fspielm.collocation.points import Crowd, Points, allot_conditions, first_edges, nearest_of
from fspielm.estimate.bands import Bands
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.numerics.roots import halves
from fspielm.numerics.tolerances import PROBES, ROUNDED, TINY
from fspielm.problem.changes import domain_size, mask_borders
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.solvers.request import Approach, Request
from fspielm.solvers.round import (
    DEAR,
    GROWTH,
    MOST_ROUNDS,
    MUCH_BETTER,
    ROUGH_DIGITS,
    ROWS_PER_FUNCTION,
    Ending,
    FeaturePlan,
    Outcome,
    RoundPlan,
    RoundResult,
    Step,
    StopReason,
    Strategy,
)

# ---- Corners, and places where conditions change, at which sources crowd

# Exponentials hold singularities that are farther outside than about this, in units of the size of the domain.
_CLOSE = 0.3
# Exponent of the singularity where a Dirichlet condition meets a Neumann condition on a smooth curve.
_CHANGE = 1 / 2
# A corner is singular where the residual near it is at least this share of the largest one away from corners.
_SINGULAR = 0.5
# Near a corner, and at it, in units of the size of the domain.
_NEAR_CORNER, _AT_CORNER = 0.1, 1e-3
# Further sites so close to the ends of its smooth pieces, in units of their lengths: residuals at corners are narrow.
_CLOSING_IN = np.logspace(-7, -1, 25)


@final
@dataclass(frozen=True, eq=False)
class SourceCorners:
    """Corners ``(c, 2)`` to shorten panels towards, and the length of the last panels at each."""

    points: FloatArray
    lengths: FloatArray


def find_source_corners(
    problem: Problem,
    constraints: list[Relation],
    basis: Basis,
    coefficients: FloatArray,
    tol: float,
    size: float,
    threads: int,
) -> tuple[tuple[SourceCorners, float], ...]:
    """Corners for sources to crowd at, to be tried in turn; and how close to the boundary one source must then be.

    A singularity close to the boundary leaves a residual all over it, in which no corner stands out. The first sources
    are therefore tried without corners, and then with the re-entrant ones, if there are any, or those with a large
    residual. Later sources crowd at corners that have sources already, and at those with a large residual.
    """
    corners = problem.domain.corners([str(symbol) for symbol in problem.coordinates])
    points = np.array([corner.point for corner in corners]).reshape(-1, 2)
    last = np.array([last_length(tol, leading_exponent(problem, corner), size) for corner in corners])
    # solutions are singular too where one condition ends and another begins within a part
    parts = [(each.part, mask_borders(each)[:, None]) for each in constraints]
    edges = np.concatenate([part.place(borders).points for part, borders in parts if part is not None])
    changes = np.full(len(edges), last_length(tol, _CHANGE, size))

    def with_changes(chosen: BoolArray) -> SourceCorners:
        return SourceCorners(np.concatenate([points[chosen], edges]), np.concatenate([last[chosen], changes]))

    none = np.zeros(len(points), dtype=np.bool_)
    if len(basis.sources) and len(points):
        taken = nearest_of(basis.sources)(points) <= _AT_CORNER * size
        large = _have_large_residual(points, constraints, basis, coefficients, size, threads)
        return (with_changes(taken | large), math.inf), (with_changes(taken), math.inf)
    chosen = np.array([corner.opening > math.pi for corner in corners], dtype=np.bool_)
    if not chosen.any():
        chosen = _have_large_residual(points, constraints, basis, coefficients, size, threads)
    return (with_changes(none), _CLOSE * size), (with_changes(chosen), math.inf)


def _have_large_residual(
    points: FloatArray,
    constraints: list[Relation],
    basis: Basis,
    coefficients: FloatArray,
    size: float,
    threads: int,
) -> BoolArray:
    """Near which of the points ``(c, 2)`` of the boundary the residual is larger than away from all of them."""
    near, away, scales = np.zeros(len(points)), 0.0, value_scales(constraints)
    for constraint in constraints if len(points) else ():
        sites = _near_breaks(constraint).followed_by(_spread_sites(constraint))
        sites = sites.select(constraint.holds(sites.points))
        pieces = [
            evaluate(basis, coefficients, operator, there, threads=threads, method="direct")
            for operator, there in constraint.pieces(sites)
        ]
        wanted = constraint.value(sites.points, sites.normals)
        residual = np.abs(np.sum(pieces, axis=0) - wanted) / scales[constraint.name]
        close = np.linalg.norm(sites.points[:, None] - points, axis=2) <= _NEAR_CORNER * size
        near = np.maximum(near, np.where(close, residual[:, None], 0.0).max(axis=0, initial=0.0))
        away = max(away, float(residual[~close.any(axis=1)].max(initial=0.0)))
    return np.asarray(near >= _SINGULAR * away)


def _near_breaks(constraint: Relation) -> Sites:
    """Sites ever closer to the ends of the smooth pieces of a constraint's part."""
    part = constraint.part
    assert part is not None
    breaks = np.array(part.breaks)
    steps = np.diff(breaks)[:, None] * _CLOSING_IN
    return part.place(np.concatenate([breaks[:-1, None] + steps, breaks[1:, None] - steps]).reshape(-1, 1))


def _spread_sites(constraint: Relation) -> Sites:
    """Sites all over a constraint's region."""
    assert constraint.part is not None
    sites = constraint.part.place((np.arange(PROBES)[:, None] + 0.5) / PROBES)
    return sites.select(constraint.holds(sites.points))


def value_scales(constraints: list[Relation]) -> dict[str, float]:
    """The scale of each constraint's values: the largest value of all constraints of the same order."""
    spread = {c.name: _spread_sites(c) for c in constraints}
    values = {c.name: c.value(spread[c.name].points, spread[c.name].normals) for c in constraints}
    largest = {name: float(np.abs(found).max(initial=0.0)) for name, found in values.items()}
    by_order: dict[int, float] = {}
    for c in constraints:
        by_order[c.operator.order] = max(by_order.get(c.operator.order, 0.0), largest[c.name])
    return {c.name: by_order[c.operator.order] or 1.0 for c in constraints}


def last_length(tol: float, exponent: float, size: float) -> float:
    """The distance over which ``r**exponent`` differs by the tolerance, and panels have enough digits."""
    return float(size * max(tol ** (1.0 / exponent) if exponent > 0 else 0.0, ROUNDED))


# ---- Sources outside the domain
# A solution continues beyond the boundary up to its nearest singularity: a source close by, a notch, a corner. The data
# show how far that is, place by place. Sources at about half of that distance, and a fraction of it apart, hold the
# solution to many digits with coefficients of its own size; towards a corner they crowd geometrically (A. Gopal, L. N.
# Trefethen, SIAM J. Numer. Anal. 57, 2019).
#
# Sixteen Chebyshev coefficients of the data on a panel fall to rounding once the panel is about half as long as the
# distance of the singularity.


# Distance of the sources from a panel, in units of its length.
_OFFSET = 1.2
# The least distance of a source from the rest of the boundary, in units of that.
_CLEAR = 0.7
# The part of the data that panels leave unresolved, in units of the tolerance; where that takes too many sources, it is
# made coarser by this factor, until few digits are left.
_UNRESOLVED = 1e-3
_COARSER = 100.0
# Panels for each one that can have sources: some have none, or fewer.
_MOST_PANELS = 4
# Share of the sources that is left on the shortest panels at a corner, where little varies.
_TAPERED = 0.4
# Points along the whole boundary, in addition to those on panels, for distances from it.
_ALONG = 3000
# Functions ``(s, n)`` at n sites, in units of what may be left unresolved of each.
Signals: TypeAlias = Callable[[Sites], FloatArray]
_NODES = 16
# An end of a panel is at a corner if it is as close as this, in units of the panel's length.
_TOUCHES = 1e-2
# A panel is resolved if so many of the last coefficients are small: those of even functions are zero every other time.
_TAIL = 3


@final
@dataclass(frozen=True)
class Limits:
    """How long panels may be, and how many.

    They are `closest` where one condition ends and another begins within a part. They need not resolve oscillations of
    the `wavenumber`.
    """

    longest: float
    shortest: float
    closest: float
    wavenumber: float
    most: int


@final
@dataclass(frozen=True, eq=False)
class Panels:
    """Pieces of the part of the boundary that a constraint is on.

    The `ends` ``(n, 2)`` of each are in the unit coordinate. `halvings` says how often the first panel was halved. A
    first panel counts as halved once if one of twice its length would have been, since the pieces of a boundary may be
    short themselves. Panels that were last halved only because of a corner are `graded`: the share of the halvings
    toward it, one for the last panel; zero for the others.
    """

    part: BoundaryPart
    ends: FloatArray
    halvings: FloatArray
    graded: FloatArray

    @property
    def lengths(self) -> FloatArray:
        """Length of each panel."""
        return self.part.measure * np.diff(self.ends, axis=1)[:, 0]

    def along(self, n: int) -> Sites:
        """The middles of `n` equal pieces of each panel, panel by panel."""
        return self.part.place(_unit_coordinates(self.ends, (np.arange(n) + 0.5) / n).reshape(-1, 1))

    def select(self, index: BoolArray) -> Panels:
        """Some of the panels."""
        return Panels(self.part, self.ends[index], self.halvings[index], self.graded[index])


def resolve(constraint: Relation, signals: Signals, corners: SourceCorners, limits: Limits) -> Panels | None:
    """Halve panels until the signals are resolved on each, and towards corners; None where that takes too many."""
    part = constraint.part
    assert part is not None
    cells = int(np.ceil(np.diff(part.breaks).max() * part.measure / limits.longest))
    edges = first_edges(part, cells)
    first = np.zeros(len(edges) - 1)
    panels = Panels(part, np.stack([edges[:-1], edges[1:]], axis=1), first, first)
    done: list[Panels] = []
    while len(panels.ends):
        held, unresolved, cut, barely = _examine_panels(constraint, panels, signals, limits.wavenumber)
        if not done:
            panels = replace(panels, halvings=np.where(barely & (panels.lengths <= 0.5 * limits.longest), 1.0, 0.0))
        last = np.minimum(_last_lengths(panels, corners), np.where(cut, limits.closest, np.inf))
        halved = panels.lengths / 2
        split = held & ((unresolved & (halved >= limits.shortest)) | (halved >= last))
        done.append(panels.select(held & ~split))
        if sum(len(p.ends) for p in done) + 2 * np.count_nonzero(split) > limits.most:
            return None
        # the share of the halvings from the longest to the last length that is done; zero where there is no last
        # length, or where the signals are unresolved too
        octaves = np.log2(limits.longest / np.minimum(last, 0.5 * limits.longest))
        way = np.where(np.isfinite(last), np.clip(np.log2(limits.longest / halved) / octaves, 0.0, 1.0), 0.0)
        graded = np.where(unresolved, 0.0, way)[split]
        ends = np.stack(halves(*panels.ends[split].T), axis=1)
        panels = Panels(part, ends, np.tile(panels.halvings[split] + 1, 2), np.tile(graded, 2))
    return Panels(
        part,
        np.concatenate([p.ends for p in done]),
        np.concatenate([p.halvings for p in done]),
        np.concatenate([p.graded for p in done]),
    )


def _examine_panels(
    constraint: Relation, panels: Panels, signals: Signals, wavenumber: float
) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
    """Panels on which the constraint holds; that are unresolved; on a part of which it holds; that are barely resolved.

    A panel is barely resolved if half of the nodes would not be enough.
    """
    reach = 0.5 * wavenumber * float(panels.lengths.max())
    # coefficients of a wave begin to fall beyond its phase along half of a panel, over a stretch like its cube root
    nodes = _NODES + int(1.1 * reach + 3.0 * np.cbrt(reach))
    abscissae = chebyshev.chebpts1(nodes)
    sites = panels.part.place(_unit_coordinates(panels.ends, 0.5 * (1.0 + abscissae)).reshape(-1, 1))
    holds = constraint.holds(sites.points)
    values = np.zeros((1, len(sites)))
    if holds.any():
        found = signals(sites.select(holds))
        values = np.zeros((len(found), len(sites)))
        values[:, holds] = found
    # first-kind points: the transpose of the Vandermonde matrix is its inverse, up to the factor
    upper = (2.0 / nodes) * chebyshev.chebvander(abscissae, nodes - 1)[:, nodes // 2 :]
    sizes = np.abs(values.reshape(len(values), -1, nodes) @ upper).max(axis=0)
    there = holds.reshape(-1, nodes)
    held, cut = np.asarray(there.any(axis=1)), np.asarray(there.any(axis=1) & ~there.all(axis=1))
    return held, (sizes[:, -_TAIL:].max(axis=1) > 1.0) & ~cut, cut, (sizes.max(axis=1) > 1.0) & ~cut


def _last_lengths(panels: Panels, corners: SourceCorners) -> FloatArray:
    """The final length of panels at corners; infinity for the others."""
    ends = panels.part.place(panels.ends.reshape(-1, 1)).points.reshape(-1, 2, 1, 2)
    distances = np.linalg.norm(ends - corners.points, axis=3).min(axis=1)
    touching = distances <= _TOUCHES * panels.lengths[:, None]
    return np.asarray(np.where(touching, corners.lengths, np.inf).min(axis=1, initial=np.inf))


def _unit_coordinates(ends: FloatArray, shares: FloatArray) -> FloatArray:
    """Unit coordinates ``(n, len(shares))`` at these shares of every panel."""
    return ends[:, :1] + np.diff(ends, axis=1) * shares


def source_columns(
    problem: Problem,
    basis: Basis,
    coefficients: FloatArray,
    *,
    tol: float,
    most: int,
    density: int = 8,
    fine: bool = False,
    threads: int,
) -> SourceBasis | None:
    """Sources for a problem that `basis` does not solve well enough, in place of those that it has.

    None if the equation is not Laplace's or Helmholtz' with constant coefficients in the plane, or if no sources are
    needed.

    The basis and its coefficients are the best solution so far, whose residual tells which corners are singular. With
    too few sources, at `most` so many, data are resolved to fewer digits. Each panel has so many (`density`): more give
    more digits and smaller coefficients. Panels are `fine` if they resolve waves too: a singularity some wavelengths
    away does not show on longer ones.
    """
    if not is_plane(problem):
        return None
    lower, _ = problem.domain.bounding_box
    if not is_isotropic(problem, (float(lower[0]), float(lower[1]))):
        return None
    ratio = helmholtz_ratio(problem)
    constraints = [c for c in problem.constraints if c.region.kind == "boundary" and c.region.shift is None]
    if ratio is None or not constraints:
        return None
    size = 0.5 * domain_size(problem)
    limits = Limits(
        longest=size,
        shortest=size * max(tol, ROUNDED),
        closest=last_length(tol, _CHANGE, size),
        wavenumber=0.0 if fine else math.sqrt(max(ratio, 0.0)),
        most=_MOST_PANELS * most // density,
    )
    unresolved = max(_UNRESOLVED * tol, ROUNDED)
    choices = find_source_corners(problem, constraints, basis, coefficients, tol, size, threads)
    while unresolved <= 10**-ROUGH_DIGITS:
        for corners, reach in choices:
            panels = _all_panels(constraints, size, unresolved, corners, limits)
            points, clearances = _place_sources(problem, panels or [], density)
            if 0 < len(points) <= most and clearances.min() <= reach:
                return SourceBasis(points, ratio, clearances)
        unresolved *= _COARSER
    return None


def crowded(points: Points, sources: SourceBasis) -> Points:
    """Points with further rows for `sources`, which crowd where sources do."""
    return replace(points, crowd=Crowd(sources.points, int(ROWS_PER_FUNCTION * sources.size)))


def _all_panels(
    constraints: list[Relation], size: float, unresolved: float, corners: SourceCorners, limits: Limits
) -> list[Panels] | None:
    found, scales = [], value_scales(constraints)
    for constraint in constraints:

        def signals(sites: Sites, c: Relation = constraint) -> FloatArray:
            values = c.value.checked(sites.points, f"the value of {c.name!r}", sites.normals) / scales[c.name]
            parts = [values.real, values.imag] if np.iscomplexobj(values) else [values]
            # the curve itself too: a sharp bend makes solutions singular even where data vary slowly
            return np.stack([*parts, *(sites.points.T / size)]) / unresolved

        panels = resolve(constraint, signals, corners, limits)
        if panels is None:
            return None
        found.append(panels)
    return found


def _place_sources(problem: Problem, panels: list[Panels], density: int) -> tuple[FloatArray, FloatArray]:
    """Sources ``(n, 2)`` beside the panels that were halved, and their distances from the boundary."""
    points, offsets = [np.empty((0, 2))], [np.empty(0)]
    for on_part in panels:
        numbers = np.round(density * (1.0 - (1.0 - _TAPERED) * on_part.graded)).astype(int)
        for number in np.unique(numbers):
            chosen = on_part.select((numbers == number) & (on_part.halvings > 0))
            sites = chosen.along(number)
            offset = np.repeat(_OFFSET * chosen.lengths, number)
            assert sites.normals is not None  # every boundary part has them
            points.append(sites.points + offset[:, None] * sites.normals)
            offsets.append(offset)
    sources, offset = np.concatenate(points), np.concatenate(offsets)
    if not len(sources):
        return sources, offset
    boundary = [on_part.along(2 * density).points for on_part in panels]
    clearances = nearest_of(np.concatenate([*boundary, *_even_points(panels)]))(sources)
    clear = (clearances >= _CLEAR * offset) & ~problem.domain.contains(sources)
    return sources[clear], clearances[clear]


def _even_points(panels: list[Panels]) -> list[FloatArray]:
    """Points all along the boundary, for distances from long panels."""
    total = sum(on_part.part.measure for on_part in panels)
    numbers = [math.ceil(_ALONG * on_part.part.measure / total) for on_part in panels]
    return [p.part.place(np.linspace(0.0, 1.0, n)[:, None]).points for p, n in zip(panels, numbers, strict=True)]


# ---- The strategy

# The family of a round, by how often it was enlarged.
Families: TypeAlias = Callable[[int], Characteristic]
# The strategy for a problem before its first round, with the operations that a filled band would begin with.
Fresh: TypeAlias = Callable[[Request, Bands, float], "ExactFeatures"]

# A round has helped if coefficients have fallen by this factor. All further rounds may cost so many first rounds of a
# filled band. Of similar problems, the next needs fewer functions if the estimate is so much below the tolerance.
_BY_FAR = 10.0
# If more rounds than this would be needed, functions of another kind are tried first.
_FEW_ROUNDS = 2.5
# An error is far above a loose tolerance by this factor, and rounds of fewer functions take a fixed time, about.
_LOOSE, _FAR, _QUICK = 1e-5, 30.0, 500
# Cost of a round relative to the one before.
_WORK_RATIO = GROWTH**3
_MOST_SOURCES = 1500
# For the next of many similar problems: fewer or more singular functions by this factor, but at least a share.
_FEWER, _LEAST_SHARE = 0.93, 0.3


@final
@dataclass(frozen=True, eq=False)
class ExactFeatures(Strategy):
    """Exponentials that satisfy the equation, more each round; then singular functions; then sources outside.

    The `families` make the exponentials, by how often these were `enlarged`; `family` has the current ones. Further
    functions are multipoles `in_holes`, `special` ones in holes and at corners, of which a `share` is used, those with
    the lowest exponents, and `sources` outside. From `limit` operations of a round on, a filled band is cheaper.
    `fresh` makes the strategy for another problem; `before` is the outcome of the last round.
    """

    approach: ClassVar[Approach] = "characteristic"
    title: ClassVar[str] = "functions that satisfy the equation"

    families: Families
    limit: float
    in_holes: tuple[Basis, ...]
    family: Characteristic
    special: tuple[Basis, ...]
    tried_special: bool
    fresh: Fresh | None = None
    enlarged: int = 0
    share: float = 1.0
    sources: SourceBasis | None = None
    source_rounds: int = 0
    before: Outcome | None = None

    def first(self) -> Step:
        """The first family, with multipoles in holes."""
        has_multipoles = self.special == self.in_holes != ()
        return self._step(self.title + ", multipoles in the holes among them" * has_multipoles)

    def next(self, latest: RoundResult) -> Step | Ending:
        """More functions as long as that helps, then singular functions, then sources."""
        before, after = self.before, latest.outcome
        strategy = replace(self, before=after)
        return strategy._following(before, latest) or Ending(
            "more functions that satisfy the equation did not help", cause=StopReason.STALLED
        )

    def onward(self, latest: RoundResult) -> Step:
        """More functions, without the sources that did not help."""
        return replace(self, before=None, sources=None, source_rounds=0)._larger()

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """The same functions, or a few more or fewer; None with sources, which depend on the data."""
        if self.sources is not None or self.fresh is None:
            return None
        enlarged, share = self.enlarged, self.share
        if spare >= _BY_FAR and enlarged:
            enlarged -= 1
        elif spare >= _BY_FAR:
            share = max(_FEWER * share, _LEAST_SHARE)
        elif spare <= MUCH_BETTER:
            share = min(share / _FEWER, 1.0)
        fresh = self.fresh(request, bands, self.limit)
        unasked = self.tried_special and request.singular is None and self.special != self.in_holes
        strategy = replace(fresh, enlarged=enlarged, family=fresh.families(enlarged))
        return (replace(strategy, share=share)._singular() if unasked else strategy)._step(self.title)

    def _following(self, before: Outcome | None, latest: RoundResult) -> Step | None:
        after, tol = latest.outcome, self.request.tol
        if self.share < 1.0:
            more = replace(self, share=min(GROWTH * self.share, 1.0))
            return more._singular()._step(special_names(self.request.problem))
        if self.source_rounds:
            helps = before is not None and _gain(before, after) >= MUCH_BETTER
            step = self._with_sources(latest) if helps or self.source_rounds == 1 else None
            has_way = self.sources is None and before is not None and self._has_helped(before, after)
            return self._larger() if step is None and has_way else step
        if before is None:
            is_far = tol >= _LOOSE and _FAR * tol < after.error < math.inf
            return self._larger(2 if is_far and after.neurons < _QUICK else 1)
        if _rounds_left(before, after, tol) <= _FEW_ROUNDS:
            return self._larger()
        helped = self._has_helped(before, after)
        strategy = replace(self, tried_special=True)
        if not helped and self.tried_special and self.request.singular is None:
            strategy = replace(strategy, special=self.in_holes)
        step = self._with_special() or strategy._with_sources(latest)
        if step is None and helped:  # without sources now, look for finer ones next time
            return replace(strategy, source_rounds=self.source_rounds + 1)._larger()
        return step

    def _has_helped(self, before: Outcome, after: Outcome) -> bool:
        """Whether to go on with larger families: coefficients fall fast, or few rounds are left."""
        if after.growth * _BY_FAR <= before.growth:
            return True
        ahead = _rounds_left(before, after, self.request.tol)
        if not math.isfinite(ahead):
            return False
        return bool(after.work * _WORK_RATIO**ahead <= max(_BY_FAR * self.limit, DEAR))

    def smaller(self, plan: RoundPlan, neurons: int) -> RoundPlan:
        """Fewer functions."""
        beside = plan.neurons - self.family.neurons
        family = replace(self.family, neurons=max(neurons - beside, 1))
        return replace(self, family=family)._step(plan.why).plan

    def _larger(self, times: int = 1) -> Step:
        enlarged = self.enlarged + times
        strategy = replace(self, enlarged=enlarged, family=self.families(enlarged))
        return strategy._step("more functions that satisfy the equation")

    def _with_special(self) -> Step | None:
        """The same family with singular functions; None if there are none, or they were tried."""
        if self.tried_special:
            return None
        strategy = self._singular()
        if sum(c.size for c in strategy.special) <= sum(c.size for c in self.special):
            return None
        return strategy._step(special_names(self.request.problem))

    def _singular(self) -> ExactFeatures:
        """The same strategy with its share of the functions for corners and holes."""
        problem = self.request.problem
        exact = tuple(c for c in special_columns(problem, True, self.share) if satisfies(problem, c))
        return replace(self, special=exact, tried_special=True)

    def _with_sources(self, latest: RoundResult) -> Step | None:
        """The first family with sources, where the data show singularities close to the boundary."""
        if self.source_rounds >= MOST_ROUNDS:
            return None
        request = self.request
        sources = source_columns(
            request.problem,
            latest.basis,
            latest.coefficients,
            tol=request.tol,
            most=_MOST_SOURCES,
            fine=self.source_rounds > 0,
            threads=request.threads,
        )
        if sources is None:
            return None
        strategy = replace(self, sources=sources, source_rounds=self.source_rounds + 1, family=self.families(0))
        return strategy._step("sources outside, where the data vary fast")

    def _step(self, why: str) -> Step:
        columns = self.special if self.sources is None else (*self.special, self.sources)
        if self.request.points is not None:
            points = replace(self.request.points, interior=0)
        else:
            neurons = self.family.neurons + sum(c.size for c in self.special)
            points = allot_conditions(self.request.problem, neurons, self.family.reach)
        if self.sources is not None:
            points = crowded(points, self.sources)
        return Step(FeaturePlan(self.family, points, columns, why), self)


def exact_features(request: Request, families: Families, limit: float, fresh: Fresh | None = None) -> ExactFeatures:
    """The strategy before its first round, with the singular functions that were asked for, or those in holes."""
    problem, singular = request.problem, request.singular
    in_holes = tuple(columns for columns in hole_columns(problem) if satisfies(problem, columns))
    special = in_holes if singular is None else special_columns(problem, singular)
    tried = singular is not None
    return ExactFeatures(request, families, limit, in_holes, families(0), special, tried, fresh)


def _gain(before: Outcome, after: Outcome) -> float:
    """How much smaller the estimate has become."""
    return before.error / max(after.error, TINY) if math.isfinite(after.error) else 1.0


def _rounds_left(before: Outcome, after: Outcome, tol: float) -> float:
    """How many rounds like the last one lead to the tolerance."""
    gain = _gain(before, after)
    return math.log(max(after.error / tol, 1.0)) / math.log(gain) if gain > 1 else math.inf
