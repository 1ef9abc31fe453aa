"""A study run: begun, or continued where it stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from fspielm.study.engines import Ended, Engine, SingleProcess, Task
from fspielm.study.lock import only_run
from fspielm.study.perform import needed_memory
from fspielm.study.plan import Plan
from fspielm.study.store import Store
from fspielm.study.subject import Bench


def run(
    plan: Plan,
    store: str | os.PathLike[str],
    *,
    starts: Callable[[Task], None] = lambda task: None,
    ends: Callable[[Ended], None] = lambda ended: None,
) -> None:
    """Solve what a plan has and its store has not.

    Parameters
    ----------
    plan : Plan
    store : path
        The study's file; begun if it is not there, else it must be of the same plan.
    starts, ends : callable
        Called when a solve begins, and when its outcome is on the disk.
    """
    place = Path(store)
    with only_run(place):
        if not place.exists():
            Store.create(place, plan, plan.terms()).close()
        with Store.open(place) as opened:
            opened.check_plan(plan)
            terms = opened.terms
            with SingleProcess(terms.threads) as engine:
                _run(opened, plan, engine, starts, ends)


def _run(
    store: Store, plan: Plan, engine: Engine, starts: Callable[[Task], None], ends: Callable[[Ended], None]
) -> None:
    for ended in engine.run(_tasks(store, plan), starts=starts):
        store.record(ended.task.job, ended.outcome, ended.environment)
        ends(ended)


def _tasks(store: Store, plan: Plan) -> Iterator[Task]:
    terms = store.terms

    @cache
    def bench(name: str) -> Bench:
        return plan.subjects[name].open()

    for job in store.missing():
        yield Task(job, plan.subjects[job.subject], terms, needed_memory(job, bench(job.subject), terms))
