"""How much membership of combined shapes costs, counted in points that their members are asked about."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry import Box, Disk, Domain, PolarCurve, Polygon, Time
from fspielm.geometry.shapes.panda import Panda

POINTS = np.random.default_rng(0).random((20_000, 2))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of points of every question to a disk."""
    counts: list[int] = []
    real = Disk._contains

    def counted(self: Disk, points: FloatArray, closed: bool) -> BoolArray:
        counts.append(len(points))
        return real(self, points, closed)

    monkeypatch.setattr(Disk, "_contains", counted)
    return counts


def disks(radius: float) -> list[Domain]:
    """17 of them, in the unit square."""
    return [Disk((0.1 + 0.2 * (i % 5), 0.1 + 0.22 * (i // 5)), radius) for i in range(17)]


def by_hand(radius: float) -> BoolArray:
    return np.any([np.linalg.norm(POINTS - disk.center, axis=1) <= radius for disk in disks(radius)], axis=0)  # type: ignore[attr-defined]


def test_a_hole_is_asked_about_the_points_near_it(asked: list[int]) -> None:
    """Once for each point of the square around the hole, and once more for those in it."""
    domain = reduce(lambda whole, hole: whole - hole, disks(0.05), Box((0, 0), (1, 1)))
    asked.clear()
    assert np.array_equal(domain.contains(POINTS), ~by_hand(0.05))
    area = 17 * 0.1**2
    assert sum(asked) < 2 * area * len(POINTS)


def test_members_of_a_union_are_asked_about_the_points_near_them(asked: list[int]) -> None:
    domain = reduce(lambda whole, disk: whole | disk, disks(0.06))
    asked.clear()
    assert np.array_equal(domain.contains(POINTS), by_hand(0.06))
    area = 17 * 0.12**2
    assert sum(asked) < 2 * area * len(POINTS)


def test_an_intersection_asks_only_where_both_may_be(asked: list[int]) -> None:
    domain = Box((0, 0), (0.2, 1)) & Disk((0.5, 0.5), 0.45)
    asked.clear()
    inside = (np.linalg.norm(POINTS - 0.5, axis=1) <= 0.45) & (POINTS[:, 0] <= 0.2)
    assert np.array_equal(domain.contains(POINTS), inside)
    assert sum(asked) < 0.25 * len(POINTS)


def test_a_radius_is_looked_up_only_where_it_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    panda = Panda()
    within = panda.contains(POINTS)
    radius, looked_up = panda._r, []
    _ = panda._radii

    def counted(theta: FloatArray) -> FloatArray:
        looked_up.append(len(theta))
        return radius(theta)

    monkeypatch.setitem(vars(panda), "_r", counted)
    assert np.array_equal(panda.contains(POINTS), within)
    assert sum(looked_up) < 0.4 * len(POINTS)
    x, y = (POINTS - panda.center).T
    assert np.array_equal(within, np.hypot(x, y) <= radius(np.arctan2(y, x)))
    assert isinstance(panda, PolarCurve)


@pytest.mark.parametrize(
    "shape",
    [
        Disk((0.5, 0.5), 0.4),
        Box((0, 0), (1, 1)) - Disk((0.5, 0.5), 0.2) - Disk((0.1, 0.1), 0.05),
        Polygon([(0, 0), (1, 0.01), (0, 0.02)]),
        Panda().scaled(0.3).moved((0.5, 0.5)),
        Polygon([(0, 0), (1, 0), (0.5, 0.4), (1, 1), (0, 1)]) * Time(0, 1),
    ],
    ids=["disk", "holes", "thin", "curve", "time"],
)
def test_many_points_at_once_are_as_few(shape: Domain) -> None:
    rng = np.random.default_rng(1)
    lower, upper = shape.bounding_box
    anywhere = lower + (upper - lower) * rng.uniform(-0.1, 1.1, (40_000, shape.dimension))
    rims = [part.place(rng.random((500, part.parameters))).points for part in shape.boundary()]
    near = [rim + 1e-13 * rng.standard_normal(rim.shape) for rim in rims]
    points = np.concatenate([anywhere, *rims, *near, np.full((1, shape.dimension), 1e300)])
    few = np.concatenate([shape.contains(some) for some in np.array_split(points, 40)])
    assert np.array_equal(shape.contains(points), few)


def test_of_many_points_those_near_the_boundary_are_asked_about(asked: list[int]) -> None:
    points = np.random.default_rng(0).random((100_000, 2))
    Disk((0.5, 0.5), 0.4).contains(points)
    assert sum(asked) < 5_000


def test_points_that_are_none_are_in_no_shape() -> None:
    points = np.concatenate([POINTS, [[np.nan, 0.5]]])
    assert not Disk((0.5, 0.5), 0.5).contains(points)[-1]
