"""Boxes and intervals: faces, representation, bad input, and properties of arbitrary boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from fspielm.errors import ProblemError
from fspielm.geometry import Box, Interval

COORDINATE = st.floats(-1e6, 1e6, allow_nan=False, allow_infinity=False)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    dimension = draw(st.integers(1, 5))
    ends = [sorted(draw(st.tuples(COORDINATE, COORDINATE))) for _ in range(dimension)]
    assume(all(b - a > 1e-6 for a, b in ends))
    return Box([a for a, _ in ends], [b for _, b in ends])


@given(boxes(), st.integers(0, 40), st.integers(0, 2**32), st.sampled_from(["uniform", "low-discrepancy"]))
def test_any_box_holds_its_samples_and_faces(box: Box, n: int, seed: int, sampling: Any) -> None:
    rng = np.random.default_rng(seed)
    points = box.sample(n, rng, sampling)
    assert points.shape == (n, box.dimension)
    assert box.contains(points).all()
    for part in box.boundary():
        assert box.contains(part.sample(n, rng, sampling).points).all()


@given(boxes())
def test_any_box_obeys_the_divergence_theorem(box: Box) -> None:
    faces = box.boundary()
    assert len(faces) == 2 * box.dimension
    middle = [face.place(np.full((1, face.parameters), 0.5)) for face in faces]
    center = 0.5 * (np.array(box.lower) + np.array(box.upper))
    flux = sum(
        face.measure * float(np.sum((site.points - center) * site.normals))
        for face, site in zip(faces, middle, strict=True)
    )
    assert flux == pytest.approx(box.dimension * box.measure, rel=1e-9)


@given(boxes(), st.data())
def test_any_box_knows_which_side_of_a_face_a_point_lies(box: Box, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, box.dimension - 1))
    fraction = data.draw(st.floats(1e-3, 10))
    inside = 0.5 * (np.array(box.lower) + np.array(box.upper))
    outside = inside.copy()
    outside[axis] = box.upper[axis] + fraction * (box.upper[axis] - box.lower[axis])
    assert box.contains([inside, outside]).tolist() == [True, False]


@given(boxes())
def test_any_box_is_equal_to_what_its_representation_says(box: Box) -> None:
    assert eval(repr(box), {"Box": Box, "Interval": Interval}) == box


def test_corners_belong_to_the_box() -> None:
    box = Box((0.1, 0.2), (0.3, 0.7))
    assert box.contains([[0.1, 0.2], [0.3, 0.7], [0.1, 0.7], [0.1 * 3, 0.7]]).all()
    assert not box.contains([[0.3 + 1e-12, 0.5]]).any()


def test_faces_are_named_after_the_axes() -> None:
    assert [p.name for p in Box((0,) * 4, (1,) * 4).boundary()] == [
        "x-", "x+", "y-", "y+", "z-", "z+", "x4-", "x4+",
    ]  # fmt: skip
    assert [p.name for p in Box((0, 0), (1, 1)).boundary(["r", "phi"])] == ["r-", "r+", "phi-", "phi+"]


def test_faces_of_a_box() -> None:
    faces = {p.name: p for p in Box((0, 0, 0), (1, 2, 3)).boundary()}
    assert {name: face.measure for name, face in faces.items()} == {
        "x-": 6, "x+": 6, "y-": 3, "y+": 3, "z-": 2, "z+": 2,
    }  # fmt: skip
    site = faces["y+"].place(np.array([[0.5, 1.0]]))
    assert site.points.tolist() == [[0.5, 2.0, 3.0]]
    assert site.normals is not None
    assert site.normals.tolist() == [[0.0, 1.0, 0.0]]


def test_faces_of_an_interval_are_points() -> None:
    left, right = Interval(-1, 3).boundary()
    rng = np.random.default_rng(0)
    assert (left.name, left.measure, left.parameters) == ("x-", 1.0, 0)
    assert left.sample(10, rng).points.tolist() == [[-1.0]]
    site = right.sample(10, rng)
    assert site.points.tolist() == [[3.0]]
    assert site.normals is not None
    assert site.normals.tolist() == [[1.0]]
    assert len(right.sample(0, rng)) == 0


def test_representation() -> None:
    assert repr(Interval(0, 1)) == "Interval(0.0, 1.0)"
    assert repr(Box((0, 0), (1, 2))) == "Box((0.0, 0.0), (1.0, 2.0))"
    assert Box([0], [1]) == Interval(0, 1)
    assert Box((0, 0), (1, 1)) != Box((0, 0), (1, 2))


def test_numbers_of_every_kind_are_read_and_copied() -> None:
    lower = np.array([0, 0])
    box = Box(lower, [sp.pi, sp.Rational(1, 2)])
    lower[0] = 5
    assert box.lower == (0.0, 0.0)
    assert box.upper == (math.pi, 0.5)
    assert all(type(value) is float for value in box.lower + box.upper)
    assert Interval(np.float32(0), sp.sqrt(4)) == Interval(0, 2)


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ((0, 1), (1, 0), r"Box: upper.*greater.*axis 1.*swap"),
        ((0, 0, 2), (1, 1, 2), r"axis 2; got 2\.0 to 2\.0.*empty"),
        ((0, 0), (1,), r"lower and upper.*2 and 1"),
        ((), (), r"at least one; got 0 and 0"),
        ((0, math.nan), (1, 1), r"lower\[1\].*finite.*nan"),
        ((0, 0), (math.inf, 1), r"upper\[0\].*finite.*inf"),
        ((-1e308,), (1e308,), r"axis 0.*finite.*1e\+308"),
        (0, 1, r"Box: lower.*sequence.*got 0"),
        ((0, 0), 1, r"Box: upper.*sequence.*got 1"),
        ("00", "11", r"Box: lower.*sequence.*'00'"),
        ({0, 1}, (1, 2), r"Box: lower.*sequence.*\{0, 1\}"),
        ((0, "0"), (1, 1), r"lower\[1\].*a number.*'0'"),
        ((0, 1j), (1, 1), r"lower\[1\].*real number.*1j"),
        ((0, sp.Symbol("a")), (1, 1), r"lower\[1\].*a number; got a"),
        (np.zeros((1, 2)), (1, 1), r"lower\[0\].*a number.*array"),
        ((0, None), (1, 1), r"lower\[1\].*a number.*None"),
        (np.array(0.0), (1,), r"Box: lower.*sequence of numbers"),
    ],
)
def test_bad_boxes(lower: Any, upper: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Box(lower, upper)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (1, 0, r"b must be greater than a.*swap"),
        (1, 1, r"b must be greater than a.*empty"),
        ((0,), 1, r"Interval: a.*a number.*\(0,\)"),
        (0, "1", r"Interval: b.*a number.*'1'"),
        (-math.inf, 1, r"Interval: a.*finite.*-inf"),
    ],
)
def test_bad_intervals(a: Any, b: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Interval(a, b)
