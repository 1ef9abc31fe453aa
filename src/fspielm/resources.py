"""What a computation may use: time until a deadline, memory, and threads."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from time import perf_counter
from typing import Any, TypeVar, final

import scipy

from fspielm.errors import MemoryBudgetError, OutOfTime, TooLongError
from fspielm.wording import MORE_TIME, duration, readable_bytes, too_many_waves

# ---- Deadlines
# A `Deadline` is enforced for a block of code, as `numpy.errstate` is. Long loops call `check_deadline()` at any depth;
# no function needs an argument for it. `OutOfTime` is no `Exception`, so that fallbacks after a failure do not continue
# the work. The function that began the work catches it and returns the best result so far.

# Smaller requests for memory are not checked.
_LITTLE = 2**22
# Number of wavelengths across a domain from which messages mention it.
MANY_WAVES = 300


@final
@dataclass(frozen=True)
class Deadline:
    """The time at which work has to end, and the memory that the process may hold."""

    # on the clock of `time.perf_counter`; no work begins after it
    end: float = float("inf")
    # bytes that the process may hold in all
    memory: float = float("inf")
    # seconds after the end in which work that has begun may be completed; infinite to let it complete in any case
    grace: float = 0.0

    @classmethod
    def within(cls, seconds: float | None = None, memory: float | None = None, grace: float = 0.0) -> Deadline:
        """A deadline some seconds and bytes from now; None means no limit."""
        end = float("inf") if seconds is None else perf_counter() + seconds
        return cls(end, float("inf") if memory is None else resident_memory() + memory, grace)

    @property
    def seconds_left(self) -> float:
        """Seconds until the end; negative after it."""
        return self.end - perf_counter()

    def tightened(self, other: Deadline) -> Deadline:
        """The tighter limits of both."""
        end = min(self.end, other.end)
        cut = min(self.end + self.grace, other.end + other.grace)
        return Deadline(end, min(self.memory, other.memory), cut - end if end < float("inf") else 0.0)

    def share(self, share: float) -> Deadline:
        """A deadline after a share of the time left."""
        return Deadline(perf_counter() + share * self.seconds_left, self.memory, self.grace)

    @contextmanager
    def enforced(self) -> Iterator[Deadline]:
        """Enforce it for a block of code, together with the deadline around the block."""
        tighter = self.tightened(current_deadline())
        token = _current.set(tighter)
        try:
            yield tighter
        finally:
            _current.reset(token)


_current = ContextVar("deadline", default=Deadline())  # noqa: B039  (immutable)


def current_deadline() -> Deadline:
    """The deadline that is enforced here; without limits by default."""
    return _current.get()


def check_deadline() -> None:
    """Raise `OutOfTime` if the enforced deadline and its grace have passed; takes less than a microsecond."""
    limit = _current.get()
    if perf_counter() > limit.end + limit.grace:
        raise OutOfTime


@contextmanager
def limited_to(share: float, what: str) -> Iterator[None]:
    """Enforce a share of the time left, for work with an alternative; raise `TooLongError` if it takes longer."""
    part = current_deadline().share(share)
    seconds = part.seconds_left
    try:
        with part.enforced():
            yield
    except OutOfTime:
        check_deadline()
        raise TooLongError(f"{what} needs more than {duration(seconds)}; {MORE_TIME}") from None


def reserve_memory(nbytes: float, what: str = "this step") -> None:
    """Raise `MemoryBudgetError` if `nbytes` more would exceed the memory of the enforced deadline."""
    if nbytes < _LITTLE:
        return
    left = memory_left()
    if nbytes > left:
        raise MemoryBudgetError(
            f"{what} needs {readable_bytes(nbytes)} of memory; {readable_bytes(max(left, 0))} of the budget remain"
        )


def reserve_waves(waves: float, functions: float, dimension: int) -> None:
    """Raise `MemoryBudgetError` if very many waves across a domain need a matrix larger than the memory left."""
    if waves > MANY_WAVES and (memory := 16 * functions**2) > (left := max(memory_left(), 1.0)):
        raise MemoryBudgetError(too_many_waves(waves, functions, memory, left, dimension))


def memory_left() -> float:
    """Bytes that the process may allocate under the enforced deadline."""
    limit = _current.get().memory
    return limit if limit == float("inf") else limit - resident_memory()


def resident_memory() -> int:
    """Bytes of memory that this process holds; its peak on systems that report only this."""
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


# ---- Memory and threads of the machine

_FALLBACK_MEMORY = 8 * 2**30
_SIZE = re.compile(r"(\d+\.?\d*(?:e\d+)?) ?(?:([kmgt])(i)?)?b?", re.IGNORECASE)


def available_threads() -> int:
    """Number of processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def physical_memory() -> int:
    """Bytes of memory of the machine, or of the container of this process."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        total = _FALLBACK_MEMORY
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            total = min(total, int(Path(limit).read_text()))
        except (OSError, ValueError):
            continue  # no such control group, or "max": no limit
    return total


def read_size(text: str) -> float | None:
    """Bytes of a size such as ``500MB`` or ``4GiB``; None for other text."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, prefix, binary = match.groups()
    return float(number) * (1024.0 if binary else 1000.0) ** " kmgt".index((prefix or " ").lower())


def run_tasks(tasks: Iterable[Callable[[], None]], threads: int) -> None:
    """Run independent tasks on `threads` threads; a failure, the deadline or Ctrl-C drops those not yet begun."""

    def run(task: Callable[[], None]) -> None:
        check_deadline()
        task()

    tasks = list(tasks)
    if min(threads, len(tasks)) <= 1:
        for task in tasks:
            run(task)
        return
    from concurrent.futures import ThreadPoolExecutor  # rarely needed

    with ThreadPoolExecutor(threads) as pool:
        try:
            for future in [pool.submit(copy_context().run, run, task) for task in tasks]:
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


# ---- Threads of the linear algebra library


def library() -> str:
    """Name and version of the BLAS that SciPy uses."""
    try:
        blas: dict[str, Any] = scipy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    except (KeyError, TypeError):
        return "unknown"
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def threads() -> int | None:
    """The largest number of threads of any loaded BLAS; None if none reports it."""
    return max((int(loaded["num_threads"]) for loaded in _controller().info()), default=None)


def set_threads(count: int) -> bool:
    """Limit every BLAS to `count` threads from now on; return whether any could be limited."""
    controller = _controller()
    controller.limit(limits=count)
    return bool(controller.lib_controllers)


@contextmanager
def limited(count: int) -> Iterator[None]:
    """Limit every BLAS to `count` threads in a block, and never to more than before."""
    controller = _controller()
    before = threads()
    with controller.limit(limits=count if before is None else min(count, before)):
        yield


@dataclass
class _Calm:
    """The blocks of `calm` that the process is in, in any thread, and the threads of BLAS before the first of them."""

    blocks: int = 0
    before: int | None = None


_calm, _calm_lock = _Calm(), Lock()


@contextmanager
def calm() -> Iterator[None]:
    """Limit every BLAS to one thread in a block: threads of short calls wait for one another on a busy machine."""
    with _calm_lock:
        at_entry = threads()
        if not _calm.blocks:
            _calm.before = at_entry
        _calm.blocks += 1
        set_threads(1)
    try:
        yield
    finally:
        with _calm_lock:
            _calm.blocks -= 1
            # other threads of the process may have entered before, and left
            back = at_entry if _calm.blocks else _calm.before
            if back is not None:
                set_threads(back)


@contextmanager
def all_threads() -> Iterator[None]:
    """Give long work in a block of `calm` the threads from before it."""
    at_entry = threads()
    if at_entry is None:
        yield
        return
    set_threads(_calm.before if _calm.blocks and _calm.before else at_entry)
    try:
        yield
    finally:
        set_threads(at_entry)


# Fewer operations take about a second on one thread, and many on several where the machine is busy.
_SHORT = 1e10


def threads_for(operations: float) -> AbstractContextManager[None]:
    """A block with the threads of BLAS that suit so many floating-point operations."""
    return calm() if operations < _SHORT else all_threads()


@cache
def _controller() -> Any:
    """The controller of every loaded BLAS; NumPy and SciPy may each have their own."""
    # imported here, since it searches all libraries of the process
    from threadpoolctl import ThreadpoolController

    scipy.linalg.get_lapack_funcs  # noqa: B018 (SciPy loads its library at the first access)
    return ThreadpoolController().select(user_api="blas")


# ---- Interruptible work

T = TypeVar("T")

# How often a thread that waits for a long work looks whether it is to be given up.
LISTEN_SECONDS = 0.1


def run_interruptibly(function: Callable[[], T]) -> T:
    """Call `function` in its own thread and wait for its result or exception.

    Python handles Ctrl-C in the main thread between two of its instructions, and one call into LAPACK can take a
    minute; here the main thread is free to listen. After Ctrl-C the other thread goes on: let it only compute, and
    write its results from the main thread.
    """
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    thread = Thread(target=copy_context().run, args=[work], name="fspielm-work", daemon=True)
    thread.start()
    while thread.is_alive():
        # with a time limit: without one, Windows would not deliver Ctrl-C
        thread.join(LISTEN_SECONDS)
    return future.result()
