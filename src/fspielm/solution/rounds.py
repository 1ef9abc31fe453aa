"""The rounds of the automatic solver: what one is about to cost, and what it did."""

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
