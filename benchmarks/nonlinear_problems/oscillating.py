"""Solutions that oscillate, whose right-hand sides have three times their frequencies."""

from __future__ import annotations

from functools import partial

import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from nonlinear_problems.example import SQUARE, NonlinearProblem, laplacian, made, nonlinear_problem, u, x, y

# r = 0.4 (1 + 0.2 cos 5 theta), about the middle of the square.
_THETA = sp.Symbol("theta")


def _star() -> Domain:
    return fs.PolarCurve(sp.Rational(2, 5) * (1 + sp.cos(5 * _THETA) / 5), center=(0.5, 0.5))


def _cubic(a: int, domain: Domain) -> NonlinearProblem:
    exact = sp.sin(2 * sp.pi * a * x) * sp.cos(2 * sp.pi * a * y)
    return made(lambda v: laplacian(v) + v**3 - v, u(x, y), exact, domain, tol=1e-10, goal=1e-10)


def _leading(a: int, domain: Domain, tol: float) -> NonlinearProblem:
    exact = sp.sin(2 * sp.pi * a * (x + y**2 / 2))
    return made(lambda v: -laplacian(v) + (2 * sp.pi * a) ** 2 * v**3, u(x, y), exact, domain, tol=tol, goal=tol)


for _a in (1, 10, 20):
    nonlinear_problem(f"cubic, a = {_a}", "lap u + u^3 - u = f, sin(2 pi a x) cos(2 pi a y)")(
        partial(_cubic, _a, SQUARE)
    )
    nonlinear_problem(f"cubic in a star, a = {_a}", "the same in a star-shaped curve")(partial(_cubic, _a, _star()))
for _a, _tol in ((1, 1e-9), (10, 1e-9), (20, 1e-9), (40, 1e-6)):
    nonlinear_problem(f"leading, a = {_a}", "-lap u + (2 pi a)^2 u^3 = f, sin(2 pi a (x + y^2 / 2))")(
        partial(_leading, _a, SQUARE, _tol)
    )
    nonlinear_problem(f"leading in a star, a = {_a}", "the same in a star-shaped curve")(
        partial(_leading, _a, _star(), _tol)
    )


@nonlinear_problem("square", "-lap u + u^2 = f, (x + y) cos 10x sin 10y")
def square() -> NonlinearProblem:
    """On the unit square."""
    exact = (x + y) * sp.cos(10 * x) * sp.sin(10 * y)
    return made(lambda v: -laplacian(v) + v**2, u(x, y), exact, SQUARE, tol=1e-12, goal=1e-12)
