"""The numbers that the charts of a report show."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.jobs.job import Job, Terms
from fspielm.jobs.perform import settings
from fspielm.jobs.subject import Bench
from fspielm.paper.cases.case import Case, PaperResult
from fspielm.paper.report.analysis import LOOKS, Cell, Group, Spread, paper_result
from fspielm.paper.theory.moments import effective_frequencies
from fspielm.solution.plot.plot import CellLook
from fspielm.solution.plot.style import LAYOUT, is_plain
from fspielm.solvers.request import Streams

# ---- Logarithmic scales


# Where an error of exactly zero is drawn.
_SMALLEST = 1e-18
_MOST_TICKS = 8
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@final
@dataclass(frozen=True)
class LogScale:
    """A scale from `low` to `high`, both positive, with ticks inside."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """The position of a value along the scale, between 0 and 1."""
        bounded = min(max(value, self.low), self.high)
        bottom, top = math.log10(self.low), math.log10(self.high)
        return min(max((math.log10(bounded) - bottom) / (top - bottom), 0.0), 1.0)

    @property
    def labels(self) -> list[str]:
        """The labels of the ticks: ordinary numbers if all are near one, else powers of ten."""
        plain = all(map(is_plain, self.ticks))
        return [f"{tick:g}" if plain else _power_of_ten(tick) for tick in self.ticks]


def log_scale(values: Iterable[float], *, whole_decades: bool = False) -> LogScale:
    """A scale that holds all values, with a small margin or in whole decades."""
    numbers = [max(value, _SMALLEST) for value in values]
    bottom, top = (math.log10(end) for end in (min(numbers, default=1.0), max(numbers, default=1.0)))
    if whole_decades:
        bottom, top = math.floor(bottom + 1e-9), math.ceil(top - 1e-9)
        if top == bottom:
            top += 1
    else:
        margin = max(LAYOUT.margin * (top - bottom), 0.08)
        bottom, top = bottom - margin, min(top + margin, sys.float_info.max_10_exp)
    return LogScale(10.0**bottom, 10.0**top, _ticks(bottom, top))


def _power_of_ten(value: float) -> str:
    """A number as a factor, unless that is one, times a power of ten."""
    exponent = math.floor(math.log10(value) + 1e-9)
    mantissa = value / 10.0**exponent
    factor = "" if abs(mantissa - 1) < 0.01 else f"{mantissa:.2g}·"
    return f"{factor}10{str(exponent).translate(_RAISED)}"


def _ticks(bottom: float, top: float) -> tuple[float, ...]:
    """Some powers of ten; their multiples on a scale with only one or two of them."""
    within = range(math.ceil(bottom - 1e-9), math.floor(top + 1e-9) + 1)
    if len(within) > 2:
        step = -(-len(within) // _MOST_TICKS)
        return tuple(10.0**power for power in within if power % step == 0)
    for multiples in ((1, 3), (1, 2, 5), tuple(range(1, 10))):
        powers = range(math.floor(bottom), math.ceil(top) + 1)
        ticks = tuple(
            float(f"{multiple}e{power}")
            for power in powers
            for multiple in multiples
            if bottom <= math.log10(multiple) + power <= top
        )
        if len(ticks) > 2:
            break
    return _well_apart(ticks, (top - bottom) / _MOST_TICKS) or (float(f"{10.0 ** (0.5 * (bottom + top)):.2g}"),)


def _well_apart(ticks: tuple[float, ...], decades: float) -> tuple[float, ...]:
    """The ticks whose labels do not overlap."""
    kept: list[float] = []
    for tick in ticks:
        if not kept or math.log10(tick / kept[-1]) >= decades:
            kept.append(tick)
    return tuple(kept)


# ---- Histograms of effective frequencies, the norms of the frequency vectors


@final
@dataclass(frozen=True, eq=False)
class Law:
    """The frequencies of one method at its best range, with its best seed."""

    method: str
    job: Job
    # of the neurons in each bin
    shares: FloatArray
    # of all neurons
    mean: float
    std: float

    @property
    def words(self) -> str:
        """The method, its range, and the statistics of its frequencies."""
        assert self.job.mu is not None
        low, high = self.job.mu
        return f"{LOOKS[self.method].short} [{low:g}, {high:g}]: mean {self.mean:.0f}, deviation {self.std:.0f}"


@final
@dataclass(frozen=True, eq=False)
class Frequencies:
    """The frequencies of a group's methods, over the same bins between `edges`."""

    edges: FloatArray
    laws: tuple[Law, ...]


def frequencies(group: Group, bench: Bench | None, terms: Terms) -> Frequencies | None:
    """The frequencies that the methods of a group drew; None if none has any."""
    drawn = []
    for method in group.methods:
        best = group.best(method)
        row = None if best is None or best.job.mu is None else best.best_row
        if row is not None and bench is not None:
            drawn.append((method, row.job, redrawn_frequencies(row.job, bench, terms)))
    if not drawn:
        return None
    every = np.concatenate([values for _, _, values in drawn])
    edges = np.histogram_bin_edges(every, "rice", (0.0, float(every.max()) or 1.0))
    shares = [np.histogram(values, edges)[0] / values.size for _, _, values in drawn]
    laws = zip(drawn, shares, strict=True)
    return Frequencies(edges, tuple(Law(m, job, own, float(v.mean()), float(v.std())) for (m, job, v), own in laws))


def redrawn_frequencies(job: Job, bench: Bench, terms: Terms) -> FloatArray:
    """``|w|`` of every neuron of a solve, shape ``(neurons,)``, drawn again as in the solve."""
    streams, _ = Streams.spawned(job.seed)
    domain = bench.problem.domain
    return effective_frequencies(
        settings(job, bench, terms)["features"],
        bench.problem.dimension,
        streams.features,
        time_axis=None if domain.time is None else bench.problem.dimension - 1,
    )


# ---- Heat maps of the best error over the ranges of frequencies


Pair = tuple[float, float]


@final
@dataclass(frozen=True)
class HeatMap:
    """A map for each method, all with the same axes and the same scale."""

    mu_min: tuple[float, ...]
    mu_max: tuple[float, ...]
    # the planned cells of each method; those without an error have failed, or not been solved yet
    panels: Mapping[str, Mapping[Pair, Cell]]
    best: Mapping[str, Pair]
    scale: LogScale

    @property
    def numbered(self) -> bool:
        """Whether there is room for a number in each cell."""
        return len(self.mu_min) * len(self.mu_max) <= CellLook.most_written

    def label(self, cell: Cell) -> str:
        """The text on a cell: the decimal logarithm of its best error; a cross if it has failed."""
        if cell.error is None:
            return "×" if cell.rows else ""
        return f"{math.log10(max(cell.error.best, self.scale.low)):.1f}".replace("-", "\N{MINUS SIGN}")


def every_few(values: tuple[float, ...]) -> list[int]:
    """The indices of the values along an axis that get a label: all, unless they are too many."""
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


# ---- Lines: the error against the largest frequency, at the best smallest frequency of each method


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
    points = {
        cell.job.mu[1]: cell.error
        for cell in group.of(method)
        if cell.job.mu is not None and cell.job.mu[0] == mu_min and cell.error is not None
    }
    ordered = tuple(sorted(points))
    return Line(method, mu_min, ordered, tuple(points[mu_max] for mu_max in ordered))


# ---- Strips: the errors of the seeds, at the best range of each method


@final
@dataclass(frozen=True)
class Strip:
    """One method."""

    method: str
    cell: Cell
    # each with its error
    seeds: tuple[tuple[int, float], ...]
    error: Spread
    # at the paper's own best range
    paper: PaperResult | None


@final
@dataclass(frozen=True)
class Seeds:
    """All methods of a group."""

    strips: tuple[Strip, ...]
    scale: LogScale


def seeds(group: Group, case: Case | None) -> Seeds | None:
    """The errors of a group at the best ranges; None if there are none yet."""
    strips = tuple(strip for method in group.methods if (strip := _strip(group, case, method)))
    if not strips:
        return None
    ours = chain.from_iterable((strip.error.best, strip.error.worst) for strip in strips)
    theirs = chain.from_iterable((strip.paper.best, strip.paper.mean) for strip in strips if strip.paper)
    return Seeds(strips, log_scale([*ours, *theirs]))


def _strip(group: Group, case: Case | None, method: str) -> Strip | None:
    cell = group.best(method)
    if cell is None or cell.error is None:
        return None
    found = tuple((row.job.seed, row.outcome.error) for row in cell.rows if row.done and row.outcome.error is not None)
    return Strip(method, cell, found, cell.error, paper_result(case, method)[1])


# ---- Clouds: the error against the time of the solve


@final
@dataclass(frozen=True)
class Cloud:
    """One method: the cells of all ranges, and the best of them."""

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
    points = [means(cell) for cloud in clouds for cell in cloud.cells]
    best = [end for cloud in clouds if (error := cloud.best.error) for end in (error.best, error.worst)]
    return Times(
        clouds, log_scale(seconds for seconds, _ in points), log_scale([*best, *(error for _, error in points)])
    )


def means(cell: Cell) -> tuple[float, float]:
    """Of a cell that has errors, its mean seconds and its mean error."""
    assert cell.error is not None
    assert cell.seconds is not None
    return cell.seconds.mean, cell.error.mean


def _cloud(group: Group, method: str) -> Cloud | None:
    best = group.best(method)
    if best is None:
        return None
    return Cloud(method, tuple(cell for cell in group.of(method) if cell.error), best)
