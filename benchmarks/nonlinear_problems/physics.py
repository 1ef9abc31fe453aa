"""Materials and charges that do not answer in proportion."""

from __future__ import annotations

import sympy as sp

import fspielm as fs
from nonlinear_problems.example import SQUARE, NonlinearProblem, laplacian, made, nonlinear_problem, u, x, y

_TOL, _GOAL = 1e-8, 1e-8
_U = u(x, y)


@nonlinear_problem("poisson-boltzmann", "-lap u + sinh(u) = 0, ten times the thermal potential, around a pore")
def poisson_boltzmann() -> NonlinearProblem:
    """Gouy's and Chapman's layer along a wall, with its values on a pore in the solution."""
    rate = sp.tanh(sp.Rational(10, 4)) * sp.exp(-x)
    exact = 2 * sp.log((1 + rate) / (1 - rate))
    domain = fs.Box((0, 0), (4, 3)) - fs.Disk((1.5, 1.5), 0.7)
    problem = fs.Problem(sp.Eq(-laplacian(_U) + sp.sinh(_U), 0), domain, [fs.Dirichlet(exact)])
    return NonlinearProblem(problem, (exact,), _TOL, _GOAL)


@nonlinear_problem("minimal surface", "Scherk's, over a square")
def minimal_surface() -> NonlinearProblem:
    """A logarithm of cosines, which is infinite where these vanish."""
    exact = sp.log(sp.cos(y) / sp.cos(x))
    ux, uy = _U.diff(x), _U.diff(y)
    equation = (1 + uy**2) * _U.diff(x, 2) - 2 * ux * uy * _U.diff(x, y) + (1 + ux**2) * _U.diff(y, 2)
    problem = fs.Problem(sp.Eq(equation, 0), fs.Box((-1, -1), (1, 1)), [fs.Dirichlet(exact)])
    return NonlinearProblem(problem, (exact,), _TOL, _GOAL)


@nonlinear_problem("p-laplace", "div(|grad u| grad u) = 0 in a ring, from a guess")
def p_laplace() -> NonlinearProblem:
    """The root of the radius; a constant, where the equation degenerates, is no place to begin."""
    exact = (x**2 + y**2) ** sp.Rational(1, 4)
    slope = sp.sqrt(_U.diff(x) ** 2 + _U.diff(y) ** 2)
    equation = sum((slope * _U.diff(v)).diff(v) for v in (x, y))
    ring = fs.Annulus((0, 0), 1, 2)
    problem = fs.Problem(sp.Eq(equation, 0), ring, [fs.Dirichlet(exact)])
    return NonlinearProblem(problem, (exact,), _TOL, _GOAL, guess=sp.sqrt(x**2 + y**2))


@nonlinear_problem("hot plate", "lap u = 0 in a disk, u_n + u^4 = g on its rim")
def hot_plate() -> NonlinearProblem:
    """It radiates."""
    exact = 1 + x / 4 + sp.exp(x) * sp.sin(y) / 8
    sides = [fs.normal_derivative(v) + v**4 for v in (_U, exact)]
    rim = fs.Condition(sp.Eq(*sides, evaluate=False))
    problem = fs.Problem(sp.Eq(laplacian(_U), 0), fs.Disk((0, 0), 1), [rim])
    return NonlinearProblem(problem, (exact,), _TOL, _GOAL)


@nonlinear_problem("bratu in a disk", "lap u + exp(u) = 0, against its closed form")
def bratu() -> NonlinearProblem:
    """The lower of two solutions: ``2 ln((1 + b) / (1 + b r^2))`` with ``8 b = (1 + b)^2``."""
    b = 3 - 2 * sp.sqrt(2)
    exact = 2 * sp.log((1 + b) / (1 + b * (x**2 + y**2)))
    problem = fs.Problem(sp.Eq(laplacian(_U) + sp.exp(_U), 0), fs.Disk((0, 0), 1), [fs.Dirichlet(0)])
    return NonlinearProblem(problem, (exact,), _TOL, _GOAL)


@nonlinear_problem("elastic plate", "large deflections of a clamped plate, by von Karman's equations")
def plate() -> NonlinearProblem:
    """Deflection and stress function of fourth order each, with the right-hand sides of a solution."""
    w, phi = (sp.Function(name)(x, y) for name in ("w", "phi"))
    bump = (sp.sin(sp.pi * x) * sp.sin(sp.pi * y)) ** 2
    exact = (2 * bump, bump * sp.cos(x + y))

    def bracket(a: sp.Expr, b: sp.Expr) -> sp.Expr:
        mixed = a.diff(x, y) * b.diff(x, y)
        return a.diff(x, 2) * b.diff(y, 2) + a.diff(y, 2) * b.diff(x, 2) - 2 * mixed

    def forms(a: sp.Expr, b: sp.Expr) -> list[sp.Expr]:
        return [laplacian(laplacian(a)) - bracket(b, a), laplacian(laplacian(b)) + bracket(a, a) / 2]

    equations = [sp.Eq(p, q, evaluate=False) for p, q in zip(forms(w, phi), forms(*exact), strict=True)]
    conditions = [fs.Dirichlet({w: 0, phi: 0}), fs.Neumann({w: 0, phi: 0})]
    return NonlinearProblem(fs.Problem(equations, SQUARE, conditions, unknowns=[w, phi]), exact, _TOL, _GOAL)


@nonlinear_problem("harmonic map", "lap u = u |grad u|^2 / (1 + u^2), a solution of high slope")
def slope_squared() -> NonlinearProblem:
    """Nonlinear in the slope."""
    exact = sp.sinh(3 * (x + y / 2))
    return made(
        lambda v: laplacian(v) - v * (v.diff(x) ** 2 + v.diff(y) ** 2) / (1 + v**2),
        _U,
        exact,
        SQUARE,
        tol=_TOL,
        goal=_GOAL,
    )
