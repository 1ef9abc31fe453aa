"""Winding numbers against shapely on polygons, and against closed forms where curves all but touch."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import shapely
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fspielm.geometry import Curve, Edge, PlaneShape, Polygon, arc, segment

t = sp.Symbol("t")


def star(rng: np.random.Generator, n: int) -> np.ndarray:
    """A star-shaped polygon whose vertices lie on a coarse grid in y, so that rays meet many of them."""
    angles = 2 * math.pi * (np.arange(n) + 0.8 * rng.random(n)) / n
    radii = 1 + rng.random(n)
    return np.column_stack([radii * np.cos(angles), np.round(8 * radii * np.sin(angles)) / 8])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 40))
def test_polygons_as_shapely_sees_them(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    vertices = star(rng, n)
    if not shapely.Polygon(vertices).is_valid or np.any(np.all(vertices == np.roll(vertices, 1, axis=0), axis=1)):
        return
    polygon, reference = Polygon(vertices), shapely.Polygon(vertices)
    # points level with vertices, at vertices, on edges, and anywhere
    level = np.column_stack([rng.uniform(-2, 2, 10 * n), np.tile(vertices[:, 1], 10)])
    middle = 0.5 * (vertices + np.roll(vertices, 1, axis=0))
    points = np.concatenate([level, vertices, middle, rng.uniform(-2, 2, (500, 2))])
    geometry = shapely.points(points)
    clear = shapely.distance(reference.exterior, geometry) > 1e-13
    assert np.array_equal(polygon.contains(points)[clear], shapely.contains(reference, geometry)[clear])
    assert polygon.contains(np.concatenate([vertices, middle])).all()
    assert not polygon._contains(np.concatenate([vertices, middle]), False).any()
    assert polygon.measure == pytest.approx(reference.area, rel=1e-13)


def test_points_level_with_everything() -> None:
    """A comb on a grid of whole numbers, asked about on the same grid and between."""
    teeth = [
        (float(x), float(y)) for i in range(10) for x, y in ((2 * i, 0), (2 * i + 1, 0), (2 * i + 1, 3), (2 * i + 2, 3))
    ]
    comb = Polygon([*teeth, (20, 5), (0, 5)])
    reference = shapely.Polygon(comb.vertices)
    grid = np.stack(np.meshgrid(np.arange(-1, 22, 0.5), np.arange(-1, 7, 0.5)), axis=-1).reshape(-1, 2)
    geometry = shapely.points(grid)
    assert np.array_equal(comb.contains(grid), shapely.covers(reference, geometry))
    assert np.array_equal(comb._contains(grid, False), shapely.contains(reference, geometry))


@dataclass(frozen=True)
class Slit(PlaneShape):
    """Two half-disks joined along a wall of width `gap`, thinner than the pieces curves are cut into are long."""

    gap: float

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        g = 0.5 * self.gap
        return (
            Edge("right", arc((g, 0), 1, -math.pi / 2, math.pi / 2)),
            Edge("top", segment((g, 1), (-g, 1))),
            Edge("left", arc((-g, 0), 1, math.pi / 2, 3 * math.pi / 2)),
            Edge("bottom", segment((-g, -1), (g, -1))),
            # the rim of a hole that all but touches the outline
            Edge("hole", arc((g, 0), 1 - self.gap, math.pi, -math.pi)),
        )


@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9, 1e-12])
def test_walls_thinner_than_the_pieces(gap: float) -> None:
    angles = np.linspace(-1.5, 1.5, 999)
    rim = np.column_stack([np.cos(angles), np.sin(angles)])
    offset = np.array([0.5 * gap, 0.0])
    slit = Slit(gap)
    assert slit.contains(offset + (1 - 0.5 * gap) * rim).all()
    assert not slit.contains(offset + (1 + 0.5 * gap) * rim).any()
    assert not slit.contains(offset + (1 - 1.5 * gap) * rim).any()


def test_points_that_are_no_numbers_are_outside() -> None:
    strange = [[math.nan, 0], [0, math.inf], [-math.inf, math.nan]]
    assert not Polygon([(-1, -1), (1, -1), (0, 1)]).contains(strange).any()
    assert not Curve(np.cos, np.sin).contains(strange).any()


def test_a_curve_with_very_many_lobes() -> None:
    flower = Curve.polar(1 + sp.cos(120 * t) / 10)
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.1, 1.1, (50_000, 2))
    angle = np.arctan2(points[:, 1], points[:, 0])
    assert np.array_equal(flower.contains(points), np.hypot(*points.T) <= 1 + np.cos(120 * angle) / 10)


def test_a_hundred_thousand_points_take_no_table_of_all_edges() -> None:
    angles = 2 * math.pi * np.arange(500) / 500
    polygon = Polygon((2 + np.cos(5 * angles))[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]))
    shapes = [Curve.polar(2 + sp.cos(5 * t)), polygon]
    points = np.random.default_rng(0).uniform(-3, 3, (100_000, 2))
    for shape in shapes:
        shape.contains(points[:1])
        tracemalloc.start()
        shape.contains(points)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        # a number for each point and edge would be 400 MB, and as much work
        assert most < 100e6
