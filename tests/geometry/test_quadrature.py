"""Integrals known in closed form, over domains and boundary parts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from numpy.polynomial import Polynomial
from scipy.special import j0, j1

from fspielm.errors import ProblemError
from fspielm.geometry import (
    Ball,
    BoundaryPart,
    Box,
    Cylinder,
    Disk,
    Domain,
    Edge,
    Interval,
    PlaneShape,
    PolarCurve,
    Quadrature,
    Sites,
    Time,
    arc,
    segment,
)
from fspielm.geometry.boundary import gauss
from fspielm.geometry.plane import section_rule
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda

K = np.array([3.0, -2.0, 1.5])


class Frame(PlaneShape):
    """A polygon with holes, by its loops: counterclockwise outside, clockwise around holes."""

    def __init__(self, *loops: list[tuple[float, float]]) -> None:
        self.loops = loops

    bounding_box = property(lambda self: (np.min(self.loops[0], axis=0), np.max(self.loops[0], axis=0)))
    measure = property(lambda self: sum(_shoelace(loop) for loop in self.loops))

    def _contains(self, points, closed):
        raise NotImplementedError

    def _edges(self, axes):
        ends = [pair for loop in self.loops for pair in zip(loop, loop[1:] + loop[:1], strict=True)]
        return tuple(Edge("rim", segment(*pair)) for pair in ends)


def _shoelace(loop):
    (x, y), (x1, y1) = np.transpose(loop), np.transpose(loop[1:] + loop[:1])
    return 0.5 * float(np.sum(x * y1 - x1 * y))


SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
HOLES = [[(1.0, 1.0), (1.0, 2.0), (1.7, 1.0)], [(2.5, 2.0), (2.2, 3.1), (3.0, 3.4), (3.3, 2.1)]]


def over(domain: Domain, function: Callable[[np.ndarray], np.ndarray], n: int) -> float:
    rule = domain.quadrature(n)
    return rule.integrate(function(rule.points))


def wave(points: np.ndarray) -> np.ndarray:
    return np.cos(points @ K[: points.shape[1]])


class TestClosedForms:
    def test_interval(self) -> None:
        assert over(Interval(-1, 2), lambda p: p[:, 0] ** 9, 5) == pytest.approx((2**10 - 1) / 10, rel=1e-14)

    def test_box(self) -> None:
        exact = math.prod((math.exp(b) - math.exp(a)) for a, b in ((0, 1), (1, 3), (-1, 0.5)))
        assert over(Box((0, 1, -1), (1, 3, 0.5)), lambda p: np.exp(p.sum(axis=1)), 1000) == pytest.approx(exact)

    def test_disk(self) -> None:
        k, radius, center = math.hypot(3, 2), 1.5, np.array([0.4, -1.0])
        exact = 2 * math.pi * radius * j1(k * radius) / k * math.cos(center @ K[:2])
        assert over(Disk(center, radius), wave, 600) == pytest.approx(exact, rel=1e-13)

    def test_ball(self) -> None:
        k, radius, center = np.linalg.norm(K), 1.5, np.array([0.4, -1.0, 2.0])
        a = k * radius
        exact = 4 * math.pi * (math.sin(a) - a * math.cos(a)) / k**3 * math.cos(center @ K)
        assert over(Ball(center, radius), wave, 5000) == pytest.approx(exact, rel=1e-12)
        (sphere,) = Ball(center, radius).boundary()
        rule = sphere.quadrature(2000)
        around = 4 * math.pi * radius**2 * math.sin(a) / a * math.cos(center @ K)
        assert rule.integrate(wave(rule.points)) == pytest.approx(around, rel=1e-12)

    @pytest.mark.parametrize("axis", [0, 1, 2])
    def test_cylinder(self, axis: int) -> None:
        radius, height, center = 1.2, 1.8, np.array([0.4, -1.0, 2.0])
        along, across = K[axis], np.linalg.norm(np.delete(K, axis))
        length, phase = 2 * math.sin(along * height / 2) / along, math.cos(center @ K)
        exact = 2 * math.pi * radius * j1(across * radius) / across * length * phase
        solid = Cylinder(center, radius, height, axis)
        assert over(solid, wave, 5000) == pytest.approx(exact, rel=1e-12)
        side = solid.boundary()[0].quadrature(2000)
        around = 2 * math.pi * radius * j0(across * radius) * length * phase
        assert side.integrate(wave(side.points)) == pytest.approx(around, rel=1e-11)

    def test_pacman(self) -> None:
        """Polynomials, in polar coordinates by SymPy."""
        r, t = sp.symbols("r t")
        mouth, radius = sp.Rational(7, 10), 2
        shape = Pacman((0, 0), radius, float(mouth))
        for a, b in ((0, 0), (1, 0), (3, 2), (4, 4)):
            moment = sp.integrate((r * sp.cos(t)) ** a * (r * sp.sin(t)) ** b * r, (r, 0, radius))
            exact = float(sp.integrate(moment, (t, mouth, 2 * sp.pi - mouth)))
            assert over(shape, lambda p, a=a, b=b: p[:, 0] ** a * p[:, 1] ** b, 2000) == pytest.approx(exact, rel=1e-12)

    def test_polygon_with_holes(self) -> None:
        """Polynomials, by Green's theorem with NumPy's polynomials along the edges."""
        frame = Frame(SQUARE, *HOLES)
        for a, b in ((0, 0), (2, 1), (3, 3)):
            exact = 0.0
            for loop in frame.loops:
                for (x0, y0), (x1, y1) in zip(loop, loop[1:] + loop[:1], strict=True):
                    x, y = Polynomial([x0, x1 - x0]), Polynomial([y0, y1 - y0])
                    exact += (x ** (a + 1) / (a + 1) * y**b * (y1 - y0)).integ()(1.0)
            found = over(frame, lambda p, a=a, b=b: p[:, 0] ** a * p[:, 1] ** b, 2000)
            assert found == pytest.approx(exact, rel=1e-13)

    def test_time(self) -> None:
        def heat(points: np.ndarray) -> np.ndarray:
            return np.exp(-points[:, 2]) * points[:, 0] ** 2

        exact = math.pi / 4 * (1 - math.exp(-3))
        assert over(Disk((0, 0), 1) * Time(0, 3), heat, 5000) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(
    ("shape", "most"),
    [
        (Disk((0, 0), 1), 1000),
        (Pacman((0, 0), 1, 0.5), 2500),
        (Pacman((0, 0), 1, 3.0), 2500),
        pytest.param(Panda(1.0), 20_000, marks=pytest.mark.slow),
        (PolarCurve(2 + sp.cos(5 * sp.Symbol("theta")) / 2), 22_000),
        (Frame(SQUARE, *HOLES), 6000),
    ],
    ids=["disk", "pacman", "crumb", "panda", "flower", "frame"],
)
def test_plane_shapes_reach_rounding(shape: PlaneShape, most: int) -> None:
    """A wave, against the flux of its field through the boundary."""
    k = np.array([7.0, -4.0])
    outer = 0.0
    for part in shape.boundary():
        rule = part.quadrature(4000)
        outer += rule.integrate(np.sin(rule.points @ k) * (rule.normals @ k) / (k @ k))
    errors = [abs(over(shape, lambda p: np.cos(p @ k), n) - outer) for n in (most // 20, most)]
    assert errors[1] < 1e-12 * shape.measure
    assert errors[0] < 2e-2 * shape.measure


def test_polygon_of_many_corners_has_a_few_nodes_for_each() -> None:
    angles = 2 * math.pi * np.arange(200) / 200
    loop = [(float(x), float(y)) for x, y in np.column_stack([np.cos(angles), 0.8 * np.sin(angles)])]
    rule = Frame(loop).quadrature(10)
    assert len(rule) < 2500
    assert rule.integrate(rule.points[:, 0] ** 2) == pytest.approx(math.pi * 0.8 / 4, rel=1e-3)


@pytest.mark.parametrize("angle", [0.0, 1e-15, -1e-12, 1e-8, -1e-3, 0.3, math.pi / 2])
def test_edges_that_are_nearly_upright(angle: float) -> None:
    """A rounded bar, rotated: corners and vertical tangents above each other, or nearly so."""
    cos, sin = math.cos(angle), math.sin(angle)

    def turned(x: float, y: float) -> tuple[float, float]:
        return 5 + x * cos - y * sin, x * sin + y * cos

    bar = [
        segment(turned(-1, -1), turned(1, -1)),
        arc(turned(1, 0), 1, angle - math.pi / 2, angle + math.pi / 2),
        segment(turned(1, 1), turned(-1, 1)),
        segment(turned(-1, 1), turned(-1, -1)),
    ]
    assert section_rule(bar, 800).weights.sum() == pytest.approx(4 + math.pi / 2, rel=1e-11)


def test_part_of_several_pieces_is_integrated_piece_by_piece() -> None:
    (rim,) = Frame(SQUARE).boundary()
    rule = rim.quadrature(16)
    assert len(rule) == 16
    assert rule.integrate(np.abs(rule.points[:, 0] - 4) ** 3) == pytest.approx(4**4 + 2 * 4**4 / 4, rel=1e-14)


def test_part_with_a_mask_is_integrated_by_points_of_equal_weight() -> None:
    def place(unit: np.ndarray) -> Sites:
        return Sites(np.column_stack([4 * unit, np.zeros(len(unit))]), np.tile([0.0, -1.0], (len(unit), 1)))

    half = BoundaryPart("half", 2.0, 1, place, keep=lambda points: points[:, 0] < 2)
    rule = half.quadrature(500)
    assert len(rule) == 500
    assert rule.points.max() < 2
    assert rule.integrate(rule.points[:, 0] ** 2) == pytest.approx(8 / 3, rel=2e-2)


def test_single_points_weigh_one() -> None:
    left, right = (part.quadrature(10) for part in Interval(2, 5).boundary())
    assert left.points.tolist() == [[2.0]]
    assert right.normals.tolist() == [[1.0]]
    assert left.weights.tolist() == [1.0]


def test_other_domains_have_points_of_equal_weight() -> None:
    class Blob(Domain):
        dimension = 2
        bounding_box = (np.zeros(2), np.ones(2))
        measure = math.pi / 4

        def _contains(self, points, closed):
            return np.hypot(*points.T) <= 1

        def _boundary(self, axes):
            raise NotImplementedError

    rule = Blob().quadrature(2000)
    assert np.ptp(rule.weights) == 0
    assert rule.integrate(rule.points[:, 0]) == pytest.approx(1 / 3, rel=5e-3)


def test_curves_that_do_not_close_are_refused() -> None:
    with pytest.raises(ProblemError, match=r"must close.*vertical line.*1 times"):
        section_rule([segment((0, 0), (1, 0)), segment((1, 0), (1, 1))], 10)


def test_values_are_checked() -> None:
    rule = Interval(0, 1).quadrature(4)
    assert rule.integrate([1, 2, 3, 4]) > 0
    with pytest.raises(ProblemError, match=r"values.*shape \(4,\).*shape \(3,\)"):
        rule.integrate(np.ones(3))


def test_rules_that_are_shared_cannot_be_changed() -> None:
    nodes, weights = gauss(7)
    for array in (nodes, weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("n", [1, 2, 39, 40, 41, 1000])
def test_gauss_of_any_size(n: int) -> None:
    nodes, weights = gauss(n)
    assert n <= len(nodes) <= 1.05 * n + 1
    assert (np.diff(nodes) > 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-14)
    if n > 1:
        assert weights @ nodes**3 == pytest.approx(0.25, rel=1e-13)


def test_quadrature_has_a_length_and_sites() -> None:
    rule = Quadrature(np.zeros((3, 2)), np.ones(3))
    assert len(rule) == len(rule.sites) == 3
    assert rule.sites.normals is None
