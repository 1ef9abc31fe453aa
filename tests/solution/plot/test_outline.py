"""Outlines as closed loops, whatever the shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from fspielm.solution.plot.quantity import as_path, inner_lines, mask_outline, outline

s = sp.Symbol("s")

SHAPES: list[Domain] = [
    fs.Box((0, 0), (2, 1)),
    fs.Disk((1, 0), 0.5),
    fs.Ellipse((1, 0), (0.5, 2)),
    fs.Annulus((0, 0), 0.5, 1),
    fs.Pacman(),
    fs.LShape(),
    fs.Panda(),
    fs.Polygon([(0, 0), (2, 0), (2, 2), (0, 2)], holes=[[(0.5, 0.5), (1, 0.5), (1, 1)]]),
    fs.Disk((0, 0), 1) * fs.Time(0, 1),
]


def enclosed(loops: list[Any]) -> float:
    """The area inside the path, in which holes run the other way round."""
    polygons = as_path(loops).to_polygons(closed_only=True)
    return float(sum(0.5 * np.sum(p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1]) for p in polygons))


@pytest.mark.parametrize("domain", SHAPES, ids=repr)
def test_the_loops_enclose_the_domain(domain: Domain) -> None:
    loops = outline(domain)
    assert loops is not None
    space = getattr(domain, "space", domain)
    assert enclosed(loops) == pytest.approx(space.measure, rel=1e-4)
    assert all(np.array_equal(loop[0], loop[-1]) for loop in loops)
    assert space.contains(np.concatenate(loops)).mean() > 0.99


def test_straight_pieces_have_two_points() -> None:
    (loop,) = outline(fs.Box((0, 0), (2, 1)))  # type: ignore[misc]
    assert len(loop) <= 6


def test_other_dimensions_have_no_outline() -> None:
    assert outline(fs.Interval(0, 1)) is None
    assert outline(fs.Box((0, 0, 0), (1, 1, 1))) is None


def test_pieces_that_do_not_join_are_no_outline(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = fs.Disk((0, 0), 1)
    (part,) = disk.boundary()
    half = replace(part, keep=lambda points: points[:, 1] > 0)
    monkeypatch.setattr(fs.Disk, "boundary", lambda self: (half,))
    assert outline(disk) is None


def test_parts_that_are_kept_in_part_join(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two disks that overlap, as a union has them."""
    left, right = fs.Disk((-0.5, 0), 1), fs.Disk((0.5, 0), 1)
    parts = tuple(
        replace(one.boundary()[0], keep=lambda points, other=other: ~other._contains(points, False))
        for one, other in ((left, right), (right, left))
    )
    monkeypatch.setattr(fs.Disk, "boundary", lambda self: parts)
    loops = outline(left)
    assert loops is not None
    assert len(loops) == 1
    lens = 2 * np.arccos(0.5) - 0.5 * np.sqrt(4 - 1)
    assert enclosed(loops) == pytest.approx(2 * np.pi - lens, rel=1e-4)


def test_the_outline_of_a_mask() -> None:
    across = np.linspace(-1, 1, 400)
    x, y = np.meshgrid(across, across)
    r = np.hypot(x, y)
    loops = mask_outline((r < 0.9) & (r > 0.3), (across, across))
    assert enclosed(loops) == pytest.approx(np.pi * (0.9**2 - 0.3**2), rel=0.01)
    full = mask_outline(np.ones((400, 400), dtype=bool), (across, across))
    assert enclosed(full) == pytest.approx(4.0, rel=0.01)


def test_objects_that_let_waves_through_have_lines_of_their_own() -> None:
    coat, core = fs.Disk((0, 0), 1), fs.Disk((0, 0), 0.5)
    assert inner_lines(fs.Exterior(coat, core)) == []
    (line,) = inner_lines(fs.Exterior(coat, core).filled([0]))
    np.testing.assert_allclose(np.hypot(*line.T), 1.0)


def test_regions_have_lines_where_they_meet() -> None:
    core, disk = fs.Disk((0, 0), 1), fs.Disk((0, 0), 2)
    layers = fs.Regions(core=core, shell=disk - core)
    for domain in (layers, layers * fs.Time(0, 1)):
        assert all(np.allclose(np.hypot(*line.T), 1.0) for line in inner_lines(domain))
        assert inner_lines(domain)
    (line,) = inner_lines(fs.Regions(left=fs.Interval(0, 1), right=fs.Interval(1, 2)) * fs.Time(0, 3))
    np.testing.assert_allclose(line[:, 0], 1.0)
    assert inner_lines(fs.Regions(left=fs.Interval(0, 1), right=fs.Interval(1, 2))) == []
    assert inner_lines(disk) == []
