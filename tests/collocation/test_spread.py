"""Other right-hand sides of a system, by the places of its rows."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.solvers import Budget
from fspielm.solvers.driver import solve_automatically
from fspielm.solvers.request import Request, Streams

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


@pytest.mark.parametrize("approach", ["band", "patches"])
def test_the_values_of_a_problem_are_its_right_hand_side(approach: str) -> None:
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) - u, sp.cos(3 * x + y))
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(x * y)])
    streams, seed = Streams.spawned(0)
    request = Request(problem, 1e-3, Budget(threads=1), streams, seed, approach=approach)  # type: ignore[arg-type]
    finite = solve_automatically(request).best.discretisation
    blocks = finite.assemble("rms").blocks
    sites = {name: sites for name, (sites, _) in finite.fitted(blocks).items()}
    values = {relation.name: relation.values(sites[relation.name]) for relation in problem.relations}
    assert np.array_equal(finite.spread(values, blocks), finite.values(blocks))
    assert not np.any(finite.spread({}, blocks))
