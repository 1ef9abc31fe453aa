"""What the machine offers, and how work is spread over it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextvars import copy_context
from pathlib import Path

from fspielm.deadline import check_deadline

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
