"""Fronts, solitons and breathers: one dimension of space, and time."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from nonlinear_problems.example import NonlinearProblem, nonlinear_problem, t, u, x
from nonlinear_problems.references import TIMES, allen_cahn_values, burgers_values

_U = u(x, t)


@nonlinear_problem("burgers", "u_t + u u_x = (0.01 / pi) u_xx, -sin(pi x)")
def burgers() -> NonlinearProblem:
    """Against the integral of Cole and Hopf."""
    equation = sp.Eq(_U.diff(t) + _U * _U.diff(x) - _U.diff(x, 2) / (100 * sp.pi), 0)
    conditions = [fs.Dirichlet(0), fs.Initial(-sp.sin(sp.pi * x))]
    problem = fs.Problem(equation, fs.Interval(-1, 1) * fs.Time(0, 1), conditions)
    return NonlinearProblem(problem, burgers_values, 1e-7, 1e-7)


@nonlinear_problem("allen-cahn", "u_t = 1e-3 u_xx + 5 (u - u^3), x^2 cos(pi x)")
def allen_cahn() -> NonlinearProblem:
    """Against polynomials in space and an implicit method in time."""
    equation = sp.Eq(_U.diff(t) - _U.diff(x, 2) / 1000 - 5 * (_U - _U**3), 0)
    conditions = [fs.Dirichlet(-1), fs.Initial(x**2 * sp.cos(sp.pi * x))]
    problem = fs.Problem(equation, fs.Interval(-1, 1) * fs.Time(0, 1), conditions)
    places = np.linspace(-0.999, 0.999, 150)
    grid = np.stack([v.ravel() for v in np.meshgrid(places, TIMES, indexing="ij")], axis=1)
    return NonlinearProblem(problem, allen_cahn_values, 1e-6, 1e-6, points=grid)


def _moving(equation: sp.Expr, exact: sp.Expr, ends: tuple[float, float], times: tuple[float, float]) -> Any:
    """Values at both ends and as many data at the start as the equation asks for."""
    order = 2 if equation.has(_U.diff(t, 2)) else 1
    start = [fs.Initial(exact.diff(t, i).subs(t, times[0]), order=i) for i in range(order)]
    return fs.Problem(sp.Eq(equation, 0), fs.Interval(*ends) * fs.Time(*times), [fs.Dirichlet(exact), *start])


@nonlinear_problem("sine-gordon", "u_tt - u_xx + sin u = 0, a breather over its period")
def sine_gordon() -> NonlinearProblem:
    """Of frequency 1/2."""
    w = sp.Rational(1, 2)
    m = sp.sqrt(1 - w**2)
    exact = 4 * sp.atan(m * sp.sin(w * t) / (w * sp.cosh(m * x)))
    problem = _moving(_U.diff(t, 2) - _U.diff(x, 2) + sp.sin(_U), exact, (-10, 10), (0, 12.5))
    return NonlinearProblem(problem, (exact,), 1e-8, 1e-8)


@nonlinear_problem("korteweg-de vries", "u_t + 6 u u_x + u_xxx = 0, two solitons that pass")
def korteweg_de_vries() -> NonlinearProblem:
    """Values at both ends, and the slope where nothing comes from."""
    k = (sp.Integer(1), sp.Rational(3, 2))
    phases = [k[0] * (x + 3) - k[0] ** 3 * t, k[1] * (x + 6) - k[1] ** 3 * t]
    first, second = (sp.exp(phase) for phase in phases)
    tau = 1 + first + second + ((k[0] - k[1]) / (k[0] + k[1])) ** 2 * first * second
    exact = 2 * (tau * tau.diff(x, 2) - tau.diff(x) ** 2) / tau**2
    equation = sp.Eq(_U.diff(t) + 6 * _U * _U.diff(x) + _U.diff(x, 3), 0)
    conditions = [
        fs.Dirichlet(exact),
        fs.Neumann(exact.diff(x).subs(x, 10), on="x+"),
        fs.Initial(exact.subs(t, 0)),
    ]
    problem = fs.Problem(equation, fs.Interval(-12, 10) * fs.Time(0, 4), conditions)
    return NonlinearProblem(problem, (exact,), 1e-8, 1e-8)


@nonlinear_problem("klein-gordon", "u_tt - u_xx + u^3 = f, x cos(5 pi t) + (x t)^3")
def klein_gordon() -> NonlinearProblem:
    """The right-hand side of a solution."""
    exact = x * sp.cos(5 * sp.pi * t) + (x * t) ** 3

    def form(v: sp.Expr) -> sp.Expr:
        return v.diff(t, 2) - v.diff(x, 2) + v**3

    problem = _moving(form(_U) - form(exact), exact, (0, 1), (0, 1))
    return NonlinearProblem(problem, (exact,), 1e-8, 1e-8)


@nonlinear_problem("schroedinger", "i u_t + u_xx / 2 + |u|^2 u = 0, Peregrine's breather")
def schroedinger() -> NonlinearProblem:
    """A wave that rises out of a constant one, three times as high, and vanishes."""
    exact = (1 - 4 * (1 + 2 * sp.I * t) / (1 + 4 * x**2 + 4 * t**2)) * sp.exp(sp.I * t)
    equation = sp.I * _U.diff(t) + _U.diff(x, 2) / 2 + _U**2 * sp.conjugate(_U)
    problem = _moving(equation, exact, (-4, 4), (-1.5, 1.5))
    return NonlinearProblem(problem, (exact,), 1e-8, 1e-8)
