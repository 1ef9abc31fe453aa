"""What a plan makes of its sweeps, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.jobs import Job, Plan, Subject, Sweep, builtin_plan, builtin_plans
from fspielm.jobs.job import make_least_squares
from fspielm.jobs.plan import differences

from .conftest import ROOM


@pytest.mark.parametrize(("name", "count"), [("paper", 6300), ("tables", 175), ("light", 2160)])
def test_builtin_plans_have_the_papers_numbers_of_solves(name: str, count: int) -> None:
    jobs = builtin_plan(name).jobs
    assert len(jobs) == count
    assert len({job.key for job in jobs}) == count


def test_every_builtin_plan_has_a_purpose() -> None:
    for name in builtin_plans():
        assert builtin_plan(name).name == name


def test_the_tables_are_at_the_papers_best_ranges() -> None:
    for job in builtin_plan("tables").jobs:
        paper = fs.cases.paper_setting(job.subject)
        assert job.mu == paper.results[job.method].mu
        assert job.neurons == paper.neurons


def test_a_sweep_has_every_combination_once_and_seeds_outermost() -> None:
    sweep = Sweep(
        ["heat"], ["fs-l", "tanh"], mu=[(1, 2), (3, 4)], neurons=[10, 20], least_squares=["qr", "svd"], seeds=[7, 8]
    )
    jobs = Plan("all", [sweep]).jobs
    assert len(jobs) == 2 * 2 * 2 * 2 * 2
    assert [job.seed for job in jobs] == [7] * 16 + [8] * 16


def test_what_two_sweeps_share_is_solved_once() -> None:
    shared = Sweep(["heat"], ["fs-l"], mu=[(1, 2)], seeds=[0])
    more = Sweep(["heat"], ["fs-l"], mu=[(1, 2), (3, 4)], seeds=[0])
    assert len(Plan("both", [shared, more]).jobs) == 2


def test_the_automatic_solver_has_only_seeds() -> None:
    assert Plan("auto", [Sweep(["heat"], ["automatic"], seeds=[0, 1])]).jobs == (
        Job("heat", "automatic", 0),
        Job("heat", "automatic", 1),
    )


def test_a_shift_in_space_is_at_the_best_range_of_its_method() -> None:
    (job,) = Plan("space", [Sweep(["heat"], ["fs-g-space"], seeds=[0])]).jobs
    assert job.mu == fs.cases.load("heat").paper.results["fs-g"].mu


def test_plans_survive_json(plan: Plan) -> None:
    whole = Plan(
        "all", [*plan.sweeps, Sweep(["heat"], ["fs-l"], mu="grid")], threads=2, seconds=60.0, memory=1e9, tol=1e-6
    )
    assert Plan.from_dict(whole.as_dict()) == whole
    assert differences(Plan.from_dict(whole.as_dict()), whole) == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"threads": 2}, "threads: here 2, there 1"),
        ({"seconds": 9.0}, "seconds: here 9.0, there None"),
        ({"name": "other"}, "name: here 'other', there 'small'"),
        (
            {"sweeps": [Sweep(["poisson-1d"], ["fs-l"], mu=[(5, 250)], seeds=[0])]},
            "7 solves only there, such as poisson-1d",
        ),
    ],
)
def test_differences_of_plans_are_named(plan: Plan, changed: dict[str, Any], message: str) -> None:
    other = Plan.from_dict(plan.as_dict() | {key: value for key, value in changed.items() if key != "sweeps"})
    if "sweeps" in changed:
        other = Plan("small", changed["sweeps"])
    assert any(message in found for found in differences(other, plan))


def test_another_problem_file_under_the_same_name_is_another_plan() -> None:
    sweep = Sweep(["room"], ["fs-l"], mu=[(1, 9)], neurons=[50], seeds=[0])
    one = Plan("own", [sweep], files=[Subject("room", ROOM)])
    other = Plan("own", [sweep], files=[Subject("room", ROOM + "# later\n")])
    assert differences(one, other) == ["room: the problem file or its reference is another one"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"methods": ["fs-x"]}, r"methods.*'fs-x'.*'fs-l'\?|'fs-g'"),
        ({"methods": []}, "methods is empty"),
        ({"methods": "fs-l"}, "methods must be a list"),
        ({"methods": ["fs-l", "fs-l"]}, "methods has 'fs-l' twice"),
        ({"subjects": []}, "subjects is empty"),
        ({"mu": []}, "mu is empty"),
        ({"mu": "all"}, 'mu must be "best", "grid"'),
        ({"mu": [5]}, r"mu must.*pairs.*got 5"),
        ({"mu": [(9, 5)]}, "0 <= smallest <= largest; got"),
        ({"mu": [("1", 5)]}, "0 <= smallest <= largest; got"),
        ({"neurons": [0]}, r"neurons.*whole number.*got 0"),
        ({"seeds": [-1]}, r"seeds.*whole numbers.*-1"),
        ({"seeds": [True]}, r"seeds.*whole numbers.*True"),
        ({"scaling": ["max"]}, r"scaling.*'max'.*none, rms"),
        ({"least_squares": ["lu"]}, r'least squares.*"qr", or "svd"'),
        ({"least_squares": ["svd 2"]}, r'least squares.*"qr", or "svd"'),
    ],
)
def test_a_wrong_sweep_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Sweep(**{"subjects": ["heat"], "methods": ["fs-l"]} | settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sweeps": []}, "at least one sweep"),
        ({"sweeps": [1]}, r"sweeps.*list of Sweep"),
        ({"name": ""}, "name must be a text"),
        ({"threads": 0}, r"threads.*whole number.*got 0"),
        ({"seconds": -1}, r"seconds.*positive.*-1"),
        ({"memory": "8 GB"}, r"memory.*positive.*'8 GB'"),
        ({"tol": 2}, r"tol.*between 0 and 1; got 2"),
        ({"sweeps": [Sweep(["heet"], ["fs-l"])]}, r"'heet'.*did you mean 'heat'"),
        ({"files": [Subject("heat", ROOM)]}, r"two subjects.*'heat'"),
        (
            {"files": [Subject("room", ROOM)], "sweeps": [Sweep(["room"], ["fs-l"], neurons=[9])]},
            r'room: mu="best".*own ranges',
        ),
        (
            {"files": [Subject("room", ROOM)], "sweeps": [Sweep(["room"], ["fs-l"], mu=[(1, 2)])]},
            r"room:.*needs neurons",
        ),
    ],
)
def test_a_wrong_plan_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Plan(**{"name": "wrong", "sweeps": [Sweep(["heat"], ["fs-l"])]} | settings)


def test_an_unknown_builtin_plan_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"no plan 'all'.*light, quick"):
        builtin_plan("all")


def test_least_squares_have_one_way_of_being_written() -> None:
    sweep = Sweep(["heat"], ["fs-l"], least_squares=["svd", "svd 1e-10", "qr"])
    assert sweep.least_squares == ("svd 1e-12", "svd 1e-10", "qr")
    assert make_least_squares("svd 1e-10") == fs.TruncatedSVD(1e-10)
    odd = Sweep(["heat"], ["fs-l"], least_squares=["svd 1.23456789e-12", "svd 1.234567e-12"])
    assert len(set(odd.least_squares)) == 2
    with pytest.raises(ProblemError, match=r"least_squares.*'svd 1e-12' twice"):
        Sweep(["heat"], ["fs-l"], least_squares=["svd", "svd 1e-12"])


def test_numbers_of_numpy_are_plain_numbers_in_a_plan() -> None:
    sweep = Sweep(["heat"], ["fs-l"], mu=[(np.float64(-0.0), np.int64(50))], neurons=[np.int64(9)], seeds=np.arange(2))
    plan = Plan("numpy", [sweep], threads=np.int64(1), memory=np.int64(10**9), tol=np.float32(1e-6))
    assert Plan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    assert plan.jobs[0].key.split(" | ")[2] == "0.0..50.0"


def test_memory_is_the_machines_but_for_what_is_not_known_before() -> None:
    given = Plan("given", [Sweep(["heat"], ["fs-l"])], memory=1e9).terms()
    assert (given.memory, given.share) == (1e9, 1e9)
    own = Plan("own", [Sweep(["heat"], ["fs-l"])]).terms()
    assert own.share <= own.memory
