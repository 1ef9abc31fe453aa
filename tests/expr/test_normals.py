"""Functions of points and normals, as fields: who is called with what, and who is refused."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm import ProblemError
from fspielm.arrays import FloatArray
from fspielm.expr import make_field
from fspielm.expr.functions import takes_normals

x, y = sp.symbols("x y")
nx, ny = sp.symbols("nx ny")
rng = np.random.default_rng(0)
POINTS, NORMALS = rng.random((7, 2)), rng.random((7, 2))


def slope(points: FloatArray, normals: FloatArray) -> FloatArray:
    return np.asarray(points[:, 0] * normals[:, 1])


class Slope:
    def __call__(self, points: FloatArray, normals: FloatArray) -> FloatArray:
        return slope(points, normals)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (slope, True),
        (Slope(), True),
        (functools.partial(lambda p, n, k: k * p[:, 0], k=2), True),
        (functools.partial(lambda k, p, n: k * p[:, 0], 2), True),
        (lambda points, normals, scale=1.0: points[:, 0], True),
        (lambda points, scale=1.0: points[:, 0], False),
        (lambda points: points[:, 0], False),
        (lambda *arguments: 0, False),
        (lambda a, b, c: 0, False),
        (np.sin, False),
        (max, False),
    ],
)
def test_two_arguments_that_are_needed(function: Any, expected: bool) -> None:
    assert takes_normals(function) is expected


@pytest.mark.parametrize("value", [slope, Slope(), x * ny], ids=["function", "object", "expression"])
def test_values(value: Any) -> None:
    field = make_field(value, (x, y), normals=(nx, ny))
    assert field.needs_normals
    np.testing.assert_allclose(field(POINTS, NORMALS), POINTS[:, 0] * NORMALS[:, 1], rtol=1e-15)
    np.testing.assert_array_equal(field.checked(POINTS, "v", NORMALS), field(POINTS, NORMALS))
    assert field(np.empty((0, 2)), np.empty((0, 2))).shape == (0,)
    with pytest.raises(ProblemError, match=r"normal.*use it on a boundary"):
        field(POINTS)


def test_given_functions_of_either_kind() -> None:
    f, g = (sp.Function(name)(x, y) for name in "fg")
    field = make_field(2 * f + g, (x, y), {f: slope, g: lambda p: p[:, 1]}, normals=(nx, ny))
    np.testing.assert_allclose(field(POINTS, NORMALS), 2 * slope(POINTS, NORMALS) + POINTS[:, 1], rtol=1e-15)


def test_what_needs_no_normals_is_the_same_with_them() -> None:
    field = make_field(sp.sin(x) * y, (x, y), normals=(nx, ny))
    assert not field.needs_normals
    np.testing.assert_array_equal(field(POINTS, NORMALS), make_field(sp.sin(x) * y, (x, y))(POINTS))


def test_the_caller_s_arrays_stay() -> None:
    def greedy(points: FloatArray, normals: FloatArray) -> FloatArray:
        points *= 0
        normals *= 0
        return points[:, 0]

    points, normals = POINTS.copy(), NORMALS.copy()
    make_field(greedy, (x, y), normals=(nx, ny))(points, normals)
    np.testing.assert_array_equal([points, normals], [POINTS, NORMALS])


def test_coordinates_in_the_place_of_arrays_are_explained() -> None:
    field = make_field(lambda x, y: x * y, (x, y), normals=(nx, ny))
    with pytest.raises(ProblemError, match=r"<lambda>.*normals\).*one value"):
        field(POINTS, NORMALS)


def test_refused_without_normals() -> None:
    f = sp.Function("f")(x, y)
    with pytest.raises(ProblemError, match=r"^v is.*slope.*two arguments"):
        make_field(slope, (x, y), what="v")
    with pytest.raises(ProblemError, match=r"^v contains f\(x, y\).*takes two"):
        make_field(f + x, (x, y), {f: slope}, what="v")
