"""Domains to tile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy as sp

from fspielm.cells import Tiling, tile
from fspielm.geometry import Annulus, Box, Disk, Domain, Interval, LShape, PolarCurve, Polygon, Time

theta = sp.Symbol("theta")

ARROW = Polygon(
    [(0, 0), (4, 2), (0, 4), (1, 2)],
    [[(1.5, 1.8), (2, 1.8), (1.7, 2.4)], [(2.5, 2), (3, 1.9), (3, 2.1), (2.6, 2.2)]],
)
CASES: dict[str, tuple[Callable[[], Domain], tuple[int, ...]]] = {
    "interval": (lambda: Interval(0, 1), (5,)),
    "interval-gap": (lambda: Interval(0, 3) - Interval(1, 1.5), (7,)),
    "time": (lambda: Time(1, 3), (3,)),
    "interval-time": (lambda: Interval(-1, 1) * Time(0, 3), (4, 5)),
    "interval-gap-time": (lambda: (Interval(0, 3) - Interval(1, 1.5)) * Time(0, 1), (7, 3)),
    "box": (lambda: Box((0, 1), (2, 2)), (7, 3)),
    "disk": (lambda: Disk((0.3, -20), 1), (6, 5)),
    "star": (lambda: PolarCurve(2 + sp.cos(5 * theta) / 2), (9, 10)),
    "l-shape": (lambda: LShape((0.1, 0.2), 0.3), (4, 6)),
    "l-shape-off-grid": (lambda: LShape((0, 0), 1), (5, 3)),
    "polygon": (lambda: ARROW, (11, 10)),
    "box-less-disks": (lambda: Box((0, 0), (1, 1)) - Disk((0.3, 0.3), 0.1) - Disk((0.7, 0.6), 0.2), (8, 9)),
    "annulus-touching": (lambda: Annulus((0, 0), 0.5, 1), (8, 8)),
    "annulus-thin": (lambda: Annulus((3, -1), 0.99, 1), (6, 6)),
    "box-turned": (lambda: Box((0, 0), (2, 1)).rotated(0.7), (9, 9)),
    "box-turned-square": (lambda: Box((0, 0), (2, 1)).rotated(sp.pi / 2), (4, 2)),
    "flush-boxes": (lambda: Box((0, 0), (1, 1)) | Box((1, 0.25), (2, 0.5)), (8, 4)),
    "frame": (lambda: Box((0, 0), (1, 1)) - Box((0.25, 0.25), (0.75, 0.75)), (8, 8)),
    "disk-one-cell": (lambda: Disk((0, 0), 1), (1, 1)),
}
IN_PIECES = {"interval-gap", "interval-gap-time"}


@pytest.fixture(scope="session", params=CASES)
def name(request: pytest.FixtureRequest) -> str:
    """Each of the domains in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def even(name: str) -> Tiling:
    """Return an even tiling of it."""
    domain, shape = CASES[name]
    return tile(domain(), shape)


@pytest.fixture(scope="session", params=["even", "halved"])
def tiling(request: pytest.FixtureRequest, even: Tiling) -> Tiling:
    """Return the tiling as it is, and with some cells halved, and some of these again."""
    if request.param == "even":
        return even
    axes = tuple(range(even.domain.dimension))
    once = even.halve({cell: axes[:1] if cell % 2 else axes for cell in range(0, len(even.cells), 3)})
    return once.halve(dict.fromkeys(range(0, len(once.cells), 5), axes))


@pytest.fixture(scope="session")
def connected(name: str) -> bool:
    """Whether the domain is connected."""
    return name not in IN_PIECES
