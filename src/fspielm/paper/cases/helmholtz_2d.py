"""The Helmholtz equation on the unit square, twelve wavelengths to a side."""

from __future__ import annotations

import sympy as sp

from fspielm.geometry.shapes.box import Box
from fspielm.paper.cases.case import Case, paper_setting
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Dirichlet


def helmholtz_2d() -> Case:
    """Two-dimensional Helmholtz equation with wavenumber 24 pi and homogeneous Dirichlet data."""
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    kappa = 24 * sp.pi
    exact = sp.sin(kappa * x) * sp.sin(kappa * y)

    def operator(v: sp.Expr) -> sp.Expr:
        return -v.diff(x, 2) - v.diff(y, 2) - kappa**2 * v

    return Case(
        name="helmholtz-2d",
        title="Helmholtz equation, wavenumber 24 pi",
        problem=Problem(sp.Eq(operator(u), operator(exact)), domain=Box((0, 0), (1, 1)), conditions=[Dirichlet(0)]),
        exact=exact,
        paper=paper_setting("helmholtz-2d"),
    )
