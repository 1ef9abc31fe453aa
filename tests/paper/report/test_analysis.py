"""Rows into cells, the best of each method, and the paper's numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fspielm as fs
from fspielm.jobs import Job, Outcome, Plan, Row, Subject, Sweep
from fspielm.jobs.job import ALL_METHODS
from fspielm.paper.report.analysis import (
    LOOKS,
    StudyResult,
    Variant,
    entries,
    failures,
    make_cells,
    order_methods,
    paper_result,
    spread,
    unlike_the_paper,
    warned,
)

Make = Callable[..., StudyResult]


class TestSpread:
    @given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=7))
    def test_against_numpy(self, values: list[float]) -> None:
        found = spread(values)
        assert found is not None
        exact = np.array(values, dtype=np.longdouble)
        assert found.count == len(values)
        assert (found.best, found.worst) == (min(values), max(values))
        assert found.mean == pytest.approx(float(exact.mean()), rel=1e-12)
        assert found.median == pytest.approx(float(np.median(exact)), rel=1e-12)
        # a deviation is as good as the rounding of the largest value allows
        assert found.std == pytest.approx(float(exact.std()), rel=1e-12, abs=1e-14 * max(values))

    def test_leaves_out_what_is_no_number(self) -> None:
        found = spread([None, 1.0, math.inf, math.nan, 3.0])
        assert found is not None
        assert (found.count, found.mean, found.std) == (2, 2.0, 1.0)
        assert spread([None, math.inf]) is None
        assert spread([]) is None

    def test_of_zeros(self) -> None:
        found = spread([0.0, 0.0])
        assert found is not None
        assert (found.best, found.mean, found.std) == (0.0, 0.0, 0.0)


def row(job: Job, error: float | None, **more: Any) -> Row:
    return Row(job, Outcome("done", measure="exact", error=error, **more))


class TestCells:
    def test_hold_the_seeds_of_a_setting(self, small_plan: Plan) -> None:
        cells = make_cells(small_plan.jobs, [row(job, 1.0 + job.seed) for job in small_plan.jobs])
        assert len(cells) == 12
        assert [cell.planned for cell in cells] == [2] * 12
        assert all(cell.error is not None and cell.error.mean == 1.5 for cell in cells)

    def test_without_any_solve_are_there(self, small_plan: Plan) -> None:
        cells = make_cells(small_plan.jobs, [])
        assert len(cells) == 12
        assert all(cell.error is None and cell.seconds is None and cell.best_row is None for cell in cells)

    def test_count_failures_apart(self, small_plan: Plan) -> None:
        one, other = (job for job in small_plan.jobs if job.method == "gff" and job.mu == (1, 200))
        failed = Row(one, Outcome("failed", "no", seconds=1e6))
        (cell, *_) = make_cells([one, other], [failed, row(other, None, seconds=2.0)])
        assert (cell.failed, cell.not_finite, cell.error) == (1, 1, None)
        assert cell.seconds is not None
        assert cell.seconds.mean == 2.0


class TestBest:
    def test_is_the_range_with_the_best_seed(self, make_result: Make, small_plan: Plan) -> None:
        """As the paper's is, although another range has the better mean."""

        def fill(job: Job) -> Outcome:
            lucky = job.mu == (1, 250) and job.seed == 1
            return Outcome("done", error=1e-9 if lucky else 1.0 if job.mu == (1, 250) else 1e-6)

        (subject,) = make_result(small_plan, fill).subjects
        best = subject.groups[0].best("fs-l")
        assert best is not None
        assert best.job.mu == (1, 250)
        assert best.best_row is not None
        assert best.best_row.job.seed == 1

    def test_of_nothing(self, make_result: Make, small_plan: Plan) -> None:
        (subject,) = make_result(small_plan, lambda job: None).subjects
        assert subject.groups[0].best("fs-l") is None
        assert subject.groups[0].best_method is None
        assert entries(subject) == []


class TestPaper:
    def test_every_method_has_its_own(self) -> None:
        case = fs.cases.load("heat")
        assert paper_result(case, "gff") == ("gff", case.paper.results["gff"])
        assert paper_result(case, "fs-l-space") == ("fs-l", case.paper.results["fs-l"])
        assert paper_result(case, "automatic") == ("gff", case.paper.results["gff"])
        assert paper_result(None, "gff") == ("", None)

    def test_ratios(self, make_result: Make) -> None:
        plan = Plan("p", Sweep(["poisson-1d"], ["fs-l"], mu="best", seeds=[0, 1]))
        result = make_result(plan, lambda job: Outcome("done", error=8.22e-12 * (2 + 2 * job.seed)))
        (entry,) = entries(result.subjects[0])
        assert entry.best_ratio == pytest.approx(2.0)
        assert entry.mean_ratio == pytest.approx(3 * 8.22e-12 / 2.25e-11)
        assert not entry.at_paper_range

    def test_its_range_is_shown_where_another_is_better(self, make_result: Make, small_plan: Plan) -> None:
        plan = Plan("p", Sweep(["poisson-1d"], ["fs-l"], mu=[(5, 250), (1, 300)]))
        result = make_result(plan, lambda job: Outcome("done", error=1e-9 if job.mu == (1, 300) else 1e-8))
        shown = [(entry.cell.job.mu, entry.at_paper_range) for entry in entries(result.subjects[0])]
        assert shown == [((1, 300), False), ((5, 250), True)]

    def test_what_is_not_as_in_the_paper_is_said(self) -> None:
        case = fs.cases.load("poisson-1d")
        assert unlike_the_paper(case, Variant(200, "svd 1e-12", "none")) == ""
        told = unlike_the_paper(case, Variant(600, "qr", "rms"))
        assert (
            told == "600 neurons instead of 200 neurons; qr instead of svd 1e-12; rms rows instead of rows as they are"
        )
        assert unlike_the_paper(None, Variant(600, "qr", "rms")) == ""
        assert unlike_the_paper(case, Variant()) == ""


class TestGroups:
    def test_are_named_by_what_tells_them_apart(self, make_result: Make) -> None:
        sweep = Sweep(["heat"], ["fs-l", "automatic"], mu=[(1, 2)], neurons=[30, 60], least_squares=["qr"], seeds=[0])
        (subject,) = make_result(Plan("p", sweep)).subjects
        assert [group.label for group in subject.groups] == ["30 neurons", "60 neurons"]
        assert [group.methods for group in subject.groups] == [["fs-l", "automatic"]] * 2
        assert [entry.cell.job.method for entry in entries(subject)] == ["fs-l", "automatic", "fs-l"]

    def test_by_every_setting(self) -> None:
        variants = [Variant(30, "qr", "rms"), Variant(30, "svd 1e-10", "none")]
        assert variants[0].describe() == "30 neurons, qr, rms rows"
        assert [variant.describe(variants) for variant in variants] == ["qr, rms rows", "svd 1e-10, rows as they are"]
        assert Variant().describe(variants) == "automatic"

    def test_the_automatic_solver_alone(self, make_result: Make) -> None:
        (subject,) = make_result(Plan("p", Sweep(["heat"], ["automatic"], seeds=[0]))).subjects
        (group,) = subject.groups
        assert (group.label, group.methods) == ("", ["automatic"])
        (entry,) = entries(subject)
        assert entry.paper_method == "gff"


def test_every_method_has_a_name_and_a_place() -> None:
    assert list(LOOKS) == list(ALL_METHODS)
    assert order_methods(["automatic", "fs-g", "tanh", "fs-g"]) == ["tanh", "fs-g", "automatic"]


def test_troubles_are_gathered_by_their_reason(make_result: Make, small_plan: Plan, in_trouble: Any) -> None:
    result = make_result(small_plan, in_trouble)
    (failed,) = failures(result.rows)
    assert failed.message == "out of memory: <3 GiB> & more"
    assert (len(failed.rows), failed.subjects, failed.methods) == (6, ["poisson-1d"], ["tanh"])
    (warning,) = warned(result.rows)
    assert (warning.message, len(warning.rows)) == ("not converged", 5)
    assert not result.complete
    assert len(result.failed) == 6


def test_a_problem_file_has_no_paper(make_result: Make, string: Subject) -> None:
    plan = Plan("own", Sweep([string.name], ["fs-l"], mu=[(1, 2)], neurons=[20], seeds=[0]), files=[string])
    (subject,) = make_result(plan, lambda job: Outcome("done", measure="estimate", error=1e-3)).subjects
    assert (subject.case, subject.title, subject.measure) == (None, "a <string>", "estimate")
    (entry,) = entries(subject)
    assert entry.paper is None
    assert entry.best_ratio is None


def test_a_problem_file_that_cannot_be_read_any_more_is_still_reported(make_result: Make, string: Subject) -> None:
    plan = Plan("own", Sweep([string.name], ["fs-l"], mu=[(1, 2)], neurons=[20], seeds=[0]), files=[string])
    broken = replace(string, text="equation = ")
    plan = Plan("own", plan.sweeps, files=[broken])
    (subject,) = make_result(plan).subjects
    assert subject.bench is None
    assert subject.measure == "exact"
