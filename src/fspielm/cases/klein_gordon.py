"""The Klein-Gordon equation with three scales."""

from __future__ import annotations

import sympy as sp

from fspielm.cases.case import Case
from fspielm.cases.paper import paper_setting
from fspielm.equations import Dirichlet, Initial, Problem
from fspielm.geometry import Interval, Time


def klein_gordon() -> Case:
    """Klein-Gordon equation whose solution joins two oscillations and a bilinear trend."""
    x, t = sp.symbols("x t")
    u = sp.Function("u")(x, t)
    pi = sp.pi
    exact = x * sp.sin(3 * pi * x) * sp.cos(7 * pi * t) + t * sp.sin(19 * pi * x) * sp.cos(19 * pi * t) + x * t

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(t, 2) - v.diff(x, 2) + v

    return Case(
        name="klein-gordon",
        title="Klein-Gordon equation, frequencies 3 pi, 7 pi and 19 pi",
        problem=Problem(
            sp.Eq(operator(u), operator(exact)),
            domain=Interval(0, 1) * Time(0, 1),
            conditions=[
                Dirichlet(exact.subs(x, 0), on="x-"),
                Dirichlet(exact.subs(x, 1), on="x+"),
                Initial(exact.subs(t, 0)),
                Initial(exact.diff(t).subs(t, 0), order=1),
            ],
        ),
        exact=exact,
        paper=paper_setting("klein-gordon"),
        notes="The paper writes one function g(t) for both ends, which the exact solution does not satisfy; "
        "each end has its own trace here.",
    )
