"""Modes of a membrane, first or high ones, and their count."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, safe_rms
from fspielm.basis.evaluation.sums import evaluate
from fspielm.collocation.points import allot_conditions
from fspielm.collocation.system import BlockResidual, Discretisation
from fspielm.eigen.membranes.look import Choice, Look, functions_at, look_at
from fspielm.eigen.membranes.membrane import Membrane, membrane_of
from fspielm.eigen.membranes.pinned import Looker, Pinned, Scan, again, at_rest, blur, pinned, scan, steps
from fspielm.eigen.modes import Mode, Modes, Wish, accuracy_remarks, alike, interrupted_modes
from fspielm.eigen.pencil import read_pencil, sign_of
from fspielm.eigen.rounds import out_of_time
from fspielm.eigen.search import end_remarks, inside
from fspielm.errors import ProblemError
from fspielm.estimate.estimate import estimate_without_data
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import identity
from fspielm.problem.problem import Problem
from fspielm.solution.report import FoundMode, ModeSearch
from fspielm.solution.solution import Solution
from fspielm.solvers.driver import Course, Record
from fspielm.solvers.finish import finish
from fspielm.solvers.plan import Attempt, FeatureTrial
from fspielm.solvers.request import Budget, Request, offering
from fspielm.wording import MORE_TIME

# ---- Pinned modes as solutions


_WHY = "functions that satisfy the equation"
_ENDING = "the function of a mode is known to fewer digits than its value; ask for a smaller tol"
# Places inside where equations and signs are looked at.
_PLACES = 1000


@final
@dataclass(frozen=True, eq=False)
class MembraneNotary:
    """Makes modes of what was pinned.

    Attributes
    ----------
    membrane : Membrane
    request : Request
    record : Record
    """

    membrane: Membrane
    request: Request
    record: Record

    def modes(self, found: list[Pinned]) -> list[Mode]:
        """All of them, with how many cannot be told from each."""
        each = [(one, column) for one in found for column in one.coefficients.T]
        values = np.array([self.membrane.value(one.look.energy) for one, _ in each])
        bounds = np.array([self.membrane.error(one.bound) for one, _ in each])
        return [
            Mode(
                float(value),
                float(bound),
                float(bound),
                self._solution(float(value), one, column),
                alike(values, bounds, place),
            )
            for place, (value, bound, (one, column)) in enumerate(zip(values, bounds, each, strict=True))
        ]

    def _solution(self, value: float, one: Pinned, column: FloatArray) -> Solution:
        here = replace(self.request, problem=self.membrane.pencil.at(value))
        attempt = self._attempt(here, one, column)
        return finish(here, Course(attempt, self.record, _WHY, _ENDING), quietly=True)

    def _attempt(self, here: Request, one: Pinned, column: FloatArray) -> Attempt:
        problem, functions = here.problem, one.look.functions
        rng = np.random.default_rng(0)  # only looks
        inside = Sites(problem.domain.sample(_PLACES, rng, "low-discrepancy"))
        points = allot_conditions(problem, functions.basis.size)
        sites = points.draw(problem, rng)
        finite = Discretisation(
            problem, functions.family, functions.drawn, functions.columns, points, sites, here.threads
        )
        residuals = {}
        for relation in problem.relations:
            places = inside if relation.region.kind == "domain" else sites[relation.name]
            left = evaluate(finite.basis, column, relation.operator, places, threads=here.threads, method="direct")
            residuals[relation.name] = BlockResidual(safe_rms(left), float(np.abs(left).max()))
        scale = 1.0 / float(np.sqrt(problem.domain.measure))
        estimate = estimate_without_data(
            one.error * one.amplification,
            scale,
            column,
            residuals,
            residual=one.error,
            amplification=one.amplification,
        )
        signed = column * sign_of(
            evaluate(finite.basis, column, identity(problem.dimension), inside, threads=here.threads)
        )
        trial = FeatureTrial(functions.family, points, functions.columns, _WHY)
        return Attempt(trial, finite, signed, residuals, one.look.rank, one.look.condition, {}, estimate)


# ---- Modes of a membrane by functions that satisfy the equation: the first ones, or all in an interval, however high


# Intervals that end above so many modes are high: there cells are of no use.
_HIGH = 60
# By which modes are seen, and by which they are pinned, each after the other was not enough.
_SEEN = Choice()
_PINNED = (Choice(30), Choice(42, 1.25, 12.0, 150), Choice(42, 1.25, 18.0, 300), Choice(42, 1.25, 24.0, 450))
# Of the least energy that a mode may have, where a scan may begin; where slopes are zero somewhere, there is no such
# energy, and it begins at a wavenumber of this over the radius, or at half of that, so often.
_BELOW, _LOWEST, _LOWER = 0.9, 0.3, 5
# Modes that are looked for beyond those that are wanted; by how much farther if these were too few, and how often.
_SPARE, _FARTHER, _TIMES = 1.5, 1.5, 8
# Modes that are closer to each other, of their energies, may be seen in another order than theirs.
_TOLD = 0.01
# Of the seconds that are left, those that may be spent on looks where cells are a way, too.
_SHARE = 0.3


def _is_high(membrane: Membrane, wish: Wish) -> bool:
    """Whether an interval is too high for cells."""
    if wish.interval is None:
        return False
    energy = membrane.energy(wish.interval[1])
    return energy > membrane.least and membrane.weyl(energy) >= _HIGH


def direct_modes(membrane: Membrane, wish: Wish, request: Request, record: Record) -> Modes | None:
    """The wanted modes; None where cells are a way, and the first of them shows that functions do not suit."""
    is_only = _is_high(membrane, wish)
    seconds = record.seconds_left * (1.0 if is_only else _SHARE)
    found: list[Pinned] = []
    began, notary = perf_counter(), MembraneNotary(membrane, request, record)

    def so_far(_: object) -> Modes | None:
        known = sorted(found, key=lambda one: one.look.energy)
        return interrupted_modes(inside(notary.modes(known)[: wish.count], wish), True, request.tol, wish.unit)

    try:
        with offering(so_far):
            seen = _seen(membrane, wish, request, seconds)
            request.progress(ModeSearch(1, len(seen.energies), perf_counter() - began))
            for one in _all_pinned(membrane, seen, wish.unit, request, record):
                bad = not found and not _is_good(membrane, one, wish.unit, request)
                if bad and not is_only and record.seconds_left > 0:
                    return None
                found.append(one)
                request.progress(_news(membrane, found, perf_counter() - began))
                if record.seconds_left <= 0:
                    break
    except (ProblemError, np.linalg.LinAlgError):  # no time to look; functions that are none of modes
        if is_only:
            raise
        return None
    why = out_of_time(record) or "other functions would be needed, or a larger tolerance"
    rest = _at_rest(membrane, wish, seen.energies)
    found = sorted(found, key=lambda one: one.look.energy)
    modes = notary.modes([*rest, *found])[: wish.count]
    remarks = [*membrane.doubts(seen.doubtful), *_doubles(membrane, found)]
    wanted = min(len(seen.energies) + len(rest), wish.count or sys.maxsize)
    if (missing := wanted - len(modes)) > 0:
        remarks.append(f"{missing} modes more were seen than there was time for; {MORE_TIME}")
    else:
        remarks += _lost(membrane, seen, found)
    modes = inside(modes, wish)
    complete = not remarks and all(mode.estimate < wish.margin(request.tol) for mode in modes)
    remarks += end_remarks(modes, wish)
    remarks += accuracy_remarks(modes, request.tol, wish.unit, why)
    return Modes(tuple(modes), True, complete, tuple(remarks))


def _news(membrane: Membrane, found: Sequence[Pinned], seconds: float) -> FoundMode:
    """Of the last that was found."""
    number, last = sum(one.coefficients.shape[1] for one in found), found[-1]
    return FoundMode(number, membrane.value(last.look.energy), membrane.error(last.bound), seconds)


def scanned(membrane: Membrane, low: float, high: float, threads: int, seconds: float) -> Scan:
    """What is between two energies, if that can be seen in so many seconds."""
    began = perf_counter()
    looker(membrane, threads)(high)
    expected = (perf_counter() - began) * len(steps(membrane, low, high))
    if expected > seconds:
        raise ProblemError(
            f"to look at all of this interval would take about {expected:.0f} seconds, of which there are "
            f"{max(seconds, 0.0):.0f}: ask for a smaller interval, or allow more with budget=fs.Budget(seconds=...)"
        )
    return scan(membrane, low, high, looker(membrane, threads), seconds)


def looker(membrane: Membrane, threads: int) -> Looker:
    """Sees modes to a few digits."""

    def look(energy: float) -> Look:
        return look_at(membrane, energy, _SEEN, threads)

    return look


def bottom(membrane: Membrane, threads: int) -> tuple[float, tuple[tuple[float, float], ...]]:
    """An energy below all modes but the constant, and the stretch in which there may be some even so."""
    if membrane.is_held:
        return _BELOW * membrane.least, ()
    k = _LOWEST / membrane.radius
    for _ in range(_LOWER):
        behind = looker(membrane, threads)(k**2).energies
        if np.count_nonzero((behind < k**2) & (behind > -0.5 * k**2)) == membrane.is_free:
            return k**2, ()
        k = 0.5 * k
    return k**2, ((0.0, k**2),)


def _seen(membrane: Membrane, wish: Wish, request: Request, seconds: float) -> Scan:
    """The wanted ones, but the constant, to a few digits."""
    until, threads = perf_counter() + seconds, request.threads
    low, doubtful = bottom(membrane, threads)
    looked = wish.searched_interval(request.tol)
    if looked is not None:
        first, last = (membrane.energy(end) for end in looked)
        doubtful = doubtful if first < low else ()
        if last <= low:
            return Scan(np.empty(0), doubtful)
        own = scanned(membrane, max(first, low), last, threads, until - perf_counter())
        return replace(own, doubtful=(*doubtful, *own.doubtful))
    assert wish.count is not None
    wanted = wish.count - membrane.is_free
    energies: FloatArray = np.empty(0)
    least = low
    high = max(membrane.reaching(wanted + _SPARE), 2 * low)
    for _ in range(_TIMES):
        own = scanned(membrane, low, high, threads, until - perf_counter())
        energies, doubtful = np.concatenate([energies, own.energies]), (*doubtful, *own.doubtful)
        if len(energies) >= wanted:
            break
        low, high = high, _FARTHER * high
    # of those that are close to each other all: which are the lower ones is known when they are pinned
    last = (1 + _TOLD) * energies[wanted - 1] if 0 < wanted <= len(energies) else math.inf
    kept = energies[energies <= last] if wanted > 0 else energies[:0]
    return Scan(kept, tuple(stretch for stretch in doubtful if stretch[0] <= last), (least, high))


def _all_pinned(membrane: Membrane, seen: Scan, unit: float, request: Request, record: Record) -> Iterator[Pinned]:
    """With more functions, if it takes more; the next ones with no fewer at their end."""
    most = request.budget.neurons or math.inf
    level = 1
    for one in pinned(membrane, seen, _PINNED[0], request.threads):
        best = one
        while level < len(_PINNED) and record.seconds_left > 0 and not _is_good(membrane, best, unit, request):
            choice = _PINNED[level]
            if functions_at(membrane, one.look.energy, choice).basis.size > most:
                break
            best = min(best, again(membrane, best, choice, request.threads), key=lambda each: each.bound)
            if level + 1 == len(_PINNED):
                break
            level += not _is_good(membrane, best, unit, request)
        yield best


def _is_good(membrane: Membrane, one: Pinned, unit: float, request: Request) -> bool:
    return membrane.error(one.bound) <= request.tol * max(abs(membrane.value(one.look.energy)), unit)


def _at_rest(membrane: Membrane, wish: Wish, energies: FloatArray) -> list[Pinned]:
    """The constant, if it is a mode that is wanted."""
    low, high = wish.interval or (-math.inf, math.inf)
    if not membrane.is_free or not low <= membrane.value(0.0) <= high:
        return []
    return [at_rest(membrane, float(energies[0]) if len(energies) else membrane.radius**-2)]


def _lost(membrane: Membrane, seen: Scan, found: Sequence[Pinned]) -> list[str]:
    """What to say of modes that were seen where none was found in the end."""
    ends = np.array([one.look.energy for one in found])
    return [
        f"a mode was seen at about {membrane.value(each):.5g}, but none was found there: it may be missing"
        for each in seen.energies
        if np.abs(ends - each).min(initial=math.inf) > 2 * blur(membrane, each)
    ]


def _doubles(membrane: Membrane, found: list[Pinned]) -> list[str]:
    """What to say of modes that were seen apart, and are one in the end."""
    ends = [(one.look.energy, one.bound) for one in found]
    return [
        f"two modes that were seen apart are both {membrane.value(one):.8g} in the end: one may be missing"
        for (one, bound), (other, its_bound) in pairwise(ends)
        if abs(other - one) <= bound + its_bound and math.isfinite(bound + its_bound)
    ]


# ---- count_modes(): how many modes a membrane has below a value


# The mean of a count less Weyl's law, over the upper half of at least so many modes: one mode that is missing among the
# lower half would be one.
_FEW, _OFF = 40, 0.7


@final
@dataclass(frozen=True, eq=False)
class ModeCount:
    """How many modes there are.

    Attributes
    ----------
    number : int
    certain : bool
        Whether all of them were seen alike from energies below and above and, of forty or more, their number agrees
        with Weyl's law in the mean.
    values : (n,) array
        Of the modes, to about four digits, ascending.
    weyl : float
        What Weyl's law says in the mean: area, length of the boundary, corners and bends.
    deviation : float
        The mean of the count less Weyl's law, over the upper half of the modes: about -1 if one is missing.
    remarks : tuple of str
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
    """How many modes a membrane has whose values are below a number, with each of them seen.

    Parameters
    ----------
    problem, lam
        As for `eigenmodes`; the Laplacian with constant coefficients on a plane domain, with values or slopes of zero
        at the boundary.
    below : float
        Not a value itself.
    budget : Budget, optional

    Returns
    -------
    ModeCount

    Raises
    ------
    ProblemError
        If the problem is another one, or the budget is too small.

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
    threads = record.budget.thread_count
    low, hidden = bottom(membrane, threads)
    rest = [0.0] if membrane.is_free and energy > 0 else []
    if energy <= low:
        values = np.array([membrane.value(each) for each in rest])
        return ModeCount(len(rest), not hidden, values, 0.0, 0.0, membrane.doubts(hidden))
    seen = scanned(membrane, low, energy, threads, record.seconds_left)
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
