"""Tasks for engines."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

import psutil
import pytest
from distributed import LocalCluster

from fspielm.jobs import Cluster, Job, Subject, Task
from fspielm.jobs.engines.connection import no_warnings
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


@contextmanager
def _scheduler() -> Iterator[str]:
    """The address of a scheduler in this process."""
    options = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}, "silence_logs": False}
    with no_warnings(), LocalCluster(n_workers=0, processes=True, host="127.0.0.1", **options) as cluster:
        yield str(cluster.scheduler_address)


@pytest.fixture
def address() -> Iterator[str]:
    """Of a scheduler without workers."""
    with _scheduler() as address:
        yield address


WORKER = "distributed.cli.dask_worker"


@contextmanager
def _worker(address: str) -> Iterator[None]:
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0", "--death-timeout", "60"]
    command = [sys.executable, "-m", WORKER, address, *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


@pytest.fixture(scope="session")
def worker() -> Callable[[str], object]:
    """A worker for the scheduler at an address, while a block lasts."""
    return _worker


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Cluster]:
    """An engine with two workers of a scheduler."""
    with ExitStack() as stack:
        address = stack.enter_context(_scheduler())
        for _ in range(2):
            stack.enter_context(_worker(address))
        engine = stack.enter_context(Cluster(1, address))
        while len(engine._pool.hosts) < 2:
            engine._pool.next_event()
        yield engine
