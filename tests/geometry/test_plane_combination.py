"""Unions, intersections and differences in the plane: flush, nested, coincident and touching shapes; names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.geometry import Box, Disk, Domain, Time

SQUARE = Box((0, 0), (1, 1))


def lengths(domain: Domain) -> dict[str, float]:
    return {part.name: part.measure for part in domain.boundary()}


def test_flush_boxes_lose_the_face_between_them() -> None:
    both = SQUARE | Box((1, 0), (2, 1))
    assert both.measure == 2
    assert lengths(both) == {"y- (1)": 1, "y- (2)": 1, "x+": 1, "y+ (2)": 1, "y+ (1)": 1, "x-": 1}
    seam = [[1, 0.5], [1, 0.999]]
    assert both._contains(np.array(seam), False).all()  # in the midst of the union
    assert not both._contains(np.array([[1.0, 0.0], [1.0, 1.0]]), False).any()
    assert both.contains([[1, 0], [1, 1]]).all()


def test_partly_flush_boxes_lose_what_they_share() -> None:
    both = SQUARE | Box((1, 0.25), (2, 0.5))
    assert lengths(both)["x+ (1)"] == 0.75
    (part,) = (p for p in both.boundary() if p.name == "x+ (1)")
    assert part.breaks == pytest.approx((0, 1 / 3, 1))
    assert "x-" in lengths(both)  # the second's is gone, so that the first's needs no number


def test_no_leftovers_of_flush_differences() -> None:
    half = SQUARE - Box((0.5, 0), (1, 1))
    assert lengths(half) == {"y-": 0.5, "x- (2)": 1, "y+": 0.5, "x- (1)": 1}
    assert [box.tolist() for box in half.bounding_box] == [[0, 0], [0.5, 1]]
    assert half.contains([[1, 0.5], [0.75, 0], [0.5, 0.5], [0.5, 0]]).tolist() == [False, False, True, True]
    across = (SQUARE | Box((2, 0), (3, 1))) & Box((1, 0), (3, 1))  # touches the first, covers the second
    assert across.measure == 1
    assert across.contains([[1, 0.5], [2, 0.5]]).tolist() == [False, True]


def test_corner_to_corner() -> None:
    both = SQUARE | Box((1, 1), (2, 2))
    assert both.measure == 2
    assert [round(corner.opening, 12) for corner in both.corners()] == [round(math.pi / 2, 12)] * 8


def test_hole_and_its_normals() -> None:
    plate = SQUARE - Disk((0.5, 0.5), 0.25, name="hole")
    assert plate.measure == pytest.approx(1 - math.pi / 16, rel=1e-15)
    hole = plate.boundary()[-1]
    assert hole.name == "hole.circle"
    sites = hole.place(np.linspace(0, 1, 9)[:, None])
    assert sites.normals == pytest.approx((0.5 - sites.points) / 0.25, abs=1e-14)


def test_coincident_circles_are_one() -> None:
    disk = Disk((1, 2), 3)
    turned = disk.rotated(1.0)  # begins elsewhere
    for both in (disk | turned, disk & turned):
        assert both.measure == pytest.approx(9 * math.pi, rel=1e-14)
        assert lengths(both) == {"circle": pytest.approx(6 * math.pi, rel=1e-14)}
    with pytest.raises(ProblemError, match=r"is empty.*second covers"):
        disk - turned


@pytest.mark.parametrize("angle", [0.0, 1.0, math.pi / 4])
def test_tangential_circles(angle: float) -> None:
    there = np.array([math.cos(angle), math.sin(angle)])
    disk = Disk((0, 0), 1)
    outer, inner = Disk(2 * there, 1), Disk(0.5 * there, 0.5)
    assert (disk | outer).measure == pytest.approx(2 * math.pi, rel=1e-14)
    assert sum(lengths(disk | outer).values()) == pytest.approx(4 * math.pi, rel=1e-7)
    assert (disk - inner).measure == pytest.approx(0.75 * math.pi, rel=1e-14)
    assert (disk | inner).measure == pytest.approx(math.pi, rel=1e-14)
    assert (disk & inner).measure == pytest.approx(0.25 * math.pi, rel=1e-14)
    with pytest.raises(ProblemError, match=r"is empty.*do not overlap"):
        disk & outer


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9])
def test_hardly_overlapping_circles(depth: float) -> None:
    """The lens of a narrow overlap is cut out of both circles."""
    both = Disk((0, 0), 1) | Disk((2 - depth, 0), 1)
    assert sum(lengths(both).values()) == pytest.approx(
        4 * math.pi - 4 * math.acos(1 - depth / 2), abs=1e-6 * depth**0.5
    )


@pytest.mark.parametrize(("offset", "scale"), [((0, 0), 1e-6), ((1e6, -2e6), 1e6), ((1e4, 1e4), 1.0)])
def test_any_scale_and_place(offset: tuple[float, float], scale: float) -> None:
    corner, (x, y) = np.array(offset), offset
    plate = Box(corner, corner + scale) - Disk(corner + scale, scale / 2)
    assert plate.measure == pytest.approx(scale**2 * (1 - math.pi / 16), rel=1e-11)
    assert (plate | Box((x + scale, y), (x + 2 * scale, y + scale / 2))).measure == pytest.approx(
        scale**2 * (1.5 - math.pi / 16), rel=1e-11
    )


def test_three_of_a_name_are_numbered_one_to_three() -> None:
    a, b, c = (Disk((x, 0), 1) for x in (0, 1, 2))
    for shape in ((a | b) | c, a | (b | c), ((a | b) | c).moved((1, 1))):
        assert sorted(lengths(shape)) == ["circle (1)", "circle (2)", "circle (3)"]
    ends = {part.name: part.place(np.array([[0.5]])).points[0, 0] for part in (a | (b | c)).boundary()}
    assert ends["circle (1)"] < ends["circle (2)"] < ends["circle (3)"]


def test_names_follow_the_axes_and_time() -> None:
    shape = SQUARE - Disk((1, 1), 0.5, name="bite")
    assert {part.name for part in shape.boundary(["a", "b"])} == {"a-", "a+", "b-", "b+", "bite.circle"}
    during = (shape * Time(0, 1)).boundary(["a", "b", "t"])
    assert [part.name for part in during] == [part.name for part in shape.boundary(["a", "b"])]
