"""Unions, intersections and differences on the line and in space."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import jv

from fspielm.geometry import Ball, Box, Combination, Cylinder, Domain, Interval, Time
from fspielm.geometry.combination import inside_integrals, inside_share

CUBE = Box((0, 0, 0), (1, 1, 1))
TURNED = CUBE.rotated(math.pi / 4)  # about the axis through the middle: an octagon is common to both
OCTAGON = 2 * (math.sqrt(2) - 1)
SIDE = math.sqrt(2) - 1

# domain, volume, area of its boundary
SOLIDS: dict[str, tuple[Callable[[], Domain], float, float]] = {
    "notch": (lambda: CUBE - Box((0.5, 0.5, 0.5), (2, 2, 2)), 0.875, 6.0),
    "flush": (lambda: CUBE | Box((1, 0, 0), (2, 1, 1)), 2.0, 10.0),
    "partly flush": (lambda: CUBE | Box((1, 0.25, 0.25), (2, 0.75, 0.75)), 1.25, 8.0),
    "cavity": (lambda: CUBE - Box((0.25,) * 3, (0.75,) * 3), 0.875, 7.5),
    "apart": (lambda: CUBE | Box((3, 0, 0), (4, 1, 1)), 2.0, 12.0),
    "prism": (lambda: CUBE & TURNED, OCTAGON, 2 * OCTAGON + 8 * SIDE),
    "corners": (lambda: CUBE - TURNED, 1 - OCTAGON, 2 * (1 - OCTAGON) + 4 * (1 - SIDE) + 4 * SIDE),
    "star": (lambda: CUBE | TURNED, 2 - OCTAGON, 2 * (2 - OCTAGON) + 8 * (1 - SIDE)),
    "tunnel": (lambda: CUBE - Box((-1, 0.4, 0.4), (2, 0.6, 0.6)), 0.96, 6 - 2 * 0.04 + 4 * 0.2),
    "hemisphere": (lambda: Ball((0, 0, 0), 1) - Box((-2, -2, -2), (2, 2, 0)), 2 * math.pi / 3, 3 * math.pi),
    "two balls": (lambda: Ball((0, 0, 0), 1) | Ball((1, 0, 0), 1), 9 * math.pi / 4, 6 * math.pi),
    "tube": (lambda: Cylinder((0, 0, 0), 1, 2) - Cylinder((0, 0, 0), 0.5, 2), 1.5 * math.pi, 7.5 * math.pi),
    "nested": (lambda: (CUBE - Box((0.5, 0, 0), (1, 1, 1))) | Box((0.5, 0, 0), (2, 1, 0.5)), 1.25, 8.5),
}


@pytest.fixture(scope="module", params=list(SOLIDS))
def solid(request: pytest.FixtureRequest) -> tuple[Domain, float, float]:
    make, volume, area = SOLIDS[request.param]
    return make(), volume, area


def test_volume_and_area(solid: tuple[Domain, float, float]) -> None:
    domain, volume, area = solid
    assert domain.measure == pytest.approx(volume, rel=2e-5, abs=2e-5)
    assert sum(part.measure for part in domain.boundary()) == pytest.approx(area, rel=1e-4)


def test_samples_lie_inside(solid: tuple[Domain, float, float], rng: np.random.Generator) -> None:
    domain, volume, _ = solid
    for sampling in ("uniform", "clustered"):
        assert domain.contains(domain.sample(200, rng, sampling)).all()
    lower, upper = domain.bounding_box
    points = lower + (upper - lower) * rng.random((40_000, 3))
    assert np.mean(domain.contains(points)) == pytest.approx(volume / np.prod(upper - lower), abs=0.01)


def test_boundary_points_and_normals(solid: tuple[Domain, float, float], rng: np.random.Generator) -> None:
    domain = solid[0]
    for part in domain.boundary():
        sites = part.sample(100, rng)
        assert len(sites) == 100
        assert domain.contains(sites.points).all()
        assert not domain._contains(sites.points, False).any()
        assert np.linalg.norm(sites.normals, axis=1) == pytest.approx(1, abs=1e-14)
        assert not domain.contains(sites.points + 1e-6 * sites.normals).any()
        assert np.mean(domain.contains(sites.points - 1e-6 * sites.normals)) == 1


def test_divergence_theorem(solid: tuple[Domain, float, float], rng: np.random.Generator) -> None:
    """The kept pieces close up: the flux of x through them is three times the volume."""
    domain, volume, area = solid
    flux, total = 0.0, np.zeros(3)
    for part in domain.boundary():
        sites = part.sample(4000, rng, "low-discrepancy")
        flux += part.measure * np.mean(np.sum(sites.points * sites.normals, axis=1))
        total += part.measure * np.mean(sites.normals, axis=0)
    assert flux == pytest.approx(3 * volume, abs=0.01)
    assert np.abs(total).max() < 1e-3 * area


def test_solids_are_values() -> None:
    domain = CUBE - TURNED.moved((0, 0, 0.5))
    _ = domain._sampled_shares
    for twin in (copy.deepcopy(domain), pickle.loads(pickle.dumps(domain))):
        assert twin == domain
        assert hash(twin) == hash(domain)
        assert twin._sampled_shares == domain._sampled_shares


def test_during_time(rng: np.random.Generator) -> None:
    during = (CUBE - Box((0.5, 0.5, 0.5), (2, 2, 2))) * Time(0, 2)
    assert during.measure == 1.75
    for part in during.boundary():
        points = part.sample(50, rng).points
        assert during.contains(points).all()


def test_what_is_not_cut_is_exact() -> None:
    notch = CUBE - Box((0.5, 0.5, 0.5), (2, 2, 2))
    by_name = {part.name: part for part in notch.boundary()}
    assert notch.measure == 0.875
    assert by_name["x- (1)"].measure == 1.0
    assert by_name["x- (1)"].keep is None
    assert by_name["x- (2)"].keep is not None
    cavity = CUBE - TURNED.scaled(0.5)
    assert cavity.measure == pytest.approx(0.875, rel=1e-14)
    assert sum(part.measure for part in cavity.boundary()) == pytest.approx(7.5, rel=1e-14)


def test_a_face_between_flush_solids_is_inside() -> None:
    both = CUBE | Box((1, 0, 0), (2, 1, 1))
    assert [part.name for part in both.boundary() if part.name.startswith("x")] == ["x-", "x+"]
    assert both._contains(np.array([[1, 0.5, 0.5]]), False).all()
    assert not both._contains(np.array([[1, 0.5, 1.0]]), False).any()
    half = CUBE - Box((0.5, 0, 0), (1, 1, 1))
    assert half.contains([[1, 0.5, 0.5], [0.5, 0.5, 0.5], [0.5, 0, 0]]).tolist() == [False, True, True]


def test_a_small_hole_is_not_papered_over(rng: np.random.Generator) -> None:
    """A hole that takes 1e-6 of a face, too little to be seen at first look, is still no part of it."""
    pierced = Box((0, 0, 0), (1, 1, 1)) - Box((0.5, 0.5, -1), (0.501, 0.501, 2))
    (top,) = (part for part in pierced.boundary() if part.name == "z+ (1)" or part.name == "z+")
    assert top.keep is not None
    assert not top.keep(np.array([[0.5005, 0.5005, 1.0]])).any()
    assert {part.name for part in pierced.boundary()} >= {"x- (1)", "x- (2)", "z-", "z+"}


def test_bounding_boxes() -> None:
    def box_of(domain: Domain) -> list[list[float]]:
        return [end.tolist() for end in domain.bounding_box]

    other = Box((0.5, 0.5, 0.5), (2, 2, 2))
    assert box_of(CUBE | other) == [[0, 0, 0], [2, 2, 2]]
    assert box_of(CUBE & other) == [[0.5, 0.5, 0.5], [1, 1, 1]]
    assert box_of(CUBE - other) == [[0, 0, 0], [1, 1, 1]]


def ends_of(domain: Domain) -> list[tuple[str, float, float]]:
    sites = [(part.name, part.place(np.empty((1, 0)))) for part in domain.boundary()]
    return sorted((name, float(s.points[0, 0]), float(s.normals[0, 0])) for name, s in sites)


@pytest.mark.parametrize(
    ("domain", "ends", "length"),
    [
        (Interval(0, 2) | Interval(1, 3), [("x+", 3, 1), ("x-", 0, -1)], 3),
        (Interval(0, 1) | Interval(1, 3), [("x+", 3, 1), ("x-", 0, -1)], 3),
        (Interval(0, 1) | Interval(0, 1), [("x+", 1, 1), ("x-", 0, -1)], 1),
        (Interval(0, 3) & Interval(1, 5), [("x+", 3, 1), ("x-", 1, -1)], 2),
        (Interval(0, 3) - Interval(1, 5), [("x- (1)", 0, -1), ("x- (2)", 1, 1)], 1),
        (
            Interval(0, 3, name="rod") - Interval(1, 2, name="gap"),
            [("gap.x+", 2, -1), ("gap.x-", 1, 1), ("rod.x+", 3, 1), ("rod.x-", 0, -1)],
            2,
        ),
        (
            Interval(0, 1) | Interval(2, 3) | Interval(4, 5),
            [
                (f"x{side} ({n})", 2 * n - (1 if side == "+" else 2), float(side + "1"))
                for side in "+-"
                for n in (1, 2, 3)
            ],
            3,
        ),
    ],
)
def test_on_the_line(domain: Domain, ends: list[tuple[str, float, float]], length: float) -> None:
    assert domain.measure == length
    assert ends_of(domain) == ends


def test_four_dimensions() -> None:
    a, b = Box((0,) * 4, (1,) * 4), Box((0.5,) * 4, (2,) * 4)
    assert (a - b).measure == 1 - 1 / 16
    area = sum(part.measure for part in (a - b).boundary())
    assert area == pytest.approx(8, rel=1e-3)


@pytest.mark.parametrize(
    ("inside", "dimension", "share"),
    [
        (lambda u: u[:, 0] < 0.3, 1, 0.3),
        (lambda u: np.abs(u[:, 0] - 0.5) < 0.1, 1, 0.2),
        (lambda u: u[:, 0] < 1 / 3, 2, 1 / 3),
        (lambda u: u[:, 0] > u[:, 1] ** 2, 2, 2 / 3),
        (lambda u: np.hypot(u[:, 0] - 0.5, u[:, 1] - 0.5) < 0.4, 2, 0.16 * math.pi),
        (lambda u: np.ones(len(u), dtype=bool), 2, 1),
        (lambda u: np.zeros(len(u), dtype=bool), 2, 0),
        (lambda u: np.linalg.norm(u, axis=1) < 1, 3, math.pi / 6),
    ],
)
def test_shares_of_the_cube(inside: Callable[[np.ndarray], np.ndarray], dimension: int, share: float) -> None:
    found = inside_share(inside, dimension)
    assert found == pytest.approx(share, abs={1: 1e-7, 2: 2e-5, 3: 1e-3}[dimension])
    if share in (0, 1):
        assert found == share


def test_integrals_over_a_region_of_the_square() -> None:
    """A half disk, with x and with a wave that leads once around."""

    def inside(unit: np.ndarray) -> np.ndarray:
        return np.hypot(unit[:, 0] - 0.5, unit[:, 1] - 0.5) < 0.5

    area, moment = inside_integrals(inside, lambda unit: unit[:, 0] + np.cos(2 * math.pi * unit[:, 1]), 2)
    # the integral of cos(2 pi y) over the disk of radius r is r J_1(2 pi r), turned around by the shift of 1/2
    assert area == pytest.approx(math.pi / 4, abs=2e-5)
    assert moment == pytest.approx(math.pi / 8 - 0.5 * float(jv(1, math.pi)), abs=2e-5)


def test_operators_make_combinations() -> None:
    other = Box((0.5,) * 3, (2,) * 3)
    for symbol, operation in {"|": operator.or_, "&": operator.and_, "-": operator.sub}.items():
        made = operation(CUBE, other)
        assert isinstance(made, Combination)
        assert (made.first, made.second) == (CUBE, other)
        assert repr(made) == f"{CUBE!r} {symbol} {other!r}"
    assert repr((CUBE | other) - other) == f"({CUBE!r} | {other!r}) - {other!r}"
