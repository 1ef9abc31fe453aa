"""Functions of corners: derivatives, the equations they satisfy, what happens at the corner itself."""

from __future__ import annotations

from itertools import product

import mpmath as mp
import numpy as np
import pytest

from fspielm import ProblemError
from fspielm.basis import CornerFunction, Power, SingularBasis, Wave, localise
from fspielm.basis.singular import outgoing
from fspielm.basis.singular.outgoing import Outgoing
from fspielm.basis.singular.singular import Angle, Polar
from fspielm.geometry import Sites
from fspielm.numerics.special import iv_by_order, jv_by_order
from fspielm.problem import Operator, Term, derivative, identity

CORNER, AXIS, SCALE = (0.2, -0.1), 0.7, 1.7
FUNCTIONS: list[CornerFunction] = [
    Power(2 / 3),
    Power(7 / 3, 2),
    Power(2, 0, True),
    Power(3, 1, True),
    Wave(2 / 3, 9.0),
    Wave(2 / 3, 9.0, turn=np.pi),
    Wave(10.0, 4.0),
    Wave(4 / 3, 5.0, True),
    Wave(2, 30.0, False, True),
    Wave(4, 5.0, False, True),
    Wave(2, 7.0, True, True),
    Power(-3),
    Outgoing(0, 3.0),
    Outgoing(4, 9.0),
    Outgoing(3, 2.0, True),
    Angle(),
    Angle(6.0),
    Angle(3.0, True),
]
LAPLACIAN = Operator(2, (Term(1.0, (2, 0)), Term(1.0, (0, 2))))


def basis(*functions: CornerFunction) -> SingularBasis:
    return SingularBasis(CORNER, AXIS, SCALE, functions)


@pytest.fixture
def points() -> np.ndarray:
    """Points around the corner, off the ray across which the functions jump."""
    rng = np.random.default_rng(3)
    angles, radii = AXIS + rng.uniform(-2.5, 2.5, 12), rng.uniform(0.1, 1.5, 12)
    return np.array(CORNER) + radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def values(function: CornerFunction, points: np.ndarray) -> np.ndarray:
    return basis(function).matrix(identity(2), Sites(points))


@pytest.mark.parametrize("function", FUNCTIONS, ids=repr)
@pytest.mark.parametrize("orders", [o for o in product(range(4), repeat=2) if 0 < sum(o) <= 4], ids=str)
def test_every_derivative_is_the_slope_of_the_one_below(
    function: CornerFunction, orders: tuple[int, int], points: np.ndarray
) -> None:
    axis = 0 if orders[0] else 1
    below = tuple(o - (i == axis) for i, o in enumerate(orders))
    columns = basis(function)
    h = 1e-3 * np.eye(2)[axis]
    # a sixth-order central difference
    slope = (
        sum(
            weight
            * (
                columns.matrix(derivative(below), Sites(points + k * h))
                - columns.matrix(derivative(below), Sites(points - k * h))
            )
            for k, weight in ((1, 0.75), (2, -0.15), (3, 1 / 60))
        )
        / 1e-3
    )
    exact = columns.matrix(derivative(orders), Sites(points))
    assert np.abs(exact - slope).max() <= 2e-6 * np.abs(exact).max()


@pytest.mark.parametrize("function", [Power(2 / 3), Power(5.5), Power(2, 0, True), Power(-2), Angle()], ids=repr)
def test_powers_are_harmonic(function: CornerFunction, points: np.ndarray) -> None:
    assert np.abs(basis(function).matrix(LAPLACIAN, Sites(points))).max() < 1e-12


@pytest.mark.parametrize(
    "function", [f for f in FUNCTIONS if isinstance(f, Wave | Outgoing | Angle) and f != Angle()], ids=repr
)
def test_waves_satisfy_their_equation(function: Wave | Outgoing | Angle, points: np.ndarray) -> None:
    k2 = (function.wavenumber / SCALE) ** 2 * (1 if function.modified else -1)
    equation = Operator(2, (*LAPLACIAN.terms, Term(-k2, (0, 0))))
    rows = basis(function).matrix(equation, Sites(points))
    assert np.abs(rows).max() <= 1e-10 * abs(k2) * np.abs(values(function, points)).max()


def test_a_power_is_r_to_the_s(points: np.ndarray) -> None:
    x, y = (points - np.array(CORNER)).T
    r, theta = np.hypot(x, y) / SCALE, np.angle((x + 1j * y) * np.exp(-1j * AXIS))
    expected = np.column_stack([r**1.5 * np.cos(1.5 * theta), r**1.5 * np.sin(1.5 * theta)])
    np.testing.assert_allclose(values(Power(1.5), points), expected, rtol=0, atol=1e-14)


def test_the_angle_is_measured_from_the_axis(points: np.ndarray) -> None:
    x, y = (points - np.array(CORNER)).T
    theta = np.angle((x + 1j * y) * np.exp(-1j * AXIS))
    np.testing.assert_allclose(values(Angle(), points), theta[:, None], rtol=0, atol=1e-14)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if not isinstance(f, Outgoing) and f != Power(-3)], ids=repr)
def test_at_the_corner_itself_every_function_is_zero(function: CornerFunction) -> None:
    assert np.abs(values(function, np.array([CORNER]))).max() < 1e-12


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if isinstance(f, Wave) and not f.logarithm], ids=repr)
def test_waves_of_any_order_have_size_one(function: Wave) -> None:
    radii = np.linspace(0.01, 1, 300) * SCALE
    along = np.array(CORNER) + radii[:, None] * np.array([np.cos(AXIS), np.sin(AXIS)])
    assert np.abs(values(function, along)[:, 0]).max() == pytest.approx(1.0, rel=1e-2)


def test_variable_coefficients_and_slices_of_columns(points: np.ndarray) -> None:
    columns = basis(*FUNCTIONS)
    operator = Operator(2, (Term(lambda sites: 1 + sites.points[:, 0] ** 2, (1, 1)), Term(-3.0, (0, 1))))
    sites = Sites(points)
    expected = (1 + points[:, :1] ** 2) * columns.matrix(derivative((1, 1)), sites) - 3 * columns.matrix(
        derivative((0, 1)), sites
    )
    np.testing.assert_allclose(columns.matrix(operator, sites), expected, rtol=1e-12, atol=1e-12)
    piece = np.empty((5, len(points)))
    columns.fill(localise(operator, sites), slice(3, 8), piece)
    np.testing.assert_allclose(piece, columns.matrix(operator, sites).T[3:8], rtol=0, atol=1e-13)


def test_the_logarithm_has_no_angle_beside_it(points: np.ndarray) -> None:
    columns = basis(Power(0, 0, True), Power(-1), Outgoing(0, 2.0))
    assert columns.size == 4
    radii = np.linalg.norm(points - np.array(CORNER), axis=1) / SCALE
    np.testing.assert_allclose(columns.matrix(identity(2), Sites(points))[:, 0], np.log(radii), atol=1e-14)


def test_no_functions_are_refused() -> None:
    with pytest.raises(ProblemError, match=r"one corner function.*none"):
        basis()


@pytest.mark.parametrize("order", [0, 1, 2, 5, 8, -1, -3])
def test_derivatives_by_the_order_against_mpmath(order: int) -> None:
    z = np.array([0.01, 0.3, 2.0, 5.9, 6.1, 15.0, 50.0])
    for ours, theirs in ((jv_by_order, mp.besselj), (iv_by_order, mp.besseli)):
        with mp.workdps(60):
            exact = [float(mp.diff(lambda v, q=q, f=theirs: f(v, mp.mpf(float(q))), order)) for q in z]
        np.testing.assert_allclose(ours(order, z), exact, rtol=1e-9)


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_derivatives_together_have_the_bits_of_each_alone(function: CornerFunction, points: np.ndarray) -> None:
    zeta = basis(function).zeta(points)
    orders = [(0, 0), (1, 1), (2, 0), (0, 1), (1, 0)]
    shared = Polar(zeta)
    for both in orders:
        assert np.array_equal(function.derivative(shared, *both), function.derivative(Polar(zeta), *both))


def test_the_equation_of_helmholtz_needs_each_bessel_function_once(
    points: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    original = outgoing._oscillating
    monkeypatch.setattr(outgoing, "_oscillating", lambda n, z: asked.append(np.size(z)) or original(n, z))
    helmholtz = LAPLACIAN + Operator(2, (Term(9.0, (0, 0)),))
    basis(Outgoing(4, 9.0), Outgoing(5, 9.0)).matrix(helmholtz, Sites(points))
    assert asked.count(len(points)) == 2
