"""Roots in brackets, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.numerics import newton_between
from fspielm.numerics.roots import minimum


def cube_roots(wanted: np.ndarray, low: float = -3.0, high: float = 3.0) -> np.ndarray:
    return newton_between(
        np.full(len(wanted), low),
        np.full(len(wanted), high),
        np.zeros(len(wanted)),
        lambda t, which: t**3 - wanted[which],
        lambda t, _: 3 * t**2,
        still=1e-15,
    )


def test_where_the_slope_vanishes_at_the_guess() -> None:
    wanted = np.array([-8.0, 1e-3, 2.0, 27.0])
    assert cube_roots(wanted) == pytest.approx(np.cbrt(wanted), rel=1e-14)


def test_each_root_is_independent_of_the_others() -> None:
    wanted = np.linspace(-20.0, 20.0, 7)
    assert cube_roots(wanted).tolist() == [float(cube_roots(wanted[[i]])[0]) for i in range(len(wanted))]


def test_the_lower_end_may_be_the_larger_one() -> None:
    found = newton_between(
        np.array([2.0]), np.array([0.0]), np.array([1.0]), lambda t, _: np.exp(-t) - 0.4, lambda t, _: -np.exp(-t)
    )
    assert found == pytest.approx(-np.log(0.4), rel=1e-15)


def test_the_least_of_several_minima() -> None:
    grid = np.linspace(0.0, 10.0, 40)
    found = minimum(lambda t: np.cos(t) + 0.1 * t, lambda t: 0.1 - np.sin(t), grid)
    place = np.pi - np.arcsin(0.1)
    assert found == pytest.approx(np.cos(place) + 0.1 * place, rel=1e-15)
