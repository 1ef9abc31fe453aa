"""Callables are sampled: bumps as wide as is promised are found wherever they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.estimate import narrow as sampled

x, y, z = sp.symbols("x y z")
DOMAINS = {1: fs.Interval(0, 1), 2: fs.Box((0, 0), (1, 1)), 3: fs.Box((0, 0, 0), (1, 1, 1))}
# What is promised, as a share of the extent.
WIDTHS = {1: 1e-3, 2: 1 / 300, 3: 1 / 50}


@pytest.fixture(autouse=True)
def time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a busy machine does not make functions slow ones."""
    monkeypatch.setattr(sampled, "perf_counter", lambda: 0.0)


def with_callable(c: Callable[[FloatArray], FloatArray], domain: fs.Domain) -> fs.Problem:
    coordinates = (x, y, z)[: domain.dimension]
    u, k = sp.Function("u")(*coordinates), sp.Function("k")(*coordinates)
    equation = sp.Eq(-sum(u.diff(s, 2) for s in coordinates) + k * u, 1)
    return fs.Problem(equation, domain, [fs.Dirichlet(0)], given={k: c})


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dimension", DOMAINS)
def test_a_bump_of_the_promised_width(dimension: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    center, width = rng.uniform(0.05, 0.95, dimension), WIDTHS[dimension]

    def bump(points: FloatArray) -> FloatArray:
        return np.asarray(np.cos(3 * points[:, 0]) + 0.1 * np.exp(-np.sum((points - center) ** 2, axis=1) / width**2))

    scrutiny = fs.find_narrow(with_callable(bump, DOMAINS[dimension]))
    points = np.concatenate([one.sites.points for one in scrutiny.places])
    assert (np.linalg.norm(points - center, axis=1) < width).sum() >= 3
    (look,) = scrutiny.looks
    assert look.width <= 1.1 * width
    assert look.places > 1000


def test_a_jump_is_followed_to_where_it_is() -> None:
    def jump(points: FloatArray) -> FloatArray:
        return np.where(points[:, 0] < 0.512345, 1.0, 2.0)

    narrow = min(fs.find_narrow(with_callable(jump, DOMAINS[2])).places, key=lambda one: one.width)
    assert narrow.width < 1e-3
    assert np.abs(narrow.sites.points[:, 0] - 0.512345).min() < 1e-4


def test_nothing_is_asked_outside() -> None:
    domain = fs.Disk((0, 0), 1) - fs.Disk((0.2, 0), 0.3)

    def strict(points: FloatArray) -> FloatArray:
        assert domain.contains(points).all()
        return np.exp(points[:, 0])

    places = fs.find_narrow(with_callable(strict, domain)).places
    assert all(domain.contains(one.sites.points).all() for one in places)


def test_slow_functions_are_asked_at_fewer_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is said down to which width that is any good."""
    now = 0.0
    monkeypatch.setattr(sampled, "perf_counter", lambda: now)

    def slow(points: FloatArray) -> FloatArray:
        nonlocal now
        now += 2e-5 * len(points)
        return np.exp(points[:, 0])

    (look,) = fs.find_narrow(with_callable(slow, DOMAINS[2])).looks
    assert look.places < 60_000
    assert look.width > 1 / 300


def test_data_of_a_condition_with_normals() -> None:
    u = sp.Function("u")(x, y)

    def flux(points: FloatArray, normals: FloatArray) -> FloatArray:
        return np.asarray(normals[:, 0] * np.exp(-((points[:, 1] - 0.3) ** 2) / 1e-4))

    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0), fs.Disk((0, 0), 1), [fs.Robin(1, 1, flux)])
    scrutiny = fs.find_narrow(problem)
    assert scrutiny.looks[0].source == "the value of 'robin circle'"
    points = np.concatenate([one.sites.points for one in scrutiny.places])
    assert (np.abs(points[:, 1] - 0.3) < 0.02).sum() > 10


def test_normals_alone_are_not_spoken_of() -> None:
    u, v = (sp.Function(name)(x, y) for name in "uv")
    pull = fs.traction(fs.stress([u, v], 1, 1))
    free = [fs.Condition(sp.Eq(component, 0)) for component in pull]
    body = fs.Box((0, 0), (2, 2)) - fs.Disk((1, 1), 0.5)
    assert not fs.find_narrow(fs.Problem(fs.divergence(fs.stress([u, v], 1, 1)), body, free)).looks
    varying = fs.Condition(sp.Eq(fs.normal(x) * u.diff(x) + fs.normal(y) * sp.exp(sp.sin(9 * x)) * u.diff(y) + u, 0))
    (look,) = fs.find_narrow(fs.Problem(u.diff(x, 2) + u.diff(y, 2), fs.Disk((0, 0), 1), [varying])).looks
    assert "of u_y" in look.source
