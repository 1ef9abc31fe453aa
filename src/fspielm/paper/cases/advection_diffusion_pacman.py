"""Advection and diffusion on a Pacman, in two space dimensions and time."""

from __future__ import annotations

import sympy as sp

from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.time import Time
from fspielm.paper.cases.case import Case, paper_setting
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Dirichlet, Initial


def advection_diffusion_pacman() -> Case:
    """Advection-diffusion on the Pacman domain, frequencies 3 pi and 10 pi, decaying in time."""
    x, y, t = sp.symbols("x y t")
    u = sp.Function("u")(x, y, t)
    exact = sp.exp(-sp.Rational(2, 5) * t) * sp.sin(3 * sp.pi * x) * sp.sin(10 * sp.pi * y)

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(t) + 4 * v.diff(x) + 4 * v.diff(y) - v.diff(x, 2) - v.diff(y, 2)

    return Case(
        name="advection-diffusion-pacman",
        title="Advection-diffusion on a Pacman, frequencies 3 pi and 10 pi",
        problem=Problem(
            sp.Eq(operator(u), operator(exact)),
            domain=Pacman() * Time(0, 1),
            conditions=[Dirichlet(exact), Initial(exact.subs(t, 0))],
        ),
        exact=exact,
        paper=paper_setting("advection-diffusion-pacman"),
        notes="The paper's 100 x 100 grid is a time slice; t = 0.5 matches its printed error. The error over "
        "all of space and time is reported beside it.",
        time_slice=0.5,
    )
