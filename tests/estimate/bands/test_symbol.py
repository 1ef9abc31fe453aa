"""The waves that an equation itself carries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

from fspielm.estimate import symbol_band
from fspielm.geometry import Box, Domain, Sites
from fspielm.problem import Unknown
from fspielm.problem.linear import read_equation
from fspielm.problem.setting import Setting
from fspielm.problem.substitutions import Substitutions

x, y, z, t = sp.symbols("x y z t")


def waves(
    expression: Callable[[sp.Expr], sp.Expr],
    coordinates: tuple[sp.Symbol, ...],
    bands: list[float],
    side: float = 1.0,
) -> list[float]:
    """The symbol's band of an operator on a box, given the data's bands."""
    u = sp.Function("u")(*coordinates)
    domain: Domain = Box((0,) * len(coordinates), (side,) * len(coordinates))
    operator = read_equation(expression(u), Setting((Unknown(u, domain),), Substitutions(), domain)).operator
    sites = Sites(domain.sample(512, np.random.default_rng(0), "low-discrepancy"))
    return symbol_band(operator, sites, np.array(bands)).tolist()


def laplace(u: sp.Expr, *coordinates: sp.Symbol) -> sp.Expr:
    return sum(u.diff(s, 2) for s in coordinates)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("coordinates", [(x,), (x, y), (x, y, z)])
def test_helmholtz_has_its_wavenumber_on_every_axis(coordinates: tuple[sp.Symbol, ...], sign: int) -> None:
    found = waves(lambda u: sign * (laplace(u, *coordinates) + 75**2 * u), coordinates, [0.0] * len(coordinates))
    assert found == pytest.approx([75.0] * len(coordinates))


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e6, 1e9])
def test_units_do_not_matter(unit: float) -> None:
    found = waves(lambda u: laplace(u, x, y) + (75 / unit) ** 2 * u, (x, y), [0.0, 0.0], unit)
    assert np.array(found) * unit == pytest.approx([75, 75])
    found = waves(lambda u: u.diff(t, 2) - 9 * laplace(u, x), (x, t), [20.0 / unit, 0.0], unit)
    assert np.array(found) * unit == pytest.approx([0.0, 60.0])


def test_data_do_not_widen_what_helmholtz_carries() -> None:
    assert waves(lambda u: laplace(u, x, y) + 75**2 * u, (x, y), [50.0, 200.0]) == pytest.approx([75.0, 75.0])


def test_laplace_and_the_screened_poisson_equation_carry_none() -> None:
    assert waves(lambda u: laplace(u, x, y), (x, y), [40.0, 0.0]) == [0, 0]
    assert waves(lambda u: laplace(u, x, y) - 900 * u, (x, y), [40.0, 40.0]) == [0, 0]


def test_waves_run_on_the_cone() -> None:
    def wave(u: sp.Expr) -> sp.Expr:
        return u.diff(t, 2) - 9 * laplace(u, x)

    assert waves(wave, (x, t), [20.0, 0.0]) == pytest.approx([0.0, 60.0])
    assert waves(wave, (x, t), [0.0, 60.0]) == pytest.approx([20.0, 0.0])


def test_waves_in_two_dimensions_use_both_of_them() -> None:
    found = waves(lambda u: u.diff(t, 2) - laplace(u, x, y), (x, y, t), [30.0, 40.0, 0.0])
    assert found[2] == pytest.approx(50.0)


def test_klein_gordon_runs_on_its_shell() -> None:
    found = waves(lambda u: u.diff(t, 2) - laplace(u, x) + 144 * u, (x, t), [5.0, 13.0])
    assert found == pytest.approx([5.0, 13.0])
    # at rest it still oscillates with its mass
    assert waves(lambda u: u.diff(t, 2) - laplace(u, x) + 144 * u, (x, t), [0.0, 0.0])[1] == pytest.approx(12.0)


def test_heat_carries_none() -> None:
    assert waves(lambda u: u.diff(t) - laplace(u, x) / 100, (x, t), [62.0, 0.0]) == [0, 0]


def test_advection_carries_what_it_is_given() -> None:
    def advection(u: sp.Expr) -> sp.Expr:
        return u.diff(t) + 3 * u.diff(x)

    assert waves(advection, (x, t), [20.0, 0.0]) == pytest.approx([0.0, 60.0])
    assert waves(advection, (x, t), [0.0, 60.0]) == pytest.approx([20.0, 0.0])


def test_advection_diffusion_carries_what_diffusion_leaves() -> None:
    def equation(u: sp.Expr) -> sp.Expr:
        return u.diff(t) + 4 * u.diff(x) - laplace(u, x) / 100

    # 4 w oscillates, w^2 / 100 decays: slower up to w = 400
    assert waves(equation, (x, t), [100.0, 0.0])[1] == pytest.approx(400.0)
    assert waves(lambda u: u.diff(t) + 4 * u.diff(x) - laplace(u, x), (x, t), [100.0, 0.0])[1] == 0


def test_plates_vibrate_with_the_square() -> None:
    def biharmonic(u: sp.Expr) -> sp.Expr:
        return laplace(laplace(u, x, y), x, y)

    assert waves(biharmonic, (x, y), [30.0, 30.0]) == [0, 0]
    assert waves(lambda u: biharmonic(u) - 20**4 * u, (x, y), [0.0, 0.0]) == pytest.approx([20.0, 20.0])
    assert waves(lambda u: u.diff(t, 2) + u.diff(x, 4), (x, t), [9.0, 0.0])[1] == pytest.approx(81.0)


def test_dispersive_and_schroedinger_like_orders() -> None:
    assert waves(lambda u: u.diff(t) + u.diff(x, 3), (x, t), [4.0, 0.0])[1] == pytest.approx(64.0)


def test_damped_waves_count_while_they_oscillate_faster_than_they_decay() -> None:
    found = waves(lambda u: u.diff(t, 2) + u.diff(t) - laplace(u, x), (x, t), [30.0, 0.0])
    assert found[1] == pytest.approx(np.sqrt(30**2 - 0.25), rel=1e-6)


def test_variable_coefficients_are_frozen_at_their_extremes() -> None:
    kappa = 20 * sp.pi * (1 + sp.sin(2 * sp.pi * x) / 2)
    assert waves(lambda u: laplace(u, x, y) + kappa**2 * u, (x, y), [0.0, 0.0]) == pytest.approx(
        [30 * np.pi, 30 * np.pi], rel=1e-3
    )
    # the slowest medium has the highest wavenumber
    speed = 1 + 3 * y
    found = waves(lambda u: speed * laplace(u, x, y) + 400 * u, (x, y), [0.0, 0.0])
    assert found == pytest.approx([20.0, 20.0], rel=0.01)


def test_an_axis_without_derivatives_has_no_wave_along_it() -> None:
    assert waves(lambda u: u.diff(x, 2) + 25 * u, (x, y), [0.0, 0.0]) == pytest.approx([5.0, 0.0])


def test_a_coefficient_that_vanishes_somewhere_is_no_trouble() -> None:
    found = waves(lambda u: x * u.diff(x, 2) + u.diff(y, 2) + 100 * u, (x, y), [0.0, 0.0])
    assert found[1] == pytest.approx(10.0)
    assert np.isfinite(found[0])
