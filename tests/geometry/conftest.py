"""Every shape of the package, with what is known about it from elsewhere: the contract suite's subject."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp

from fspielm.geometry import Box, Disk, Domain, Interval, Pacman, Panda, PolarCurve, SpaceTime, Time

theta = sp.Symbol("theta")


@dataclass(frozen=True)
class Case:
    """A domain, its measure, and how far points of a part lie from where that part truly is."""

    domain: Domain
    measure: float
    distance: Callable[[str, np.ndarray], np.ndarray]

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
    )


def pacman(center: tuple[float, float], radius: float, mouth: float) -> Case:
    def distance(part: str, points: np.ndarray) -> np.ndarray:
        local = points - center
        if part == "arc":
            in_mouth = np.abs(np.arctan2(local[:, 1], local[:, 0])) < mouth - 1e-12
            return np.abs(np.hypot(*local.T) - radius) + in_mouth
        lip = np.array([math.cos(mouth), math.sin(mouth) * (1 if part == "upper" else -1)])
        along = np.clip(local @ lip, 0, radius)
        return np.hypot(*(local - along[:, None] * lip).T)

    return Case(Pacman(center, radius, mouth), radius**2 * (math.pi - mouth), distance)


def polar(domain: PolarCurve) -> Case:
    (symbol,) = domain.radius.free_symbols
    radius = sp.lambdify(symbol, domain.radius, "numpy")
    turn = 2 * math.pi * np.arange(3000) / 3000

    def distance(part: str, points: np.ndarray) -> np.ndarray:
        x, y = (points - domain.center).T
        return np.abs(np.hypot(x, y) - radius(np.arctan2(y, x)))

    return Case(domain, math.pi * float(np.mean(radius(turn) ** 2)), distance)


def during(case: Case, start: float, end: float) -> Case:
    def distance(part: str, points: np.ndarray) -> np.ndarray:
        off = np.maximum(np.maximum(start - points[:, -1], points[:, -1] - end), 0)
        return case.distance(part, points[:, :-1]) + off

    return Case(case.domain * Time(start, end), case.measure * (end - start), distance)


def ellipse(a: float, b: float) -> sp.Expr:
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
    "ellipse-offset": lambda: polar(PolarCurve(ellipse(3, 1), center=(10, -20))),
    "ellipse-tiny": lambda: polar(PolarCurve(1e-6 * ellipse(1, 2))),
    "panda": lambda: polar(Panda()),
    "panda-huge": lambda: polar(Panda(1e6, center=(1e6, 0))),
    "interval-time": lambda: during(interval(-1, 1), 0, 1),
    "box-2d-time": lambda: during(box((0, 1), (2, 2)), -1, 0.5),
    "box-3d-time": lambda: during(box((0, 0, 0), (1, 1, 1)), 0, 10),
    "disk-time": lambda: during(disk((1, 1), 2), 5, 6),
    "pacman-time": lambda: during(pacman((0.5, 0.5), 0.4, math.pi / 4), 0, 1),
    "panda-time": lambda: during(polar(Panda(0.4)), 0, 1e-3),
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
    "corner-to-corner": lambda: combined(box((0, 0), (1, 1)), "|", box((1, 1), (3, 2)), 3),
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


@pytest.fixture(scope="session", params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    """Each shape in turn."""
    return CASES[request.param]()


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
