"""Studies run, killed, and run again: every row once."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fspielm as fs
from fspielm.errors import ProblemError, WorkersWarning
from fspielm.jobs import Ended, Engine, Outcome, Plan, Processes, Row, Store, Sweep, Task, run, running
from fspielm.jobs import store as module
from fspielm.jobs.engines import connection
from fspielm.jobs.job import DONE, failure
from fspielm.jobs.running import only_run
from fspielm.jobs.store import StoreError

METHODS = ("tanh", "siren", "gff", "fs-l", "fs-g")


def plan_of(seeds: int, **more: Any) -> Plan:
    return Plan("small", [Sweep(["poisson-1d"], METHODS, neurons=[150], seeds=range(seeds))], **more)


def rows_of(store: Path) -> list[Row]:
    with Store.open(store, read_only=True) as opened:
        return opened.rows()


class FakeEngine(Engine):
    """Ends everything at once, failing what it is told to."""

    def __init__(self, fails: Callable[[Task], bool] = lambda task: False) -> None:
        self.fails = fails

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, tasks: Any, *, starts: Any = None) -> Any:
        for task in tasks:
            starts(task)
            outcome = failure("told to") if self.fails(task) else Outcome(DONE, error=1e-3)
            yield Ended(task, outcome, {"fspielm": "0"})


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    engine = FakeEngine()
    monkeypatch.setattr(running, "_make_engine", lambda *_: engine)
    return engine


class TestRows:
    def test_a_new_study_and_one_that_is_complete(self, tmp_path: Path, engine: FakeEngine) -> None:
        store, begun, ended = tmp_path / "a.db", [], []
        plan = plan_of(2)
        run(plan, store, starts=begun.append, ends=ended.append)
        assert [row.job for row in rows_of(store)] == list(plan.jobs)
        assert len(begun) == len(ended) == 10
        run(plan, store, starts=begun.append)
        assert len(begun) == 10

    def test_one_that_was_stopped_goes_on(self, tmp_path: Path, engine: FakeEngine) -> None:
        store, ended = tmp_path / "a.db", []

        def stop(one: Ended) -> None:
            ended.append(one.task.job.key)
            if len(ended) == 3:
                raise KeyboardInterrupt

        plan = plan_of(1)
        with pytest.raises(KeyboardInterrupt):
            run(plan, store, ends=stop)
        run(plan, store, ends=stop)
        assert ended == [job.key for job in plan.jobs]

    def test_failures_are_rows_and_stay(self, tmp_path: Path, engine: FakeEngine) -> None:
        store, begun = tmp_path / "a.db", []
        engine.fails = lambda task: task.job.method == "gff"
        run(plan_of(1), store)
        assert [row.outcome.status for row in rows_of(store)] == ["done", "done", "failed", "done", "done"]
        engine.fails = lambda task: False
        run(plan_of(1), store, starts=begun.append)
        assert begun == []
        run(plan_of(1), store, retry_failed=True, starts=begun.append)
        assert [task.job.method for task in begun] == ["gff"]
        assert {row.outcome.status for row in rows_of(store)} == {"done"}

    def test_a_solve_that_cannot_be_planned_is_left_to_fail(
        self, tmp_path: Path, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*arguments: object) -> float:
            raise ProblemError("points: too few")

        monkeypatch.setattr("fspielm.jobs.running.needed_memory", refuse)
        begun: list[Task] = []
        run(plan_of(1), tmp_path / "a.db", starts=begun.append)
        assert {task.memory for task in begun} == {0.0}

    def test_the_terms_are_those_it_began_with(self, tmp_path: Path, engine: FakeEngine) -> None:
        tasks: list[Task] = []
        with pytest.raises(KeyboardInterrupt):
            run(plan_of(1), tmp_path / "a.db", workers=4, ends=_interrupt)
        run(plan_of(1), tmp_path / "a.db", starts=tasks.append)
        assert {task.terms for task in tasks} == {plan_of(1).terms()}


def _interrupt(_: object) -> None:
    raise KeyboardInterrupt


class TestRefusals:
    def test_another_run_at_the_same_time(self, tmp_path: Path, engine: FakeEngine) -> None:
        store = tmp_path / "a.db"
        with only_run(store), pytest.raises(ProblemError, match="another run is working on"):
            run(plan_of(1), store)
        assert not store.exists()

    def test_another_plan(self, tmp_path: Path, engine: FakeEngine) -> None:
        run(plan_of(1), tmp_path / "a.db")
        with pytest.raises(ProblemError, match="holds another plan"):
            run(plan_of(2), tmp_path / "a.db")

    def test_workers_and_a_scheduler(self, tmp_path: Path) -> None:
        with pytest.raises(ProblemError, match=r"workers=2.*scheduler=.*its own"):
            run(plan_of(1), tmp_path / "a.db", workers=2, scheduler="tcp://a:1")

    @pytest.mark.parametrize("workers", [0, -1, 1.5, "two"])
    def test_no_number_of_workers(self, tmp_path: Path, workers: Any) -> None:
        with pytest.raises(ProblemError, match="workers must be"):
            run(plan_of(1), tmp_path / "a.db", workers=workers)

    def test_more_than_the_cores(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(running, "available_threads", lambda: 4)
        with pytest.warns(WorkersWarning, match=r"workers=3.*4 cores.*workers=2"):
            engine = running._make_engine(plan_of(1, threads=2), 3, None)
        assert isinstance(engine, Processes)

    def test_a_scheduler_that_is_not_there_begins_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.3)
        with pytest.raises(ProblemError, match="no scheduler answers"):
            run(plan_of(1), tmp_path / "a.db", scheduler="tcp://127.0.0.1:9")
        assert not (tmp_path / "a.db").exists()

    def test_a_full_disk_keeps_what_there_is(
        self, tmp_path: Path, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store, opens, plan = tmp_path / "a.db", Store.open, plan_of(25)

        def open_full(path: Path, **more: Any) -> Store:
            opened = opens(path, **more)
            (pages,) = opened._connection.execute("PRAGMA page_count").fetchone()
            opened._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
            return opened

        with monkeypatch.context() as patch:
            patch.setattr(Store, "open", open_full)
            with pytest.raises(StoreError, match=r"no space.*safe.*goes on"):
                run(plan, store)
        before = len(rows_of(store))
        assert 0 < before < len(plan.jobs)
        run(plan, store)
        assert [row.job for row in rows_of(store)] == list(plan.jobs)

    def test_a_study_that_finds_no_room_at_all_leaves_nothing(
        self, tmp_path: Path, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opens = module._connect

        def connect_full(path: Path, **more: Any) -> sqlite3.Connection:
            connection = opens(path, **more)
            connection.execute("PRAGMA max_page_count = 2")
            return connection

        monkeypatch.setattr(module, "_connect", connect_full)
        with pytest.raises(ProblemError) as caught:
            run(plan_of(25), tmp_path / "a.db")
        # and nothing is called safe that is not there
        assert re.fullmatch(r"cannot write.*a\.db': no space left [^;]*", str(caught.value))
        assert list(tmp_path.iterdir()) == []


# Not guarded by a test of __name__: workers must not run the user's script again.
SCRIPT = """
import sys
from fspielm.study import Plan, Sweep, run

methods = ("tanh", "siren", "gff", "fs-l", "fs-g")
plan = Plan("small", [Sweep(["poisson-1d"], methods, neurons=[150], seeds=range(int(sys.argv[2])))])
print("begun", flush=True)
run(plan, sys.argv[1], workers=int(sys.argv[3]) or None, ends=lambda ended: print(ended.task.job.key, flush=True))
"""


class TestKilled:
    """SIGKILL, as a loss of power: nothing can be put in order."""

    def start(self, store: Path, seeds: int, workers: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", SCRIPT, str(store), str(seeds), str(workers)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def check(self, store: Path, seeds: int) -> None:
        run(plan_of(seeds), store)
        rows = rows_of(store)
        assert [row.job for row in rows] == list(plan_of(seeds).jobs)
        assert {row.outcome.status for row in rows} == {"done"}

    @pytest.mark.parametrize("engines", [(0,), pytest.param((0, 1), marks=pytest.mark.slow)], ids=["once", "twice"])
    def test_and_gone_on(self, tmp_path: Path, engines: tuple[int, ...]) -> None:
        store, kept = tmp_path / "a.db", 0
        for workers in engines:
            with self.start(store, 2, workers) as process:
                assert process.stdout is not None
                for _ in range(4):
                    process.stdout.readline()
                process.kill()
            rows = rows_of(store)
            # what was reported is on the disk
            assert len(rows) >= kept + 3
            kept = len(rows)
        self.check(store, 2)

    @pytest.mark.slow
    def test_at_twenty_random_moments(self, tmp_path: Path) -> None:
        store, chance, reported = tmp_path / "a.db", random.Random(7), set()
        for number in range(20):
            with self.start(store, 40, 1 + number % 2) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(chance.uniform(0.0, 8.0))
                process.kill()
                said = {line.strip() for line in process.stdout if line.endswith("\n")}
            assert not said & reported
            reported |= said
            if store.exists():
                assert reported <= {row.job.key for row in rows_of(store)}
        self.check(store, 40)


def test_the_interface() -> None:
    assert fs.study.run is run


def test_a_name_is_no_plan(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=r"plan.*builtin_plan.*got 'quick'"):
        run("quick", tmp_path / "a.db")  # type: ignore[arg-type]


@pytest.mark.slow  # the engines do in their contract
def test_the_same_bits_with_one_process_and_two_workers(tmp_path: Path) -> None:
    mixed = Plan(
        "mixed",
        [
            Sweep(["poisson-1d"], ["tanh", "gff", "fs-l", "automatic"], seeds=[0, 1]),
            Sweep(["heat"], ["fs-g-space"], neurons=[150], least_squares=["qr", "svd 1e-10"], seeds=[0]),
        ],
    )
    found = []
    for workers in (None, 2):
        store = tmp_path / f"{workers}.db"
        run(mixed, store, workers=workers)
        outcomes = [row.outcome for row in rows_of(store)]
        assert {outcome.status for outcome in outcomes} == {"done"}
        found.append([replace(outcome, phases={}, seconds=0.0) for outcome in outcomes])
    assert found[0] == found[1]
