"""Run a study: begin it, or continue where it stopped."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from fspielm.basis.random.families import check_count
from fspielm.disk import describe
from fspielm.errors import ProblemError, WorkersWarning
from fspielm.jobs.engines.cluster import Cluster
from fspielm.jobs.engines.engine import Ended, Engine, Processes, Task
from fspielm.jobs.job import MEMORY_SHARE, Job, Terms
from fspielm.jobs.perform import needed_memory
from fspielm.jobs.plan import AnyPlan, Plan
from fspielm.jobs.store import Store, StoreError
from fspielm.jobs.subject import Bench
from fspielm.jobs.table import read_table, take
from fspielm.resources import available_threads, physical_memory

# ---- One run of a study at a time


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def only_run(store: Path) -> Iterator[None]:
    """Lock a study for this process; refused while another process has the lock.

    The operating system holds the lock, on a file beside the store, and releases it when the process ends in any way.
    The file stays beside a study, and is removed if no study was created.
    """
    # two names of one file share a lock
    place = store.resolve()
    path = _lock_path(place)
    while (handle := _hold(path, store)) is None:
        pass  # its last holder removed the file meanwhile
    try:
        yield
    finally:
        if not place.exists() and os.name != "nt":
            path.unlink(missing_ok=True)
        os.close(handle)


def _hold(path: Path, store: Path) -> int | None:
    """The handle of the locked file; None if the file was replaced, as another process may then lock the new one."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise ProblemError(f"cannot write beside {str(store)!r}: {describe(error)}") from error
    try:
        _lock(handle)
    except OSError:
        os.close(handle)
        raise ProblemError(
            f"another run is working on {str(store)!r}; 'fspielm study status {store}' shows how far it is"
        ) from None
    try:
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except FileNotFoundError:
        pass
    os.close(handle)
    return None


def is_running(store: Path) -> bool:
    """Whether a study is being run at this moment."""
    place = store.resolve()
    if not _lock_path(place).exists():
        return False
    try:
        with only_run(place):
            return False
    except ProblemError:
        return True


def _lock_path(place: Path) -> Path:
    return place.with_name(f".{place.name}.lock")


# ---- Run a study


@contextmanager
def opened_store(
    place: Path,
    plan: AnyPlan,
    terms: Callable[[], Terms],
    check: Callable[[Store], None],
    *,
    retry_failed: bool,
) -> Iterator[Store]:
    """The store of a plan, which no other process may run meanwhile; created on these terms if it does not exist."""
    with only_run(place):
        if not place.exists():
            Store.create(place, plan, terms()).close()
        with Store.open(place) as store:
            check(store)
            if retry_failed:
                store.forget_failures()
            yield store


def run(
    plan: Plan,
    store: str | os.PathLike[str],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    continue_from: str | os.PathLike[str] | None = None,
    starts: Callable[[Task], None] = lambda task: None,
    ends: Callable[[Ended], None] = lambda ended: None,
) -> None:
    """Solve what is in a plan and not yet in its store.

    Parameters
    ----------
    plan : Plan
    store : path
        The study's file. It is created if it does not exist; else it must belong to the same plan.
    workers : int, optional
        Processes on this machine that solve at the same time; one by default.
    scheduler : str, optional
        Address of a Dask scheduler whose workers solve instead, such as ``"tcp://127.0.0.1:8786"``.
    retry_failed : bool
        Whether failed solves are tried again.
    continue_from : path, optional
        A CSV file that `export_csv` wrote: solves of this plan that the store lacks are taken from it.
    starts, ends : callable
        Called when a solve begins, and when its outcome is on the disk.
    """
    if not isinstance(plan, Plan):
        raise ProblemError(
            f'plan must be a Plan, as of fs.study.read_plan or fs.study.builtin_plan("quick"); got {plan!r}'
        )
    check_workers(workers, scheduler)
    place = Path(store)
    known = None if continue_from is None else read_table(plan, continue_from)
    with ExitStack() as stack:
        engines: list[Engine] = []

        def terms() -> Terms:
            if scheduler is None:
                return plan.terms()
            cluster = Cluster(plan.threads, scheduler)
            engines.append(stack.enter_context(cluster))
            # of the workers' machines, not of this one
            own: dict[str, Any] = {"memory": cluster.largest, "share": cluster.part} if plan.memory is None else {}
            return replace(plan.terms(), **own)

        opened = stack.enter_context(
            opened_store(place, plan, terms, lambda store: store.check_plan(plan), retry_failed=retry_failed)
        )
        if known is not None:
            take(opened, known)
        if opened.missing():
            engine = engines[0] if engines else stack.enter_context(_make_engine(plan, workers, scheduler))
            record_all(opened, engine, tasks_of(opened, plan), starts, ends)


def check_workers(workers: Any, scheduler: Any) -> None:
    """Refuse an invalid number of workers, and workers of this machine beside those of a scheduler."""
    if workers is not None:
        check_count("workers", workers)
    if workers is not None and scheduler is not None:
        raise ProblemError(
            f"workers={workers} are those of this machine, scheduler={scheduler!r} has its own; give one"
        )


def _make_engine(plan: Plan, workers: int | None, scheduler: str | None) -> Engine:
    if scheduler is not None:
        return Cluster(plan.threads, scheduler)
    workers, cores = workers or 1, available_threads()
    if workers > 1 and workers * plan.threads > cores:
        fitting = max(1, cores // plan.threads)
        warnings.warn(
            f"workers={workers} with {plan.threads} threads each on {cores} cores slow each other down; "
            f"workers={fitting} would be faster",
            WorkersWarning,
            stacklevel=3,
        )
    return Processes(workers, plan.threads, MEMORY_SHARE * physical_memory())


def record_all(
    store: Store,
    engine: Engine,
    tasks: Iterable[Task],
    starts: Callable[[Task], None] = lambda task: None,
    ends: Callable[[Ended], None] = lambda ended: None,
) -> None:
    """Have an engine do tasks, and record each outcome in a store as it comes."""
    for ended in engine.run(tasks, starts=starts):
        try:
            store.record(ended.task.job, ended.outcome, ended.environment)
        except StoreError as error:
            raise StoreError(f"{error}; once it can be written to, the same call again goes on from there") from error
        ends(ended)


def tasks_of(store: Store, plan: Plan) -> Iterator[Task]:
    """The solves of a plan that its store lacks, with the memory that each needs."""
    terms = store.terms

    @cache
    def bench(name: str) -> Bench:
        return plan.subjects[name].open()

    def memory(job: Job) -> float:
        try:
            return needed_memory(job, bench(job.subject), terms)
        except ProblemError:
            # the solve will fail with the same error
            return 0.0

    for job in store.missing():
        yield Task(job, plan.subjects[job.subject], terms, memory(job))
