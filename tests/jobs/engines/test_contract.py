"""What every engine does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import pytest

from fspielm.jobs import Engine, Job, Outcome, Processes, Subject, Task, sandbox
from fspielm.jobs.job import AUTOMATIC

LONG = {"subject": "helmholtz-2d", "neurons": 2500}
CHILD = "fspielm.jobs.child"


@pytest.fixture(scope="module")
def single() -> Iterator[Engine]:
    with Processes(1, 1) as engine:
        yield engine


@pytest.fixture(scope="module")
def several() -> Iterator[Engine]:
    with Processes(2, 1) as engine:
        yield engine


@pytest.fixture(params=["single", "several", "two_workers"])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def mixed(make_task: Callable[..., Task]) -> list[Task]:
    """Of several methods, each with another way to draw, to solve and to judge."""
    task, other = make_task(), make_task(subject="heat")
    jobs = [
        *(replace(task.job, method=method, seed=seed) for method in ("fs-l", "tanh", "gff") for seed in (0, 1)),
        *(Job("poisson-1d", AUTOMATIC, seed) for seed in (0, 1)),
        replace(other.job, method="fs-g-space", least_squares="qr"),
    ]
    return [replace(other if job.subject == "heat" else task, job=job) for job in jobs]


@pytest.fixture(scope="module")
def reference(mixed: list[Task], single: Engine) -> dict[str, Outcome]:
    """Solved one after the other."""
    return {ended.task.job.key: ended.outcome for ended in single.run(mixed)}


def numbers(outcome: Outcome) -> Outcome:
    """All but what the clock says."""
    return replace(outcome, seconds=0.0, phases={})


class TestSolving:
    def test_the_same_bits_whoever_solves(
        self, engine: Engine, mixed: list[Task], reference: dict[str, Outcome]
    ) -> None:
        ended = list(engine.run(mixed))
        assert len(ended) == len(mixed)
        found = {one.task.job.key: numbers(one.outcome) for one in ended}
        assert found == {key: numbers(outcome) for key, outcome in reference.items()}
        assert all(outcome.status == "done" and outcome.error is not None for outcome in found.values())

    def test_each_begins_before_it_ends(self, engine: Engine, make_task: Callable[..., Task]) -> None:
        begun: list[str] = []
        for ended in engine.run((make_task(seed) for seed in range(3)), starts=lambda task: begun.append(task.job.key)):
            assert ended.task.job.key in begun
            assert ended.environment["blas threads"] in ("1", "unknown")
        assert len(begun) == 3

    def test_each_is_given_back_before_another_is_planned(self, single: Engine, make_task: Callable[..., Task]) -> None:
        ended: list[Any] = []

        def tasks() -> Iterator[Task]:
            for seed in range(3):
                assert len(ended) == seed
                yield make_task(seed)

        for one in single.run(tasks()):
            ended.append(one)  # noqa: PERF402
        assert len(ended) == 3

    def test_tasks_wait_for_memory(self, make_task: Callable[..., Task]) -> None:
        running: set[str] = set()
        with Processes(2, 1, memory=1e9) as engine:
            for ended in engine.run(
                (make_task(seed, memory=2e9 if seed == 1 else 6e8) for seed in range(4)),
                starts=lambda task: running.add(task.job.key),
            ):
                assert running == {ended.task.job.key}
                running.clear()

    def test_a_run_that_is_left_does_not_hold_up_the_next(
        self, several: Engine, make_task: Callable[..., Task]
    ) -> None:
        run = several.run([make_task(0), make_task(1, **LONG)])
        next(run)
        run.close()  # type: ignore[attr-defined]
        assert len(list(several.run([make_task(2), make_task(3)]))) == 2

    def test_nothing_to_do(self, engine: Engine) -> None:
        assert list(engine.run([])) == []

    def test_a_problem_file(self, engine: Engine, make_task: Callable[..., Task]) -> None:
        subject = Subject("mine", '[domain]\nshape = "interval"\n')
        task = make_task()
        broken = replace(task, subject=subject, job=replace(task.job, subject="mine"))
        (ended,) = engine.run([broken])
        assert ended.outcome.status == "failed"
        assert ended.outcome.message.startswith("the problem cannot be read: ")


class TestFailures:
    def test_a_solve_that_cannot_be_done(self, engine: Engine, make_task: Callable[..., Task]) -> None:
        task = make_task()
        hopeless = replace(task, job=replace(task.job, mu=(1e200, 1e300)))
        ended = {one.task.job.key: one.outcome for one in engine.run([hopeless, task])}
        assert (ended[hopeless.job.key].status, ended[task.job.key].status) == ("failed", "done")
        assert "'equation' overflow" in ended[hopeless.job.key].message

    def test_one_that_may_not_use_what_it_needs(self, engine: Engine, make_task: Callable[..., Task]) -> None:
        (ended,) = engine.run([make_task(memory=1e15, allowed=1e3)])
        assert ended.outcome.status == "failed"
        assert "memory" in ended.outcome.message

    def test_one_that_takes_too_long(
        self, engine: Engine, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # workers have their own
        monkeypatch.setattr(sandbox, "_GRACE_SECONDS", 0.1)
        ended = {
            one.task.job.seed: one.outcome for one in engine.run([make_task(1, **LONG, seconds=0.2), make_task(2)])
        }
        assert ended[1].status == "failed"
        assert re.match(r"took longer.* 0\.2 s$", ended[1].message)
        assert ended[1].seconds > 0.2
        assert ended[2].status == "done"

    def test_the_death_of_the_process_that_solves(
        self, engine: Engine, make_task: Callable[..., Task], kill: Callable[[str], None]
    ) -> None:
        over = Event()

        def kill_it() -> None:
            # it may be long in coming on a busy machine
            while not over.wait(0.2):
                kill(CHILD)

        killer = Thread(target=kill_it)
        (ended,) = engine.run([make_task(1, **LONG)], starts=lambda task: killer.start())
        over.set()
        killer.join()
        assert ended.outcome.status == "failed"
        assert "killed" in ended.outcome.message
        # and the engine goes on
        (after,) = engine.run([make_task(2)])
        assert after.outcome.status == "done"


class TestDeadWorkers:
    def test_the_tasks_of_a_killed_worker_are_tried_again(
        self, two_workers: Engine, make_task: Callable[..., Task], kill: Callable[..., None]
    ) -> None:
        # large enough that the first is not done when the second begins
        tasks = [make_task(seed, neurons=600) for seed in range(4)]
        begun: list[str] = []

        def starts(task: Task) -> None:
            begun.append(task.job.key)
            # the first may be on its way, the second is for one that is dead already
            if len(begun) == 2:
                kill("distributed.cli.dask_worker", 1)

        ended = list(two_workers.run(tasks, starts=starts))
        assert sorted(one.task.job.key for one in ended) == sorted(task.job.key for task in tasks)
        assert {one.outcome.status for one in ended} == {"done"}
        assert len(begun) > len(tasks)
