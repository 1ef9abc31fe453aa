"""Tasks for engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import psutil
import pytest

from fspielm.jobs import Job, Subject, Task
from fspielm.jobs.job import Terms

MakeTask = Callable[..., Task]


@pytest.fixture(scope="session")
def make_task() -> MakeTask:
    """Tasks of a moment, or of as long as wished: 3000 neurons are many seconds."""

    def make(
        seed: int = 0,
        *,
        subject: str = "poisson-1d",
        neurons: int = 150,
        seconds: float | None = None,
        memory: float = 1e6,
        allowed: float = 4e9,
    ) -> Task:
        job = Job(subject, "fs-l", seed, (5.0, 60.0), neurons, "svd 1e-12", "none")
        return Task(job, Subject(subject), Terms(1, allowed, allowed, seconds, 1e-8), memory)

    return make


def processes(module: str) -> list[psutil.Process]:
    """Those that this test process, or one that it started, has started to run a module."""
    return [one for one in psutil.Process().children(recursive=True) if module in _command(one)]


def kill_all(victims: Iterable[psutil.Process]) -> None:
    for one in victims:
        one.kill()


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.fixture(scope="session")
def kill() -> Callable[..., None]:
    """Kill every process that runs a module, or so many of them."""
    return lambda module, most=None: kill_all(processes(module)[:most])
