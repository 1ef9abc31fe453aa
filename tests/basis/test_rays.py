"""Hankel's functions of many numbers, and functions of open domains at other wavenumbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import hankel1e

from fspielm.basis import Component, JoinedBasis
from fspielm.basis.outgoing.family import at_wavenumbers
from fspielm.basis.outgoing.multipoles import MultipoleBasis
from fspielm.basis.outgoing.radiating import HarmonicBasis, RadiatingBasis
from fspielm.errors import UnsuitableError
from fspielm.geometry import Sites
from fspielm.numerics.special import hankel_on_ray
from fspielm.problem import identity


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("k", [2 - 0.1j, 30 - 1j, 3 - 8j, 0.3 - 1e-3j, 5 + 2j, 4j])
def test_many_are_as_few(order: int, k: complex) -> None:
    r = np.concatenate([np.geomspace(1e-9, 1e-3, 300), np.random.default_rng(0).uniform(0, 4, 6000)]).reshape(30, -1)
    found, known = hankel_on_ray(order, k * r), hankel1e(order, k * r)
    assert found.shape == r.shape
    assert np.abs(found / known - 1).max() <= 2e-14


def test_one_number_many_times() -> None:
    z = np.full((2, 3000), 2 - 1j)
    np.testing.assert_allclose(hankel_on_ray(0, z), hankel1e(0, z), rtol=1e-14)


def test_the_same_places_at_other_wavenumbers() -> None:
    outer = RadiatingBasis([[0, 0], [0.1, 0.2]], [3, 0], 2.0, [1.0, 0.5])
    inner = RadiatingBasis([[2, 0]], [0], 3.0, [1.0])
    both = JoinedBasis([Component(outer, 0, 2), Component(inner, 1, 2)])
    moved = at_wavenumbers(both, (2 - 0.5j, 3 - 0.75j))
    sites = Sites(np.array([[0.3, 0.4], [0.5, -0.6]]))
    known = RadiatingBasis(outer.centers, outer.orders, 2 - 0.5j, outer.scales).matrix(identity(2), sites)
    np.testing.assert_allclose(moved.matrix(identity(2), sites)[:, : outer.size], known, rtol=0, atol=1e-13)
    known = RadiatingBasis([[2, 0]], [0], 3 - 0.75j, [1.0]).matrix(identity(2), sites)
    np.testing.assert_allclose(moved.matrix(identity(2).on(1), sites)[:, outer.size :], known, rtol=0, atol=1e-13)


@pytest.mark.parametrize("regular", [False, True])
def test_multipoles_at_other_wavenumbers(regular: bool) -> None:
    basis = MultipoleBasis([[0, 0, 0]], [2], 2.0, [1.0], regular=regular)
    moved = at_wavenumbers(basis, (1 - 1j,))
    assert isinstance(moved, MultipoleBasis)
    assert (moved.wavenumber, moved.regular) == (1 - 1j, regular)


def test_harmonic_functions_have_none() -> None:
    with pytest.raises(UnsuitableError, match="no wavenumber"):
        at_wavenumbers(HarmonicBasis([[0, 0]], [1], [1.0], [True], constant=True), (1.0,))
