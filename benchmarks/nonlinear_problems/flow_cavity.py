"""Flow in a square whose lid moves: compared with finite elements."""

from __future__ import annotations

from functools import partial

import numpy as np
import sympy as sp

import fspielm as fs
from nonlinear_problems.example import SQUARE, NonlinearProblem, nonlinear_problem, x, y
from nonlinear_problems.flow_elements import REYNOLDS, TABLE
from nonlinear_problems.flows import momentum

# What is asked for is an estimate, which is far above the error where corners are all that is left of it.
_TOLERANCES = {100: 3e-5, 400: 1e-4, 1000: 1e-4}
_GOAL = 1e-6


def cavity(reynolds: int, lid: sp.Expr) -> fs.Problem:
    """Velocities all around; the pressure has the mean zero."""
    u, v, p = (sp.Function(name)(x, y) for name in "uvp")
    equations = [sp.Eq(side, 0) for side in momentum([u, v], p, sp.Rational(1, reynolds))]
    walls = [fs.Dirichlet({u: lid, v: 0}, on="y+"), fs.Dirichlet({u: 0, v: 0}, on=["x-", "x+", "y-"])]
    return fs.Problem(equations, SQUARE, walls, unknowns=[u, v, p])


def _regularised(reynolds: int) -> NonlinearProblem:
    table = np.genfromtxt(TABLE, delimiter=",", names=True)
    known = np.column_stack([table[f"{name}{reynolds}"] for name in "uvp"])
    places = np.column_stack([table["x"], table["y"]])
    problem = cavity(reynolds, 16 * x**2 * (1 - x) ** 2)
    return NonlinearProblem(problem, lambda _: known, _TOLERANCES[reynolds], _GOAL, free=(2,), points=places)


for _reynolds in REYNOLDS:
    nonlinear_problem(f"cavity, Re = {_reynolds}", "a lid that comes to rest at its ends, 16 x^2 (1 - x)^2")(
        partial(_regularised, _reynolds)
    )
