"""When work has to end and how much memory it may take: one value for everything below a call.

A `Deadline` is enforced for a block of code, as `numpy.errstate` is, and loops that may take long call
`check_deadline()`, however deep they are; no function needs an argument for it. `OutOfTime` is no `Exception`, so that
code which tries something else after a failure does not go on. Whoever began the work catches it and returns the best
result so far.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import final

from fspielm.errors import MemoryBudgetError, OutOfTime, TooLongError
from fspielm.wording import MORE_TIME, duration, readable_bytes, too_many_waves

# Bytes that are not worth asking the system how many there are.
_LITTLE = 2**22
# Wavelengths across a domain that are worth to be named.
MANY_WAVES = 300


@final
@dataclass(frozen=True)
class Deadline:
    """The moment at which work has to end, and the memory that the process may have by then.

    Attributes
    ----------
    end : float
        On the clock of `time.perf_counter`; nothing more begins after it.
    memory : float
        Bytes that the process may hold, with what it held before.
    grace : float
        Seconds after the end in which work that has begun may still be completed: infinite for a share of the time that
        work should keep to and is not cut off at.
    """

    end: float = float("inf")
    memory: float = float("inf")
    grace: float = 0.0

    @classmethod
    def within(cls, seconds: float | None = None, memory: float | None = None, grace: float = 0.0) -> Deadline:
        """So many seconds and bytes from now; no limit where there is no number."""
        end = float("inf") if seconds is None else perf_counter() + seconds
        return cls(end, float("inf") if memory is None else resident_memory() + memory, grace)

    @property
    def seconds_left(self) -> float:
        """Until the end; negative after it."""
        return self.end - perf_counter()

    def tightened(self, other: Deadline) -> Deadline:
        """The tighter of both limits."""
        end = min(self.end, other.end)
        cut = min(self.end + self.grace, other.end + other.grace)
        return Deadline(end, min(self.memory, other.memory), cut - end if end < float("inf") else 0.0)

    def share(self, share: float) -> Deadline:
        """A share of the time that is left."""
        return Deadline(perf_counter() + share * self.seconds_left, self.memory, self.grace)

    @contextmanager
    def enforced(self) -> Iterator[Deadline]:
        """Enforce it for a block of code, together with the one that is enforced around the block."""
        tighter = self.tightened(current_deadline())
        token = _current.set(tighter)
        try:
            yield tighter
        finally:
            _current.reset(token)


_current = ContextVar("deadline", default=Deadline())  # noqa: B039  (immutable)


def current_deadline() -> Deadline:
    """The one that is enforced here; without limits by default."""
    return _current.get()


def check_deadline() -> None:
    """Raise `OutOfTime` if the enforced deadline and its grace are over; it costs less than a microsecond."""
    limit = _current.get()
    if perf_counter() > limit.end + limit.grace:
        raise OutOfTime


@contextmanager
def limited_to(share: float, what: str) -> Iterator[None]:
    """Enforce a share of the time that is left, for work that something else may stand for.

    Raises
    ------
    TooLongError
        Where the work takes longer, and there is time for something else.
    """
    part = current_deadline().share(share)
    seconds = part.seconds_left
    try:
        with part.enforced():
            yield
    except OutOfTime:
        check_deadline()
        raise TooLongError(f"{what} needs more than {duration(seconds)}; {MORE_TIME}") from None


def reserve_memory(nbytes: float, what: str = "this step") -> None:
    """Raise `MemoryBudgetError` if so many bytes more would exceed the memory that the enforced deadline allows."""
    if nbytes < _LITTLE:
        return
    left = memory_left()
    if nbytes > left:
        raise MemoryBudgetError(
            f"{what} needs {readable_bytes(nbytes)} of memory; {readable_bytes(max(left, 0))} of the budget remain"
        )


def reserve_waves(waves: float, functions: float, dimension: int) -> None:
    """Raise `MemoryBudgetError` if very many waves across a domain need a matrix of functions beyond what is left."""
    if waves > MANY_WAVES and (memory := 16 * functions**2) > (left := max(memory_left(), 1.0)):
        raise MemoryBudgetError(too_many_waves(waves, functions, memory, left, dimension))


def memory_left() -> float:
    """Bytes that the process may hold beside those that it holds now, as the enforced deadline allows."""
    limit = _current.get().memory
    return limit if limit == float("inf") else limit - resident_memory()


def resident_memory() -> int:
    """Bytes of memory that this process holds now, or the most it has held where the system tells no more."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource  # not on Windows
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
