"""Every exact solution satisfies its problem, by differentiation independent of SymPy and of the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

from fspielm.expr import Field
from fspielm.paper.cases import Case
from fspielm.paper.cases import catalogue as cases
from fspielm.problem import BoundaryCondition, Operator

Function = Callable[..., Any]
pi, sin, cos, exp = mp.pi, mp.sin, mp.cos, mp.exp


def kappa() -> Any:
    return 24 * pi


def heat(x: Any, t: Any) -> Any:
    alpha = 1 / (20 * pi) ** 2
    modes = ((1, 5), (mp.mpf(1) / 2, 10), (mp.mpf(1) / 5, 20))
    return mp.fsum(a * exp(-alpha * (k * pi) ** 2 * t) * sin(k * pi * x) for a, k in modes)


# The paper's exact solutions and equations, typed from its text; D(orders) is a derivative of the solution.
EXACT: dict[str, Function] = {
    "helmholtz-2d": lambda x, y: sin(kappa() * x) * sin(kappa() * y),
    "wave-1d": lambda x, t: sin((2 * pi + 14 * pi * t) * x) * cos(10 * pi * t),
    "poisson-1d": lambda x: sin(5 * pi * x) + sin(75 * pi * x) / 5,
    "klein-gordon": lambda x, t: (
        x * sin(3 * pi * x) * cos(7 * pi * t) + t * sin(19 * pi * x) * cos(19 * pi * t) + x * t
    ),
    "heat": heat,
    "advection-diffusion-pacman": lambda x, y, t: exp(-mp.mpf(2) / 5 * t) * sin(3 * pi * x) * sin(10 * pi * y),
    "helmholtz-panda": lambda x, y: sin(pi * x) * cos(5 * pi * x) + sin(10 * pi * x) * cos(20 * pi * x) / 2,
}
EQUATIONS: dict[str, Callable[[Function], Any]] = {
    "helmholtz-2d": lambda D: -D(2, 0) - D(0, 2) - kappa() ** 2 * D(0, 0),
    "wave-1d": lambda D: D(0, 2) - D(2, 0),
    "poisson-1d": lambda D: D(2),
    "klein-gordon": lambda D: D(0, 2) - D(2, 0) + D(0, 0),
    "heat": lambda D: D(0, 1) - D(2, 0) / (20 * pi) ** 2,
    "advection-diffusion-pacman": lambda D: D(0, 0, 1) + 4 * D(1, 0, 0) + 4 * D(0, 1, 0) - D(2, 0, 0) - D(0, 2, 0),
    "helmholtz-panda": lambda D: D(2, 0) + D(0, 2) + D(0, 0),
}
# Right-hand sides and initial data that the paper prints.
PRINTED: dict[tuple[str, str], Function] = {
    ("helmholtz-2d", "equation"): lambda x, y: kappa() ** 2 * sin(kappa() * x) * sin(kappa() * y),
    ("poisson-1d", "equation"): lambda x: -((5 * pi) ** 2) * sin(5 * pi * x) - (75 * pi) ** 2 * sin(75 * pi * x) / 5,
    ("wave-1d", "initial"): lambda x, t: sin(2 * pi * x),
    ("wave-1d", "initial order 1"): lambda x, t: 14 * pi * x * cos(2 * pi * x),
    ("klein-gordon", "initial"): lambda x, t: x * sin(3 * pi * x),
    ("klein-gordon", "initial order 1"): lambda x, t: sin(19 * pi * x) + x,
    ("heat", "equation"): lambda x, t: mp.mpf(0),
}


@pytest.fixture(autouse=True)
def many_digits() -> Any:
    """Numerical differentiation in 40 digits."""
    with mp.workdps(40):
        yield


def differentiate(function: Function, point: np.ndarray, orders: tuple[int, ...]) -> Any:
    at = tuple(mp.mpf(float(v)) for v in point)
    if not any(orders):
        return function(*at)
    if len(at) == 1:
        return mp.diff(function, at[0], orders[0])
    return mp.diff(function, at, orders)


def apply(operator: Operator, function: Function, point: np.ndarray) -> Any:
    """The package's operator, its constant coefficients times mpmath's derivatives."""
    return mp.fsum(mp.mpf(term.coefficient) * differentiate(function, point, term.orders) for term in operator.terms)


def close(value: float, exact: Any, scale: float) -> bool:
    return abs(value - float(exact)) <= 1e-13 * max(scale, 1.0)


def interior(case: Case, n: int = 8) -> np.ndarray:
    return case.problem.domain.sample(n, np.random.default_rng(4))


def largest(field: Field, points: np.ndarray) -> float:
    return float(np.abs(field(points)).max())


def test_the_exact_solution_is_the_papers(case: Case) -> None:
    points = interior(case)
    values = case.exact_values(points)
    for point, value in zip(points, values, strict=True):
        assert close(value, EXACT[case.name](*map(mp.mpf, map(float, point))), 10)


def test_the_exact_solution_satisfies_the_equation(case: Case) -> None:
    """The paper's equation, as typed here, and the package's operator both give the right-hand side."""
    problem, function = case.problem, EXACT[case.name]
    points = interior(case)
    scale = max(largest(problem.right_hand_side, interior(case, 500)), 1e2)
    for point, value in zip(points, problem.right_hand_side(points), strict=True):

        def derivative(*orders: int, point: np.ndarray = point) -> Any:
            return differentiate(function, point, orders)

        assert close(value, EQUATIONS[case.name](derivative), scale)
        assert close(value, apply(problem.operator, function, point), scale)


def test_the_exact_solution_satisfies_every_condition(case: Case) -> None:
    rng = np.random.default_rng(5)
    for constraint in case.problem.constraints:
        sites = constraint.sample(6, rng)
        values = constraint.value(sites.points)
        for point, value in zip(sites.points, values, strict=True):
            exact = apply(constraint.operator, EXACT[case.name], point)
            assert close(value, exact, 100), constraint.name


@pytest.mark.parametrize(("name", "block"), PRINTED)
def test_what_the_paper_prints_is_what_follows_from_the_solution(name: str, block: str) -> None:
    problem = cases.load(name).problem
    if block == "equation":
        points, field = interior(cases.load(name)), problem.right_hand_side
    else:
        (constraint,) = (c for c in problem.constraints if c.name == block)
        points, field = constraint.sample(8, np.random.default_rng(0)).points, constraint.value
    scale = max(largest(field, points), 10)
    for point, value in zip(points, field(points), strict=True):
        assert close(value, PRINTED[name, block](*map(mp.mpf, map(float, point))), scale)


def test_conditions_are_those_of_the_paper(case: Case) -> None:
    sides = {
        "helmholtz-2d": ["dirichlet x-", "dirichlet x+", "dirichlet y-", "dirichlet y+"],
        "wave-1d": ["dirichlet x-", "dirichlet x+", "initial", "initial order 1"],
        "poisson-1d": ["dirichlet x-", "dirichlet x+"],
        "klein-gordon": ["dirichlet x-", "dirichlet x+", "initial", "initial order 1"],
        "heat": ["dirichlet x-", "dirichlet x+", "initial"],
        "advection-diffusion-pacman": ["dirichlet arc", "dirichlet lower", "dirichlet upper", "initial"],
    }
    names = [constraint.name for constraint in case.problem.constraints]
    if case.name in sides:
        assert names == sides[case.name]
    else:
        assert all(name.startswith("dirichlet") for name in names)


@pytest.mark.parametrize("name", ["wave-1d", "klein-gordon"])
def test_the_two_ends_have_different_traces(name: str) -> None:
    """The paper writes u(0, t) = u(1, t) = g(t), which its own exact solutions contradict."""
    left, right = (c.value for c in cases.load(name).problem.constraints[:2])
    t = np.linspace(0, 1, 11)
    at_left, at_right = left(np.column_stack([0 * t, t])), right(np.column_stack([0 * t + 1, t]))
    assert np.abs(at_left).max() == 0
    assert np.abs(at_right).max() > 0.1


def test_the_problem_knows_nothing_of_the_exact_solution(case: Case) -> None:
    """All it holds are the equation with its source, the domain, and data on the boundary."""
    problem = case.problem
    for name, value in vars(problem).items():
        assert value is not case, name
        assert "exact" not in name
        assert not (isinstance(value, sp.Basic) and value == case.exact), name
    assert problem.right_hand_side.source != case.exact
    # A trace is the exact solution only where the boundary is no coordinate plane to put into it.
    curved = case.name in ("advection-diffusion-pacman", "helmholtz-panda")
    for condition in problem.conditions:
        if not (curved and isinstance(condition, BoundaryCondition)):
            assert condition.value != case.exact
