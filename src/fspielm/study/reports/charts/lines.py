"""The error against the largest frequency, at each method's best smallest one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import final

from fspielm.study.reports.analysis import Cell, Group, Spread
from fspielm.study.reports.charts.scale import LogScale, log_scale


@final
@dataclass(frozen=True)
class Line:
    """One method: the largest frequencies in order, and the errors there."""

    method: str
    mu_min: float
    mu_max: tuple[float, ...]
    errors: tuple[Spread, ...]


@final
@dataclass(frozen=True)
class Lines:
    """All methods of a group."""

    lines: tuple[Line, ...]
    scale: LogScale


def lines(group: Group) -> Lines | None:
    """The lines of a group; None if none of them would have two points."""
    found = tuple(line for method in group.methods if (line := _line(group, method)))
    if not any(len(line.mu_max) > 1 for line in found):
        return None
    ends = chain.from_iterable((error.best, error.worst) for line in found for error in line.errors)
    return Lines(found, log_scale(ends))


def _line(group: Group, method: str) -> Line | None:
    best = group.best(method)
    if best is None or best.job.mu is None:
        return None
    mu_min = best.job.mu[0]
    points = sorted(((_mu_max(cell), cell.error) for cell in group.of(method) if _is_at(cell, mu_min)), key=_first)
    drawn = [(mu_max, error) for mu_max, error in points if error is not None]
    return Line(method, mu_min, tuple(mu_max for mu_max, _ in drawn), tuple(error for _, error in drawn))


def _is_at(cell: Cell, mu_min: float) -> bool:
    return cell.job.mu is not None and cell.job.mu[0] == mu_min


def _mu_max(cell: Cell) -> float:
    assert cell.job.mu is not None
    return cell.job.mu[1]


def _first(point: tuple[float, Spread | None]) -> float:
    return point[0]
