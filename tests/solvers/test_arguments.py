"""solve() refuses wrong arguments by name, before any long computation; and its defaults."""

from __future__ import annotations

import math
import sys
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.collocation import LeastSquares
from fspielm.resources import available_threads, physical_memory

FEATURES = fs.FrequencyShift(60, mu=(1, 20))


@pytest.fixture
def nothing_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may have been drawn or assembled when an argument is refused."""

    def forbidden(*_: Any, **__: Any) -> Any:
        raise AssertionError("begun before the arguments were checked")

    monkeypatch.setattr(sys.modules["fspielm.solvers.round"], "draw_features", forbidden)
    monkeypatch.setattr(sys.modules["fspielm.solvers.driver"], "infer_bands", forbidden)
    monkeypatch.setattr(fs.FrequencyShift, "draw", forbidden)
    monkeypatch.setattr(fs.Points, "draw", forbidden)


early = pytest.mark.usefixtures("nothing_long")


# --- wrong arguments ----------------------------------------------------------------------------


@early
@pytest.mark.parametrize("value", [None, "helmholtz-2d", sp.Symbol("u"), fs.Problem])
def test_the_problem_must_be_one(value: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"problem must be an fs.Problem"):
        fs.solve(value, features=FEATURES)


@early
@pytest.mark.parametrize(
    ("argument", "value", "example"),
    [
        ("features", 500, r"fs.FrequencyShift\(2000"),
        ("features", "fs-l", r"fs.FrequencyShift"),
        ("features", fs.FrequencyShift, r"fs.FrequencyShift"),
        ("points", 4000, r"fs.Points\(interior=4000"),
        ("points", {"interior": 10}, r"fs.Points"),
        ("least_squares", "qr", r"fs.QR\(\)"),
        ("least_squares", fs.QR, r"fs.QR\(\)"),
        ("budget", 8e9, r"fs.Budget\(seconds=60\)"),
        ("budget", 0, r"fs.Budget"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named_with_an_example(
    problem: fs.Problem, argument: str, value: Any, example: str
) -> None:
    by_hand: dict[str, Any] = {"features": FEATURES}
    automatic: dict[str, Any] = {}
    for settings in (by_hand, automatic):
        with pytest.raises(fs.ProblemError, match=rf"{argument}.*such as {example}"):
            fs.solve(problem, **(settings | {argument: value}))


@early
@pytest.mark.parametrize("tol", [0, 1, 1.5, -1e-8, 1e-16, math.nan, math.inf, "1e-8", None, True])
def test_a_tolerance_is_between_rounding_and_one(problem: fs.Problem, tol: Any) -> None:
    for settings in ({}, {"features": FEATURES}):
        with pytest.raises(fs.ProblemError, match=r"tol.*from 1e-15 to 1"):
            fs.solve(problem, tol=tol, **settings)


@early
@pytest.mark.parametrize("progress", [1, "stderr", [print]])
def test_progress_is_a_truth_value_or_a_callable(problem: fs.Problem, progress: Any) -> None:
    for settings in ({}, {"features": FEATURES}):
        with pytest.raises(fs.ProblemError, match=r"progress.*True, or a callable"):
            fs.solve(problem, progress=progress, **settings)


@early
@pytest.mark.parametrize("scaling", ["rows", None, True])
def test_an_unknown_scaling_is_refused(problem: fs.Problem, scaling: Any) -> None:
    for settings in ({}, {"features": FEATURES}):
        with pytest.raises(fs.ProblemError, match=r"scaling.*'rms'\]; got"):
            fs.solve(problem, scaling=scaling, **settings)


@early
def test_missing_points_are_refused(problem: fs.Problem) -> None:
    with pytest.raises(fs.ProblemError, match=r"no points.*'dirichlet x-'"):
        fs.solve(problem, features=FEATURES, points=fs.Points(200))


def test_missing_points_are_refused_by_the_automatic_solver_too(problem: fs.Problem) -> None:
    with pytest.raises(fs.ProblemError, match=r"no points.*'dirichlet x-'"):
        fs.solve(problem, points=fs.Points(200))


@early
def test_a_bad_seed_is_refused(problem: fs.Problem) -> None:
    with pytest.raises(fs.ProblemError, match="rng must be"):
        fs.solve(problem, features=FEATURES, rng="seven")  # type: ignore[arg-type]


def test_a_space_shift_needs_time(problem: fs.Problem) -> None:
    with pytest.raises(fs.ProblemError, match=r'shift="space".*with time'):
        fs.solve(problem, features=fs.FrequencyShift(60, mu=(1, 20), shift="space"))


def test_too_few_rows_for_qr(problem: fs.Problem) -> None:
    points = fs.Points(20, boundary=5)
    with pytest.raises(fs.SolveError, match=r"QR.*40 rows and 60"):
        fs.solve(problem, features=FEATURES, points=points, rng=0)
    solution = fs.solve(problem, features=FEATURES, points=points, rng=0, least_squares=fs.TruncatedSVD())
    assert solution.report.rank <= 40


def test_settings_come_by_name_only(problem: fs.Problem) -> None:
    with pytest.raises(TypeError):
        fs.solve(problem, FEATURES)  # type: ignore[misc]


# --- defaults -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_defaults_are_qr_row_scaling_and_points_in_proportion(problem: fs.Problem) -> None:
    report = fs.solve(problem, features=FEATURES, rng=0).report
    assert (report.least_squares, report.scaling) == ("QR()", "rms")
    assert report.points["equation"] == 96
    assert report.rows == 96 + 40


def test_the_papers_settings_are_kept(problem: fs.Problem) -> None:
    settings: dict[str, Any] = {
        "features": fs.FrequencyShift(60, mu=(1, 20), groups=5),
        "points": fs.Points(interior=200, boundary={"x-": 10, "x+": 20, "y-": 30, "y+": 40}),
        "least_squares": fs.TruncatedSVD(1e-10),
        "scaling": "none",
    }
    report = fs.solve(problem, **settings, rng=0).report
    assert report.points == {
        "equation": 200,
        "dirichlet x-": 10,
        "dirichlet x+": 20,
        "dirichlet y-": 30,
        "dirichlet y+": 40,
    }
    assert report.features == repr(settings["features"])
    assert (report.least_squares, report.scaling) == ("TruncatedSVD(tol=1e-10)", "none")


def test_the_least_squares_method_sees_the_assembled_system(problem: fs.Problem) -> None:
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    class Spy(LeastSquares):
        name = "spy"
        leaves_triangle = False

        def factor(self, augmented: np.ndarray, *, in_place: bool = False) -> Any:
            assert not in_place  # the matrix is needed for the residuals of its rows
            seen.append((augmented[:, :-1], augmented[:, -1]))
            return fs.QR().factor(augmented)

        def workspace(self, rows: int, columns: int, *, in_place: bool = False, itemsize: int = 8) -> int:
            return 0

    solution = fs.solve(problem, features=FEATURES, rng=0, least_squares=Spy())
    ((matrix, values),) = seen
    assert matrix.shape == (136, 60)
    assert matrix.flags.f_contiguous
    residual = matrix @ solution.coefficients - values
    assert np.linalg.norm(matrix.T @ residual) < 1e-9 * np.linalg.norm(values)


# --- budget -------------------------------------------------------------------------------------


def test_the_default_budget_is_the_machines() -> None:
    assert fs.Budget().memory_limit == pytest.approx(0.6 * physical_memory())
    assert fs.Budget().thread_count == available_threads()
    assert fs.Budget(memory=1e9, threads=3).memory_limit == 1e9
    assert fs.Budget(threads=np.int64(3)).thread_count == 3  # type: ignore[arg-type]


@pytest.mark.parametrize("memory", [0, -1, math.nan, "much", "0GB"])
def test_refuses_a_memory_that_is_no_size(memory: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r'budget: memory.*positive.*"4GB"'):
        fs.Budget(memory=memory)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, "a minute"])
def test_refuses_seconds_that_are_no_time(seconds: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"budget: seconds.*positive"):
        fs.Budget(seconds=seconds)


@pytest.mark.parametrize("name", ["neurons", "threads"])
@pytest.mark.parametrize("value", [0, -2, 1.5, "all", True, math.nan])
def test_refuses_neurons_and_threads_that_are_no_whole_number(name: str, value: Any) -> None:
    with pytest.raises(fs.ProblemError, match=rf"budget: {name}.*whole number"):
        fs.Budget(**{name: value})


@pytest.mark.parametrize(("size", "expected"), [("4GB", 4e9), ("8 GB", 8e9), ("2GiB", 2 * 2**30), ("1e6", 1e6)])
def test_memory_may_be_a_size_as_on_the_command_line(size: str, expected: float) -> None:
    assert fs.Budget(memory=size) == fs.Budget(memory=expected)


def test_limits_of_a_budget_need_their_names() -> None:
    with pytest.raises(fs.ProblemError, match=r"Budget\(seconds=60\).*neurons=60"):
        fs.Budget(60)
    assert replace(fs.Budget(neurons=60), threads=2) == fs.Budget(neurons=60, threads=2)


def test_a_budget_is_an_immutable_value() -> None:
    assert fs.Budget(memory=1e9) == fs.Budget(memory=1e9)
    with pytest.raises(FrozenInstanceError):
        fs.Budget().threads = 2  # type: ignore[misc]
