"""Complex solutions: values, conjugates, moduli, derivatives and integrals against closed forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

from .conftest import LOSSY, MODES

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.6, 0.6, (50, 2))


def known(expression: sp.Expr, points: np.ndarray) -> np.ndarray:
    """Values of a known function, by NumPy."""
    return np.broadcast_to(sp.lambdify((x, y), expression)(*points.T), len(points))


def slope(function: Callable[[np.ndarray], np.ndarray], points: np.ndarray, step: float = 1e-4) -> np.ndarray:
    """The derivative along x, to fourth order."""
    ahead = np.array([step, 0.0])
    near, far = (function(points + n * ahead) - function(points - n * ahead) for n in (1, 2))
    return (8 * near - far) / (12 * step)


def test_values_and_derivatives(lossy: fs.Solution, points: np.ndarray) -> None:
    assert lossy.dtype == lossy(points).dtype == np.complex128
    assert np.abs(lossy(points) - known(LOSSY, points)).max() < 1e-9
    assert np.abs(lossy.diff(x)(points) - known(LOSSY.diff(x), points)).max() < 1e-8
    assert np.abs(lossy.gradient(points)[:, 1] - known(LOSSY.diff(y), points)).max() < 1e-8
    laplacian = known(LOSSY.diff(x, 2) + LOSSY.diff(y, 2), points)
    assert np.abs(lossy.laplacian(points) - laplacian).max() < 1e-7
    assert np.abs(lossy.residual(points)).max() < 1e-7


@pytest.mark.parametrize(
    ("expression", "of_values", "dtype"),
    [
        (u**2 + 1, lambda w: w**2 + 1, np.complex128),
        (sp.conjugate(u), np.conj, np.complex128),
        (sp.conjugate(u) * u, lambda w: np.abs(w) ** 2, np.float64),
        (sp.re(u), np.real, np.float64),
        (sp.im(u), np.imag, np.float64),
        (sp.Abs(u), np.abs, np.float64),
        (sp.Abs(u) ** 2, lambda w: np.abs(w) ** 2, np.float64),
        (sp.arg(u), np.angle, np.float64),
        (sp.sign(u), lambda w: w / np.abs(w), np.complex128),
        (sp.exp(u) * sp.sin(u), lambda w: np.exp(w) * np.sin(w), np.complex128),
        (sp.re(sp.I * u**2), lambda w: (1j * w**2).real, np.float64),
    ],
    ids=lambda one: str(one) if isinstance(one, sp.Expr) else "",
)
def test_expressions(
    lossy: fs.Solution, points: np.ndarray, expression: sp.Expr, of_values: Callable[..., np.ndarray], dtype: type
) -> None:
    derived = lossy.apply(expression)
    values = derived(points)
    assert values.dtype == dtype
    assert np.abs(values - of_values(known(LOSSY, points))).max() < 1e-8
    # derivatives along real coordinates, by differences of the closed form
    steep = slope(lambda places: of_values(known(LOSSY, places)), points)
    assert np.abs(derived.diff(x)(points) - steep).max() < 1e-7


def test_derivatives_inside(lossy: fs.Solution, points: np.ndarray) -> None:
    flux = lossy.apply(sp.im(sp.conjugate(u) * u.diff(x)))
    expected = np.imag(np.conj(known(LOSSY, points)) * known(LOSSY.diff(x), points))
    assert flux(points).dtype == np.float64
    assert np.abs(flux(points) - expected).max() < 1e-8
    written = lossy.apply(sp.conjugate(u).diff(x))
    assert np.abs(written(points) - np.conj(known(LOSSY.diff(x), points))).max() < 1e-8


def test_coordinates_stay_real(lossy: fs.Solution, points: np.ndarray) -> None:
    """Piecewise expressions and callables of the coordinates see real numbers."""
    f = sp.Function("f")

    def given(places: np.ndarray) -> np.ndarray:
        assert places.dtype == np.float64
        return np.where(places[:, 0] > 0, 2.0, 1j)

    step = sp.Piecewise((1, x > 0), (sp.I, True))
    values = known(LOSSY, points) * np.where(points[:, 0] > 0, 1, 1j)
    assert np.abs(lossy.apply(step * u)(points) - values).max() < 1e-9
    doubled = lossy.apply(f(x, y) * u, given={f: given})(points)
    assert np.abs(doubled - known(LOSSY, points) * given(points)).max() < 1e-9


def test_real_imag_and_abs(lossy: fs.Solution, points: np.ndarray) -> None:
    values = lossy(points)
    for part, expected in ((lossy.real, values.real), (lossy.imag, values.imag), (lossy.abs, np.abs(values))):
        assert part(points).dtype == np.float64
        assert part(points) == pytest.approx(expected, abs=1e-12)
        assert part.grid(7).values.dtype == np.float64
    assert lossy.real.diff(x)(points) == pytest.approx(lossy.diff(x)(points).real, abs=1e-12)
    assert lossy.abs.diff(x, 2)(points).dtype == np.float64
    assert lossy.grid(7).values.dtype == np.complex128


def test_parts_point_to_their_pictures(lossy: fs.Solution) -> None:
    with pytest.raises(AttributeError, match=r'without pictures.*part="real"'):
        lossy.real.plot()  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"Derived.*no attribute 'value'"):
        _ = lossy.real.value  # type: ignore[attr-defined]


def test_of_a_real_solution_they_are_itself(on_disk: fs.Solution, points: np.ndarray) -> None:
    values = on_disk(points)
    np.testing.assert_allclose(on_disk.real(points), values, rtol=0, atol=1e-13)
    np.testing.assert_allclose(on_disk.imag(points), 0 * values, rtol=0, atol=1e-13)
    np.testing.assert_allclose(on_disk.abs(points), np.abs(values), rtol=0, atol=1e-13)
    np.testing.assert_allclose(
        on_disk.apply(sp.conjugate(u).diff(x))(points), on_disk.diff(x)(points), rtol=0, atol=1e-13
    )


def test_integrals(lossy: fs.Solution) -> None:
    nodes = fs.Disk((0, 0), 1).quadrature(20_000)
    exact = nodes.weights @ known(LOSSY, nodes.points)
    assert lossy.integrate() == pytest.approx(exact, abs=1e-9)
    assert isinstance(lossy.integrate(), complex)
    energy = lossy.integrate(sp.Abs(u) ** 2)
    assert isinstance(energy, float)
    assert energy == pytest.approx(nodes.weights @ np.abs(known(LOSSY, nodes.points)) ** 2, rel=1e-9)
    assert lossy.real.integrate() == pytest.approx(exact.real, abs=1e-9)
    assert lossy.flux() == pytest.approx(lossy.integrate(u.diff(x, 2) + u.diff(y, 2)), rel=1e-8)
    assert lossy.flux(coefficient=1j) == pytest.approx(1j * lossy.flux(), rel=1e-9)
    assert lossy.integrate(u, on="circle") == pytest.approx(_around(LOSSY), abs=1e-9)


def _around(expression: sp.Expr) -> complex:
    angles = 2 * np.pi * np.arange(200) / 200
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    return complex(2 * np.pi * known(expression, circle).mean())


def test_several_complex_fields(modes: fs.Solution, points: np.ndarray) -> None:
    values = modes(points)
    assert values.shape == (50, 2)
    assert values.dtype == np.complex128
    for column, unknown, exact in zip(values.T, (u, v), MODES, strict=True):
        assert np.abs(column - known(exact, points)).max() < 1e-8
        assert modes[unknown](points) == pytest.approx(column, abs=1e-13)
        assert np.abs(modes[unknown].diff(y)(points) - known(exact.diff(y), points)).max() < 1e-7
        assert modes[unknown].abs(points) == pytest.approx(np.abs(column), abs=1e-12)
    mixed = modes.apply(sp.re(u * sp.conjugate(v)) + x)(points)
    assert mixed == pytest.approx(np.real(values[:, 0] * np.conj(values[:, 1])) + points[:, 0], abs=1e-12)
    assert modes.abs(points) == pytest.approx(np.abs(values), abs=1e-12)
    assert modes.residual(points).shape == (50, 2)
    assert np.abs(modes.residual(points)).max() < 1e-8
    assert modes.integrate().dtype == np.complex128
