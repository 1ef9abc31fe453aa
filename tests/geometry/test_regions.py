"""Domains made of named regions: their boundary, where regions meet, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import fspielm as fs
from fspielm.geometry import borders_in, edges_of, regions_in

DISKS = fs.Regions(core=fs.Disk((0, 0), 1), shell=fs.Disk((0, 0), 2) - fs.Disk((0, 0), 1))
BOXES = fs.Regions(left=fs.Box((0, 0), (1, 1)), right=fs.Box((1, 0), (3, 1)))
LINE = fs.Regions(a=fs.Interval(0, 1) | fs.Interval(2, 3), b=fs.Interval(1, 2))


def test_the_whole() -> None:
    assert DISKS.dimension == 2
    assert DISKS.measure == pytest.approx(4 * np.pi)
    assert np.array(DISKS.bounding_box) == pytest.approx(np.array([[-2, -2], [2, 2]]))
    assert DISKS.contains([[1, 0], [1.5, 0], [2.1, 0]]).tolist() == [True, True, False]
    assert DISKS.region_of([[0.5, 0], [1, 0], [1.5, 0], [2.1, 0]]).tolist() == [0, 0, 1, -1]
    rule = DISKS.quadrature(400)
    assert rule.weights @ rule.points[:, 0] ** 2 == pytest.approx(4 * np.pi, rel=1e-6)
    assert pickle.loads(pickle.dumps(DISKS)) == DISKS
    assert edges_of(DISKS) is not None


def test_parts_are_those_of_the_whole_and_told_apart_by_region() -> None:
    assert [(p.name, p.measure) for p in DISKS.boundary()] == [("circle", pytest.approx(4 * np.pi))]
    names = {part.name for part in BOXES.boundary(["x", "y"])}
    assert names == {"x-", "x+", "left.y-", "left.y+", "right.y-", "right.y+"}
    assert len(BOXES.corners()) == 4


def test_regions_meet() -> None:
    (border,) = DISKS.interfaces
    assert (border.name, border.sides) == ("core | shell", ("core", "shell"))
    sites = border.part.sample(20, np.random.default_rng(0))
    assert np.hypot(*sites.points.T) == pytest.approx(1)
    assert sites.normals == pytest.approx(sites.points)
    (side,) = BOXES.interfaces
    assert side.curves[0].straight
    assert side.part.place(np.array([[0.25]])).normals == pytest.approx(np.array([[1, 0]]))


def test_on_a_line() -> None:
    assert [part.name for part in LINE.boundary()] == ["x-", "x+"]
    assert LINE.measure == 3
    assert [border.name for border in LINE.interfaces] == ["a | b (1)", "a | b (2)"]
    places = [border.part.place(np.empty((1, 0))) for border in LINE.interfaces]
    assert [(float(s.points[0, 0]), float(s.normals[0, 0])) for s in places] == [(1, 1), (2, -1)]


def test_with_time() -> None:
    domain = BOXES * fs.Time(0, 2)
    assert regions_in(domain) is BOXES
    (border,) = borders_in(domain)
    assert border.part.measure == pytest.approx(2)
    assert regions_in(fs.Disk((0, 0), 1)) is None
    assert borders_in(fs.Disk((0, 0), 1)) == ()


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"a": fs.Disk((0, 0), 1)}, r"two or more.*names.*got 1"),
        ({"a": fs.Disk((0, 0), 1), "b": fs.Disk((0, 0), 2)}, r"'a' and 'b' overlap.*3.14"),
        ({"a": fs.Interval(0, 1), "b": fs.Interval(0.75, 2)}, "overlap, by the length 0.25"),
        ({"a": fs.Disk((0, 0), 1), "b": fs.Disk((0, 0), 2) - fs.Disk((0, 0), 1.1)}, r"'a' touches no other.*0.1"),
        ({"a": fs.Interval(0, 1), "b": fs.Interval(1.5, 2)}, r"touches no other region.*0.5"),
        (
            {"a": fs.Box((0, 0), (1, 1)), "b": fs.Box((-1, -1), (2, 2)) - fs.Box((0, 0), (1.01, 1))},
            r"'a' and 'b'.*gap.*area 0.01",
        ),
        (  # open at one end
            {"a": fs.Box((0, 0), (1, 1)), "b": fs.Box((1.01, 0), (2, 1)), "c": fs.Box((0, 1), (2, 2))},
            r"gap.*0.01 along 1, near",
        ),
        ({"a": fs.Box((0, 0), (1, 1)), "b": fs.Box((1, 1), (2, 2))}, r"'a' touches no.*'b' at \(1, 1\)"),
        (
            {name: fs.Interval(*ends) for name, ends in zip("abcd", [(0, 1), (1, 2), (2.5, 3), (3, 4)], strict=True)},
            r"'a' and 'b' touch.*'c'.*0.5.*'b'",
        ),
        (
            {"a": fs.Box((0, 0), (1, 1)), "b": fs.Box((1, 0), (1 + 1e-12, 1)), "c": fs.Box((1 + 1e-12, 0), (2, 1))},
            r"'b'.*1e-12 thin.*4e-09",
        ),
        (
            {"a": fs.Interval(0, 1), "b": fs.Interval(1, 1 + 1e-13), "c": fs.Interval(1 + 1e-13, 2)},
            "'b' is about 1e-13",
        ),
        ({"a": fs.Interval(0, 1), "b": fs.Disk((0, 0), 1)}, "same dimension; a has 1, b has 2"),
        ({"a": fs.Ball((0, 0, 0), 1), "b": fs.Ball((2, 0, 0), 1)}, "intervals or plane shapes"),
        ({"a": fs.Interval(0, 1), "b": 3}, "b must be a shape"),
        ({"a": fs.Interval(0, 1) * fs.Time(0, 1), "b": fs.Interval(1, 2)}, "has its time already"),
    ],
)
def test_refused(shapes: dict[str, fs.Domain], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.Regions(**shapes)
