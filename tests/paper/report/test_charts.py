"""What the pictures show: complete, within their scales, and nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fspielm as fs
from fspielm.basis import RidgeBasis
from fspielm.jobs import Job, Outcome, Plan, Subject, Sweep
from fspielm.jobs.perform import settings
from fspielm.paper.report import charts
from fspielm.paper.report.analysis import LOOKS, StudyResult

Make = Callable[..., StudyResult]


class TestScale:
    @given(st.lists(st.floats(1e-300, 1e300), min_size=1), st.booleans())
    def test_holds_every_value_and_its_ticks(self, values: list[float], whole: bool) -> None:
        values = [min(max(value, 1e-18), 1e290) for value in values]
        scale = charts.log_scale(values, whole_decades=whole)
        assert scale.low <= min(values) * (1 + 1e-12)
        assert scale.high >= max(values) * (1 - 1e-12)
        assert 1 <= len(scale.ticks) <= 10
        assert all(scale.low * (1 - 1e-9) <= tick <= scale.high * (1 + 1e-9) for tick in scale.ticks)
        shares = [scale.share(value) for value in sorted(values)]
        assert all(0 <= share <= 1 for share in shares)
        assert shares == sorted(shares)

    def test_zero_has_a_place(self) -> None:
        scale = charts.log_scale([0.0, 1.0])
        assert scale.share(0.0) == pytest.approx(0.0, abs=0.06)

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([1e-9, 1e-3], ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"]),
            ([1e-9, 1e9], ["10⁻⁹", "10⁻⁶", "10⁻³", "10⁰", "10³", "10⁶", "10⁹"]),
            ([0.01, 1.0], ["0.01", "0.1", "1"]),
            ([0.011, 0.019], ["0.01", "0.02"]),
            ([1e-6, 1e-5], ["10⁻⁶", "3·10⁻⁶", "10⁻⁵"]),
            ([0.5], ["0.5", "0.6"]),
        ],
    )
    def test_ticks_are_all_powers_or_all_plain(self, values: list[float], expected: list[str]) -> None:
        assert charts.log_scale(values).labels == expected


class TestHeatMap:
    def test_has_every_cell_of_every_method(self, make_result: Make, small_plan: Plan) -> None:
        (subject,) = make_result(small_plan).subjects
        chart = charts.heat_map(subject.groups[0])
        assert chart is not None
        assert (chart.mu_min, chart.mu_max) == ((1, 5), (200, 250))
        assert list(chart.panels) == ["tanh", "siren", "gff", "fs-l"]
        assert all(set(cells) == {(1, 200), (5, 200), (1, 250)} for cells in chart.panels.values())

    def test_says_what_failed_and_what_is_to_come(self, make_result: Make, small_plan: Plan) -> None:
        def fill(job: Job) -> Outcome | None:
            if job.method == "tanh":
                return None if job.mu == (1, 200) else Outcome("failed", "no")
            return Outcome("done", error=0.0 if job.mu == (1, 200) else 1e-3)

        chart = charts.heat_map(make_result(small_plan, fill).subjects[0].groups[0])
        assert chart is not None
        assert [chart.label(cell) for cell in chart.panels["tanh"].values()] == ["", "×", "×"]
        assert [chart.label(cell) for cell in chart.panels["gff"].values()] == ["−18.0", "−3.0", "−3.0"]
        assert "tanh" not in chart.best

    def test_is_none_for_a_single_range(self, make_result: Make) -> None:
        for mu in ("best", [(1, 200), (1, 250)]):
            (subject,) = make_result(Plan("p", Sweep(["poisson-1d"], ["gff", "fs-l"], mu=mu, seeds=[0]))).subjects
            assert charts.heat_map(subject.groups[0]) is None

    def test_names_few_of_many_values(self) -> None:
        assert charts.every_few(tuple(range(6))) == [0, 1, 2, 3, 4, 5]
        assert len(charts.every_few(tuple(range(50)))) <= 8


class TestLines:
    def test_are_at_each_method_s_best_smallest_frequency(self, make_result: Make, small_plan: Plan) -> None:
        def fill(job: Job) -> Outcome:
            assert job.mu is not None
            return Outcome("done", error=job.mu[0] * job.mu[1] * (1 + job.seed))

        chart = charts.lines(make_result(small_plan, fill).subjects[0].groups[0])
        assert chart is not None
        assert [line.mu_min for line in chart.lines] == [1] * 4
        assert [line.mu_max for line in chart.lines] == [(200, 250)] * 4
        assert [error.worst for error in chart.lines[0].errors] == [400, 500]

    def test_are_none_without_two_points(self, make_result: Make) -> None:
        (subject,) = make_result(Plan("p", Sweep(["poisson-1d"], ["gff", "automatic"], mu="best", seeds=[0]))).subjects
        assert charts.lines(subject.groups[0]) is None


class TestFrequencies:
    @pytest.mark.parametrize("method", ["tanh", "siren", "gff", "fs-l", "fs-g", "fs-l-space", "fs-g-space"])
    def test_are_those_of_the_solve(self, method: str) -> None:
        bench, job = Subject("heat").open(), Job("heat", method, 3, (5.0, 50.0), 30, "svd 1e-12", "none")
        terms = Plan("p", Sweep(["heat"], ["gff"])).terms()
        solution = fs.solve(bench.problem, **settings(job, bench, terms), rng=job.seed)
        assert isinstance(solution.basis, RidgeBasis)
        expected = np.linalg.norm(solution.basis.W, axis=1)
        assert np.array_equal(charts.redrawn_frequencies(job, bench, terms), expected)

    def test_shares_add_up(self, make_result: Make, small_plan: Plan) -> None:
        result = make_result(small_plan)
        (subject,) = result.subjects
        chart = charts.frequencies(subject.groups[0], subject.bench, result.terms)
        assert chart is not None
        assert [law.method for law in chart.laws] == ["tanh", "siren", "gff", "fs-l"]
        for law in chart.laws:
            assert law.shares.sum() == pytest.approx(1.0)

    def test_the_automatic_solver_has_none(self, make_result: Make) -> None:
        result = make_result(Plan("p", Sweep(["heat"], ["automatic"], seeds=[0])))
        (subject,) = result.subjects
        assert charts.frequencies(subject.groups[0], subject.bench, result.terms) is None


def test_seeds_and_times_are_within_their_scales(make_result: Make, small_plan: Plan, in_trouble: Any) -> None:
    (subject,) = make_result(small_plan, in_trouble).subjects
    seeds, times = charts.seeds(subject.groups[0], subject.case), charts.times(subject.groups[0])
    assert seeds is not None
    assert times is not None
    assert [strip.method for strip in seeds.strips] == ["gff", "fs-l"]
    assert seeds.strips[1].paper is not None
    assert seeds.scale.high > seeds.strips[1].paper.mean
    assert [cloud.method for cloud in times.clouds] == ["gff", "fs-l"]
    assert all(cloud.best in cloud.cells for cloud in times.clouds)


def test_nothing_to_show_is_no_picture(make_result: Make, small_plan: Plan) -> None:
    result = make_result(small_plan, lambda job: Outcome("failed", "no"))
    (subject,) = result.subjects
    group = subject.groups[0]
    assert charts.heat_map(group) is charts.lines(group) is charts.seeds(group, subject.case) is None
    assert charts.times(group) is charts.frequencies(group, subject.bench, result.terms) is None


def test_every_method_has_a_colour_of_its_own() -> None:
    assert len({look.colour for look in LOOKS.values()}) == len({look.marker for look in LOOKS.values()}) == len(LOOKS)
