"""What Newton's method begins with."""

from __future__ import annotations

import sympy as sp

import fspielm as fs
from fspielm.solvers.newton.rounds import first_bands, kinds_for
from fspielm.solvers.request import Request, Streams
from fspielm.solvers.strategies.cells import cells_for

x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)


def test_waves_that_the_equation_could_carry_wait_for_the_solution() -> None:
    pulse = sp.exp(-(x**2))
    conditions = [fs.Dirichlet(0), fs.Neumann(0, on="x+"), fs.Initial(pulse)]
    equation = sp.Eq(u.diff(t) + 6 * u * u.diff(x) + u.diff(x, 3), 0)
    problem = fs.Problem(equation, fs.Interval(-8, 8) * fs.Time(0, 4), conditions)
    streams, seed = Streams.spawned(0)
    request = Request(problem.linearised(0), 1e-8, fs.Budget(), streams, seed)
    bands = first_bands(request)
    assert bands.sources[1] == "the equation"
    assert cells_for(request, bands, narrow=False).first().plan.neurons > 20_000
    first = kinds_for(request, bands)[0].first(request)
    assert 1000 < first.plan.neurons <= 20_000
