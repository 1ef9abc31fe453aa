"""Bases for one of several unknowns."""

from __future__ import annotations

import numpy as np
import pytest

import fspielm as fs
from fspielm.basis import COSINE, Basis, Component, JoinedBasis, Power, RidgeBasis, SingularBasis, evaluate
from fspielm.basis.evaluation.direct import tabulate
from fspielm.collocation import assemble
from fspielm.collocation.system import RowBlock
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, derivative, identity

RNG = np.random.default_rng(0)
POINTS = Sites(RNG.random((7, 2)))
DIVERGENCE = Operator(2, (Term(1.0, (1, 0), 0), Term(lambda sites: sites.points[:, 1], (0, 1), 1)))


def drawn(size: int) -> RidgeBasis:
    return RidgeBasis(RNG.standard_normal((size, 2)), RNG.standard_normal(size), COSINE)


@pytest.fixture(scope="module")
def fields() -> tuple[Basis, Basis]:
    return drawn(5), drawn(3)


@pytest.fixture(scope="module")
def both(fields: tuple[Basis, Basis]) -> Basis:
    return JoinedBasis([Component(basis, unknown, 2) for unknown, basis in enumerate(fields)])


def test_each_term_is_on_its_unknown(fields: tuple[Basis, Basis], both: Basis) -> None:
    first, second = fields
    expected = np.hstack(
        [
            first.matrix(derivative((1, 0)), POINTS),
            POINTS.points[:, 1:] * second.matrix(derivative((0, 1)), POINTS),
        ]
    )
    np.testing.assert_allclose(both.matrix(DIVERGENCE, POINTS), expected, rtol=1e-14, atol=1e-14)
    assert (both.size, both.dimension, both.components, both.dtype) == (8, 2, 2, np.float64)


def test_what_an_operator_leaves_out_is_zero(fields: tuple[Basis, Basis], both: Basis) -> None:
    matrix = both.matrix(identity(2), POINTS)
    np.testing.assert_allclose(matrix[:, :5], fields[0].matrix(identity(2), POINTS), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(matrix[:, 5:], 0.0)


def test_systems_are_assembled_of_them(both: Basis) -> None:
    system = assemble(both, [RowBlock("divergence", ((DIVERGENCE, POINTS),), np.zeros(7))], threads=2)
    np.testing.assert_array_equal(system.matrix, both.matrix(DIVERGENCE, POINTS))


def test_they_are_evaluated_as_they_are_assembled(both: Basis) -> None:
    coefficients = RNG.standard_normal(8)
    many = Sites(RNG.random((5000, 2)))  # enough for expansions, which know single unknowns alone
    for method in ("auto", "direct", "tiles"):
        values = evaluate(both, coefficients, DIVERGENCE, many, threads=1, method=method)
        np.testing.assert_allclose(values, both.matrix(DIVERGENCE, many) @ coefficients, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(tabulate(both, DIVERGENCE, POINTS, threads=1), both.matrix(DIVERGENCE, POINTS))


def test_what_is_asked_of_a_basis_is_answered_for_its_functions() -> None:
    constant = RidgeBasis(np.zeros((1, 2)), np.zeros(1), COSINE)
    corner = SingularBasis((0.0, 0.0), 0.0, 1.0, [Power(0.5)])
    component = Component(JoinedBasis([constant, drawn(2), corner]), 1, 2)
    assert [leaf.size for leaf in component.leaves] == [1, 2, 2]
    assert all(isinstance(leaf, Component) and leaf.unknown == 1 for leaf in component.leaves)
    assert [leaf.oscillates for leaf in component.leaves] == [True, True, False]
    assert [(basis.size, basis.components) for basis in component.varying] == [(2, 2)]
    assert component.corners == ((0.0, 0.0),)
    single = Component(drawn(2), 0, 2)
    assert single.leaves == (single,)


def test_functions_for_fewer_unknowns_are_refused(fields: tuple[Basis, Basis]) -> None:
    with pytest.raises(fs.ProblemError, match=r"operator.*2 unknowns.*for 1"):
        fields[0].matrix(DIVERGENCE, POINTS)
    with pytest.raises(fs.ProblemError, match=r"same unknowns.*\[1, 2\]"):
        JoinedBasis([fields[0], Component(fields[1], 1, 2)])
    with pytest.raises(fs.ProblemError, match=r"unknown.*one of.*2$"):
        Component(fields[0], 2, 2)
    with pytest.raises(fs.ProblemError, match=r"basis.*single unknown.*2"):
        Component(Component(fields[0], 0, 2), 0, 2)
