"""The error against the time that it took: what accuracy costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from fspielm.study.reports.analysis import Cell, Group
from fspielm.study.reports.charts.scale import LogScale, log_scale

# Quicker than any clock measures well.
_SHORTEST_SECONDS = 1e-5


@final
@dataclass(frozen=True)
class Cloud:
    """One method: every range that was tried, and the best of them."""

    method: str
    cells: tuple[Cell, ...]
    best: Cell


@final
@dataclass(frozen=True)
class Times:
    """All methods of a group; mean errors against mean seconds."""

    clouds: tuple[Cloud, ...]
    seconds: LogScale
    errors: LogScale


def times(group: Group) -> Times | None:
    """The clouds of a group; None if nothing is solved yet."""
    clouds = tuple(cloud for method in group.methods if (cloud := _cloud(group, method)))
    if not clouds:
        return None
    places = [place(cell) for cloud in clouds for cell in cloud.cells]
    best = [end for cloud in clouds if (error := cloud.best.error) for end in (error.best, error.worst)]
    return Times(
        clouds, log_scale(seconds for seconds, _ in places), log_scale([*best, *(error for _, error in places)])
    )


def place(cell: Cell) -> tuple[float, float]:
    """Where a cell that has errors lies: its mean seconds, and its mean error."""
    assert cell.error is not None
    assert cell.seconds is not None
    return max(cell.seconds.mean, _SHORTEST_SECONDS), cell.error.mean


def _cloud(group: Group, method: str) -> Cloud | None:
    best = group.best(method)
    if best is None:
        return None
    return Cloud(method, tuple(cell for cell in group.of(method) if cell.error), best)
