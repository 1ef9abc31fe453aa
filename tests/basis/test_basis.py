"""Bases by hand: what they keep, what they refuse, and several side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fspielm import ProblemError
from fspielm.basis import COSINE, SINE, TANH, Activation, JoinedBasis, RidgeBasis, localise
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, along_normal, derivative, identity

POINTS = np.random.default_rng(0).uniform(-1, 1, (6, 2))
OPERATORS = {
    "identity": identity(2),
    "mixed": derivative((1, 2)),
    "laplace": Operator(2, (Term(1.0, (2, 0)), Term(1.0, (0, 2)))),
    "variable": Operator(2, (Term(lambda s: s.points[:, 0], (1, 1)), Term(2.0, (0, 0)))),
}


def ridge(size: int, seed: int, activation: Activation = COSINE, dimension: int = 2) -> RidgeBasis:
    rng = np.random.default_rng(seed)
    return RidgeBasis(5 * rng.normal(size=(size, dimension)), rng.normal(size=size), activation)


class Counting(Activation):
    """Counts how often it is evaluated."""

    def __init__(self, inner: Activation) -> None:
        self.inner, self.orders = inner, list[int]()

    def shape(self, order: int) -> tuple[int, float]:
        return self.inner.shape(order)

    def derivative(self, z: Any, order: int) -> Any:
        self.orders.append(order)
        return self.inner.derivative(z, order)


def test_an_operator_costs_one_evaluation_per_shape() -> None:
    terms = tuple(Term(1.0, (a, b)) for a in range(3) for b in range(3))
    sinusoid, tanh = Counting(COSINE), Counting(TANH)
    for activation in (sinusoid, tanh):
        ridge(4, 0, activation).matrix(Operator(2, terms), Sites(POINTS))
    assert sinusoid.orders == [0, 1]
    assert tanh.orders == [0, 1, 2, 3, 4]


def test_constant_coefficients_cost_one_cosine_per_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[int] = []
    cosine = np.cos

    def counting(z: Any, **options: Any) -> Any:
        evaluated.append(np.size(z))
        return cosine(z, **options)

    def forbidden(*_: Any, **__: Any) -> Any:
        raise AssertionError("a sine beside the cosine")

    monkeypatch.setattr(np, "cos", counting)
    monkeypatch.setattr(np, "sin", forbidden)
    terms = tuple(Term(1.0, (a, b)) for a in range(3) for b in range(3))
    for activation in (COSINE, SINE):
        evaluated.clear()
        ridge(4, 0, activation).matrix(Operator(2, terms), Sites(POINTS))
        assert evaluated == [4 * len(POINTS)]


def test_a_basis_keeps_copies_that_cannot_be_changed() -> None:
    W, b = np.ones((3, 2)), np.zeros(3)
    basis = RidgeBasis(W, b, COSINE)
    W[0, 0] = b[0] = 5  # the caller's arrays stay the caller's
    assert basis.W[0, 0] == 1
    assert basis.b[0] == 0
    for array in (basis.W, basis.b):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@pytest.mark.parametrize(("W", "b"), [((3, 2), (2,)), ((3,), (3,)), ((3, 2), (3, 1)), ((2, 3, 1), (2,))])
def test_refuses_frequencies_and_phases_that_do_not_fit(W: tuple[int, ...], b: tuple[int, ...]) -> None:
    with pytest.raises(ProblemError, match=r"W must have shape.*b shape"):
        RidgeBasis(np.zeros(W), np.zeros(b), COSINE)


def test_refuses_an_operator_of_another_dimension() -> None:
    with pytest.raises(ProblemError, match=r"1 coordinates.*points have 2"):
        ridge(3, 0).matrix(derivative((2,)), Sites(POINTS))


def test_refuses_a_normal_derivative_away_from_the_boundary() -> None:
    with pytest.raises(ValueError, match="needs sites on a boundary"):
        ridge(3, 0).matrix(along_normal(2), Sites(POINTS))


# --- joined bases -------------------------------------------------------------------------------


@pytest.fixture
def parts() -> list[RidgeBasis]:
    return [ridge(4, 1), ridge(1, 2, TANH), ridge(3, 3, SINE)]


@pytest.mark.parametrize("name", OPERATORS)
def test_joined_bases_stand_side_by_side(parts: list[RidgeBasis], name: str) -> None:
    joined = JoinedBasis(parts)
    expected = np.hstack([part.matrix(OPERATORS[name], Sites(POINTS)) for part in parts])
    assert (joined.size, joined.dimension) == (8, 2)
    assert np.array_equal(joined.matrix(OPERATORS[name], Sites(POINTS)), expected)


@pytest.mark.parametrize("name", OPERATORS)
def test_any_slice_of_joined_columns(parts: list[RidgeBasis], name: str) -> None:
    joined = JoinedBasis([parts[0], JoinedBasis(parts[1:])])
    local = localise(OPERATORS[name], Sites(POINTS))
    whole = joined.matrix(OPERATORS[name], Sites(POINTS))
    for first in range(joined.size + 1):
        for last in range(first, joined.size + 1):
            out = np.full((last - first, len(POINTS)), np.nan)
            joined.fill(local, slice(first, last), out)
            assert np.allclose(out.T, whole[:, first:last], rtol=0, atol=1e-12 * np.abs(whole).max())


def test_refuses_to_join_nothing_or_different_dimensions() -> None:
    with pytest.raises(ProblemError, match=r"same dimension.*\[\]"):
        JoinedBasis([])
    with pytest.raises(ProblemError, match=r"got dimensions \[2, 3\]"):
        JoinedBasis([ridge(2, 0), ridge(2, 0, dimension=3)])


# --- local operators ----------------------------------------------------------------------------


def test_coefficients_are_evaluated_once_and_frozen() -> None:
    calls: list[int] = []

    def coefficient(sites: Sites) -> np.ndarray:
        calls.append(len(sites))
        return sites.points[:, 1]

    operator = Operator(2, (Term(coefficient, (1, 0)), Term(3.0, (0, 0))))
    local = localise(operator, Sites(POINTS))
    basis, out = ridge(5, 0), np.empty((1, len(POINTS)))
    for j in range(5):
        basis.fill(local, slice(j, j + 1), out)
    assert calls == [len(POINTS)]
    assert not local.is_constant
    assert np.array_equal(local.coefficients, [POINTS[:, 1], np.full(6, 3.0)])
    assert local.orders.tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("name", OPERATORS)
def test_selecting_points_selects_rows(name: str) -> None:
    basis, local = ridge(5, 0), localise(OPERATORS[name], Sites(POINTS))
    whole, some = np.empty((5, 6)), np.empty((5, 3))
    basis.fill(local, slice(0, 5), whole)
    basis.fill(local.select(slice(2, 5)), slice(0, 5), some)
    assert np.allclose(some, whole[:, 2:5], rtol=0, atol=1e-12 * np.abs(whole).max())
