"""Plane curves: arc length against closed forms, its inverse, orientation, clipping, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipe

from fspielm.errors import ProblemError
from fspielm.geometry import PlaneCurve, arc, segment
from fspielm.numerics.roots import antiderivative


def ellipse(a: float, b: float, t1: float = 2 * math.pi) -> PlaneCurve:
    return PlaneCurve(
        lambda t: np.column_stack([a * np.cos(t), b * np.sin(t)]),
        lambda t: np.column_stack([-a * np.sin(t), b * np.cos(t)]),
        0.0,
        t1,
    )


def parabola() -> PlaneCurve:
    """y = x^2 for x from -1 to 3; the length from the tip to x is known."""
    return PlaneCurve(
        lambda t: np.column_stack([t, t**2]), lambda t: np.column_stack([np.ones_like(t), 2 * t]), -1.0, 3.0
    )


def parabola_length(x: float) -> float:
    return 0.5 * x * math.sqrt(1 + 4 * x**2) + 0.25 * math.asinh(2 * x)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (3, 1), (1, 3), (50, 1), (1e-6, 2e-6), (1e6, 1e5)])
def test_length_of_an_ellipse(a: float, b: float) -> None:
    exact = 4 * a * ellipe(1 - (b / a) ** 2)
    assert ellipse(a, b).length == pytest.approx(exact, rel=1e-13)


def test_inverse_arc_length() -> None:
    curve = parabola()
    s = np.linspace(0, 1, 101)
    t = curve.parameter(s)
    travelled = np.array([parabola_length(x) for x in t]) - parabola_length(-1)
    assert travelled / curve.length == pytest.approx(s, abs=1e-13)
    assert t[[0, -1]] == pytest.approx([-1, 3], abs=1e-13)


def test_inverse_arc_length_where_the_curve_all_but_stops() -> None:
    """A flat ellipse's speed falls to a hundred-thousandth at its tips."""
    curve = ellipse(1, 1e-5, math.pi)
    s = np.linspace(0, 1, 51)
    speed = antiderivative(lambda t: np.hypot(np.sin(t), 1e-5 * np.cos(t)), 0.0, math.pi, what="speed")
    assert speed(curve.parameter(s)) / curve.length == pytest.approx(s, abs=1e-10)


def test_points_are_on_the_curve_exactly() -> None:
    points = parabola().as_part("p").place(np.random.default_rng(0).random((100, 1))).points
    assert np.array_equal(points[:, 1], points[:, 0] ** 2)


def test_normals_point_right_of_the_walk() -> None:
    part = segment((0, 0), (0, 2)).as_part("up")
    sites = part.place(np.array([[0.0], [0.25], [1.0]]))
    assert sites.points.tolist() == [[0, 0], [0, 0.5], [0, 2]]
    assert sites.normals is not None
    assert sites.normals.tolist() == [[1, 0]] * 3
    assert (part.name, part.measure, part.parameters) == ("up", 2.0, 1)


def test_segment_meets_its_ends_exactly() -> None:
    start, end = (0.1, 1e6), (1e-3, -0.7)
    assert segment(start, end).point(np.array([0.0, 1.0])).tolist() == [list(start), list(end)]


@pytest.mark.parametrize(("angle0", "angle1", "outward"), [(0.5, 2.0, 1), (2.0, 0.5, -1), (-3, -1, 1), (1, -9, -1)])
def test_arc(angle0: float, angle1: float, outward: int) -> None:
    center, radius = (3.0, -2.0), 0.7
    curve = arc(center, radius, angle0, angle1)
    assert curve.length == pytest.approx(radius * abs(angle1 - angle0), rel=1e-15)
    sites = curve.as_part("arc").place(np.array([[0.0], [0.5], [1.0]]))
    angles = np.array([angle0, 0.5 * (angle0 + angle1), angle1])
    radial = np.column_stack([np.cos(angles), np.sin(angles)])
    assert sites.points == pytest.approx(center + radius * radial, abs=1e-15)
    assert sites.normals == pytest.approx(outward * radial, abs=1e-15)


@pytest.mark.parametrize("curve", [parabola(), arc((0, 0), 2, 0, 3), segment((0, 0), (3, 4))])
def test_clipped_pieces_add_up(curve: PlaneCurve) -> None:
    middle = curve.t0 + 0.3 * (curve.t1 - curve.t0)
    first, second = curve.clip(curve.t0, middle), curve.clip(middle, curve.t1)
    assert first.length + second.length == pytest.approx(curve.length, rel=1e-13)
    end = first.as_part("a").place(np.array([[1.0]])).points
    assert end == pytest.approx(second.as_part("b").place(np.array([[0.0]])).points, abs=1e-13)


def test_no_points_at_all() -> None:
    sites = parabola().as_part("p").place(np.empty((0, 1)))
    assert sites.points.shape == (0, 2)


def test_bad_ranges() -> None:
    with pytest.raises(ProblemError, match=r"PlaneCurve: t1.*greater.*t0"):
        PlaneCurve(parabola().point, parabola().tangent, 1, 1)
    with pytest.raises(ProblemError, match=r"clip: t0 < t1.*-1.0 and 3.0"):
        parabola().clip(0, 4)
    with pytest.raises(ProblemError, match=r"segment: start.*end.*differ"):
        segment((1, 2), (1, 2))
    with pytest.raises(ProblemError, match=r"arc: angle0.*angle1.*differ"):
        arc((0, 0), 1, 1, 1)


def test_length_across_a_jump_in_direction() -> None:
    kinked = PlaneCurve(
        lambda t: np.column_stack([t, np.where(t > 1 / 3, 2 * t - 1 / 3, t)]),
        lambda t: np.column_stack([np.ones_like(t), np.where(t > 1 / 3, 2.0, 1.0)]),
        0.0,
        1.0,
    )
    first = math.sqrt(2) / 3
    assert kinked.length == pytest.approx(first + math.sqrt(5) * 2 / 3, rel=1e-14)
    kink = kinked.parameter(np.array([first / kinked.length]))
    assert kink == pytest.approx([1 / 3], abs=1e-13)


def test_a_curve_of_infinite_length_is_refused() -> None:
    runaway = PlaneCurve(
        lambda t: np.column_stack([t, 1 / t]),
        lambda t: np.column_stack([np.ones_like(t), -1 / t**2]),
        0.0,
        1.0,
    )
    with pytest.raises(ProblemError, match=r"speed.*PlaneCurve.*finite.*near 0"):
        _ = runaway.length


def test_antiderivative_of_fast_oscillations() -> None:
    integral = antiderivative(lambda t: 1 + np.cos(700 * t), 0.0, 2.0, what="f")
    t = np.linspace(0, 2, 57)
    assert integral(t) == pytest.approx(t + np.sin(700 * t) / 700, abs=1e-12)


def test_antiderivative_refuses_what_is_not_finite() -> None:
    with pytest.raises(ProblemError, match=r"f must be finite.*smooth"):
        antiderivative(lambda t: np.full_like(t, np.nan), 0.0, 1.0, what="f")
