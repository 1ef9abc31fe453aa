"""Bessel functions from tables against SciPy's, and the waves made of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import special

from fspielm.basis import COSINE, Power, RidgeBasis, SingularBasis, Wave
from fspielm.basis.singular.singular import Angle, Polar
from fspielm.basis.singular.tabulated import RadialTable, with_tables
from fspielm.geometry import Sites
from fspielm.numerics.special import iv_by_order, jv_by_order
from fspielm.problem import derivative, identity

LOWER, UPPER = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
WAVES = [
    Wave(2 / 3, 30.0),
    Wave(2 / 3, 30.0, turn=1.3),
    Wave(34 / 3, 30.0),
    Wave(0, 30.0, logarithm=True),
    Wave(6, 30.0, logarithm=True),
]
MODIFIED = [Wave(2 / 3, 30.0, True), Wave(34 / 3, 30.0, True), Wave(4, 30.0, True, logarithm=True)]


@pytest.mark.parametrize(
    "function",
    [
        partial(special.jv, 2 / 3),
        partial(special.jv, -4 / 3),
        partial(special.jv, 38 / 3),
        partial(special.jv, 0),
        partial(jv_by_order, 0),
        partial(jv_by_order, 5),
        partial(special.iv, 2 / 3),
        partial(iv_by_order, 3),
    ],
)
def test_a_table_holds_all_digits(function: Any) -> None:
    table = RadialTable([function], 70.0)
    radius = np.concatenate([np.geomspace(1e-12, 70, 5000), table.ends, [80.0]])
    exact = function(radius)
    # beside its zeros a function that oscillates is rounded by its amplitude
    amplitude = np.sqrt(2 / (np.pi * np.maximum(radius, 1))) if np.abs(exact[-1]) < 1 else 0.0
    assert (np.abs(table(radius)[0] - exact) / np.maximum(np.abs(exact), amplitude)).max() <= 2e-13


def test_radii_beyond_the_table_are_computed() -> None:
    table = RadialTable([special.j0, special.j1], 5.0)
    radius = np.array([12.0, 1e-9, 3.0, 0.0, 5.0])
    assert np.allclose(table(radius), [special.j0(radius), special.j1(radius)], rtol=0, atol=1e-15)
    assert np.array_equal(table(radius)[:, [0, 1, 3]], [f(radius[[0, 1, 3]]) for f in (special.j0, special.j1)])
    assert table(np.empty(0)).shape == (2, 0)


def test_functions_of_one_table_have_the_values_of_their_own() -> None:
    orders = [2 / 3, 5 / 3, 12.0]
    radius = np.random.default_rng(0).uniform(0, 40, 3000)
    alone = [RadialTable([partial(special.jv, order)], 40.0)(radius)[0] for order in orders]
    together = RadialTable([partial(special.jv, order) for order in orders], 40.0)(radius)
    # SciPy's own values are off by 1e-14
    assert np.allclose(together, alone, rtol=0, atol=5e-14)


@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (1, 1), (0, 2)])
@pytest.mark.parametrize("functions", [WAVES, MODIFIED])
def test_waves_from_tables_are_the_same_functions(functions: list[Wave], orders: tuple[int, int]) -> None:
    basis = SingularBasis((0.1, 0.2), 0.4, 1.0, [*functions, Angle(30.0), Power(1.5)])
    sites = Sites(np.random.default_rng(0).uniform(-1, 1, (4000, 2)))
    operator = derivative(orders) if any(orders) else identity(2)
    exact, tabulated = (b.matrix(operator, sites) for b in (basis, with_tables(basis, LOWER, UPPER)))
    assert np.allclose(tabulated, exact, rtol=0, atol=1e-12 * np.abs(exact).max(axis=0))
    assert np.array_equal(tabulated[:, -2:], exact[:, -2:])  # powers are as they were


def test_what_is_fast_stays_as_it_is() -> None:
    cosines = RidgeBasis(np.ones((3, 2)), np.zeros(3), COSINE)
    powers = SingularBasis((0, 0), 0.0, 1.0, [Power(0.5)])
    assert with_tables(cosines, LOWER, UPPER) is cosines
    assert with_tables(powers, LOWER, UPPER) is powers


def test_many_places_cost_few_bessel_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []
    original = Wave.radial

    def counted(self: Wave, order: float, by_order: bool) -> Any:
        function = original(self, order, by_order)
        return lambda z: (computed.append(z.size), function(z))[1]

    monkeypatch.setattr(Wave, "radial", counted)
    basis = with_tables(SingularBasis((0, 0), 0.0, 1.0, [Wave(2 / 3, 30.0)]), LOWER, UPPER)
    for seed in (0, 1):
        basis.matrix(identity(2), Sites(np.random.default_rng(seed).uniform(-1, 1, (20_000, 2))))
    assert sum(computed) <= 1500


@pytest.mark.parametrize("exponent", [2 / 3, -4 / 3, 34 / 3, 0.0, 5.0, -2.0])
def test_quick_powers_are_powers(exponent: float) -> None:
    zeta = np.random.default_rng(0).normal(size=(2000, 2)) @ np.array([1, 1j])
    quick, slow = (Polar(zeta, quick=quick).power(exponent) for quick in (True, False))
    assert np.allclose(quick, slow, rtol=0, atol=1e-14)
    assert np.array_equal(quick, slow) == (exponent % 1 == 0)
