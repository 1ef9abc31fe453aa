"""Coefficients with moduli, also under derivatives, where their slopes jump."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

import fspielm as fs

x = sp.Symbol("x")
u = sp.Function("u")(x)


@pytest.mark.parametrize("medium", [1 + sp.Abs(x - 0.3), 2 - sp.Abs(x - 0.3)], ids=str)
def test_in_divergence_form(medium: sp.Expr) -> None:
    # the flux is constant, so u is the integral of 1 / medium
    problem = fs.Problem(
        sp.Eq((medium * u.diff(x)).diff(x), 0), fs.Interval(0, 1), [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]
    )
    solution = fs.solve(problem, tol=1e-2, rng=0)
    assert solution.converged
    at = sp.lambdify(x, 1 / medium, "math")
    half, whole = (quad(at, 0, end, points=[0.3], limit=200)[0] for end in (0.5, 1))
    assert abs(solution([[0.5]])[0] - half / whole) < 1e-2


def test_an_infinite_slope_is_named_in_plain_words() -> None:
    problem = fs.Problem(
        sp.Eq(((1 + sp.sqrt(sp.Abs(x - 0.3))) * u.diff(x)).diff(x), 1), fs.Interval(0, 1), [fs.Dirichlet(0)]
    )
    names = [name for relation in problem.relations for name in relation.operator.fields.values()]
    assert "the equation's coefficient sign(x - 0.3)/(2*sqrt(Abs(x - 0.3))) of u_x" in names
    with pytest.raises(fs.ProblemError, match=r"sqrt\(Abs.*u_x is nan at x=0.3"):
        problem.relations[0].operator.terms[0].at(fs.geometry.Sites(np.array([[0.3]])))
