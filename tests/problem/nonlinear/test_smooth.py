"""Smooth functions that meet the conditions of a nonlinear problem."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem import as_iterate
from fspielm.solvers import smooth_problem

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)


@pytest.mark.parametrize("term", [u**3, sp.Abs(u) ** 2 * u * sp.I], ids=["real", "a pair of real parts"])
def test_it_has_the_same_relations(term: sp.Expr) -> None:
    problem = fs.Problem(sp.Eq(LAPLACIAN + term, 0), fs.Disk((0, 0), 1), [fs.Dirichlet(x)])
    smooth = smooth_problem(problem, as_iterate(problem))
    assert smooth is not None
    assert smooth.is_linear
    assert [relation.name for relation in smooth.relations] == [relation.name for relation in problem.pattern]
    assert [unknown.symbol for unknown in smooth.unknowns] == [unknown.symbol for unknown in problem.unknowns]
