"""A store keeps what it was given, once, and says what it cannot do."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from fspielm.errors import ProblemError
from fspielm.jobs import Job, Outcome, Plan, Store, Sweep
from fspielm.jobs.job import digest, environment, failure
from fspielm.jobs.store import StoreError


def test_a_new_study_has_its_plan_and_nothing_solved(store: Store, plan: Plan) -> None:
    assert store.plan == plan
    assert store.terms == plan.terms()
    assert store.missing() == list(plan.jobs)
    assert store.rows() == []


def test_an_outcome_comes_back_to_the_last_bit(store: Store, job: Job, outcome: Outcome) -> None:
    here = environment()
    store.record(job, outcome, here)
    with Store.open(store.path, read_only=True) as again:
        (row,) = again.rows()
        assert row.job == job
        assert row.outcome == outcome
        assert row.environment == digest(here)
        assert again.environments() == {digest(here): here}
        assert job not in again.missing()
        assert len(again.missing()) == 7


def test_numbers_beyond_all_numbers_are_kept_as_nothing(store: Store, job: Job) -> None:
    store.record(job, Outcome("done", error=float("inf"), condition=float("nan")), {})
    (row,) = store.rows()
    assert row.outcome.error is None
    assert row.outcome.condition is None


def test_a_second_outcome_of_a_job_is_refused_and_the_first_kept(store: Store, job: Job, outcome: Outcome) -> None:
    store.record(job, outcome, {})
    with pytest.raises(StoreError, match=r"write to .*UNIQUE.*safe"):
        store.record(job, failure("later"), {})
    assert [row.outcome for row in store.rows()] == [outcome]


def test_many_rows_are_taken_together_or_not_at_all(store: Store, job: Job, outcome: Outcome) -> None:
    store.record(job, outcome, {})
    (row,) = store.rows()
    others = [type(row)(other, outcome) for other in store.missing()]
    with pytest.raises(StoreError):
        store.record_all([*others, row], {})
    assert len(store.rows()) == 1
    store.record_all(others, {})
    assert store.missing() == []


def test_a_job_that_is_not_planned_is_refused(store: Store, outcome: Outcome) -> None:
    with pytest.raises(ProblemError, match="has no solve 'heat"):
        store.record(Job("heat", "automatic", 0), outcome, {})
    assert store.rows() == []


def test_failures_can_be_taken_back(store: Store, plan: Plan, outcome: Outcome) -> None:
    store.record(plan.jobs[0], outcome, {})
    store.record(plan.jobs[1], failure("out of memory"), {})
    assert store.forget_failures() == 1
    assert [row.job for row in store.rows()] == [plan.jobs[0]]


def test_another_plan_is_refused_with_what_differs(store: Store) -> None:
    other = Plan("small", [Sweep(["poisson-1d"], ["tanh"], seeds=[0])])
    with pytest.raises(ProblemError, match=r"another plan \(1 solves.* 8 "):
        store.check_plan(other)


def test_a_newer_form_is_refused_with_the_remedy(store: Store) -> None:
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE name = 'format'")
        connection.execute("UPDATE meta SET value = '7.0' WHERE name = 'fspielm'")
    with pytest.raises(ProblemError, match=r"fspielm 7.0.*form 99.*upgrade"):
        Store.open(store.path)


def test_a_study_of_the_first_form_is_read_and_goes_on(store: Store, job: Job, outcome: Outcome) -> None:
    store.record(job, outcome, {})
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("ALTER TABLE solves DROP COLUMN measured")
        connection.execute("UPDATE meta SET value = '1' WHERE name = 'format'")
    with Store.open(store.path, read_only=True) as old:
        assert [row.outcome for row in old.rows()] == [outcome]
    with Store.open(store.path) as renewed:
        renewed.record(renewed.missing()[0], replace(outcome, measured={"value": [1.0]}), {})
        assert [row.outcome.measured for row in renewed.rows()] == [{}, {"value": [1.0]}]


def test_other_files_are_no_studies(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="there is no study"):
        Store.open(tmp_path / "none.db")
    with pytest.raises(ProblemError, match="is a folder, not a study"):
        Store.open(tmp_path)
    text = tmp_path / "text.db"
    text.write_text("not a database, but long enough to look like one" * 30)
    with pytest.raises(ProblemError, match=r"open .*file is not a database"):
        Store.open(text)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE meta (name, value)")
    with pytest.raises(ProblemError, match="a database, but no study"):
        Store.open(foreign)


def test_a_damaged_study_is_named(store: Store) -> None:
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("DELETE FROM meta WHERE name = 'plan'")
    with Store.open(store.path) as opened, pytest.raises(ProblemError, match="is damaged: it has no plan"):
        _ = opened.plan


def test_a_full_disk_is_said_and_costs_nothing_stored(store: Store, plan: Plan, outcome: Outcome) -> None:
    store.record(plan.jobs[0], outcome, {})
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"no space left.*safe"):
        store.record(plan.jobs[1], Outcome("done", message="x" * 10_000), {})
    with Store.open(store.path, read_only=True) as again:
        assert again.rows()[0].outcome == outcome


def test_a_study_never_takes_the_place_of_another(store: Store, plan: Plan, job: Job, outcome: Outcome) -> None:
    store.record(job, outcome, {})
    with pytest.raises(ProblemError, match="is there already"):
        Store.create(store.path, plan, plan.terms())
    assert len(store.rows()) == 1


def test_what_a_killed_run_left_does_not_get_into_a_new_study(plan: Plan, tmp_path: Path) -> None:
    place = tmp_path / "small.db"
    for ending in ("-journal", "-wal", "-shm"):
        (tmp_path / f"small.db{ending}").write_bytes(b"of another study")
    with Store.create(place, plan, plan.terms()) as store:
        assert store.plan == plan
    assert [path.name for path in tmp_path.iterdir()] == ["small.db"]


def test_a_damaged_page_is_said(store: Store, plan: Plan, outcome: Outcome) -> None:
    for job in plan.jobs:
        store.record(job, outcome, {})
    store.close()
    content = bytearray(store.path.read_bytes())
    content[4096 * 2 :] = b"\xff" * (len(content) - 4096 * 2)
    store.path.write_bytes(content)
    with pytest.raises(ProblemError, match=r"cannot (read|open) .*"), Store.open(store.path, read_only=True) as opened:
        opened.rows()


def test_a_message_that_is_no_text_is_kept(store: Store, job: Job) -> None:
    store.record(job, failure("cannot open 'a\udcff'"), {})
    assert store.rows()[0].outcome.message == r"cannot open 'a\udcff'"


def test_no_study_is_left_where_none_can_be_written(plan: Plan, tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="its folder does not exist"):
        Store.create(tmp_path / "nowhere" / "small.db", plan, plan.terms())
    assert list(tmp_path.iterdir()) == []


def test_a_kept_environment_names_no_machine() -> None:
    assert {"fspielm", "numpy", "scipy", "processor", "cores", "memory", "blas", "blas threads"} <= environment().keys()
