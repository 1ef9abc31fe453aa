"""Features where the right-hand side has its frequencies, beside ones that satisfy the equation without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

from fspielm.features import Basis, Joined
from fspielm.features.special import special_columns
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt, Outcome
from fspielm.solvers.by_hand import default_points
from fspielm.solvers.request import Request
from fspielm.solvers.stages.stage import Ending, Stage, Step
from fspielm.solvers.thin import thin_family
from fspielm.solvers.trial import FeatureTrial, Trial
from fspielm.spectrum import Bands, Peak

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
        return self._following(latest.outcome) or Ending(f"{self.title} were not enough", cause="stalled")

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
