"""The Klein-Gordon equation with three scales."""

from __future__ import annotations

import sympy as sp

from fspielm.paper.cases.case import Case
from fspielm.paper.cases.wave_1d import driven_case


def klein_gordon() -> Case:
    """Klein-Gordon equation whose solution joins two oscillations and a bilinear trend."""
    x, t = sp.symbols("x t")
    pi = sp.pi
    exact = x * sp.sin(3 * pi * x) * sp.cos(7 * pi * t) + t * sp.sin(19 * pi * x) * sp.cos(19 * pi * t) + x * t

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(t, 2) - v.diff(x, 2) + v

    return driven_case("klein-gordon", "Klein-Gordon equation, frequencies 3 pi, 7 pi and 19 pi", operator, exact)
