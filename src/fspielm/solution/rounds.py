"""The rounds of the automatic solver: what one is about to cost, and what it did."""

from __future__ import annotations

from dataclasses import dataclass

from fspielm.wording import duration


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
    """

    number: int
    why: str
    neurons: int
    rows: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"round {self.number}: {self.neurons} neurons, {self.rows} rows, will take about {duration(self.seconds)} "
            f"({self.why})"
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

    def __str__(self) -> str:
        return self.line("neurons")

    def line(self, noun: str) -> str:
        """The round in a line, with what its columns are called."""
        return (
            f"round {self.number}: {self.neurons} {noun}, {self.rows} rows, estimate {self.error_estimate:.1e}, "
            f"{duration(self.seconds)} ({self.why})"
        )
