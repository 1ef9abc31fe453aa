"""What every plane shape promises beyond a domain: closed loops, corners, and all else from its edges alone."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.geometry import Annulus, Curve, Disk, Domain, Edge, Ellipse, LShape, PlaneShape, Polygon, arc, segment
from fspielm.geometry.domain import corners_of

AXES = ("x", "y")


@dataclass(frozen=True)
class Bare(PlaneShape):
    """Another shape's edges, so that nothing but the defaults of plane shapes is at work."""

    shape: PlaneShape

    def _edges(self, axes: Any) -> tuple[Edge, ...]:
        return self.shape._edges(axes)


@pytest.fixture
def shape(case: Any) -> PlaneShape:
    """Each plane shape in turn."""
    if not isinstance(case.domain, PlaneShape):
        pytest.skip("not a plane shape")
    return case.domain


def test_each_edge_begins_where_one_ends(shape: PlaneShape, case: Any) -> None:
    curves = [edge.curve for edge in shape._edges(AXES)]
    ends = np.array([curve.ends for curve in curves])
    assert sorted(itertools.chain(*shape._contour.loops)) == list(range(len(curves)))
    for loop in shape._contour.loops:
        for before, after in zip(loop, [*loop[1:], loop[0]], strict=True):
            assert ends[before, 1] == pytest.approx(ends[after, 0], abs=case.rounding)


def test_edges_alone_give_area_box_and_membership(shape: PlaneShape, case: Any, rng: np.random.Generator) -> None:
    bare = Bare(shape)
    assert bare.measure == pytest.approx(case.measure, rel=1e-12)
    assert np.array(bare.bounding_box) == pytest.approx(np.array(shape.bounding_box), abs=case.rounding)
    lower, upper = shape.bounding_box
    points = lower + (upper - lower) * (1.2 * rng.random((20_000, 2)) - 0.1)
    assert np.array_equal(bare.contains(points), shape.contains(points))


def test_the_boundary_is_told_from_what_lies_beside_it(shape: PlaneShape, case: Any, rng: np.random.Generator) -> None:
    """On it up to rounding, and on the right side a little farther off; neither depends on a formula of the shape."""
    bare = Bare(shape)
    step = 10 * case.rounding
    for part in bare.boundary():
        sites = part.place(0.01 + 0.98 * rng.random((2000, 1)))
        assert sites.normals is not None
        for closed in (True, False):
            assert (bare._contains(sites.points, closed) == closed).all()
            assert not bare._contains(sites.points + step * sites.normals, closed).any()
            assert bare._contains(sites.points - step * sites.normals, closed).all()


def test_corners_open_into_the_interior(shape: PlaneShape, case: Any) -> None:
    names = {part.name for part in shape.boundary()}
    lower, upper = shape.bounding_box
    for corner in shape.corners():
        assert set(corner.parts) <= names
        assert case.distance(corner.parts[0], np.array([corner.point])).max() <= case.rounding
        radius = 1e-4 * float(np.min(upper - lower))
        angles = corner.start + corner.opening * np.array([-0.02, 0.02, 0.5, 0.98, 1.02])
        ring = np.array(corner.point) + radius * np.column_stack([np.cos(angles), np.sin(angles)])
        assert shape.contains(ring).tolist() == [False, True, True, True, False]


def test_turns_add_up_to_one_per_loop(shape: PlaneShape) -> None:
    """Along each loop the direction turns once, counterclockwise around the outline and clockwise around holes."""
    edges = shape._edges(AXES)
    turned = sum(math.pi - corner.opening for corner in shape.corners())
    for edge in edges:
        t = np.linspace(edge.curve.t0, edge.curve.t1, 20_001)
        if edge.curve.t1 - edge.curve.t0 < 1 + 1e-9 and edge.curve.straight:
            continue
        dx, dy = edge.curve.tangent(t).T
        turned += np.sum(np.arctan2(dx[:-1] * dy[1:] - dy[:-1] * dx[1:], dx[:-1] * dx[1:] + dy[:-1] * dy[1:]))
    holes = len(shape._contour.loops) - 1
    assert turned == pytest.approx(2 * math.pi * (1 - holes), abs=1e-6)


MOVABLE: list[Any] = [
    lambda d: LShape(d, 1),
    lambda d: Ellipse(d, (2, 1), 0.3),
    lambda d: Annulus(d, 1, 2),
    lambda d: Polygon(
        np.array([(0, 0), (4, 1), (1, 1), (0, 4)]) + d, [np.array([(0.2, 0.2), (0.8, 0.4), (0.2, 0.8)]) + d]
    ),
    lambda d: Curve(
        lambda t: d[0] + np.cos(t) + np.cos(2 * t) / 4,
        lambda t: d[1] + np.sin(t),
        derivative=(lambda t: -np.sin(t) - np.sin(2 * t) / 2, np.cos),
    ),
    lambda d: Bare(Disk(d, 1)),
]


@pytest.mark.parametrize("make", MOVABLE)
@pytest.mark.parametrize("offset", [(1e6, -2e6), (-1e9, 1e3)])
def test_far_from_the_origin(make: Any, offset: tuple[float, float], rng: np.random.Generator) -> None:
    """A shape of unit size keeps area, membership and corners, as well as the spacing of numbers lets it."""
    home, away = make((0.0, 0.0)), make(offset)
    spacing = 2.2e-16 * max(map(abs, offset))
    assert away.measure == pytest.approx(home.measure, rel=100 * spacing)
    assert np.array(away.bounding_box) - offset == pytest.approx(np.array(home.bounding_box), abs=4 * spacing)
    lower, upper = home.bounding_box
    points = lower + (upper - lower) * rng.random((20_000, 2))
    clear = np.ones(len(points), dtype=bool)
    for step in itertools.product((-200 * spacing, 200 * spacing), repeat=2):
        clear &= home.contains(points + np.array(step)) == home.contains(points)
    assert clear.mean() > 0.95
    assert np.array_equal(away.contains(points + offset)[clear], home.contains(points)[clear])
    for here, there in zip(home.corners(), away.corners(), strict=True):
        assert there.opening == pytest.approx(here.opening, abs=100 * spacing)
    for part in away.boundary():
        sites = part.sample(500, rng)
        assert away.contains(sites.points).all()
        assert not away._contains(sites.points, False).any()


def test_known_corners() -> None:
    (reentrant,) = (corner for corner in LShape((1, 2), 3).corners() if corner.opening > math.pi)
    assert reentrant.point == (1, 2)
    assert reentrant.opening == pytest.approx(3 * math.pi / 2, abs=1e-15)
    assert reentrant.start == 0
    assert reentrant.parts == ("notch y-", "notch x+")
    assert len(LShape().corners()) == 6
    assert Disk((0, 0), 1).corners() == Annulus((0, 0), 1, 2).corners() == ()
    # a vertex on a straight side is no corner
    assert len(Polygon([(0, 0), (1, 0), (2, 0), (2, 1), (0, 1)]).corners()) == 4


def test_the_missing_quadrant_is_the_lower_right_one() -> None:
    quadrants = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
    assert LShape().contains(quadrants).tolist() == [True, True, True, False]
    assert LShape().rotated(math.pi / 2).contains(quadrants).tolist() == [False, True, True, True]


def test_corners_take_the_names_of_axes_and_shape() -> None:
    corner = LShape(name="room").corners(("r", "z"))[0]
    assert corner.parts == ("room.notch z-", "room.notch r+")


def test_cusps() -> None:
    """A disk without another that touches it from inside opens by nothing where they touch; its outside by all."""
    outer, inner = arc((2, 0), 2, -math.pi, math.pi), arc((1, 0), 1, math.pi, -math.pi)
    within = corners_of([outer, inner], ["outer", "inner"], [(0, 1)])
    without = corners_of([outer.reversed(), inner.reversed()], ["outer", "inner"], [(0, 1)])
    assert [corner.opening for corner in within] == [0, 0]
    assert [corner.opening for corner in without] == [2 * math.pi] * 2


def test_loops_that_do_not_close() -> None:
    @dataclass(frozen=True)
    class Gap(PlaneShape):
        def _edges(self, axes: Any) -> tuple[Edge, ...]:
            return (Edge("a", segment((0, 0), (1, 0))), Edge("b", segment((1, 0.5), (0, 0))))

    with pytest.raises(ProblemError, match=r"Gap.*closed loops.*curve 0.*0\.5"):
        _ = Gap().measure

    @dataclass(frozen=True)
    class Open(PlaneShape):
        def _edges(self, axes: Any) -> tuple[Edge, ...]:
            return (Edge("a", segment((0, 0), (1, 0))), Edge("b", segment((1, 0), (0, 1))))

    with pytest.raises(ProblemError, match=r"curve 1 ends at \(0, 1\).*is 1 from"):
        Open().contains([[0, 0]])


def test_names_and_values() -> None:
    shapes: list[Domain] = [
        Ellipse((0, 0), (2, 1), name="lens"),
        Annulus((0, 0), 1, 2, name="lens"),
        LShape(name="lens"),
        Polygon([(0, 0), (1, 0), (0, 1)], name="lens"),
        Curve(np.cos, np.sin, name="lens"),
    ]
    for shape in shapes:
        assert all(part.name.startswith("lens.") for part in shape.boundary())
        assert repr(shape).endswith("name='lens')")
    assert Ellipse((0, 0), (2, 1)) != shapes[0]
    assert repr(Ellipse((0, 0), (2, 1))) == "Ellipse(center=(0.0, 0.0), semi_axes=(2.0, 1.0), angle=0.0)"
    assert repr(LShape()) == "LShape(center=(0.0, 0.0), size=1.0)"
    with pytest.raises(ProblemError, match=r"LShape: name.*blanks.*' a'"):
        LShape(name=" a")
    with pytest.raises(ProblemError, match=r"Ellipse: name.*string.*got 3"):
        Ellipse((0, 0), (1, 1), name=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ellipse((0, 0), (1, 0)), r"semi_axes\[1\].*positive.*0\.0"),
        (lambda: Ellipse((0, 0), 1), r"Ellipse: semi_axes.*sequence"),
        (lambda: Ellipse((0, 0), (1, 2, 3)), r"Ellipse: semi_axes.*two coord"),
        (lambda: Ellipse((0, 0), (1, 2), math.nan), r"Ellipse: angle.*finite.*nan"),
        (lambda: Annulus((0, 0), 2, 1), r"Annulus: inner.*less than outer"),
        (lambda: Annulus((0, 0), 0, 1), r"Annulus: inner.*positive.*0\.0"),
        (lambda: Annulus((0,), 1, 2), r"Annulus: center.*two coordinates"),
        (lambda: LShape(size=-1), r"LShape: size.*positive.*-1\.0"),
        (lambda: LShape("ab"), r"LShape: center.*sequence"),
    ],
)
def test_bad_shapes(make: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        make()
