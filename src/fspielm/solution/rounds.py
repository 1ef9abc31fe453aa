"""The rounds of the automatic solver: what one is about to cost, and what it did; and searches for modes."""

from __future__ import annotations

from dataclasses import dataclass

from fspielm.wording import duration, system_size


@dataclass(frozen=True)
class Forecast:
    """What a round of the automatic solver is about to cost, told before one of more than two seconds.

    Attributes
    ----------
    number : int
    why : str
        What this round changes.
    neurons, rows : int
    seconds : float
    cells : int or None
        Where the functions are those of cells, how many.
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
        The round of the automatic solver that it belongs to.
    number : int
        Of the step in that round.
    residual : float
        Norm of what the equations and conditions leave after it, in scaled rows.
    step : float
        The change of the solution, relative to its size: of the full step.
    damping : float
        The share of the full step that was taken.
    share : float
        A number in front of the nonlinear terms, less than one on the way to a solution that was not found directly.
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
        How many seconds were expected.
    cells : int or None
        Where the functions are those of cells, how many.
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
        """That of its system, in words."""
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
        Relative to the solution during the window, with what the errors of all windows before have become.
    growth : float
        By how much an error at its start grows until its end, at most.
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
    """A search for modes without cells, all at once.

    Attributes
    ----------
    number : int
    count : int
        How many it has seen.
    seconds : float
        Since the first one began.
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
