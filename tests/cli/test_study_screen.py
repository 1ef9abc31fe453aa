"""What a study shows: 80 columns on a terminal, few lines in a log."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fspielm.cli import study as watch
from fspielm.cli.study import Watch, _Lines, draw_line, draw_running, draw_summary
from fspielm.jobs import Ended, Outcome, Plan, Progress, Row, Store, Subject, Sweep, Task, builtin_plan

LONG = "a-problem-of-ones-own-with-a-name-that-no-table-has-room-for"
ROOM = 'unknown = "u(x)"\nequation = "dx(u, 2) = 1"\n'
SEVEN = builtin_plan("tables").sweeps[0].subjects


@pytest.fixture(scope="module")
def plan() -> Plan:
    """All benchmarks and methods, and a problem file."""
    own = Sweep([LONG], ["fs-l"], mu=[(1, 2)], neurons=[100])
    methods = ["tanh", "siren", "gff", "fs-l", "fs-g", "automatic"]
    return Plan("all", [Sweep(SEVEN, methods), Sweep(["heat"], ["fs-l-space"]), own], [Subject(LONG, ROOM)])


def drawn(content: Any) -> str:
    console = Console(width=80, record=True, file=StringIO(), highlight=False)
    console.print(content)
    return console.export_text()


def outcome(error: float | None = 1e-3, measure: str = "exact") -> Outcome:
    return Outcome("done", measure=measure, error=error, seconds=10.0, rows=100)


def test_everything_has_its_place_in_80_columns(plan: Plan) -> None:
    progress = Progress(plan.jobs)
    long = "the process was killed, most likely by the system for lack of memory"
    for number, job in enumerate(plan.jobs[:60]):
        progress.started(job)
        if job.method == "tanh":
            progress.ended(Row(job, Outcome("failed", f"{long} {number}")))
        elif number < 52:
            progress.ended(Row(job, outcome(measure="estimate" if job.subject == LONG else "exact")))
    for text in (drawn(draw_running(progress, plan.name)), drawn(draw_summary(progress, plan.name))):
        assert max(map(len, text.splitlines())) <= 80
        assert "\u2026" not in text
        words = " ".join(text.split())
        assert all(subject in words for subject in SEVEN)
        assert f"{progress.finished} of {len(plan.jobs)} ended" in words
        assert f"{progress.failed - 4} for other reasons" in words
    words = " ".join(drawn(draw_running(progress, plan.name)).split())
    assert "and 3 more" in words
    assert "time left " in words
    assert len(draw_line(progress)) <= 80


def test_cells(plan: Plan) -> None:
    progress = Progress(plan.jobs)
    for job in plan.jobs:
        if job.subject == "heat" and job.method == "gff":
            progress.ended(Row(job, Outcome("failed", "no")))
        if job.subject == "heat" and job.method == "siren":
            progress.ended(Row(job, outcome(None)))
        if job.subject == LONG:
            progress.ended(Row(job, outcome(2e-5, "estimate")))
    lines = drawn(draw_summary(progress, plan.name)).splitlines()
    heat = next(line for line in lines if line.startswith("heat"))
    assert heat.split() == ["heat", "-", "inf", "failed", "-", "-"]
    assert any("~2.0e-05" in line for line in lines)
    assert lines[-1] == "~ estimated by the solver: nothing is known to compare with"


def test_a_study_that_has_not_begun(plan: Plan) -> None:
    text = " ".join(drawn(draw_summary(Progress(plan.jobs), plan.name)).split())
    assert "work left unknown" in text
    assert "time left unknown as yet" in " ".join(drawn(draw_running(Progress(plan.jobs), plan.name)).split())


class TestLines:
    @pytest.fixture
    def lines(self) -> tuple[StringIO, list[float], _Lines]:
        now = [0.0]
        out = StringIO()
        return out, now, _Lines(Console(file=out, width=80), clock=lambda: now[0])

    def test_one_in_ten_seconds_of_slow_solves(self, plan: Plan, lines: tuple[StringIO, list[float], _Lines]) -> None:
        out, now, shown = lines
        progress = Progress(plan.jobs)
        progress.started(plan.jobs[0])
        for _ in range(41):
            shown.show(progress)
            now[0] += 1.0
        assert len(out.getvalue().splitlines()) == 5

    def test_one_in_twenty_of_quick_ones(self, plan: Plan, lines: tuple[StringIO, list[float], _Lines]) -> None:
        out, now, shown = lines
        progress = Progress(plan.jobs)
        for job in plan.jobs:
            progress.started(job)
            shown.show(progress)
            now[0] += 0.25
            progress.ended(Row(job, outcome()))
            shown.show(progress)
        printed = out.getvalue().splitlines()
        assert 15 <= len(printed) <= 21
        assert printed[0] == f"0 of {len(plan.jobs)} ended, at helmholtz-2d tanh"
        assert all(" left, at " in line for line in printed[1:])


def test_a_watch_begins_with_what_the_store_has(tmp_path: Path, plan: Plan) -> None:
    small = Plan("small", [Sweep(["poisson-1d"], ["gff"], seeds=[0, 1])])
    with Store.create(tmp_path / "a.db", small, small.terms()) as store:
        store.record(small.jobs[0], outcome(), {})
    shown: list[tuple[int, int]] = []
    seen = Watch(tmp_path / "a.db", "small", lambda progress: shown.append((progress.finished, len(progress.running))))
    assert drawn(seen.screen()) == "starting small ...\n"
    task = Task(small.jobs[1], small.subjects["poisson-1d"], small.terms(), 0.0)
    seen.start(task)
    assert "1 of 2 ended" in drawn(seen.screen())
    seen.end(Ended(task, outcome(), {}))
    assert shown == [(1, 1), (2, 0)]
    assert watch.read_progress(tmp_path / "a.db").finished == 1


def test_a_watch_takes_an_end_without_a_beginning(tmp_path: Path) -> None:
    small = Plan("small", [Sweep(["poisson-1d"], ["gff"], seeds=[0, 1])])
    refused = Outcome("failed", "needs 3.0 GiB of memory, and no host has more than 1.0 GiB")
    with Store.create(tmp_path / "a.db", small, small.terms()) as store:
        store.record(small.jobs[0], refused, {})
    seen = Watch(tmp_path / "a.db", "small")
    seen.end(Ended(Task(small.jobs[0], small.subjects["poisson-1d"], small.terms(), 0.0), refused, {}))
    assert "1 of 2 ended" in drawn(seen.screen())
