"""Fields of point sources: derivatives, the equations they satisfy, their size, what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

from fspielm import ProblemError
from fspielm.basis import SourceBasis, localise
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, along_normal, derivative, identity

RATIOS = [0.0, 9.0, 3600.0, -4.0, -900.0]
PLACES = np.array([(1.2, 0.1), (-0.3, 1.7), (0.4, -1.01)])
CLEARANCES = np.array([0.2, 0.7, 0.01])
LAPLACIAN = Operator(2, (Term(1.0, (2, 0)), Term(1.0, (0, 2))))
X, Y = sp.symbols("x y")


def exact(ratio: float, index: int) -> tuple[sp.Expr, Any]:
    """A function of the basis from its definition, and what it is divided by."""
    (a, b), c = (sp.Float(float(v), 30) for v in PLACES[index]), mp.mpf(float(CLEARANCES[index]))
    r, k = sp.sqrt((X - a) ** 2 + (Y - b) ** 2), int(np.sqrt(abs(ratio)))
    if ratio == 0:
        return sp.log(r / sp.Float(float(CLEARANCES[index]), 30)), 1
    if ratio < 0:
        return sp.besselk(0, k * r), mp.besselk(0, k * c)
    return sp.bessely(0, k * r), mp.hypot(mp.besselj(0, k * c), mp.bessely(0, k * c))


@pytest.fixture(params=RATIOS)
def basis(request: pytest.FixtureRequest) -> SourceBasis:
    """Three sources for each equation."""
    return SourceBasis(PLACES, request.param, CLEARANCES)


@pytest.fixture
def points() -> np.ndarray:
    """Points of the unit disk, one of them close to a source."""
    inside = np.random.default_rng(3).uniform(-0.6, 0.6, (5, 2))
    return np.vstack([inside, [(0.4, -0.99)]])


@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (1, 2)], ids=str)
def test_derivatives_agree_with_differentiation_of_the_definition(
    basis: SourceBasis, points: np.ndarray, orders: tuple[int, int]
) -> None:
    points = points[-2:]
    matrix = basis.matrix(derivative(orders), Sites(points))
    gradient = max(np.sqrt(abs(basis.ratio)), 1.0)
    with mp.workdps(30):
        for j in range(basis.size):
            definition, size = exact(basis.ratio, j)
            function = sp.lambdify((X, Y), sp.diff(definition, X, orders[0], Y, orders[1]), "mpmath", cse=True)
            for row, (x, y) in zip(matrix, points, strict=True):
                value = function(mp.mpf(float(x)), mp.mpf(float(y))) / size
                # where a derivative crosses zero, the rounding of the others it is made of is left
                assert abs(row[j] - value) <= 1e-11 * max(abs(value), gradient ** sum(orders)), (j, x, y)


def test_they_satisfy_their_equation(basis: SourceBasis, points: np.ndarray) -> None:
    equation = Operator(2, (*LAPLACIAN.terms, Term(basis.ratio, (0, 0))))
    terms = [np.abs(basis.matrix(derivative(orders), Sites(points))) for orders in ((2, 0), (0, 2))]
    assert np.all(np.abs(basis.matrix(equation, Sites(points))) <= 1e-12 * sum(terms))


def test_variable_coefficients_multiply_rows(basis: SourceBasis, points: np.ndarray) -> None:
    sites = Sites(points)
    operator = Operator(2, (Term(lambda s: 1 + s.points[:, 0] ** 2, (1, 1)), Term(-3.0, (0, 1))))
    first, second = (basis.matrix(derivative(orders), sites) for orders in ((1, 1), (0, 1)))
    expected = (1 + points[:, :1] ** 2) * first - 3 * second
    np.testing.assert_allclose(basis.matrix(operator, sites), expected, rtol=1e-11, atol=1e-11)


def test_normal_derivative_is_the_gradient_along_the_normals(basis: SourceBasis, points: np.ndarray) -> None:
    normals = np.tile([0.6, 0.8], (len(points), 1))
    along_x, along_y = (basis.matrix(derivative(orders), Sites(points)) for orders in ((1, 0), (0, 1)))
    found = basis.matrix(along_normal(2), Sites(points, normals))
    np.testing.assert_allclose(found, 0.6 * along_x + 0.8 * along_y, rtol=1e-12, atol=1e-12)


def test_any_slice_of_columns_is_the_same_columns_also_in_a_view(basis: SourceBasis, points: np.ndarray) -> None:
    local = localise(derivative((1, 0)), Sites(points))
    whole = basis.matrix(derivative((1, 0)), Sites(points)).T
    for first, last in product(range(4), repeat=2):
        board = np.full((2 * max(last - first, 0), 3 * len(points)), np.nan)
        basis.fill(local, slice(first, last), board[::2, 1::3])
        np.testing.assert_allclose(board[::2, 1::3], whole[first:last], rtol=0, atol=1e-13)
        assert np.all(np.isnan(board[1::2]))


def test_an_operator_without_terms_is_zero(basis: SourceBasis, points: np.ndarray) -> None:
    assert not np.any(basis.matrix(Operator(2, ()), Sites(points)))


def test_waves_have_size_one_at_the_clearance_and_no_point_is_out_of_range() -> None:
    basis = SourceBasis([(2.0, 0.0)], -(5e3**2), [1.0])
    values = basis.matrix(identity(2), Sites(np.array([(1.0, 0.0), (0.999, 0.0), (-1.0, 0.0)])))[:, 0]
    assert values[0] == pytest.approx(1.0, rel=1e-14)
    assert values[1] == pytest.approx(np.exp(-5.0), rel=1e-3)
    assert values[2] == 0.0
    at_itself = SourceBasis([(2.0, 0.0)], 0.0, [1.0]).matrix(identity(2), Sites(np.array([(2.0, 0.0)])))
    assert np.isfinite(at_itself).all()


def test_what_makes_no_sources_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"points.*shape.*one source"):
        SourceBasis([], 0.0, [])
    with pytest.raises(ProblemError, match=r"clearances.*2 positive"):
        SourceBasis([(1, 0), (0, 1)], 0.0, [1.0, 0.0])
    with pytest.raises(ProblemError, match=r"ratio.*finite.*nan"):
        SourceBasis([(1, 0)], float("nan"), [1.0])
