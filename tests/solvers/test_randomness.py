"""The same seed gives the same bits; every way of passing randomness works; nothing global is touched."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.basis import RidgeBasis
from fspielm.solvers.request import spawn

FEATURES = fs.FrequencyShift(60, mu=(1, 20))


def solve(problem: fs.Problem, **settings: Any) -> fs.Solution:
    """With features by hand, too few: QR says so; with a truncated SVD nothing is estimated before it is asked for."""
    silent = isinstance(settings.get("least_squares"), fs.TruncatedSVD)
    with nullcontext() if silent else pytest.warns(fs.AccuracyWarning, match="not converged"):
        return fs.solve(problem, **{"features": FEATURES} | settings)


def frequencies(solution: fs.Solution) -> np.ndarray:
    assert isinstance(solution.basis, RidgeBasis)
    return np.column_stack([solution.basis.W, solution.basis.b])


def same(one: fs.Solution, other: fs.Solution) -> bool:
    return np.array_equal(frequencies(one), frequencies(other)) and np.array_equal(one.coefficients, other.coefficients)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, np.ndarray]]:
    """The points of every draw of a test, in order: with QR the fitted ones of each solve, then the held-out ones."""
    seen: list[dict[str, np.ndarray]] = []
    original = fs.Points.draw

    def draw(self: fs.Points, *arguments: Any) -> Any:
        sites = original(self, *arguments)
        seen.append({name: here.points for name, here in sites.items()})
        return sites

    monkeypatch.setattr(fs.Points, "draw", draw)
    return seen


def assert_same_draws(drawn: list[dict[str, np.ndarray]]) -> None:
    fitted, held_out = drawn[::2], drawn[1::2]
    assert len(fitted) == len(held_out) == 3
    for draws in (fitted, held_out):
        for other in draws[1:]:
            assert all(np.array_equal(other[name], draws[0][name]) for name in draws[0])
    # what checks a solution is none of what it was fitted to
    assert not set(map(tuple, fitted[0]["equation"])) & set(map(tuple, held_out[0]["equation"]))


# --- solve --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [fs.QR(), fs.TruncatedSVD()])
@pytest.mark.parametrize("scaling", ["none", "rms"])
def test_the_same_seed_gives_the_same_bits(problem: fs.Problem, method: Any, scaling: Any) -> None:
    one, other = (solve(problem, rng=5, least_squares=method, scaling=scaling) for _ in range(2))
    assert same(one, other)
    points = np.random.default_rng(0).random((3000, 2))
    assert np.array_equal(one(points), other(points))
    assert one.report.residuals == other.report.residuals


def test_other_seeds_give_others(problem: fs.Problem) -> None:
    solutions = [solve(problem, rng=seed) for seed in (0, 1, 2)]
    assert not any(same(a, b) for a, b in itertools.combinations(solutions, 2))


def test_features_and_points_do_not_depend_on_threads(problem: fs.Problem, drawn: list[dict[str, np.ndarray]]) -> None:
    solutions = [solve(problem, rng=5, budget=fs.Budget(threads=threads)) for threads in (1, 2, 3)]
    assert all(same(solutions[0], solution) for solution in solutions[1:])
    assert_same_draws(drawn)


def test_points_do_not_depend_on_the_features(problem: fs.Problem, drawn: list[dict[str, np.ndarray]]) -> None:
    points = fs.Points(200, boundary=20)
    for features in (FEATURES, fs.Tanh(10, (1, 3)), fs.FrequencyShift(80, (1, 5), groups=4)):
        solve(problem, features=features, points=points, rng=5)
    assert_same_draws(drawn)


def test_features_do_not_depend_on_the_points(problem: fs.Problem) -> None:
    few, many = (solve(problem, points=fs.Points(n, boundary=n // 10), rng=5) for n in (100, 300))
    assert np.array_equal(frequencies(few), frequencies(many))


def test_features_come_from_the_first_child_of_the_seed(problem: fs.Problem) -> None:
    child = np.random.SeedSequence(5).spawn(3)[0]
    by_hand = FEATURES.draw(2, np.random.default_rng(child))
    assert isinstance(by_hand, RidgeBasis)
    assert np.array_equal(frequencies(solve(problem, rng=5))[:, :2], by_hand.W)


def test_none_draws_a_seed_and_keeps_it(problem: fs.Problem) -> None:
    one, other = solve(problem), solve(problem)
    assert isinstance(one.report.rng, int)
    assert one.report.rng != other.report.rng
    assert same(one, solve(problem, rng=one.report.rng))


def test_a_generator_is_taken(problem: fs.Problem) -> None:
    one, other = (solve(problem, rng=np.random.default_rng(5)) for _ in range(2))
    assert same(one, other)
    assert one.report.rng is None
    assert "rng            None" in str(one.report)


def test_a_generator_used_twice_gives_others(problem: fs.Problem) -> None:
    rng = np.random.default_rng(5)
    one, other = solve(problem, rng=rng), solve(problem, rng=rng)
    assert not np.array_equal(frequencies(one), frequencies(other))


def test_numpy_integers_are_seeds(problem: fs.Problem) -> None:
    solution = solve(problem, rng=np.uint32(5))
    assert same(solution, solve(problem, rng=5))
    assert type(solution.report.rng) is int


@pytest.mark.parametrize("rng", [-1, 1.5, "seven", True, [1, 2], np.random.RandomState(0)])
def test_refuses_what_is_no_seed(problem: fs.Problem, rng: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"rng.*whole number.*Generator"):
        fs.solve(problem, features=FEATURES, rng=rng)


# --- children -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rng", [0, 5, 2**100, None])
def test_children_are_independent_and_reproducible(rng: int | None) -> None:
    children, seed = spawn(rng, 3)
    assert seed is not None
    again, _ = spawn(seed, 3)
    numbers = [child.random(500) for child in children]
    assert all(np.array_equal(a, b.random(500)) for a, b in zip(numbers, again, strict=True))
    for a, b in itertools.combinations(numbers, 2):
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(500)


def test_children_of_a_generator_are_independent_of_each_other_and_of_it() -> None:
    rng = np.random.default_rng(5)
    (one, other), seed = spawn(rng, 2)
    assert seed is None
    for a, b in itertools.combinations([g.random(500) for g in (rng, one, other)], 2):
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(500)


def test_a_generators_own_stream_is_left_where_it_was() -> None:
    rng = np.random.default_rng(5)
    spawn(rng, 2)
    assert np.array_equal(rng.random(10), np.random.default_rng(5).random(10))


# --- silence ------------------------------------------------------------------------------------


@pytest.fixture
def untouched() -> Iterator[None]:
    """The state of the process before and after."""

    def state() -> tuple[Any, ...]:
        legacy = np.random.get_state(legacy=False)  # noqa: NPY002
        return repr(legacy), np.geterr(), np.get_printoptions(), list(warnings.filters)

    before = state()
    yield
    assert state() == before


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("method", [fs.QR(), fs.TruncatedSVD()])
def test_nothing_is_printed_and_no_global_state_changes(
    problem: fs.Problem, method: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    solution = solve(problem, rng=None, least_squares=method)
    solution(np.zeros((4, 2)))
    assert capfd.readouterr() == ("", "")
