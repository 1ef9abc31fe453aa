"""The filled band: cosines of all frequencies that the solution may have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from fspielm.arrays import FloatArray, real_parts
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.sums import evaluate_each
from fspielm.basis.random.families import Band, for_unknowns, in_rounded_box
from fspielm.basis.singular.columns import open_conflicts, special_columns, special_names
from fspielm.collocation.points import allot_points
from fspielm.estimate.bands import Bands
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import chord_lines
from fspielm.numerics.sampling import unit_stream
from fspielm.numerics.tolerances import TINY
from fspielm.problem.derived import natural_scales
from fspielm.problem.problem import Problem
from fspielm.solvers.request import Approach, Request
from fspielm.solvers.round import FeaturePlan, Outcome, RoundPlan, RoundResult
from fspielm.solvers.strategies.strategy import (
    CHORDS,
    DIGITS,
    LEAST_GROWTH,
    MOST_BLIND,
    MOST_ROUNDS,
    NARROW,
    ROUGH_DIGITS,
    SPARE_DIGITS,
    Ending,
    Step,
    StopReason,
    Strategy,
)

# ---- Width and density of a band for a number of digits

# Features on a domain of length L with frequencies spaced 2 pi / (T L) are a Fourier extension with factor T. We choose
# the factor that needs the fewest features. Close to 1, further features bring no digits.
_FACTORS = np.linspace(1.2, 5.0, 153)
# Convergence relative to the one-dimensional theory on every axis, by dimension up to three; measured, see
# docs/method.md.
_GAIN = {1: 1.2, 2: 1.5, 3: 2.0}
# The least band, in periods across the domain: even constant data make solutions that vary. In three and more
# dimensions, where that costs most, it is zero until a round shows more.
_LEAST_PERIODS = {1: 0.75, 2: 0.75}
# Factors of narrow bands around a frequency; larger ones would need large coefficients for amplitudes that vary.
_CLOUD_FACTORS = np.linspace(1.2, 14.0, 513)
# Measured: 1.07 to 1.16 for waves of constant amplitude in one to three dimensions, 0.87 for one like exp(x).
_CLOUD_GAIN = {1: 0.85, 2: 1.0, 3: 1.0}
# Samples for the volume of a band with rounded corners.
_COUNTED = 4096


@dataclass(frozen=True, eq=False)
class Layout:
    """A band of features for one round, and its extension factor.

    With this factor, frequencies are so many times denser than the length of the domain requires.
    """

    family: Band
    factor: float

    @property
    def widths(self) -> FloatArray:
        """Half-width of the band along each axis."""
        return np.array(self.family.widths)


def least_core(frequencies: FloatArray, lengths: FloatArray) -> FloatArray:
    """The frequencies ``(d,)`` of the first band, given the highest that were found along each axis."""
    least = _LEAST_PERIODS.get(len(lengths), 0.0)
    return np.maximum(frequencies, least * 2 * np.pi / lengths)


def layout(core: FloatArray, lengths: FloatArray, decades: float, most: int | None = None) -> Layout:
    """The smallest band that should reach ``10**-decades`` for a solution with frequencies in the box `core`.

    A Fourier extension with factor T converges like ``E(T)**-n``, ``E(T) = cot(pi / (4 T))**2``, in the number n of
    frequencies per axis and sign that exceed the ``T core L / (2 pi)`` needed to resolve at all. A large T converges
    faster, a small T resolves cheaper; the T with the fewest neurons is taken.

    The `core` and the `lengths` of the domain are ``(d,)`` arrays. With `most`, the same band has at most so many
    neurons.
    """
    filled = _fill(core, lengths, decades, _GAIN, _FACTORS)
    if most is None or most >= filled.family.neurons:
        return filled
    return replace(filled, family=replace(filled.family, neurons=most))


def cloud(center: FloatArray, core: FloatArray, lengths: FloatArray, decades: float) -> Layout:
    """The smallest band around `center` that should hold frequencies in the box ``center +- core`` to so many digits.

    Few frequencies, as of a single wave, are made with a large extension factor: a narrow band, in which the features
    hardly differ but by slowly varying amplitudes. Around zero a cosine and its mirror image are one frequency;
    elsewhere there are two functions to each.
    """
    away = tuple(center) if center.any() else None
    return _fill(core, lengths, decades, _CLOUD_GAIN, _CLOUD_FACTORS, away)


def _fill(
    core: FloatArray,
    lengths: FloatArray,
    decades: float,
    gains: dict[int, float],
    factors: FloatArray,
    center: tuple[float, ...] | None = None,
) -> Layout:
    """The smallest band around a frequency, with the best of some factors."""
    extra = decades * np.log(10) / (gains[min(len(core), 3)] * np.log(1 / np.tan(np.pi / (4 * factors)) ** 2))
    resolved = core * lengths / (2 * np.pi)
    per_axis = factors * resolved[:, None] + extra
    best = int(np.argmin(np.prod(per_axis, axis=0)))
    widths = core + (extra[best] / factors[best]) * 2 * np.pi / lengths
    number = float(np.prod(2 * per_axis[:, best])) * _rounded_share(core, widths)
    neurons = max(int(number if center is None else 2 * number), 2)  # at least a cosine and a sine
    return Layout(Band(neurons, tuple(widths), tuple(core), center), float(factors[best]))


def _rounded_share(core: FloatArray, widths: FloatArray) -> float:
    """Volume of the band with rounded corners, relative to its box."""
    unit = unit_stream(len(core), np.random.default_rng(0), "low-discrepancy")(_COUNTED)
    return float(np.mean(in_rounded_box((2 * unit - 1) * widths, core, widths)))


# ---- The band after each round

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


# ---- The strategy

# The most digits of the first band, by dimension, if not all that there are.
_FIRST_DECADES = {1: 11.5, 2: 11.5}
# Coefficients so large show a solution that is not smooth, unless it has more digits than such solutions have.
_SINGULAR_GROWTH = 1e5


@final
@dataclass(frozen=True, eq=False)
class FilledBand(Strategy):
    """A band for the frequencies of the equation and its data, made wider or denser; and singular functions.

    The `layout` has the features for the target, to which there are further `columns`. The next outcome is compared
    with those `shown`. `plain` is the strategy before singular functions were added unasked, with its last round.
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

    def first(self) -> Step:
        """The band that was found."""
        return self._step(self.target.why)

    def next(self, latest: RoundResult) -> Step | Ending:
        """A wider band, a denser one, or the same with singular functions."""
        now = replace(self, rounds=self.rounds + 1, shown=(*self.shown, latest.outcome))
        return now._following(latest)

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
            return hopeless or largest >= MOST_BLIND
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
