"""A wave whose spatial frequency rises with time."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from fspielm.geometry.shapes.box import Interval
from fspielm.geometry.time import Time
from fspielm.paper.cases.case import Case, paper_setting
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Dirichlet, Initial


def wave_1d() -> Case:
    """One-dimensional wave equation, chirped: spatial frequency from 2 pi to 16 pi over the unit of time."""
    x, t = sp.symbols("x t")
    exact = sp.sin((2 * sp.pi + 14 * sp.pi * t) * x) * sp.cos(10 * sp.pi * t)

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(t, 2) - v.diff(x, 2)

    return driven_case("wave-1d", "Chirped wave, spatial frequency 2 pi to 16 pi", operator, exact)


def driven_case(name: str, title: str, operator: Callable[[sp.Expr], sp.Expr], exact: sp.Expr) -> Case:
    """A case of second order in x and t, on the unit interval and the unit of time, with the data of `exact`."""
    x, t = sp.symbols("x t")
    return Case(
        name=name,
        title=title,
        problem=Problem(
            sp.Eq(operator(sp.Function("u")(x, t)), operator(exact)),
            domain=Interval(0, 1) * Time(0, 1),
            conditions=[
                Dirichlet(exact.subs(x, 0), on="x-"),
                Dirichlet(exact.subs(x, 1), on="x+"),
                Initial(exact.subs(t, 0)),
                Initial(exact.diff(t).subs(t, 0), order=1),
            ],
        ),
        exact=exact,
        paper=paper_setting(name),
        notes="The paper writes one function g(t) for both ends, which the exact solution does not satisfy; "
        "each end has its own trace here.",
    )
