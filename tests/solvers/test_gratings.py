"""Objects again and again along a line."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
K, PERIOD = 3.0, 3.0


def grating(condition: Any = None, k: float = K, **others: Any) -> fs.Problem:
    incident = others.pop("incident", fs.plane_wave(k, (0.5, -0.8)))
    domain = fs.Exterior(fs.Disk((0.3, 0.2), 0.8), period=PERIOD)
    return fs.Problem(
        sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0), domain, [condition or fs.Dirichlet(0)], incident=incident
    )


@pytest.mark.parametrize(
    "condition", [fs.Dirichlet(0), fs.Neumann(0), fs.Transparent(4.5)], ids=["soft", "hard", "glass"]
)
def test_no_power_is_lost(condition: Any) -> None:
    solution = fs.solve(grating(condition), rng=0)
    orders = solution.orders()
    assert solution.converged
    assert orders.numbers.tolist() == [-2, -1, 0]
    assert abs(orders.absorbed) < 1e-8
    assert np.all(orders.reflected > 0)
    # as far away as orders are all there is, and some periods on
    points = np.array([[1.0, 9.0], [-13.0, 12.0], [5.0, -8.0], [2.0, -30.0]])
    across = orders.across * np.abs(points[:, 1:])
    waves = np.exp(1j * (orders.along * points[:, :1] + across))
    expected = waves @ np.stack([orders.reflected_amplitudes, orders.transmitted_amplitudes], axis=1)
    came = solution(points[:2]) - solution.scattered(points[:2])
    assert np.abs(solution(points[:2]) - came - expected[:2, 0]).max() < 1e-6
    assert np.abs(solution(points[2:]) - expected[2:, 1]).max() < 1e-6


def test_copies_have_the_same_field_but_for_a_phase() -> None:
    solution = fs.solve(grating(fs.Transparent(4.5)), tol=1e-4, rng=0)
    points = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    later = points + np.array([2 * PERIOD, 0])
    phase = np.exp(2j * K * PERIOD * 0.5 / np.hypot(0.5, 0.8))
    assert np.abs(solution(later) - phase * solution(points)).max() < 1e-12
    assert np.abs(solution.scattered(later) - phase * solution.scattered(points)).max() < 1e-12
    again = pickle.loads(pickle.dumps(solution))
    assert np.array_equal(again(points), solution(points))


def test_copies_belong_to_the_domain() -> None:
    domain = fs.Exterior(fs.Disk((0, 0), 1), period=3, window=((-5, -2), (5, 2)))
    assert domain.contains([[0, 0], [3, 0.5], [-6, 0], [1.5, 0], [100.5, 0]]).tolist() == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert domain.measure == pytest.approx(40 - np.pi * 10 / 3)
    assert repr(pickle.loads(pickle.dumps(domain))) == repr(domain)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fs.Exterior(fs.Disk((0, 0), 1), period=2), r"larger than the objects.*2"),
        (lambda: fs.Exterior(fs.Disk((0, 0), 1), period=-1), "period must be positive"),
        (lambda: grating(incident=None), "needs incident=fs.plane_wave"),
        (lambda: grating(incident=fs.beam(K, (0, -1), (0, 3), 2)), "needs incident=fs.plane_wave"),
        (lambda: grating(k=2 * np.pi / PERIOD, incident=fs.plane_wave(2 * np.pi / PERIOD, (0, -1))), "Wood anomaly"),
        (lambda: grating(incident=fs.plane_wave(K, (1, 0))), r"comes in.*along the grating"),
    ],
)
def test_mistakes_are_named(make: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make()
