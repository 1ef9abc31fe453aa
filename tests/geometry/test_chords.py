"""Axis-parallel chords of every shape, and the points clustered toward their ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fspielm.geometry import Box, Disk, Domain, Interval, LShape, Polygon, Time, chord_ends, chord_lines, cluster
from fspielm.geometry.domain import march
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda

N = 100


def axes_of(domain: Domain) -> range:
    return range(domain.dimension)


def moved(points: np.ndarray, axis: int, values: np.ndarray) -> np.ndarray:
    copy = points.copy()
    copy[:, axis] = values
    return copy


# --- ends ---------------------------------------------------------------------------------------


def test_ends_lie_in_the_domain_and_on_its_boundary(case: Any, rng: np.random.Generator) -> None:
    domain = case.domain
    points = domain.sample(N, rng)
    kept = points.copy()
    lower, upper = domain.bounding_box
    for axis in axes_of(domain):
        low, high = chord_ends(domain, points, axis)
        assert np.array_equal(points, kept)
        step = 1e-9 * (upper - lower)[axis] + case.rounding
        assert np.all(low <= points[:, axis])
        assert np.all(points[:, axis] <= high)
        for ends, outward in ((low, -step), (high, step)):
            assert domain.contains(moved(points, axis, ends)).all()
            assert not domain.contains(moved(points, axis, ends + outward)).any()


def test_ends_of_a_box_are_its_faces_to_the_last_bit(rng: np.random.Generator) -> None:
    domain = Box((0.1, -3), (0.7, 1e6))
    points = domain.sample(N, rng)
    for axis in (0, 1):
        low, high = chord_ends(domain, points, axis)
        assert set(low) == {domain.bounding_box[0][axis]}
        assert set(high) == {domain.bounding_box[1][axis]}


def test_ends_of_a_disk_are_pythagoras(rng: np.random.Generator) -> None:
    points = Disk((2, 1), 3).sample(N, rng)
    low, high = chord_ends(Disk((2, 1), 3), points, 1)
    half = np.sqrt(9 - (points[:, 0] - 2) ** 2)
    assert low == pytest.approx(1 - half, abs=1e-9)
    assert high == pytest.approx(1 + half, abs=1e-9)


def test_a_chord_ends_at_the_first_exit() -> None:
    # through the mouth of a pacman: up from the lower jaw the line leaves, and enters again
    low, high = chord_ends(Pacman(), np.array([[0.7, 0.25]]), 1)
    assert low[0] == pytest.approx(0.5 - math.sqrt(0.16 - 0.04), abs=1e-9)
    assert high[0] == pytest.approx(0.3, abs=1e-9)


def test_points_on_the_boundary_have_chords_too() -> None:
    low, high = chord_ends(Interval(0, 1), np.array([[0.0], [1.0]]), 0)
    assert low.tolist() == [0, 0]
    assert high.tolist() == [1, 1]
    low, high = chord_ends(Disk((0, 0), 1), np.array([[1.0, 0.0]]), 1)
    assert high[0] - low[0] < 1e-6


def test_no_points_have_no_chords() -> None:
    low, high = chord_ends(Disk((0, 0), 1), np.empty((0, 2)), 0)
    assert low.shape == high.shape == (0,)


# --- lines --------------------------------------------------------------------------------------


def test_lines_stay_inside_and_are_equispaced(case: Any, rng: np.random.Generator) -> None:
    seeds = case.domain.sample(10, rng)
    for axis in axes_of(case.domain):
        lines, lengths = chord_lines(case.domain, seeds, axis, 101)
        assert lines.shape == (len(lengths), 101, case.domain.dimension)
        assert case.domain.contains(lines.reshape(-1, case.domain.dimension)).all()
        steps, expected = np.diff(lines[:, :, axis], axis=1), lengths[:, None] / 100
        assert (np.abs(steps - expected) <= np.maximum(1e-6 * expected, 10 * case.rounding)).all()
        others = np.delete(lines, axis, axis=2)
        assert np.all(others == others[:, :1])


def test_short_chords_can_be_left_out(rng: np.random.Generator) -> None:
    seeds = Disk((0, 0), 1).sample(200, rng)
    lines, lengths = chord_lines(Disk((0, 0), 1), seeds, 0, 5, shortest=0.5)
    assert lengths.min() > 0.5 * 2 * 0.95
    assert 0 < len(lines) < 200


def test_a_line_over_a_gap_too_thin_for_the_march_is_left_out() -> None:
    """Just right of its vertex the mouth of a pacman is thinner than the steps to the other side."""
    seeds = np.array([[0.5 + 1e-3, 0.304], [0.4, 0.304]])
    marched = march(Pacman(), seeds, 1)
    assert marched[1][0] > 0.6  # stepped over
    lines, _ = chord_lines(Pacman(), seeds, 1, 4001, ends=marched)
    assert len(lines) == 1
    assert lines[0, 0, 0] == 0.4
    # where the boundary's curves are known, no gap is too thin
    _, high = chord_ends(Pacman(), seeds, 1)
    assert high[0] == pytest.approx(0.499, abs=1e-12)
    assert len(chord_lines(Pacman(), seeds, 1, 4001)[0]) == 2


@pytest.mark.parametrize("axis", [0, 1])
def test_chords_of_plane_shapes_end_at_their_boundary(axis: int, rng: np.random.Generator) -> None:
    """Just inside of both ends a line is in the shape, just outside it is not; and so it is between them."""
    for domain in (
        Pacman(),
        Panda(1),
        Polygon([(0, 0), (3, 0.2), (1, 1), (2.5, 2), (0, 1.5)]),
        LShape((0, 0), 1),
    ):
        points = domain.sample(300, rng)
        for end, sign in zip(chord_ends(domain, points, axis), (-1.0, 1.0), strict=True):
            beside = points.copy()
            beside[:, axis] = end - 1e-9 * sign
            assert domain.contains(beside).all()
            beside[:, axis] = end + 1e-9 * sign
            assert not domain.contains(beside).any()
            between = points.copy()
            between[:, axis] += rng.random(len(points)) * (end - points[:, axis])
            assert domain.contains(between).all()


# --- clustered points ---------------------------------------------------------------------------


def test_clustered_points_lie_inside_and_closer_to_the_boundary(case: Any, rng: np.random.Generator) -> None:
    even = case.domain.sample(300, rng, "low-discrepancy")
    kept = even.copy()
    clustered = cluster(case.domain, even)
    assert np.array_equal(even, kept)
    assert case.domain.contains(clustered).all()
    both = np.concatenate([clustered, even])
    for axis in axes_of(case.domain):
        low, high = chord_ends(case.domain, both, axis)
        # distance to the nearer end of the chord, as a share of its length
        nearness = np.minimum(both[:, axis] - low, high - both[:, axis]) / (high - low)
        # an arcsine law has mean distance 1/2 - 1/pi = 0.18 of the length, an even one 1/4
        assert nearness[:300].mean() < 0.9 * nearness[300:].mean()


@pytest.mark.parametrize(
    "domain", [Interval(-1, 3), Box((0, 0), (1, 5)), Box((0, 1, 2), (1, 3, 5)), Interval(0, 1) * Time(2, 4)]
)
def test_boxes_get_the_chebyshev_density(domain: Domain, rng: np.random.Generator) -> None:
    lower, upper = domain.bounding_box
    points = (domain.sample(2000, rng, "clustered") - lower) / (upper - lower)
    for column in points.T:
        # low-discrepancy points are far closer to their law than independent ones, whose distance would be 0.02
        assert stats.kstest(column, stats.arcsine.cdf).statistic < 0.01


def test_a_clustered_disk_is_dense_at_its_rim(rng: np.random.Generator) -> None:
    radius = np.hypot(*Disk((0, 0), 1).sample(4000, rng, "clustered").T)
    ring = np.mean(radius > 0.95)
    assert ring > 2.5 * (1 - 0.95**2)


@pytest.mark.parametrize("mouth", [1e-3, 1e-2, 0.1])
def test_thin_gaps_hold_no_points(mouth: float, rng: np.random.Generator) -> None:
    domain = Pacman((0, 0), 1, mouth)
    points = domain.sample(2000, rng, "clustered")
    angle = np.abs(np.arctan2(points[:, 1], points[:, 0]))
    assert domain.contains(points).all()
    assert (angle >= mouth - 1e-12).all()


@pytest.mark.parametrize("domain", [Pacman(), Panda(), Disk((0, 0), 1) * Time(0, 1), Box((0, 0, 0), (1, 1, 1))])
def test_parts_are_clustered_toward_their_ends(domain: Domain, rng: np.random.Generator) -> None:
    for part in domain.boundary():
        sites = part.sample(400, rng, "clustered")
        ends = part.place(np.zeros((1, part.parameters))).points
        even = part.sample(400, rng, "low-discrepancy")
        near = [np.mean(np.linalg.norm(s.points - ends, axis=1) < 0.02 * np.sqrt(part.measure)) for s in (sites, even)]
        assert near[0] > near[1]
        assert sites.normals is not None
        assert np.linalg.norm(sites.normals, axis=1) == pytest.approx(1, abs=1e-14)


def test_the_start_of_time_is_clustered_in_space(rng: np.random.Generator) -> None:
    sites = (Interval(0, 1) * Time(3, 4)).initial(1000, rng, "clustered")
    assert np.all(sites.points[:, 1] == 3)
    assert stats.kstest(sites.points[:, 0], stats.arcsine.cdf).statistic < 0.01
