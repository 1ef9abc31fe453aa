"""What was worked out last, for several that ask for the same thing one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, final

T = TypeVar("T")


@final
class Latest(Generic[T]):
    """Remembers the last result of some work, and the objects that it was for."""

    def __init__(self) -> None:
        self._known: tuple[tuple[object, ...], T] | None = None

    def __call__(self, work: Callable[[], T], *subjects: object) -> T:
        """The result for these objects, which are those of the last time if they are the very same."""
        known = self._known  # which another thread may change at any time
        if known is None or not all(one is other for one, other in zip(subjects, known[0], strict=True)):
            known = self._known = subjects, work()
        return known[1]
