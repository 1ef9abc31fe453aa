"""Mistakes of the first hour, and what is said about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
SQUARE = fs.Box((0, 0), (1, 1))


def test_time_comes_last() -> None:
    with pytest.raises(fs.ProblemError, match=r"^time comes last.*\* Time\("):
        fs.Time(0, 1) * fs.Interval(0, 1)


def test_an_unknown_is_no_symbol_as_well() -> None:
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2), sp.Symbol("u"))
    with pytest.raises(fs.ProblemError, match=r'plain symbol.*sp\.Function\("u"\)'):
        fs.Problem(equation, SQUARE, [fs.Dirichlet(0)])


def laplace(value: Any = 0) -> fs.Problem:
    return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), SQUARE, [fs.Dirichlet(value)])


@pytest.fixture(scope="module")
def solution() -> fs.Solution:
    return fs.solve(laplace(x), tol=1e-3)


SYMBOL, BARE = sp.Symbol("u"), sp.Function("u")


@pytest.mark.parametrize(
    "condition",
    [
        lambda: fs.Dirichlet(SYMBOL + 1),
        lambda: fs.Condition(sp.Eq(SYMBOL, 0)),
        lambda: fs.Condition(sp.Eq(fs.normal_derivative(u) + SYMBOL, 0)),
    ],
)
def test_nor_in_conditions_alone(condition: Callable[[], fs.AnyCondition]) -> None:
    with pytest.raises(fs.ProblemError, match=r'plain symbol.*sp\.Function\("u"\)'):
        fs.Problem(u.diff(x, 2) + u.diff(y, 2), SQUARE, [condition()])


def test_nor_in_what_is_asked_of_a_solution(solution: fs.Solution) -> None:
    with pytest.raises(fs.ProblemError, match=r'plain symbol.*sp\.Function\("u"\)'):
        solution.apply(SYMBOL**2)


def test_a_symbol_has_no_derivatives() -> None:
    with pytest.raises(fs.ProblemError, match=r'Function\("u"\).*plain symbol.*zero'):
        fs.Problem(sp.Eq(SYMBOL.diff(x, 2) + SYMBOL.diff(y, 2), 0), SQUARE, [fs.Dirichlet(0)])


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: fs.Problem(BARE, SQUARE, [fs.Dirichlet(0)]),
        lambda s: fs.Problem(u.diff(x, 2), SQUARE, [fs.Dirichlet({BARE: 0})]),
        lambda s: fs.Problem(u.diff(x, 2), SQUARE, [fs.Dirichlet(BARE)]),
        lambda s: fs.Problem(u.diff(x, 2), SQUARE, [fs.Dirichlet(0)], unknowns=[BARE]),
        lambda s: fs.normal_derivative(BARE),
        lambda s: s[BARE],
        lambda s: s.apply(BARE),
        lambda s: s.integrate([BARE]),
    ],
)
def test_a_function_has_its_coordinates(solution: fs.Solution, ask: Callable[[fs.Solution], Any]) -> None:
    with pytest.raises(fs.ProblemError, match=r'[Ff]unction\("u"\)\(x, y\)|u\(x, y\)'):
        ask(solution)


def test_numpy_takes_numbers() -> None:
    with pytest.raises(fs.ProblemError, match=r"NumPy.*np\.sin\(p.*sp\.sin\(x\)"):
        fs.solve(laplace(lambda points: np.sin(x)))
    with pytest.raises(fs.ProblemError, match=r"return numbers:.*SymPy"):
        fs.solve(laplace(lambda points: sp.sin(x)))


def test_points_are_rows(solution: fs.Solution) -> None:
    assert solution.names == ("u",)
    with pytest.raises(fs.ProblemError, match=r"solution\(\[\[0\.1, 0\.2\]\]\)"):
        solution(0.1, 0.2)
    with pytest.raises(fs.ProblemError, match=r"several arrays.*column_stack\(\[x, y"):
        solution(np.zeros(3), np.ones(3))


def test_domains_are_multiplied_by_time_alone() -> None:
    with pytest.raises(fs.ProblemError, match=r"Interval.* \* Interval.*Box"):
        fs.Interval(0, 1) * fs.Interval(0, 2)  # type: ignore[operator]


def test_advice_for_open_symbols_can_be_followed() -> None:
    lam, pi = sp.symbols("lam pi")
    membrane = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    with pytest.raises(fs.ProblemError, match=r"value.*or use fs\.eigenmodes"):
        fs.solve(fs.Problem(membrane, SQUARE, [fs.Dirichlet(0)]))
    with pytest.raises(fs.ProblemError, match=r"no value.*all but one.*mean sp\.pi"):
        fs.solve(fs.Problem(membrane, SQUARE, [fs.Dirichlet(sp.sin(pi * x))]))
    with pytest.raises(fs.ProblemError, match=r"did you mean x instead of X\?"):
        fs.solve(laplace(sp.Symbol("X")))


def test_a_budget_of_a_plain_number() -> None:
    with pytest.raises(fs.ProblemError, match=r"fs\.Budget\(seconds=60\); got 60"):
        fs.solve(laplace(x), budget=60)  # type: ignore[arg-type]


def test_what_users_need_is_listed_and_all_else_is_there() -> None:
    shown = [name for name in dir(fs) if not name.startswith("_")]
    assert {"Problem", "solve", "Budget", "eigenmodes", "sweep", "Box", "cases", "load"} <= set(shown)
    assert len(shown) <= 80
    assert all(hasattr(fs, name) for name in (*fs.__all__, "Operator", "Basis", "judge"))
    assert "Operator" not in shown
    assert set(shown) <= set(fs.__all__)


def test_names_that_scripts_use_are_there() -> None:
    names = (
        "AccuracyWarning Annulus Ball Band Box Budget ByRegion Characteristic Condition Curve Cylinder Dirichlet Disk "
        "Ellipse Exterior FrequencyShift GFF Initial Interface Interval Joined LShape Measured Neumann Panda Periodic "
        "Points Polygon Prepared Problem ProblemError QR Regions Robin Siren Solution SolveError Surface Symmetry Tanh "
        "Time Transparent TruncatedSVD beam cases count_modes curl divergence eigenmodes follow load normal "
        "normal_derivative plane_wave plot_sweep point_source prepare read_problem solve strain stress study sweep "
        "traction write_problem"
    )
    assert [name for name in names.split() if not hasattr(fs, name)] == []


def test_a_symbol_may_still_be_given_without_a_value() -> None:
    lam = sp.Symbol("lam")
    equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    for given in ({lam: ...}, None):
        assert fs.Problem(equation, SQUARE, [fs.Dirichlet(0)], given=given).open_symbols == (lam,)
