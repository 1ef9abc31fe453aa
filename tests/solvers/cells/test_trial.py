"""How long a round with cells is thought to take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.cells import Patchwork, tile
from fspielm.solvers import CellPlan
from fspielm.solvers.strategies.cells import CellOutlook

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)


def plan(degree: int, threads: int = 1) -> CellPlan:
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    return CellPlan(Patchwork(problem, tile(problem.domain, (4, 4)), np.full((16, 2), degree), (1.0,), threads), "")


def outlook(degree: int, threads: int = 1) -> CellOutlook:
    """With operations as fast as on no machine in particular."""
    made = plan(degree, threads)
    return CellOutlook(1, 1.0, 1e-10).of(made.patchwork.problem, made)


def test_the_estimate_is_no_share_of_the_factorisation() -> None:
    one = outlook(12)
    # twice as many functions in cells that take as long
    other = replace(one, neurons=2 * one.neurons)
    fast = replace(one, each=0.0)
    assert other.seconds - one.seconds == pytest.approx(3.5e-5 * one.neurons)
    assert fast.seconds > 3.5e-5 * one.neurons


def test_threads_help_with_many_cells_alone() -> None:
    one, two, many = (outlook(12, threads).operations for threads in (1, 2, 64))
    assert one == pytest.approx(plan(12).work(plan(12).patchwork.problem))
    assert 0.5 * one < two < 0.7 * one  # toward the root there are fewer nodes
    assert many > one / 16


def test_as_many_functions_as_there_is_time_for() -> None:
    whole = outlook(14)
    assert whole.neurons_within(whole.seconds) == whole.neurons
    assert 0 < whole.neurons_within(0.5 * (0.1 + whole.seconds)) < whole.neurons
    assert whole.neurons_within(0.0) == 0
