"""The best error over the ranges of frequencies, method by method, on one scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from fspielm.study.reports.analysis import Cell, Group
from fspielm.study.reports.charts.scale import LogScale, log_scale

Pair = tuple[float, float]

_MOST_NUMBERS = 100
_MOST_TICKS = 8


@final
@dataclass(frozen=True)
class HeatMap:
    """A map for each method, all with the same axes and the same scale.

    Attributes
    ----------
    mu_min, mu_max : tuple of float
    panels : mapping of method to mapping of (mu_min, mu_max) to Cell
        The cells that are planned; those without a number have failed, or not been solved yet.
    best : mapping of method to (mu_min, mu_max)
    scale : LogScale
    """

    mu_min: tuple[float, ...]
    mu_max: tuple[float, ...]
    panels: Mapping[str, Mapping[Pair, Cell]]
    best: Mapping[str, Pair]
    scale: LogScale

    @property
    def numbered(self) -> bool:
        """Whether there is room for a number in each cell."""
        return len(self.mu_min) * len(self.mu_max) <= _MOST_NUMBERS

    def share(self, cell: Cell) -> float | None:
        """Where on the scale a cell lies."""
        return None if cell.error is None else self.scale.share(cell.error.best)

    def label(self, cell: Cell) -> str:
        """What is written on a cell: the decimal logarithm of its best error, or a cross where it has none."""
        if cell.error is None:
            return "×" if cell.rows else ""
        return f"{math.log10(max(cell.error.best, self.scale.low)):.1f}".replace("-", "\N{MINUS SIGN}")


def every_few(values: tuple[float, ...]) -> list[int]:
    """Which of the values along an axis are named: all, unless they are too many."""
    return list(range(0, len(values), -(-len(values) // _MOST_TICKS)))


def heat_map(group: Group) -> HeatMap | None:
    """The maps of a group; None if no method was solved with more than one smallest frequency."""
    panels = {
        method: {cell.job.mu: cell for cell in group.of(method) if cell.job.mu is not None} for method in group.methods
    }
    panels = {method: cells for method, cells in panels.items() if len({mu[0] for mu in cells}) > 1}
    errors = [cell.error.best for cells in panels.values() for cell in cells.values() if cell.error]
    if not errors:
        return None
    pairs = [mu for cells in panels.values() for mu in cells]
    best = {method: found.job.mu for method in panels if (found := group.best(method)) and found.job.mu}
    return HeatMap(
        mu_min=tuple(sorted({low for low, _ in pairs})),
        mu_max=tuple(sorted({high for _, high in pairs})),
        panels=panels,
        best=best,
        scale=log_scale(errors, whole_decades=True),
    )
