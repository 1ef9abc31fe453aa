"""The five nonlinear problems of FastLSQ 0.7.1 (`fastlsq.problems.nonlinear`)."""

from __future__ import annotations

import sympy as sp

import fspielm as fs
from nonlinear_problems.example import SQUARE, NonlinearProblem, laplacian, made, nonlinear_problem, u, x, y

# What it calls them.
PEER = ("NLPoisson2D", "Bratu2D", "SteadyBurgers1D", "NLHelmholtz2D", "AllenCahn1D")
_TOL, _GOAL = 1e-11, 1e-11
_LINE = fs.Interval(0, 1)
_BUMP = sp.sin(sp.pi * x) * sp.sin(sp.pi * y)
_TENTH = sp.Rational(1, 10)


@nonlinear_problem("NLPoisson2D", "-lap u + u^3 = f, sin(pi x) sin(pi y)")
def poisson() -> NonlinearProblem:
    """On the unit square."""
    return made(lambda v: -laplacian(v) + v**3, u(x, y), _BUMP, SQUARE, tol=_TOL, goal=_GOAL)


@nonlinear_problem("Bratu2D", "-lap u - exp(u) = f, sin(pi x) sin(pi y)")
def bratu() -> NonlinearProblem:
    """On the unit square."""
    return made(lambda v: -laplacian(v) - sp.exp(v), u(x, y), _BUMP, SQUARE, tol=_TOL, goal=_GOAL)


@nonlinear_problem("SteadyBurgers1D", "u u' - 0.1 u'' = f, sin(2 pi x)")
def burgers() -> NonlinearProblem:
    """On the unit interval."""
    exact = sp.sin(2 * sp.pi * x)
    return made(lambda v: v * v.diff(x) - _TENTH * v.diff(x, 2), u(x), exact, _LINE, tol=_TOL, goal=_GOAL)


@nonlinear_problem("NLHelmholtz2D", "lap u + 9 u + u^3 / 2 = f, sin(3x) sin(3y)")
def helmholtz() -> NonlinearProblem:
    """On the unit square."""
    exact = sp.sin(3 * x) * sp.sin(3 * y)
    return made(lambda v: laplacian(v) + 9 * v + v**3 / 2, u(x, y), exact, SQUARE, tol=_TOL, goal=_GOAL)


@nonlinear_problem("AllenCahn1D", "0.1 u'' + u - u^3 = f, sin(pi x)")
def allen_cahn() -> NonlinearProblem:
    """On the unit interval."""
    exact = sp.sin(sp.pi * x)
    return made(lambda v: _TENTH * v.diff(x, 2) + v - v**3, u(x), exact, _LINE, tol=_TOL, goal=_GOAL)
