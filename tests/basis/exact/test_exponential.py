"""Exponentials with polynomial factors: derivatives, sizes, the equations they satisfy."""

from __future__ import annotations

from itertools import product
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import fspielm as fs
from fspielm import ProblemError
from fspielm.basis import COSINE, Basis, ExponentialBasis, JoinedBasis, RidgeBasis, localise
from fspielm.basis.exact.family import Characteristic
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, derivative, identity

EPS = np.finfo(float).eps
ORIGIN = np.array([0.3, -0.2])


@pytest.fixture
def basis() -> ExponentialBasis:
    """Waves, exponentials and what is in between, some with polynomial factors."""
    W = [[3.0, -4.0], [2j, -1j], [5 + 2j, 1 - 3j], [-4 + 1j, 2.0], [0.0, 0.0], [1 - 1j, 2 + 2j]]
    along = [[0.0, 0.0], [0.0, 0.0], [0.6, 0.8], [1.0, 0.0], [0.3, -0.4], [0.0, 1.0]]
    return ExponentialBasis(W, [0.3, 0.0, 1.2, -0.4, 0.0, 2.0], ORIGIN, np.arange(6) / 3, [0, 0, 1, 2, 3, 0], along)


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(4).uniform(-1, 1, (5, 2))


def exact(basis: ExponentialBasis, index: int) -> Any:
    """The function from its definition, of mpmath numbers."""
    w = [mp.mpc(complex(v)) for v in basis.W[index]]
    a = [mp.mpf(float(v)) for v in basis.along[index]]
    origin = [mp.mpf(float(v)) for v in basis.origin]
    b, peak, power = mp.mpf(float(basis.b[index])), mp.mpf(float(basis.peaks[index])), int(basis.powers[index])

    def function(*x: Any) -> Any:
        place = [v - o for v, o in zip(x, origin, strict=True)]
        phase = mp.fsum(c * v for c, v in zip(w, place, strict=True)) + b
        line = mp.fsum(c * v for c, v in zip(a, place, strict=True))
        return mp.re(line**power * mp.exp(1j * phase - peak))

    return function


def test_derivatives_agree_with_differentiation_of_the_definition(basis: ExponentialBasis, points: np.ndarray) -> None:
    with mp.workdps(60):
        for alpha in (a for a in product(range(5), repeat=2) if sum(a) <= 4):
            matrix = basis.matrix(derivative(alpha), Sites(points))
            for j in range(basis.size):
                for i in (0, 3):
                    place = tuple(mp.mpf(float(v)) for v in points[i])
                    value = mp.diff(exact(basis, j), place, alpha) if any(alpha) else exact(basis, j)(*place)
                    growth = np.exp(-basis.W[j].imag @ (points[i] - ORIGIN) - basis.peaks[j])
                    size = growth * (1 + np.abs(basis.W[j]).sum()) ** sum(alpha) * 4.0 ** basis.powers[j]
                    assert abs(matrix[i, j] - value) <= 200 * EPS * size, (alpha, i, j)


def test_variable_coefficients_multiply_rows(basis: ExponentialBasis, points: np.ndarray) -> None:
    sites = Sites(points)
    operator = Operator(2, (Term(lambda s: s.points[:, 0], (2, 0)), Term(-2.0, (1, 1)), Term(0.5, (0, 0))))
    expected = (
        points[:, :1] * basis.matrix(derivative((2, 0)), sites)
        - 2.0 * basis.matrix(derivative((1, 1)), sites)
        + 0.5 * basis.matrix(identity(2), sites)
    )
    assert np.allclose(basis.matrix(operator, sites), expected, rtol=1e-12, atol=1e-13)


def test_any_slice_of_columns_is_the_same_columns(basis: ExponentialBasis, points: np.ndarray) -> None:
    local = localise(derivative((2, 1)), Sites(points))
    whole = basis.matrix(derivative((2, 1)), Sites(points)).T
    for first, last in [(0, 1), (0, 2), (1, 4), (5, 6), (3, 3)]:
        out = np.full((last - first, len(points)), np.nan)
        basis.fill(local, slice(first, last), out)
        assert np.allclose(out, whole[first:last], rtol=1e-13, atol=1e-13)


def test_real_frequencies_are_cosines(points: np.ndarray) -> None:
    W, b = np.array([[3.0, -4.0], [0.5, 9.0]]), np.array([0.1, 0.7])
    exponential = ExponentialBasis(W, b, ORIGIN, [0.0, 0.0])
    cosine = RidgeBasis(W, b, COSINE, ORIGIN)
    for operator in (identity(2), derivative((1, 2))):
        assert np.allclose(
            exponential.matrix(operator, Sites(points)), cosine.matrix(operator, Sites(points)), atol=1e-12
        )


@pytest.mark.parametrize("argument", ["b", "origin", "peaks", "powers", "along"])
def test_arrays_of_other_sizes_are_refused(argument: str) -> None:
    arrays = {"b": [0.0], "origin": [0.0, 0.0], "peaks": [0.0], "powers": [0], "along": [[0.0, 0.0]]}
    ExponentialBasis([[1.0, 2.0]], **arrays)  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match=rf"{argument}.*shape.*beside W"):
        ExponentialBasis([[1.0, 2.0]], **(arrays | {argument: np.zeros(7)}))  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match=r"W must have shape \(M, d\)"):
        ExponentialBasis([1.0, 2.0], **arrays)  # type: ignore[arg-type]


def draw(problem: fs.Problem, neurons: int) -> Basis:
    axis = None if problem.domain.time is None else problem.dimension - 1
    return Characteristic(neurons).draw(problem.dimension, np.random.default_rng(3), time_axis=axis, problem=problem)


def leaves(basis: Basis) -> list[Basis]:
    return list(basis.parts) if isinstance(basis, JoinedBasis) else [basis]


def test_the_operator_annihilates_every_function(problem: fs.Problem) -> None:
    basis = draw(problem, 200)
    sites = Sites(problem.domain.sample(50, np.random.default_rng(0)))
    images = np.abs(basis.matrix(problem.operator, sites))
    sizes = sum(
        abs(term.coefficient) * np.abs(basis.matrix(derivative(term.orders), sites)).max(axis=0)  # type: ignore[arg-type]
        for term in problem.operator.terms
    )
    assert np.all(images.max(axis=0) <= 1e-10 * sizes + 1e-300)


def test_no_function_is_larger_than_one_and_all_reach_about_one(problem: fs.Problem) -> None:
    basis = draw(problem, 200)
    domain = problem.domain
    inside = domain.sample(1500, np.random.default_rng(0), "clustered")
    values = np.abs(basis.matrix(identity(problem.dimension), Sites(inside)))
    assert values.max() <= 1.1
    for leaf in leaves(basis):
        assert isinstance(leaf, RidgeBasis | ExponentialBasis)
        if isinstance(leaf, RidgeBasis):
            assert leaf.activation is COSINE


def test_very_fast_growth_does_not_overflow() -> None:
    basis = ExponentialBasis([[1e4j, 1e4]], [0.0], [0.5, 0.5], [5e3])
    values = basis.matrix(identity(2), Sites(np.random.default_rng(0).uniform(0, 1, (100, 2))))
    assert np.all(np.isfinite(values))
    assert np.abs(values).max() <= 1.0
    far = basis.matrix(derivative((2, 2)), Sites(np.array([[-50.0, 7.0]])))
    assert np.all(np.isfinite(far))
