"""A process for solves, kept alive between them and replaced when it dies."""

from __future__ import annotations

import ctypes
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from queue import Empty, Queue
from threading import Thread
from time import perf_counter
from typing import Any

from fspielm.jobs.job import AUTOMATIC, DONE, Job, Outcome, Terms, failure
from fspielm.jobs.subject import Subject
from fspielm.resources import LISTEN_SECONDS

# ---- Processes that end with their parent
# The child runs this file first, by its path, to tie itself to its parent; it ends if the parent has ended meanwhile.


def start_module(module: str, *arguments: str, environment: Mapping[str, str], **streams: Any) -> subprocess.Popen[str]:
    """Run a module in a new Python with the same import path.

    To be called in a thread that lives as long as the process: Linux ends the process with the thread that started it.
    """
    return subprocess.Popen(
        # -P: keep the folder of this file out of the import path
        [sys.executable, "-P", __file__, str(os.getpid()), module, *arguments],
        text=True,
        encoding="utf-8",
        # notebooks add objects to sys.path that are no strings
        env=os.environ
        | dict(environment)
        | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if isinstance(entry, str))},
        # Ctrl-C is for the parent alone
        start_new_session=True,
        **streams,
    )


def _main() -> None:
    parent, module = int(sys.argv[1]), sys.argv[2]
    # Linux alone has this call; elsewhere a process has to notice by itself that its parent is gone
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            sys.exit(1)
    sys.argv[:] = sys.argv[2:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()


# ---- The process for solves


# At most, beyond a solve's time limit: for measuring, and for what the solver does not count.
_GRACE_SECONDS = 30.0
# A process that is well answers within a fraction of it.
ANSWER_SECONDS = 10.0
# At most, for what a slow network delays: the imports of a new process from a cold disk, a large answer.
SLOW_SECONDS = 120.0
_MODULE = "fspielm.jobs.child"
_BLAS_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class Sandbox:
    """Solves jobs one after the other in a process of its own, whose linear algebra has so many threads."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._process: subprocess.Popen[str] | None = None
        self._answers: Queue[str | None] = Queue()
        self._sent: set[str] = set()
        self.environment: dict[str, str] = {}

    def perform(self, job: Job, subject: Subject, terms: Terms, *, wanted: Callable[[], bool] | None = None) -> Outcome:
        """Solve a job; if the process dies or takes too long, the outcome is a failure.

        Now and then it calls `wanted`, and gives the solve up as soon as that returns False.
        """
        begun = perf_counter()
        try:
            self._start(wanted)
            # the time limit does not count the imports of a new process
            begun = perf_counter()
            self._ask(job, subject, terms)
            limit = None if terms.seconds is None else terms.seconds + min(_GRACE_SECONDS, 2.0 + terms.seconds / 2)
            answer = self._receive(None if limit is None else begun + limit, wanted)
        except TimeoutError:
            self.close()
            return failure(_too_long(terms), perf_counter() - begun)
        except _GivenUpError as reason:
            self.close()
            return failure(str(reason), perf_counter() - begun)
        except BaseException:
            # else its answer would be taken for that of the next job
            self.close()
            raise
        return _in_time(Outcome.from_dict(answer["outcome"]), job, terms)

    def close(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()

    def _start(self, wanted: Callable[[], bool] | None) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        # it died since its last answer, which is no failure of this job
        self.close()
        self._answers = Queue()
        self._sent = set()
        started: Queue[subprocess.Popen[str] | Exception] = Queue()
        Thread(target=_run_process, args=(self.threads, started, self._answers), daemon=True).start()
        process = started.get()
        if isinstance(process, Exception):
            raise _GivenUpError(f"the process that solves cannot be started: {process}")
        self._process = process
        try:
            self.environment = self._receive(perf_counter() + SLOW_SECONDS, wanted)["environment"]
        except TimeoutError:
            raise _GivenUpError(f"the process that solves did not start within {SLOW_SECONDS:g} s") from None

    def _ask(self, job: Job, subject: Subject, terms: Terms) -> None:
        request = {"job": job.as_dict(), "terms": asdict(terms), "digest": subject.digest}
        # the process keeps subjects, which may be large
        self._send(request if subject.digest in self._sent else request | {"subject": subject.as_dict()})
        self._sent.add(subject.digest)

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise _GivenUpError(self._how_it_ended()) from None

    def _receive(self, end: float | None, wanted: Callable[[], bool] | None) -> dict[str, Any]:
        line = self._next_line(end, wanted)
        if line is None:
            raise _GivenUpError(self._how_it_ended())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _next_line(self, end: float | None, wanted: Callable[[], bool] | None) -> str | None:
        while True:
            left = None if end is None else max(end - perf_counter(), 0.0)
            patience = left if wanted is None else min(LISTEN_SECONDS, LISTEN_SECONDS if left is None else left)
            try:
                return self._answers.get(timeout=patience)
            except Empty:
                if end is not None and perf_counter() >= end:
                    raise TimeoutError from None
                if wanted is not None and not wanted():
                    raise _GivenUpError("no longer wanted") from None

    def _how_it_ended(self) -> str:
        assert self._process is not None
        status = self._process.wait()
        if status == -signal.SIGKILL:
            return "the process was killed, most likely by the system for lack of memory"
        ended = f"by signal {-status}" if status < 0 else f"with status {status}"
        return f"the process that solved it ended {ended}"


class _GivenUpError(Exception):
    """There will be no answer: the process is gone, or the solve is no longer wanted."""


def _too_long(terms: Terms) -> str:
    return f"took longer than the plan's {terms.seconds:g} s"


def _in_time(outcome: Outcome, job: Job, terms: Terms) -> Outcome:
    """The outcome; a failure if it came after the time limit, though before the process was killed."""
    # the automatic solver keeps its time limit itself, to within its last step
    if job.method == AUTOMATIC or outcome.status != DONE or terms.seconds is None or outcome.seconds <= terms.seconds:
        return outcome
    return failure(_too_long(terms), outcome.seconds)


def _run_process(threads: int, started: Queue[subprocess.Popen[str] | Exception], answers: Queue[str | None]) -> None:
    """Start the process and pass its lines on until it ends."""
    try:
        process = start_module(
            _MODULE,
            environment=dict.fromkeys(_BLAS_VARIABLES, str(threads)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    except Exception as error:
        # the thread that waits raises it
        started.put(error)
        return
    started.put(process)
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            answers.put(line)
    answers.put(None)
    process.wait()
