"""Features where the right-hand side has its frequencies, beside ones that satisfy the equation without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from fspielm.collocation import Points
from fspielm.features import Basis, Joined
from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.by_hand import default_points
from fspielm.solvers.rounds import Run
from fspielm.solvers.special import special_columns
from fspielm.solvers.stages.stage import Stage
from fspielm.solvers.thin import thin_family
from fspielm.solvers.trial import Trial
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
class ThinSpectrum(Stage):
    """Bands around the peaks of the right-hand side, widened where coefficients are large.

    Parameters
    ----------
    run : Run
    bands : Bands
    peaks : sequence of Peak
    limit : float
        Operations of a round beyond which a filled band is cheaper.
    """

    approach: ClassVar[Approach] = "thin"

    def __init__(self, run: Run, bands: Bands, peaks: Sequence[Peak], limit: float) -> None:
        self._run = run
        self._bands = bands
        self._peaks = peaks
        self._limit = limit
        self._columns: tuple[Basis, ...] = special_columns(run.problem, run.singular or False)
        self._wider, self._more, self._rounds = _WIDER, 1.0, 0
        self._family = self._current()
        self._before: float | None = None

    def first(self) -> Trial:
        """The peaks that were found."""
        beside = "ones that satisfy the equation" if self._is_exact else "ones for the conditions"
        return self._trial(f"functions at the peaks of the right-hand side, and {beside}")

    def next(self, latest: Attempt) -> Trial | None:
        """Wider peaks where coefficients are large; otherwise more functions that satisfy the equation."""
        assert latest.estimate is not None
        estimate, self._rounds = latest.estimate.relative, self._rounds + 1
        helped = self._before is None or _SMALLER_ESTIMATE * estimate <= self._before
        self._before = estimate
        self.ending = "functions at the peaks of the right-hand side were not enough"
        if self._rounds >= _MOST_ROUNDS or not helped:
            return None
        narrow = latest.growth > _NARROW
        if not (narrow or self._is_exact):  # then nothing would change
            return None
        self._wider, self._more = self._wider + _WIDER * narrow, self._more * (1.0 if narrow else _MORE)
        self._family = self._current()
        trial = self._trial("wider peaks" if narrow else "more functions that satisfy the equation")
        return trial if trial.work(self._run.problem) <= self._limit else None

    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """None: fewer would not hold the peaks."""
        return None

    @property
    def _is_exact(self) -> bool:
        """Whether there are functions that satisfy the equation: not where coefficients vary."""
        return any(part.satisfies_equation for part in self._family.parts)

    def _current(self) -> Joined:
        run = self._run
        return thin_family(
            run.problem, self._bands, self._peaks, _DECADES, run.streams.probes, wider=self._wider, more=self._more
        )

    def _trial(self, why: str) -> Trial:
        return Trial(self._family, self._points(), self._columns, why)

    def _points(self) -> Points:
        return self._run.points or default_points(self._run.problem, self._family)
