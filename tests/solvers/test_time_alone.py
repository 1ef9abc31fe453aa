"""Ordinary differential equations in time, with nothing but time as their domain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.special import airy

import fspielm as fs

t = sp.Symbol("t")
u = sp.Function("u")(t)
UNIT = fs.Time(0, 1)
OSCILLATOR = fs.Problem(u.diff(t, 2) + 400 * u, UNIT, [fs.Initial(1), fs.Initial(0, order=1)])

# The problem and its solution.
PROBLEMS: dict[str, tuple[fs.Problem, sp.Expr]] = {
    "decay": (fs.Problem(u.diff(t) + 3 * u, UNIT, [fs.Initial(2)]), 2 * sp.exp(-3 * t)),
    "growth": (fs.Problem(u.diff(t) - 3 * u, fs.Time(0, 5), [fs.Initial(1)]), sp.exp(3 * t)),
    "oscillator": (OSCILLATOR, sp.cos(20 * t)),
    "many periods": (
        fs.Problem(u.diff(t, 2) + 200**2 * u, UNIT, [fs.Initial(0), fs.Initial(200, order=1)]),
        sp.sin(200 * t),
    ),
    "variable coefficient": (
        fs.Problem(u.diff(t) + 2 * t * u, fs.Time(-1, 2), [fs.Initial(sp.exp(-(t**2)))]),
        sp.exp(-(t**2)),
    ),
    "inhomogeneous": (
        fs.Problem(sp.Eq(u.diff(t, 2) + 9 * u, 5 * sp.sin(2 * t)), UNIT, [fs.Initial(1), fs.Initial(2, order=1)]),
        sp.sin(2 * t) + sp.cos(3 * t),
    ),
    "nothing but a source": (fs.Problem(sp.Eq(u.diff(t), 1), UNIT, [fs.Initial(0)]), t),
    "fourth order": (
        fs.Problem(u.diff(t, 4) - u, fs.Time(0, 3), [fs.Initial(v, order=k) for k, v in enumerate([0, 1, 0, -1])]),
        sp.sin(t),
    ),
    "an end in the place of a velocity": (
        fs.Problem(u.diff(t, 2) + u, UNIT, [fs.Initial(0), fs.Measured([[1.0]], sp.sin(t))]),
        sp.sin(t),
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_solved(name: str) -> None:
    problem, exact = PROBLEMS[name]
    solution = fs.solve(problem, rng=0)
    assert solution.converged
    assert solution.error_estimate <= 1e-8
    points = np.linspace(*(end[0] for end in problem.domain.bounding_box), 500)[:, None]
    expected = sp.lambdify(t, exact)(points[:, 0])
    assert np.linalg.norm(solution(points) - expected) < 1e-8 * np.linalg.norm(expected)


def test_airy_s_equation_against_scipy() -> None:
    begin, end = -20.0, 2.0
    (value, slope, *_) = airy(begin)
    problem = fs.Problem(u.diff(t, 2) - t * u, fs.Time(begin, end), [fs.Initial(value), fs.Initial(slope, order=1)])
    solution = fs.solve(problem, rng=0)
    points = np.linspace(begin, end, 300)
    assert solution.converged
    assert np.linalg.norm(solution(points[:, None]) - airy(points)[0]) < 1e-8 * np.linalg.norm(airy(points)[0])


def test_a_callable_source_against_an_integrator() -> None:
    f = sp.Function("f")(t)
    pulse = lambda points: np.exp(-20 * (points[:, 0] - 0.5) ** 2)  # noqa: E731
    problem = fs.Problem(sp.Eq(u.diff(t) + u, f), UNIT, [fs.Initial(0)], given={f: pulse})
    solution = fs.solve(problem, rng=0)
    reference = solve_ivp(
        lambda s, v: pulse(np.array([[s]])) - v, (0, 1), [0.0], method="DOP853", rtol=1e-12, atol=1e-14
    )
    assert solution.converged
    assert solution([[1.0]])[0] == pytest.approx(reference.y[0, -1], rel=1e-8)


@pytest.mark.parametrize("approach", ["characteristic", "band"])
def test_by_hand(approach: Any) -> None:
    assert fs.solve(OSCILLATOR, approach=approach, rng=0).converged


def test_the_paper_s_features() -> None:
    solution = fs.solve(
        OSCILLATOR, features=fs.FrequencyShift(100, mu=(5, 30)), points=fs.Points(interior=300, initial=5), rng=0
    )
    assert solution.converged
    assert dict(solution.report.points) == {"equation": 300, "initial": 1, "initial order 1": 1}
    with pytest.raises(fs.ProblemError, match=r'shift="space".*with time'):
        fs.solve(OSCILLATOR, features=fs.FrequencyShift(100, mu=(5, 30), shift="space"), rng=0)


def test_other_data() -> None:
    plan = fs.prepare(OSCILLATOR, rng=0)
    solution = plan.solve(values={"initial": 0, "initial order 1": 20})
    assert solution([[0.3]])[0] == pytest.approx(np.sin(6), rel=1e-10)


@pytest.fixture(scope="module")
def solution() -> fs.Solution:
    return fs.solve(OSCILLATOR, rng=0)


class TestTheSolution:
    def test_calculus(self, solution: fs.Solution) -> None:
        assert solution.diff(t)([[0.3]])[0] == pytest.approx(-20 * np.sin(6), rel=1e-10)
        assert solution.integrate(u**2) == pytest.approx(0.5 + np.sin(40) / 80, rel=1e-10)
        with pytest.raises(fs.ProblemError, match=r"time alone.*solution\(\[\[0\.5\]\]\)"):
            solution.integrate(u, at=0.5)

    def test_saved_and_loaded(self, solution: fs.Solution, tmp_path: Path) -> None:
        solution.save(tmp_path / "u.fspielm")
        again = fs.load(tmp_path / "u.fspielm")
        points = np.linspace(0, 1, 20)[:, None]
        np.testing.assert_array_equal(again(points), solution(points))
        assert again.problem.domain == UNIT
        assert again.problem.conditions == OSCILLATOR.conditions

    def test_shown(self, solution: fs.Solution) -> None:
        assert "functions that satisfy the equation" in str(solution.report)
        latex = OSCILLATOR._repr_latex_()
        assert r"t \in \left(0, 1\right]" in latex
        assert r"\text{ at } t = 0" in latex

    def test_drawn(self, solution: fs.Solution, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        for draw in (solution.plot, solution.plot_residual):
            figure: Any = draw(tmp_path / "u.png")
            assert figure.axes[0].get_xlabel() == "$t$"
        with pytest.raises(fs.ProblemError, match=r"time alone.*leave time=0\.5"):
            solution.plot(time=0.5)
        with pytest.raises(fs.ProblemError, match=r"at=\[0\.5\].*through space.*Time"):
            solution.plot(at=[0.5])

    def test_exported(self, solution: fs.Solution, tmp_path: Path) -> None:
        solution.to_vtk(tmp_path / "u.vtr", 20)
        solution.to_csv(tmp_path / "u.csv", 20)
        assert (tmp_path / "u.csv").read_text().count("\n") >= 20
        for name, times in (("u.pvd", None), ("u.vtr", [0.5])):
            with pytest.raises(fs.ProblemError, match="space and time; got Time"):
                solution.to_vtk(tmp_path / name, 20, times=times)
