"""Triangles fill a plane domain, end on its boundary, and overlap nowhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fspielm as fs
from fspielm.geometry import Domain, triangulate

SHAPES: dict[str, Domain] = {
    "box": fs.Box((0, 0), (2, 1)),
    "disk": fs.Disk((0, 0), 1),
    "far": fs.Disk((1e6, 1e6), 1e-3),
    "panda": fs.Panda(),
    "pacman": fs.Pacman((0, 0), 1),
    "thin": fs.Polygon([(0, 0), (1, 0), (1, 0.02), (0.02, 0.02), (0.02, 1), (0, 1)]),
    "ring": fs.Annulus((0, 0), 0.95, 1),
    "cut": fs.Box((0, 0), (1, 1)) - fs.Disk((1, 1), 0.5),
    "touching": fs.Disk((0, 0), 1) - fs.Disk((0.5, 0), 0.5),
    "two": fs.Disk((0, 0), 1) | fs.Disk((3, 0), 1),
    "turned": fs.Ellipse((1, 2), (3, 1)).rotated(0.7),
}


def spacing(domain: Domain, count: int) -> float:
    lower, upper = domain.bounding_box
    return float(np.sqrt(np.prod((upper - lower) / count)))


def areas(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    (x1, y1), (x2, y2) = (points[triangles[:, i]].T - points[triangles[:, 0]].T for i in (1, 2))
    return 0.5 * (x1 * y2 - x2 * y1)


@pytest.mark.parametrize("name", SHAPES)
def test_they_fill_the_domain(name: str) -> None:
    domain = SHAPES[name]
    found = triangulate(domain, spacing(domain, 40))
    assert found is not None
    points, triangles = found
    assert domain.contains(points).all()
    assert (areas(points, triangles) > 0).all()
    # no side belongs to more than two, those on the rim to one, and all their ends are on the boundary
    sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    rim, uses = np.unique(sides, axis=0, return_counts=True)
    assert uses.max() == 2
    ends = points[np.unique(rim[uses == 1])]
    assert not domain._contains(ends, False).any()
    for corner in domain.corners():
        assert np.linalg.norm(points - corner.point, axis=1).min() <= 1e-12 * np.abs(points).max()
    assert areas(points, triangles).sum() == pytest.approx(domain.measure, rel=2e-3)


@pytest.mark.parametrize("name", ["disk", "panda", "cut", "turned"])
def test_the_area_converges_as_the_square_of_the_spacing(name: str) -> None:
    domain = SHAPES[name]
    errors = []
    for count in (20, 80):
        found = triangulate(domain, spacing(domain, count))
        assert found is not None
        errors.append(abs(areas(*found).sum() - domain.measure))
    assert math.log(errors[0] / errors[1], 4) == pytest.approx(2, abs=0.35)


def test_straight_edges_are_met_exactly() -> None:
    found = triangulate(SHAPES["box"], 0.3)
    assert found is not None
    assert areas(*found).sum() == pytest.approx(2, rel=1e-15)


def test_of_other_domains_no_edges_are_known() -> None:
    assert triangulate(fs.Ball((0, 0, 0), 1), 0.1) is None
    assert triangulate(fs.Interval(0, 1), 0.1) is None
