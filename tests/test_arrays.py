"""The check that every function taking points makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fspielm import ProblemError
from fspielm.arrays import as_points


@pytest.mark.parametrize(
    "points",
    [
        [[0, 1], [2, 3], [4, 5]],
        ((0, 1), (2, 3), (4, 5)),
        np.arange(6).reshape(3, 2),
        np.arange(6, dtype=np.float32).reshape(3, 2),
        np.arange(6, dtype=np.uint8).reshape(3, 2),
        np.asfortranarray(np.arange(6.0).reshape(3, 2)),
        np.arange(12.0).reshape(3, 4)[:, ::2] / 2 + [[0, 0.0], [0, 0], [0, 0]],
    ],
)
def test_points_of_any_kind_become_float64_rows(points: Any) -> None:
    array = as_points(points, 2)
    assert array.dtype == np.float64
    assert array.shape == (3, 2)
    assert array.flags.c_contiguous
    assert np.array_equal(array, np.asarray(points))


def test_what_fits_is_passed_on_without_a_copy() -> None:
    points = np.zeros((5, 3))
    assert as_points(points, 3) is points


@pytest.mark.parametrize("empty", [[], (), np.empty(0), np.empty((0, 2))])
def test_no_points_are_points(empty: Any) -> None:
    assert as_points(empty, 2).shape == (0, 2)


def test_booleans_are_zeros_and_ones() -> None:
    assert as_points([[True, False]], 2).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("points", "dimension", "message"),
    [
        ([[1, 2, 3]], 2, r"points.*\(n, 2\).*\(1, 3\)"),
        ([1.0, 2.0], 2, r"shape \(2,\); .*\[\[\.\.\., \.\.\.\]\]"),
        (0.5, 2, r"shape \(\); .*\[\[\.\.\., \.\.\.\]\]"),
        (0.5, 1, r"shape \(\); .*\[\[\.\.\.\]\]"),
        ([0.1, 0.2, 0.3], 1, r"points.*\(n, 1\).*\(3,\); .*points\[:, None\]"),
        (np.zeros((2, 2, 2)), 2, r"got shape \(2, 2, 2\)"),
        (np.empty((0, 3)), 2, r"got shape \(0, 3\)"),
        (np.empty((4, 0)), 2, r"got shape \(4, 0\)"),
        ([[1, 2], [3]], 2, r"points.*\(n, 2\).*different lengths"),
        ([[1, 2j]], 2, r"points.*real.*complex128"),
        ([["a", "b"]], 2, r"points.*real.*<U1"),
        ([[None, 1]], 2, r"points.*real.*object"),
    ],
)
def test_says_what_is_wrong(points: Any, dimension: int, message: str) -> None:
    with pytest.raises(ProblemError, match=f"{message}$"):
        as_points(points, dimension)


def test_names_the_argument() -> None:
    with pytest.raises(ProblemError, match=r"^centers must have shape"):
        as_points([1, 2], 2, argument="centers")
