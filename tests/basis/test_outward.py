"""Functions of open domains satisfy their equation, behave at infinity, and are placed in objects."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as special
import sympy as sp

import fspielm as fs
from fspielm.basis import evaluate
from fspielm.basis.outgoing.placement import Wanted, continue_inward, merged, place_in
from fspielm.basis.outgoing.radiating import HarmonicBasis, RadiatingBasis
from fspielm.geometry import Sites
from fspielm.problem import derivative, identity

CENTERS, ORDERS, SCALES = [[0.0, 0.0], [0.3, 0.2], [0.1, -0.4]], [6, 0, 1], [1.0, 0.5, 0.3]
PLACES = Sites(np.random.default_rng(0).uniform(1, 3, (40, 2)))
STEP = 1e-5


@pytest.fixture(params=[3.0, 2 + 1j, 2j], ids=["waves", "damped", "decaying"])
def radiating(request: pytest.FixtureRequest) -> RadiatingBasis:
    return RadiatingBasis(CENTERS, ORDERS, request.param, SCALES)


def test_waves_satisfy_helmholtz_equation(radiating: RadiatingBasis) -> None:
    xx, yy, value = (radiating.matrix(derivative(orders), PLACES) for orders in ((2, 0), (0, 2), (0, 0)))
    assert np.abs(xx + yy + radiating.wavenumber**2 * value).max() <= 1e-13 * np.abs(xx).max()


@pytest.mark.parametrize("axis", [0, 1])
def test_derivatives_are_slopes(radiating: RadiatingBasis, axis: int) -> None:
    orders = (1 - axis, axis)
    way = STEP * np.array(orders)
    ahead, behind = (radiating.matrix(identity(2), Sites(PLACES.points + s * way)) for s in (1, -1))
    slope = radiating.matrix(derivative(orders), PLACES)
    assert np.abs((ahead - behind) / (2 * STEP) - slope).max() <= 1e-7 * np.abs(slope).max()


def test_the_orders_are_those_of_hankels_functions() -> None:
    k = 3.0
    r, theta = np.hypot(*PLACES.points.T), np.arctan2(*PLACES.points.T[::-1])
    found = RadiatingBasis([[0, 0]], [2], k, [1.0]).matrix(identity(2), PLACES)
    for column, n in enumerate((0, 1, -1, 2, -2)):
        known = special.hankel1(n, k * r) * np.exp(1j * n * theta) / abs(special.hankel1(n, k))
        assert np.abs(found[:, column] - known).max() < 1e-14


def test_high_orders_neither_overflow_nor_lose_digits() -> None:
    radius = np.array([1.0, 1.1, 2.0])
    found = RadiatingBasis([[0, 0]], [150], 0.01, [1.0]).matrix(
        identity(2), Sites(np.column_stack([radius, 0 * radius]))
    )
    assert np.abs(found[:, -2]) == pytest.approx(radius**-150.0, rel=1e-4)  # nearly harmonic


def test_the_far_field_is_what_is_left_far_away() -> None:
    basis, k, r = RadiatingBasis(CENTERS, ORDERS, 3.0, SCALES), 3.0, 1e6
    angles = np.linspace(0, 6, 7)
    there = Sites(r * np.column_stack([np.cos(angles), np.sin(angles)]))
    left = basis.matrix(identity(2), there) * np.sqrt(r) * np.exp(-1j * k * r)
    assert np.abs(left / basis.far_field(angles) - 1).max() < 1e-4


def test_sums_of_waves_are_those_of_the_matrix() -> None:
    basis = RadiatingBasis(CENTERS, ORDERS, 3.0, SCALES)
    coefficients = np.random.default_rng(1).standard_normal(basis.size) * (1 + 2j)
    found = evaluate(basis, coefficients, derivative((1, 0)), PLACES, threads=1)
    assert np.abs(found - basis.matrix(derivative((1, 0)), PLACES) @ coefficients).max() < 1e-11


def test_harmonic_functions_are_harmonic_and_vanish_far_away() -> None:
    basis = HarmonicBasis(CENTERS, [3, 0, 1], SCALES, [True, True, False])
    assert basis.size == 1 + 1 + 6 + 2
    xx, yy = (basis.matrix(derivative(orders), PLACES) for orders in ((2, 0), (0, 2)))
    assert np.abs(xx + yy).max() <= 1e-12 * np.abs(xx).max()
    far = basis.matrix(identity(2), Sites(np.array([[1e9, 2e9]])))[0]
    assert far[0] == 1.0
    assert np.abs(far[1:]).max() < 1e-8


def test_a_smooth_curve_is_continued_up_to_its_first_singularity() -> None:
    t = sp.Symbol("t")
    (loop,) = fs.Exterior(fs.PolarCurve(1 + sp.Rational(3, 10) * sp.cos(3 * t))).loops
    continued = continue_inward(loop[0])
    assert continued is not None
    assert continued.deepest == pytest.approx(0.45, abs=0.02)  # where 1 + 0.6 w^3 - 0.3 w^-3 = 0
    points, depths = continued.at_depth(0.1, 50)
    assert np.hypot(*points.T).max() < 1.3
    assert depths.min() > 0.05


def test_a_disk_has_multipoles_and_a_square_poles_at_its_corners() -> None:
    domain = fs.Exterior(fs.Disk((0, 0), 1), fs.Box((2, 0), (3, 1)))
    placed = merged(place_in(domain.loops, domain.corners(), Wanted(5.0, 8.0)))
    assert placed.orders[0] > 10
    assert set(placed.orders[1:]) == {0, 1}
    assert not domain.contains(placed.centers[placed.orders != 1]).any()
    poles = placed.centers[placed.orders == 1]
    nearest = np.min([np.hypot(*(poles - corner.point).T) for corner in domain.corners()], axis=0)
    assert nearest.min() < 1e-5
