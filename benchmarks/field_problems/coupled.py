"""A wave packet, coupled ordinary equations, a beam, heat and moisture."""

from __future__ import annotations

from typing import Any

import sympy as sp

import fspielm as fs
from field_problems.example import FieldExample, equations, field_example, functions, on_both, t, x


def _packet() -> tuple[Any, Any]:
    """Size and phase of a Gaussian packet that moves to the right and spreads; it solves i u_t + u_xx / 2 = 0."""
    k, width, start = 20.0, 0.3, -0.8
    away = (x - start - k * t) ** 2 / (2 * (width**4 + t**2))
    size = sp.exp(-(width**2) * away) / (1 + t**2 / width**4) ** sp.Rational(1, 4)
    return size, k * x - k**2 * t / 2 + t * away - sp.atan(t / width**2) / 2


_STAGE = fs.Interval(-2, 2) * fs.Time(0, 0.08)


@field_example("wave packet", "Schroedinger in time, complex")
def packet() -> FieldExample:
    """It crosses the middle while it spreads."""
    (u,) = functions("u", x, t)
    size, phase = _packet()
    exact = size * sp.exp(sp.I * phase)
    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0))]
    problem = fs.Problem(sp.Eq(sp.I * u.diff(t) + u.diff(x, 2) / 2, 0), _STAGE, conditions)
    return FieldExample(problem, (exact,), 13)


@field_example("wave packet as a pair", "the same for the real and the imaginary part")
def pair() -> FieldExample:
    """The same digits are expected."""
    p, q = functions("p q", x, t)
    size, phase = _packet()
    exact = (size * sp.cos(phase), size * sp.sin(phase))
    conditions = [
        fs.Dirichlet({p: exact[0], q: exact[1]}),
        fs.Initial({p: exact[0].subs(t, 0), q: exact[1].subs(t, 0)}),
    ]
    stated = [sp.Eq(p.diff(t) + q.diff(x, 2) / 2, 0), sp.Eq(q.diff(t) - p.diff(x, 2) / 2, 0)]
    return FieldExample(fs.Problem(stated, _STAGE, conditions), exact, 13)


@field_example("coupled equations", "three ordinary equations in time, coefficients that vary")
def ordinary() -> FieldExample:
    """A reaction with two intermediates under changing light."""
    unknowns = functions("a b c", t)
    light = 1 + sp.sin(3 * t) / 2

    def operator(a: Any, b: Any, c: Any) -> list[Any]:
        return [a.diff(t) + light * a - b / 2, b.diff(t) - light * a + 3 * b - c, c.diff(t) - 2 * b + c]

    exact = (sp.exp(-t / 3) * sp.cos(12 * t + t**2), sp.sin(9 * t) / (1 + t), sp.exp(sp.sin(5 * t)))
    conditions = [fs.Initial({u: e.subs(t, 0) for u, e in zip(unknowns, exact, strict=True)})]
    problem = fs.Problem(equations(operator, unknowns, exact), fs.Time(0, 5), conditions)
    return FieldExample(problem, exact, 10, tol=1e-9)


@field_example("beam of first order", "deflection, slope, moment and force of a tapered beam, clamped and free")
def beam() -> FieldExample:
    """On a bed of springs, under a load that varies."""
    unknowns = functions("w s m q", x)
    stiffness = sp.exp(-x / 2) * 5

    def operator(w: Any, s: Any, m: Any, q: Any) -> list[Any]:
        return [w.diff(x) - s, stiffness * s.diff(x) - m, m.diff(x) - q, q.diff(x) + 40 * w]

    w = sp.sin(7 * x + x**2) * sp.exp(x / 3)
    m = stiffness * w.diff(x, 2)
    exact = (w, w.diff(x), m, m.diff(x))
    ends = [
        fs.Dirichlet({unknowns[0]: exact[0], unknowns[1]: exact[1]}, on="x-"),
        fs.Dirichlet({unknowns[2]: exact[2], unknowns[3]: exact[3]}, on="x+"),
    ]
    problem = fs.Problem(equations(operator, unknowns, exact), fs.Interval(0, 3), ends, unknowns=unknowns)
    return FieldExample(problem, exact, 5, tol=1e-9)


@field_example("heat and moisture", "two coupled diffusions in a wall in time, exchange with the air")
def moisture() -> FieldExample:
    """Each drives the other."""
    unknowns = functions("T W", x, t)

    def operator(heat: Any, water: Any) -> list[Any]:
        return [
            heat.diff(t) - ((1 + x / 3) * heat.diff(x)).diff(x) / 5 - water.diff(x, 2) / 20,
            water.diff(t) - water.diff(x, 2) / 10 - heat.diff(x, 2) / 25 + water / 2,
        ]

    def air(heat: Any, water: Any) -> list[Any]:
        return [heat.diff(x) + 2 * heat - water, water.diff(x) + 3 * water]

    exact = (
        sp.exp(-t / 2) * sp.sin(9 * (x + x * t / 2)) + x * t,
        sp.cos(8 * (x - t / 3)) / (1 + x + t) + 1,
    )
    conditions = [
        fs.Dirichlet(dict(zip(unknowns, exact, strict=True)), on="x-"),
        *on_both(air, unknowns, exact, on="x+"),
        fs.Initial({u: e.subs(t, 0) for u, e in zip(unknowns, exact, strict=True)}),
    ]
    problem = fs.Problem(equations(operator, unknowns, exact), fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    return FieldExample(problem, exact, 2, tol=1e-9)
