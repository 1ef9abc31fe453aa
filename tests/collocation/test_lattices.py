"""Points all over closed surfaces."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from fspielm.collocation.points import Surface
from fspielm.geometry.exterior import Body

LONG = Body(np.array([1.0, 2.0, 3.0]), np.array([0.2, 1.0, 0.3]), np.eye(3))


def test_a_spiral_is_even_on_a_ball() -> None:
    unit = Surface("all", LONG.sites, 500).unit(500, np.random.default_rng(0))
    counts, *_ = np.histogram2d(*unit.T, bins=5, range=[[0, 1], [0, 1]])
    assert counts.min() >= 18
    assert counts.max() <= 22


def test_rings_are_as_many_as_asked_for_with_points_at_equal_distances() -> None:
    unit = Surface("all", LONG.sites, 600, rings=30).unit(600, np.random.default_rng(0))
    assert np.all((unit >= 0) & (unit < 1))
    heights, counts = np.unique(np.round(unit[:, 1], 12), return_counts=True)
    assert np.allclose(np.diff(heights), 1 / 30)
    assert set(counts) == {20}
    for height in heights:
        turns = np.sort(unit[np.isclose(unit[:, 1], height), 0])
        assert np.allclose(np.diff(turns), 1 / 20)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_places_along_an_axis_are_on_the_surface_and_crowd_at_its_ends(axis: int) -> None:
    place = partial(LONG.sites_along, axis)
    sites = place(Surface("all", place, 1000, rings=100).unit(1000, np.random.default_rng(0)))
    on_ball = (sites.points - LONG.center) / LONG.semi_axes
    assert np.allclose(np.linalg.norm(on_ball, axis=1), 1)
    inward = -on_ball / LONG.semi_axes
    assert np.allclose(sites.normals, inward / np.linalg.norm(inward, axis=1, keepdims=True))
    # a third of them are within a sixth of a turn of an end
    assert np.mean(np.abs(on_ball[:, axis]) > np.cos(np.pi / 6)) == pytest.approx(1 / 3, abs=0.02)
