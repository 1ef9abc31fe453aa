"""What every basis does, whatever its family and dimension: derivatives, operators, slices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import comb
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from fspielm import Disk
from fspielm.basis import COSINE, SINE, TANH, Family, RidgeBasis, localise
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, along_normal, derivative, identity

EPS = np.finfo(float).eps
Feature = Callable[..., Any]


def multi_indices(dimension: int, order: int) -> list[tuple[int, ...]]:
    return [alpha for alpha in product(range(order + 1), repeat=dimension) if sum(alpha) <= order]


def central_difference(function: Feature, point: list[Any], alpha: tuple[int, ...], h: Any) -> Any:
    """The mixed derivative by nested central differences, order by order along each axis."""
    total = mp.mpf(0)
    for k in product(*(range(a + 1) for a in alpha)):
        weight = mp.mpf(1)
        shifted = list(point)
        for axis, (a, j) in enumerate(zip(alpha, k, strict=True)):
            weight *= (-1) ** j * comb(a, j)
            shifted[axis] = point[axis] + (mp.mpf(a) / 2 - j) * h
        total += weight * function(*shifted)
    return total / h ** sum(alpha)


def tolerance(basis: RidgeBasis, points: np.ndarray, alpha: tuple[int, ...]) -> np.ndarray:
    """Rounding of the phase, times what differentiating brings down, as (n, M)."""
    phase = np.abs(points) @ np.abs(basis.W).T + np.abs(basis.b) + np.pi
    growth = np.prod(np.abs(basis.W) ** np.array(alpha), axis=1)
    # derivatives of tanh up to order five (the slope of the fourth) stay below 2^5
    return 32 * EPS * (1 + phase) * growth


def amplitude(sites: Sites) -> np.ndarray:
    return np.asarray(1.5 + np.sin(3 * sites.points.sum(axis=1)))


def variable(operator: Operator) -> Operator:
    """The same operator with a coefficient hidden in a function, so that the general path is taken."""
    first, *rest = operator.terms
    value = float(first.coefficient)  # type: ignore[arg-type]
    hidden = Term(lambda sites: np.full(len(sites), value), first.orders)
    return Operator(operator.dimension, (hidden, *rest))


def test_every_derivative_to_order_four_agrees_with_finite_differences(
    basis: RidgeBasis,
    points: np.ndarray,
    dimension: int,
    precise_feature: Callable[[RidgeBasis, int], Feature],
) -> None:
    # 80 digits and steps of 1e-12 (times frequencies below 100): truncation 1e-20, rounding 1e-32
    columns, rows = (0, 4, 8) if dimension < 4 else (0, 8), (0, 3)
    with mp.workdps(80):
        h = mp.mpf(10) ** -12
        for alpha in multi_indices(dimension, 4):
            matrix = basis.matrix(derivative(alpha), Sites(points))
            bound = tolerance(basis, points, alpha)
            for j in columns:
                feature = precise_feature(basis, j)
                for i in rows:
                    exact = central_difference(feature, [mp.mpf(float(v)) for v in points[i]], alpha, h)
                    assert abs(matrix[i, j] - exact) <= bound[i, j], (alpha, i, j)


def test_gradient_agrees_with_complex_steps(basis: RidgeBasis, points: np.ndarray, dimension: int) -> None:
    function = {COSINE: np.cos, SINE: np.sin, TANH: np.tanh}[basis.activation]
    for axis in range(dimension):
        alpha = tuple(int(axis == other) for other in range(dimension))
        shifted = points.astype(complex)
        shifted[:, axis] += 1e-40j
        exact = np.imag(function(shifted @ basis.W.T + basis.b)) / 1e-40
        error = np.abs(basis.matrix(derivative(alpha), Sites(points)) - exact)
        assert np.all(error <= tolerance(basis, points, alpha))


def test_one_cosine_and_the_general_path_agree_to_rounding(
    basis: RidgeBasis, points: np.ndarray, dimension: int
) -> None:
    rng = np.random.default_rng(3)
    chosen = multi_indices(dimension, 4)[::3]
    coefficients = rng.normal(size=len(chosen))
    terms = tuple(Term(float(c), alpha) for c, alpha in zip(coefficients, chosen, strict=True))
    operator = Operator(dimension, terms)
    assert operator.is_constant
    assert not variable(operator).is_constant
    bound = sum(abs(c) * tolerance(basis, points, a) for c, a in zip(coefficients, chosen, strict=True))
    difference = basis.matrix(operator, Sites(points)) - basis.matrix(variable(operator), Sites(points))
    assert np.all(np.abs(difference) <= bound)


def test_an_operator_is_the_sum_of_its_terms(basis: RidgeBasis, points: np.ndarray, dimension: int) -> None:
    chosen = multi_indices(dimension, 4)[::2]
    coefficients = np.random.default_rng(4).normal(size=len(chosen))
    operator = Operator(dimension, tuple(Term(float(c), a) for c, a in zip(coefficients, chosen, strict=True)))
    separate = sum(c * basis.matrix(derivative(a), Sites(points)) for c, a in zip(coefficients, chosen, strict=True))
    bound = sum(abs(c) * tolerance(basis, points, a) for c, a in zip(coefficients, chosen, strict=True))
    assert np.all(np.abs(basis.matrix(operator, Sites(points)) - separate) <= bound)


def test_variable_coefficients_multiply_rows(basis: RidgeBasis, points: np.ndarray, dimension: int) -> None:
    second, mixed = (2, *[0] * (dimension - 1)), (1,) * dimension
    terms = (Term(amplitude, second), Term(-2.5, mixed), Term(lambda s: s.points[:, -1], (0,) * dimension))
    sites = Sites(points)
    expected = (
        amplitude(sites)[:, None] * basis.matrix(derivative(second), sites)
        - 2.5 * basis.matrix(derivative(mixed), sites)
        + points[:, -1:] * basis.matrix(identity(dimension), sites)
    )
    bound = 3 * sum(tolerance(basis, points, alpha) for alpha in (second, mixed, (0,) * dimension))
    assert np.all(np.abs(basis.matrix(Operator(dimension, terms), sites) - expected) <= bound)


def test_normal_derivative_is_the_gradient_along_the_normals(basis: RidgeBasis, dimension: int) -> None:
    rng = np.random.default_rng(5)
    normals = rng.normal(size=(6, dimension))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    sites = Sites(rng.uniform(-1, 1, (6, dimension)), normals)
    unit = np.eye(dimension, dtype=int)
    gradient = [basis.matrix(derivative(tuple(map(int, unit[a]))), sites) for a in range(dimension)]
    expected = sum(normals[:, a, None] * gradient[a] for a in range(dimension))
    bound = sum(tolerance(basis, sites.points, tuple(map(int, unit[a]))) for a in range(dimension))
    assert np.all(np.abs(basis.matrix(along_normal(dimension), sites) - expected) <= bound)


def test_an_operator_without_terms_is_zero(basis: RidgeBasis, points: np.ndarray, dimension: int) -> None:
    assert not np.any(basis.matrix(Operator(dimension, ()), Sites(points)))


@pytest.mark.parametrize("general", [False, True])
def test_any_slice_of_columns_is_the_same_columns(
    make_family: Callable[[int], Family], dimension: int, points: np.ndarray, general: bool
) -> None:
    basis = make_family(9).draw(dimension, np.random.default_rng(7))
    operator = derivative((2, *[0] * (dimension - 1)))
    local = localise(variable(operator) if general else operator, Sites(points))
    whole = np.empty((9, len(points)))
    basis.fill(local, slice(0, 9), whole)
    for first, last in [(0, 1), (0, 9), (2, 5), (8, 9), (4, 4)]:
        out = np.full((last - first, len(points)), np.nan)
        basis.fill(local, slice(first, last), out)
        # a matrix product of another size may round differently
        assert np.allclose(out, whole[first:last], rtol=0, atol=1e-12 * np.abs(whole).max())


def test_fill_writes_into_a_view_and_nowhere_else(basis: RidgeBasis, points: np.ndarray, dimension: int) -> None:
    board = np.full((2 * basis.size, 3 * len(points)), np.nan)
    view = board[::2, 1::3]
    basis.fill(localise(identity(dimension), Sites(points)), slice(0, basis.size), view)
    expected = basis.matrix(identity(dimension), Sites(points)).T
    assert np.allclose(view, expected, rtol=0, atol=1e-12)
    view[...] = np.nan
    assert np.all(np.isnan(board))


def test_matrix_has_sites_as_rows_and_features_as_columns(basis: RidgeBasis, dimension: int) -> None:
    assert basis.size == 9
    assert basis.dimension == dimension
    assert basis.matrix(identity(dimension), Sites(np.zeros((4, dimension)))).shape == (4, 9)
    assert basis.matrix(identity(dimension), Sites(np.zeros((0, dimension)))).shape == (0, 9)


def test_normal_derivative_on_a_disk_is_the_radial_one() -> None:
    (circle,) = Disk((0.2, -0.1), 0.7).boundary()
    sites = circle.sample(20, np.random.default_rng(0))
    basis = RidgeBasis(np.array([[3.0, -2.0]]), np.array([0.4]), COSINE)
    h = 1e-5
    center, radius = np.array([0.2, -0.1]), 0.7
    outward = (sites.points - center) / radius
    along = [basis.matrix(identity(2), Sites(sites.points + s * h * outward)) for s in (1, -1)]
    slope = (along[0] - along[1]) / (2 * h)
    assert np.allclose(basis.matrix(along_normal(2), sites), slope, rtol=0, atol=1e-8)
