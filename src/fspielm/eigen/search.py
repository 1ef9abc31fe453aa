"""Searches for modes from one shift after the other, and checks whether a mode is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.eigen.modes import ROUGH_TOL, Mode, Window, Wish, widest_gap
from fspielm.eigen.pencil import PLACES, TRIES, Pencil, value_and_slope
from fspielm.eigen.rounds import Round, Searched, Task, find, inverse_at, out_of_time, search, too_late
from fspielm.errors import OutOfTime, ProblemError, SolveError
from fspielm.estimate.bands import Bands, infer_bands
from fspielm.estimate.narrow import find_narrow
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import CLOSE, PROBES, SAME
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.solvers.request import Request, offering
from fspielm.solvers.round import Record, Step
from fspielm.solvers.strategies.cells import Cells
from fspielm.solvers.strategies.selection import select_strategies
from fspielm.wording import MORE_TIME, argument

# ---- The first shift: beyond the end of the spectrum, as far as the equation shows where that is

# The place of a shift in an interval, or beside a value, or the end of the spectrum in units of the first values: an
# odd share, as the shift must not be an eigenvalue.
_SHIFT_SHARE = 0.487


@final
@dataclass(frozen=True)
class Outlook:
    """What the equation shows of its spectrum."""

    end: float  # where the spectrum may begin
    unit: float  # the approximate distance of the first values, for waves as long as the domain
    direction: int  # whether values ascend from there (1), descend (-1), or do either (0)

    @property
    def shift(self) -> float:
        """The first shift, beyond the end."""
        return self.end - (self.direction or 1) * _SHIFT_SHARE * self.unit


def outlook_of(pencil: Pencil) -> Outlook:
    """The outlook by the highest derivatives and the terms without derivatives, at sampled places."""
    problem = pencil.at(0.0)
    lower, upper = problem.domain.bounding_box
    wave = np.pi / (upper - lower)
    rng = np.random.default_rng(0)  # only for sampling
    ends, units, directions = [], [], []
    of_equations = {equation.name: place for place, equation in enumerate(problem.equations)}
    for relation in problem.relations:
        operators = [powers[relation.name] for powers in pencil.powers if relation.name in powers]
        if not operators:
            continue
        power = max(n for n, powers in enumerate(pencil.powers, 1) if relation.name in powers)
        varies = any(callable(each.coefficient) for part in (relation.operator, *operators) for each in part.terms)
        sites = relation.sample(PLACES if varies else 1, rng, "low-discrepancy")
        unknown = of_equations.get(relation.name)
        # the terms of an equation with its own unknown; all terms of a condition
        own = tuple(term for term in relation.operator.terms if unknown is None or term.unknown == unknown)
        rest = Operator(problem.dimension, own or relation.operator.terms)
        mass = pencil.powers[power - 1][relation.name]
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


def _symbol_size(operator: Operator, sites: Sites, wave: FloatArray) -> float:
    """The size of the highest derivatives of a wave."""
    highest = [term for term in operator.terms if term.order == operator.order]
    each = [np.sqrt(np.mean(np.abs(term.at(sites)) ** 2)) * np.prod(wave ** np.array(term.orders)) for term in highest]
    return float(sum(each))


def _direction(rest: Operator, mass: Operator, sites: Sites, rng: np.random.Generator) -> int:
    """The sign of values of short waves if it is the same everywhere, else 0."""
    waves = rng.standard_normal((PROBES, rest.dimension))

    def symbol(operator: Operator) -> NumberArray:
        total = np.zeros((len(sites), PROBES), dtype=complex)
        for term in operator.terms:
            if term.order == operator.order:
                powers = np.prod((1j * waves) ** np.array(term.orders), axis=1)
                total += np.outer(term.at(sites), powers)
        return total

    values = -symbol(rest) * np.conj(symbol(mass))
    if np.abs(values.imag).max() > SAME * np.abs(values).max():
        return 0
    return 1 if np.all(values.real > 0) else -1 if np.all(values.real < 0) else 0


def _spectrum_end(rest: Operator, mass: Operator, sites: Sites, direction: int) -> float:
    """The least value of the potential: with most conditions no eigenvalue of second order is below it."""
    potential = [term.at(sites) for term in rest.terms if term.order == 0]
    density = -np.real(np.sum([term.at(sites) for term in mass.terms], axis=0))
    if not potential or not np.all(density):
        return 0.0
    values = np.real(np.sum(potential, axis=0)) / density
    return float(values.min() if direction > 0 else values.max())


# ---- Modes at the ends of an interval, and of the windows that cover it


def inside(modes: Sequence[Mode], wish: Wish) -> list[Mode]:
    """Modes that are in the interval within their errors; all modes if a number is wanted."""
    if wish.interval is None:
        return list(modes)
    lower, upper = wish.interval
    return [mode for mode in modes if lower - mode.estimate <= np.real(mode.value) <= upper + mode.estimate]


def end_remarks(modes: Sequence[Mode], wish: Wish) -> list[str]:
    """Remarks on values that may be beyond an end of the interval."""
    close = [
        (mode.value, "its bound" if mode.bound is not None else "the estimate of its error")
        for mode in modes
        if 0 < mode.estimate < math.inf and any(abs(mode.value - end) <= mode.estimate for end in wish.interval or ())
    ]
    # one sentence for modes of one value
    told = (f"the value {value:.10g} lies at an end of the interval, up to {far}" for value, far in close)
    return list(dict.fromkeys(told))


def join_windows(parts: Sequence[tuple[Window, Sequence[Mode]]]) -> list[Mode]:
    """The modes of overlapping windows, each once, although both windows may have found those in the overlap.

    We cut the overlap and keep the modes of one window on each side, so that all modes of one value come from the same
    window. A mode that both found is on the same side of the cut for both, even if they found different values.
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
    """Pairs of the same mode in two overlapping windows, by the errors; each mode at most once."""
    # modes farther apart than the overlap are different, whatever their errors are
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
    """Whether the errors of all modes are within the margin, so that no mode is on the wrong side of an end."""
    return all(mode.estimate < margin for _, own in parts for mode in own)


def disagreements(parts: Sequence[tuple[Window, Sequence[Mode]]]) -> list[str]:
    """Remarks on windows that find different modes where they overlap."""
    return [
        f"two searches that meet at {0.5 * (after.lower + before.upper):.6g} see different modes there: some may be "
        "missing; ask for a smaller interval"
        for (before, one), (after, other) in pairwise(parts)
        if _has_unmatched(one, other, after.lower, before.upper)
        or _has_unmatched(other, one, after.lower, before.upper)
    ]


def _has_unmatched(own: Sequence[Mode], others: Sequence[Mode], low: float, high: float) -> bool:
    """Whether a mode that is certainly between two ends is none of the others."""
    return any(
        low + mode.estimate < np.real(mode.value) < high - mode.estimate
        and all(abs(mode.value - other.value) > mode.estimate + other.estimate for other in others)
        for mode in own
    )


# ---- Modes next to the wanted ones, which may be among them within their errors
# We refine cells where the wanted modes need it. A well without any of them keeps its large cells, and values of its
# modes appear far too high.

# How many modes next to the wanted ones are checked.
_NEIGHBOURS = 2


def uncertain_neighbour(best: Round, record: Record) -> str:
    """A remark on a mode that may be among the wanted ones within its error; empty without one."""
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
        if error > apart[place] + ROUGH_TOL * (high - low + apart[place]):
            known = f"to {error:.1e} only" if np.isfinite(error) else "to no digit"
            return (
                f"a mode about {values[place]:.6g} is known {known}, and may be among these: some may be missing; ask "
                "for a smaller tolerance, or for more modes"
            )
    return ""


# ---- Modes bound to a narrow place or a boundary, far from all others, which no search finds


def why_incomplete(problem: Problem) -> str:
    """Why modes may be missing whatever a search has found; empty if nothing can bind such modes."""
    # jumps of coefficients do not count, as cells end there
    places = [place for place in find_narrow(problem).places if place.kind == "narrow"]
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
    """Whether a condition on one unknown gives outward slope and value the same sign somewhere."""
    sites = relation.sample(PROBES, np.random.default_rng(0), "low-discrepancy")  # only for sampling
    if len({term.unknown for term in relation.operator.terms}) != 1 or sites.normals is None:
        return False
    value, slope = value_and_slope(relation.operator, sites)
    return bool(np.any((value * np.conj(slope)).real < 0))


# ---- A second search, which should find the same modes

# Largest distance of values of one mode in both searches, relative to the spread of values.
_SAME_MODE = 1e-4


def second_search(pencil: Pencil, request: Request, record: Record, part: tuple[Window, Searched]) -> str:
    """A remark if a search from another shift and other first functions finds other modes; else empty.

    It uses the same basis, so that it costs only another factorisation.
    """
    first, best = part[0], part[1].best
    if not best.inverse.symmetric:
        return ""
    # a search that took long leaves no time for a second one
    if record.seconds_left <= best.searching:
        return (
            "there was no time for a second search, which is to find the same modes: some may be missing; allow more "
            "with budget=fs.Budget(seconds=...)"
        )
    known = np.sort((best.inverse.shift + best.found.mu).real)
    window, slack = _second_window(first, best)
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


def _second_window(first: Window, best: Round) -> tuple[Window, float]:
    """The window of a second search, from another shift, and by how much a value may differ between searches."""
    if not len(best.wanted):  # a value at an end may be found on either side of it
        length = first.upper - first.lower
        slack = _SAME_MODE * length
        shift = first.lower + 1.5 * _SHIFT_SHARE * length
        return Window(shift, None, first.lower + slack, first.upper - slack), slack
    values = np.sort(best.values.real)
    low, high = values[[0, -1]].tolist()
    spread = max(high - low, float(abs(best.found.mu[0])))
    slack, gaps = _SAME_MODE * spread, np.diff(values)
    shift = high + _SHIFT_SHARE * spread
    if len(gaps) and gaps.max() > ROUGH_TOL * spread:
        place = int(np.argmax(gaps * (1.0 - np.abs(np.linspace(-0.8, 0.8, len(gaps))))))  # the widest central gap
        shift = float(values[place] + _SHIFT_SHARE * gaps[place])
    return Window(shift, None, low - slack, high + slack), slack


# ---- The first modes, or all in an interval, from one shift after the other

# A window, and what was found in it.
Part: TypeAlias = tuple[Window, Searched]

# The approximate number of modes around one shift.
_MODES_PER_SHIFT = 24


def modes_bands(
    pencil: Pencil, outlook: Outlook, count: int | None, interval: tuple[float, float] | None, request: Request
) -> Bands:
    """Frequencies of the modes, as far as they are known in advance."""
    if interval is not None:
        each = [infer_bands(pencil.at(end), request.streams.probes) for end in interval]
        return max(each, key=lambda bands: float(bands.frequencies.max()))
    assert count is not None
    bands = infer_bands(pencil.at(outlook.shift), request.streams.probes)
    domain = request.problem.domain
    d = domain.dimension
    # Weyl's law
    wave = 2 * np.pi * (count / (_ball(d) * domain.measure * len(request.problem.unknowns))) ** (1 / d)
    return replace(bands, frequencies=np.maximum(bands.frequencies, wave), sources=("the equation",) * d)


def _ball(dimension: int) -> float:
    """The volume of the unit ball."""
    return float(math.pi ** (dimension / 2) / math.gamma(dimension / 2 + 1))


def _first(request: Request, record: Record) -> Step:
    assert record.bands is not None
    try:
        with record.deadline.enforced():
            return select_strategies(request, record.bands).steps[0]
    except OutOfTime:
        raise SolveError(f"no modes could be looked for: {out_of_time(record)}") from None


def _without_errors(step: Step) -> Step:
    """The same step for another shift, where the errors of rounds at this one mean nothing."""
    strategy = step.strategy
    return replace(step, strategy=replace(strategy, errors=())) if isinstance(strategy, Cells) else step


def lowest(pencil: Pencil, request: Request, record: Record, outlook: Outlook, count: int, *, roughly: bool) -> Part:
    """The first modes, from a shift that has none behind it."""
    window = Window(outlook.shift, count, direction=outlook.direction)
    step = _first(request, record)
    before: tuple[Part, ...] = ()
    for _ in range(TRIES):
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
    pencil: Pencil, request: Request, record: Record, outlook: Outlook, wish: Wish, *, roughly: bool
) -> list[Part]:
    """All modes in an interval and a little beyond it, by overlapping windows with some modes each."""
    assert wish.interval is not None
    margin = wish.margin(request.tol)
    parts: list[Part] = []
    step: Step | None = None
    for low, high in _split_interval(pencil, request, *wish.interval):
        # each window before needs a second search
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
    """The parts with what a search in a further window has found so far; `before` if it found nothing."""
    return before if found is None else (*parts, (window, found))


def _split_interval(pencil: Pencil, request: Request, lower: float, upper: float) -> list[tuple[float, float]]:
    """The interval, cut so that each piece has few modes by Weyl's law."""
    d = request.problem.dimension
    ends = np.linspace(lower, upper, 9)
    waves = [
        float(np.max(bands.frequencies)) if "the equation" in bands.sources else 0.0
        for bands in (infer_bands(pencil.at(end), np.random.default_rng(0)) for end in ends)
    ]
    each = _ball(d) * request.problem.domain.measure / (2 * np.pi) ** d * np.array(waves) ** d
    total = abs(each[-1] - each[0]) * len(request.problem.unknowns)
    number = max(1, math.ceil(total / _MODES_PER_SHIFT))
    if number == 1 or np.any(np.diff(each) <= 0):
        cuts = np.linspace(lower, upper, number + 1)
    else:
        cuts = np.interp(np.linspace(each[0], each[-1], number + 1), each, ends)
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def _refuse_complex(values: Any, interval: tuple[float, float]) -> None:
    """Refuse an interval without real values whose closest values are complex."""
    closest = values[: min(3, len(values))]
    if len(closest) and np.all(np.abs(closest.imag) > CLOSE * np.abs(closest)):
        words = ", ".join(f"{value:.6g}" for value in closest)
        raise ProblemError(
            f"there is no real value within {interval}: those closest to its middle are complex ({words}); ask for "
            f"them with {argument('count')}"
        )
