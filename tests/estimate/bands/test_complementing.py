"""Conditions of a system that hold back too little are noticed, and others are not suspected."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import find_hidden

x, y, z, t = sp.symbols("x y z t")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
BOX, DISK = fs.Box((0, 0), (1, 1)), fs.Disk((0, 0), 1)
OTHERS = ["x-", "x+", "y-"]
HELD = fs.Dirichlet({u: 0, v: 0}, on=OTHERS)
TRACTION = fs.traction(fs.stress([u, v], 2, 1))


def laplacian(w: sp.Expr) -> sp.Expr:
    return w.diff(x, 2) + w.diff(y, 2)


DIVERGENCE = u.diff(x) + v.diff(y)
ELASTIC = [laplacian(u) + 3 * DIVERGENCE.diff(x), laplacian(v) + 3 * DIVERGENCE.diff(y) + v]
STOKES = [laplacian(u) - p.diff(x), (1 + x * y) * laplacian(v) - p.diff(y), DIVERGENCE]
CAUCHY = [u.diff(x) - v.diff(y), u.diff(y) + v.diff(x)]
WELL_POSED: dict[str, tuple[list[sp.Expr], fs.Domain, list[Any]]] = {
    "clamped": (ELASTIC, DISK, [fs.Dirichlet({u: 0, v: 0})]),
    "pulled": (ELASTIC, DISK, [fs.Condition(sp.Eq(pull, 1)) for pull in TRACTION]),
    "walls": (STOKES, DISK, [fs.Dirichlet({u: 0, v: 0})]),
    "a wall that lets slip": (STOKES, BOX, [HELD, fs.Dirichlet({v: 0}, on="y+"), fs.Neumann({u: 0}, on="y+")]),
    "a harmonic function and its conjugate": (CAUCHY, BOX, [fs.Dirichlet({u: x})]),
}
REDUNDANT = [HELD, fs.Dirichlet({u: 0}, on="y+"), fs.Condition(u.diff(x), on="y+")]


@pytest.mark.parametrize("name", WELL_POSED)
def test_what_is_well_posed_is_not_suspected(name: str) -> None:
    assert find_hidden(fs.Problem(*WELL_POSED[name])).reason == ""


@pytest.mark.parametrize("equations", [ELASTIC, STOKES], ids=["elastic", "Stokes"])
def test_a_condition_that_follows_from_another(equations: list[sp.Expr]) -> None:
    reason = find_hidden(fs.Problem(equations, BOX, REDUNDANT)).reason
    assert re.match(r"the problem is ill-posed: .*dirichlet y\+ u, condition y\+ .*fewer", reason)


def test_no_yes_to_it() -> None:
    with pytest.warns(fs.AccuracyWarning, match="fewer fields"):
        solution = fs.solve(fs.Problem(ELASTIC, BOX, [fs.Dirichlet({u: x, v: y}, on=OTHERS), *REDUNDANT[1:]]), rng=0)
    assert not solution.converged


def test_what_is_carried_along_may_come_in_at_one_side() -> None:
    a, b = (sp.Function(name)(x, t) for name in "ab")
    equations = [a.diff(t) + a.diff(x) + b, b.diff(t) + 2 * b.diff(x) - a]
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    problem = fs.Problem(equations, domain, [fs.Dirichlet({a: 0, b: 0}, on="x-"), fs.Initial({a: x, b: 0})])
    assert problem.missing == ""
    assert find_hidden(problem).reason == ""
