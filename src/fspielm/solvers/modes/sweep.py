"""The first modes, or all of an interval: shifts, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.solvers.modes.clock import out_of_time, too_late
from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.modes.rounds import Searched, search
from fspielm.solvers.modes.shift import Outlook
from fspielm.solvers.modes.task import Task
from fspielm.solvers.modes.window import Window, Wish
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.so_far import offering
from fspielm.solvers.stages import Step, select_stages
from fspielm.solvers.stages.cells import Cells
from fspielm.spectrum import Bands, infer_bands

# A window, and what was found in it.
Part: TypeAlias = tuple[Window, Searched]

# How often the shift is moved to where all modes are on one side of it.
_MOVES = 6
# Where in an interval the shift is: nowhere in particular, for a shift should be no value.
_INSIDE = 0.487
# Modes around one shift, about.
_AROUND = 24


def modes_bands(
    pencil: Pencil, outlook: Outlook, count: int | None, interval: tuple[float, float] | None, request: Request
) -> Bands:
    """Frequencies of the modes, as far as they can be told before."""
    if interval is not None:
        each = [infer_bands(pencil.at(end), request.streams.probes) for end in interval]
        return max(each, key=lambda bands: float(bands.frequencies.max()))
    assert count is not None
    bands = infer_bands(pencil.at(outlook.shift), request.streams.probes)
    domain = request.problem.domain
    d = domain.dimension
    ball = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
    # Weyl's law
    wave = 2 * np.pi * (count / (ball * domain.measure * len(request.problem.unknowns))) ** (1 / d)
    return replace(bands, frequencies=np.maximum(bands.frequencies, wave), sources=("the equation",) * d)


def _first(request: Request, record: Record) -> Step:
    assert record.bands is not None
    try:
        with record.deadline.enforced():
            return select_stages(request, record.bands).steps[0]
    except OutOfTime:
        raise SolveError(f"no modes could be looked for: {out_of_time(record)}") from None


def _elsewhere(step: Step) -> Step:
    """The same functions for another shift: errors of rounds at this one say nothing of whether rounds there gain."""
    stage = step.stage
    return replace(step, stage=replace(stage, errors=())) if isinstance(stage, Cells) else step


def lowest(pencil: Pencil, request: Request, record: Record, outlook: Outlook, count: int, *, roughly: bool) -> Part:
    """The first modes: from a shift that has none behind it."""
    window = Window(outlook.shift, count, direction=outlook.direction)
    step = _first(request, record)
    before: tuple[Part, ...] = ()
    for _ in range(_MOVES):
        with offering(partial(_after, before, (), window)):
            searched = search(Task(pencil, request, window, outlook.unit, roughly), step, record)
        before = ((window, searched),)
        found = searched.best.found
        if not len(found.mu) or searched.has_no_digit:
            raise ProblemError(
                "no mode was found: the problem has none that could be told from errors of its inverse, as where "
                "conditions at one end alone determine the solution"
            )
        behind = window.behind(found.mu)
        if not len(behind) or too_late(record, searched.best):
            break
        values = window.shift + found.mu.real
        end = window.direction * float((window.direction * behind).min())
        window = replace(window, shift=end - 0.5 * window.direction * float(np.ptp(values)))
        request, step = replace(request, problem=pencil.at(window.shift)), _elsewhere(searched.step)
    return window, searched


def sweep(
    pencil: Pencil,
    request: Request,
    record: Record,
    outlook: Outlook,
    wish: Wish,
    *,
    roughly: bool,
) -> list[Part]:
    """All modes in an interval and a little beyond it, some at a time, in windows that overlap."""
    assert wish.interval is not None
    margin = wish.margin(request.tol)
    parts: list[Part] = []
    step: Step | None = None
    for low, high in _pieces(pencil, request, *wish.interval):
        # each of those before is to be searched a second time
        owed = sum(searched.best.searching for _, searched in parts)
        if parts and too_late(record, parts[-1][1].best, owed):
            break
        window = Window(low + _INSIDE * (high - low), None, low - margin, high + margin)
        here = replace(request, problem=pencil.at(window.shift))
        step = _first(here, record) if step is None else step
        task = Task(pencil, here, window, min(outlook.unit, 0.5 * (high - low)), roughly, owed)
        with offering(partial(_after, parts, tuple(parts), window)):
            searched = search(task, step, record)
        parts.append((window, searched))
        step = _elsewhere(searched.step)
    found = [searched.best for _, searched in parts]
    if not any(len(one.wanted) for one in found):
        _refuse_complex(found[0].inverse.shift + found[0].found.mu, wish.interval)
    return parts


def _after(before: Sequence[Part], parts: Sequence[Part], window: Window, found: Searched | None) -> Sequence[Part]:
    """Parts and what a search in a further window has found so far; what was known `before` that, if it is nothing."""
    return before if found is None else (*parts, (window, found))


def _pieces(pencil: Pencil, request: Request, lower: float, upper: float) -> list[tuple[float, float]]:
    """The interval, cut so that there are not too many modes in each piece, by Weyl's law."""
    d = request.problem.dimension
    ball = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
    ends = np.linspace(lower, upper, 9)
    waves = [
        float(np.max(bands.frequencies)) if "the equation" in bands.sources else 0.0
        for bands in (infer_bands(pencil.at(end), np.random.default_rng(0)) for end in ends)
    ]
    each = ball * request.problem.domain.measure / (2 * np.pi) ** d * np.array(waves) ** d
    total = abs(each[-1] - each[0]) * len(request.problem.unknowns)
    number = max(1, math.ceil(total / _AROUND))
    if number == 1 or np.any(np.diff(each) <= 0):
        cuts = np.linspace(lower, upper, number + 1)
    else:
        cuts = np.interp(np.linspace(each[0], each[-1], number + 1), each, ends)
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def _refuse_complex(values: Any, interval: tuple[float, float]) -> None:
    """Where values are complex, an interval holds none by its nature."""
    closest = values[: min(3, len(values))]
    if len(closest) and np.all(np.abs(closest.imag) > 1e-6 * np.abs(closest)):
        words = ", ".join(f"{value:.6g}" for value in closest)
        raise ProblemError(
            f"there is no real value within {interval}: those closest to its middle are complex ({words}); ask for "
            "them with count="
        )
