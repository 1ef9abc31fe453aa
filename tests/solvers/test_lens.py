"""Objects of open domains whose wavenumber varies."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, q = sp.Function("u")(x, y), sp.Function("q")(x, y)
DISK = fs.Disk((0.3, 0.2), 1)
K = 1.0


def lens(condition: Any, **others: Any) -> fs.Problem:
    incident = others.pop("incident", fs.plane_wave(K, (1, 0)))
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + K**2 * u, 0)
    shape = others.pop("shape", DISK)
    return fs.Problem(equation, fs.Exterior(shape), [condition], incident=incident, **others)


def unknown_to_be_constant(points: Any) -> Any:
    return np.full(len(points), 2.0 + 0.3j)


def test_cells_inside_find_what_functions_that_satisfy_the_equation_do() -> None:
    solution = fs.solve(lens(fs.Transparent(q, 0.5), given={q: unknown_to_be_constant}), tol=1e-2, rng=0)
    known = fs.solve(lens(fs.Transparent(2.0 + 0.3j, 0.5)), rng=0)
    points = np.random.default_rng(0).uniform(-1.5, 2, (300, 2))
    error = np.linalg.norm(solution.scattered(points) - known.scattered(points))
    assert solution.converged
    assert error <= solution.error_estimate * np.linalg.norm(known.scattered(points))
    assert np.abs(solution(points) - known(points)).max() < 1e-4
    assert solution.far_field([0.3]) == pytest.approx(known.far_field([0.3]), rel=1e-4)
    again = pickle.loads(pickle.dumps(solution))
    assert np.array_equal(again(points[:9]), solution(points[:9]))


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("budget", [fs.Budget(seconds=1e-3), fs.Budget(neurons=30)], ids=["seconds", "neurons"])
def test_a_budget_that_is_too_small_for_the_field_inside_is_told(budget: fs.Budget) -> None:
    with pytest.raises(fs.ProblemError, match=r"^Transparent: the field.*ended it.*allow"):
        fs.solve(lens(fs.Transparent(2 + x / 2)), budget=budget)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lens(fs.Transparent(lambda points: points[:, 0])), "function of the coordinates"),
        (lambda: lens(fs.Transparent(2 + sp.Symbol("z"))), "^z has no value"),
        (lambda: lens(fs.Transparent(2 + x, flux=1 + x)), "flux must be a number"),
        (lambda: lens(fs.Transparent(sp.sqrt(2 - sp.I * (2 + x)))), "negative imaginary part"),
        (lambda: lens(fs.Transparent(2 + x / 2), incident=None), "nothing comes in"),
        (lambda: lens(fs.Transparent(2 + x / 2), shape=fs.Box((0, 0), (1, 1))), "without corners"),
        (lambda: lens(fs.Transparent(2 + x / 2), shape=DISK | fs.Disk((3, 0), 1)), "in one piece"),
    ],
)
def test_mistakes_are_named(make: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.solve(make())
