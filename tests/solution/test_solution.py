"""The answer as an object: values, derivatives, the report."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem import Operator, Term, along_normal, derivative

x, y = sp.symbols("x y")
EXACT = sp.exp(x) * sp.sin(4 * (x + y**2 / 2))


@pytest.fixture(scope="module")
def solution() -> fs.Solution:
    u = sp.Function("u")(x, y)
    problem = fs.Problem(
        sp.Eq(u.diff(x, 2) + u.diff(y, 2), EXACT.diff(x, 2) + EXACT.diff(y, 2)),
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet(EXACT)],
    )
    # the estimate is about 1e-8, more or less on other processors
    return fs.solve(problem, features=fs.FrequencyShift(250, mu=(0, 15)), tol=1e-7, rng=3)


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).random((200, 2))


def exact(points: np.ndarray, expression: sp.Expr = EXACT) -> np.ndarray:
    return np.asarray(sp.lambdify((x, y), expression)(*points.T))


def test_is_a_function_of_points(solution: fs.Solution, points: np.ndarray) -> None:
    values = solution(points)
    assert values.shape == (200,)
    assert values.dtype == np.float64
    assert np.allclose(values, exact(points), rtol=0, atol=1e-8)
    assert np.array_equal(solution(points.tolist()), values)
    assert solution([]).shape == (0,)


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 3)])
def test_differentiates_exactly(solution: fs.Solution, points: np.ndarray, orders: tuple[int, int]) -> None:
    values = solution.evaluate(derivative(orders), points)
    expected = exact(points, EXACT.diff(x, orders[0], y, orders[1]))
    # each derivative costs a factor of about twice the band, 15, toward the edges
    assert np.allclose(values, expected, rtol=0, atol=1e-8 * 30 ** sum(orders))


def test_evaluates_any_operator(solution: fs.Solution, points: np.ndarray) -> None:
    operator = Operator(2, (Term(lambda s: s.points[:, 1], (1, 0)), Term(-2.0, (0, 0))))
    expected = exact(points, y * EXACT.diff(x) - 2 * EXACT)
    assert np.allclose(solution.evaluate(operator, points), expected, rtol=0, atol=1e-6)


def test_satisfies_its_equation_away_from_the_collocation_points(solution: fs.Solution, points: np.ndarray) -> None:
    problem = solution.problem
    residual = solution.evaluate(problem.operator, points) - problem.right_hand_side(points)
    assert np.abs(residual).max() < 1e-6
    assert solution.report.residuals["equation"].rms < np.abs(residual).max()


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.5]], r"points.*\(n, 2\).*got.*\(1, 1\)"),
        ([0.5, 0.5], r"single point is \[\[\.\.\., \.\.\.\]\]"),
        ([["a", "b"]], "points must be real numbers"),
    ],
)
def test_refuses_points_of_the_wrong_shape(solution: fs.Solution, points: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        solution(points)


def test_refuses_an_operator_of_another_dimension(solution: fs.Solution, points: np.ndarray) -> None:
    # (2,) would quietly be taken for u_xxyy
    with pytest.raises(fs.ProblemError, match=r"1 coordinates.*points have 2"):
        solution.evaluate(derivative((2,)), points)


def test_refuses_a_normal_derivative_at_mere_points(solution: fs.Solution, points: np.ndarray) -> None:
    with pytest.raises(ValueError, match="needs sites on a boundary"):
        solution.evaluate(along_normal(2), points)


def test_is_immutable_and_short_to_print(solution: fs.Solution) -> None:
    assert repr(solution) == f"Solution(u(x, y), 250 functions, estimated error {solution.error_estimate:.1e})"
    with pytest.raises(FrozenInstanceError):
        solution.report = None  # type: ignore[misc, assignment]


# --- the report ---------------------------------------------------------------------------------


def test_the_report_tells_what_was_done(solution: fs.Solution) -> None:
    report = solution.report
    assert report.neurons == 250 == len(solution.coefficients)
    assert report.rows == sum(report.points.values()) == 400 + 80
    blocks = ["equation", "dirichlet x-", "dirichlet x+", "dirichlet y-", "dirichlet y+"]
    assert list(report.points) == list(report.residuals) == blocks
    assert report.coefficient_norm == pytest.approx(np.linalg.norm(solution.coefficients))
    assert 0 < report.rank <= 250
    assert report.condition > 1e6
    assert report.rng == 3
    assert list(report.seconds) == ["functions", "points", "assembly", "solve", "estimate"]
    assert all(seconds >= 0 for seconds in report.seconds.values())
    assert eval(report.features, vars(fs)) == fs.FrequencyShift(250, mu=(0, 15))
    assert eval(report.least_squares, vars(fs)) == fs.QR()


def test_the_report_prints_every_block(solution: fs.Solution) -> None:
    text = str(solution.report)
    for part in [
        "FrequencyShift(neurons=250",
        "QR(), row scaling rms",
        "480 rows x 250 functions",
        "condition",
        "norm",
        "rng            3",
        "assembly",
        *solution.report.points,
    ]:
        assert part in text
    assert text.count("residual") == 5
    assert max(map(len, text.splitlines())) < 120


def test_the_report_fits_json(solution: fs.Solution) -> None:
    content = solution.report.as_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert content["residuals"]["equation"] == solution.report.residuals["equation"].rms
    assert {"neurons", "rows", "residuals", "rank", "coefficient_norm", "rng", "seconds"} <= set(content)


def test_an_infinite_condition_fits_json_too(solution: fs.Solution) -> None:
    report = replace(solution.report, condition=math.inf, rng=None)
    assert json.loads(json.dumps(report.as_dict(), allow_nan=False))["condition"] is None
    assert "condition inf" in str(report)
