"""Threads, memory, and tasks spread over them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fspielm.resources import all_threads, available_threads, calm, physical_memory, run_tasks, set_threads, threads

GIB = 2**30


# --- what there is ------------------------------------------------------------------------------


def test_threads_are_those_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= available_threads() <= (os.cpu_count() or 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 7}, raising=False)
    assert available_threads() == 3


def test_threads_without_an_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert available_threads() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_threads() == 1


def test_memory_is_that_of_the_machine() -> None:
    assert GIB / 4 < physical_memory() < 2**50


def machine(monkeypatch: pytest.MonkeyPatch, total: int | Exception, limits: dict[str, str] | None = None) -> None:
    """Pretend to be a machine with so much memory and such control groups."""

    def sysconf(name: str) -> int:
        if isinstance(total, Exception):
            raise total
        return total // 4096 if name == "SC_PHYS_PAGES" else 4096

    def read_text(self: Path, *_: Any, **__: Any) -> str:
        if str(self) not in (limits or {}):
            raise FileNotFoundError(str(self))
        return (limits or {})[str(self)]

    monkeypatch.setattr(os, "sysconf", sysconf, raising=False)
    monkeypatch.setattr(Path, "read_text", read_text)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, 32 * GIB),
        ({"/sys/fs/cgroup/memory.max": "max\n"}, 32 * GIB),
        ({"/sys/fs/cgroup/memory.max": f"{4 * GIB}\n"}, 4 * GIB),
        ({"/sys/fs/cgroup/memory/memory.limit_in_bytes": f"{2 * GIB}\n"}, 2 * GIB),
        ({"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 32 * GIB),
        ({"/sys/fs/cgroup/memory.max": "nonsense"}, 32 * GIB),
    ],
)
def test_memory_of_a_container(monkeypatch: pytest.MonkeyPatch, limits: dict[str, str], expected: int) -> None:
    machine(monkeypatch, 32 * GIB, limits)
    assert physical_memory() == expected


@pytest.mark.parametrize("error", [ValueError("unrecognized"), OSError("no"), AttributeError("sysconf")])
def test_memory_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    machine(monkeypatch, error)
    assert physical_memory() == 8 * GIB


# --- tasks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_every_task_runs_once(threads: int) -> None:
    done: list[int] = []
    run_tasks([partial(done.append, i) for i in range(100)], threads)
    assert sorted(done) == list(range(100))


@pytest.mark.parametrize("threads", [1, 2])
def test_no_tasks_are_no_trouble(threads: int) -> None:
    run_tasks([], threads)


def test_one_thread_is_the_callers_own() -> None:
    seen: list[int] = []
    run_tasks([lambda: seen.append(threading.get_ident())] * 3, 1)
    assert set(seen) == {threading.get_ident()}


def test_tasks_run_side_by_side() -> None:
    barrier = threading.Barrier(3, timeout=300)  # breaks unless three tasks wait at the same time
    run_tasks([lambda: barrier.wait() and None] * 3, 3)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_reaches_the_caller_and_drops_the_rest(
    threads: int, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    dropped = threading.Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            dropped.set()
            super().shutdown(wait=wait)

    def fail() -> None:
        raise error("early")

    def slow(i: int) -> None:
        dropped.wait(300)
        done.append(i)

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Pool)
    tasks: list[Callable[[], None]] = [fail, *(partial(slow, i) for i in range(400))]
    before = threading.active_count()
    with pytest.raises(error, match="early"):
        run_tasks(tasks, threads)
    # only what had been begun is finished, and nothing goes on in the background
    assert len(done) <= threads
    assert threading.active_count() == before


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Two threads of BLAS, however many tests have otherwise."""
    before = threads()
    set_threads(2)
    if threads() != 2:
        pytest.skip("this BLAS has one thread")
    yield
    set_threads(before or 1)


@pytest.mark.usefixtures("two_threads")
def test_short_work_takes_one_thread_and_long_work_all() -> None:
    with calm():
        assert threads() == 1
        with all_threads():
            assert threads() == 2
            with calm():
                assert threads() == 1
            assert threads() == 2
        with calm(), all_threads():
            assert threads() == 2
        assert threads() == 1
    assert threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_calm_work_of_two_callers_leaves_the_threads_as_they_were() -> None:
    first, second = calm(), calm()
    first.__enter__()
    second.__enter__()
    with all_threads():
        assert threads() == 2
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert threads() == 2
