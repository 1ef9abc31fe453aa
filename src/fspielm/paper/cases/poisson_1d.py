"""Poisson's equation with two far-apart frequencies."""

from __future__ import annotations

import sympy as sp

from fspielm.geometry.shapes.box import Interval
from fspielm.paper.cases.case import Case, paper_setting
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Dirichlet


def poisson_1d() -> Case:
    """One-dimensional Poisson equation with frequencies 5 pi and 75 pi."""
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    exact = sp.sin(5 * sp.pi * x) + sp.Rational(1, 5) * sp.sin(75 * sp.pi * x)
    return Case(
        name="poisson-1d",
        title="Multi-scale Poisson equation, frequencies 5 pi and 75 pi",
        problem=Problem(sp.Eq(u.diff(x, 2), exact.diff(x, 2)), domain=Interval(0, 1), conditions=[Dirichlet(0)]),
        exact=exact,
        paper=paper_setting("poisson-1d"),
        notes="The paper's 100 x 100 grid does not fit one dimension; the error is measured on 10,000 points.",
    )
