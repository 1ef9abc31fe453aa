"""Functions where the right-hand side has its frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.basis import Basis
from fspielm.basis.exact.family import Characteristic, neurons_for_reach, reach_for, steady_neurons
from fspielm.basis.exact.symbol import Symbol, symbol_of
from fspielm.basis.random.families import Band, Joined, cloud, layout, least_core
from fspielm.basis.singular.columns import special_columns
from fspielm.errors import UnsuitableError
from fspielm.estimate.band_data import RIGHT_HAND_SIDE, affordable_points
from fspielm.estimate.bands import Bands, bands_of_conditions
from fspielm.estimate.peaks import SAMPLE_BYTES, Peak, find_peaks
from fspielm.numerics.tolerances import PROBES
from fspielm.problem.problem import Problem
from fspielm.solvers.by_hand import default_points
from fspielm.solvers.request import TABLE_SHARE, Approach, Request
from fspielm.solvers.round import (
    DIGITS,
    GROWTH,
    MOST_ROUNDS,
    MUCH_BETTER,
    NARROW,
    Ending,
    FeaturePlan,
    Outcome,
    RoundResult,
    Step,
    StopReason,
    Strategy,
)

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


# ---- The strategy

# Each round widens the bands around peaks by so many periods over the domain, unless it takes more Trefftz functions.
_WIDER = 0.5


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
    wider: float = _WIDER
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
        wider, more = self.wider + _WIDER * narrow, self.more * (1.0 if narrow else GROWTH)
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
    return ThinSpectrum(request, bands, peaks, limit, columns, _family(request, bands, peaks, _WIDER, 1.0))


def _family(request: Request, bands: Bands, peaks: tuple[Peak, ...], wider: float, more: float) -> Joined:
    return thin_family(request.problem, bands, peaks, DIGITS, request.streams.probes, wider=wider, more=more)
