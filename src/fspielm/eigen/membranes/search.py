"""Modes of a membrane, first or high ones, and their count."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise
from time import perf_counter
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, safe_rms
from fspielm.basis.evaluation.sums import evaluate
from fspielm.basis.exact.laws import directions_needed
from fspielm.collocation.points import allot_conditions
from fspielm.collocation.system import BlockResidual, Discretisation
from fspielm.eigen.membranes.functions import Choice, functions_at, table_of
from fspielm.eigen.membranes.look import (
    Looker,
    Pinned,
    Scan,
    blur,
    constant_mode,
    look_at,
    look_energies,
    pinned,
    repinned,
    scan,
)
from fspielm.eigen.membranes.membrane import Membrane, membrane_of
from fspielm.eigen.modes import Mode, Modes, Wish, accuracy_remarks, interrupted_modes, modes_of
from fspielm.eigen.pencil import LEVELS, TRIES, read_pencil, sign_of, value_and_slope
from fspielm.eigen.rounds import out_of_time
from fspielm.eigen.search import end_remarks, inside
from fspielm.errors import ProblemError
from fspielm.estimate.estimate import estimate_without_data
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import CLOSE, PROBES, ROUNDING
from fspielm.problem.problem import Problem
from fspielm.resources import limited
from fspielm.solution.report import FoundMode, ModeSearch
from fspielm.solvers.driver import solution_of
from fspielm.solvers.request import LOOKING, Budget, Request, offering
from fspielm.solvers.round import FeaturePlan, Record, RoundResult
from fspielm.wording import MORE_TIME

# ---- Pinned modes as solutions

# Places inside at which residuals of the equation are looked at, which are rounding.
_INSIDE = 50
_WHY = "functions that satisfy the equation"
_ENDING = "the function of a mode is known to fewer digits than its value; ask for a smaller tol"


def pinned_modes(membrane: Membrane, found: Sequence[Pinned], request: Request, record: Record) -> list[Mode]:
    """The modes that were pinned, as solutions."""
    each = [(one, column) for one in found for column in one.coefficients.T]
    values = np.array([membrane.value(one.look.energy) for one, _ in each])
    bounds = np.array([membrane.error(one.bound) for one, _ in each])
    fields = []
    for value, (one, column) in zip(values.tolist(), each, strict=True):
        problem = membrane.at(value)
        result = _result_of(membrane, problem, one, column, request.threads)
        fields.append(solution_of(request, problem, result, record, _WHY, _ENDING))
    return modes_of(values, bounds, fields, bounded=True)


def _result_of(membrane: Membrane, problem: Problem, one: Pinned, column: FloatArray, threads: int) -> RoundResult:
    """A mode as the result of a round, positive where it is largest."""
    functions, inside = one.look.functions, membrane.sampled(PROBES)
    points = allot_conditions(problem, functions.basis.size)
    sites = points.draw(problem, np.random.default_rng(0))  # only looks
    finite = Discretisation(problem, functions.family, functions.drawn, functions.columns, points, sites, threads)
    residuals = {}
    for relation in problem.relations:
        if relation.region.kind == "domain":
            few = Sites(inside[:_INSIDE])
            left = evaluate(finite.basis, column, relation.operator, few, threads=1, method="direct")
        else:
            places = sites[relation.name]
            value, slope = value_and_slope(relation.operator, places)
            table, (x, y) = table_of(finite.basis, places.points), places.outward.T
            left = value.real * (table.values @ column) + slope.real * (x * (table.x @ column) + y * (table.y @ column))
        residuals[relation.name] = BlockResidual(safe_rms(left), float(np.abs(left).max()))
    by = one.amplification
    scale = 1.0 / float(np.sqrt(problem.domain.measure))
    estimate = estimate_without_data(one.error * by, scale, column, residuals, residual=one.error, amplification=by)
    signed = column * sign_of(table_of(finite.basis, inside).values @ column)
    plan = FeaturePlan(functions.family, points, functions.columns, _WHY)
    return RoundResult(plan, finite, signed, residuals, one.look.rank, one.look.condition, {}, estimate)


# ---- Modes of a membrane by functions that satisfy the equation: the first, or all in an interval, however high

# Intervals that end above so many modes are too high for cells.
_HIGH = 60
# Functions to scan with, and functions to pin modes with, each if the ones before were not enough.
_SEEN = Choice(degree=6.0, orders=0.25)
_PINNED = (
    Choice(8, 1.0, 6.0, orders=0.25),
    Choice(30, away=0.15),
    Choice(42, 1.25, 12.0, 0.07),
    Choice(42, 1.25, 18.0, 0.035),
    Choice(42, 1.25, 24.0, 0.018),
)
# Scans need functions whose bounds for the first mode are within this share of it: then its value has two digits.
_ROUGH = 0.05
# Plane waves from which on linear algebra is worth several threads.
_MANY = 300
# How close looks come to the energy of a mode, as a share of the tolerance.
_CLOSER = 1e-3
# A scan begins at this share of the least energy of a mode. Free walls leave no such energy: then it begins at this
# wavenumber over the radius, halved if needed.
_BELOW, _LOWEST = 0.9, 0.3
# The modes to scan beyond the wanted ones, and the factor to scan farther if there were too few.
_FARTHER = 1.5


def direct_modes(membrane: Membrane, wish: Wish, request: Request, record: Record) -> Modes | None:
    """The wanted modes; None if cells are an alternative and these functions do not work for the first mode."""
    last = membrane.reaching(wish.count or 0) if wish.interval is None else membrane.energy(wish.interval[1])
    with _few_threads(membrane, last):
        return _direct_modes(membrane, wish, request, record)


def _few_threads(membrane: Membrane, energy: float) -> AbstractContextManager[None]:
    """One thread for the linear algebra of looks up to an energy if matrices are small: others would only wait."""
    waves = directions_needed(math.sqrt(max(energy, 0.0)) * membrane.radius, 2)
    return limited(1) if waves < _MANY else nullcontext()


def _direct_modes(membrane: Membrane, wish: Wish, request: Request, record: Record) -> Modes | None:
    highest = -math.inf if wish.interval is None else membrane.energy(wish.interval[1])
    is_only = highest > membrane.least and membrane.weyl(highest) >= _HIGH
    seconds = record.seconds_left * (1.0 if is_only else LOOKING)
    found: list[Pinned] = []
    began = perf_counter()

    def wanted_modes(rest: Sequence[Pinned] = ()) -> list[Mode]:
        found.sort(key=lambda one: one.look.energy)
        return pinned_modes(membrane, [*rest, *found], request, record)[: wish.count]

    def so_far(_: object) -> Modes | None:
        return interrupted_modes(inside(wanted_modes(), wish), True, request.tol, wish.unit)

    try:
        with offering(so_far):
            seen, level, pins = _seen_well(membrane, wish, request, seconds)
            request.progress(ModeSearch(1, len(seen.energies), perf_counter() - began))
            for one in _all_pinned(membrane, pins, level, wish.unit, request, record):
                bad = not found and not _is_good(membrane, one, wish.unit, request)
                if bad and not is_only and record.seconds_left > 0:
                    return None
                found.append(one)
                number, last = sum(each.coefficients.shape[1] for each in found), membrane.value(one.look.energy)
                request.progress(FoundMode(number, last, membrane.error(one.bound), perf_counter() - began))
                if record.seconds_left <= 0:
                    break
    except (ProblemError, np.linalg.LinAlgError):  # no time to scan, or the functions do not work
        if is_only:
            raise
        return None
    why = out_of_time(record) or "other functions would be needed, or a larger tolerance"
    rest = _wanted_constant(membrane, wish, seen.energies)
    modes = wanted_modes(rest)
    remarks = [*membrane.doubts(seen.doubtful), *_merged_remarks(membrane, found)]
    wanted = min(len(seen.energies) + len(rest), wish.count or sys.maxsize)
    if (missing := wanted - len(modes)) > 0:
        remarks.append(f"{missing} modes more were seen than there was time for; {MORE_TIME}")
    else:
        remarks += _lost_remarks(membrane, seen, found)
    modes = inside(modes, wish)
    complete = not remarks and all(mode.estimate < wish.margin(request.tol) for mode in modes)
    remarks += end_remarks(modes, wish)
    remarks += accuracy_remarks(modes, request.tol, wish.unit, why)
    return Modes(tuple(modes), True, complete, tuple(remarks))


def scanned(membrane: Membrane, low: float, high: float, look: Looker, seconds: float) -> Scan:
    """The scan between two energies, refused if it would take longer than so many seconds."""
    began = perf_counter()
    look(high)
    expected = (perf_counter() - began) * len(look_energies(membrane, low, high))
    if expected > seconds:
        raise ProblemError(
            f"to look at all of this interval would take about {expected:.0f} seconds, of which there are "
            f"{max(seconds, 0.0):.0f}: ask for a smaller interval, or allow more with budget=fs.Budget(seconds=...)"
        )
    return scan(membrane, low, high, look, seconds)


def looker(membrane: Membrane, choice: Choice = _SEEN) -> Looker:
    """Looks that see modes to a few digits; the latest are kept."""
    return lru_cache(maxsize=LEVELS)(lambda energy: look_at(membrane, energy, choice))


def bottom(membrane: Membrane, look: Looker) -> tuple[float, tuple[tuple[float, float], ...]]:
    """An energy below all modes except the constant, and stretches in which there may be modes nevertheless."""
    if membrane.is_held:
        return _BELOW * membrane.least, ()
    k = _LOWEST / membrane.radius
    for _ in range(TRIES):
        behind = look(k**2).energies
        if np.count_nonzero((behind < k**2) & (behind > -0.5 * k**2)) == membrane.is_free:
            return k**2, ()
        k = 0.5 * k
    return k**2, ((0.0, k**2),)


def _seen_well(membrane: Membrane, wish: Wish, request: Request, seconds: float) -> tuple[Scan, int, Iterator[Pinned]]:
    """A scan with functions that hold its first mode roughly, their place among those to pin with, and modes pinned."""
    until, close = perf_counter() + seconds, min(max(_CLOSER * request.tol, ROUNDING), CLOSE)

    def seen_at(level: int) -> tuple[Scan, Pinned | None, Iterator[Pinned]]:
        look = looker(membrane, _PINNED[level] if level else _SEEN)
        seen = _scan_wanted(membrane, wish, request, until - perf_counter(), look)
        pins = pinned(membrane, seen, _PINNED[level], close)
        return seen, next(pins, None), pins

    level, (seen, first, pins), most = 0, seen_at(0), request.budget.neurons or math.inf
    # without a field, more functions leave bounds infinite
    while first is not None and first.bound > _ROUGH * first.look.energy and membrane.field is not None:
        further = _PINNED[level + 1 :][:1]
        if not further or functions_at(membrane, float(seen.energies[-1]), further[0]).basis.size > most:
            break
        try:
            seen, first, pins = seen_at(level + 1)
        except (ProblemError, np.linalg.LinAlgError):  # no time to scan again, or the functions do not work
            break
        level += 1
    return seen, level, pins if first is None else chain([first], pins)


def _scan_wanted(membrane: Membrane, wish: Wish, request: Request, seconds: float, look: Looker) -> Scan:
    """The wanted modes except the constant, to a few digits."""
    until = perf_counter() + seconds
    low, doubtful = bottom(membrane, look)
    interval = wish.searched_interval(request.tol)
    if interval is not None:
        first, last = (membrane.energy(end) for end in interval)
        doubtful = doubtful if first < low else ()
        if last <= low:
            return Scan(np.empty(0), doubtful)
        own = scanned(membrane, max(first, low), last, look, until - perf_counter())
        return replace(own, doubtful=(*doubtful, *own.doubtful))
    assert wish.count is not None
    wanted = wish.count - membrane.is_free
    energies: FloatArray = np.empty(0)
    least = low
    high = max(membrane.reaching(wanted + _FARTHER), 2 * low)
    for _ in range(TRIES):
        own = scanned(membrane, low, high, look, until - perf_counter())
        energies, doubtful = np.concatenate([energies, own.energies]), (*doubtful, *own.doubtful)
        if len(energies) >= wanted:
            break
        low, high = high, _FARTHER * high
    last = energies[wanted - 1] if 0 < wanted <= len(energies) else math.inf
    if math.isfinite(last):  # keep all of those that may be seen in the wrong order: only pinning shows which are lower
        last += 2 * blur(membrane, last)
    kept = energies[energies <= last] if wanted > 0 else energies[:0]
    return Scan(kept, tuple(stretch for stretch in doubtful if stretch[0] <= last), (least, high))


def _all_pinned(
    membrane: Membrane, pins: Iterator[Pinned], level: int, unit: float, request: Request, record: Record
) -> Iterator[Pinned]:
    """Modes pinned with functions of a level, and with more functions if needed; later modes start no lower."""
    # without a field, more functions leave bounds infinite
    most, level = request.budget.neurons or math.inf, level + 1 if membrane.field is not None else len(_PINNED)
    close = min(max(_CLOSER * request.tol, ROUNDING), CLOSE)
    for one in pins:
        best = one
        while level < len(_PINNED) and record.seconds_left > 0 and not _is_good(membrane, best, unit, request):
            choice = _PINNED[level]
            if functions_at(membrane, one.look.energy, choice).basis.size > most:
                break
            best = min(best, repinned(membrane, best, choice, close), key=lambda each: each.bound)
            if level + 1 == len(_PINNED):
                break
            level += not _is_good(membrane, best, unit, request)
        yield best


def _is_good(membrane: Membrane, one: Pinned, unit: float, request: Request) -> bool:
    return membrane.error(one.bound) <= request.tol * max(abs(membrane.value(one.look.energy)), unit)


def _wanted_constant(membrane: Membrane, wish: Wish, energies: FloatArray) -> list[Pinned]:
    """The constant, if it is a mode that is wanted."""
    low, high = wish.interval or (-math.inf, math.inf)
    if not membrane.is_free or not low <= membrane.value(0.0) <= high:
        return []
    return [constant_mode(membrane, float(energies[0]) if len(energies) else membrane.radius**-2)]


def _lost_remarks(membrane: Membrane, seen: Scan, found: Sequence[Pinned]) -> list[str]:
    """Remarks on modes that the scan saw, but none was found there in the end."""
    ends = np.array([one.look.energy for one in found])
    return [
        f"a mode was seen at about {membrane.value(each):.5g}, but none was found there: it may be missing"
        for each in seen.energies
        if np.abs(ends - each).min(initial=math.inf) > 2 * blur(membrane, each)
    ]


def _merged_remarks(membrane: Membrane, found: list[Pinned]) -> list[str]:
    """Remarks on modes that the scan saw separately, but that have the same value in the end."""
    ends = [(one.look.energy, one.bound) for one in found]
    return [
        f"two modes that were seen apart are both {membrane.value(one):.8g} in the end: one may be missing"
        for (one, bound), (other, its_bound) in pairwise(ends)
        if abs(other - one) <= bound + its_bound and math.isfinite(bound + its_bound)
    ]


# ---- count_modes(): how many modes a membrane has below a value

# We compare the count with Weyl's law, over the upper half of at least so many modes. A mode that is missing among the
# lower half would change the mean difference by one.
_FEW, _OFF = 40, 0.7


@final
@dataclass(frozen=True, eq=False)
class ModeCount:
    """How many modes there are.

    Attributes
    ----------
    number : int
    certain : bool
        Whether looks from energies below and above agree on all modes and, for forty modes or more, their number agrees
        with Weyl's law in the mean.
    values : (n,) array
        The values of the modes to about four digits, ascending.
    weyl : float
        The mean number by Weyl's law with the terms of area, boundary, corners and bends.
    deviation : float
        The mean difference of the count and Weyl's law, over the upper half of the modes: about -1 if one is missing.
    remarks : tuple of str
        Warnings, in sentences.
    """

    number: int
    certain: bool
    values: FloatArray
    weyl: float
    deviation: float
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sure = "certain" if self.certain else "not certain"
        lines = [f"{self.number} modes, {sure}; Weyl's law: {self.weyl:.1f}, off by {self.deviation:+.2f} in the mean"]
        return "\n".join([*lines, *self.remarks])


def count_modes(problem: Problem, lam: sp.Symbol, below: float, *, budget: Budget | None = None) -> ModeCount:
    """Count the modes of a membrane below a value, by finding each of them.

    Parameters
    ----------
    problem, lam
        As for `eigenmodes`; the Laplacian with constant coefficients on a plane domain, with values or slopes of zero
        at the boundary.
    below : float
        A number that is no eigenvalue itself.
    budget : Budget, optional

    Returns
    -------
    ModeCount

    Raises
    ------
    ProblemError
        If the problem is not of this kind, or the budget is too small.

    Examples
    --------
    >>> import fspielm as fs, sympy as sp
    >>> x, y, lam = sp.symbols("x y lam")
    >>> u = sp.Function("u")(x, y)
    >>> equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    >>> drum = fs.Problem(equation, fs.Disk((0, 0), 1), [fs.Dirichlet(0)], given={lam: ...})
    >>> fs.count_modes(drum, lam, below=28).number
    5
    """
    membrane = membrane_of(read_pencil(problem, lam))
    if membrane is None:
        raise ProblemError(
            "modes are counted for the Laplacian with constant coefficients on a plane domain of one piece, with "
            "values or slopes of zero along all of its boundary; this problem is another one: fs.eigenmodes says by "
            "`complete` whether it found all"
        )
    record = Record(budget or Budget())
    energy = membrane.energy(_number(below))
    look = looker(membrane)
    low, hidden = bottom(membrane, look)
    rest = [0.0] if membrane.is_free and energy > 0 else []
    if energy <= low:
        values = np.array([membrane.value(each) for each in rest])
        return ModeCount(len(rest), not hidden, values, 0.0, 0.0, membrane.doubts(hidden))
    with _few_threads(membrane, energy):
        seen = scanned(membrane, low, energy, look, record.seconds_left)
    energies = np.concatenate([rest, seen.energies])
    laws = np.array([membrane.weyl(each) for each in energies])
    half = len(laws) // 2
    off = float(np.mean((np.arange(len(laws)) + 0.5 - laws)[half:])) if half else 0.0
    remarks = membrane.doubts((*hidden, *seen.doubtful))
    if len(laws) >= _FEW and abs(off) > _OFF:
        remarks += (
            f"the number is off by {off:+.2f} from Weyl's law in the mean: modes may be missing, or be too many",
        )
    values = np.array([membrane.value(each) for each in energies])
    return ModeCount(len(laws), not remarks, values, membrane.weyl(energy), off, remarks)


def _number(below: Any) -> float:
    kinds = int | float | np.integer | np.floating
    if isinstance(below, bool) or not isinstance(below, kinds) or not math.isfinite(below):
        raise ProblemError(f"below must be a finite number; got {below!r}")
    return float(below)
