"""The code that runs in a Dask worker: a task in, its outcome out, both as plain dictionaries.

A worker solves in a further process (`Sandbox`), as a run without workers does. Time limits, crashes and threads are
then handled the same everywhere, and the worker stays responsive.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

from fspielm.jobs.job import Job, Terms
from fspielm.jobs.sandbox import SLOW_SECONDS, Sandbox
from fspielm.jobs.subject import Subject
from fspielm.resources import physical_memory
from fspielm.version import __version__


def version() -> str:
    """The fspielm that is installed there."""
    return __version__


def describe(dask_worker: Any) -> dict[str, Any]:
    """Version, process, machine, memory and threads of a worker, which Dask supplies."""
    return {
        "version": __version__,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "memory": float(physical_memory()),
        "limit": float(dask_worker.memory_manager.memory_limit or 0) or None,
        "threads": dask_worker.state.nthreads,
    }


def solve(request: dict[str, Any]) -> dict[str, Any]:
    """Do a task.

    Parameters
    ----------
    request : dict
        ``job``, ``terms``, the subject's ``digest``, and ``subject`` itself unless this worker has it.

    Returns
    -------
    dict
        ``outcome`` and ``environment``; empty if the worker lacks the subject, which then has to be sent.
    """
    if "subject" in request:
        _SUBJECTS[request["digest"]] = Subject.from_dict(request["subject"])
    subject = _SUBJECTS.get(request["digest"])
    if subject is None:
        return {}
    terms = Terms(**request["terms"])
    with _POOL.sandbox(terms.threads) as sandbox:
        outcome = sandbox.perform(Job.from_dict(request["job"]), subject, terms, wanted=_Wanted().holds)
        return {"outcome": outcome.as_dict(), "environment": sandbox.environment}


class _Wanted:
    """Whether the task of this thread is still wanted: the study or the worker may have been stopped."""

    def __init__(self) -> None:
        from distributed import get_worker

        self._worker = get_worker()
        self._key = self._worker.get_current_task()

    def holds(self) -> bool:
        task = self._worker.state.tasks.get(self._key)
        closing = self._worker.status.name in ("closing", "closed", "failed")
        return task is not None and task.state == "executing" and not closing


class _Pool:
    """Idle processes, kept for the next tasks, and the timers that end them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: dict[Sandbox, Timer] = {}

    @contextmanager
    def sandbox(self, threads: int) -> Iterator[Sandbox]:
        with self._lock:
            known = next((one for one in self._idle if one.threads == threads), None)
            if known is not None:
                self._idle.pop(known).cancel()
        sandbox = known or Sandbox(threads)
        try:
            yield sandbox
        finally:
            # the study may be gone
            timer = Timer(SLOW_SECONDS, self._end, [sandbox])
            timer.daemon = True
            with self._lock:
                self._idle[sandbox] = timer
            timer.start()

    def _end(self, sandbox: Sandbox) -> None:
        with self._lock:
            timer = self._idle.pop(sandbox, None)
        if timer is not None:
            sandbox.close()


# Kept between the tasks of a worker process.
_POOL = _Pool()
_SUBJECTS: dict[str, Subject] = {}
