"""All of the plane outside of shapes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry.exterior import SpaceExterior

TWO = fs.Exterior(fs.Disk((0, 0), 1), fs.Box((2, 0), (3, 1)))


def test_contains_all_but_the_objects() -> None:
    points = [[0.5, 0.0], [2.5, 0.5], [1.5, 0.0], [1e6, -1e6], [1.0, 0.0]]
    assert TWO.contains(points).tolist() == [False, False, True, True, True]


def test_its_box_is_a_window_and_its_points_lie_there() -> None:
    lower, upper = TWO.bounding_box
    assert lower.tolist() == [-3.0, -3.0]
    assert upper.tolist() == [5.0, 3.0]
    assert TWO.measure == pytest.approx(48 - np.pi - 1)
    points = TWO.sample(200, np.random.default_rng(0))
    assert TWO.contains(points).all()
    assert np.all((points >= lower) & (points <= upper))
    assert fs.Exterior(fs.Disk((0, 0), 1), window=((-2, -2), (4, 5))).bounding_box[1].tolist() == [4.0, 5.0]


def test_objects_lie_in_others() -> None:
    shapes = fs.Disk((0, 0), 2), fs.Disk((0.3, 0), 1), fs.Disk((5, 0), 1), fs.Box((0.2, 0.1), (0.4, 0.3))
    outside = fs.Exterior(*shapes)
    assert outside.around == (-1, 0, -1, 1)
    assert outside.solid == (0, 2)
    assert outside.owners == (0, 1, 2, 3)
    assert outside.measure == pytest.approx(np.prod(np.ptp(outside.bounding_box, axis=0)) - 5 * np.pi)
    assert [[part.name for part in parts] for parts in outside.object_parts()][1:3] == [["circle (2)"], ["circle (3)"]]
    points = [[1.9, 0.0], [1.0, 0.0], [0.3, 0.2], [5.0, 0.0], [9.0, 9.0], [1.3, 0.0]]
    assert outside.contains(points).tolist() == [False] * 4 + [True, False]
    filled = outside.filled([0, 1])
    assert filled.solid == (2, 3)
    assert filled.contains(points).tolist() == [True, True, False, False, True, True]
    assert pickle.loads(pickle.dumps(filled)).solid == (2, 3)
    assert fs.Exterior(fs.Ball((0, 0, 0), 1), fs.Ball((0, 0, 0.2), 0.5), fs.Ball((3, 0, 0), 1)).around == (-1, 0, -1)
    assert fs.Exterior(fs.Ball((0, 0, 0), 0.3), fs.Ellipsoid((0, 0, 0.1), (1, 1, 0.8))).around == (1, -1)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.234])
@pytest.mark.parametrize("gap", [0.0, 1e-12, -1e-3])
def test_objects_in_others_must_not_touch(angle: float, gap: float) -> None:
    for inner in (0.5, -0.5):  # in the other one, or beside it
        away = (1 - inner - gap) if inner > 0 else (1 - inner + gap)
        center = away * np.cos(angle), away * np.sin(angle)
        with pytest.raises(fs.ProblemError, match="overlap or touch"):
            fs.Exterior(fs.Disk((0, 0), 1), fs.Disk(center, abs(inner)))


def test_normals_point_into_the_objects_and_corners_open_outward() -> None:
    (circle,) = [part for part in TWO.boundary() if part.name == "circle"]
    sites = circle.place(np.linspace(0, 1, 9)[:, None])
    assert sites.normals is not None
    assert np.allclose(sites.normals, -sites.points)
    assert [corner.opening for corner in TWO.corners()] == pytest.approx([1.5 * np.pi] * 4)
    assert len(TWO.loops) == 2


def test_objects_of_one_name_are_one_part() -> None:
    many = fs.Exterior(*(fs.Disk((3 * i, 0), 1) for i in range(3)), fs.Disk((0, 5), 1, name="top"))
    assert [part.name for part in many.boundary()] == ["circle", "top.circle"]
    assert many.boundary()[0].measure == pytest.approx(6 * np.pi)


def test_is_pickled() -> None:
    again = pickle.loads(pickle.dumps(TWO))
    assert again.contains([[0.0, 0.0], [9.0, 0.0]]).tolist() == [False, True]
    assert repr(again) == repr(TWO)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fs.Exterior(), "at least one shape"),
        (lambda: fs.Exterior(TWO), "has no end; name the objects"),
        (lambda: fs.Exterior(fs.Annulus((0, 0), 1, 2)), r"hole.*object.*Transparent\(k, on="),
        (lambda: fs.Exterior([fs.Disk((0, 0), 1)]), r"Exterior\(a, b\).*without the list"),  # type: ignore[arg-type]
        (lambda: fs.Exterior(fs.Disk((0, 0), 1), window=((3, 3), (-3, -3))), r"least coordinates.*window=\(\(-3"),
        (lambda: fs.Exterior(fs.Ball((0, 0, 0), 1), fs.Ball((0, 0, 0.5), 0.5)), "overlap or touch"),
        (
            lambda: fs.Exterior(fs.Regions(a=fs.Disk((0, 0), 1), b=fs.Disk((0, 0), 2) - fs.Disk((0, 0), 1))),
            r"made of regions.*objects",
        ),
        (lambda: fs.Exterior(fs.Disk((0, 0), 1), fs.Ball((0, 0, 0), 1)), r"be plane.*be in space"),
        (lambda: fs.Exterior(fs.Box((0, 0, 0), (1, 1, 1))), r"fs.Ball and fs.Ellipsoid"),
        (lambda: fs.Exterior(fs.Ball((0, 0, 0), 1), fs.Ball((1.9, 0, 0), 1)), "objects must be apart"),
        (lambda: fs.Exterior(fs.Ball((0, 0, 0), 1), window=((0, 0, 0), (2, 2, 2))), "must reach beyond the objects"),
        (lambda: fs.Exterior(fs.Disk((0, 0), 1) * fs.Time(0, 1)), "without time"),
        (lambda: fs.Exterior(3), "such as fs.Disk"),  # type: ignore[arg-type]
        (lambda: fs.Exterior(fs.Disk((0, 0), 1), fs.Disk((1, 0), 1)), "overlap or touch; move"),
        (lambda: fs.Exterior(fs.Disk((0, 0), 1), window=((0, 0), (2, 2))), "must reach beyond the objects"),
        (lambda: TWO & fs.Disk((0, 0), 5), "combine its objects"),
        (lambda: TWO * fs.Time(0, 1), "leave fs.Time out"),
        (lambda: TWO.quadrature(100), "no end to integrate"),
    ],
)
def test_refuses(make: object, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make()  # type: ignore[operator]


def test_a_shape_of_several_curves_and_one_of_a_formula() -> None:
    t = sp.Symbol("t")
    shapes = fs.PolarCurve(1 + sp.cos(3 * t) / 4), fs.Disk((3, 0), 1) | fs.Disk((4, 0), 1)
    outside = fs.Exterior(*shapes)
    points = np.random.default_rng(1).uniform(-2, 6, (400, 2))
    assert np.array_equal(outside.contains(points), ~(shapes[0].contains(points) | shapes[1].contains(points)))


def test_in_space_it_is_outside_of_balls_and_ellipsoids() -> None:
    shapes = fs.Ball((0, 0, 0), 1), fs.Ellipsoid((3, 0, 0), (0.5, 1, 2)).rotated(0.7, axis="x"), fs.Ball((0, 4, 0), 1)
    outside = fs.Exterior(*shapes)
    points = np.random.default_rng(1).uniform(-2, 5, (400, 3))
    inside = np.any([shape.contains(points) for shape in shapes], axis=0)
    assert np.array_equal(outside.contains(points), ~inside)
    assert outside.contains(outside.sample(100, np.random.default_rng(0))).all()
    assert [part.name for part in outside.boundary()] == ["sphere", "ellipsoid"]
    assert outside.boundary()[0].measure == pytest.approx(8 * np.pi)
    assert outside.filled().contains(points).all()
    again = pickle.loads(pickle.dumps(outside))
    assert np.array_equal(again.contains(points), ~inside)


def test_bodies_are_the_ellipsoids_that_shapes_are() -> None:
    shape = fs.Ellipsoid((1, 0, 0), (0.5, 1, 2)).rotated(0.7, axis="x").scaled(2).moved((0, 0, 3))
    outside = fs.Exterior(shape)
    assert isinstance(outside, SpaceExterior)
    sites = outside.bodies[0].sites(np.random.default_rng(0).random((50, 2)))
    (part,) = outside.boundary()
    assert sites.normals is not None
    assert (shape._side(sites.points) == 0).all()
    assert not shape.contains(sites.points - 1e-6 * sites.normals).any()
    assert shape.contains(part.sample(50, np.random.default_rng(0)).points).all()
