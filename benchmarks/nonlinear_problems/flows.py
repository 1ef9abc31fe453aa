"""Flows with inertia."""

from __future__ import annotations

import sympy as sp

import fspielm as fs
from nonlinear_problems.example import NonlinearProblem, laplacian, nonlinear_problem, t, x, y


def momentum(v: list[sp.Expr], p: sp.Expr, viscosity: sp.Expr) -> list[sp.Expr]:
    """Left-hand sides of the equations of a steady flow."""
    carried = [v[0] * w.diff(x) + v[1] * w.diff(y) for w in v]
    pushed = [p.diff(x), p.diff(y)]
    forces = [a + b - viscosity * laplacian(w) for a, b, w in zip(carried, pushed, v, strict=True)]
    return [*forces, v[0].diff(x) + v[1].diff(y)]


@nonlinear_problem("kovasznay", "flow behind a grid, Re = 40")
def kovasznay() -> NonlinearProblem:
    """Velocities all around; the pressure has the mean zero."""
    reynolds = sp.Integer(40)
    rate = reynolds / 2 - sp.sqrt(reynolds**2 / 4 + 4 * sp.pi**2)
    wave = sp.exp(rate * x)
    exact = (
        1 - wave * sp.cos(2 * sp.pi * y),
        rate / (2 * sp.pi) * wave * sp.sin(2 * sp.pi * y),
        -sp.exp(2 * rate * x) / 2,
    )
    f, g, p = (sp.Function(name)(x, y) for name in "uvp")
    equations = [sp.Eq(side, 0) for side in momentum([f, g], p, 1 / reynolds)]
    problem = fs.Problem(
        equations,
        fs.Box((-0.5, -0.5), (1, 1.5)),
        [fs.Dirichlet({f: exact[0], g: exact[1]})],
        unknowns=[f, g, p],
    )
    return NonlinearProblem(problem, exact, 1e-8, 1e-8, free=(2,))


@nonlinear_problem("taylor-green", "vortices that decay, in time")
def taylor_green() -> NonlinearProblem:
    """A box of half a vortex, velocities all around."""
    viscosity = sp.Rational(1, 10)
    decay = sp.exp(-2 * viscosity * t)
    exact = (
        sp.cos(x) * sp.sin(y) * decay,
        -sp.sin(x) * sp.cos(y) * decay,
        -(sp.cos(2 * x) + sp.cos(2 * y)) / 4 * decay**2,
    )
    f, g, p = (sp.Function(name)(x, y, t) for name in "uvp")
    first, second, third = momentum([f, g], p, viscosity)
    equations = [sp.Eq(f.diff(t) + first, 0), sp.Eq(g.diff(t) + second, 0), sp.Eq(third, 0)]
    conditions = [
        fs.Dirichlet({f: exact[0], g: exact[1], p: exact[2]}),
        fs.Initial({f: exact[0].subs(t, 0), g: exact[1].subs(t, 0)}),
    ]
    domain = fs.Box((0, 0), (2, 2)) * fs.Time(0, 1)
    problem = fs.Problem(equations, domain, conditions, unknowns=[f, g, p])
    return NonlinearProblem(problem, exact, 1e-8, 1e-8)
