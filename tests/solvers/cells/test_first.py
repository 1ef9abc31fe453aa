"""The cells that a problem is begun with."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


def medium(k: float) -> tuple[fs.Problem, sp.Expr]:
    exact = sp.sin(k * (x + y**2 / 2))

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(x, 2) + v.diff(y, 2) + (k * (1 + x / 4)) ** 2 * v

    domain = fs.Box((0, 0), (1, 1))
    return fs.Problem(sp.Eq(operator(u), operator(exact)), domain, [fs.Dirichlet(exact)]), exact


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7])
def test_a_medium_that_varies_takes_one_round(tol: float) -> None:
    problem, exact = medium(20)
    solution = fs.solve(problem, tol=tol, approach="patches", rng=1)
    assert solution.converged
    assert len(solution.report.rounds) == 1
    points = problem.domain.sample(300, np.random.default_rng(0))
    known = sp.lambdify((x, y), exact)(*points.T)
    assert np.linalg.norm(solution(points) - known) < tol * np.linalg.norm(known)


def test_few_digits_take_fewer_cells() -> None:
    problem, _ = medium(22)
    loose, tight = (fs.solve(problem, tol=tol, approach="patches", rng=1) for tol in (1e-3, 1e-7))
    assert loose.report.cells is not None
    assert tight.report.cells is not None
    assert loose.report.cells < tight.report.cells
