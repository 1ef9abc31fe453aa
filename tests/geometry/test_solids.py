"""Balls and cylinders: their parts, places and arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.geometry import Ball, Cylinder


def test_parts_are_named() -> None:
    assert [part.name for part in Ball((0, 0, 0), 1).boundary()] == ["sphere"]
    assert [part.name for part in Cylinder((0, 0, 0), 1, 2).boundary()] == ["side", "bottom", "top"]


def test_names_come_before_those_of_the_parts() -> None:
    core, bore = Ball((0, 0, 0), 1, name="core"), Cylinder((0, 0, 0), 1, 2, name="bore")
    assert [part.name for part in core.boundary()] == ["core.sphere"]
    assert [part.name for part in bore.boundary()] == ["bore.side", "bore.bottom", "bore.top"]
    assert core != Ball((0, 0, 0), 1)


def test_repr() -> None:
    assert repr(Ball((0, 1, 2), 3)) == "Ball(center=(0.0, 1.0, 2.0), radius=3.0)"
    assert repr(Ball((0, 1, 2), 3, name="core")) == "Ball(center=(0.0, 1.0, 2.0), radius=3.0, name='core')"
    cylinder = Cylinder((0, 0, 0), 1, 2, axis=0, name="bore")
    assert repr(cylinder) == "Cylinder(center=(0.0, 0.0, 0.0), radius=1.0, height=2.0, axis='x', name='bore')"
    assert eval(repr(cylinder)) == cylinder


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_cylinder_stands_along_its_axis(axis: int, rng: np.random.Generator) -> None:
    cylinder = Cylinder((1, 2, 3), 0.5, 4, axis)
    assert cylinder == Cylinder((1, 2, 3), 0.5, 4, "xyz"[axis])
    side, bottom, top = (part.sample(100, rng) for part in cylinder.boundary())
    middle = (1, 2, 3)[axis]
    assert (bottom.points[:, axis] == middle - 2).all()
    assert (top.points[:, axis] == middle + 2).all()
    assert (bottom.normals[:, axis] == -1).all()
    assert (top.normals[:, axis] == 1).all()
    assert (side.normals[:, axis] == 0).all()
    assert np.ptp(side.points[:, axis]) > 3.5


def test_boundary_belongs_to_the_closed_domain_alone(rng: np.random.Generator) -> None:
    for domain in (Ball((10, 0, 0), 0.1), Cylinder((1, 2, 3), 0.5, 4, "y")):
        for part in domain.boundary():
            points = part.sample(500, rng).points
            assert domain._contains(points, True).all()
            assert not domain._contains(points, False).any()


def test_closed_parts_are_sampled_evenly_even_if_clustered(rng: np.random.Generator) -> None:
    """A sphere has no rim to cluster toward, the side of a cylinder has two."""
    (sphere,) = Ball((0, 0, 0), 1).boundary()
    heights = sphere.sample(4000, rng, "clustered").points[:, 2]
    assert np.mean(np.abs(heights) > 0.9) == pytest.approx(0.1, abs=0.01)
    side = Cylinder((0, 0, 0), 1, 2).boundary()[0]
    sites = side.sample(4000, rng, "clustered")
    assert np.mean(np.abs(sites.points[:, 2]) > 0.9) == pytest.approx(2 * np.arccos(0.9) / np.pi, abs=0.01)
    assert np.mean(sites.points[:, 0] > 0) == pytest.approx(0.5, abs=0.01)


def test_closed_parts_in_time_cluster_in_time_alone(rng: np.random.Generator) -> None:
    (sphere,) = (Ball((0, 0, 0), 1) * fs.Time(0, 1)).boundary()
    points = sphere.sample(4000, rng, "clustered").points
    assert np.mean(np.abs(points[:, 2]) > 0.9) == pytest.approx(0.1, abs=0.01)
    assert np.mean(np.abs(points[:, 3] - 0.5) > 0.45) == pytest.approx(2 * np.arccos(0.9) / np.pi, abs=0.01)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ball((0, 0), 1), r"Ball: center.*three.*got 2"),
        (lambda: Ball((0, 0, 0), 0), r"Ball: radius.*positive.*0.0"),
        (lambda: Ball((0, 0, np.inf), 1), r"center\[2\].*finite.*inf"),
        (lambda: Ball((0, 0, 0), 1, name=3), r"Ball: name.*string.*got 3"),
        (lambda: Cylinder((0, 0, 0), -1, 1), r"Cylinder: radius.*positive.*-1.0"),
        (lambda: Cylinder((0, 0, 0), 1, 0), r"Cylinder: height.*positive.*0.0"),
        (lambda: Cylinder((0, 0, 0), 1, 1, "w"), r"Cylinder: axis.*got 'w'"),
        (lambda: Cylinder((0, 0, 0), 1, 1, 3), r"Cylinder: axis.*got 3"),
        (lambda: Cylinder((0, 0, 0), 1, 1, True), r"Cylinder: axis.*got True"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        make()


def test_shapes_are_exported() -> None:
    assert {"Ball", "Cylinder", "Ellipsoid", "Surface"} <= set(fs.__all__)
