"""How disturbances of a linearisation grow: at a front by what they see of it, elsewhere as with any coefficients."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate.growth import find_fronts, find_growth, freeze_averages
from fspielm.estimate.let_through import freeze
from fspielm.geometry import Sites

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
    assert np.all(growth.stretches[fastest] > 0)
    assert np.abs(growth.places[fastest, :, 0]).max() < 0.1


def test_a_front_that_moves_is_found_at_all_times() -> None:
    thinner = fs.Problem(sp.Eq(u.diff(t) + u * u.diff(x) - u.diff(x, 2) / 2000, 0), STRIP, CONDITIONS)
    around = thinner.linearised(0.5 - sp.tanh(1000 * (x - t / 2)))
    growth = find_growth(around)
    # the jump is as high as before: 2 k / pi less k^2 / 2000, at most where k = 2000 / pi
    assert growth.foldings.max() == pytest.approx(2000 / np.pi**2, rel=0.3)
    assert growth.places is not None
    fastest = int(growth.foldings.argmax())
    assert np.all(growth.stretches[fastest] > 0)
    assert np.abs(growth.places[fastest, :, 0] - growth.places[fastest, :, 1] / 2).max() < 0.02


def test_the_highest_front_is_found_beside_a_thinner_one() -> None:
    problem = fs.Problem(sp.Eq(u.diff(t) + u * u.diff(x) - THIN * u.diff(x, 2), 0), STRIP, CONDITIONS)
    high, steep = sp.tanh((x - 0.5) / (2 * THIN)), sp.tanh(2000 * (x + 0.5)) / 5
    alone, both = (find_growth(problem.linearised(-v)).foldings.max() for v in (high, high + steep))
    assert both == pytest.approx(alone, rel=0.1)


def test_fronts_of_two_dimensions() -> None:
    y = sp.Symbol("y")
    w = sp.Function("w")(x, y, t)
    disk = fs.Disk((0, 0), 1) - fs.Disk((0, 0), 0.3)
    equation = sp.Eq(w.diff(t) + w * w.diff(x) - w.diff(x, 2) - w.diff(y, 2), 0)
    problem = fs.Problem(equation, disk * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(0)])
    found = find_fronts(problem.linearised(sp.tanh(500 * (x + y - t))), np.array([0.1, 0.5, 0.9]))
    assert np.all(problem.domain.contains(found))
    assert np.mean(np.abs(found[:, 0] + found[:, 1] - found[:, 2]) < 0.01) > 0.5


def test_what_grows_everywhere_does() -> None:
    problem = fs.Problem(sp.Eq(u.diff(t) - u.diff(x, 2) / 100 - 50 * (u - u**3), 0), STRIP, CONDITIONS)
    assert find_growth(problem.linearised(0)).foldings.max() == pytest.approx(50, rel=0.01)


def test_a_mean_over_a_box() -> None:
    around, points = burgers(), np.array([[0.0, 0.5], [0.9, 0.2]])
    frozen = freeze(around.determinant, Sites(points))
    shares = 2.0 ** -np.arange(31)
    mean = {float(shares[i]): f.coefficients for which, f in freeze_averages(around, points, shares) for i in which}
    value = int(np.flatnonzero(frozen.orders.sum(axis=1) == 0)[0])
    assert frozen.coefficients[0, value] == pytest.approx(-1 / (2 * THIN), rel=1e-10)
    # the jump of two over a length of one
    assert mean[0.5][0, value] == pytest.approx(-2, rel=0.1)
    np.testing.assert_allclose(mean[shares[-1]], frozen.coefficients, rtol=1e-6, atol=1e-7)


def test_a_mean_in_the_plane() -> None:
    y = sp.Symbol("y")
    w = sp.Function("w")(x, y, t)
    equation = sp.Eq(w.diff(t) + w**2 - w.diff(x, 2) - w.diff(y, 2), 0)
    problem = fs.Problem(equation, fs.Disk((0, 0), 1) * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(0)])
    around, points = problem.linearised(x**2), np.array([[0.0, 0.0, 0.5]])
    ((_, wide),) = freeze_averages(around, points, np.array([0.5]))
    value = int(np.flatnonzero(wide.orders.sum(axis=1) == 0)[0])
    # twice the mean of x^2 over [-1/2, 1/2]
    assert wide.coefficients[0, value] == pytest.approx(1 / 6, rel=0.1)
