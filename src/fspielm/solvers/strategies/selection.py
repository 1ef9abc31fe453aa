"""Which kinds of functions a problem calls for; among them few frequencies and the filled band."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from fspielm.arrays import FloatArray, real_parts
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.sums import evaluate_each
from fspielm.basis.exact.family import (
    Characteristic,
    evolves,
    fields_of_one_kind,
    neurons_for_reach,
    neurons_for_rings,
    reach_for,
    steady_neurons,
    wavenumber_of,
)
from fspielm.basis.exact.symbol import Symbol, homogeneous_symbol, symbol_of
from fspielm.basis.random.families import Band, Joined, Layout, cloud, for_unknowns, layout, least_core
from fspielm.basis.singular.columns import open_conflicts, satisfies, special_columns, special_names
from fspielm.cells.patchwork import check_suitable, is_second_order
from fspielm.collocation.least_squares import QR
from fspielm.collocation.points import allot_points
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.estimate.band_data import RIGHT_HAND_SIDE, affordable_points
from fspielm.estimate.bands import Bands, bands_of_conditions, refine_bands
from fspielm.estimate.narrow import find_narrow
from fspielm.estimate.peaks import SAMPLE_BYTES, Peak, find_peaks
from fspielm.estimate.sensitivity import functions_up_to, passing_size
from fspielm.estimate.stability import find_hidden
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import chord_lines
from fspielm.numerics.tolerances import PROBES, TINY
from fspielm.problem.changes import change_places, corner_conflicts
from fspielm.problem.derived import leaves_constant_open, natural_scales
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import varying_media
from fspielm.resources import limited_to
from fspielm.solvers.by_hand import default_points
from fspielm.solvers.cells.corners import special_points
from fspielm.solvers.cells.first import narrowest_gap
from fspielm.solvers.request import LOOKING, TABLE_SHARE, Approach, Request
from fspielm.solvers.round import (
    CHORDS,
    DEAR,
    DIGITS,
    GROWTH,
    LEAST_GROWTH,
    MOST_ROUNDS,
    MUCH_BETTER,
    NARROW,
    ROUGH_DIGITS,
    SPARE_DIGITS,
    Ending,
    FeaturePlan,
    Outcome,
    RoundPlan,
    RoundResult,
    Step,
    StopReason,
    Strategy,
    why_failed,
    work,
)
from fspielm.solvers.strategies.cells import cells_for
from fspielm.solvers.strategies.exact import ExactFeatures, Families, exact_features
from fspielm.solvers.strategies.open_space import open_space

# ---- Peaks of the spectrum of the right-hand side
# The solution is the sum of a particular one, with the frequencies of the right-hand side, and one of the homogeneous
# equation. Features around those frequencies and Trefftz functions hold both, without a band that fills all between.


# A wave is resonant if it satisfies the equation up to this share of its terms; it needs functions around it, since the
# solution grows along the way.
_RESONANT = 1e-3
# Trefftz functions in many dimensions: enough if the solution has only the waves of the right-hand side.
ENOUGH = 600


def thin_peaks(problem: Problem, bands: Bands, rng: np.random.Generator, memory: float = np.inf) -> tuple[Peak, ...]:
    """The peaks of the spectrum of the right-hand side, if any, as far as time and memory (in bytes) allow."""
    field = problem.right_hand_side
    if field.constant == 0.0 or RIGHT_HAND_SIDE in bands.unsettled:
        return ()
    looks = np.random.default_rng(0)  # only how long it takes
    asked = affordable_points(field, problem.domain.sample(PROBES, looks))
    most = min(asked, TABLE_SHARE * memory / SAMPLE_BYTES)
    return find_peaks(field, problem.domain, bands.frequencies, rng, most=most) or ()


def thin_family(
    problem: Problem,
    bands: Bands,
    peaks: Sequence[Peak],
    decades: float,
    rng: np.random.Generator,
    *,
    wider: float = 0.0,
    more: float = 1.0,
) -> Joined:
    """Features for the peaks of the right-hand side, and for the homogeneous equation, to so many digits.

    There is at least one peak; see `thin_peaks`. The band around each is `wider` by so many periods over the domain,
    and there are so many times `more` Trefftz functions.
    """
    symbol: Symbol | None = None
    with suppress(UnsuitableError):  # coefficients vary
        symbol = symbol_of(problem.determinant)
    lengths = np.subtract(*problem.domain.bounding_box[::-1])
    # variable coefficients spread a wave over a period to either side
    spread = (wider + (symbol is None)) * 2 * np.pi / lengths
    clouds = [
        Band(2, tuple(peak.widths), center=tuple(peak.center))
        if peak.exact and symbol is not None and _responds(symbol, peak.center)
        else cloud(peak.center, peak.widths + spread, lengths, decades).family
        for peak in peaks
    ]
    if symbol is None:  # a band for the frequencies of the conditions and of the waves of the equation
        core = least_core(bands_of_conditions(problem, bands, rng).frequencies, lengths)
        return Joined([layout(core, lengths, decades).family, *clouds])
    return Joined([_characteristic(problem, bands, peaks, decades, more, rng), *clouds])


def _responds(symbol: Symbol, frequency: FloatArray) -> bool:
    """Whether a wave of the right-hand side makes one of the same frequency: not if it is resonant or constant."""
    W = frequency[None, :].astype(np.complex128)
    return bool(frequency.any() and np.abs(symbol(W))[0] > _RESONANT * symbol.size(W)[0])


def _characteristic(
    problem: Problem, bands: Bands, peaks: Sequence[Peak], decades: float, more: float, rng: np.random.Generator
) -> Characteristic:
    """Trefftz functions for conditions in which the peaks appear as well."""
    if problem.domain.time is None or problem.dimension == 1:
        along = max(float(bands.frequencies.max()), _along_boundary(problem, peaks, rng))
        needed = steady_neurons(problem, along, decades)
        return Characteristic(int(more * (needed if problem.dimension <= 3 else min(needed, ENOUGH))))
    highest = np.max([bands.frequencies, *(np.abs(peak.center) + peak.widths for peak in peaks)], axis=0)
    reach = reach_for(problem, highest)
    return Characteristic(int(more * neurons_for_reach(problem, reach)), reach)


def _along_boundary(problem: Problem, peaks: Sequence[Peak], rng: np.random.Generator) -> float:
    """The highest frequency that waves of the peaks have along the boundary."""
    found = [constraint.sample(PROBES, rng, "low-discrepancy").normals for constraint in problem.constraints]
    normals = [n for n in found if n is not None]
    if not normals or problem.dimension == 1:
        return 0.0
    n = np.concatenate(normals)
    tangential = [np.linalg.norm(peak.center - (n @ peak.center)[:, None] * n, axis=1).max() for peak in peaks]
    return float(max(t + np.linalg.norm(peak.widths) for t, peak in zip(tangential, peaks, strict=True)))


# ---- The strategy of few frequencies

# Each round widens the bands around peaks by so many periods over the domain, unless it takes more Trefftz functions.
_WIDER_PEAKS = 0.5


@final
@dataclass(frozen=True, eq=False)
class ThinSpectrum(Strategy):
    """Bands around the peaks of the right-hand side, widened where coefficients are large.

    The bands are `wider` than the peaks by so many periods, and there are so many times `more` Trefftz functions;
    `before` has the estimates of earlier rounds. From `limit` operations of a round on, a filled band is cheaper.
    """

    approach: ClassVar[Approach] = "thin"
    title: ClassVar[str] = "functions at the peaks of the right-hand side"

    bands: Bands
    peaks: tuple[Peak, ...]
    limit: float
    columns: tuple[Basis, ...]
    family: Joined
    wider: float = _WIDER_PEAKS
    more: float = 1.0
    before: tuple[float, ...] = ()

    def first(self) -> Step:
        """Bands around the peaks."""
        beside = "ones that satisfy the equation" if self._is_exact else "ones for the conditions"
        return self._step(f"{self.title}, and {beside}")

    def next(self, latest: RoundResult) -> Step | Ending:
        """Wider bands where coefficients are large; otherwise more Trefftz functions."""
        return self._following(latest.outcome) or Ending(f"{self.title} were not enough", cause=StopReason.STALLED)

    def onward(self, latest: RoundResult) -> Step | None:
        """The same, whatever it costs and however little rounds have helped."""
        return replace(self, before=(), limit=float("inf"))._following(latest.outcome)

    def _following(self, shown: Outcome) -> Step | None:
        helped = not self.before or MUCH_BETTER * shown.error <= self.before[-1]
        rounds = (*self.before, shown.error)
        narrow = shown.growth > NARROW
        if len(rounds) >= MOST_ROUNDS or not helped or not (narrow or self._is_exact):  # then nothing would change
            return None
        wider, more = self.wider + _WIDER_PEAKS * narrow, self.more * (1.0 if narrow else GROWTH)
        family = _family(self.request, self.bands, self.peaks, wider, more)
        step = replace(self, family=family, wider=wider, more=more, before=rounds)._step(
            "wider peaks" if narrow else "more functions that satisfy the equation"
        )
        return step if step.plan.work(self.request.problem) <= self.limit else None

    @property
    def _is_exact(self) -> bool:
        """Whether there are Trefftz functions: not where coefficients vary."""
        return any(part.satisfies_equation for part in self.family.parts)

    def _step(self, why: str) -> Step:
        points = self.request.points or default_points(self.request.problem, self.family)
        return Step(FeaturePlan(self.family, points, self.columns, why), self)


def thin_spectrum(request: Request, bands: Bands, peaks: tuple[Peak, ...], limit: float) -> ThinSpectrum:
    """The strategy before its first round."""
    columns = special_columns(request.problem, request.singular or False)
    return ThinSpectrum(request, bands, peaks, limit, columns, _family(request, bands, peaks, _WIDER_PEAKS, 1.0))


def _family(request: Request, bands: Bands, peaks: tuple[Peak, ...], wider: float, more: float) -> Joined:
    return thin_family(request.problem, bands, peaks, DIGITS, request.streams.probes, wider=wider, more=more)


# ---- The filled band after each round: cosines of all frequencies that the solution may have

# A round adds at most so many digits, since the estimate of a poor round says little.
_MOST_MISSING = 5.0
# More digits than double precision has: bands of a period or less need more than the theory says.
_MOST_DECADES = 20.0
_FEWEST_DECADES = 3.0


@dataclass(frozen=True, eq=False)
class Target:
    """The band to fill: its `core`, the highest expected frequencies along each axis, and the number of digits."""

    core: FloatArray
    decades: float
    why: str

    def layout(self, lengths: FloatArray, most: int | None = None) -> Layout:
        """The features for this target."""
        return layout(self.core, lengths, self.decades, most)


def shrink(target: Target, lengths: FloatArray, most: int) -> Layout:
    """The layout of `target` with at most so many neurons: fewer digits first, then a sparse band, which has none."""
    while target.decades > _FEWEST_DECADES:
        target = replace(target, decades=max(target.decades - 0.5, _FEWEST_DECADES))
        smaller = target.layout(lengths)
        if smaller.family.neurons <= most:
            return smaller
    return target.layout(lengths, max(most, 1))


def next_target(request: Request, latest: RoundResult, used: Layout, target: Target) -> Target | None:
    """The next target: a wider band where coefficients are large, otherwise more digits; None if there are no more."""
    problem, lengths, shown = request.problem, request.lengths, latest.outcome
    before = shown.neurons // len(problem.unknowns)
    assert latest.estimate is not None
    # if the sensitivity has not settled, the error may be small already
    missing = (
        min(float(np.log10(shown.error / request.tol)), _MOST_MISSING) if latest.estimate.has_settled else SPARE_DIGITS
    )
    if shown.growth > NARROW:
        shares = _beyond(request, latest, used.widths)
        axes = shares >= 0.6 * shares.max()  # at least the largest one
        names = ", ".join(str(problem.coordinates[i]) for i in np.flatnonzero(axes))
        step = np.where(axes, 0.08 * min(max(missing, 1.0), _MOST_MISSING) * used.widths, 0.0)
        wider = replace(target, core=target.core + step, why=f"wider along {names}")
        while wider.layout(lengths).family.neurons < LEAST_GROWTH * before:
            wider = replace(wider, core=wider.core + np.where(axes, 0.05 * used.widths, 0.0))
        return wider
    if target.decades >= _MOST_DECADES:
        return None
    denser = replace(target, decades=min(target.decades + missing + 0.5, _MOST_DECADES), why="denser")
    while denser.decades < _MOST_DECADES and denser.layout(lengths).family.neurons < LEAST_GROWTH * before:
        denser = replace(denser, decades=min(denser.decades + 0.25, _MOST_DECADES))
    return denser


def _beyond(request: Request, latest: RoundResult, widths: FloatArray) -> FloatArray:
    """The share of the equation's residual, along each axis, at frequencies beyond the band."""
    problem = request.problem
    lower, upper = problem.domain.bounding_box
    seeds = problem.domain.sample(CHORDS, request.streams.probes, "low-discrepancy")
    shares = []
    for axis in range(problem.dimension):
        n = max(128, int(3 * widths[axis] * (upper - lower)[axis] / np.pi))
        lines, lengths = chord_lines(problem.domain, seeds, axis, n)
        points = lines.reshape(-1, problem.dimension)
        # directly: the rounding of a fast transform would show at all frequencies
        residuals = evaluate_each(
            latest.basis,
            latest.coefficients,
            [equation.operator for equation in problem.equations],
            Sites(points),
            threads=request.threads,
            method="direct",
        )
        each = [
            real_parts(residual - equation.value.checked(points, f"the {equation.name}'s right-hand side"))
            for equation, residual in zip(problem.equations, residuals, strict=True)
        ]
        energy = np.sum([_energy(part.reshape(len(lines), n)) for parts in each for part in parts], axis=0)
        frequencies = 2 * np.pi * np.arange(energy.shape[1]) / lengths[:, None]
        shares.append(np.sum(energy * (frequencies > 0.95 * widths[axis])) / max(float(energy.sum()), TINY))
    return np.array(shares)


def _energy(residual: FloatArray) -> FloatArray:
    """The spectrum along lines, relative to the largest residual."""
    relative = residual / max(float(np.abs(residual).max()), TINY)
    return np.abs(np.fft.rfft(relative * np.hanning(residual.shape[1]), axis=1)) ** 2


# ---- The strategy of a filled band

_MOST_BLIND_NEURONS = 1000
# The most digits of the first band, by dimension, if not all that there are.
_FIRST_DECADES = {1: 11.5, 2: 11.5}
# Coefficients so large show a solution that is not smooth, unless it has more digits than such solutions have.
_SINGULAR_GROWTH = 1e5
# After bands without digits cells come before a band of at least so many functions; of fewer after several rounds.
_BLIND_NEURONS, _BLIND_ROUNDS = 1500, 3


@final
@dataclass(frozen=True, eq=False)
class FilledBand(Strategy):
    """A band for the frequencies of the equation and its data, made wider or denser; and singular functions.

    The `layout` has the features for the target, to which there are further `columns`. The next outcome is compared
    with those `shown`. `plain` is the strategy before singular functions were added unasked, with its last round. It
    `yields` to cells, which come next, if several bands show no digits.
    """

    approach: ClassVar[Approach] = "band"
    title: ClassVar[str] = "a filled band"
    redraws: ClassVar[bool] = False

    bands: Bands
    target: Target
    layout: Layout
    columns: tuple[Basis, ...] = ()
    rounds: int = 0
    shown: tuple[Outcome, ...] = ()
    plain: tuple[FilledBand, RoundResult] | None = None
    yields: bool = False

    def first(self) -> Step:
        """The band that was found."""
        return self._step(self.target.why)

    def next(self, latest: RoundResult) -> Step | Ending:
        """A wider band, a denser one, or the same with singular functions."""
        now = replace(self, rounds=self.rounds + 1, shown=(*self.shown, latest.outcome))
        following = now._following(latest)
        if now.yields and not np.isfinite(latest.outcome.error) and isinstance(following, Step):
            most = _BLIND_NEURONS // (2 if now.rounds >= _BLIND_ROUNDS else 1)
            if following.plan.neurons >= most:
                return Ending(f"a band of {latest.outcome.neurons} cosines shows no digits", cause=StopReason.STALLED)
        return following

    def _following(self, latest: RoundResult) -> Step | Ending:
        if self._is_worse_than_plain():
            assert self.plain is not None
            plain, before = self.plain
            without = replace(self, columns=(), shown=plain.shown)
            return without._enlarged(before, largest=latest.outcome.neurons)
        return self._enlarged(latest, largest=latest.outcome.neurons)

    def _enlarged(self, latest: RoundResult, largest: int) -> Step | Ending:
        problem, strategy = self.request.problem, self
        stalled = self._is_stalled(largest)
        if self._calls_for_singular(latest.outcome, stalled):
            columns = special_columns(problem, True)
            # the factored system is as large as the matrix, and not needed
            strategy = replace(self, columns=columns, plain=(self, replace(latest, reusable=None)))
            if columns:  # with other functions, another start
                return replace(strategy, shown=())._step(special_names(problem))
        target = None if stalled else next_target(self.request, latest, self.layout, self.target)
        if target is None:
            return Ending(_nothing_left(problem), cause=StopReason.STALLED)
        return replace(strategy, target=target, layout=target.layout(self.request.lengths))._step(target.why)

    def onward(self, latest: RoundResult) -> Step | None:
        """The next band, whatever rounds so far have shown."""
        target = next_target(self.request, latest, self.layout, self.target)
        if target is None:
            return None
        strategy = replace(self, target=target, layout=target.layout(self.request.lengths), rounds=0, shown=())
        return strategy._step(target.why)

    def smaller(self, plan: RoundPlan, neurons: int) -> RoundPlan:
        """Fewer digits first, then a sparser band."""
        beside = sum(basis.size for basis in self.columns)
        each = (neurons - beside) // len(self.request.problem.unknowns)
        layout = shrink(self.target, self.request.lengths, max(each, 1))
        return replace(self, layout=layout)._step(plan.why).plan

    def around(self, problem: Problem) -> FilledBand:
        """The same for another linearisation of a nonlinear problem."""
        return replace(self, request=replace(self.request, problem=problem))

    def again(self, request: Request, bands: Bands, spare: float) -> Step | None:
        """As much wider than the first band as this one was, and for as many digits."""
        fresh, first = filled_band(request, bands), filled_band(self.request, self.bands)
        core = fresh.target.core * np.maximum(self.target.core / first.target.core, 1.0)
        target = replace(fresh.target, core=core, decades=self.target.decades)
        columns = special_columns(request.problem, True) if self.columns and not first.columns else fresh.columns
        return replace(fresh, target=target, layout=target.layout(request.lengths), columns=columns).first()

    def is_waste(self, neurons: int) -> bool:
        """Whether the band would be sparse."""
        fewest = replace(self.target, decades=_FEWEST_DECADES).layout(self.request.lengths).family.neurons
        return fewest > neurons // len(self.request.problem.unknowns)

    def _step(self, why: str) -> Step:
        sizes, layout = [basis.size for basis in self.columns], self.layout
        neurons, special = layout.family.neurons + sum(sizes), max(sizes, default=0)
        points = self.request.points or allot_points(
            self.request.problem, neurons, layout.widths, layout.factor, special
        )
        scales = natural_scales(self.request.problem, 0.5 * layout.widths)
        return Step(FeaturePlan(for_unknowns(layout.family, scales), points, self.columns, why), self)

    def _calls_for_singular(self, latest: Outcome, stalled: bool) -> bool:
        """Whether to add singular functions unasked: coefficients are very large, or wider bands bring nothing more."""
        rough = latest.growth >= _SINGULAR_GROWTH and latest.error >= 10**-ROUGH_DIGITS
        decided = self.request.singular is not None or self.plain is not None
        return not decided and (rough or stalled) and not open_conflicts(self.request.problem)

    def _is_worse_than_plain(self) -> bool:
        """Whether singular functions have improved neither estimate nor coefficients in two rounds."""
        if self.plain is None or not self.columns or len(self.shown) < 2:
            return False
        before = self.plain[1].outcome
        return min(done.error for done in self.shown) > before.error and self.shown[-1].growth >= before.growth

    def _is_stalled(self, largest: int) -> bool:
        """Whether two larger rounds in a row brought less than half a digit.

        Without any digit, cheap rounds go on, unless the data are known not to be smooth.
        """
        problem, errors = self.request.problem, [done.error for done in self.shown]
        if self.rounds >= MOST_ROUNDS or (self.bands.unsettled and len(errors) >= 3):
            return True
        if len(errors) >= 3 and np.isinf(errors[-1]):
            hopeless = bool(problem.missing) or bool(open_conflicts(problem))
            return hopeless or largest >= _MOST_BLIND_NEURONS
        return len(errors) >= 3 and min(errors[-2:]) > 0.3 * errors[-3]


def filled_band(request: Request, bands: Bands) -> FilledBand:
    """The strategy before its first round."""
    problem = request.problem
    core = least_core(bands.frequencies, request.lengths)
    most = _FIRST_DECADES.get(problem.dimension, DIGITS)
    # data that are not smooth allow no more digits
    decades = ROUGH_DIGITS if bands.unsettled else min(-np.log10(request.tol) + SPARE_DIGITS, most)
    target = Target(core, decades, "band of the equation and its data")
    columns = () if request.singular is None else special_columns(problem, request.singular)
    return FilledBand(request, bands, target, target.layout(request.lengths), columns)


def _nothing_left(problem: Problem) -> str:
    inside = [c.name for c in problem.constraints if c.region.kind == "inside"]
    if inside:
        return (
            f"more functions do not help any more; the data of {', '.join(map(repr, inside))} probably fit the "
            "equation and the other conditions no better than this (the solution is the compromise of least squares), "
            "or the solution is not smooth somewhere"
        )
    space = getattr(problem.domain, "space", problem.domain)
    where = "at a corner of the domain, or " if space.corners() else ""
    return (
        f"more functions do not help any more; the solution is probably not smooth somewhere: {where}where data have "
        "kinks or do not fit each other"
    )


# ---- Cells before a filled band, or after it

# Cells are compared with a dear filled band, and chosen if they take this share of its operations: an operation takes
# longer in small cells, but cells need fewer rounds.
_CHEAPER = 0.2
# A band does not hold what is singular in so many holes.
_MANY_HOLES = 6
# A band that resolves a feature narrower than this share of the domain does not fit into memory.
_NARROW = 1 / 60


def allows_cells(request: Request) -> bool:
    """Whether cells may be tried: not with settings that they ignore, nor with measured values.

    Measured values that a band does not fit contradict each other.
    """
    asked = request.points is not None or request.scaling != "rms" or bool(request.singular)
    measured = any(condition.kind == "measured" for condition in request.problem.conditions)
    return request.problem.dimension <= 2 and not (asked or measured) and isinstance(request.method, QR)


def cells_before_band(request: Request, bands: Bands, work_of_band: float) -> tuple[Step, str] | None:
    """The first step with cells, and why they come before a filled band of so many operations; None if they do not."""
    if not allows_cells(request):
        return None
    problem = request.problem
    if problem.interfaces:
        return cells_for(request, bands).first(), "materials differ"
    narrow = [place.width for place in find_narrow(problem).places if place.kind == "narrow"]
    if min(narrow, default=float("inf")) < _NARROW * request.lengths.max():
        return cells_for(request, bands).first(), "something in the data or the coefficients is narrow"
    domain = problem.domain
    if len(domain.hole_places()) >= _MANY_HOLES:
        return cells_for(request, bands).first(), "there are many holes"
    if domain.hole_places() and narrowest_gap(domain) < _NARROW * request.lengths.max():
        return cells_for(request, bands).first(), "curves of the boundary all but touch"
    work_of_band *= 4 if request.itemsize == 16 else 1  # operations of a complex one; those of cells are counted so
    if work_of_band > DEAR:
        cells = cells_for(request, bands).first()
        if cells.plan.work(problem) < _CHEAPER * work_of_band:
            return cells, "a filled band would cost far more"
    return None


# ---- The selection

# Exponentials in addition to the waves; and the least number of functions, by dimension.
_BESIDE_WAVES = 60
_LEAST = {1: 1, 2: 150}
# The first round has at most so many times the least number of exponentials for such data.
_MOST_STEEP = 3
# Exponentials for functions that the conditions let through: how far beyond their frequencies, by dimension up to
# three, to hold them to many digits; and at most so many.
_PAST_PASSING = {1: 1.2, 2: 1.6, 3: 1.2}
_MOST_PASSING = 3000
# Some of the exponentials that are drawn coincide.
_SOME_MORE = 1.02
# Inferred bands are generous: data that oscillate with the waves may seem faster by up to this factor.
_CLEARLY = 5.0
# Growth of the frequencies of evolving problems from round to round.
_WIDER = 1.2
# A small basis may cost so many times the first filled band, which seldom is the last one. Functions at the peaks of
# the right-hand side are less likely to be enough, and must be much cheaper.
_SHARE = {"characteristic": 3.0, "thin": 0.3}
# Where data hardly vary, the first band is a guess; such bands often end with so many rows and neurons.
_GUESSED = work(1500, 1000)


# Cells come first from this tolerance on (for systems with sharp corners at any), for so few wavelengths and corners
# if they have no more than so many unknowns, and so many more for each hole; and with corners of these openings:
# functions of sharper ones and of slits are nearly dependent in cells.
_FEW_DIGITS, _FEW_WAVES, _FEW_CORNERS, _FEW_UNKNOWNS, _EACH_HOLE = 1e-5, 10.0, 12, 8000, 1500
_NARROWEST, _WIDEST = 0.5, 1.9 * np.pi


@final
@dataclass(frozen=True, eq=False)
class Selection:
    """The first steps of the kinds of features to try, in that order, and why.

    `last` makes the first step of a kind to try where all of those fail. With `stand_ins`, all but the first are tried
    only where the first one finds nothing at all. `dearer` are expensive kinds, for when nothing else was good enough
    and time is left.
    """

    steps: tuple[Step, ...]
    why: str
    last: Callable[[], Step] | None = None
    stand_ins: bool = False
    dearer: tuple[Step, ...] = ()


def check_asked_for(request: Request) -> None:
    """Raise `ProblemError` if the approach that was asked for does not suit the problem, before data are looked at."""
    if request.approach == "windows":
        raise ProblemError('approach="windows" is for fs.solve, which has several solutions then; take "patches" here')
    if request.problem.domain.is_unbounded and request.approach not in (None, "characteristic"):
        raise ProblemError(
            f"approach: {request.approach!r} is for bounded domains; open ones have functions of their own"
        )
    if request.approach == "patches":
        try:
            check_suitable(request.problem)
        except UnsuitableError as error:
            raise _no_cells(error) from None


def _no_cells(error: UnsuitableError) -> ProblemError:
    return ProblemError(f"approach: no cells for this problem: {error}")


def select_strategies(request: Request, bands: Bands) -> Selection:
    """The kinds of features that a problem allows: a small basis first, unless it would save too little.

    A `ProblemError` says that the one asked for does not suit the problem.
    """
    if request.problem.domain.is_unbounded:
        if varying_media(request.problem):
            from fspielm.solvers.strategies.lens import lens  # which solves inside, with the driver

            return Selection((lens(request).first(),), "functions of the object and cells in it, as its waves vary")
        return Selection((open_space(request, bands).first(),), "functions of the objects, as the domain is open")
    if request.approach == "patches":
        try:
            return Selection((cells_for(request, bands).first(),), "asked for: polynomials in cells")
        except UnsuitableError as error:
            raise _no_cells(error) from None
    band = filled_band(request, bands).first()
    if request.approach == "band":
        return Selection((band,), "asked for: a filled band")
    if request.approach is None and request.problem.interfaces:  # smooth functions cannot follow materials
        return _whole_space(request, bands, band, np.inf, "a filled band, as materials differ")
    if cells := _few_cells(request, bands):
        why = f"{cells.plan.description}, as few digits are asked for"
        return Selection((cells, band), why, lambda: _small_basis(request, bands, np.inf).first())
    filled = band.plan
    limit = np.inf if request.approach is not None else _work_of_band(request, bands, filled)
    try:
        with limited_to(LOOKING, "looking for a smaller basis"):
            small = _small_basis(request, bands, limit).first()
            plan = small.plan
            too_dear = plan.work(request.problem) > _SHARE[small.strategy.approach] * limit
        if _passing(request.problem) and not passing_size(request.problem):
            too_dear = False  # a band would not hold functions that the conditions let through
    except Exception as error:  # whatever it is, a filled band serves every equation
        why = why_failed(error)
        if request.approach is not None:
            raise ProblemError(f"approach: no {request.approach} functions for this problem: {why}") from None
        return _whole_space(request, bands, band, limit, f"a filled band, as there is no smaller basis: {why}")
    if request.approach is not None:
        return Selection((small,), f"asked for: {plan.why}")
    if too_dear:
        why = f"a filled band of {filled.neurons} cosines, from which {plan.neurons} {plan.why} would save too little"
        return replace(_whole_space(request, bands, band, limit, why), dearer=(small,))
    why = f"{plan.why}: {plan.neurons}, where a filled band would begin with {filled.neurons}"
    return _with_cells_at_last(request, bands, (small, band), why)


def _few_cells(request: Request, bands: Bands) -> Step | None:
    """The first step with cells where few digits are asked for in the plane, and few cells are enough.

    Systems with sharp corners take cells for any number of digits. Fewer digits make little difference to functions on
    the whole domain. At corners cells need functions of their own.
    """
    problem = request.problem
    is_system = len(problem.unknowns) > 1  # cosines and Trefftz functions of systems know nothing of corners
    in_plane = problem.dimension == 2 and problem.domain.time is None and (is_second_order(problem) or not is_system)
    waves = float(np.max(bands.frequencies * request.lengths)) / (2 * np.pi)
    suits = request.approach is None and in_plane and waves <= _FEW_WAVES and allows_cells(request)
    if not suits or (request.tol < _FEW_DIGITS and not is_system):
        return None
    places = (*problem.domain.corners(), *change_places(problem))
    if request.tol < _FEW_DIGITS and not any(special.is_sharp for special in special_points(problem)):
        return None
    if len(places) > _FEW_CORNERS or not all(_NARROWEST <= place.opening <= _WIDEST for place in places):
        return None
    try:
        with limited_to(LOOKING, "laying out cells"):
            cells = cells_for(request, bands)
    except Exception:  # whatever it is, other functions serve every equation
        return None
    basis, most = cells.patchwork.basis, _FEW_UNKNOWNS
    if basis.size > most:
        most += _EACH_HOLE * len(problem.domain.hole_places())
    most = most if request.budget.neurons is None else min(most, request.budget.neurons)
    is_plate = (
        max(equation.operator.order for equation in problem.equations) > 2
    )  # toward its corners, cells are graded
    meets = is_plate or all(place.point in basis.corners for place in places)
    return cells.first() if basis.size <= most and meets else None


def _whole_space(request: Request, bands: Bands, band: Step, limit: float, why: str) -> Selection:
    """A filled band and then cells, or the other way round; `limit` is what the band costs."""
    try:
        with limited_to(LOOKING, "laying out cells"):
            before = cells_before_band(request, bands, limit)
        if before is not None:
            cells, reason = before
            # a filled band would add nothing to cells where materials jump
            stand_ins = bool(request.problem.interfaces)
            return Selection((cells, band), f"{cells.plan.description}, as {reason}", stand_ins=stand_ins)
    except Exception as error:  # whatever it is, a filled band serves every equation
        return Selection((band,), f"{why}, and cells do not suit: {why_failed(error)}")
    return _with_cells_at_last(request, bands, (band,), why)


def _with_cells_at_last(request: Request, bands: Bands, steps: tuple[Step, ...], why: str) -> Selection:
    """Steps of which the last is a filled band, and then cells, where they are allowed."""
    if not allows_cells(request):
        return Selection(steps, why)
    *before, band = steps
    assert isinstance(band.strategy, FilledBand)
    band = replace(band, strategy=replace(band.strategy, yields=True))
    return Selection((*before, band), why, lambda: cells_for(request, bands).first())


def _work_of_band(request: Request, bands: Bands, first: RoundPlan) -> float:
    """Operations of a filled band: of its first round, or, where that is a guess, of a typical last one."""
    problem = request.problem
    own = first.work(problem)
    guessed = np.all(bands.frequencies <= least_core(np.zeros(problem.dimension), request.lengths))
    return max(own, _GUESSED) if problem.is_homogeneous and guessed else own


def _small_basis(request: Request, bands: Bands, limit: float) -> Strategy:
    """The strategy of features that make use of the equation; an `UnsuitableError` says why there is none."""
    problem = request.problem
    if request.approach is None:
        _refuse_rough(request, bands)
    homogeneous = problem.is_homogeneous
    if request.approach == "characteristic" or (request.approach is None and homogeneous):
        return _exact_features(request, bands, limit)
    if homogeneous:
        raise UnsuitableError("the right-hand side is zero")
    if len(problem.unknowns) > 1 or problem.dtype.kind == "c":
        raise UnsuitableError("the equations have right-hand sides")
    if request.reuse:
        raise UnsuitableError("a plan serves other right-hand sides as well")
    peaks = thin_peaks(problem, bands, request.streams.probes, request.budget.memory_limit)
    if not peaks:
        raise UnsuitableError("the right-hand side has no spectrum of a few peaks")
    return thin_spectrum(request, bands, tuple(peaks), limit)


def _exact_features(request: Request, bands: Bands, limit: float) -> ExactFeatures:
    problem, singular = request.problem, request.singular
    homogeneous_symbol(problem)
    if singular is not None and not all(satisfies(problem, c) for c in special_columns(problem, singular)):
        raise UnsuitableError("the singular functions asked for do not satisfy the equation")
    families = _evolving_families(request, bands) if evolves(problem) else _steady_families(problem, bands)
    return exact_features(request, families, limit, _exact_features)


def _refuse_rough(request: Request, bands: Bands) -> None:
    """Refuse problems whose solutions are not smooth or not determined: rounds would be wasted on them."""
    problem = request.problem
    if bands.unsettled:
        raise UnsuitableError(f"the data of {', '.join(map(repr, bands.unsettled))} are not smooth")
    if problem.missing:
        raise UnsuitableError("what is known does not determine the solution")
    if leaves_constant_open(problem):
        raise UnsuitableError("the solution is determined only up to a constant")
    if corner_conflicts(problem) if request.singular is False else open_conflicts(problem):
        raise UnsuitableError("the data do not meet at a corner")


def _steady_families(problem: Problem, bands: Bands) -> Families:
    """Functions enough where singularities are far outside the boundary; then half as many again each time."""
    highest = float(bands.frequencies.max())
    along = highest if highest > _CLEARLY * wavenumber_of(problem) else 0.0
    times = fields_of_one_kind(problem)
    least = times * _LEAST.get(problem.dimension, ENOUGH)
    waves = steady_neurons(problem, 0.0, 0.0)
    # steep data may come from a source close by, which more exponentials do not hold
    steep = min(steady_neurons(problem, along, ROUGH_DIGITS) - waves, _MOST_STEEP * least)
    # on a line, the waves are all that there is
    first = waves if problem.dimension == 1 else max(waves + steep + times * _BESIDE_WAVES, least, _passing(problem))
    return lambda enlarged: Characteristic(int(first * GROWTH**enlarged))


def _passing(problem: Problem) -> int:
    """Exponentials that hold functions which the conditions let through; none if there are none, or too many."""
    highest = max((function.frequency for function in find_hidden(problem).passing), default=0.0)
    if not 0.0 < highest < np.inf:
        return 0
    past = _PAST_PASSING[min(problem.dimension, 3)]
    held = int(_SOME_MORE * functions_up_to(problem, highest))
    number = max(neurons_for_rings(problem, past * highest, _MOST_PASSING), held)
    return number if number <= _MOST_PASSING else 0


def _evolving_families(request: Request, bands: Bands) -> Families:
    """Frequencies as high as those of the data and their extension, then higher each time."""
    problem = request.problem
    highest = refine_bands(problem, bands, request.streams.probes).frequencies
    periods = 2 * np.pi / request.lengths

    def family(enlarged: int) -> Characteristic:
        reach = reach_for(problem, _WIDER**enlarged * highest + enlarged * periods)
        return Characteristic(neurons_for_reach(problem, reach), reach)

    return family
