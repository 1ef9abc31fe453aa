"""Resonances of open domains: all in a rectangle of the complex plane."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import BoolArray, ComplexArray
from fspielm.eigen.modes import Mode, Modes, accuracy_remarks, interrupted_modes
from fspielm.eigen.pencil import check_symbol, check_zero, with_value
from fspielm.eigen.resonances.functions import (
    Asked,
    BeyondBudgetError,
    OpenFunctions,
    Rectangle,
    open_functions,
    waves_of,
)
from fspielm.eigen.resonances.search import Found, Judged, OpenNotary, Pinned, Way, again, judged, pinned, search
from fspielm.errors import OutOfTime, ProblemError
from fspielm.geometry.exterior import Exterior
from fspielm.numerics.rational import rational
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import two_sided
from fspielm.problem.scattering.media import media_of
from fspielm.problem.statement import Relation
from fspielm.solution.report import FoundMode, ModeSearch
from fspielm.solvers.driver import Record
from fspielm.solvers.request import Budget, Request, Streams, offering, reporter
from fspielm.solvers.solve import check_arguments
from fspielm.wording import MORE_TIME

# ---- What is refused of resonances, and why
# Where a condition ties values and slopes together, or the flux changes its sign between two media, as at a metal's,
# there are waves along a surface that fall off away from it. They may be much shorter than all others.


_EXAMPLE = "within=(1 - 0.5j, 3)"
# Sides of the smallest rectangle, of the values in it: contours around others are nothing but rounding.
_NARROWEST = 1e-8
# Values of the symbol along each side of a rectangle that are looked at.
_LOOKS = 5
# Places on a part that are looked at.
_LOOKS_ON_PART = 16
# To which rational functions go through the flux.
_THROUGH = 1e-9


def read_rectangle(count: Any, within: Any) -> Rectangle:
    """Where resonances are wanted.

    Raises
    ------
    ProblemError
    """
    where = f"resonances of an open domain are looked for in a rectangle of the complex plane: write {_EXAMPLE}"
    if within is None:
        got = "" if count is None else f"; count={count!r} alone does not say where"
        raise ProblemError(f"{where}, its lower left and its upper right corner{got}")
    if count is not None:
        raise ProblemError(f"give within, not count: all resonances of a rectangle are found, {_EXAMPLE}")
    try:
        first, second = (complex(end) for end in within)
    except (TypeError, ValueError):
        raise ProblemError(f"{where}; got within={within!r}") from None
    if not (cmath.isfinite(first) and cmath.isfinite(second)):
        raise ProblemError(f"within must be finite; got {within!r}")
    least, most = (complex(end(first.real, second.real), end(first.imag, second.imag)) for end in (min, max))
    if least.real == most.real or least.imag == most.imag:
        raise ProblemError(f"{where}; {within!r} has no area, and resonances lie below the real axis")
    if min(most.real - least.real, most.imag - least.imag) < _NARROWEST * abs(most):
        raise ProblemError(
            f"within={within!r} is smaller than resonances are known to; take one whose sides are {_NARROWEST:g} of "
            "its values, at least"
        )
    if most.imag > 0:
        raise ProblemError(
            f"within={Rectangle(least, most)} reaches above the real axis, where fields would grow in time; resonances "
            f"have negative imaginary parts, for a time factor exp(-i omega t): end at the axis, {_EXAMPLE}"
        )
    if (first, second) != (least, most):
        raise ProblemError(
            "within is the wrong way round: the lower left corner comes first, then the upper right one, write "
            f"{Rectangle(least, most)}"
        )
    if least.real <= 0:
        raise ProblemError(
            f"within={Rectangle(least, most)} must have positive real parts: at zero waves end, and resonances on the "
            "other side of it are the same mirrored, -conj(k)"
        )
    return Rectangle(least, most)


def read_open(problem: Any, symbol: Any, rectangle: Rectangle) -> Problem:
    """The problem, of which at least the objects are known, without anything that comes in.

    Raises
    ------
    ProblemError
    """
    check_symbol(problem, symbol)
    domain = problem.domain
    if isinstance(domain, Exterior) and domain.period is not None:
        raise ProblemError("resonances of gratings are not found, only those of a finite number of objects")
    if problem.statement.incident is not None:
        raise ProblemError(
            "incident: resonances are fields without anything that comes in; leave it out, or solve with it, fs.solve"
        )
    looked = with_value(problem, symbol, rectangle.largest)
    check_zero(looked)
    if len(looked.unknowns) > 1:
        raise ProblemError("resonances are those of Helmholtz' equation for one unknown; elastic ones are not found")
    if not all(equation.operator.is_constant for equation in two_sided(looked).equations):
        raise ProblemError(
            "Transparent: resonances are known for objects of one wavenumber inside; this one varies with the place"
        )
    return looked


def read_asked(problem: Problem, symbol: sp.Symbol, rectangle: Rectangle, largest: float) -> Asked:
    """What functions have to hold for all values of a rectangle, the largest of which may be beside it.

    Raises
    ------
    ProblemError
    """
    around, share = rectangle.grown(0.1), np.linspace(0, 1, _LOOKS)
    values = around.lower + around.extent.real * share[:, None] + 1j * around.extent.imag * share
    looked = [with_value(problem, symbol, complex(value)) for value in values.ravel()]
    waves = [waves_of(each) for each in looked]
    _check_wavenumbers(np.array(waves), symbol, rectangle)
    _check_fluxes(looked, symbol, rectangle)
    return Asked(problem, symbol, largest, max(map(_fastest_along, looked, waves)))


def _check_wavenumbers(waves: ComplexArray, symbol: sp.Symbol, rectangle: Rectangle) -> None:
    """Refuse rectangles on which wavenumbers are not analytic functions of the symbol."""
    if np.ptp(np.abs(waves[:, 0])) == 0:
        raise ProblemError(
            f"lam={symbol} must stand in the equation outside of the objects, as their wavenumber or its square does; "
            "it stands elsewhere alone"
        )
    for each in waves.T.reshape(-1, _LOOKS, _LOOKS):
        steps = max(np.abs(np.diff(each, axis=axis)).max() for axis in (0, 1))
        if np.abs(each).min() == 0 or steps > np.abs(each).max():
            raise ProblemError(
                f"within={rectangle}: a wavenumber, as it depends on {symbol}, is zero there, or no single one; take a "
                "smaller rectangle, or the wavenumber itself for the symbol"
            )


def _check_fluxes(looked: Sequence[Problem], symbol: sp.Symbol, rectangle: Rectangle) -> None:
    """Refuse rectangles in which there are resonances without end, as beside metals."""
    if all(medium.flux.real >= 0 for each in looked for medium in media_of(each)):
        return
    places = rectangle.grown(0.1).contour
    fluxes = np.array([[one.flux for one in media_of(with_value(looked[0], symbol, each))] for each in places.tolist()])
    for own in fluxes.T:
        place = _gathering_place(rectangle.grown(0.1), places, own)
        if place is not None:
            raise ProblemError(
                f"Transparent: for {symbol} = {place:.6g} the flux inside of an object is minus that around it, so "
                "that waves along its surface are of all lengths, and resonances without end gather there: take "
                "rectangles that end well before"
            )


def _fastest_along(problem: Problem, waves: Sequence[complex]) -> float:
    """The highest wavenumber of waves along surfaces, as if these were flat; zero if there are none.

    Parameters
    ----------
    problem : Problem
    waves : sequence of complex
        Wavenumbers outside of the objects, and inside of those that have fields.
    """
    stated = two_sided(problem)
    bound = [_bound_by(relation, waves) for relation in stated.constraints]
    for number, medium in enumerate(media_of(problem), 1):
        if medium.flux.real < 0:
            outer, inner, square = waves[medium.around], waves[number], medium.flux**2
            bound.append(math.inf if square == 1 else abs(cmath.sqrt((outer**2 - square * inner**2) / (1 - square))))
    return max(bound, default=0.0)


def _gathering_place(rectangle: Rectangle, places: ComplexArray, fluxes: ComplexArray) -> complex | None:
    """Where in a rectangle the flux of a medium, known at places on its sides, is minus that around it; or None.

    Waves along its surface are of all lengths there, and resonances without end gather.
    """
    if np.any(fluxes == -1):
        return complex(places[np.flatnonzero(fluxes == -1)[0]])
    poles = rational(places, 1 / (1 + fluxes[:, None]), _THROUGH).poles
    inside = poles[rectangle.contains(poles)]
    return complex(inside[0]) if len(inside) else None


def _bound_by(relation: Relation, waves: Sequence[complex]) -> float:
    """Of a condition on one field: it falls off from the surface as the ratio of slopes and values says."""
    terms = relation.operator.terms
    unknowns, orders = {term.unknown for term in terms}, {term.order for term in terms}
    if len(unknowns) > 1 or orders != {0, 1}:
        return 0.0
    (unknown,) = unknowns
    sites = relation.sample(_LOOKS_ON_PART, np.random.default_rng(0), "low-discrepancy")  # only looks
    value, slope = np.zeros(len(sites), dtype=np.complex128), np.zeros(len(sites), dtype=np.complex128)
    assert sites.normals is not None  # as on every boundary
    for term in terms:
        if term.order == 0:
            value += term.at(sites)
        else:
            slope += term.at(sites) * sites.normals[:, term.orders.index(1)]
    rates = -value[slope != 0] / slope[slope != 0]
    bound = rates[rates.real > 0]
    return float(np.max(np.abs(np.sqrt(waves[unknown] ** 2 + bound**2)), initial=0.0))


# ---- resonances(): all values in a rectangle at which waves leave objects without anything coming in


# Two searches, along different contours, the second one with more functions; both to these digits.
_FIRST, _SECOND = Way(0.04, 0.5), Way(0.07, 0.44)
_LOOKING = 1e-7
# How often functions are made more after that.
_FINER = (2, 3)
# Poles that are closer, of their size, are the same as others see them; and so are values from different poles.
_SAME, _KNOWN = 1e-3, 1e-5
_NONE = np.empty(0, dtype=np.complex128)
_WHY = "other functions would be needed, or a larger tolerance"


def resonances(
    problem: Any, symbol: Any, *, count: Any, within: Any, tol: float, budget: Budget | None, rng: Any, progress: Any
) -> Modes:
    """All resonances in a rectangle; see `eigenmodes`, whose arguments these are.

    Raises
    ------
    ProblemError
        If an argument is wrong, something comes in, or there is no time to look at all of the rectangle.
    """
    rectangle = read_rectangle(count, within)
    looked = read_open(problem, symbol, rectangle)
    check_arguments(looked, tol, None, None, None, budget)
    streams, seed = Streams.spawned(rng)
    record = Record(budget or Budget())
    request = Request(looked, tol, record.budget, streams, seed, progress=reporter(progress))
    asked = read_asked(looked, symbol, rectangle, rectangle.grown(_SECOND.margin).largest)
    made = partial(open_functions, asked, record)
    return _Search(rectangle, request, record, made).modes()


@final
@dataclass(frozen=True, eq=False)
class _Search:
    """What resonances are looked for with: functions that suit a request, more of them for every level."""

    rectangle: Rectangle
    request: Request
    record: Record
    made: Callable[[Request, int], OpenFunctions]

    def modes(self) -> Modes:
        """All of the rectangle."""
        with self._in_time():
            first = self._told(1, search(self._first_look, self.rectangle, _FIRST, self.record))
        second = self._second()
        found = list[Judged]()
        with offering(lambda _: interrupted_modes(self._inside(found), False, self.request.tol, 0.0)):
            left_out = self._fill(found, first, second)
            modes = self._inside(found)
        remarks = _doubts(first, second)
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
        """Enforce the deadline; `BeyondBudgetError` where it is over."""
        try:
            with self.record.deadline.enforced():
                yield
        except OutOfTime:
            raise BeyondBudgetError(f"the budget of {self.record.budget.seconds:g} s ended it; {MORE_TIME}") from None

    def _inside(self, found: list[Judged]) -> list[Mode]:
        """Those in the rectangle, as modes."""
        return OpenNotary(self.request, self.record).modes(list(filter(self._is_inside, found)))

    def _fill(self, found: list[Judged], first: Found, second: Found) -> str:
        """Find all resonances of two searches; what to say of places where the budget did not allow to find them."""
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
        seen = np.concatenate([first.poles, second.poles[~_among(second.poles, first.poles)]])
        count = int(np.count_nonzero(self.rectangle.contains(seen) & ~_among(seen, known)))
        return f"resonances at {count} more places were seen {why}" if count else ""

    def _is_inside(self, one: Judged) -> bool:
        """Whether it is in the rectangle, or may be."""
        slack = one.estimate if math.isfinite(one.estimate) else 0.0
        return bool(self.rectangle.contains(np.array([one.value]), slack)[0])

    def _disagreements(self, first: ComplexArray, second: ComplexArray, known: ComplexArray) -> list[str]:
        """What one search has seen and not the other, or both have seen and is not known, in sentences."""
        seen = first[self.rectangle.contains(first) & _among(first, second)]
        lost = seen[~_among(seen, known)]
        if len(lost):
            return [
                f"{len(lost)} resonances were seen that could not be pinned down, one at {complex(lost[0]):.6g}; take "
                "a smaller rectangle around it"
            ]
        own = known[self.rectangle.contains(known)]
        if np.all(_among(own, first)) and np.all(_among(own, second)):
            return []
        return ["two searches did not see the same resonances: others may be missing"]

    @property
    def _roughly(self) -> Request:
        """Searches are to few digits."""
        return replace(self.request, tol=max(self.request.tol, _LOOKING))

    @cached_property
    def _first_look(self) -> OpenFunctions:
        return self.made(self._roughly, 0)

    @cached_property
    def _second_look(self) -> OpenFunctions:
        return self.made(self._roughly, 1)

    @cached_property
    def _coarse(self) -> OpenFunctions:
        return self.made(self.request, 0)

    @cached_property
    def _fine(self) -> OpenFunctions:
        return self.made(self.request, 1)

    def _told(self, number: int, found: Found) -> Found:
        """What one of the searches sees, which is told."""
        count = int(np.count_nonzero(self.rectangle.contains(found.poles)))
        self.request.progress(ModeSearch(number, count, self.record.spent))
        return found

    def _second(self) -> Found:
        """The second search; nothing is certain if there is no time for it."""
        try:
            with self._in_time():
                return self._told(2, search(self._second_look, self.rectangle, _SECOND, self.record))
        except BeyondBudgetError:
            return Found(_NONE, _NONE, (self.rectangle,))

    def _pinned(self, first: Found, second: Found) -> Iterator[tuple[Pinned, Pinned]]:
        """Resonances as few functions see them, and as more of them do, as long as there is time."""
        more = replace(second, poles=second.poles[~_among(second.poles, first.poles)])
        known = _NONE
        looks = [(self._first_look, first), *([(self._second_look, more)] if len(more.poles) else [])]
        for looking, found in looks:
            for seen in pinned(looking, found, self.rectangle, self.record):
                if self.record.seconds_left <= 0:
                    return
                if np.any(_among(seen.values, known, _KNOWN)):
                    continue
                known = np.concatenate([known, seen.values])
                fine = again(self._fine, seen)
                if fine is not None:
                    yield again(self._coarse, seen) or replace(fine, values=_NONE), fine

    def _certain(self, before: Pinned, found: Pinned) -> list[Judged]:
        """Resonances with errors within the tolerance; with the least that can be had, where that is not."""
        best = list(judged(self._fine, found, before))
        for level in _FINER:
            if self.record.seconds_left <= 0 or all(_is_good(one, self.request.tol) for one in best):
                break
            try:
                functions = self.made(self.request, level)
            except BeyondBudgetError:
                break
            finer = again(functions, found)
            if finer is None:
                break
            others = list(judged(functions, finer, found))
            best, found = min(best, others, key=lambda each: max(one.estimate for one in each)), finer
        return best


def _is_good(one: Judged, tol: float) -> bool:
    return one.estimate <= tol * abs(one.value)


def _among(values: ComplexArray, known: ComplexArray, share: float = _SAME) -> BoolArray:
    """Which of some values are known, up to a share of their size."""
    near = np.abs(values[:, None] - known) <= share * np.abs(values)[:, None]
    return np.asarray(near.any(axis=1))


def _doubts(first: Found, second: Found) -> list[str]:
    doubtful = (*first.doubtful, *second.doubtful)
    if not doubtful:
        return []
    return [
        f"resonances in within={doubtful[0]} may be missing: the field there is not resolved, or there was no time; "
        "take smaller rectangles, or allow more with budget=fs.Budget(seconds=...)"
    ]
