"""How far a study is, told from what began and ended; no terminal, no clock but ours."""

from __future__ import annotations

from itertools import product

import pytest

from fspielm.jobs import Job, Outcome, Progress, Row


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def job(subject: str = "a", method: str = "gff", seed: int = 0, neurons: int | None = 100) -> Job:
    return Job(subject, method, seed, (1.0, 2.0), neurons, "qr", "none")


def done(job: Job, seconds: float = 1.0, error: float | None = 1e-3, ended: str = "", rows: int = 200) -> Row:
    return Row(job, Outcome("done", measure="exact", error=error, seconds=seconds, rows=rows), ended)


def failed(job: Job, seconds: float = 0.0) -> Row:
    return Row(job, Outcome("failed", "out of memory", seconds=seconds))


class TestCounts:
    def test_a_new_study(self) -> None:
        progress = Progress([job(seed=seed) for seed in range(3)])
        assert (progress.total, progress.finished, progress.failed) == (3, 0, 0)
        assert (progress.running, progress.best, progress.last_ended) == ([], {}, "")
        assert progress.work_left() is None
        assert progress.time_left() is None

    def test_a_study_that_went_on_before(self) -> None:
        jobs = [job(seed=seed) for seed in range(4)]
        rows = [done(jobs[0], ended="2026-01-02T00:00:00+00:00"), failed(jobs[1])]
        progress = Progress(jobs, rows)
        assert (progress.total, progress.finished, progress.failed) == (4, 2, 1)
        assert progress.failures == [rows[1]]
        assert progress.last_ended == "2026-01-02T00:00:00+00:00"

    def test_beginnings_and_ends(self, clock: Clock) -> None:
        jobs = [job(seed=seed) for seed in range(3)]
        progress = Progress(jobs, clock=clock)
        progress.started(jobs[0])
        clock.now += 3
        progress.started(jobs[1])
        clock.now += 1
        assert progress.running == [(jobs[0], 4.0), (jobs[1], 1.0)]
        progress.ended(done(jobs[0]))
        assert progress.running == [(jobs[1], 1.0)]
        assert progress.finished == 1

    def test_a_solve_that_was_lost_begins_again(self, clock: Clock) -> None:
        progress = Progress([job()], clock=clock)
        progress.started(job())
        clock.now += 5
        progress.started(job())
        assert progress.running == [(job(), 0.0)]

    def test_what_ends_twice_or_is_not_planned_counts_once_or_not(self) -> None:
        progress = Progress([job(), job(seed=1)], [done(job()), done(job()), failed(job(seed=7))])
        assert (progress.finished, progress.failed) == (1, 0)


class TestCells:
    def test_the_best_of_each(self) -> None:
        jobs = [job(subject, method, seed) for subject, method, seed in product("ab", ["gff", "fs-l"], range(3))]
        errors = [3e-3, 1e-5, 2e-4]
        progress = Progress(jobs, [done(j, error=errors[j.seed]) for j in jobs[:3]])
        assert progress.cells == dict.fromkeys(product("ab", ["gff", "fs-l"]), 3)
        assert {cell: row.job.seed for cell, row in progress.best.items()} == {("a", "gff"): 1}

    def test_an_error_beyond_numbers_is_the_worst(self) -> None:
        jobs = [job(seed=0), job(seed=1)]
        progress = Progress(jobs, [done(jobs[0], error=None)])
        assert progress.best["a", "gff"].job == jobs[0]
        progress.ended(done(jobs[1], error=1e9))
        assert progress.best["a", "gff"].job == jobs[1]

    def test_hopeless_once_all_have_failed(self) -> None:
        jobs = [job(seed=0), job(seed=1)]
        progress = Progress(jobs, [failed(jobs[0])])
        assert not progress.is_hopeless(("a", "gff"))
        progress.ended(failed(jobs[1]))
        assert progress.is_hopeless(("a", "gff"))
        assert progress.best == {}


class TestWorkLeft:
    def test_the_mean_of_the_same_kind(self) -> None:
        jobs = [job(seed=seed) for seed in range(5)]
        progress = Progress(jobs, [done(jobs[0], 2.0), done(jobs[1], 4.0)])
        assert progress.work_left() == pytest.approx(3 * 3.0)

    def test_else_of_the_same_subject_and_size(self) -> None:
        jobs = [job(method="gff"), job(method="fs-l"), job(method="fs-g"), job(method="tanh")]
        progress = Progress(jobs, [done(jobs[0], 2.0), done(jobs[1], 6.0)])
        assert progress.work_left() == pytest.approx(2 * 4.0)

    def test_else_by_the_work_of_the_subject(self) -> None:
        jobs = [job(neurons=100), job(neurons=300), job("b", neurons=100)]
        progress = Progress(jobs, [done(jobs[0], 2.0, rows=200), done(jobs[2], 50.0, rows=300)])
        assert progress.work_left() == pytest.approx(2.0 * 3**3)

    def test_else_by_the_work_of_all(self) -> None:
        jobs = [job(neurons=100), job("b", neurons=200), job("c", neurons=400)]
        progress = Progress(jobs, [done(jobs[0], 1.0, rows=200), done(jobs[1], 8.0, rows=400)])
        assert progress.work_left() == pytest.approx(64.0)

    def test_automatic_solves_by_their_subject_and_else_by_all(self) -> None:
        jobs = [job(), job(method="automatic", neurons=None), job("b", "automatic", neurons=None)]
        progress = Progress(jobs, [done(jobs[0], 3.0)])
        assert progress.work_left() == pytest.approx(3.0 + 3.0)

    def test_a_failure_tells_of_its_kind_alone(self) -> None:
        jobs = [job(seed=0), job(seed=1), job("b")]
        progress = Progress(jobs, [failed(jobs[0], 7.0)])
        assert progress.work_left() is None  # nothing is known of b
        assert Progress(jobs[:2], [failed(jobs[0], 7.0)]).work_left() == 7.0

    def test_nothing_is_left_of_a_finished_study(self) -> None:
        progress = Progress([job()], [done(job())])
        assert progress.work_left() == 0.0
        assert progress.time_left() == 0.0


class TestTimeLeft:
    def test_before_any_pace_is_known_the_running_share_the_work(self, clock: Clock) -> None:
        jobs = [job(seed=seed) for seed in range(9)]
        progress = Progress(jobs, [done(jobs[0], 10.0)], clock=clock)
        assert progress.time_left() == pytest.approx(80.0)
        for each in jobs[1:5]:
            progress.started(each)
        assert progress.time_left() == pytest.approx(20.0)

    def test_at_the_pace_of_two_workers_with_an_overhead(self, clock: Clock) -> None:
        jobs = [job(seed=seed) for seed in range(100)]
        progress = Progress(jobs, clock=clock)
        clock.now += 30.0  # workers that start are not work
        for number in range(50):
            progress.started(jobs[number])
            clock.now += 0.6  # two at once, a second each, and 0.2 s to measure it
            progress.ended(done(jobs[number], 1.0))
        assert progress.time_left() == pytest.approx(50 * 0.6)
        clock.now += 4.0
        assert progress.time_left() == pytest.approx(50 * 0.6 - 4.0)
        clock.now += 100.0
        assert progress.time_left() == 0.0

    def test_within_a_long_solve_the_pace_stays(self, clock: Clock) -> None:
        jobs = [job(seed=seed) for seed in range(4)]
        progress = Progress(jobs, clock=clock)
        for each in jobs[:2]:
            progress.started(each)
            clock.now += 100.0
            progress.ended(done(each, 100.0))
        progress.started(jobs[2])
        clock.now += 60.0
        assert progress.time_left() == pytest.approx(140.0)
