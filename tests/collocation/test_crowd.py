"""Points on the boundary that crowd near places outside of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.collocation.points import Crowd, Crowds
from fspielm.geometry import Domain, Sites

X, Y = sp.symbols("x y")
U = sp.Function("u")(X, Y)
DISK = fs.Disk((0, 0), 1)
# the density along a circle of one over the distance to this place
PLACE = np.array([(1.01, 0.0)])


def problem(domain: Domain, *conditions: object) -> fs.Problem:
    return fs.Problem(sp.Eq(U.diff(X, 2) + U.diff(Y, 2), 0), domain, list(conditions) or [fs.Dirichlet(0)])


def test_density_is_one_over_the_distance() -> None:
    sites = Crowd(PLACE, 4000).draw(problem(DISK), np.random.default_rng(0))["dirichlet circle"]
    angles = np.sort(np.abs(np.arctan2(sites.points[:, 1], sites.points[:, 0])))
    fine = np.concatenate([[0.0], np.geomspace(1e-6, math.pi, 4000)])
    distances = np.hypot(np.cos(fine) - 1.01, np.sin(fine))
    integral = np.concatenate([[0.0], np.cumsum(np.diff(fine) / (0.5 * (distances[1:] + distances[:-1])))])
    expected = np.interp(angles, fine, integral / integral[-1])
    assert np.abs(expected - (np.arange(4000) + 0.5) / 4000).max() < 0.02
    assert np.allclose(np.linalg.norm(sites.points, axis=1), 1, atol=1e-14)
    assert sites.normals is not None


def test_counts_are_those_of_the_draw_and_added_to_the_others() -> None:
    stated = problem(fs.Box((0, 0), (1, 1)))
    plain = fs.Points(interior=0, boundary=10)
    points = replace(plain, crowd=Crowd(np.array([(1.0 + 1e-6, 0.5)]), 100))
    counts = points.counts(stated)
    assert counts == {name: len(sites) for name, sites in points.draw(stated, np.random.default_rng(0)).items()}
    assert abs(sum(counts.values()) - 140) <= 2
    assert counts["dirichlet x+"] > 60
    thin = points.thinned().counts(stated)
    assert abs(sum(thin.values()) - (4 * plain.thinned().boundary + 25)) <= 2  # type: ignore[operator]


def test_several_crowds_are_each_on_parts_of_their_own() -> None:
    stated = problem(fs.Box((0, 0), (1, 1)))
    places = np.array([(1.1, 0.5)])
    crowds = Crowds((Crowd(places, 40, parts=frozenset({"x+"})), Crowd(places, 20, parts=frozenset({"x-", "y-"}))))
    counts = crowds.counts(stated)
    assert counts["dirichlet x+"] == 40
    assert counts["dirichlet x-"] + counts["dirichlet y-"] == 20
    assert "dirichlet y+" not in counts
    assert counts == {name: len(sites) for name, sites in crowds.draw(stated, np.random.default_rng(0)).items()}
    assert crowds.thinned().counts(stated)["dirichlet x+"] == 16


def test_the_others_are_the_same_with_a_crowd() -> None:
    plain = fs.Points(interior=20, boundary=30, sampling="clustered")
    alone = plain.draw(problem(DISK), np.random.default_rng(4))
    beside = replace(plain, crowd=Crowd(PLACE, 40)).draw(problem(DISK), np.random.default_rng(4))
    np.testing.assert_array_equal(beside["equation"].points, alone["equation"].points)
    np.testing.assert_array_equal(beside["dirichlet circle"].points[:30], alone["dirichlet circle"].points)
    assert len(beside["dirichlet circle"]) == 70


def test_a_condition_on_a_piece_of_a_part_has_points_there_alone() -> None:
    stated = problem(DISK, fs.Dirichlet(0, on=Y >= 0), fs.Neumann(0, on=Y < 0))
    sites = Crowd(PLACE, 200).draw(stated, np.random.default_rng(0))
    assert np.all(sites["dirichlet circle"].points[:, 1] >= -1e-8)
    assert np.all(sites["neumann circle"].points[:, 1] <= 1e-8)
    assert [len(s) for s in sites.values()] == [100, 100]


def test_points_crowd_at_a_corner_as_far_as_double_precision_goes() -> None:
    sites = Crowd(np.array([(-1e-12, -1e-12)]), 400).draw(problem(fs.Box((0, 0), (1, 1))), np.random.default_rng(0))
    distances = np.sort(np.linalg.norm(np.concatenate([s.points for s in sites.values()]), axis=1))
    assert distances[20] < 1e-10
    assert distances[-20] > 0.1


def test_what_makes_no_crowd_is_refused() -> None:
    with pytest.raises(fs.ProblemError, match=r"places.*shape \(m, 2\)"):
        Crowd(np.empty((0, 2)), 5)
    heat = fs.Problem(
        sp.Eq(U.diff(Y), U.diff(X, 2)), fs.Interval(0, 1) * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(0)]
    )
    with pytest.raises(fs.ProblemError, match=r"crowd.*plane domain"):
        Crowd(PLACE, 5).counts(heat)


def test_sites_follow_each_other_with_normals_if_both_have_them() -> None:
    points = np.eye(2)
    both = Sites(points, points).followed_by(Sites(-points, -points))
    np.testing.assert_array_equal(both.points, np.vstack([points, -points]))
    np.testing.assert_array_equal(both.normals, both.points)
    assert Sites(points, points).followed_by(Sites(points)).normals is None
