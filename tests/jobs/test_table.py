"""CSV out and in: nothing lost, nothing twice, nothing foreign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fspielm.errors import ProblemError
from fspielm.jobs import Job, Outcome, Plan, Store, Subject, Sweep, export_csv, import_csv, run
from fspielm.jobs.job import THREADS, failure
from fspielm.jobs.table import COLUMNS, read_table

from .conftest import ROOM


@pytest.fixture
def exported(store: Store, plan: Plan, outcome: Outcome, tmp_path: Path) -> Path:
    for job in plan.jobs[:3]:
        store.record(job, outcome, {"fspielm": "0"})
    store.record(plan.jobs[3], failure('took longer, said "it"'), {"fspielm": "1"})
    return export_csv(store.path, tmp_path / "rows.csv")


def test_a_study_continues_from_its_table(exported: Path, store: Store, plan: Plan, tmp_path: Path) -> None:
    with Store.create(tmp_path / "again.db", plan, plan.terms()) as again:
        taken = import_csv(again, exported)
        assert (taken.new, taken.known, taken.foreign) == (3, 0, 0)
        assert again.rows() == [row for row in store.rows() if row.done]
        assert again.environments().items() <= store.environments().items()
        assert import_csv(again, exported).known == 3


def test_rows_of_a_larger_plan_are_taken_as_far_as_they_belong(exported: Path, tmp_path: Path) -> None:
    smaller = Plan("less", [Sweep(["poisson-1d"], ["fs-l"], mu=[(5, 250)], seeds=[0])])
    with Store.create(tmp_path / "less.db", smaller, smaller.terms()) as store:
        taken = import_csv(store, exported)
    assert (taken.new, taken.known, taken.foreign) == (1, 0, 3)


def test_a_table_of_other_solves_is_refused(exported: Path, tmp_path: Path) -> None:
    other = Plan("other", [Sweep(["heat"], ["fs-l"], seeds=[0])])
    store = Store.create(tmp_path / "other.db", other, other.terms())
    with store, pytest.raises(ProblemError, match=r"no row of.*plan.*poisson-1d"):
        import_csv(store, exported)


def test_an_automatic_solve_keeps_the_neurons_it_came_to(outcome: Outcome, tmp_path: Path) -> None:
    plan = Plan("auto", [Sweep(["heat"], ["automatic"], seeds=[0])])
    with Store.create(tmp_path / "auto.db", plan, plan.terms()) as store:
        store.record(plan.jobs[0], outcome, {})
        table = export_csv(store.path, tmp_path / "auto.csv")
    with Store.create(tmp_path / "auto2.db", plan, plan.terms()) as again:
        import_csv(again, table)
        (row,) = again.rows()
    assert row.job == Job("heat", "automatic", 0)
    assert row.outcome.neurons == 200


def _changed(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("held_out,", "held_in,", r"no table.*column 'held_out'"),
        (",done,", ",perhaps,", r"line 2: the status.*'perhaps'"),
        (",0.30000000000000004,", ",much,", r"line 2:.*float: 'much'"),
        ('"{""equation""', '"{""equation', "line 2: "),
        ('"{""equation"": 1e-07, ""dirichlet x-"": 2e-09}"', "[1]", "line 2: numbers by name"),
    ],
)
def test_a_spoilt_table_is_refused_as_a_whole(
    exported: Path, plan: Plan, tmp_path: Path, old: str, new: str, message: str
) -> None:
    _changed(exported, old, new)
    with Store.create(tmp_path / "again.db", plan, plan.terms()) as again:
        with pytest.raises(ProblemError, match=message):
            import_csv(again, exported)
        assert again.rows() == []


def test_a_row_twice_or_cut_short_is_refused(exported: Path, store: Store) -> None:
    text = exported.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    exported.write_text(text + lines[1], encoding="utf-8")
    with pytest.raises(ProblemError, match=r"line 6:.*second time"):
        import_csv(store, exported)
    exported.write_text(lines[0] + lines[1][:40], encoding="utf-8")
    with pytest.raises(ProblemError, match="line 2: the line is cut short"):
        import_csv(store, exported)


def test_a_table_without_its_environments_is_refused(exported: Path, plan: Plan, tmp_path: Path) -> None:
    origin = exported.with_suffix(".origin.json")
    content = json.loads(origin.read_text(encoding="utf-8"))
    origin.write_text(json.dumps(content | {"environments": {}}), encoding="utf-8")
    with pytest.raises(ProblemError, match="keep the two files together"):
        read_table(plan, exported)
    for text in ("[1]", "{}", "{", json.dumps(content | {"environments": [1]})):
        origin.write_text(text, encoding="utf-8")
        with pytest.raises(ProblemError, match=r"cannot read .*\.origin\.json'"):
            read_table(plan, exported)
    origin.unlink()
    with pytest.raises(ProblemError, match="belongs to the table beside it"):
        read_table(plan, exported)


def _own(text: str, **terms: Any) -> Plan:
    methods = terms.pop("methods", ["fs-l"])
    sweep = Sweep(["room"], methods, mu=[(1, 9)], neurons=[50], seeds=[0])
    return Plan("own", [sweep], files=[Subject("room", text)], **terms)


@pytest.mark.parametrize(
    ("there", "here", "message"),
    [
        (_own(ROOM), _own(ROOM + "# later\n"), r"'room'.*is another one"),
        (
            _own(ROOM, tol=1e-3, methods=["automatic"]),
            _own(ROOM, tol=1e-9, methods=["automatic"]),
            r"tol=0.001.*plan 1e-09",
        ),
    ],
)
def test_a_table_of_another_problem_or_on_other_terms_is_refused(
    there: Plan, here: Plan, message: str, outcome: Outcome, tmp_path: Path
) -> None:
    with Store.create(tmp_path / "there.db", there, there.terms()) as store:
        store.record(there.jobs[0], outcome, {})
    table = export_csv(tmp_path / "there.db", tmp_path / "there.csv")
    assert len(read_table(there, table).rows) == 1
    with pytest.raises(ProblemError, match=rf"another study: .*{message}"):
        read_table(here, table)


def test_a_success_takes_the_place_of_a_failure(exported: Path, plan: Plan, tmp_path: Path) -> None:
    with Store.create(tmp_path / "again.db", plan, plan.terms()) as again:
        again.record(plan.jobs[0], failure("took longer"), {})
        assert import_csv(again, exported).new == 3
        assert [row.outcome.status for row in again.rows()] == ["done"] * 3


def test_a_table_of_other_threads_is_refused(store: Store, plan: Plan, outcome: Outcome, tmp_path: Path) -> None:
    store.record(plan.jobs[0], outcome, {THREADS: "8"})
    table = export_csv(store.path, tmp_path / "rows.csv")
    with pytest.raises(ProblemError, match=r"8 threads.*the plan has 1"):
        read_table(plan, table)


def test_a_run_continues_from_a_table(exported: Path, plan: Plan, tmp_path: Path) -> None:
    solved: list[str] = []
    place = tmp_path / "again.db"
    run(plan, place, continue_from=exported, ends=lambda ended: solved.append(ended.task.job.key))
    assert solved == [job.key for job in plan.jobs[3:]]
    with Store.open(place, read_only=True) as again:
        assert again.missing() == []


def test_a_table_that_cannot_be_taken_leaves_no_study(exported: Path, plan: Plan, tmp_path: Path) -> None:
    _changed(exported, ",done,", ",perhaps,")
    with pytest.raises(ProblemError, match="line 2"):
        run(plan, tmp_path / "again.db", continue_from=exported)
    assert not (tmp_path / "again.db").exists()


def test_no_table_no_rows(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=r"cannot read .*No such file"):
        import_csv(store, tmp_path / "none.csv")
    with pytest.raises(ProblemError, match=r"no text.*'fspielm study export'"):
        import_csv(store, store.path)
    with pytest.raises(ProblemError, match=r"must end in \.csv"):
        export_csv(store.path, tmp_path / "rows.txt")
    with pytest.raises(ProblemError, match="there is no study"):
        export_csv(tmp_path / "none.db", tmp_path / "rows.csv")


def test_the_columns_are_those_that_others_rely_on() -> None:
    assert COLUMNS[:8] == ("subject", "method", "mu_min", "mu_max", "neurons", "least_squares", "scaling", "seed")
    assert {"error", "held_out", "rank", "seconds", "environment", "message"} <= set(COLUMNS)
