"""Shifts one after the other, and whether a mode is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.eigen.inverse import inverse_at
from fspielm.eigen.modes import Mode, Window, Wish, widest_gap
from fspielm.eigen.pencil import Pencil
from fspielm.eigen.rounds import Round, Searched, Task, find, out_of_time, search, too_late
from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.estimate.bands import Bands, infer_bands
from fspielm.estimate.narrow import scrutinise
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.solvers.driver import Record
from fspielm.solvers.request import Request, offering
from fspielm.solvers.strategies.cells import Cells
from fspielm.solvers.strategies.selection import select_stages
from fspielm.solvers.strategies.strategy import Step
from fspielm.wording import MORE_TIME

# ---- Where modes are looked for first: the end of the spectrum, as far as the equation tells


_PLACES = 2048
_DIRECTIONS = 16
# How far beyond the end the shift is, in units of the first values.
_BEYOND = 0.37


@final
@dataclass(frozen=True)
class Outlook:
    """What the equation tells of its spectrum.

    Attributes
    ----------
    end : float
        Where it may begin.
    unit : float
        About how far the first values are from each other, for waves as long as the domain.
    direction : int
        Whether values go up from there, down, or either way (0).
    """

    end: float
    unit: float
    direction: int

    @property
    def shift(self) -> float:
        """Beyond the end."""
        return self.end - (self.direction or 1) * _BEYOND * self.unit


def outlook_of(pencil: Pencil) -> Outlook:
    """From the highest derivatives, and from what there is without derivatives, at some places."""
    problem = pencil.at(0.0)
    lower, upper = problem.domain.bounding_box
    wave = np.pi / (upper - lower)
    rng = np.random.default_rng(0)  # only looks
    ends, units, directions = [], [], []
    of_equations = {equation.name: place for place, equation in enumerate(problem.equations)}
    for relation in problem.relations:
        operators = [powers[relation.name] for powers in pencil.powers if relation.name in powers]
        if not operators:
            continue
        power = max(n for n, powers in enumerate(pencil.powers, 1) if relation.name in powers)
        sites = relation.sample(_PLACES, rng, "low-discrepancy")
        unknown = of_equations.get(relation.name)
        rest, mass = _own_terms(relation, unknown), pencil.powers[power - 1][relation.name]
        units.append((_symbol_size(rest, sites, wave) / _symbol_size(mass, sites, wave)) ** (1 / power))
        if unknown is None or power != 1:
            directions.append(0)
            continue
        directions.append(_direction(rest, mass, sites, rng))
        if mass.order == 0:
            ends.append(_spectrum_end(rest, mass, sites, directions[-1]))
    same = set(directions)
    direction = same.pop() if len(same) == 1 else 0
    end = 0.0 if not ends or not direction else direction * min(direction * each for each in ends)
    return Outlook(end, float(max(units)), direction)


def _own_terms(relation: Relation, unknown: int | None) -> Operator:
    """What an equation does to its own unknown; all of a condition."""
    operator = relation.operator
    terms = tuple(term for term in operator.terms if unknown is None or term.unknown == unknown)
    return Operator(operator.dimension, terms or operator.terms)


def _symbol_size(operator: Operator, sites: Sites, wave: FloatArray) -> float:
    """Of its highest derivatives on a wave."""
    highest = [term for term in operator.terms if term.order == operator.order]
    each = [np.sqrt(np.mean(np.abs(term.at(sites)) ** 2)) * np.prod(wave ** np.array(term.orders)) for term in highest]
    return float(sum(each))


def _direction(rest: Operator, mass: Operator, sites: Sites, rng: np.random.Generator) -> int:
    """The sign of values of short waves, where it is the same everywhere."""
    waves = rng.standard_normal((_DIRECTIONS, rest.dimension))

    def symbol(operator: Operator) -> NumberArray:
        total = np.zeros((len(sites), _DIRECTIONS), dtype=complex)
        for term in operator.terms:
            if term.order == operator.order:
                powers = np.prod((1j * waves) ** np.array(term.orders), axis=1)
                total += np.outer(term.at(sites), powers)
        return total

    values = -symbol(rest) * np.conj(symbol(mass))
    if np.abs(values.imag).max() > 1e-9 * np.abs(values).max():
        return 0
    return 1 if np.all(values.real > 0) else -1 if np.all(values.real < 0) else 0


def _spectrum_end(rest: Operator, mass: Operator, sites: Sites, direction: int) -> float:
    """No value of a second-order equation is below the least of its potential, with most conditions."""
    potential = [term.at(sites) for term in rest.terms if term.order == 0]
    density = -np.real(np.sum([term.at(sites) for term in mass.terms], axis=0))
    if not potential or not np.all(density):
        return 0.0
    values = np.real(np.sum(potential, axis=0)) / density
    return float(values.min() if direction > 0 else values.max())


# ---- Modes at the ends of an interval, and of the parts that it is looked at in


def inside(modes: Sequence[Mode], wish: Wish) -> list[Mode]:
    """Those that may be in the interval, by their own errors; all where a number is wanted."""
    if wish.interval is None:
        return list(modes)
    lower, upper = wish.interval
    return [mode for mode in modes if lower - mode.estimate <= np.real(mode.value) <= upper + mode.estimate]


def end_remarks(modes: Sequence[Mode], wish: Wish) -> list[str]:
    """What to say of those that may as well be beyond an end."""
    close = [
        (mode.value, "its bound" if mode.bound is not None else "the estimate of its error")
        for mode in modes
        if 0 < mode.estimate < math.inf and any(abs(mode.value - end) <= mode.estimate for end in wish.interval or ())
    ]
    # modes of one value need one sentence
    return list(dict.fromkeys(f"the value {value:.10g} lies at the end of within= up to {far}" for value, far in close))


def join_windows(parts: Sequence[tuple[Window, Sequence[Mode]]]) -> list[Mode]:
    """The modes of windows that overlap, each once: a value where two of them meet may be in either, or in both.

    On one side of a cut those of one window are kept, on the other side those of the other, so that all modes of one
    value come from the same. A mode that both have seen is on one side for both, wherever each of them has seen it.
    """
    modes = list(parts[0][1])
    for (before, _), (after, own) in pairwise(parts):
        both = _match(modes, own, after.lower, before.upper)
        ours, theirs = _places(modes), _places(own)
        for one, other in both:
            ours[one] = theirs[other] = 0.5 * (ours[one] + theirs[other])
        cut = widest_gap(np.concatenate([ours, theirs]), after.lower, before.upper)
        kept = [mode for mode, place in zip(modes, ours, strict=True) if place < cut]
        kept += [mode for mode, place in zip(own, theirs, strict=True) if place >= cut]
        modes = sorted(kept, key=lambda mode: float(np.real(mode.value)))
    return modes


def _places(modes: Sequence[Mode]) -> FloatArray:
    return np.array([np.real(mode.value) for mode in modes], dtype=float)


def _match(modes: Sequence[Mode], others: Sequence[Mode], low: float, high: float) -> list[tuple[int, int]]:
    """Which of some are which of others by their errors, each at most once, where two windows overlap."""
    # nothing that is farther apart than windows overlap is taken for the same, whatever its errors are
    pairs = sorted(
        (abs(mode.value - other.value), one, another)
        for one, mode in enumerate(modes)
        for another, other in enumerate(others)
        if (np.real(mode.value) >= low or np.real(other.value) <= high)
        and abs(mode.value - other.value) <= min(mode.estimate + other.estimate, high - low)
    )
    chosen: list[tuple[int, int]] = []
    for _, one, another in pairs:  # the closest first
        if all(one != known and another != its for known, its in chosen):
            chosen.append((one, another))
    return chosen


def within_margin(parts: Sequence[tuple[Window, Sequence[Mode]]], margin: float) -> bool:
    """Whether each window has seen all modes on the side of its ends where they are, having looked so far beyond."""
    return all(mode.estimate < margin for _, own in parts for mode in own)


def disagreements(parts: Sequence[tuple[Window, Sequence[Mode]]]) -> list[str]:
    """What to say of windows that see different modes where they overlap."""
    return [
        f"two searches that meet at {0.5 * (after.lower + before.upper):.6g} see different modes there: some may be "
        "missing; ask for a smaller interval"
        for (before, one), (after, other) in pairwise(parts)
        if _has_unmatched(one, other, after.lower, before.upper)
        or _has_unmatched(other, one, after.lower, before.upper)
    ]


def _has_unmatched(own: Sequence[Mode], others: Sequence[Mode], low: float, high: float) -> bool:
    """Whether one that is between two ends for certain is none of the others."""
    return any(
        low + mode.estimate < np.real(mode.value) < high - mode.estimate
        and all(abs(mode.value - other.value) > mode.estimate + other.estimate for other in others)
        for mode in own
    )


# ---- Modes beyond those that are wanted: known so roughly that they may be among them
# Cells are made smaller where the wanted modes need it. A well in which none of these lives stays as it was, and modes
# of it are seen far above where they are.


# How many of those next to the wanted ones are looked at.
_NEIGHBOURS = 2
# Of the spread of the wanted ones, and of the distance to them, how far one may be in among them.
_SLACK = 1e-3


def uncertain_neighbour(best: Round, record: Record) -> str:
    """What to say of a mode that may be one of the wanted ones, by its error; empty if there is none."""
    if not best.inverse.symmetric or not len(best.wanted):
        return ""
    if record.seconds_left <= 0:
        return f"there was no time to look at modes next to these, some of which may be missing; {MORE_TIME}"
    values = (best.inverse.shift + best.found.mu).real
    low, high = float(best.values.real.min()), float(best.values.real.max())
    apart = np.maximum(values - high, low - values)
    others = np.setdiff1d(np.flatnonzero(apart > 0), best.wanted)
    next_ones = others[np.argsort(apart[others])[:_NEIGHBOURS]]
    if not len(next_ones):
        return ""
    beyond = replace(best, wanted=next_ones)
    errors = beyond.errors(beyond.singles(record))
    for place, error in zip(next_ones, errors, strict=True):
        if error > apart[place] + _SLACK * (high - low + apart[place]):
            known = f"to {error:.1e} only" if np.isfinite(error) else "to no digit"
            return (
                f"a mode about {values[place]:.6g} is known {known}, and may be among these: some may be missing; ask "
                "for a smaller tolerance, or for more modes"
            )
    return ""


# ---- Modes that may be bound to a narrow place or to a boundary, far from all others, where no search leads


_BOUNDARY_PLACES = 64


def why_incomplete(problem: Problem) -> str:
    """Why modes may be missing whatever a search has found, in words; empty where nothing could bind them."""
    # where coefficients jump, cells end
    places = [place for place in scrutinise(problem).places if place.kind == "narrow"]
    if places:
        return f"{places[0]}: modes that are bound there may be missing"
    feeding = [each.name for each in problem.relations if each.region.kind == "boundary" and _is_growing(each)]
    if feeding:
        return (
            f"{feeding[0]!r} lets functions grow toward the boundary: modes that are bound there may be missing, far "
            "from the others; look for them with within=(a, b)"
        )
    return ""


def _is_growing(relation: Relation) -> bool:
    """Whether slope and value of one unknown have the same sign somewhere, outward, where a condition holds."""
    sites = relation.sample(_BOUNDARY_PLACES, np.random.default_rng(0), "low-discrepancy")  # only looks
    if len({term.unknown for term in relation.operator.terms}) != 1 or sites.normals is None:
        return False
    value, slope = _coefficients(relation, sites, 0), _coefficients(relation, sites, 1)
    return bool(np.any((value * np.conj(slope)).real < 0))


def _coefficients(relation: Relation, sites: Sites, order: int) -> NumberArray:
    """The coefficients of the value, or of the slope along the normal."""
    assert sites.normals is not None
    total: NumberArray = np.zeros(len(sites))
    for term in relation.operator.terms:
        if sum(term.orders) == order:
            along = sites.normals[:, term.orders.index(1)] if order else 1.0
            total = total + term.at(sites) * along
    return total


# ---- A second search, which is to find the same modes


# Values of both searches are those of one mode if they are no farther apart, relative to their spread.
_SAME_MODE = 1e-4
# Where beside a single value, or within a gap, the second shift is.
_SINGLE_OFFSET, _GAP_SHARE = 0.41, 0.47
# Where it is in a window without any value.
_EMPTY_SHARE = 0.71


def second_search(pencil: Pencil, request: Request, record: Record, part: tuple[Window, Searched]) -> str:
    """What another shift and other first functions show that the search did not, in words; empty if nothing.

    On the same functions, so that it costs another factorisation, and no more.
    """
    first, best = part[0], part[1].best
    if not best.inverse.symmetric:
        return ""
    # of what there was no time to find, there is none for that either
    if record.seconds_left <= best.searching:
        return (
            "there was no time for a second search, which is to find the same modes: some may be missing; allow more "
            "with budget=fs.Budget(seconds=...)"
        )
    known = np.sort((best.inverse.shift + best.found.mu).real)
    window, slack = _second_window(best) if len(best.wanted) else _window_without_modes(first)
    shift = window.shift
    here = replace(request, problem=pencil.at(shift), tol=max(request.tol, _SAME_MODE))
    inverse = inverse_at(pencil, shift, best.inverse.finite, here, best.inverse.unit, best.inverse)
    found = find(inverse, window, here, record, seed=2, kept=0.0)
    if found.is_cut:
        return (
            f"the budget of {record.budget.seconds:g} s ended a second search, which is to find the same modes: some "
            "may be missing; allow more with budget=fs.Budget(seconds=...)"
        )
    again = np.sort((shift + found.mu[window.pick(found.mu)]).real)
    inside = known[(known >= window.lower) & (known <= window.upper)]
    if len(again) == len(inside) and np.all(np.abs(again - inside) <= slack):
        return ""
    return (
        f"a second search, from {shift:.6g}, found {len(again)} values between {window.lower:.6g} and "
        f"{window.upper:.6g} where the first one had found {len(inside)}: modes may be missing; ask for a smaller "
        "interval, or a smaller tolerance"
    )


def _second_window(best: Round) -> tuple[Window, float]:
    """From the first value to the last, and by how much one may be off in either search."""
    values = np.sort(best.values.real)
    spread = max(float(np.ptp(values)), abs(best.found.mu[0]))
    slack = _SAME_MODE * spread
    return Window(_second_shift(values, spread), None, float(values[0]) - slack, float(values[-1]) + slack), slack


def _window_without_modes(empty: Window) -> tuple[Window, float]:
    """The same for a window in which there was no value: one at an end of it may be seen on either side."""
    length = empty.upper - empty.lower
    slack = _SAME_MODE * length
    return Window(empty.lower + _EMPTY_SHARE * length, None, empty.lower + slack, empty.upper - slack), slack


def _second_shift(values: FloatArray, spread: float) -> float:
    """A place among the values, in the widest gap of their middle; beside a single one."""
    gaps = np.diff(values)
    if not len(gaps) or gaps.max() <= 1e-3 * spread:
        return float(values[-1] + _SINGLE_OFFSET * spread)
    central = gaps * (1.0 - np.abs(np.linspace(-0.8, 0.8, len(gaps))))
    place = int(np.argmax(central))
    return float(values[place] + _GAP_SHARE * gaps[place])


# ---- The first modes, or all of an interval: shifts, one after the other


# A window, and what was found in it.
Part: TypeAlias = tuple[Window, Searched]

# How often the shift is moved to where all modes are on one side of it.
_MOVES = 6
# Where in an interval the shift is: nowhere in particular, for a shift should be no value.
_SHIFT_SHARE = 0.487
# Modes around one shift, about.
_MODES_PER_SHIFT = 24


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


def _without_errors(step: Step) -> Step:
    """The same functions for another shift: errors of rounds at this one say nothing of whether rounds there gain."""
    stage = step.stage
    return replace(step, stage=replace(stage, errors=())) if isinstance(stage, Cells) else step


def lowest(pencil: Pencil, request: Request, record: Record, outlook: Outlook, count: int, *, roughly: bool) -> Part:
    """The first modes: from a shift that has none behind it."""
    window = Window(outlook.shift, count, direction=outlook.direction)
    step = _first(request, record)
    before: tuple[Part, ...] = ()
    for _ in range(_MOVES):
        with offering(partial(_append_part, before, (), window)):
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
        request, step = replace(request, problem=pencil.at(window.shift)), _without_errors(searched.step)
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
    for low, high in _split_interval(pencil, request, *wish.interval):
        # each of those before is to be searched a second time
        owed = sum(searched.best.searching for _, searched in parts)
        if parts and too_late(record, parts[-1][1].best, owed):
            break
        window = Window(low + _SHIFT_SHARE * (high - low), None, low - margin, high + margin)
        here = replace(request, problem=pencil.at(window.shift))
        step = _first(here, record) if step is None else step
        task = Task(pencil, here, window, min(outlook.unit, 0.5 * (high - low)), roughly, owed)
        with offering(partial(_append_part, parts, tuple(parts), window)):
            searched = search(task, step, record)
        parts.append((window, searched))
        step = _without_errors(searched.step)
    found = [searched.best for _, searched in parts]
    if not any(len(one.wanted) for one in found):
        _refuse_complex(found[0].inverse.shift + found[0].found.mu, wish.interval)
    return parts


def _append_part(
    before: Sequence[Part], parts: Sequence[Part], window: Window, found: Searched | None
) -> Sequence[Part]:
    """Parts and what a search in a further window has found so far; what was known `before` that, if it is nothing."""
    return before if found is None else (*parts, (window, found))


def _split_interval(pencil: Pencil, request: Request, lower: float, upper: float) -> list[tuple[float, float]]:
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
    number = max(1, math.ceil(total / _MODES_PER_SHIFT))
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
