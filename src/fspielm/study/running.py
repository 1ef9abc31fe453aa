"""A study run: begun, or continued where it stopped."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from fspielm.errors import ProblemError, WorkersWarning
from fspielm.features import check_count
from fspielm.machine import available_threads
from fspielm.study.engines import Cluster, Ended, Engine, SingleProcess, Task
from fspielm.study.job import Job
from fspielm.study.lock import only_run
from fspielm.study.perform import needed_memory
from fspielm.study.plan import Plan
from fspielm.study.store import Store, StoreError
from fspielm.study.subject import Bench
from fspielm.study.table import Table, read_table, take
from fspielm.study.terms import Terms


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
    """Solve what a plan has and its store has not.

    Parameters
    ----------
    plan : Plan
    store : path
        The study's file; begun if it is not there, else it must be of the same plan.
    workers : int, optional
        Processes on this machine that solve at the same time; one by default.
    scheduler : str, optional
        Address of a Dask scheduler whose workers solve, such as ``"tcp://127.0.0.1:8786"``, instead.
    retry_failed : bool
        Try again what has failed before.
    continue_from : path, optional
        A CSV file that `export_csv` wrote: what it has of this plan, and the store has not, is taken from there.
    starts, ends : callable
        Called when a solve begins, and when its outcome is on the disk.
    """
    if not isinstance(plan, Plan):
        raise ProblemError(
            f'plan must be a Plan, as of fs.study.read_plan or fs.study.builtin_plan("quick"); got {plan!r}'
        )
    check_staff(workers, scheduler)
    place = Path(store)
    known = None if continue_from is None else read_table(plan, continue_from)
    with only_run(place):
        if not place.exists() and scheduler is None:
            Store.create(place, plan, plan.terms()).close()
        if place.exists() and not _work_is_left(place, plan, known, retry_failed):
            return
        with _make_engine(plan, workers, scheduler) as engine:
            if not place.exists():
                Store.create(place, plan, _cluster_terms(plan, engine)).close()
                _work_is_left(place, plan, known, retry_failed)
            with Store.open(place) as opened:
                record_all(opened, engine, _tasks(opened, plan), starts, ends)


def check_staff(workers: Any, scheduler: Any) -> None:
    """Refuse a number of workers that is none, and workers of this machine beside those of a scheduler."""
    if workers is not None:
        check_count("workers", workers)
    if workers is not None and scheduler is not None:
        raise ProblemError(
            f"workers={workers} are those of this machine, scheduler={scheduler!r} has its own; give one"
        )


def _work_is_left(place: Path, plan: Plan, known: Table | None, retry_failed: bool) -> bool:
    """Whether solves are missing, once failed ones are taken back and those of a table are taken."""
    with Store.open(place) as opened:
        opened.check_plan(plan)
        if retry_failed:
            opened.forget_failures()
        if known is not None:
            take(opened, known)
        return bool(opened.missing())


def _make_engine(plan: Plan, workers: int | None, scheduler: str | None) -> Engine:
    if scheduler is not None:
        return Cluster(plan.threads, scheduler=scheduler)
    if workers is None or workers == 1:
        return SingleProcess(plan.threads)
    cores = available_threads()
    if workers * plan.threads > cores:
        fitting = max(1, cores // plan.threads)
        warnings.warn(
            f"workers={workers} with {plan.threads} threads each on {cores} cores slow each other down; "
            f"workers={fitting} would be faster",
            WorkersWarning,
            stacklevel=3,
        )
    return Cluster(plan.threads, workers=workers)


def _cluster_terms(plan: Plan, engine: Engine) -> Terms:
    terms = plan.terms()
    if isinstance(engine, Cluster) and plan.memory is None:
        # this machine's memory says nothing about theirs
        return replace(terms, memory=engine.largest, share=engine.part)
    return terms


def record_all(
    store: Store,
    engine: Engine,
    tasks: Iterable[Task],
    starts: Callable[[Task], None] = lambda task: None,
    ends: Callable[[Ended], None] = lambda ended: None,
) -> None:
    """Have an engine do the tasks of what is missing in a store, and keep each outcome there as it comes."""
    for ended in engine.run(tasks, starts=starts):
        try:
            store.record(ended.task.job, ended.outcome, ended.environment)
        except StoreError as error:
            raise StoreError(f"{error}; once it can be written to, the same call again goes on from there") from error
        ends(ended)


def _tasks(store: Store, plan: Plan) -> Iterator[Task]:
    terms = store.terms

    @cache
    def bench(name: str) -> Bench:
        return plan.subjects[name].open()

    def memory(job: Job) -> float:
        try:
            return needed_memory(job, bench(job.subject), terms)
        except ProblemError:
            # nothing is needed for a solve that will only say so itself
            return 0.0

    for job in store.missing():
        yield Task(job, plan.subjects[job.subject], terms, memory(job))
