"""Flow in a square whose lid moves all alike: what is published, and known where lid and walls meet."""

from __future__ import annotations

from functools import partial

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import fspielm as fs
from nonlinear_problems.example import SQUARE, NonlinearProblem, laplacian, nonlinear_problem, u, x, y
from nonlinear_problems.flow_corner import Corner

# The least velocity to the right on the vertical centre line, the largest upward one on the horizontal one and the
# least: Botella and Peyret, Computers & Fluids 27 (1998), 421.
_PUBLISHED = {100: (-0.2140424, 0.1795728, -0.2538030), 1000: (-0.3885698, 0.3769447, -0.5270771)}
# Of stream function and vorticity, of which the latter is large beside the corners.
_TOLERANCES = {100: 1e-3, 1000: 1e-4}
# About half a unit of the last digit that is published.
_GOAL = 3e-7
# As much is cut off at both ends of the lid, times the Reynolds number: there the flow is known.
_CUT = 1.0


def plain_lid(reynolds: int) -> fs.Problem:
    """Stream function and vorticity, without a pressure, which is infinite where the lid meets walls.

    Velocities jump there, and no polynomials hold that: the domain ends at a small distance, with the flow at a corner.
    """
    psi, spin = u(x, y), sp.Function("w")(x, y)
    carried = psi.diff(y) * spin.diff(x) - psi.diff(x) * spin.diff(y)
    equations = [
        sp.Eq(laplacian(psi) - spin, 0),
        sp.Eq(sp.Rational(1, reynolds) * laplacian(spin) - carried, 0),
    ]
    radius, walls = _CUT / reynolds, ["x-", "x+", "y-"]
    domain = SQUARE - fs.Disk((0, 1), radius, name="left") - fs.Disk((1, 1), radius, name="right")
    conditions = [
        fs.Dirichlet({psi: 0}, on=[*walls, "y+"]),
        fs.Neumann({psi: 0}, on=walls),
        fs.Neumann({psi: 1}, on="y+"),
    ]
    for name, corner in (("left", Corner(0, 1, 1, reynolds)), ("right", Corner(1, 1, -1, reynolds))):
        conditions += [
            fs.Dirichlet({psi: corner.stream}, on=f"{name}.circle"),
            fs.Neumann({psi: corner.slope}, on=f"{name}.circle"),
        ]
    return fs.Problem(equations, domain, conditions, unknowns=[psi, spin])


def _extremes(solution: fs.Solution) -> NDArray[np.float64]:
    """Of so many values that they are known to ten digits."""
    along = np.linspace(0.01, 0.99, 40001)
    middle = np.full_like(along, 0.5)
    stream = solution["u"]
    right = stream.diff(y)(np.column_stack([middle, along]))
    upward = -stream.diff(x)(np.column_stack([along, middle]))
    return np.array([right.min(), upward.max(), upward.min()])


def _published(reynolds: int) -> NonlinearProblem:
    problem, known = plain_lid(reynolds), _PUBLISHED[reynolds]
    return NonlinearProblem(problem, (), _TOLERANCES[reynolds], _GOAL, numbers=_extremes, known=known)


for _reynolds in _PUBLISHED:
    nonlinear_problem(f"plain lid, Re = {_reynolds}", "a lid that moves all alike: extreme velocities on centre lines")(
        partial(_published, _reynolds)
    )
