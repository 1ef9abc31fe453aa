"""What a call has found so far, for whoever interrupts it from another thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar, final

T = TypeVar("T")

_offers: ContextVar[list[Callable[[Any], Any]] | None] = ContextVar("offers", default=None)


@contextmanager
def offering(found: Callable[[Any], Any]) -> Iterator[None]:
    """During a block of code, offer what `found` makes of the best so far of what the block calls, if not None."""
    offers = _offers.get()
    if offers is None:  # nobody watches
        yield
        return
    offers.append(found)
    try:
        yield
    finally:
        offers.remove(found)


@final
class Watched(Generic[T]):
    """Work that another thread can ask for the best so far, without waiting for the work."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._offers: list[Callable[[Any], Any]] = []

    def __call__(self) -> T:
        """Do the work."""
        token = _offers.set(self._offers)
        try:
            return self._work()
        finally:
            _offers.reset(token)

    @property
    def best(self) -> T | None:
        """What the work would return if it ended now; None if there is nothing yet."""
        found = None
        for make in reversed(tuple(self._offers)):
            found = make(found)
        return found
