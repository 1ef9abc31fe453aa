"""A process for solves, kept alive between them and replaced when it dies or takes too long."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from threading import Thread
from time import perf_counter
from types import TracebackType
from typing import Any

from fspielm.study.job import Job
from fspielm.study.outcome import Outcome, failure
from fspielm.study.process import start_module
from fspielm.study.subject import Subject
from fspielm.study.terms import Terms

# Beyond a solve's time limit: measuring, and what the solver does not count. At most:
_GRACE_SECONDS = 30.0
# How often it is asked whether a solve is still wanted.
_ASK_SECONDS = 1.0
_MODULE = "fspielm.study.child"
_BLAS_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class Sandbox:
    """Solves jobs one after the other in a process of its own.

    Parameters
    ----------
    threads : int
        Of the linear algebra there.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._process: subprocess.Popen[str] | None = None
        self._answers: Queue[str | None] = Queue()
        self._told: set[str] = set()
        # the job in hand: when it was begun, its limit, and why it could not be
        self._begun = 0.0
        self._seconds: float | None = None
        self._stillborn: str | None = None
        self.environment: dict[str, str] = {}

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def perform(self, job: Job, subject: Subject, terms: Terms, *, wanted: Callable[[], bool] | None = None) -> Outcome:
        """Solve a job; the death of the process, or too long a time, is a failed outcome.

        Parameters
        ----------
        job : Job
        subject : Subject
        terms : Terms
        wanted : callable, optional
            Asked now and then; the solve is given up as soon as it is no longer wanted.
        """
        self.begin(job, subject, terms)
        return self.finish(wanted=wanted)

    def begin(self, job: Job, subject: Subject, terms: Terms) -> None:
        """Have a job solved while this process does something else; `finish` must follow."""
        self._begun, self._seconds, self._stillborn = perf_counter(), terms.seconds, None
        request = {"job": job.as_dict(), "terms": terms.as_dict(), "digest": subject.digest}
        with self._ended_by_errors():
            try:
                self._start()
                # a problem file with its reference may be large, and the process keeps it
                self._send(request if subject.digest in self._told else request | {"subject": subject.as_dict()})
                self._told.add(subject.digest)
            except _GivenUpError as reason:
                self.close()
                self._stillborn = str(reason)

    def finish(self, *, wanted: Callable[[], bool] | None = None) -> Outcome:
        """The outcome of the job begun."""
        if self._stillborn is not None:
            return failure(self._stillborn, perf_counter() - self._begun)
        with self._ended_by_errors():
            try:
                answer = self._receive(None if self._seconds is None else self._begun + _limit(self._seconds), wanted)
            except TimeoutError:
                self.close()
                return failure(f"took longer than the plan's {self._seconds:g} s", perf_counter() - self._begun)
            except _GivenUpError as reason:
                self.close()
                return failure(str(reason), perf_counter() - self._begun)
            return Outcome.from_dict(answer["outcome"])

    @contextmanager
    def _ended_by_errors(self) -> Iterator[None]:
        """Whatever interrupts us ends the process: its answer would be taken for that of the next job."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        # one that died since its last answer has done no harm to this job
        self.close()
        self._answers = Queue()
        self._told = set()
        started: Queue[subprocess.Popen[str] | OSError] = Queue()
        Thread(target=_keep, args=(self.threads, started, self._answers), daemon=True).start()
        process = started.get()
        if isinstance(process, OSError):
            raise _GivenUpError(f"the process that solves cannot be started: {process}")
        self._process = process
        self.environment = self._receive()["environment"]

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise _GivenUpError(self._epitaph()) from None

    def _receive(self, end: float | None = None, wanted: Callable[[], bool] | None = None) -> dict[str, Any]:
        line = self._next_line(end, wanted)
        if line is None:
            raise _GivenUpError(self._epitaph())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _next_line(self, end: float | None, wanted: Callable[[], bool] | None) -> str | None:
        while True:
            left = None if end is None else max(end - perf_counter(), 0.0)
            patience = left if wanted is None else min(_ASK_SECONDS, _ASK_SECONDS if left is None else left)
            try:
                return self._answers.get(timeout=patience)
            except Empty:
                if end is not None and perf_counter() >= end:
                    raise TimeoutError from None
                if wanted is not None and not wanted():
                    raise _GivenUpError("no longer wanted") from None

    def _epitaph(self) -> str:
        assert self._process is not None
        status = self._process.wait()
        if status == -signal.SIGKILL:
            return "the process was killed, most likely by the system for lack of memory"
        ended = f"by signal {-status}" if status < 0 else f"with status {status}"
        return f"the process that solved it ended {ended}"


class _GivenUpError(Exception):
    """There will be no answer: the process is gone, or nobody waits for one."""


def _limit(seconds: float) -> float:
    """When a process is ended that should have kept to so many seconds."""
    return seconds + min(_GRACE_SECONDS, 2.0 + seconds / 2)


def _keep(threads: int, started: Queue[subprocess.Popen[str] | OSError], answers: Queue[str | None]) -> None:
    """Start the process and pass its lines on until it ends."""
    try:
        process = start_module(
            _MODULE,
            environment=dict.fromkeys(_BLAS_VARIABLES, str(threads)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    except OSError as error:
        started.put(error)
        return
    started.put(process)
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            answers.put(line)
    answers.put(None)
    process.wait()
