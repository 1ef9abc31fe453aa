"""Random unions, intersections and differences in the plane agree with shapely."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np
import pytest
import shapely
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.geometry import Box, Combination, Disk, Domain, PolarCurve, edges_of
from fspielm.geometry.shapes.panda import Panda

theta = sp.Symbol("theta")
OPERATIONS: dict[str, Callable[[Domain, Domain], Combination]] = {
    "union": operator.or_,
    "intersection": operator.and_,
    "difference": operator.sub,
}
FLOWERS = [PolarCurve(1 + sp.cos(3 * theta) / 4), PolarCurve(1 + sp.cos(5 * theta) / 3)]
SQUARE = Box((0, 0), (1, 1))


def as_polygon(domain: Domain) -> shapely.Polygon:
    """A simple shape as a polygon, its curves in many short chords."""
    points = []
    for edge in edges_of(domain):
        ends = np.linspace(edge.curve.t0, edge.curve.t1, 2 if edge.curve.straight else 4001)
        points.append(edge.curve.point(ends)[:-1])
    return shapely.Polygon(np.concatenate(points))


def straight_shape(rng: np.random.Generator) -> Domain:
    """A box on a coarse grid, so that sides and corners often meet, or one anywhere."""
    if rng.random() < 0.5:
        lower = rng.integers(0, 4, 2) / 4
        return Box(lower, lower + rng.integers(1, 4, 2) / 4)
    lower = rng.random(2)
    angle = rng.choice([6 * rng.random(), math.pi / 2, math.pi / 4])
    return Box(lower, lower + 0.1 + rng.random(2)).rotated(angle)


def curved_shape(rng: np.random.Generator) -> Domain:
    kind = rng.integers(3)
    if kind == 0:
        return straight_shape(rng)
    if kind == 1:  # on a grid: coincident and tangential circles
        return Disk(rng.integers(0, 5, 2) / 4, rng.choice([0.25, 0.375, 0.5]))
    flower = FLOWERS[rng.integers(2)].scaled(0.2 + 0.4 * rng.random())
    return flower.moved(rng.random(2)).rotated(6 * rng.random())


def random_combinations(
    seed: int, draw: Callable[[np.random.Generator], Domain]
) -> list[tuple[Domain, shapely.Polygon | shapely.MultiPolygon]]:
    """One to three operations in a row, and shapely's results; those that are empty, or change nothing, are refused."""
    rng = np.random.default_rng(seed)
    domain = draw(rng)
    reference: shapely.Polygon | shapely.MultiPolygon = as_polygon(domain)
    results = []
    for _ in range(rng.integers(1, 4)):
        other = draw(rng)
        operation = str(rng.choice(list(OPERATIONS)))
        expected = area_only(getattr(reference, operation)(as_polygon(other)))
        if expected.area < 1e-9:
            with pytest.raises(ProblemError, match="is empty"):
                OPERATIONS[operation](domain, other)
            continue
        if operation == "difference" and reference.area - expected.area < 1e-9:
            with pytest.raises(ProblemError, match="lies outside of the first"):
                OPERATIONS[operation](domain, other)
            continue
        domain, reference = OPERATIONS[operation](domain, other), expected
        results.append((domain, reference))
    return results


def area_only(geometry: shapely.Geometry) -> shapely.MultiPolygon:
    """Without the points and lines that shapely leaves where shapes touch."""
    return shapely.MultiPolygon([part for part in getattr(geometry, "geoms", [geometry]) if part.area > 0])


def check_against(domain: Domain, reference: shapely.Polygon | shapely.MultiPolygon, tolerance: float) -> None:
    assert domain.measure == pytest.approx(reference.area, abs=tolerance)
    assert sum(part.measure for part in domain.boundary()) == pytest.approx(reference.length, abs=10 * tolerance)
    corners = np.array([edge.curve.ends[0] for edge in domain.edges()])
    shapely.prepare(reference)
    step = 1e-5
    for part in domain.boundary():
        sites = part.place(np.linspace(0.013, 0.987, 9)[:, None])
        assert shapely.distance(reference.boundary, shapely.points(sites.points)).max() < 1e-12 + tolerance
        # normals lead out of shapely's region, seen from where no corner is near
        clear = np.linalg.norm(sites.points[:, None] - corners, axis=2).min(axis=1) > 10 * step
        assert not shapely.contains_xy(reference, sites.points + step * sites.normals)[clear].any()
        assert shapely.contains_xy(reference, sites.points - step * sites.normals)[clear].all()


@pytest.mark.parametrize("seed", range(25))
def test_straight_combinations_agree_with_shapely(seed: int) -> None:
    for domain, reference in random_combinations(seed, straight_shape):
        check_against(domain, reference, 1e-13)


@pytest.mark.parametrize("seed", range(15))
def test_curved_combinations_agree_with_shapely(seed: int) -> None:
    for domain, reference in random_combinations(100 + seed, curved_shape):
        check_against(domain, reference, 1e-5)


@pytest.mark.parametrize("seed", range(16))
def test_edges_are_closed_loops(seed: int) -> None:
    for domain, _ in random_combinations(seed, curved_shape if seed % 2 else straight_shape):
        begin, last = None, np.empty(2)
        for edge in domain.edges():
            start, end = edge.curve.ends
            assert begin is None or start == pytest.approx(last, abs=1e-9)
            begin, last = start if begin is None else begin, end
            if math.dist(end, begin) < 1e-9:
                begin = None
        assert begin is None


def test_neighbourhoods_of_random_combinations() -> None:
    """Open and closed membership agree with shapely, and differ on the boundary only."""
    for seed in range(10):
        for domain, reference in random_combinations(seed, straight_shape):
            points = np.random.default_rng(seed).random((300, 2)) * 3 - 0.5
            inside = shapely.contains_xy(reference, points)
            assert np.array_equal(domain.contains(points), inside)
            assert np.array_equal(domain._contains(points, False), inside)
            for part in domain.boundary():
                rim = part.place(np.linspace(0, 1, 21)[:, None]).points
                assert domain.contains(rim).all()
                assert not domain._contains(rim, False).any()


def test_nested_combinations() -> None:
    shape = ((SQUARE | Disk((1, 0.5), 0.5)) - Disk((1, 0.5), 0.25)) & Box((0, 0), (1.25, 1))
    reference = as_polygon(SQUARE).union(as_polygon(Disk((1, 0.5), 0.5))).difference(as_polygon(Disk((1, 0.5), 0.25)))
    check_against(shape, reference.intersection(as_polygon(Box((0, 0), (1.25, 1)))), 1e-5)


def test_a_flower_cut_by_a_disk() -> None:
    """Crossings of a transcendental outline, against polygons of many chords."""
    panda, disk = Panda(), Disk((0.5, 0.5), 0.26)
    reference = as_polygon(panda).difference(as_polygon(disk))
    check_against(panda - disk, reference, 1e-6)
