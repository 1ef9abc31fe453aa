"""``fspielm study``: plans, runs, their screens, and how they end."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pytest

from fspielm import study
from fspielm.cli import study as running
from fspielm.jobs import Ended, Outcome, Store, Task, read_plan
from fspielm.jobs.running import only_run
from fspielm.jobs.store import StoreError

COMMANDS = ("plans", "new", "run", "status", "report", "export", "theory")
PLAN = """\
name = "small"
[[sweeps]]
subjects = ["poisson-1d"]
methods = ["fs-l", "gff"]
neurons = [20]
seeds = 2
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a plan file in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(PLAN, encoding="utf-8")
    return "small.toml"


@pytest.fixture
def half(plan: str) -> str:
    """A study of that plan with one solve done and one failed."""
    small = read_plan(plan)
    with Store.create("small.db", small, small.terms()) as store:
        store.record(small.jobs[0], Outcome("done", measure="exact", error=2e-9, seconds=90.0, rows=42), {})
        store.record(small.jobs[1], Outcome("failed", "out of memory", seconds=3.0), {})
    return "small.db"


def fits(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_fits_and_has_an_example(fspielm: Any, command: list[str]) -> None:
    done = fspielm("study", *command, "--help")
    assert done.status == 0
    assert fits(done.out)
    assert f"Usage: {' '.join(['fspielm', 'study', *command])} " in done.out
    assert f"Example: fspielm study {command[0]}" in done.out if command else "fspielm study run quick" in done.out


def test_without_a_command_the_help(fspielm: Any) -> None:
    assert fspielm("study") == fspielm("study", "--help")


def test_plans(fspielm: Any) -> None:
    done = fspielm("study", "plans")
    assert (done.status, done.err) == (0, "")
    assert fits(done.out)
    rows = {line.split()[0]: line.split()[1] for line in done.out.splitlines() if line[:1].isalpha()}
    assert {name: rows[name] for name in ("paper", "tables")} == {"paper": "6300", "tables": "175"}


def test_new(fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fspielm("study", "new") == (0, "Wrote plan.toml. Next: fspielm study run plan.toml\n", "")
    assert read_plan("plan.toml").name == "example"
    assert fspielm("study", "new").error == "plan.toml exists; choose another name, or add --force to replace it"
    assert fspielm("study", "new", "--force").status == 0


class TestRun:
    def test_a_study_from_beginning_to_end_and_again(self, fspielm: Any, plan: str) -> None:
        done = fspielm("study", "run", plan)
        assert done.status == 0
        assert fits(done.out)
        assert fits(done.err)
        assert done.err.startswith("0 of 4 ended, at poisson-1d fs-l\n")
        assert "4 of 4 ended" in done.out
        assert done.out.endswith("\nStudy: small.db. Next: fspielm study report small.db\n")
        with Store.open("small.db", read_only=True) as store:
            rows = store.rows()
        best = min(row.outcome.error for row in rows if row.job.method == "gff" and row.outcome.error is not None)
        assert done.out.splitlines()[-3].split()[:2] == ["poisson-1d", f"{best:.1e}"]
        again = fspielm("study", "run", plan)
        assert (again.status, again.err) == (0, "")
        with Store.open("small.db", read_only=True) as store:
            assert store.rows() == rows

    def test_on_a_terminal(self, fspielm: Any, half: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def run(plan: study.Plan, store: Path, *, starts: Any, ends: Any) -> None:
            task = Task(plan.jobs[2], plan.subjects["poisson-1d"], plan.terms(), 0.0)
            starts(task)
            ends(Ended(task, Outcome("done"), {}))

        monkeypatch.setattr(running, "run", run)
        monkeypatch.setenv("FORCE_COLOR", "1")
        done = fspielm("study", "run", "small.toml")
        assert done.status == 0
        assert "time left" in done.err
        assert "best error so far" in done.err
        assert "poisson-1d" in done.err

    def test_options_reach_the_run(self, fspielm: Any, half: str, monkeypatch: pytest.MonkeyPatch) -> None:
        called: dict[str, Any] = {}

        def run(plan: Any, store: Path, *, starts: Any, ends: Any, **options: Any) -> None:
            called.update(options, plan=plan, store=store)

        monkeypatch.setattr(running, "run", run)
        assert fspielm("study", "export", half, "--out", "old.csv").status == 0
        options = "--store small.db --workers 2 --threads 3 --retry-failed --from old.csv"
        done = fspielm("study", "run", "small.toml", *options.split())
        assert done.status == 0
        assert done.out.startswith("old.csv has 1 of the 4 solves.\n")
        assert called.pop("plan") == replace(read_plan("small.toml"), threads=3)
        given = {"store": Path(half), "workers": 2, "retry_failed": True, "continue_from": Path("old.csv")}
        assert called == given
        called.clear()
        fspielm("study", "run", "small.toml", "--scheduler", "tcp://there:8786")
        assert called == {"plan": read_plan("small.toml"), "store": Path(half), "scheduler": "tcp://there:8786"}

    def test_failures_are_told_and_only_if_nothing_else_the_exit_code(
        self, fspielm: Any, plan: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        small = read_plan(plan)

        def run(plan: Any, place: Path, **options: Any) -> None:
            with Store.open(place) as store:
                for job in store.missing():
                    store.record(job, Outcome("failed", "took longer than the plan's 5 s"), {})

        with Store.create("small.db", small, small.terms()) as store:
            store.record(small.jobs[0], Outcome("done", error=1e-3), {})
        monkeypatch.setattr(running, "run", run)
        done = fspielm("study", "run", plan)
        assert done.status == 0
        assert "3 times: took longer than the plan's 5 s" in done.out
        Store.create("all.db", small, small.terms()).close()
        done = fspielm("study", "run", plan, "--store", "all.db")
        assert done.status == 1
        assert "4 times: took longer" in done.out

    def test_a_full_disk(self, fspielm: Any, half: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def run(*args: Any, **options: Any) -> None:
            raise StoreError("cannot write to 'small.db': database or disk is full; what it holds is safe")

        monkeypatch.setattr(running, "run", run)
        done = fspielm("study", "run", "small.toml")
        assert done.status == 1
        assert done.error == "cannot write to 'small.db': database or disk is full; what it holds is safe"

    @pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
    def test_interrupted_it_says_what_is_safe_and_goes_on(self, fspielm: Any, plan: str) -> None:
        change = {"neurons = [20]": "neurons = [20, 4000]", "seeds = 2": "seeds = 1"}
        for old, new in change.items():
            Path(plan).write_text(Path(plan).read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        command = [sys.executable, "-m", "fspielm", "study", "run", plan]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = perf_counter() + 600
        # in the middle of the second solve, which takes long on any machine
        while "1 of 4 ended" not in fspielm("study", "status", "small.db").out and perf_counter() < end:
            sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out) == (130, "")
        assert err.splitlines()[-1] == (
            "fspielm: interrupted; 1 of 4 solves are safe in small.db; the same command goes on"
        )

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ("run tabels", "unknown plan 'tabels'; did you mean tables?"),
            ("run no.toml", "no.toml: no such file"),
            ("run folder", "folder: a folder, not a plan file"),
            (
                "run small.db",
                "small.db is a store; the plan comes first, as in: fspielm study run PLAN --store small.db",
            ),
            ("run small.toml --store folder", "cannot write 'folder': it is a folder"),
            ("run small.toml --store no/a.db", "cannot write 'no/a.db': its folder does not exist"),
            ("run small.toml --store text.db", "cannot open 'text.db' as a study: file is not a database"),
            ("run small.toml --workers 2 --scheduler tcp://a:1", "--workers are of this machine"),
            ("run slash.toml", "the plan's name 'a/b' cannot be that of a file; say where with --store"),
            ("status text.db", "cannot open 'text.db' as a study: file is not a database"),
            ("status folder", "'folder' is a folder, not a study"),
            ("status no.db", "there is no study 'no.db'; 'fspielm study run PLAN --store no.db' begins one"),
            ("status newer.db", "does not know; upgrade with"),
            ("export small.db --out a.txt", "the name of the file must end in .csv; got 'a.txt'"),
            ("export no.db --out a.csv", "there is no study 'no.db'"),
        ],
    )
    def test_wrong_input(self, fspielm: Any, half: str, arguments: str, message: str) -> None:
        Path("folder").mkdir()
        Path("text.db").write_text("no database", encoding="utf-8")
        Path("slash.toml").write_text(PLAN.replace("small", "a/b"), encoding="utf-8")
        Path("newer.db").write_bytes(Path(half).read_bytes())
        with sqlite3.connect("newer.db") as connection:
            connection.execute("UPDATE meta SET value = '99' WHERE name = 'format'")
        connection.close()
        done = fspielm("study", *arguments.split())
        assert done.status == 2
        assert message in done.error

    def test_a_store_of_another_plan(self, fspielm: Any, half: str) -> None:
        Path("small.toml").write_text(PLAN.replace("seeds = 2", "seeds = 3"), encoding="utf-8")
        done = fspielm("study", "run", "small.toml")
        assert done.status == 2
        assert "'small.db' holds another plan (2 solves only in this plan, such as poisson-1d | " in done.error
        assert "in the store 1" in fspielm("study", "run", "small.toml", "--threads", 2).error

    def test_a_mistake_in_a_plan_is_shown_where_it_is(self, fspielm: Any, plan: str) -> None:
        Path(plan).write_text(PLAN.replace("gff", "gf"), encoding="utf-8")
        done = fspielm("study", "run", plan)
        assert (done.status, done.out) == (2, "")
        first, line, mark = done.err.splitlines()
        assert first.startswith("fspielm: error: small.toml, line 4, column 20: [[sweeps]] number 1: methods: there is")
        assert line == '    methods = ["fs-l", "gf"]'
        assert mark.index("^") == line.index('"gf"')


class TestStatus:
    def test_half_way(self, fspielm: Any, half: str) -> None:
        done = fspielm("study", "status", half)
        assert (done.status, done.err) == (0, "")
        assert fits(done.out)
        text = " ".join(done.out.split())
        for fact in ("2 of 4 ended", "work left 93 s, shared by its workers", "last solve", "once: out of memory"):
            assert fact in text
        *_, best, _, last = done.out.splitlines()
        assert best.split() == ["poisson-1d", "-", "2.0e-09"]
        assert last == "No run is working on it; 'fspielm study run PLAN --store small.db' goes on."

    def test_while_another_run_holds_it(self, fspielm: Any, half: str) -> None:
        with only_run(Path(half)):
            assert "No run is working on it" not in fspielm("study", "status", half).out
            assert "another run is working on 'small.db'" in fspielm("study", "run", "small.toml").error

    def test_after_a_kill_in_the_middle_of_storing(self, fspielm: Any, half: str) -> None:
        with sqlite3.connect(half, isolation_level=None) as connection:
            connection.execute("PRAGMA cache_size = 1")  # so that it writes before it commits
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"UPDATE jobs SET scaling = '{'z' * 9000}'")
            connection.execute(f"UPDATE solves SET message = '{'z' * 9000}'")
            for name in ("small.db", "small.db-wal"):
                Path(name.replace("small", "torn")).write_bytes(Path(name).read_bytes())
            connection.execute("ROLLBACK")
        connection.close()
        torn, whole = (fspielm("study", "status", name).out.split("No run")[0] for name in ("torn.db", half))
        # but for how long ago it was
        assert re.sub("last solve.*", "", torn) == re.sub("last solve.*", "", whole)


class TestOutputs:
    def test_export(self, fspielm: Any, half: str) -> None:
        assert fspielm("study", "export", half, "--out", "a.csv") == (0, "Table: a.csv\n", "")
        done = fspielm("study", "export", half, "--out", "b.csv", "--out", "c.csv")
        assert done == (0, "Table: b.csv\nTable: c.csv\n", "")
        assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes() == Path("c.csv").read_bytes()
        assert len(Path("a.csv").read_text(encoding="utf-8").splitlines()) == 3

    def test_report(self, fspielm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def write_report(store: Path, out: Path, *, progress: Any) -> Path:
            assert store == Path("a.db")
            progress("a picture", 0, 1)
            return out / "index.html"

        monkeypatch.setattr(study, "write_report", write_report, raising=False)
        assert fspielm("study", "report", "a.db") == (0, f"Report: {Path('report') / 'index.html'}\n", "")
        assert fspielm("study", "report", "a.db", "--out", "b").out == f"Report: {Path('b') / 'index.html'}\n"

    def test_theory(self, fspielm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        calls: list[Any] = []

        def write_theory(out: Path, *, rng: int, samples: int, ends: Any) -> None:
            ends()
            calls.append((out, rng, samples))

        monkeypatch.setattr(study.theory, "write_theory", write_theory)
        assert fspielm("study", "theory") == (0, f"Theory: {Path('theory') / 'theory.md'}\n", "")
        assert fspielm("study", "theory", "--out", "b", "--samples", 900, "--rng", 4).status == 0
        assert calls == [(Path("theory"), 0, 200_000), (Path("b"), 4, 900)]
