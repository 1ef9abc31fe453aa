"""Functions where the right-hand side has its frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.basis import Basis
from fspielm.basis.exact.family import Characteristic, neurons_for_reach, reach_for, steady_neurons
from fspielm.basis.exact.symbol import Symbol, symbol_of
from fspielm.basis.random.families import Band, Joined
from fspielm.basis.singular.columns import special_columns
from fspielm.errors import UnsuitableError
from fspielm.estimate.band_data import RIGHT_HAND_SIDE, affordable_points
from fspielm.estimate.bands import Bands, bands_of_conditions
from fspielm.estimate.peaks import SAMPLE_BYTES, Peak, find_peaks
from fspielm.problem.problem import Problem
from fspielm.solvers.by_hand import default_points
from fspielm.solvers.plan import Attempt, FeatureTrial, Outcome, Trial
from fspielm.solvers.request import Approach, Request
from fspielm.solvers.strategies.filled import cloud, layout, least_core
from fspielm.solvers.strategies.strategy import Ending, Stage, Step, StopReason

# ---- Peaks of the spectrum of the right-hand side
# The solution is a particular one, made where the right-hand side's frequencies are, and one of the equation without
# it, which the conditions ask for. Features around the former and features that satisfy the equation hold both; nothing
# fills the band between them.


# Variable coefficients spread a wave over so many periods to either side.
_SPREAD = 1.0
# Waves that satisfy the equation to this share of its terms are met by waves around them: those grow along the way.
_RESONANT = 1e-3
_NORMALS = 200
# Places at which the right-hand side is asked to see how long that takes, and what its spectrum may have of the memory.
_TRIED = 128
_PEAKS_SHARE = 0.25
# In more than three dimensions, functions for all that the boundary may have are beyond reach, and some are tried:
# where the waves of the right-hand side are all there is, they do.
_SOME = 600


def thin_peaks(problem: Problem, bands: Bands, rng: np.random.Generator, memory: float = np.inf) -> tuple[Peak, ...]:
    """The peaks of the right-hand side's spectrum, as far as time and memory (in bytes) allow.

    Empty where there is no right-hand side, or its spectrum has no peaks: it is not smooth, or spread out.
    """
    field = problem.right_hand_side
    if field.constant == 0.0 or RIGHT_HAND_SIDE in bands.unsettled:
        return ()
    looks = np.random.default_rng(0)  # only how long it takes
    asked = affordable_points(field, problem.domain.sample(_TRIED, looks))
    most = min(asked, _PEAKS_SHARE * memory / SAMPLE_BYTES)
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
    """Features for the peaks of the right-hand side, and for what the equation has without it, to so many digits.

    Parameters
    ----------
    problem, bands
    peaks : sequence of Peak
        At least one; see `thin_peaks`.
    decades : float
    rng : Generator
    wider : float
        Widens the features' bands around each peak by so many periods over the domain: for a round after one whose
        coefficients were large.
    more : float
        So many times the features that satisfy the equation are taken.
    """
    symbol = _symbol(problem)
    lengths = np.subtract(*problem.domain.bounding_box[::-1])
    spread = (wider + (_SPREAD if symbol is None else 0.0)) * 2 * np.pi / lengths
    clouds = [
        Band(2, tuple(peak.widths), center=tuple(peak.center))
        if peak.exact and symbol is not None and _responds(symbol, peak.center)
        else cloud(peak.center, peak.widths + spread, lengths, decades).family
        for peak in peaks
    ]
    if symbol is None:
        return Joined([_filled(problem, bands, lengths, decades, rng), *clouds])
    return Joined([_characteristic(problem, bands, peaks, decades, more, rng), *clouds])


def _symbol(problem: Problem) -> Symbol | None:
    """The symbol; None where coefficients vary."""
    try:
        return symbol_of(problem.determinant)
    except UnsuitableError:
        return None


def _responds(symbol: Symbol, frequency: FloatArray) -> bool:
    """Whether a wave makes one of the same frequency: not if it is almost one of the equation's own, or constant."""
    W = frequency[None, :].astype(np.complex128)
    return bool(frequency.any() and np.abs(symbol(W))[0] > _RESONANT * symbol.size(W)[0])


def _characteristic(
    problem: Problem, bands: Bands, peaks: Sequence[Peak], decades: float, more: float, rng: np.random.Generator
) -> Characteristic:
    """Features that satisfy the equation, under conditions that see the peaks as well."""
    if problem.domain.time is None or problem.dimension == 1:
        along = max(float(bands.frequencies.max()), _along_boundary(problem, peaks, rng))
        needed = steady_neurons(problem, along, decades)
        return Characteristic(int(more * (needed if problem.dimension <= 3 else min(needed, _SOME))))
    highest = np.max([bands.frequencies, *(np.abs(peak.center) + peak.widths for peak in peaks)], axis=0)
    reach = reach_for(problem, highest)
    return Characteristic(int(more * neurons_for_reach(problem, reach)), reach)


def _along_boundary(problem: Problem, peaks: Sequence[Peak], rng: np.random.Generator) -> float:
    """The highest frequency that waves of the peaks have along the boundary."""
    found = [constraint.sample(_NORMALS, rng, "low-discrepancy").normals for constraint in problem.constraints]
    normals = [n for n in found if n is not None]
    if not normals or problem.dimension == 1:
        return 0.0
    n = np.concatenate(normals)
    tangential = [np.linalg.norm(peak.center - (n @ peak.center)[:, None] * n, axis=1).max() for peak in peaks]
    return float(max(t + np.linalg.norm(peak.widths) for t, peak in zip(tangential, peaks, strict=True)))


def _filled(problem: Problem, bands: Bands, lengths: FloatArray, decades: float, rng: np.random.Generator) -> Band:
    """A band for the frequencies of the conditions' data, and of the waves that the equation carries."""
    frequencies = bands_of_conditions(problem, bands, rng).frequencies
    return layout(least_core(frequencies, lengths), lengths, decades).family


# ---- The stage

# As many digits as double precision has: the bases are small, and more of them cost little.
_DECADES = 12.0
_MOST_ROUNDS = 4
# A round has helped if the estimate has fallen so much.
_SMALLER_ESTIMATE = 3.0
# Coefficients so much larger than the solution mean that a peak is wider than was thought.
_NARROW = 1e3
# Periods over the domain by which the bands around peaks are wider than these, and by how many more each time.
_WIDER = 0.5
_MORE = 1.5


@final
@dataclass(frozen=True, eq=False)
class ThinSpectrum(Stage):
    """Bands around the peaks of the right-hand side, widened where coefficients are large.

    Attributes
    ----------
    request : Request
    bands : Bands
    peaks : tuple of Peak
    limit : float
        Operations of a round beyond which a filled band is cheaper.
    columns : tuple of Basis
        Beside the features.
    family : Joined
        The features.
    wider, more : float
        Periods by which bands are wider than the peaks, and how many times the functions that satisfy the equation.
    before : tuple of float
        The estimates of earlier rounds.
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
        """The peaks that were found."""
        beside = "ones that satisfy the equation" if self._is_exact else "ones for the conditions"
        return self._step(f"{self.title}, and {beside}")

    def next(self, latest: Attempt) -> Step | Ending:
        """Wider peaks where coefficients are large; otherwise more functions that satisfy the equation."""
        return self._following(latest.outcome) or Ending(f"{self.title} were not enough", cause=StopReason.STALLED)

    def onward(self, latest: Attempt) -> Step | None:
        """The same, however much it costs and little it helped."""
        return replace(self, before=(), limit=float("inf"))._following(latest.outcome)

    def _following(self, shown: Outcome) -> Step | None:
        helped = not self.before or _SMALLER_ESTIMATE * shown.error <= self.before[-1]
        rounds = (*self.before, shown.error)
        narrow = shown.growth > _NARROW
        if len(rounds) >= _MOST_ROUNDS or not helped or not (narrow or self._is_exact):  # then nothing would change
            return None
        wider, more = self.wider + _WIDER * narrow, self.more * (1.0 if narrow else _MORE)
        family = _family(self.request, self.bands, self.peaks, wider, more)
        step = replace(self, family=family, wider=wider, more=more, before=rounds)._step(
            "wider peaks" if narrow else "more functions that satisfy the equation"
        )
        return step if step.trial.work(self.request.problem) <= self.limit else None

    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """None: fewer would not hold the peaks."""
        return None

    @property
    def _is_exact(self) -> bool:
        """Whether there are functions that satisfy the equation: not where coefficients vary."""
        return any(part.satisfies_equation for part in self.family.parts)

    def _step(self, why: str) -> Step:
        points = self.request.points or default_points(self.request.problem, self.family)
        return Step(FeatureTrial(self.family, points, self.columns, why), self)


def thin_spectrum(request: Request, bands: Bands, peaks: tuple[Peak, ...], limit: float) -> ThinSpectrum:
    """The stage before its first round."""
    columns = special_columns(request.problem, request.singular or False)
    return ThinSpectrum(request, bands, peaks, limit, columns, _family(request, bands, peaks, _WIDER, 1.0))


def _family(request: Request, bands: Bands, peaks: tuple[Peak, ...], wider: float, more: float) -> Joined:
    return thin_family(request.problem, bands, peaks, _DECADES, request.streams.probes, wider=wider, more=more)
