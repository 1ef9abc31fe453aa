"""The Helmholtz equation on a panda's head."""

from __future__ import annotations

import sympy as sp

from fspielm.geometry.shapes.panda import Panda
from fspielm.paper.cases.case import Case, paper_setting
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Dirichlet


def helmholtz_panda(radius: float = 0.25) -> Case:
    """Helmholtz equation on the Panda with four frequencies from 4 pi to 30 pi.

    Parameters
    ----------
    radius : float
        Mean radius of the head; larger pandas are harder.
    """
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    pi = sp.pi
    exact = sp.sin(pi * x) * sp.cos(5 * pi * x) + sp.sin(10 * pi * x) * sp.cos(20 * pi * x) / 2

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(x, 2) + v.diff(y, 2) + v

    return Case(
        name="helmholtz-panda",
        title="Helmholtz equation on a Panda, frequencies 4 pi to 30 pi",
        problem=Problem(sp.Eq(operator(u), operator(exact)), domain=Panda(radius), conditions=[Dirichlet(exact)]),
        exact=exact,
        paper=paper_setting("helmholtz-panda"),
        notes="The paper does not give the outline; this one is our own, and its size decides the error.",
    )
