"""resonances(): all values in a rectangle at which waves leave objects without anything coming in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, final

import numpy as np

from fspielm.arrays import BoolArray, ComplexArray
from fspielm.errors import OutOfTime
from fspielm.solution import FoundMode, ModeSearch
from fspielm.solvers.budget import Budget
from fspielm.solvers.modes.modes import Mode, Modes, cut_short, late_ones
from fspielm.solvers.progress import reporter
from fspielm.solvers.randomness import Streams
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.resonances.checks import read_asked, read_open, read_rectangle
from fspielm.solvers.resonances.fields import OpenNotary
from fspielm.solvers.resonances.functions import OpenFunctions
from fspielm.solvers.resonances.judged import Judged, judged
from fspielm.solvers.resonances.made import BeyondBudgetError, open_functions
from fspielm.solvers.resonances.pinned import Pinned, again, pinned
from fspielm.solvers.resonances.rectangle import Rectangle
from fspielm.solvers.resonances.search import Found, Way, search
from fspielm.solvers.so_far import offering
from fspielm.solvers.solve import check_arguments
from fspielm.wording import MORE_TIME

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
        with offering(lambda _: cut_short(self._inside(found), False, self.request.tol, 0.0)):
            left_out = self._fill(found, first, second)
            modes = self._inside(found)
        remarks = _doubts(first, second)
        if left_out:
            remarks.append(left_out)
        elif not remarks:
            remarks += self._disagreements(first.poles, second.poles, np.array([one.value for one in found]))
        complete = not remarks and all(math.isfinite(mode.estimate) for mode in modes)
        why = _WHY if self.record.seconds_left > 0 else f"there was no time for more; {MORE_TIME}"
        remarks += late_ones(modes, self.request.tol, 0.0, why)
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
