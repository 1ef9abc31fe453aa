"""What follows from a problem alone, found once for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from fspielm.equations import Problem

T = TypeVar("T")


def once(find: Callable[[Problem], T]) -> Callable[[Problem], T]:
    """Keep what `find` gives for a problem as long as that is there: rounds, estimates and forecasts ask again."""
    known: WeakKeyDictionary[Problem, T] = WeakKeyDictionary()

    @wraps(find)
    def found(problem: Problem) -> T:
        if problem not in known:
            known[problem] = find(problem)
        return known[problem]

    return found
