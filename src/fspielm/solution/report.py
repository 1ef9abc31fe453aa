"""What was done and why, round by round, and how good it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

from fspielm.collocation.system import BlockResidual
from fspielm.estimate.estimate import ErrorEstimate, together
from fspielm.problem.problem import Problem
from fspielm.wording import duration, system_size

# An unknown is measured by its natural size where that exceeds its own by this factor.
_ZERO_BESIDE = 1e3


@dataclass(frozen=True)
class Forecast:
    """The expected cost of a round of the automatic solver, reported before one of more than two seconds.

    Attributes
    ----------
    number : int
    why : str
        What this round changes.
    neurons, rows : int
    seconds : float
    cells : int or None
        The number of cells, if any.
    """

    number: int
    why: str
    neurons: int
    rows: int
    seconds: float
    cells: int | None = None

    def __str__(self) -> str:
        size = system_size(self.neurons, self.cells)
        return f"round {self.number}: {size}, {self.rows} rows, will take about {duration(self.seconds)} ({self.why})"


@dataclass(frozen=True)
class NewtonStep:
    """One step of Newton's method, for a problem that is not linear.

    Attributes
    ----------
    round : int
        The round of the automatic solver.
    number : int
        The step within that round.
    residual : float
        Norm of the residual after the step, in scaled rows.
    step : float
        The change of the solution by the full step, relative to its size.
    damping : float
        The share of the full step that was taken.
    share : float
        The factor of the nonlinear terms: less than one on the way to a solution that was not found directly.
    """

    round: int
    number: int
    residual: float
    step: float
    damping: float = 1.0
    share: float = 1.0

    def __str__(self) -> str:
        less = f", {self.damping:.2g} of the step" if self.damping < 1.0 else ""
        part = f", with {self.share:.3g} of the nonlinear terms" if self.share < 1.0 else ""
        return (
            f"round {self.round}, Newton step {self.number}: residual {self.residual:.1e}, step {self.step:.1e}"
            f"{less}{part}"
        )


@dataclass(frozen=True)
class Round:
    """One round of the automatic solver.

    Attributes
    ----------
    number : int
    why : str
        What this round changed.
    neurons, rows : int
    widths : tuple of float
        Half-width of the band of frequencies along each axis.
    error_estimate : float
    growth : float
        Norm of the coefficients over the size of the solution; large where the band is too narrow.
    seconds : float
    forecast : float or None
        The expected seconds.
    cells : int or None
        The number of cells, if any.
    """

    number: int
    why: str
    neurons: int
    rows: int
    widths: tuple[float, ...]
    error_estimate: float
    growth: float
    seconds: float
    forecast: float | None = None
    cells: int | None = None

    @property
    def size(self) -> str:
        """The size of its system, in words."""
        return system_size(self.neurons, self.cells)

    def __str__(self) -> str:
        return (
            f"round {self.number}: {self.size}, {self.rows} rows, estimate {self.error_estimate:.1e}, "
            f"{duration(self.seconds)} ({self.why})"
        )


@dataclass(frozen=True)
class Window:
    """One of several windows in time.

    Attributes
    ----------
    number : int
    start, end : float
    error_estimate : float
        Relative to the solution during the window, including what the errors of earlier windows have become.
    growth : float
        The largest factor by which an error at its start grows until its end.
    seconds : float
    """

    number: int
    start: float
    end: float
    error_estimate: float
    growth: float
    seconds: float

    def __str__(self) -> str:
        return (
            f"window {self.number}: time {self.start:.6g} to {self.end:.6g}, estimate {self.error_estimate:.1e}, "
            f"errors at its start grow up to {self.growth:.2g} times, {duration(self.seconds)}"
        )


@dataclass(frozen=True)
class ModeSearch:
    """One search for all modes at once, without cells.

    Attributes
    ----------
    number : int
    count : int
        How many modes it has seen.
    seconds : float
        Since the first search began.
    """

    number: int
    count: int
    seconds: float

    def __str__(self) -> str:
        return f"search {self.number}: {self.count} mode{'s' * (self.count != 1)} seen, {duration(self.seconds)}"


@dataclass(frozen=True)
class FoundMode:
    """A mode that a search has seen, to all of its digits.

    Attributes
    ----------
    number : int
    value : float or complex
    error_estimate : float
        Of the value.
    seconds : float
        Since the first search began.
    """

    number: int
    value: complex
    error_estimate: float
    seconds: float

    def __str__(self) -> str:
        return f"mode {self.number}: {self.value:.8g}, error up to {self.error_estimate:.1e}, {duration(self.seconds)}"


@dataclass(frozen=True)
class BandReport:
    """The highest frequency found along one axis, and what set it."""

    frequency: float
    source: str


@dataclass(frozen=True)
class FieldReport:
    """How wrong one of several unknowns may be.

    Attributes
    ----------
    error_estimate, max_error_estimate, scale : float
        As in `Report`.
    relative_to : float or None
        What errors are relative to, if not to `scale`: an unknown that is zero beside the others has no digits of its
        own.
    """

    error_estimate: float
    max_error_estimate: float
    scale: float
    relative_to: float | None = None

    def __str__(self) -> str:
        if self.relative_to is not None:
            known = f"estimated {self.error_estimate:.1e} of {self.relative_to:.1e}"
            return f"{known}, beside which it is nothing ({self.scale:.1e})"
        return f"estimated {self.error_estimate:.1e} relative L2, {self.max_error_estimate:.1e} maximum"


@dataclass(frozen=True)
class Report:
    """What one solve did and why, how long it took, and how good the result is; printable.

    Attributes
    ----------
    features, least_squares, scaling : str
        The settings, as they would be typed.
    neurons, rows : int
        Columns and rows of the system.
    points : mapping
        Rows of each block, by name.
    residuals : mapping
        Residual of each block, by name: of the fitted rows, or in an automatic solve of held-out rows.
    rank : int
    condition : float
    coefficient_norm : float
    seconds : mapping
        Time of each phase, in an automatic solve over all rounds.
    rng : int or None
        The seed, which gives the same features and points again; None if the caller passed a generator.
    tol : float
    error_estimate, max_error_estimate : float or None
        Relative L2 and maximum error, upper bounds in practice; None where a solve by hand did not estimate. The
        largest of all unknowns.
    scale : float or None
        Root mean square of the solution over the domain, where the error was estimated.
    converged : bool or None
    reason : str
        Why the solver stopped there.
    bands : mapping of str to BandReport
        What was found along each axis; empty in a solve by hand.
    rounds : tuple of Round
    choice : str
        Which kind of features was taken, and why; empty in a solve by hand.
    sampled : tuple of str
        Data that could only be sampled (callables), and how closely they were searched for narrow features.
    fields : mapping of str to FieldReport
        The errors of each of several unknowns, by name; empty for a single one.
    remarks : tuple of str
        What the solver added to the statement: for example, the constant of a pressure that it leaves open.
    cells : int or None
        The number of cells; None where the functions extend over the whole domain.
    tiling : str
        The number, degrees and sizes of the cells, in words.
    newton : tuple of NewtonStep
        The steps of Newton's method in all rounds; empty where the problem is linear.
    windows : tuple of Window
        The windows in time, if the problem was solved window by window.
    """

    features: str
    least_squares: str
    scaling: str
    neurons: int
    rows: int
    points: Mapping[str, int]
    residuals: Mapping[str, BlockResidual]
    rank: int
    condition: float
    coefficient_norm: float
    seconds: Mapping[str, float]
    rng: int | None
    tol: float
    error_estimate: float | None
    max_error_estimate: float | None
    scale: float | None
    converged: bool | None
    reason: str
    bands: Mapping[str, BandReport]
    rounds: tuple[Round, ...]
    choice: str = ""
    sampled: tuple[str, ...] = ()
    fields: Mapping[str, FieldReport] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    cells: int | None = None
    tiling: str = ""
    newton: tuple[NewtonStep, ...] = ()
    windows: tuple[Window, ...] = ()

    @property
    def noun(self) -> str:
        """What the columns of the system are called: with cells, some of them are traces, not functions."""
        return "functions" if self.cells is None else "unknowns"

    @property
    def size(self) -> str:
        """The size of the system, in words."""
        return system_size(self.neurons, self.cells)

    @property
    def widths(self) -> dict[str, float] | None:
        """Highest frequency of the features along each axis; None if the features were chosen by hand."""
        if not self.rounds:
            return None
        # the solution is that of the best round, not always the last
        best = min(self.rounds, key=lambda done: done.error_estimate)
        return dict(zip(self.bands, best.widths, strict=True))

    @property
    def kind(self) -> str:
        """What the functions are, in words."""
        exact = "functions that satisfy the equation"
        joined = f"{exact}, and cosines" if "Characteristic(" in self.features else "cosines"
        known = {"Band": "cosines", "Characteristic": exact, "Joined": joined}
        return known.get(self.features.partition("(")[0], self.features)

    def of_field(self, name: str) -> Report:
        """The report for one of several unknowns; itself for a single one, and where nothing was estimated."""
        own = self.fields.get(name)
        if own is None:
            return self
        known = vars(own) | {"fields": {}}
        del known["relative_to"]
        return replace(self, **known)

    def as_dict(self) -> dict[str, Any]:
        """The report in plain numbers, strings and dictionaries, as JSON takes them.

        The residuals are root mean squares; a number that is not finite is None.
        """
        return {name: _plain(value) for name, value in vars(self).items()}

    def __str__(self) -> str:
        lines = [
            *self._verdict_lines(),
            *(f"remark         {remark}" for remark in self.remarks),
            f"functions      {self.features}",
            *([f"cells          {self.tiling}"] if self.tiling else []),
            *([f"chosen         {self.choice}"] if self.choice else []),
            f"least squares  {self.least_squares}, row scaling {self.scaling}",
            f"system         {self.rows} rows x {self.neurons} {self.noun}, rank {self.rank}, "
            f"condition {self.condition:.1e}",
            f"coefficients   norm {self.coefficient_norm:.2e}",
            *(f"band {name:<9} {band.frequency:.4g}, set by {band.source}" for name, band in self.bands.items()),
            *(f"sampled        {look}" for look in self.sampled),
            *(str(step) for step in self.newton),
            *(str(done) for done in self.rounds),
            *(str(window) for window in self.windows),
            f"time           {duration(sum(self.seconds.values()))}: "
            + ", ".join(f"{phase} {duration(s)}" for phase, s in self.seconds.items()),
            f"rng            {self.rng}",
            *self._block_lines(),
        ]
        return "\n".join(lines)

    def _verdict_lines(self) -> list[str]:
        if self.error_estimate is None:
            return []
        width = max(map(len, self.fields), default=0)
        return [
            f"error          estimated {self.error_estimate:.1e} relative L2, {self.max_error_estimate:.1e} maximum",
            *(f"error of {name:<{max(width, 5)}} {own}" for name, own in self.fields.items()),
            f"verdict        {'converged' if self.converged else 'NOT CONVERGED'}: {self.reason}",
        ]

    def _block_lines(self) -> list[str]:
        width = max(len(name) for name in self.residuals)
        return [
            f"  {name:<{width}}  {self.points.get(name, 0):>7} rows   residual {r.rms:.2e} rms, {r.largest:.2e} largest"
            for name, r in self.residuals.items()
        ]


def field_reports(problem: Problem, estimate: ErrorEstimate | None) -> dict[str, FieldReport]:
    """The estimate for each of several unknowns, by name; empty for a single one."""
    if estimate is None or len(problem.unknowns) == 1:
        return {}
    each = {name: together([estimate.fields[place] for place in problem.places(name)]) for name in problem.names}
    return {
        name: FieldReport(
            own.relative, own.largest, own.scale, own.size if own.size > _ZERO_BESIDE * own.scale else None
        )
        for name, own in each.items()
    }


def _plain(value: Any) -> Any:
    """A value of a report as JSON takes it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, BlockResidual):
        return _plain(value.rms)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    content = value if isinstance(value, Mapping) else vars(value) if is_dataclass(value) else None
    return value if content is None else {name: _plain(each) for name, each in content.items()}
