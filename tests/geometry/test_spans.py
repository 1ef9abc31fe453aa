"""Stretches of lines in shapes and their combinations, against membership alone."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.geometry import Annulus, Ball, Box, Cylinder, Disk, Domain, Ellipse, Interval, chord_ends
from fspielm.geometry.domain import Spans, march
from fspielm.geometry.shapes.pacman import Pacman

SQUARE, CUBE = Box((0, 0), (2, 2)), Box((0, 0, 0), (2, 2, 2))


def grid_of_holes() -> Domain:
    domain: Domain = SQUARE
    for i in range(4):
        for j in range(4):
            domain = domain - Disk((0.3 + 0.45 * i, 0.3 + 0.45 * j), 0.15)
    return domain


KNOWN: dict[str, Domain] = {
    "box": Box((0.1, -3), (0.7, 5)),
    "disk": Disk((0.3, -0.2), 1.5),
    "ring": Annulus((1, 2), 0.5, 1),
    "ellipse": Ellipse((0.3, 0.1), (2, 0.7), 0.6),
    "ball": Ball((1, 2, 3), 0.5),
    "cylinder": Cylinder((1, 2, 3), 0.5, 2, "y"),
    "moved": Disk((0, 0), 1).scaled(0.1).moved((3, 4)),
    "holes": grid_of_holes(),
    "union": SQUARE | Disk((2, 1), 0.7) | Box((-1, 0.5), (0, 1)),
    "intersection": SQUARE & Disk((2, 1), 0.7),
    "of combinations": (SQUARE - Disk((1, 1), 0.4)) | (Disk((1, 1), 0.2) - Box((1, 0.9), (3, 1.1))),
    "in space": CUBE - Ball((1, 1, 2), 0.6) - Cylinder((0.5, 0.5, 1), 0.2, 2),
    "intervals": (Interval(0, 1) | Interval(2, 3)) - Interval(0.4, 0.6),
}


def known_ends(domain: Domain, points: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """The ends of chords of a domain that need not march."""
    assert domain._spans(points, axis) is not None
    return domain._chord_ends_by_spans(points, axis)


@pytest.mark.parametrize("name", KNOWN)
def test_ends_are_those_of_the_march(name: str, rng: np.random.Generator) -> None:
    domain = KNOWN[name]
    points = domain.sample(400, rng)
    lower, upper = domain.bounding_box
    for axis in range(domain.dimension):
        ends, marched = known_ends(domain, points, axis), march(domain, points, axis)
        apart = np.abs(np.subtract(ends, marched)) > 1e-13 * np.abs([lower, upper]).max() + 1e-9 * _is_steep(ends)
        stepped_over = apart.any(axis=0)
        # where the march has stepped over a thin gap, its chord is longer
        assert np.all(ends[0][stepped_over] >= marched[0][stepped_over] - 1e-9)
        assert np.all(ends[1][stepped_over] <= marched[1][stepped_over] + 1e-9)
        assert np.mean(stepped_over) <= 0.02


def _is_steep(ends: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Short chords end at a slant, where what rounding allows for is a longer way along them."""
    length = ends[1] - ends[0]
    return np.asarray(length < 0.1 * length.max())


@pytest.mark.parametrize("name", KNOWN)
def test_chords_lie_in_the_domain_and_end_where_it_does(name: str, rng: np.random.Generator) -> None:
    domain = KNOWN[name]
    points = domain.sample(200, rng)
    for axis in range(domain.dimension):
        low, high = known_ends(domain, points, axis)
        assert np.all((low <= points[:, axis]) & (points[:, axis] <= high))
        for share in np.linspace(0, 1, 41):
            there = points.copy()
            there[:, axis] = low + share * (high - low)
            assert domain.contains(there).all()
        for end, beyond in ((low, -1e-7), (high, 1e-7)):
            there = points.copy()
            there[:, axis] = end + beyond
            assert not domain.contains(there).any()


def test_thin_gaps_are_seen() -> None:
    slit = SQUARE - Box((0.5, 0.7), (1, 0.7 + 1e-6))
    low, high = chord_ends(slit, np.array([[0.75, 0.2], [0.75, 1.0], [0.2, 0.2]]), 1)
    assert low == pytest.approx([0, 0.7 + 1e-6, 0], abs=1e-14)
    assert high == pytest.approx([0.7, 2, 2], abs=1e-14)


def test_faces_that_both_share_are_no_gap() -> None:
    third = 1 / 3
    joined = Box((0, 0), (third, 1)) | Box((third, 0), (1, 1)) | Box((3 * third - 2 * third + 1e-16, 1), (1, 2))
    low, high = chord_ends(joined, np.array([[0.1, 0.5], [third, 0.5], [0.9, 0.5]]), 0)
    assert np.array_equal(low, np.zeros(3))
    assert np.array_equal(high, np.ones(3))
    low, high = chord_ends(joined, np.array([[0.9, 1.5]]), 1)
    assert (low[0], high[0]) == (0.0, 2.0)


def test_plane_shapes_know_their_spans_by_their_edges() -> None:
    for domain in (SQUARE.rotated(0.3), SQUARE - Pacman((1, 1), 0.3), Pacman((1, 1), 0.3) | SQUARE):
        points = domain.sample(50, np.random.default_rng(0))
        assert domain._spans(points, 0) is not None
        for found, marched in zip(chord_ends(domain, points, 0), march(domain, points, 0), strict=True):
            np.testing.assert_allclose(found, marched, rtol=0, atol=1e-12)


def test_few_questions_are_asked_about_many_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    domain, asked = grid_of_holes(), []
    points = domain.sample(1000, np.random.default_rng(0))
    monkeypatch.setattr(Disk, "_contains", lambda self, points, closed: asked.append(len(points)))
    chord_ends(domain, points, 0)
    assert not asked


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("union", [[0, 5], [0, 3], [0, 1]]),
        ("intersection", [[1, 2, 3, 4], [], []]),
        ("difference", [[0, 1, 4, 5], [0, 1, 2, 3], [0, 1]]),
    ],
)
def test_the_algebra_of_stretches(operation: str, expected: list[list[float]]) -> None:
    none = np.inf
    first = Spans(np.array([[0, 2, 3, 5], [0, 1, 2, 3], [0, 1, none, none]], dtype=float))
    second = Spans(np.array([[1, 4], [1, 2], [none, none]], dtype=float))
    combined = first.combined(operation, second, 1e-15).ends  # type: ignore[arg-type]
    assert [[end for end in row if end < none] for row in combined.tolist()] == expected
