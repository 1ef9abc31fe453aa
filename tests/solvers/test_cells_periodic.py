"""Cells at faces that are one and the same place."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.cells import tied_across, tile

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
BOX = fs.Box((0, 0), (1, 1))
HOLED = BOX - fs.Disk((0.5, 0.4), 0.2)
WAVE = sp.exp(sp.sin(2 * sp.pi * x))


def helmholtz(exact: sp.Expr, domain: fs.Domain, conditions: list[object]) -> fs.Problem:
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) - 30 * u, exact.diff(x, 2) + exact.diff(y, 2) - 30 * exact)
    return fs.Problem(equation, domain, conditions)


def check(problem: fs.Problem, exact: sp.Expr, tol: float = 1e-6) -> None:
    solution = fs.solve(problem, approach="patches", rng=1, tol=tol, budget=fs.Budget(threads=1))
    points = problem.domain.sample(500, np.random.default_rng(0))
    known = sp.lambdify(problem.coordinates, exact)(*points.T)
    error = np.linalg.norm(solution(points) - known) / np.linalg.norm(known)
    assert solution.converged
    assert solution.error_estimate is not None
    assert error < solution.error_estimate < tol


def test_on_a_line() -> None:
    w = sp.Function("u")(x)
    check(fs.Problem(sp.Eq(w.diff(x, 2) - w, WAVE.diff(x, 2) - WAVE), fs.Interval(0, 1), [fs.Periodic("x")]), WAVE)


def test_a_wave_that_goes_round() -> None:
    w = sp.Function("u")(x, t)
    problem = fs.Problem(w.diff(t) + w.diff(x), fs.Interval(0, 1) * fs.Time(0, 1), [fs.Periodic("x"), fs.Initial(WAVE)])
    check(problem, WAVE.subs(x, x - t))


def test_both_pairs_of_faces() -> None:
    exact = WAVE * sp.exp(sp.cos(2 * sp.pi * y))
    check(helmholtz(exact, BOX, [fs.Periodic("x"), fs.Periodic("y")]), exact)


@pytest.mark.parametrize("factor", [-1.0, sp.exp(sp.I), 2 * sp.exp(-sp.I / 2)])
def test_times_a_factor(factor: sp.Expr) -> None:
    exact = WAVE * sp.exp(x * sp.log(factor)) * sp.sin(sp.pi * y)
    conditions = [fs.Periodic("x", factor=factor), fs.Dirichlet(0, on=["y-", "y+"])]
    check(helmholtz(sp.expand(exact), BOX, conditions), exact)


def test_with_a_hole() -> None:
    exact = sp.sin(2 * sp.pi * x) * sp.exp(y)
    check(helmholtz(exact, HOLED, [fs.Periodic("x"), fs.Dirichlet(exact, on="rest")]), exact)


def test_layers_of_two_materials() -> None:
    a = sp.Piecewise((4, y < 0.5), (1, True))
    # the slopes at the border differ by the contrast
    exact = sp.sin(2 * sp.pi * x) * (1 + (y - sp.Rational(1, 2)) / a)
    right = -a * 4 * sp.pi**2 * exact
    flux = sp.Derivative(a * u.diff(x), x) + sp.Derivative(a * u.diff(y), y)
    sides = fs.Dirichlet(exact, on=["y-", "y+"])
    check(fs.Problem(sp.Eq(flux, right), BOX, [fs.Periodic("x"), sides]), exact)


@pytest.mark.parametrize("domain", [BOX, HOLED])
def test_all_of_a_face_is_tied(domain: fs.Domain) -> None:
    tiling = tile(domain, (3, 2)).halve({0: (0, 1)})
    part = next(part for part in domain.boundary() if part.name == "x-")
    shift = np.array([1.0, 0.0])
    contacts = list(tied_across(tiling, part, shift))
    assert sum(contact.end - contact.start for contact in contacts) == pytest.approx(1)
    for contact in contacts:
        middle = part.place(np.array([[0.5 * (contact.start + contact.end)]])).points
        assert [tiling.locate(middle)[0], tiling.locate(middle + shift)[0]] == list(contact.cells)
