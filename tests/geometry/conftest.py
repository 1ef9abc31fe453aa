"""Every shape of the package, with what is known about it from elsewhere: the contract suite's subject."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
import sympy as sp
from scipy.spatial import ConvexHull
from scipy.special import ellipe

from fspielm.geometry import (
    Annulus,
    Ball,
    Box,
    Curve,
    Cylinder,
    Disk,
    Domain,
    Ellipse,
    Ellipsoid,
    Interval,
    LShape,
    PolarCurve,
    Polygon,
    SpaceTime,
    Surface,
    Time,
)
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda

theta, t = sp.symbols("theta t")

Point = tuple[float, float]


@dataclass(frozen=True)
class Case:
    """A domain, its measure, and how far points of a part lie from where that part truly is.

    `coarse` is how far the bounding box may be from points on a grid of each part, relative to the size;
    `quadrature` the relative error that integrals over the domain may have; `facetted` tells that parts are placed
    by a map with kinks.
    """

    domain: Domain
    measure: float
    distance: Callable[[str, np.ndarray], np.ndarray]
    perimeter: float | None = None  # length of the whole boundary, where it has a closed form
    coarse: float = 1e-5
    quadrature: float = 1e-9
    facetted: bool = False

    @property
    def size(self) -> float:
        lower, upper = self.domain.bounding_box
        return float(np.max(upper - lower))

    @property
    def rounding(self) -> float:
        return 100 * 2.2e-16 * float(np.max(np.abs(self.domain.bounding_box)))


def box(lower: tuple[float, ...], upper: tuple[float, ...]) -> Case:
    def distance(part: str, points: np.ndarray) -> np.ndarray:
        axis = ["x", "y", "z", "x4"].index(part[:-1])
        beyond = np.maximum(np.maximum(np.array(lower) - points, points - np.array(upper)), 0).max(axis=1)
        return beyond + np.abs(points[:, axis] - (lower if part[-1] == "-" else upper)[axis])

    measure = math.prod(b - a for a, b in zip(lower, upper, strict=True))
    return Case(Box(lower, upper), measure, distance)


def interval(a: float, b: float) -> Case:
    return Case(Interval(a, b), b - a, box((a,), (b,)).distance)


def disk(center: tuple[float, float], radius: float) -> Case:
    return Case(
        Disk(center, radius),
        math.pi * radius**2,
        lambda part, points: np.abs(np.hypot(*(points - center).T) - radius),
        2 * math.pi * radius,
    )


def ring(center: Point, inner: float, outer: float) -> Case:
    radii = {"inner": inner, "outer": outer}
    return Case(
        Annulus(center, inner, outer),
        math.pi * (outer**2 - inner**2),
        lambda part, points: np.abs(np.hypot(*(points - center).T) - radii[part]),
        2 * math.pi * (inner + outer),
    )


def turned_ellipse(center: Point, semi_axes: Point, angle: float) -> Case:
    a, b = semi_axes
    cos, sin = math.cos(angle), math.sin(angle)

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        x, y = (points - center).T
        u, v = cos * x + sin * y, cos * y - sin * x
        return np.abs((u / a) ** 2 + (v / b) ** 2 - 1) / (2 * np.hypot(u / a**2, v / b**2))

    perimeter = 4 * max(a, b) * ellipe(1 - (min(a, b) / max(a, b)) ** 2)
    return Case(Ellipse(center, semi_axes, angle), math.pi * a * b, distance, perimeter)


def straight(domain: Domain, sides: dict[str, list[tuple[Point, Point]]], measure: float) -> Case:
    """A shape with straight sides, listed here by the names of its parts."""

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        return np.min([to_segment(points, *side) for side in sides[part]], axis=0)

    return Case(domain, measure, distance, sum(math.dist(*side) for part in sides.values() for side in part))


def to_segment(points: np.ndarray, start: Point, end: Point) -> np.ndarray:
    along = np.array(end) - start
    share = np.clip((points - start) @ along / (along @ along), 0, 1)
    return np.hypot(*(points - start - share[:, None] * along).T)


def around(vertices: list[Point]) -> list[tuple[Point, Point]]:
    return list(zip(vertices, [*vertices[1:], vertices[0]], strict=True))


def l_shape(center: Point, size: float) -> Case:
    corners = [(0, 0), (1, 0), (1, 1), (-1, 1), (-1, -1), (0, -1)]
    sides = around([(center[0] + size * x, center[1] + size * y) for x, y in corners])
    names = ["notch y-", "x+", "y+", "x-", "y-", "notch x+"]
    return straight(LShape(center, size), {n: [side] for n, side in zip(names, sides, strict=True)}, 3 * size**2)


def arrow(scale: float, offset: Point, clockwise: bool) -> Case:
    """An arrowhead with two holes, its straight sides named apart from its notch."""

    def placed(vertices: list[Point]) -> list[Point]:
        return [(offset[0] + scale * x, offset[1] + scale * y) for x, y in vertices]

    outline = placed([(0, 0), (4, 2), (0, 4), (1, 2)])
    holes = [placed([(1.5, 1.8), (2, 1.8), (1.7, 2.4)]), placed([(2.5, 2), (3, 1.9), (3, 2.1), (2.6, 2.2)])]
    names = ["side", "side", "notch", "notch"]
    sides = {"side": around(outline)[:2], "notch": around(outline)[2:]}
    sides |= {f"hole {i}": around(hole) for i, hole in enumerate(holes, 1)}
    area = scale**2 * (6 - 0.15 - 0.095)
    if clockwise:
        outline, names = outline[::-1], [names[2], names[1], names[0], names[3]]
    return straight(Polygon(outline, holes, names), sides, area)


def bean(scale: float, offset: Point, form: str) -> Case:
    """The curve ``(x - (1 - 2 y^2) / 4)^2 + y^2 = 1``, stated in several ways; its area is that of the unit disk."""
    x0, y0 = offset
    x, y = x0 + scale * (sp.cos(t) + sp.cos(2 * t) / 4), y0 + scale * sp.sin(t)
    statements = {
        "sympy": lambda: Curve(x, y),
        "clockwise": lambda: Curve(x.subs(t, -t), y.subs(t, -t), (-math.pi, math.pi)),
    }

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        u, v = (points - offset).T / scale
        w = u - (1 - 2 * v**2) / 4
        return scale * np.abs(w**2 + v**2 - 1) / (2 * np.hypot(w, w * v + v))

    return Case(statements[form](), math.pi * scale**2, distance)


def half_disk(radius: float) -> Case:
    """Half a disk as one curve with corners at its ends and within."""
    x = sp.Piecewise((sp.cos(t), t < sp.pi), (2 * (t - sp.pi) - 1, True))
    y = sp.Piecewise((sp.sin(t), t < sp.pi), (0, True))

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        rim = np.abs(np.hypot(*points.T) - radius) + np.maximum(-points[:, 1], 0)
        return np.minimum(rim, to_segment(points, (-radius, 0), (radius, 0)))

    domain = Curve(radius * x, radius * y, (0, sp.pi, sp.pi + 1))
    return Case(domain, math.pi * radius**2 / 2, distance, (math.pi + 2) * radius)


def pacman(center: tuple[float, float], radius: float, mouth: float) -> Case:
    def distance(part: str, points: np.ndarray) -> np.ndarray:
        local = points - center
        if part == "arc":
            in_mouth = np.abs(np.arctan2(local[:, 1], local[:, 0])) < mouth - 1e-12
            return np.abs(np.hypot(*local.T) - radius) + in_mouth
        lip = np.array([math.cos(mouth), math.sin(mouth) * (1 if part == "upper" else -1)])
        along = np.clip(local @ lip, 0, radius)
        return np.hypot(*(local - along[:, None] * lip).T)

    perimeter = 2 * radius * (math.pi - mouth + 1)
    return Case(Pacman(center, radius, mouth), radius**2 * (math.pi - mouth), distance, perimeter)


def polar(domain: PolarCurve) -> Case:
    (symbol,) = domain.radius.free_symbols
    radius = sp.lambdify(symbol, domain.radius, "numpy")
    turn = 2 * math.pi * np.arange(3000) / 3000

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        x, y = (points - domain.center).T
        return np.abs(np.hypot(x, y) - radius(np.arctan2(y, x)))

    return Case(domain, math.pi * float(np.mean(radius(turn) ** 2)), distance)


def ball(center: tuple[float, float, float], radius: float) -> Case:
    return Case(
        Ball(center, radius),
        4 / 3 * math.pi * radius**3,
        lambda part, points: np.abs(np.linalg.norm(points - center, axis=1) - radius),
    )


def ellipsoid(center: tuple[float, float, float], semi_axes: tuple[float, float, float]) -> Case:
    def distance(part: str, points: np.ndarray) -> np.ndarray:
        on_ball = (points - center) / semi_axes
        return np.abs(np.linalg.norm(on_ball, axis=1) - 1) / np.linalg.norm(on_ball / semi_axes, axis=1)

    return Case(Ellipsoid(center, semi_axes), 4 / 3 * math.pi * math.prod(semi_axes), distance)


def cylinder(center: tuple[float, float, float], radius: float, height: float, axis: str) -> Case:
    along = "xyz".index(axis)

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        local = points - center
        away = np.hypot(*np.delete(local, along, axis=1).T)
        if part == "side":
            return np.abs(away - radius) + np.maximum(np.abs(local[:, along]) - height / 2, 0)
        end = height / 2 if part == "top" else -height / 2
        return np.abs(local[:, along] - end) + np.maximum(away - radius, 0)

    return Case(Cylinder(center, radius, height, axis), math.pi * radius**2 * height, distance)


def hull(center: float, size: float) -> Case:
    """The convex hull of scattered points, whose facets SciPy leaves turned either way."""
    corners = center + size * np.random.default_rng(4).normal(size=(24, 3))
    solid = ConvexHull(corners)

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        return np.abs((points @ solid.equations[:, :3].T + solid.equations[:, 3]).max(axis=1))

    return Case(Surface(corners, solid.simplices), solid.volume, distance, coarse=0.1, quadrature=2e-3, facetted=True)


def during(case: Case, start: float, end: float) -> Case:
    def distance(part: str, points: np.ndarray) -> np.ndarray:
        off = np.maximum(np.maximum(start - points[:, -1], points[:, -1] - end), 0)
        return case.distance(part, points[:, :-1]) + off

    perimeter = None if case.perimeter is None else case.perimeter * (end - start)
    return replace(
        case,
        domain=case.domain * Time(start, end),
        measure=case.measure * (end - start),
        distance=distance,
        perimeter=perimeter,
    )


def polar_ellipse(a: float, b: float) -> sp.Expr:
    return a * b / sp.sqrt((b * sp.cos(theta)) ** 2 + (a * sp.sin(theta)) ** 2)


CASES: dict[str, Callable[[], Case]] = {
    "interval": lambda: interval(0, 1),
    "interval-offset": lambda: interval(-3, 7.5),
    "interval-tiny": lambda: interval(-1e-6, 2e-6),
    "interval-huge": lambda: interval(1e6, 3e6),
    "box-2d": lambda: box((0, 0), (1, 1)),
    "box-2d-flat": lambda: box((-2, 10), (5, 10.001)),
    "box-2d-tiny": lambda: box((0, -1e-6), (2e-6, 1e-6)),
    "box-3d": lambda: box((0, 1, -1), (1, 3, 2)),
    "box-3d-huge": lambda: box((-1e6, 1e6, 0), (1e6, 2e6, 5e6)),
    "box-4d": lambda: box((0, 1, -1, 5), (1, 3, 2, 5.5)),
    "disk": lambda: disk((0, 0), 1),
    "disk-offset": lambda: disk((100, -50), 0.3),
    "disk-tiny": lambda: disk((0, 1e-6), 1e-6),
    "disk-huge": lambda: disk((1e6, -2e6), 1e6),
    "pacman": lambda: pacman((0.5, 0.5), 0.4, math.pi / 4),
    "pacman-crumb": lambda: pacman((-1, 2), 1e-6 + 1, 2.5),
    "pacman-huge": lambda: pacman((0, 1e6), 1e6, math.pi / 2),
    "flower": lambda: polar(PolarCurve(2 + sp.cos(5 * theta) / 2)),
    "polar-ellipse-offset": lambda: polar(PolarCurve(polar_ellipse(3, 1), center=(10, -20))),
    "polar-ellipse-tiny": lambda: polar(PolarCurve(1e-6 * polar_ellipse(1, 2))),
    "panda": lambda: polar(Panda()),
    "panda-huge": lambda: polar(Panda(1e6, center=(1e6, 0))),
    "ellipse-turned": lambda: turned_ellipse((10, -20), (1, 5), 0.7),
    "ellipse-tiny": lambda: turned_ellipse((1e-6, 0), (3e-6, 1e-6), -2),
    "ellipse-huge": lambda: turned_ellipse((1e6, 0), (1e6, 2e6), 1),
    "annulus": lambda: ring((0, 0), 1, 2),
    "annulus-thin": lambda: ring((3, -1), 0.99, 1),
    "l-shape": lambda: l_shape((0, 0), 1),
    "l-shape-huge": lambda: l_shape((1e6, -3e6), 2e6),
    "polygon": lambda: arrow(1, (0, 0), clockwise=False),
    "polygon-clockwise-tiny": lambda: arrow(1e-6, (1e-6, -1e-6), clockwise=True),
    "curve": lambda: bean(1, (0, 0), "sympy"),
    "curve-clockwise-huge": lambda: bean(1e6, (2e6, 1e6), "clockwise"),
    "curve-callables": lambda: replace(disk((0, 0), 1), domain=Curve(np.cos, np.sin)),
    "curve-corners": lambda: half_disk(2),
    "ellipsoid": lambda: ellipsoid((1, -2, 0.5), (1, 0.8, 1.2)),
    "ball": lambda: ball((0, 0, 0), 1),
    "ball-offset": lambda: ball((1e3, -20, 3), 0.5),
    "ball-tiny": lambda: ball((0, 1e-6, 0), 1e-6),
    "cylinder": lambda: cylinder((0, 0, 0), 1, 2, "z"),
    "cylinder-x": lambda: cylinder((5, -2, 1), 0.3, 4, "x"),
    "cylinder-y-flat": lambda: cylinder((0, 0, 1), 1e3, 1, "y"),
    "surface": lambda: hull(0.0, 1.0),
    "surface-tiny": lambda: hull(1e-6, 1e-6),
    "surface-offset": lambda: hull(50.0, 0.5),
    "ball-time": lambda: during(ball((0, 0, 0), 1), 0, 2),
    "cylinder-time": lambda: during(cylinder((0, 0, 0), 1, 2, "y"), 0, 1),
    "surface-time": lambda: during(hull(0.0, 1.0), 0, 1),
    "interval-time": lambda: during(interval(-1, 1), 0, 1),
    "box-2d-time": lambda: during(box((0, 1), (2, 2)), -1, 0.5),
    "box-3d-time": lambda: during(box((0, 0, 0), (1, 1, 1)), 0, 10),
    "disk-time": lambda: during(disk((1, 1), 2), 5, 6),
    "pacman-time": lambda: during(pacman((0.5, 0.5), 0.4, math.pi / 4), 0, 1),
    "polygon-time": lambda: during(arrow(1, (0, 0), clockwise=True), 0, 2),
    "panda-time": lambda: replace(during(polar(Panda(0.4)), 0, 1e-3), quadrature=1e-4),
}


def combined(first: Case, symbol: str, second: Case, measure: float) -> Case:
    """Two cases combined; a part lies where its namesake of the first lies, or of the second if it is numbered so."""
    domain = {"|": operator.or_, "&": operator.and_, "-": operator.sub}[symbol](first.domain, second.domain)

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        name, _, number = part.removesuffix(")").partition(" (")
        operands = [first, second] if not number else [(first, second)[int(number) - 1]]
        named = [c for c in operands if name in {p.name for p in c.domain.boundary()}]
        return np.min([c.distance(name, points) for c in named], axis=0)

    return Case(domain, measure, distance)


def turned(case: Case, angle: float, factor: float, offset: tuple[float, float]) -> Case:
    """A plane case scaled and rotated about the origin, then moved."""
    cos, sin = factor * math.cos(angle), factor * math.sin(angle)

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        x, y = (points - offset).T / factor**2
        return factor * case.distance(part, np.column_stack([cos * x + sin * y, cos * y - sin * x]))

    domain = case.domain.scaled(factor, center=(0, 0)).rotated(angle, center=(0, 0)).moved(offset)
    return Case(domain, factor**2 * case.measure, distance)


def lens(radius: float) -> float:
    """Area of what two disks share whose centers lie on each other's circles."""
    return radius**2 * (2 * math.pi / 3 - math.sqrt(3) / 2)


CASES |= {
    "cut-corner": lambda: combined(box((0, 0), (1, 1)), "-", disk((1, 1), 0.5), 1 - math.pi / 16),
    "cut-side": lambda: combined(box((0, 0), (1, 1)), "-", disk((0.5, 0), 0.25), 1 - math.pi / 32),
    "hole-tiny": lambda: combined(
        box((0, 0), (1e-6, 1e-6)), "-", disk((5e-7, 5e-7), 2e-7), 1e-12 * (1 - 0.04 * math.pi)
    ),
    "crescent": lambda: combined(disk((0, 0), 1), "-", disk((0.5, 0), 0.5), 0.75 * math.pi),
    "lens": lambda: combined(disk((0, 0), 1), "&", disk((1, 0), 1), lens(1)),
    "two-disks-huge": lambda: combined(disk((1e6, 0), 1e6), "|", disk((2e6, 0), 1e6), 2e12 * math.pi - lens(1e6)),
    "flush-boxes": lambda: combined(box((0, 0), (1, 1)), "|", box((1, 0.25), (2, 0.5)), 1.25),
    "frame": lambda: combined(box((0, 0), (1, 1)), "-", box((0.25, 0.25), (0.75, 0.75)), 0.75),
    "interval-gap": lambda: combined(interval(0, 3), "-", interval(1, 1.5), 2.5),
    "interval-touching": lambda: combined(interval(-1, 1), "|", interval(1, 4), 5),
    "interval-common": lambda: combined(interval(0, 3), "&", interval(1, 8), 2),
    "box-turned": lambda: turned(box((0, 0), (2, 1)), 0.7, 1.5, (10, -3)),
    "pacman-turned-tiny": lambda: turned(pacman((0.5, 0.5), 0.4, 1.0), -2, 1e-6, (1e-6, 0)),
    "disk-far": lambda: turned(disk((0, 0), 1), 0, 1, (1e4, -1e4)),
    "cut-corner-turned": lambda: turned(
        combined(box((0, 0), (1, 1)), "-", disk((1, 1), 0.5), 1 - math.pi / 16), 0.3, 1, (0, 0)
    ),
    "interval-gap-time": lambda: during(combined(interval(0, 3), "-", interval(1, 1.5), 2.5), 0, 1),
    "cut-corner-time": lambda: during(combined(box((0, 0), (1, 1)), "-", disk((1, 1), 0.5), 1 - math.pi / 16), 0, 2),
}


# Shapes that are here once more, and cost most: at another size, stated in another way, or during time.
SLOW = {
    "panda",
    "panda-huge",
    "panda-time",
    "curve-clockwise-huge",
    "curve-callables",
    "polygon-clockwise-tiny",
    "polygon-time",
    "l-shape-huge",
    "disk-far",
    "cut-corner-turned",
    "cut-corner-time",
    "crescent",
    "hole-tiny",
    "ellipse-huge",
    "polar-ellipse-tiny",
    "surface-tiny",
    "surface-time",
}


@pytest.fixture(
    scope="session", params=[pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
)
def case(request: pytest.FixtureRequest) -> Case:
    """Each shape in turn."""
    return CASES[request.param]()


@pytest.fixture(scope="session")
def examples() -> dict[str, Callable[[], Case]]:
    """Return all examples by name."""
    return CASES


@pytest.fixture(params=["uniform", "low-discrepancy", "clustered"])
def sampling(request: pytest.FixtureRequest) -> str:
    """Each sampling rule in turn."""
    return str(request.param)


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a fresh generator, the same for every test."""
    return np.random.default_rng(20240607)


@pytest.fixture
def space_axes(case: Case) -> int:
    """Number of coordinates that are not time."""
    return case.domain.dimension - isinstance(case.domain, SpaceTime)
