"""Right-hand sides of a few waves: what is added to the solution of an equation without one."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from random_families.draw import Draw, dot
from random_families.equations import Equation
from random_families.places import Place, draw_place

# The highest frequency over half the domain's extent, by the number of coordinates, time included.
_HIGHEST = {1: 150.0, 2: 30.0, 3: 6.0}


def draw_particular(draw: Draw, equation: Equation, s: Sequence[sp.Expr]) -> tuple[sp.Expr, str]:
    """A solution whose right-hand side has one to four frequencies, and its ingredients; `s` runs from -1 to 1."""
    number = draw.one_of((1, 1, 2, 3, 4))
    found, told = [draw.between(0.3, 1) * _wave(draw, s) for _ in range(number)], [f"{number} waves"]
    if draw.chance(0.3):
        envelope = sp.exp(-sum((v - draw.between(-1, 1)) ** 2 for v in s) / draw.between(1, 3) ** 2)
        found[0] *= envelope if draw.chance(0.5) else 1 + draw.between(-1, 1) * s[0] + draw.between(-1, 1) * s[-1] ** 2
        told.append("an envelope")
    if draw.chance(0.3):
        share = draw.log_between(1e-8, 1e-4)
        found.append(share * _wave(draw, s))
        told.append(f"a hidden wave of {share:.0e}")
    if equation.wave is not None and equation.growing is not None and draw.chance(0.3):
        found.append(draw.between(0.3, 1) * equation.growing * equation.wave)
        told.append("resonance")
    return sum(found), ", ".join(told)


def draw_variable(draw: Draw) -> tuple[Place, Equation]:
    """An equation on an interval with coefficients that vary; without a solution of its own."""
    place = draw_place(draw, 1)
    (x,), s = place.x, place.r[0] / place.length
    a = 1 + draw.between(0.1, 0.6) * sp.sin(draw.between(0.5, 4) * s + draw.phase())
    k = draw.log_between(1, 60) / place.length
    b = draw.between(-2, 2) / place.length * sp.cos(s)
    name, operator = draw.one_of(
        (
            ("variable diffusion", lambda v: (a * v.diff(x)).diff(x)),
            ("heterogeneous helmholtz", lambda v: v.diff(x, 2) + k**2 * a * v),
            ("variable advection-diffusion", lambda v: v.diff(x, 2) + b * v.diff(x) - a * v / place.length**2),
        )
    )
    return place, Equation(name, operator, sp.Integer(0), "")


def _wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.sin(draw.log_between(2, _HIGHEST[len(s)]) * dot(draw.frame(len(s))[0], s) + draw.phase())
