"""Newton's method within a budget of time."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem import as_iterate
from fspielm.resources import Deadline
from fspielm.solvers.newton import iteration
from fspielm.solvers.newton.iteration import Newton
from fspielm.solvers.newton.rounds import first_bands, kinds_for
from fspielm.solvers.request import Request, Streams

x = sp.Symbol("x")
u = sp.Function("u")(x)


@pytest.mark.parametrize(("left", "steps"), [(29.0, 1), (39.0, 2), (1e9, 3)])
def test_steps_end_before_the_budget_does(left: float, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock by which each step takes ten seconds: another one, and what comes afterwards, must fit."""
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr(iteration, "perf_counter", lambda: float(next(clock)))
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + sp.exp(u), 0), fs.Interval(0, 1), [fs.Dirichlet(0)])
    streams, seed = Streams.spawned(0)
    request = Request(problem, 1e-8, fs.Budget(seconds=60), streams, seed)
    linear = replace(request, problem=problem.linearised(0))
    plan = kinds_for(linear, first_bands(linear))[0].first(linear).plan
    spent = iter(range(10, 10_000, 10))
    monkeypatch.setattr(Deadline, "seconds_left", property(lambda _: left - next(spent)))
    done = Newton.of(request, Deadline()).run(plan.discretise(linear, {}), as_iterate(problem))
    assert len(done.steps) == steps
    assert bool(done.failure) == (left < 1e9)
    assert not done.failure or "budget of 60 s" in done.failure
