"""A process for solves: what goes wrong there stays there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from fspielm import resources as blas
from fspielm.jobs import Job, Outcome, Subject, child
from fspielm.jobs import sandbox as module
from fspielm.jobs.job import Terms
from fspielm.jobs.sandbox import Sandbox

TERMS = Terms(threads=1, memory=4e9, share=4e9, seconds=None, tol=1e-8)
SHORT = Job("poisson-1d", "fs-l", 0, (5.0, 60.0), 150, "svd 1e-12", "none")
LONG = Job("helmholtz-2d", "fs-l", 0, (5.0, 60.0), 3000, "svd 1e-12", "none")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with closing(Sandbox(1)) as sandbox:
        yield sandbox


def perform(sandbox: Sandbox, job: Job, terms: Terms = TERMS, **more: Any) -> Outcome:
    return sandbox.perform(job, Subject(job.subject), terms, **more)


def kill(sandbox: Sandbox) -> None:
    assert sandbox._process is not None
    sandbox._process.kill()


class TestSolving:
    def test_one_process_for_many_jobs(self, sandbox: Sandbox) -> None:
        assert perform(sandbox, SHORT).status == "done"
        process = sandbox._process
        assert perform(sandbox, replace(SHORT, seed=1)).status == "done"
        assert sandbox._process is process

    def test_it_says_what_it_runs_on(self, sandbox: Sandbox) -> None:
        perform(sandbox, SHORT)
        assert {"fspielm", "numpy", "processor"} <= sandbox.environment.keys()
        assert sandbox.environment["blas threads"] in ("1", "unknown")

    def test_a_subject_is_sent_once(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        sent: list[str] = []
        send = Sandbox._send

        def listen(self: Sandbox, request: dict[str, Any]) -> None:
            sent.append(json.dumps(request))
            send(self, request)

        monkeypatch.setattr(Sandbox, "_send", listen)
        subject = Subject("mine", "no problem file at all" * 10)
        job = replace(SHORT, subject="mine")
        outcomes = [sandbox.perform(job, subject, TERMS) for _ in range(2)]
        assert [subject.text in text for text in sent] == [True, False]
        assert outcomes[0].message == outcomes[1].message
        assert outcomes[0].message.startswith("the problem cannot be read")


class TestTimeLimits:
    def test_starting_a_process_is_no_part_of_a_solve(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        perform(sandbox, SHORT)
        start, late = Sandbox._start, [0.0]

        def start_slowly(self: Sandbox, wanted: Any) -> None:
            start(self, wanted)
            late[0] += 1e6

        monkeypatch.setattr(Sandbox, "_start", start_slowly)
        monkeypatch.setattr(module, "perf_counter", lambda: perf_counter() + late[0])
        assert perform(sandbox, SHORT, replace(TERMS, seconds=1e5)).status == "done"

    def test_one_that_ends_late_has_failed_too(self, sandbox: Sandbox) -> None:
        outcome = perform(sandbox, SHORT, replace(TERMS, seconds=1e-4))
        assert outcome.status == "failed"
        assert re.match(r"took longer.* 0\.0001 s$", outcome.message)
        assert outcome.seconds > 1e-4
        # there was nothing to end
        assert sandbox._process is not None

    def test_the_automatic_solver_keeps_to_its_time_by_itself(self) -> None:
        late, terms = Outcome("done", seconds=1.1), replace(TERMS, seconds=1.0)
        assert module._in_time(late, Job("poisson-1d", "automatic", 0), terms) is late
        assert module._in_time(late, SHORT, TERMS) is late
        assert module._in_time(late, SHORT, terms).status == "failed"

    def test_a_process_that_never_says_hello(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "mute_child.py").write_text("import time\ntime.sleep(600)\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(module, "_MODULE", "mute_child")
        monkeypatch.setattr(module, "SLOW_SECONDS", 0.3)
        with closing(Sandbox(1)) as sandbox:
            outcome = perform(sandbox, SHORT)
            assert sandbox._process is None
        assert outcome.status == "failed"
        assert re.search(r"not start.* 0\.3 s$", outcome.message)


class TestThreads:
    @pytest.mark.parametrize(("runs", "status"), [(1, "failed"), (2, "done"), (4, "done"), (None, "done")])
    def test_fewer_than_the_plan_has_are_refused(
        self, runs: int | None, status: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(blas, "threads", lambda: runs)
        subject = Subject("poisson-1d")
        request = {"job": SHORT.as_dict(), "terms": asdict(replace(TERMS, threads=2)), "digest": subject.digest}
        answers = StringIO()
        child.serve(StringIO(json.dumps(request | {"subject": subject.as_dict()}) + "\n"), answers)
        outcome = json.loads(answers.getvalue().splitlines()[1])["outcome"]
        assert outcome["status"] == status
        if status == "failed":
            assert re.search(r"linear algebra.*1 threads.*plan has 2.*threads=1", outcome["message"])


class TestEnds:
    """Each of them costs one job; the next is done in a new process."""

    def test_killed_between_two_jobs_costs_nothing(self, sandbox: Sandbox) -> None:
        perform(sandbox, SHORT)
        kill(sandbox)
        assert sandbox._process is not None
        sandbox._process.wait()
        assert perform(sandbox, SHORT).status == "done"

    def test_too_long(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_GRACE_SECONDS", 0.1)
        outcome = perform(sandbox, LONG, replace(TERMS, seconds=0.1))
        assert outcome.status == "failed"
        assert re.match(r"took longer.* 0\.1 s$", outcome.message)
        assert sandbox._process is None

    def test_killed(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        perform(sandbox, SHORT)
        send = Sandbox._send

        def send_and_kill(self: Sandbox, request: dict[str, Any]) -> None:
            send(self, request)
            kill(self)

        monkeypatch.setattr(Sandbox, "_send", send_and_kill)
        outcome = perform(sandbox, LONG)
        assert outcome.status == "failed"
        assert re.search(r"killed.*memory", outcome.message)

    def test_no_longer_wanted(self, sandbox: Sandbox) -> None:
        outcome = perform(sandbox, LONG, wanted=lambda: False)
        assert (outcome.status, outcome.message) == ("failed", "no longer wanted")

    def test_it_cannot_be_started(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "executable", "/no/such/python")
        with closing(Sandbox(1)) as sandbox:
            outcome = perform(sandbox, SHORT)
        assert outcome.status == "failed"
        assert "cannot be started" in outcome.message

    def test_any_error_at_the_start_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*arguments: Any, **more: Any) -> None:
            raise TypeError("expected str")

        monkeypatch.setattr(module, "start_module", refuse)
        with closing(Sandbox(1)) as sandbox:
            outcome = perform(sandbox, SHORT)
        assert re.search(r"cannot be started: expected str$", outcome.message)

    def test_what_is_no_text_in_the_path_is_passed_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "path", [*sys.path, Path("somewhere")])
        with closing(Sandbox(1)) as sandbox:
            assert perform(sandbox, SHORT).status == "done"

    def test_it_ends_when_it_starts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MODULE", "no_such_module")
        with closing(Sandbox(1)) as sandbox:
            outcome = perform(sandbox, SHORT)
        assert re.search(r"ended with status 1$", outcome.message)

    def test_an_interruption_ends_it(self, sandbox: Sandbox) -> None:
        def interrupt() -> bool:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            perform(sandbox, LONG, wanted=interrupt)
        assert sandbox._process is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_it_ends_with_its_parent() -> None:
    program = (
        "from fspielm.jobs.sandbox import start_module\n"
        "import time\n"
        "start_module('timeit', '-n', '1', 'import time; time.sleep(600)', environment={})\n"
        "print('started', flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "started\n"
        parent.kill()
        # the other end of the pipe is closed when both are gone
        parent.communicate(timeout=300)
