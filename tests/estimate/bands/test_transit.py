"""Waves that leave what makes them grow, and waves that stay with it."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import Growth
from fspielm.estimate.growth import find_growth, rates_and_speeds
from fspielm.estimate.let_through import freeze
from fspielm.geometry import Sites

x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)
LINE = fs.Interval(-10, 10) * fs.Time(0, 4)
RING = [fs.Periodic("x"), fs.Initial(0)]


def most_above(growth: Growth, frequency: float) -> float:
    return float(growth.foldings[growth.frequencies[:, 0] > frequency].max(initial=0.0))


def growth_of(form: sp.Expr, around: sp.Expr) -> Growth:
    return find_growth(fs.Problem(sp.Eq(form, 0), LINE, RING).linearised(around))


def test_dispersion_carries_short_waves_away() -> None:
    soliton = 2 * sp.sech(x - 4 * t) ** 2
    growth = growth_of(u.diff(t) + 6 * u * u.diff(x) + u.diff(x, 3), soliton)
    # the steepest slope is 1.54: where waves would stay, they would grow by 37 powers of e
    assert most_above(growth, 1.0) > 15
    # around the ring: the soliton's height, 2, over its length, 20, and some for passes that are counted twice
    assert most_above(growth, 10.0) == pytest.approx(6 * 2 / 20 * 4, rel=0.3)


def test_what_travels_along_stays() -> None:
    pulse = sp.exp(-((x - 5 * t) ** 2)) + sp.exp(-((x - 5 * t + 20) ** 2))
    growth = growth_of(u.diff(t) + 5 * u.diff(x) - u**2 - u.diff(x, 2) / 10**6, pulse)
    assert most_above(growth, 10.0) > 4


def test_what_has_no_bound_keeps_none() -> None:
    assert not growth_of(u.diff(t) + u.diff(x, 2) + u**2, sp.exp(-(x**2))).has_bound


def test_what_grows_everywhere_grows_wherever_waves_are() -> None:
    growth = growth_of(u.diff(t) + u.diff(x, 3) - 3 * u + u**3, sp.Integer(0))
    assert most_above(growth, 10.0) == pytest.approx(12, rel=0.01)


def test_speeds_of_packets() -> None:
    problem = fs.Problem(sp.Eq(u.diff(t, 2) - 9 * u.diff(x, 2) + 16 * u, 0), LINE, [*RING, fs.Initial(0, order=1)])
    frozen = freeze(problem.determinant, Sites(np.zeros((1, 2))))
    growing, slowest, fastest = rates_and_speeds(frozen, np.array([[4.0]]), 1.0)
    # s = i sqrt(9 k^2 + 16), of which the slope is 9 k / sqrt(9 k^2 + 16)
    assert growing == 0
    np.testing.assert_allclose([slowest, fastest], 36 / np.sqrt(160), rtol=1e-6)
