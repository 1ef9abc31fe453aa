"""Where plane curves meet, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

from fspielm.geometry import PlaneCurve, PolarCurve, arc, edges_of, meets_any, segment
from fspielm.geometry.crossings import Resolution, meetings
from fspielm.geometry.curves import FlatCurve
from fspielm.geometry.shapes.panda import Panda

RESOLUTION = Resolution(2.0, 2e-14)


def circle(x: float, y: float, radius: float, start: float = 0.0) -> PlaneCurve:
    return arc((x, y), radius, start, start + 2 * math.pi)


def places(first: PlaneCurve, second: PlaneCurve) -> np.ndarray:
    """The places where two curves meet, each once, sorted; both curves lead there."""
    s, t = meetings(FlatCurve(first), FlatCurve(second), RESOLUTION)
    here, there = first.point(s), second.point(t)
    assert np.abs(here - there).max(initial=0.0) <= 1e-11
    return np.unique(np.round(here, 7) + 0.0, axis=0)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (segment((0, 0), (1, 1)), segment((0, 1), (1, 0)), [(0.5, 0.5)]),
        (segment((0, 0), (1, 0)), segment((0, 1), (1, 1)), []),
        (segment((0, 0), (1, 0)), segment((2, -1), (2, 1)), []),
        (segment((0, 0), (1, 0)), segment((0.5, 0), (0.5, 1)), [(0.5, 0)]),
        (segment((0, 0), (1, 0)), segment((0.5, 0), (2, 0)), [(0.5, 0), (1, 0)]),
        (segment((0, 0), (1, 0)), segment((1, 0), (0, 0)), [(0, 0), (1, 0)]),
        (segment((0, 0), (1, 0)), segment((1, 0), (2, 0)), [(1, 0)]),
        (circle(0, 0, 1), segment((-2, 0.6), (2, 0.6)), [(-0.8, 0.6), (0.8, 0.6)]),
        (circle(0, 0, 1), segment((-2, 1), (2, 1)), [(0, 1)]),
        (circle(0, 0, 1), segment((-2, 1.001), (2, 1.001)), []),
        (circle(0, 0, 1), segment((0, 0), (0.6, 0.8)), [(0.6, 0.8)]),
        (circle(0, 0, 1), circle(1.2, 0, 1), [(0.6, -0.8), (0.6, 0.8)]),
        (circle(0, 0, 1, 1.0), circle(2, 0, 1), [(1, 0)]),
        (circle(0, 0, 1, 1.0), circle(0.5, 0, 0.5, 2.0), [(1, 0)]),
        (circle(0, 0, 1), circle(0, 0, 0.5), []),
        (arc((0, 0), 1, 0, 1.5), arc((0, 0), 1, 2.5, 1), [(math.cos(1), math.sin(1)), (math.cos(1.5), math.sin(1.5))]),
    ],
)
def test_known_places(first: PlaneCurve, second: PlaneCurve, expected: list[tuple[float, float]]) -> None:
    ordered = np.array(sorted(expected)).reshape(-1, 2)
    assert places(first, second) == pytest.approx(ordered, abs=1e-7)
    assert places(second, first) == pytest.approx(ordered, abs=1e-7)
    assert places(first.reversed(), second) == pytest.approx(ordered, abs=1e-7)


@pytest.mark.parametrize("depth", [1e-1, 1e-4, 1e-7, 1e-9])
def test_narrow_lenses_have_two_ends(depth: float) -> None:
    """Circles that overlap by little cross where the closed form says, to the accuracy that rounding leaves."""
    first, second = circle(0, 0, 1, 1.0), circle(2 - depth, 0, 1)
    s, _ = meetings(FlatCurve(first), FlatCurve(second), RESOLUTION)
    height = math.sqrt(depth - depth**2 / 4)
    assert np.sort(first.point(s)[:, 1]) == pytest.approx([-height, height], rel=1e-14 / depth + 1e-14)


def test_coincident_circles_meet_at_their_ends_only() -> None:
    assert len(places(circle(0, 0, 1, 0.5), circle(0, 0, 1, 2.0))) == 2


def test_general_curves_meet_on_both() -> None:
    theta = sp.Symbol("theta")
    flower = edges_of(PolarCurve(1 + sp.cos(5 * theta) / 4))[0].curve
    found = places(flower, circle(0, 0, 1))
    # cos(5 theta) = 0
    angles = math.pi / 10 + math.pi / 5 * np.arange(10)
    expected = np.column_stack([np.cos(angles), np.sin(angles)])
    distances = np.linalg.norm(found[:, None] - expected, axis=2)
    assert len(found) == 10
    assert distances.min(axis=0).max() < 1e-7


def test_nearest_points() -> None:
    panda = edges_of(Panda())[0].curve
    t = np.linspace(panda.t0, panda.t1, 40)[1:-1]
    found, gap = FlatCurve(panda).nearest(panda.point(t))
    assert found == pytest.approx(t, abs=1e-12)
    assert gap.max() < 1e-14
    _, gap = FlatCurve(circle(0, 0, 1)).nearest(np.array([[0.66, 0.88], [0.3, 0.4], [30.0, 40.0]]))
    assert gap[:2] == pytest.approx([0.1, 0.5], abs=1e-12)
    assert gap[2] == pytest.approx(49, rel=1e-2)


def test_a_line_through_the_thinnest_wall_meets_it() -> None:
    wall = [segment((0, 1), (1, 1)), segment((1, 1 + 1e-6), (0, 1 + 1e-6))]
    assert meets_any(segment((0.5, 0), (0.5, 2)), wall)
    assert meets_any(segment((0.5, 0), (0.5, 1)), wall)
    assert not meets_any(segment((0.5, 0), (0.5, 0.999)), wall)
    assert not meets_any(segment((2, 0), (2, 2)), wall)
