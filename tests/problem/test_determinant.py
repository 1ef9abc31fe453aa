"""The operator that stands for a system."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites
from fspielm.problem import Operator, natural_scales
from fspielm.problem.operator import determinant

x, y, t = sp.symbols("x y t")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
SQUARE = fs.Box((0, 0), (1, 1))
POINTS = Sites(np.random.default_rng(0).random((7, 2)))


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def terms(operator: Operator, sites: Sites = POINTS) -> dict[tuple[int, ...], Any]:
    return {term.orders: term.at(sites) for term in operator.terms}


def stokes(viscosity: Any = 1) -> fs.Problem:
    equations = [-viscosity * laplace(u) + p.diff(x), -viscosity * laplace(v) + p.diff(y), u.diff(x) + v.diff(y)]
    return fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0}), unknowns=[u, v, p])


def test_of_one_unknown_it_is_its_own() -> None:
    problem = fs.Problem(laplace(u) + x * u, SQUARE, fs.Dirichlet(0))
    assert problem.determinant is problem.operator


def test_of_stokes_it_is_the_bilaplacian() -> None:
    found = stokes(3).determinant
    assert found.is_constant
    assert {o: abs(c[0]) for o, c in terms(found).items()} == {(4, 0): 3.0, (2, 2): 6.0, (0, 4): 3.0}


def test_terms_that_cancel_are_gone() -> None:
    cancelling = [u.diff(x) + 0.1 * v.diff(y), 3 * u.diff(x) + 0.3 * v.diff(y) + v]
    orders = terms(fs.Problem(cancelling, SQUARE, fs.Dirichlet({u: 0}, on="x-")).determinant)
    assert list(orders) == [(1, 0)]


def test_with_coefficients_that_vary() -> None:
    a = 1 + x * y
    equations = [a * laplace(u) + v, sp.exp(x) * laplace(v) - u]
    found = fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0})).determinant
    assert not found.is_constant
    values = terms(found)
    X, Y = POINTS.points.T
    np.testing.assert_allclose(values[4, 0], (1 + X * Y) * np.exp(X), rtol=1e-14)
    np.testing.assert_allclose(values[2, 2], 2 * (1 + X * Y) * np.exp(X), rtol=1e-14)
    np.testing.assert_allclose(values[0, 0], 1.0)


def test_coefficients_that_cancel_leave_no_order() -> None:
    """The determinant of ``a u_xx + b v_xx``, ``c u_xx + d v_xx`` is zero in fourth order where ``a d = b c``."""
    equations = [x * u.diff(x, 2) + y * v.diff(x, 2), x**2 * u.diff(x, 2) + x * y * v.diff(x, 2) + u.diff(x)]
    found = fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0})).determinant
    assert list(terms(found)) == [(3, 0)]


def test_complex_coefficients() -> None:
    equations = [u.diff(x) + sp.I * v.diff(y), v.diff(x) - sp.I * u.diff(y)]
    found = terms(fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0})).determinant)
    assert {o: c[0] for o, c in found.items()} == {(2, 0): 1.0, (0, 2): -1.0}


def test_of_more_equations_the_first_that_determine_count() -> None:
    equations = [laplace(u), 2 * laplace(u), laplace(v)]
    problem = fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0}))
    assert problem.determinant.order == 4
    operators = [relation.operator for relation in problem.equations]
    assert determinant(operators[:2], 2, SQUARE).terms == ()


class TestNaturalScales:
    def test_the_pressure_is_of_the_size_of_the_viscosity(self) -> None:
        for viscosity in (1e-6, 1.0, 1e6):
            scales = natural_scales(stokes(viscosity), np.full(2, 5.0))
            assert scales[0] == pytest.approx(scales[1])
            assert scales[2] / scales[0] == pytest.approx(2 * 5.0 * viscosity, rel=1e-6)
            assert scales.max() == 1.0

    def test_of_one_unknown_there_is_nothing_to_compare(self) -> None:
        problem = fs.Problem(1e9 * laplace(u), SQUARE, fs.Dirichlet(0))
        np.testing.assert_array_equal(natural_scales(problem, np.full(2, 3.0)), [1.0])

    def test_a_weak_coupling_says_nothing(self) -> None:
        for weak in (1e-9, 1.0):
            equations = [laplace(u) + weak * v, laplace(v)]
            problem = fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0}))
            np.testing.assert_allclose(natural_scales(problem, np.full(2, 2.0)), 1.0, rtol=1e-6)

    def test_units(self) -> None:
        """Metres and millimetres."""
        equations = [laplace(u) + 1e-3 * v, laplace(v) + 1e3 * u]
        scales = natural_scales(fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0})), np.full(2, np.sqrt(0.5)))
        assert scales[1] / scales[0] == pytest.approx(1e3, rel=1e-6)

    def test_more_equations_than_unknowns(self) -> None:
        equations = [1e6 * laplace(u) + v.diff(x), laplace(v) + u, 1e6 * u.diff(x) - v.diff(y)]
        scales = natural_scales(fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0})), np.full(2, 3.0))
        assert scales.max() == 1.0
        assert np.all(scales > 0)

    def test_complex_coefficients_count_by_their_size(self) -> None:
        equations = [laplace(u) + 100j * v, sp.I * laplace(v) + 100 * u]
        np.testing.assert_allclose(
            natural_scales(fs.Problem(equations, SQUARE, fs.Dirichlet({u: 0, v: 0})), np.full(2, 10.0)), [1.0, 1.0]
        )
