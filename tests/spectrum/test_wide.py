"""How disturbances of a linearisation grow: at a front by what they see of it, elsewhere as with any coefficients."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites
from fspielm.spectrum.hidden.frozen import freeze
from fspielm.spectrum.hidden.growth import find_growth
from fspielm.spectrum.hidden.wide import freeze_around

x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)
STRIP = fs.Interval(-1, 1) * fs.Time(0, 1)
CONDITIONS = [fs.Dirichlet(0), fs.Initial(0)]
THIN = 0.01 / np.pi


def burgers() -> fs.Problem:
    problem = fs.Problem(sp.Eq(u.diff(t) + u * u.diff(x) - THIN * u.diff(x, 2), 0), STRIP, CONDITIONS)
    return problem.linearised(-sp.tanh(x / (2 * THIN)))


def test_a_front_is_not_everywhere() -> None:
    around = burgers()
    assert around.is_linearisation
    growth = find_growth(around)
    # the slope is 157 at the front; over half a period, pi / k, the jump of two is 2 k / pi on the average, less the
    # diffusion k^2 / (100 pi): at most 100 / pi, where k = 100
    assert growth.foldings.max() == pytest.approx(100 / np.pi, rel=0.25)
    assert growth.has_bound
    assert growth.places is not None
    fastest = int(growth.foldings.argmax())
    grows = growth.stretches[fastest] > 0
    assert grows.sum() > 8
    assert np.abs(growth.places[fastest, grows, 0]).max() < 0.1


def test_what_grows_everywhere_does() -> None:
    problem = fs.Problem(sp.Eq(u.diff(t) - u.diff(x, 2) / 100 - 50 * (u - u**3), 0), STRIP, CONDITIONS)
    assert find_growth(problem.linearised(0)).foldings.max() == pytest.approx(50, rel=0.01)


def test_a_mean_over_a_box() -> None:
    around, points = burgers(), np.array([[0.0, 0.5], [0.9, 0.2]])
    frozen, mean = freeze(around.determinant, Sites(points)), freeze_around(around, points, np.array([1.0]))
    value = int(np.flatnonzero(frozen.orders.sum(axis=1) == 0)[0])
    assert frozen.coefficients[0, value] == pytest.approx(-1 / (2 * THIN), rel=1e-10)
    # the jump of two over a length of one, as well as few places tell it
    assert -6 < mean.coefficients[0, value] < -1
    narrow = freeze_around(around, points, np.array([1e-9]))
    np.testing.assert_allclose(narrow.coefficients, frozen.coefficients, rtol=1e-6, atol=1e-7)
