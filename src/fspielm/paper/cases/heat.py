"""The heat equation with three decaying modes."""

from __future__ import annotations

import sympy as sp

from fspielm.geometry.shapes.box import Interval
from fspielm.geometry.time import Time
from fspielm.paper.cases.case import Case, paper_setting
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Dirichlet, Initial


def heat() -> Case:
    """Heat equation on [-1, 1] with modes 5 pi, 10 pi and 20 pi."""
    x, t = sp.symbols("x t")
    u = sp.Function("u")(x, t)
    alpha = 1 / (20 * sp.pi) ** 2
    exact = sum(
        amplitude * sp.exp(-alpha * (mode * sp.pi) ** 2 * t) * sp.sin(mode * sp.pi * x)
        for amplitude, mode in ((sp.S.One, 5), (sp.Rational(1, 2), 10), (sp.Rational(1, 5), 20))
    )
    return Case(
        name="heat",
        title="Heat equation, modes 5 pi, 10 pi and 20 pi",
        problem=Problem(
            sp.Eq(u.diff(t) - alpha * u.diff(x, 2), 0),
            domain=Interval(-1, 1) * Time(0, 1),
            conditions=[Dirichlet(0), Initial(exact.subs(t, 0))],
        ),
        exact=exact,
        paper=paper_setting("heat"),
        notes="Shifted in all directions as the text says, 1200 neurons cannot reach the printed error; "
        'FrequencyShift(..., shift="space") shifts the space part alone and does.',
    )
