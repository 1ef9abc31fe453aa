"""solution.refine(): more digits, from where a solve has ended."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, lam = sp.symbols("x y lam")
u, w = sp.Function("u")(x, y), sp.Function("w")(x)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
POINTS = np.random.default_rng(0).random((50, 2))


def varying() -> fs.Problem:
    equation = sp.Eq(u.diff(x, 2) + (1 + x * y) * u.diff(y, 2), sp.sin(5 * x * y))
    return fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(x * y)])


def layer() -> fs.Problem:
    return fs.Problem(sp.Eq(-w.diff(x, 2) / 1000 + w.diff(x), 1), fs.Interval(0, 1), [fs.Dirichlet(0)])


def band() -> fs.Problem:
    return fs.Problem(sp.Eq(w.diff(x, 2) + (50 + x) * w, sp.exp(x)), fs.Interval(0, 1), [fs.Dirichlet(0)])


def bratu() -> fs.Problem:
    return fs.Problem(sp.Eq(w.diff(x, 2) + 2 * sp.exp(w), 0), fs.Interval(0, 1), [fs.Dirichlet(0)])


@pytest.fixture(scope="module")
def rough() -> fs.Solution:
    return fs.solve(layer(), tol=1e-3, rng=0, approach="patches")


def test_cells_go_on_from_where_they_were(rough: fs.Solution) -> None:
    fine = rough.refine(tol=1e-8)
    assert fine.converged
    assert fine.report.tol == 1e-8
    before, rounds = len(rough.report.rounds), fine.report.rounds
    assert rounds[:before] == rough.report.rounds
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))
    fresh = fs.solve(layer(), tol=1e-8, rng=0, approach="patches")
    assert len(rounds) - before < len(fresh.report.rounds)
    points = np.linspace(0, 1, 101)[:, None]
    assert np.abs(fine(points) - fresh(points)).max() < 1e-7


def test_where_nothing_was_learned_it_is_what_a_solve_finds() -> None:
    waves = fs.Problem(sp.Eq(w.diff(x, 2) + 2000 * (1 + x) * w, 1), fs.Interval(0, 1), [fs.Dirichlet(0)])
    coarse = fs.solve(waves, tol=1e-3, rng=0, approach="patches")
    assert len(coarse.report.rounds) == 1
    fine, fresh = coarse.refine(tol=1e-9), fs.solve(waves, tol=1e-9, rng=0, approach="patches")
    assert fine.converged
    assert [each.neurons for each in fine.report.rounds[1:]] == [each.neurons for each in fresh.report.rounds]


def test_a_tolerance_that_is_met_costs_nothing(rough: fs.Solution) -> None:
    tol = 1.01 * rough.error_estimate
    same = rough.refine(tol=tol)
    assert same.converged
    assert same.report.tol == tol
    assert f"meets the tolerance {tol:.0e}" in same.report.reason
    assert same.coefficients is rough.coefficients


def test_newton_begins_with_the_solution() -> None:
    coarse = fs.solve(bratu(), tol=1e-2, rng=0)
    fine, fresh = coarse.refine(tol=1e-10), fs.solve(bratu(), tol=1e-10, rng=0)
    assert fine.converged
    assert fine([[0.5]])[0] == pytest.approx(fresh([[0.5]])[0], abs=1e-9)
    assert len(fine.report.newton) < len(fresh.report.newton)


@pytest.mark.parametrize("problem", [layer, bratu, band], ids=["cells", "nonlinear", "a band"])
def test_after_loading(tmp_path: Path, problem: Callable[[], fs.Problem]) -> None:
    fs.solve(problem(), tol=1e-2, rng=0).save(tmp_path / "rough.fspielm")
    fine = fs.load(tmp_path / "rough.fspielm").refine(tol=1e-9)
    assert fine.converged
    assert fine.report.rng == 0


def test_cells_that_were_loaded_serve_again(tmp_path: Path, rough: fs.Solution) -> None:
    rough.save(tmp_path / "rough.fspielm")
    for copy in (fs.load(tmp_path / "rough.fspielm"), pickle.loads(pickle.dumps(rough))):
        fine = copy.refine(tol=1e-8)
        assert fine.converged
        assert fine.report.rounds[0].cells == rough.report.cells
        assert fine.report.rounds[0].neurons == rough.report.rounds[-1].neurons


def test_cells_on_a_curved_domain(tmp_path: Path) -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN, sp.exp(-50 * x**2)), fs.Disk((0, 0), 1), [fs.Dirichlet(0)])
    rough = fs.solve(problem, tol=1e-2, rng=0, approach="patches")
    rough.save(tmp_path / "rough.fspielm")
    fine = fs.load(tmp_path / "rough.fspielm").refine(tol=1e-5)
    assert fine.converged
    assert fine.report.cells is not None


def test_it_is_never_worse(rough: fs.Solution) -> None:
    with pytest.warns(fs.AccuracyWarning, match="not converged") as caught:
        same = rough.refine(tol=1e-10, budget=fs.Budget(neurons=20))
    assert caught[0].filename == __file__
    assert same.error_estimate == rough.error_estimate
    assert not same.converged
    assert "budget of 20 functions" in same.report.reason


def test_ctrl_c_leaves_the_solution(rough: fs.Solution) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(fs.SolveInterrupted) as caught:
        rough.refine(tol=1e-13, progress=stop)
    assert caught.value.solution.error_estimate <= rough.error_estimate
    assert caught.value.solution.report.tol == 1e-13
    assert "it was interrupted" in caught.value.solution.report.reason


def test_modes_and_what_was_chosen_by_hand_are_refused() -> None:
    with pytest.warns(fs.AccuracyWarning, match="chosen by hand"):
        by_hand = fs.solve(varying(), features=fs.FrequencyShift(50, mu=(1, 10)), rng=0)
    with pytest.raises(fs.ProblemError, match=r"refined.*chosen by hand"):
        by_hand.refine(tol=1e-8)
    string = fs.Problem(sp.Eq(-w.diff(x, 2), lam * w), fs.Interval(0, 1), [fs.Dirichlet(0)])
    mode = fs.eigenmodes(string, lam, count=1, tol=1e-4, rng=0)[0]
    with pytest.raises(fs.ProblemError, match="refined: it is a mode"):
        mode.field.refine(tol=1e-13)


def test_a_part_of_a_solution_is_refused() -> None:
    a, b = sp.Function("a")(x), sp.Function("b")(x)
    system = fs.Problem(
        [sp.Eq(a.diff(x), b), sp.Eq(b.diff(x), -a)], fs.Interval(0, 1), [fs.Dirichlet({a: 0, b: 1}, on="x-")]
    )
    whole = fs.solve(system, tol=1e-3, rng=0)
    with pytest.raises(fs.ProblemError, match="refine the whole one"):
        whole["a"].refine(tol=1e-8)
    assert whole.refine(tol=1e-9).converged


def test_without_its_statement_it_says_so(tmp_path: Path) -> None:
    data = fs.Dirichlet(lambda points: np.exp(points[:, 0]) * np.cos(points[:, 1]) + points[:, 0] ** 2)
    solution = fs.solve(fs.Problem(sp.Eq(LAPLACIAN, 2), fs.Disk((0, 0), 1), [data]), tol=1e-3, rng=0)
    with pytest.warns(fs.StorageWarning):
        solution.save(tmp_path / "lost.fspielm")
    with pytest.raises(fs.ProblemError, match="callable"):
        fs.load(tmp_path / "lost.fspielm").refine(tol=1e-15)


def test_an_open_domain() -> None:
    problem = fs.Problem(
        sp.Eq(LAPLACIAN + 25 * u, 0),
        fs.Exterior(fs.Disk((0, 0), 1)),
        [fs.Dirichlet(0)],
        incident=fs.plane_wave(5, (1, 0)),
    )
    rough = fs.solve(problem, tol=1e-3, rng=0)
    assert rough.refine(tol=1e-10).converged
    with pytest.raises(fs.ProblemError, match="refine the whole one"):
        rough.scattered.refine(tol=1e-10)


def test_windows_are_solved_again(tmp_path: Path) -> None:
    t = sp.Symbol("t")
    v = sp.Function("v")(t)
    decay = fs.Problem(sp.Eq(v.diff(t), -v), fs.Time(0, 3), [fs.Initial(1)])
    rough = fs.solve(decay, tol=1e-3, rng=0, approach="windows")
    rough.save(tmp_path / "rough.fspielm")
    fine = fs.load(tmp_path / "rough.fspielm").refine(tol=0.1 * rough.error_estimate)
    assert fine.report.windows
    assert fine.error_estimate < rough.error_estimate
