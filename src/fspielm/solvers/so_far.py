"""What a call has found so far, for whoever interrupts it: Ctrl-C, or another thread.

Every level of a computation offers what it would return if it ended now, made of what the level below offers. Nothing
of it is computed unless someone asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeAlias, TypeVar, final

from fspielm.errors import SolveInterrupted

T = TypeVar("T")
Offer: TypeAlias = Callable[[Any], Any]

# Why nothing followed, of what was found so far.
INTERRUPTED = "it was interrupted"

# The offers of all levels, the outermost first, and how many of them are around the code that runs.
_current: ContextVar[tuple[list[Offer], int] | None] = ContextVar("offers", default=None)


@contextmanager
def offering(found: Offer, name: str = "") -> Iterator[None]:
    """During a block of code, offer what `found` makes of the best so far of what the block calls.

    That is None where there is nothing yet. An offer holds until the next one of its level, so that nothing is lost
    between the end of a block and what follows. With the `name` of an attribute of `SolveInterrupted`, Ctrl-C in the
    block raises that.
    """
    offers, depth = _current.get() or ([], 0)
    offers[depth:] = [found]
    token = _current.set((offers, depth + 1))
    try:
        yield
    except KeyboardInterrupt:
        if not name:
            raise
        raise SolveInterrupted(**{name: _best(offers[depth:])}) from None
    finally:
        _current.reset(token)


@final
class Watched(Generic[T]):
    """Work that another thread can ask for the best so far, without waiting for the work."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._offers: list[Offer] = []

    def __call__(self) -> T:
        """Do the work."""
        token = _current.set((self._offers, 0))
        try:
            return self._work()
        finally:
            _current.reset(token)

    @property
    def best(self) -> T | None:
        """What the work would return if it ended now; None if there is nothing yet."""
        found: T | None = _best(tuple(self._offers))
        return found


def _best(offers: Sequence[Offer]) -> Any:
    found = None
    for make in reversed(offers):
        found = make(found)
    return found
