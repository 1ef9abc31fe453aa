"""What is asked of a basis whatever its class: where it is singular, how fast it varies, what it is made of."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.basis import (
    COSINE,
    SINE,
    TANH,
    Basis,
    ExponentialBasis,
    JoinedBasis,
    Power,
    RidgeBasis,
    SingularBasis,
    SourceBasis,
)
from fspielm.geometry import Sites
from fspielm.problem import identity

W = np.array([[3.0, -1.0], [0.0, 0.0], [0.5, 2.0]])
B = np.array([0.1, 0.2, 0.3])
ORIGIN = np.array([0.3, -0.2])
SOURCES = np.array([[2.0, 0.0], [0.0, -2.0]])
COMPLEX = np.array([[1.0 + 2.0j, 0.0], [0.0, 0.0], [0.0, 3.0j]])

cosines = RidgeBasis(W, B, COSINE, ORIGIN)
tanh = RidgeBasis(W, B, TANH, ORIGIN)
exponentials = ExponentialBasis(COMPLEX, B, ORIGIN, [1.0, 0.0, 2.0], [1, 0, 0], W)
corner = SingularBasis((1.0, -1.0), 0.0, 1.0, [Power(2 / 3), Power(4 / 3)])
sources = SourceBasis(SOURCES, 0.0, [0.5, 0.5])
joined = JoinedBasis([corner, JoinedBasis([cosines, sources]), exponentials])
EVERY = [cosines, tanh, exponentials, corner, sources, joined]


@pytest.mark.parametrize("basis", EVERY)
def test_values_have_the_type_that_the_basis_says(basis: Basis) -> None:
    assert basis.matrix(identity(2), Sites(np.array([[0.1, 0.2]]))).dtype == basis.dtype == np.float64


@pytest.mark.parametrize("basis", EVERY)
def test_only_bases_with_singular_points_are_not_smooth(basis: Basis) -> None:
    assert basis.is_smooth == (basis in (cosines, tanh, exponentials))


def test_a_joined_basis_is_singular_where_its_parts_are() -> None:
    assert joined.corners == corner.corners == ((1.0, -1.0),)
    assert np.array_equal(joined.sources, SOURCES)
    assert sources.corners == cosines.corners == ()
    assert corner.sources.shape == cosines.sources.shape == (0, 2)


def test_frequencies_are_those_of_the_leaves_that_have_some() -> None:
    assert [leaf.frequencies is not None for leaf in joined.leaves] == [False, True, False, True]
    assert np.array_equal(tanh.frequencies, W)
    assert np.array_equal(exponentials.frequencies, COMPLEX)
    assert joined.frequencies is corner.frequencies is sources.frequencies is None


def test_a_tanh_has_frequencies_and_does_not_oscillate() -> None:
    assert [basis.oscillates for basis in EVERY] == [True, False, True, False, False, False]


def test_what_varies_is_all_but_the_functions_of_frequency_zero() -> None:
    sites = Sites(np.random.default_rng(0).uniform(-1, 1, (5, 2)))
    for basis, (varying,) in ((basis, basis.varying) for basis in (cosines, tanh, exponentials)):
        # a matrix product of another size may round differently
        assert np.allclose(varying.matrix(identity(2), sites), basis.matrix(identity(2), sites)[:, [0, 2]], rtol=1e-14)
    assert [type(basis) for basis in joined.varying] == [RidgeBasis, ExponentialBasis]
    assert corner.varying == sources.varying == RidgeBasis(np.zeros((2, 2)), np.zeros(2), COSINE).varying == ()


@pytest.mark.parametrize("activation", [COSINE, SINE])
def test_sinusoids_are_exponentials_that_do_not_fall_off(activation: object) -> None:
    waves = RidgeBasis(W, B, activation, ORIGIN)  # type: ignore[arg-type]
    sites = Sites(np.random.default_rng(0).uniform(-1, 1, (5, 2)))
    (same,) = waves.exponentials
    assert np.allclose(same.matrix(identity(2), sites), waves.matrix(identity(2), sites), rtol=0, atol=1e-14)
    assert tanh.exponentials == corner.exponentials == sources.exponentials == ()
    assert [basis.size for basis in joined.exponentials] == [3, 3]
    assert exponentials.exponentials == (exponentials,)
