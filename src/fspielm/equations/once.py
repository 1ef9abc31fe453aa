"""What follows from a problem, or from one of its conditions, alone: found once for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
T = TypeVar("T")


def once(find: Callable[[K], T]) -> Callable[[K], T]:
    """Keep what `find` gives for a thing as long as that is there: rounds, estimates and forecasts ask again."""
    known: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    @wraps(find)
    def found(thing: K) -> T:
        if thing not in known:
            known[thing] = find(thing)
        return known[thing]

    return found
