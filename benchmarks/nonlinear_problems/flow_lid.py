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
# What is asked for is an error of the stream function, of which velocities are derivatives.
_TOLERANCES = {100: 1e-3, 1000: 1e-4}
# Half of the last digit that is published.
_GOAL = 3e-7
# As much is cut off at both ends of the lid, times the Reynolds number: there the flow is known.
_CUT = 1.0


def plain_lid(reynolds: int) -> fs.Problem:
    """The stream function, whose pressure does not matter: it is infinite where the lid meets walls.

    Velocities jump there, and no polynomials hold that: the domain ends at a small distance, with the flow at a corner.
    """
    psi, radius = u(x, y), _CUT / reynolds
    spin, viscosity = laplacian(psi), sp.Rational(1, reynolds)
    carried = psi.diff(y) * spin.diff(x) - psi.diff(x) * spin.diff(y)
    equation = sp.Eq(sp.expand((viscosity * laplacian(spin) - carried).doit()), 0)
    domain = SQUARE - fs.Disk((0, 1), radius, name="left") - fs.Disk((1, 1), radius, name="right")
    walls = ["x-", "x+", "y-"]
    conditions = [fs.Dirichlet(0, on=[*walls, "y+"]), fs.Neumann(0, on=walls), fs.Neumann(1, on="y+")]
    for name, corner in (("left", Corner(0, 1, 1, reynolds)), ("right", Corner(1, 1, -1, reynolds))):
        conditions += [
            fs.Dirichlet(corner.stream, on=f"{name}.circle"),
            fs.Neumann(corner.slope, on=f"{name}.circle"),
        ]
    return fs.Problem(equation, domain, conditions)


def _extremes(solution: fs.Solution) -> NDArray[np.float64]:
    """Of so many values that they are known to ten digits."""
    along = np.linspace(0.01, 0.99, 40001)
    middle = np.full_like(along, 0.5)
    right = solution.diff(y)(np.column_stack([middle, along]))
    upward = -solution.diff(x)(np.column_stack([along, middle]))
    return np.array([right.min(), upward.max(), upward.min()])


def _published(reynolds: int) -> NonlinearProblem:
    problem, known = plain_lid(reynolds), _PUBLISHED[reynolds]
    return NonlinearProblem(problem, (), _TOLERANCES[reynolds], _GOAL, numbers=_extremes, known=known)


for _reynolds in _PUBLISHED:
    nonlinear_problem(f"plain lid, Re = {_reynolds}", "a lid that moves all alike: extreme velocities on centre lines")(
        partial(_published, _reynolds)
    )
