"""Tasks that wait for a worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar, final

T = TypeVar("T")

# Tasks looked at for one that fits, beyond a first that does not.
_WINDOW = 64
# After so many that overtook it, the first is waited for.
_OVERTAKINGS = 16


@final
class Backlog(Generic[T]):
    """Tasks in their order, of which a small one may overtake a large one that has to wait for memory.

    Parameters
    ----------
    tasks : iterable
        Read as far as needed and no further: planning a task takes time.
    """

    def __init__(self, tasks: Iterable[T]) -> None:
        self._rest = iter(tasks)
        self._waiting: deque[T] = deque()
        self._overtaken = 0

    def __bool__(self) -> bool:
        return bool(self._waiting) or self._read()

    def put_first(self, task: T) -> None:
        """Take a task back, to be the next."""
        self._waiting.appendleft(task)

    def take(self, fits: Callable[[T], bool]) -> T | None:
        """The first task that fits, if there is one within sight."""
        place = 0
        while place < len(self._waiting) or (place < _WINDOW and self._read()):
            if fits(self._waiting[place]):
                self._overtaken = 0 if place == 0 else self._overtaken + 1
                task = self._waiting[place]
                del self._waiting[place]
                return task
            if self._overtaken >= _OVERTAKINGS:
                return None
            place += 1
        return None

    def _read(self) -> bool:
        for task in self._rest:
            self._waiting.append(task)
            return True
        return False
