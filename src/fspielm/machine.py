"""Threads, memory, and the linear algebra library's own threads."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import scipy

from fspielm.deadline import check_deadline

# ---- What the machine offers, and how work is spread over it


_FALLBACK_MEMORY = 8 * 2**30
_SIZE = re.compile(r"(\d+\.?\d*(?:e\d+)?) ?(?:([kmgt])(i)?)?b?", re.IGNORECASE)


def available_threads() -> int:
    """Number of processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def physical_memory() -> int:
    """Bytes of memory of the machine, or of the container this process is confined to."""
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
    """Bytes of a size such as ``500MB`` or ``4GiB``; None where it is none."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, prefix, binary = match.groups()
    return float(number) * (1024.0 if binary else 1000.0) ** " kmgt".index((prefix or " ").lower())


def run_tasks(tasks: Iterable[Callable[[], None]], threads: int) -> None:
    """Run independent tasks on `threads` threads until the enforced deadline.

    The first failure, the deadline or Ctrl-C drops those not yet begun.
    """

    def run(task: Callable[[], None]) -> None:
        check_deadline()
        task()

    tasks = list(tasks)
    if min(threads, len(tasks)) <= 1:  # a pool for one task is the dearer part of it
        for task in tasks:
            run(task)
        return
    from concurrent.futures import ThreadPoolExecutor  # not needed before there is much to do

    with ThreadPoolExecutor(threads) as pool:
        try:
            for future in [pool.submit(copy_context().run, run, task) for task in tasks]:
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


# ---- The threads of the linear algebra libraries, which have their own setting


def library() -> str:
    """Name and version of the BLAS that SciPy, and with it every least-squares solve, uses."""
    try:
        blas: dict[str, Any] = scipy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    except (KeyError, TypeError):
        return "unknown"
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def threads() -> int | None:
    """How many threads they use, the most of any; None where none of them says so."""
    return max((int(loaded["num_threads"]) for loaded in _controller().info()), default=None)


def set_threads(count: int) -> bool:
    """Limit them to `count` threads from now on; whether there was one that could be."""
    controller = _controller()
    controller.limit(limits=count)
    return bool(controller.lib_controllers)


@contextmanager
def limited(count: int) -> Iterator[None]:
    """At most `count` threads within, as few as before at most: where work is spread over threads of its own."""
    controller = _controller()
    before = threads()
    with controller.limit(limits=count if before is None else min(count, before)):
        yield


@cache
def _controller() -> Any:
    """What speaks to every BLAS that is loaded; NumPy and SciPy may each have their own."""
    # imported here: it looks through all libraries of the process, and few processes ask
    from threadpoolctl import ThreadpoolController

    scipy.linalg.get_lapack_funcs  # noqa: B018 (SciPy loads its library when it is first touched)
    return ThreadpoolController().select(user_api="blas")


# ---- Long computations that Ctrl-C ends at once


T = TypeVar("T")

_LISTEN_SECONDS = 0.1


def run_interruptibly(function: Callable[[], T]) -> T:
    """Call `function` in a thread of its own and wait for its result, or its exception.

    Python answers Ctrl-C in the main thread and between two of its own instructions, and one call into LAPACK
    can take a minute. With the work elsewhere, the main thread is free to listen. After Ctrl-C the thread is
    left to itself: only let it compute, and write its results from the main thread.
    """
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    thread = Thread(target=work, name="fspielm-work", daemon=True)
    thread.start()
    while thread.is_alive():
        # with a time limit: without one, Windows would not deliver Ctrl-C
        thread.join(_LISTEN_SECONDS)
    return future.result()
