"""Resonances of open domains: all in a rectangle of the complex plane."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import BoolArray, ComplexArray
from fspielm.eigen.modes import ROUGH_TOL, Mode, Modes, accuracy_remarks, interrupted_modes
from fspielm.eigen.pencil import LEVELS, check_symbol, check_zero, value_and_slope, with_value
from fspielm.eigen.resonances.search import (
    BeyondBudgetError,
    Found,
    Judged,
    OpenFunctions,
    Pinned,
    Rectangle,
    Requirements,
    Way,
    judged,
    judged_modes,
    open_functions,
    pinned,
    repinned,
    search,
    waves_of,
)
from fspielm.errors import OutOfTime, ProblemError
from fspielm.geometry.exterior import Exterior
from fspielm.numerics.rational import rational
from fspielm.numerics.tolerances import CLOSE, HALF, PROBES, SAME
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import transmission_problem
from fspielm.problem.scattering.media import media_of
from fspielm.problem.statement import Relation
from fspielm.solution.report import FoundMode, ModeSearch
from fspielm.solvers.request import FINER, Budget, Request, Streams, offering, reporter
from fspielm.solvers.round import Record
from fspielm.solvers.solve import check_arguments
from fspielm.wording import MORE_TIME, argument

# ---- Checks of the arguments, and what functions have to represent
# A condition with both values and slopes, or a flux of opposite signs on both sides of a surface, as at metals, admits
# waves along the surface that decay away from it. They may be much shorter than all others.

# Values of the symbol that are sampled along each side of a rectangle.
_VALUES = 5


def read_rectangle(count: Any, within: Any) -> Rectangle:
    """The rectangle in which resonances are wanted."""
    example = argument("within", ("1 - 0.5j", 3))
    where = f"resonances of an open domain are looked for in a rectangle of the complex plane: write {example}"
    if within is None:
        got = "" if count is None else f"; {argument('count', count)} alone does not say where"
        raise ProblemError(f"{where}, its lower left and its upper right corner{got}")
    if count is not None:
        raise ProblemError(
            f"give {argument('within')}, not {argument('count')}: all resonances of a rectangle are found, {example}"
        )
    try:
        first, second = (complex(end) for end in within)
    except (TypeError, ValueError):
        raise ProblemError(f"{where}; got {argument('within', within)}") from None
    if not (cmath.isfinite(first) and cmath.isfinite(second)):
        raise ProblemError(f"{argument('within')} must be finite; got {within!r}")
    least, most = (complex(end(first.real, second.real), end(first.imag, second.imag)) for end in (min, max))
    rectangle = Rectangle(least, most)
    if least.real == most.real or least.imag == most.imag:
        raise ProblemError(f"{where}; {within!r} has no area, and resonances lie below the real axis")
    # contours around smaller ones are only rounding
    if min(most.real - least.real, most.imag - least.imag) < HALF * abs(most):
        raise ProblemError(
            f"{argument('within', within)} is smaller than resonances are known to; take one whose sides are "
            f"{HALF:g} of its values, at least"
        )
    if most.imag > 0:
        raise ProblemError(
            f"{argument('within', rectangle.corners)} reaches above the real axis, where fields would grow in time; "
            f"resonances have negative imaginary parts, for a time factor exp(-i omega t): end at the axis, {example}"
        )
    if (first, second) != (least, most):
        raise ProblemError(
            f"{argument('within')} is the wrong way round: the lower left corner comes first, then the upper right "
            f"one, write {argument('within', rectangle.corners)}"
        )
    if least.real <= 0:
        raise ProblemError(
            f"{argument('within', rectangle.corners)} must have positive real parts: at zero waves end, and resonances "
            "on the other side of it are the same mirrored, -conj(k)"
        )
    return rectangle


def read_open(problem: Any, symbol: Any, rectangle: Rectangle) -> Problem:
    """The problem at the largest value, if resonances of such problems can be found."""
    check_symbol(problem, symbol)
    domain = problem.domain
    if isinstance(domain, Exterior) and domain.period is not None:
        raise ProblemError("resonances of gratings are not found, only those of a finite number of objects")
    if problem.statement.incident is not None:
        raise ProblemError(
            "incident: resonances are fields without anything that comes in; leave it out, or solve with it, fs.solve"
        )
    sample = with_value(problem, symbol, rectangle.largest)
    check_zero(sample)
    if len(sample.unknowns) > 1:
        raise ProblemError("resonances are those of Helmholtz' equation for one unknown; elastic ones are not found")
    if not all(equation.operator.is_constant for equation in transmission_problem(sample).equations):
        raise ProblemError(
            "Transparent: resonances are known for objects of one wavenumber inside; this one varies with the place"
        )
    return sample


def read_requirements(problem: Problem, symbol: sp.Symbol, rectangle: Rectangle, largest: float) -> Requirements:
    """What functions have to represent for all values of a rectangle; `largest` may be outside of it."""
    around, share = rectangle.grown(0.1), np.linspace(0, 1, _VALUES)
    values = around.lower + around.extent.real * share[:, None] + 1j * around.extent.imag * share
    samples = [with_value(problem, symbol, complex(value)) for value in values.ravel()]
    waves = [waves_of(each) for each in samples]
    _check_wavenumbers(np.array(waves), symbol, rectangle)
    _check_fluxes(samples, symbol, rectangle)
    return Requirements(problem, symbol, largest, max(map(_fastest_along, samples, waves)))


def _check_wavenumbers(waves: ComplexArray, symbol: sp.Symbol, rectangle: Rectangle) -> None:
    """Refuse rectangles on which wavenumbers are not analytic functions of the symbol."""
    if np.ptp(np.abs(waves[:, 0])) == 0:
        raise ProblemError(
            f"lam={symbol} must stand in the equation outside of the objects, as their wavenumber or its square does; "
            "it stands elsewhere alone"
        )
    for each in waves.T.reshape(-1, _VALUES, _VALUES):
        steps = max(np.abs(np.diff(each, axis=axis)).max() for axis in (0, 1))
        if np.abs(each).min() == 0 or steps > np.abs(each).max():
            raise ProblemError(
                f"{argument('within', rectangle.corners)}: a wavenumber, as it depends on {symbol}, is zero there, or "
                "no single one; take a smaller rectangle, or the wavenumber itself for the symbol"
            )


def _check_fluxes(samples: Sequence[Problem], symbol: sp.Symbol, rectangle: Rectangle) -> None:
    """Refuse rectangles with infinitely many resonances, as at metals."""
    if all(medium.flux.real >= 0 for each in samples for medium in media_of(each)):
        return
    places = rectangle.grown(0.1).contour
    fluxes = np.array(
        [[one.flux for one in media_of(with_value(samples[0], symbol, each))] for each in places.tolist()]
    )
    for own in fluxes.T:
        place = _gathering_place(rectangle.grown(0.1), places, own)
        if place is not None:
            raise ProblemError(
                f"Transparent: for {symbol} = {place:.6g} the flux inside of an object is minus that around it, so "
                "that waves along its surface are of all lengths, and resonances without end gather there: take "
                "rectangles that end well before"
            )


def _fastest_along(problem: Problem, waves: Sequence[complex]) -> float:
    """The highest wavenumber of waves along surfaces, as if these were flat; zero without such waves.

    `waves` has the wavenumbers outside of the objects, and inside of those that have fields.
    """
    stated = transmission_problem(problem)
    bound = [_bound_by(relation, waves) for relation in stated.constraints]
    for number, medium in enumerate(media_of(problem), 1):
        if medium.flux.real < 0:
            outer, inner, square = waves[medium.around], waves[number], medium.flux**2
            bound.append(math.inf if square == 1 else abs(cmath.sqrt((outer**2 - square * inner**2) / (1 - square))))
    return max(bound, default=0.0)


def _gathering_place(rectangle: Rectangle, places: ComplexArray, fluxes: ComplexArray) -> complex | None:
    """Where in a rectangle the flux of a medium is minus that around it, from its values on the sides; or None.

    At such a value there are waves of all lengths along the surface, and infinitely many resonances accumulate.
    """
    if np.any(fluxes == -1):
        return complex(places[np.flatnonzero(fluxes == -1)[0]])
    poles = rational(places, 1 / (1 + fluxes[:, None]), SAME).poles
    inside = poles[rectangle.contains(poles)]
    return complex(inside[0]) if len(inside) else None


def _bound_by(relation: Relation, waves: Sequence[complex]) -> float:
    """The highest wavenumber bound by a condition on one field, which decays by the ratio of slope and value."""
    terms = relation.operator.terms
    unknowns, orders = {term.unknown for term in terms}, {term.order for term in terms}
    if len(unknowns) > 1 or orders != {0, 1}:
        return 0.0
    (unknown,) = unknowns
    sites = relation.sample(PROBES, np.random.default_rng(0), "low-discrepancy")  # only for sampling
    value, slope = value_and_slope(relation.operator, sites)
    rates = -value[slope != 0] / slope[slope != 0]
    bound = rates[rates.real > 0]
    return float(np.max(np.abs(np.sqrt(waves[unknown] ** 2 + bound**2)), initial=0.0))


# ---- resonances(): all values in a rectangle with outgoing waves but without an incident field

# Two searches along different contours, the second with more functions.
_FIRST, _SECOND = Way(0.04, 0.5), Way(0.07, 0.44)
_NONE = np.empty(0, dtype=np.complex128)
_WHY = "other functions would be needed, or a larger tolerance"


def resonances(
    problem: Any, symbol: Any, *, count: Any, within: Any, tol: float, budget: Budget | None, rng: Any, progress: Any
) -> Modes:
    """All resonances in a rectangle; see `eigenmodes`, whose arguments these are.

    Raises `ProblemError` if an argument is wrong, there is an incident field, or no time to search all of the
    rectangle.
    """
    rectangle = read_rectangle(count, within)
    sample = read_open(problem, symbol, rectangle)
    check_arguments(sample, tol, budget)
    streams, seed = Streams.spawned(rng)
    record = Record(budget or Budget())
    request = Request(sample, tol, record.budget, streams, seed, progress=reporter(progress))
    required = read_requirements(sample, symbol, rectangle, rectangle.grown(_SECOND.margin).largest)
    made = partial(open_functions, required, record)
    return _Search(rectangle, request, record, made).modes()


@final
@dataclass(frozen=True, eq=False)
class _Search:
    """A search for resonances; `made` makes functions for a request, more of them for each level."""

    rectangle: Rectangle
    request: Request
    record: Record
    made: Callable[[Request, int], OpenFunctions]

    def modes(self) -> Modes:
        """All resonances of the rectangle."""
        with self._in_time():
            first = self._report(1, search(self._rough(0), self.rectangle, _FIRST, self.record))
        second = self._second()
        found = list[Judged]()
        with offering(lambda _: interrupted_modes(self._inside(found), False, self.request.tol, 0.0)):
            left_out = self._pin_all(found, first, second)
            modes = self._inside(found)
        remarks = _doubtful_remarks(first, second)
        if left_out:
            remarks.append(left_out)
        elif not remarks:
            remarks += self._disagreements(first.poles, second.poles, np.array([one.value for one in found]))
        complete = not remarks and all(math.isfinite(mode.estimate) for mode in modes)
        why = _WHY if self.record.seconds_left > 0 else f"there was no time for more; {MORE_TIME}"
        remarks += accuracy_remarks(modes, self.request.tol, 0.0, why)
        return Modes(tuple(modes), False, complete, tuple(remarks))

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """Enforce the deadline with a `BeyondBudgetError`."""
        try:
            with self.record.deadline.enforced():
                yield
        except OutOfTime:
            raise BeyondBudgetError(f"the budget of {self.record.budget.seconds:g} s ended it; {MORE_TIME}") from None

    def _inside(self, found: list[Judged]) -> list[Mode]:
        """The resonances in the rectangle, as modes."""
        return judged_modes(filter(self._is_inside, found), self.request, self.record)

    def _pin_all(self, found: list[Judged], first: Found, second: Found) -> str:
        """Pin all resonances of two searches, in `found`; a remark on those that were beyond the budget."""
        why = f"than there was time for; {MORE_TIME}"
        try:
            with self._in_time():
                for before, one in self._pinned(first, second):
                    for each in self._certain(before, one):
                        found.append(each)
                        if self._is_inside(each):
                            number = sum(map(self._is_inside, found))
                            self.request.progress(FoundMode(number, each.value, each.estimate, self.record.spent))
            if self.record.seconds_left > 0:
                return ""
        except BeyondBudgetError as error:
            why = f"than could be pinned down: {error}"
        known = np.array([one.value for one in found], dtype=np.complex128)
        seen = np.concatenate([first.poles, second.poles[~_is_near(second.poles, first.poles)]])
        count = int(np.count_nonzero(self.rectangle.contains(seen) & ~_is_near(seen, known)))
        return f"resonances at {count} more places were seen {why}" if count else ""

    def _is_inside(self, one: Judged) -> bool:
        """Whether a resonance is, or may be, in the rectangle."""
        slack = one.estimate if math.isfinite(one.estimate) else 0.0
        return bool(self.rectangle.contains(np.array([one.value]), slack)[0])

    def _disagreements(self, first: ComplexArray, second: ComplexArray, known: ComplexArray) -> list[str]:
        """Remarks on poles that only one of the searches found, or that could not be pinned."""
        seen = first[self.rectangle.contains(first) & _is_near(first, second)]
        lost = seen[~_is_near(seen, known)]
        if len(lost):
            return [
                f"{len(lost)} resonances were seen that could not be pinned down, one at {complex(lost[0]):.6g}; take "
                "a smaller rectangle around it"
            ]
        own = known[self.rectangle.contains(known)]
        if np.all(_is_near(own, first)) and np.all(_is_near(own, second)):
            return []
        return ["two searches did not see the same resonances: others may be missing"]

    @cached_property
    def _rough(self) -> Callable[[int], OpenFunctions]:
        """Functions of a level, to the few digits of searches."""
        return cache(partial(self.made, replace(self.request, tol=max(self.request.tol, FINER * CLOSE))))

    @cached_property
    def _fine(self) -> Callable[[int], OpenFunctions]:
        """Functions of a level, to the tolerance."""
        return cache(partial(self.made, self.request))

    def _report(self, number: int, found: Found) -> Found:
        """What a search found, with a report on it to `progress`."""
        count = int(np.count_nonzero(self.rectangle.contains(found.poles)))
        self.request.progress(ModeSearch(number, count, self.record.spent))
        return found

    def _second(self) -> Found:
        """The second search; all is doubtful if there is no time for it."""
        try:
            with self._in_time():
                return self._report(2, search(self._rough(1), self.rectangle, _SECOND, self.record))
        except BeyondBudgetError:
            return Found(_NONE, _NONE, (self.rectangle,))

    def _pinned(self, first: Found, second: Found) -> Iterator[tuple[Pinned, Pinned]]:
        """Resonances by few functions and by more of them, as long as there is time."""
        more = replace(second, poles=second.poles[~_is_near(second.poles, first.poles)])
        known = _NONE
        looks = [(self._rough(0), first), *([(self._rough(1), more)] if len(more.poles) else [])]
        for looking, found in looks:
            for seen in pinned(looking, found, self.rectangle, self.record):
                if self.record.seconds_left <= 0:
                    return
                if np.any(_is_near(seen.values, known, CLOSE)):
                    continue
                known = np.concatenate([known, seen.values])
                fine = repinned(self._fine(1), seen)
                if fine is not None:
                    yield repinned(self._fine(0), seen) or replace(fine, values=_NONE), fine

    def _certain(self, before: Pinned, found: Pinned) -> list[Judged]:
        """Resonances with errors within the tolerance, or else with the least errors possible."""
        best = list(judged(self._fine(1), found, before))
        for level in range(2, LEVELS + 1):
            if self.record.seconds_left <= 0 or all(one.estimate <= self.request.tol * abs(one.value) for one in best):
                break
            try:
                functions = self.made(self.request, level)
            except BeyondBudgetError:
                break
            finer = repinned(functions, found)
            if finer is None:
                break
            others = list(judged(functions, finer, found))
            best, found = min(best, others, key=lambda each: max(one.estimate for one in each)), finer
        return best


def _is_near(values: ComplexArray, known: ComplexArray, share: float = ROUGH_TOL) -> BoolArray:
    """Which values are near known ones, up to a share of their size."""
    near = np.abs(values[:, None] - known) <= share * np.abs(values)[:, None]
    return np.asarray(near.any(axis=1))


def _doubtful_remarks(first: Found, second: Found) -> list[str]:
    doubtful = (*first.doubtful, *second.doubtful)
    if not doubtful:
        return []
    return [
        f"resonances in {argument('within', doubtful[0].corners)} may be missing: the field there is not resolved, or "
        "there was no time; take smaller rectangles, or allow more with budget=fs.Budget(seconds=...)"
    ]
