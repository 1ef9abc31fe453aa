"""A process for solves, kept alive between them and replaced when it dies or takes too long."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from queue import Empty, Queue
from threading import Thread
from time import perf_counter
from types import TracebackType
from typing import Any

from fspielm.study.job import Job
from fspielm.study.outcome import Outcome, failure
from fspielm.study.subject import Subject
from fspielm.study.terms import Terms

# Of a solve's time limit: measuring, and what the solver does not count.
_GRACE_SECONDS = 30.0
_BLAS_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_PR_SET_PDEATHSIG = 1


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
        self.environment: dict[str, str] = {}

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def perform(self, job: Job, subject: Subject, terms: Terms) -> Outcome:
        """Solve a job; the death of the process, or too long a time, is a failed outcome."""
        begun = perf_counter()
        try:
            self._start()
            self._send({"job": job.as_dict(), "subject": subject.as_dict(), "terms": terms.as_dict()})
            answer = self._receive(None if terms.seconds is None else terms.seconds + _GRACE_SECONDS)
        except TimeoutError:
            self.close()
            return failure(f"took longer than the plan's {terms.seconds:g} s", perf_counter() - begun)
        except _DiedError as death:
            self.close()
            return failure(str(death), perf_counter() - begun)
        return Outcome.from_dict(answer["outcome"])

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        if self._process is not None:
            return
        self._answers = Queue()
        started: Queue[subprocess.Popen[str] | OSError] = Queue()
        Thread(target=_keep, args=(self.threads, started, self._answers), daemon=True).start()
        process = started.get()
        if isinstance(process, OSError):
            raise _DiedError(f"the process that solves cannot be started: {process}")
        self._process = process
        self.environment = self._receive(None)["environment"]

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise _DiedError(self._epitaph()) from None

    def _receive(self, seconds: float | None) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None
        if line is None:
            raise _DiedError(self._epitaph())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _epitaph(self) -> str:
        assert self._process is not None
        status = self._process.wait()
        if status == -signal.SIGKILL:
            return "the process was killed, most likely by the system for lack of memory"
        ended = f"by signal {-status}" if status < 0 else f"with status {status}"
        return f"the process that solved it ended {ended}"


class _DiedError(Exception):
    """The process is gone."""


def _keep(threads: int, started: Queue[subprocess.Popen[str] | OSError], answers: Queue[str | None]) -> None:
    """Start the process and pass its lines on until it ends.

    In a thread that lives as long as the process: the system ends the process with the thread that began it, and so
    with the study, however that ended.
    """
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "fspielm.study.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=os.environ | dict.fromkeys(_BLAS_VARIABLES, str(threads)) | {"PYTHONPATH": os.pathsep.join(sys.path)},
            # Ctrl-C is for the study to answer
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
    except OSError as error:
        started.put(error)
        return
    started.put(process)
    assert process.stdout is not None
    for line in process.stdout:
        answers.put(line)
    answers.put(None)
    process.wait()


# Loaded before the fork: little is safe between it and the start of the new program.
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def _die_with_parent() -> None:
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
