"""Moved, scaled and rotated domains; those of the plane also run through the contract suite."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.geometry import Box, Disk, Domain, Interval, PlaneShape, Time, Transformed
from fspielm.geometry.shapes.pacman import Pacman

SQUARE = Box((0, 0), (1, 1))
BRICK = Box((0, 0, 0), (1, 2, 3))


def box_of(domain: Domain) -> np.ndarray:
    return np.array(domain.bounding_box)


def test_moved() -> None:
    assert box_of(SQUARE.moved((2, -1))) == pytest.approx(np.array([[2, -1], [3, 0]]), abs=1e-15)
    assert box_of(Interval(0, 1).moved([3])) == pytest.approx(np.array([[3], [4]]), abs=1e-15)
    assert Disk((0, 0), 1).moved((5, 5)).contains([[5, 5], [5, 6], [5, 6.001]]).tolist() == [True, True, False]


def test_scaled_about_the_middle_or_a_point() -> None:
    assert box_of(SQUARE.scaled(2)) == pytest.approx(np.array([[-0.5, -0.5], [1.5, 1.5]]), abs=1e-15)
    assert box_of(SQUARE.scaled(2, center=(0, 0))) == pytest.approx(np.array([[0, 0], [2, 2]]), abs=1e-15)
    assert SQUARE.scaled(3).measure == pytest.approx(9)
    assert [part.measure for part in SQUARE.scaled(3).boundary()] == pytest.approx([3] * 4)
    assert BRICK.scaled(2).measure == pytest.approx(48)
    assert [part.measure for part in BRICK.scaled(2).boundary()] == pytest.approx([24, 24, 12, 12, 8, 8])
    assert Interval(0, 1).scaled(0.5).measure == 0.5
    assert [part.measure for part in Interval(0, 1).scaled(0.5).boundary()] == [1, 1]  # points stay points


def test_rotated_in_the_plane() -> None:
    diamond = SQUARE.rotated(math.pi / 4)
    assert box_of(diamond) == pytest.approx(0.5 + np.array([[-1, -1], [1, 1]]) / math.sqrt(2), abs=1e-15)
    (left,) = (part for part in diamond.boundary() if part.name == "x-")
    sites = left.place(np.array([[0.5]]))
    assert sites.normals[0] == pytest.approx(-np.array([1, 1]) / math.sqrt(2), abs=1e-15)
    assert sites.points[0] == pytest.approx(0.5 - 0.5 * np.array([1, 1]) / math.sqrt(2), abs=1e-15)
    quarter = Pacman((0, 0), 1).rotated(math.pi / 2, center=(0, 0))
    assert quarter.contains([[0, 0.5], [0.5, 0]]).tolist() == [False, True]  # the mouth opens upward


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (1, -2, 0.5)])
def test_rotated_in_space(axis: tuple[float, float, float], rng: np.random.Generator) -> None:
    turned = BRICK.rotated(0.8, axis=axis, center=(0, 0, 0))
    rows = np.array(turned.matrix)
    assert rows @ rows.T == pytest.approx(np.eye(3), abs=1e-15)
    assert rows @ axis == pytest.approx(axis, abs=1e-15)
    assert np.trace(rows) == pytest.approx(1 + 2 * math.cos(0.8))
    points = BRICK.sample(100, rng)
    assert turned.contains(points @ rows.T).all()
    for part, before in zip(turned.boundary(), BRICK.boundary(), strict=True):
        unit = rng.random((20, 2))
        assert part.name == before.name
        assert part.measure == pytest.approx(before.measure)
        assert part.place(unit).points == pytest.approx(before.place(unit).points @ rows.T, abs=1e-14)
        assert part.place(unit).normals == pytest.approx(before.place(unit).normals @ rows.T, abs=1e-15)
        assert turned.contains(part.place(unit).points).all()
        assert not turned._contains(part.place(unit).points, False).any()
    corners = np.array(np.meshgrid([0, 1], [0, 2], [0, 3])).reshape(3, -1).T @ rows.T
    assert box_of(turned) == pytest.approx(np.array([corners.min(axis=0), corners.max(axis=0)]), abs=1e-15)


def test_the_z_axis_is_the_usual_one() -> None:
    assert BRICK.rotated(0.3) == BRICK.rotated(0.3, axis=(0, 0, 2))


def test_a_cut_part_keeps_its_cut(rng: np.random.Generator) -> None:
    notch = (BRICK - Box((0.5, 1, 1), (2, 3, 4))).rotated(1.0, axis=(1, 1, 1)).moved((3, 0, 0)).scaled(2)
    assert notch.measure == pytest.approx(8 * (6 - 1), rel=1e-12)
    for part in notch.boundary():
        sites = part.sample(50, rng)
        assert notch.contains(sites.points).all()
        assert notch.contains(sites.points - 1e-6 * sites.normals).all()
        assert not notch.contains(sites.points + 1e-6 * sites.normals).any()


def test_one_after_the_other_is_one() -> None:
    shape = SQUARE.moved((1, 0)).rotated(math.pi / 2, center=(0, 0)).scaled(2, center=(0, 0)).moved((0, 1))
    assert isinstance(shape, Transformed)
    assert shape.shape is SQUARE
    assert np.array(shape.matrix) == pytest.approx(np.array([[0, -2], [2, 0]]), abs=1e-15)
    assert shape.offset == pytest.approx((0, 3))
    assert isinstance(shape, PlaneShape)
    assert repr(SQUARE.moved((1, 0))) == f"Transformed({SQUARE!r}, matrix=((1.0, 0.0), (0.0, 1.0)), offset=(1.0, 0.0))"


def test_names_stay() -> None:
    named = Disk((0, 0), 1, name="hole").moved((1, 1))
    assert [part.name for part in named.boundary()] == ["hole.circle"]
    assert [part.name for part in BRICK.rotated(1.0).boundary(["a", "b", "c"])] == ["a-", "a+", "b-", "b+", "c-", "c+"]


def test_time_comes_after() -> None:
    assert (SQUARE.rotated(1.0) * Time(0, 2)).measure == pytest.approx(2)


@pytest.mark.parametrize("domain", [SQUARE.rotated(1.0), BRICK.rotated(1.0), Disk((0, 0), 1).moved((1, 0))])
def test_transformed_domains_are_values(domain: Domain) -> None:
    domain.boundary()
    for twin in (copy.deepcopy(domain), pickle.loads(pickle.dumps(domain))):
        assert twin == domain
        assert hash(twin) == hash(domain)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SQUARE.moved((1, 2, 3)), r"moved: offset.*2.*got 3"),
        (lambda: SQUARE.moved(1), r"moved: offset.*sequence"),
        (lambda: SQUARE.scaled(0), r"scaled: factor.*positive.*got 0"),
        (lambda: SQUARE.scaled(-1), r"scaled: factor.*positive.*got -1"),
        (lambda: SQUARE.scaled((1, 2)), r"scaled: factor.*a number.*\(1, 2\)"),
        (lambda: SQUARE.scaled(2, center=(0,)), r"scaled: center.*2 coordinates"),
        (lambda: SQUARE.rotated("quarter"), r"rotated: angle.*a number.*'quarter'"),
        (lambda: SQUARE.rotated(1, axis=(0, 0, 1)), r"rotated: axis.*three dimensions"),
        (lambda: BRICK.rotated(1, axis=(0, 0, 0)), r"rotated: axis must not be zero"),
        (lambda: BRICK.rotated(1, axis=(0, 1)), r"rotated: axis.*3 coordinates"),
        (lambda: BRICK.rotated(1, center=(0, 1)), r"rotated: center.*3 coordinates"),
        (lambda: Interval(0, 1).rotated(1), r"rotated:.*dimension 1 .*2 or 3"),
        (lambda: Box((0,) * 4, (1,) * 4).rotated(1), r"rotated:.*dimension 4"),
        (lambda: (SQUARE * Time(0, 1)).moved((1, 1, 0)), r"in space.*has its time already"),
        (lambda: (SQUARE * Time(0, 1)).scaled(2), r"moved\(offset\) \* Time"),
        (lambda: (SQUARE * Time(0, 1)).rotated(2), r"in space, then.*by Time"),
    ],
)
def test_refused(make: Callable[[], Domain], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        make()


def test_axes_of_rotation_by_letter() -> None:
    box = Box((0, 0, 0), (1, 2, 3))
    assert box.rotated(0.3, axis="y") == box.rotated(0.3, axis=(0, 1, 0))
    assert box.rotated(0.3) == box.rotated(0.3, axis="z")
