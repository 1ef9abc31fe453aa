"""Complex functions, from their rows to how strongly a residual shows."""

from __future__ import annotations

from typing import Any, final

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis import COSINE, Basis, JoinedBasis, RidgeBasis, evaluate
from fspielm.basis.basis import LocalOperator
from fspielm.basis.evaluation.direct import tabulate
from fspielm.collocation import assemble
from fspielm.collocation.system import RowBlock, check_memory
from fspielm.estimate import find_sensitivity
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, identity

RNG = np.random.default_rng(0)
FREQUENCIES = 4 * RNG.standard_normal((6, 2))
SITES = Sites(RNG.random((40, 2)))
LAPLACE = Operator(2, (Term(1.0, (2, 0)), Term(1.0, (0, 2))))


@final
class PlaneWaves(Basis):
    """``exp(i W x)``."""

    def __init__(self, W: FloatArray) -> None:
        self.W = W

    @property
    def size(self) -> int:
        return len(self.W)

    @property
    def dimension(self) -> int:
        return 2

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.complex128)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        quarter = np.full(len(self.W), -0.5 * np.pi)
        parts = [RidgeBasis(self.W, phases, COSINE) for phases in (np.zeros(len(self.W)), quarter)]
        return JoinedBasis(parts), np.concatenate([coefficients, 1j * coefficients], axis=-1)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        W = self.W[columns]
        symbol = np.prod((1j * W[:, None, :]) ** operator.orders, axis=2) @ operator.coefficients
        out[...] = symbol[:, None] * np.exp(1j * W @ operator.points.T)


@pytest.fixture(scope="module")
def waves() -> Basis:
    return PlaneWaves(FREQUENCIES)


def expected(points: FloatArray) -> ComplexArray:
    """The Laplacian of the waves."""
    return np.asarray(-np.sum(FREQUENCIES**2, axis=1) * np.exp(1j * points @ FREQUENCIES.T))


def test_rows_are_complex_and_scaled_by_their_absolute_size(waves: Basis) -> None:
    matrix = expected(SITES.points)
    np.testing.assert_allclose(waves.matrix(LAPLACE, SITES), matrix, rtol=1e-13)
    np.testing.assert_allclose(tabulate(waves, LAPLACE, SITES, threads=1), matrix, rtol=1e-13)
    system = assemble(waves, [RowBlock("equation", ((LAPLACE, SITES),), np.ones(40))], scaling="rms")
    (block,) = system.blocks
    assert block.scale == pytest.approx(1 / np.sqrt(np.mean(np.abs(matrix) ** 2)))
    np.testing.assert_allclose(system.matrix, block.scale * matrix, rtol=1e-12)
    beta = RNG.standard_normal(6) + 1j * RNG.standard_normal(6)
    assert system.residuals(beta)["equation"].largest == pytest.approx(np.abs(matrix @ beta - 1).max())


def test_complex_values_leave_a_real_matrix_real() -> None:
    real = RidgeBasis(FREQUENCIES, np.zeros(6), COSINE)
    system = assemble(real, [RowBlock("equation", ((LAPLACE, SITES),), np.full(40, 1j))])
    assert system.augmented.dtype == np.float64
    np.testing.assert_array_equal(system.imaginary, 1.0)
    np.testing.assert_array_equal(system.values, 1j)
    np.testing.assert_allclose(system.matrix, real.matrix(LAPLACE, SITES), rtol=1e-12, atol=1e-12)


def test_sums_are_complex_whatever_the_coefficients(waves: Basis) -> None:
    many = Sites(RNG.random((5000, 2)))  # enough for expansions, which know real functions alone
    for beta in (RNG.standard_normal(6), RNG.standard_normal(6) + 1j * RNG.standard_normal(6)):
        values = evaluate(waves, beta, LAPLACE, many, threads=1)
        np.testing.assert_allclose(values, expected(many.points) @ beta, rtol=1e-10, atol=1e-10)


def test_real_functions_join_them(waves: Basis) -> None:
    real = RidgeBasis(FREQUENCIES, np.zeros(6), COSINE)
    both = JoinedBasis([real, waves]).matrix(LAPLACE, SITES)
    np.testing.assert_allclose(both[:, :6], real.matrix(LAPLACE, SITES), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(both[:, 6:], waves.matrix(LAPLACE, SITES), rtol=1e-13)


def test_sensitivity_is_the_norm_with_the_adjoint(waves: Basis) -> None:
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    problem = fs.Problem(u.diff(x, 2) + u.diff(y, 2), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])
    # few columns, so that ten steps of power iteration are enough
    some = PlaneWaves(FREQUENCIES[:2])
    system = assemble(some, [RowBlock("values", ((identity(2), SITES),), np.ones(40))])
    R = np.linalg.qr(system.matrix)[1]
    found = find_sensitivity(problem, some, fs.QR().factor(system.augmented), np.random.default_rng(1), 1)
    (values,) = found.values
    exact = np.linalg.norm(values @ np.linalg.inv(R), 2) / np.sqrt(len(values))
    assert found.amplification == pytest.approx(exact, rel=0.02)
    assert np.iscomplexobj(found.null)


def test_memory_is_counted_by_the_size_of_numbers() -> None:
    assert check_memory(10, 10, 0, 1760, itemsize=16) == 1760
    with pytest.raises(fs.MemoryBudgetError, match="10 functions with 10 rows"):
        check_memory(10, 10, 0, 1759, itemsize=16)
