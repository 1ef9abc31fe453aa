"""The residual in objects that let waves through is that of their own equation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
K = 4.0
HELMHOLTZ = u.diff(x, 2) + u.diff(y, 2) + K**2 * u
COAT, CORE = fs.Disk((0, 0), 1, name="coat"), fs.Disk((0.1, 0), 0.6, name="core")
LAYERS = [fs.Transparent(1.5 * K, on="coat.circle"), fs.Transparent(2 * K, on="core.circle")]
EVERYWHERE = [[0.1, 0.1], [0.9, 0.1], [1.5, 0.2]]


def solved(domain: fs.Exterior, conditions: list[Any], equation: sp.Expr = HELMHOLTZ, tol: float = 1e-8) -> fs.Solution:
    return fs.solve(fs.Problem(equation, domain, conditions, incident=fs.plane_wave(K, (0.6, -0.8))), tol=tol, rng=0)


@pytest.fixture(scope="module")
def coated() -> fs.Solution:
    return solved(fs.Exterior(COAT, CORE), LAYERS)


def by_second_differences(solution: fs.Solution, point: list[float], k: float) -> complex:
    step = 2e-3
    around = np.array(point) + step * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
    middle, *others = solution(around)
    return complex((sum(others) - 4 * middle) / step**2 + k**2 * middle)


@pytest.mark.parametrize(("point", "k"), list(zip(EVERYWHERE, [2 * K, 1.5 * K, K], strict=True)))
def test_each_medium_has_its_own_wavenumber(coated: fs.Solution, point: list[float], k: float) -> None:
    assert abs(by_second_differences(coated, point, k)) < 1e-2
    assert abs(coated.residual([point])[0]) < 1e-8


def test_what_objects_add_is_judged_by_the_total_field_inside(coated: fs.Solution) -> None:
    assert np.abs(coated.scattered.residual(EVERYWHERE)).max() < 1e-8
    assert coated.residual(np.empty((0, 2))).shape == (0,)


def test_a_picture_of_the_residual_has_no_objects_in_it(coated: fs.Solution) -> None:
    pytest.importorskip("matplotlib")
    (shown,) = coated.plot_residual(resolution=20).axes[0].images
    assert shown.get_array().max() < 1e-8


def test_copies_of_a_grating_are_media_too() -> None:
    grating = solved(
        fs.Exterior(fs.Disk((0, 0), 1), period=3), [fs.Transparent(K * (1.4 + x / 10))], -3 * HELMHOLTZ, 1e-5
    )
    one, next_one = grating.residual([[0.2, 0.1], [3.2, 0.1]])
    size = np.abs(grating([[0.2, 0.1]])[0])
    assert abs(one) < 1e-2 * size
    assert abs(next_one) == pytest.approx(abs(one), rel=1e-6)


def test_indices_that_vary() -> None:
    lens = solved(fs.Exterior(COAT), [fs.Transparent(K * sp.sqrt(2 - x**2 - y**2))], tol=1e-6)
    assert np.abs(lens.residual(EVERYWHERE)).max() < 1e-4
    assert np.abs(lens.scattered.residual(EVERYWHERE)).max() < 1e-4
