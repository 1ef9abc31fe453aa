"""How far features of problems that evolve reach, and how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm import ProblemError
from fspielm.basis import neurons_for_reach, reach_for
from fspielm.basis.exact.family import Characteristic, characteristic_frequencies
from fspielm.basis.exact.laws import scene_of
from fspielm.basis.exact.symbol import homogeneous_symbol
from fspielm.errors import UnsuitableError

x, y, t = sp.symbols("x y t")


def string(duration: float) -> fs.Problem:
    u = sp.Function("u")(x, t)
    return fs.Problem(
        sp.Eq(u.diff(t, 2) - u.diff(x, 2), 0),
        fs.Interval(0, 1) * fs.Time(0, duration),
        [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x)), fs.Initial(0, order=1)],
    )


def heat(space: Any, *axes: sp.Symbol) -> fs.Problem:
    u = sp.Function("u")(*axes, t)
    equation = sp.Eq(u.diff(t) - sum(u.diff(axis, 2) for axis in axes) / 10, 0)
    return fs.Problem(equation, space * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(1)])


def laplace(right: float = 0.0) -> fs.Problem:
    u = sp.Function("u")(x, y)
    return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), right), fs.Disk((0, 0), 1), [fs.Dirichlet(1)])


@pytest.mark.parametrize("duration", [4.0, 20.0, 80.0])
def test_waves_need_little_more_than_their_degrees_of_freedom(duration: float) -> None:
    problem, band = string(duration), 10 * np.pi
    reach = reach_for(problem, [band, band])
    needed = neurons_for_reach(problem, reach)
    # each of two travelling waves, as long as the string and what runs through it
    least = 2 * band * (1 + duration) / np.pi
    assert 1.1 * least <= needed <= (1 + 16 / np.sqrt(least)) * least


def test_the_longer_waves_last_the_less_they_reach_beyond_their_band() -> None:
    beyond = [reach_for(string(duration), [30.0, 30.0])[0] - 30.0 for duration in (1.0, 4.0, 16.0, 64.0)]
    assert np.all(np.diff(beyond) < 0)
    assert np.allclose(np.array(beyond[:-1]) / beyond[1:], 2.0, atol=0.5)


@pytest.mark.parametrize("bands", [(0.0, 0.0), (20.0, 3.0), (1500.0, 0.0)])
def test_the_predicted_number_is_drawn(bands: tuple[float, float]) -> None:
    problem = heat(fs.Interval(0, 1), x)
    reach = reach_for(problem, bands)
    needed = neurons_for_reach(problem, reach)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        basis = Characteristic(needed, reach).draw(2, rng, time_axis=1, problem=problem)
        assert 0.97 * needed <= basis.size <= needed


def test_directions_beyond_the_reach_of_an_axis_are_left_out() -> None:
    problem = heat(fs.Disk((0, 0), 1), x, y)
    reach = (40.0, 15.0, 10.0)
    found = characteristic_frequencies(
        homogeneous_symbol(problem), scene_of(problem.domain), 900, np.random.default_rng(0), time_axis=2, reach=reach
    )
    modes = found.W[np.all(found.W[:, :2].imag == 0, axis=1)].real
    assert np.all(np.abs(modes[:, :2]).max(axis=0) <= np.array([40.0, 15.0]) * (1 + 1e-6))
    assert np.all(np.abs(modes[:, :2]).max(axis=0) >= 0.85 * np.array([40.0, 15.0]))
    assert neurons_for_reach(problem, reach) < neurons_for_reach(problem, (40.0, 40.0, 10.0))


def test_two_draws_have_no_function_in_common() -> None:
    problem = string(2.0)
    symbol, scene = homogeneous_symbol(problem), scene_of(problem.domain)
    one, other = (
        characteristic_frequencies(symbol, scene, 200, np.random.default_rng(seed), time_axis=1).W for seed in (0, 1)
    )
    distances = np.abs(np.abs(one[:, None, 0]) - np.abs(other[None, :, 0]))
    assert distances.min() > 1e-6 * np.abs(one).max()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"bands.*2 axes.*\[1\.0\]"):
        reach_for(string(1.0), [1.0])
    with pytest.raises(ProblemError, match=r"reach.*one entry.*2 axes"):
        neurons_for_reach(string(1.0), (1.0, 2.0, 3.0))
    with pytest.raises(UnsuitableError, match=r"elliptic.*neurons_needed"):
        neurons_for_reach(laplace(), (1.0, 2.0))
