"""Multipoles in space satisfy their equation, and behave at infinity."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as special

import fspielm as fs
from fspielm.basis import localise
from fspielm.basis.outgoing.multipoles import MultipoleBasis, harmonics, times_coordinate
from fspielm.geometry import Sites
from fspielm.problem import derivative, identity

CENTERS, ORDERS, SCALES = [[0, 0, 0], [0.3, 0.2, 0.1], [0.1, -0.4, 0.2], [0.2, 0, 0]], [5, 0, 1, 1], [1, 0.5, 0.3, 0.3]
PLACES = Sites(np.random.default_rng(0).uniform(1, 3, (30, 3)))
DIRECTIONS = PLACES.points / np.linalg.norm(PLACES.points, axis=1, keepdims=True)
STEP = 1e-5


@pytest.fixture(params=[(3.0, False), (2 + 1j, False), (2j, False), (0, False), (3.0, True), (1 + 2j, True)], ids=str)
def basis(request: pytest.FixtureRequest) -> MultipoleBasis:
    wavenumber, regular = request.param
    return MultipoleBasis(CENTERS, ORDERS, wavenumber, SCALES, regular=regular)


def test_they_satisfy_the_equation(basis: MultipoleBasis) -> None:
    second = [basis.matrix(derivative(orders), PLACES) for orders in ((2, 0, 0), (0, 2, 0), (0, 0, 2))]
    value = basis.matrix(identity(3), PLACES)
    assert np.abs(sum(second) + basis.wavenumber**2 * value).max() <= 1e-13 * np.abs(second[0]).max()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_derivatives_are_slopes(basis: MultipoleBasis, axis: int) -> None:
    orders = tuple(int(axis == other) for other in range(3))
    way = STEP * np.array(orders)
    ahead, behind = (basis.matrix(identity(3), Sites(PLACES.points + s * way)) for s in (1, -1))
    slope = basis.matrix(derivative(orders), PLACES)
    assert np.abs((ahead - behind) / (2 * STEP) - slope).max() <= 1e-7 * np.abs(slope).max()


def test_some_columns_are_those_of_all(basis: MultipoleBasis) -> None:
    local = localise(derivative((0, 1, 0)), PLACES)
    whole = basis.matrix(derivative((0, 1, 0)), PLACES)
    for columns in (slice(3, 20), slice(30, 40), slice(36, 45), slice(0, 1), slice(4, 4)):
        some = np.empty((columns.stop - columns.start, len(PLACES)), dtype=basis.dtype)
        basis.fill(local, columns, some)
        assert np.abs(some.T - whole[:, columns]).max(initial=0) <= 1e-13 * np.abs(whole).max()


def test_high_degrees_are_those_of_hankels_functions() -> None:
    k, n = 10.0, 60
    found = MultipoleBasis([[0, 0, 0]], [n], k, [1.0]).matrix(identity(3), Sites(np.array([[0.0, 0.0, 2.0]])))[0]
    far, near = (special.spherical_jn(n, r) + 1j * special.spherical_yn(n, r) for r in (2 * k, k))
    assert abs(found[n * n + n]) == pytest.approx(np.sqrt(2 * n + 1) * abs(far / near))


def test_the_far_field_is_what_is_left_far_away() -> None:
    waves, k, r = MultipoleBasis(CENTERS, ORDERS, 3.0, SCALES), 3.0, 1e6
    left = waves.matrix(identity(3), Sites(r * DIRECTIONS)) * r * np.exp(-1j * k * r)
    assert np.abs(left - waves.far_field(DIRECTIONS)).max() < 1e-4


def test_harmonics_are_orthonormal_and_a_coordinate_makes_neighbours_of_them() -> None:
    rule = fs.Ball((0, 0, 0), 1).boundary()[0].quadrature(500)
    each = harmonics(4, rule.points)
    assert np.abs((each * rule.weights) @ each.T / (4 * np.pi) - np.eye(25)).max() < 1e-13
    table = harmonics(5, DIRECTIONS)
    for axis in range(3):
        up, down = times_coordinate(4, axis)
        assert np.abs((up + down) @ table - DIRECTIONS[:, axis] * table[:25]).max() < 1e-13


def test_functions_have_a_size_where_one_vanishes_on_its_sphere() -> None:
    """At a resonance of the soft ball, of degree two: there Hankel's function is zero on it."""
    resonance = complex(np.sqrt(3) / 2, -1.5)
    basis = MultipoleBasis([[0.0, 0.0, 0.0]], [3], resonance, [1.0])
    points = np.random.default_rng(0).standard_normal((20, 3))
    points *= 1.2 / np.linalg.norm(points, axis=1, keepdims=True)
    values = basis.matrix(identity(3), Sites(points))
    assert np.all(np.isfinite(values))
    assert np.abs(values).max() < 10
