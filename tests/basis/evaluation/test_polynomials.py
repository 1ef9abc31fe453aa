"""Polynomials on boxes, and on boxes within them, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from fspielm.numerics.roots import Polynomials, add_up, join

COUNT = 12


def some(dimension: int, lower: float, upper: float, seed: int = 0) -> Polynomials:
    """Two polynomials on a cube."""
    coefficients = np.random.default_rng(seed).normal(size=(2, *[COUNT] * dimension))
    return Polynomials(np.full(dimension, lower), np.full(dimension, upper), coefficients)


def values(one: Polynomials, places: np.ndarray) -> np.ndarray:
    """By NumPy, which has the axis of the functions last."""
    unit = (2 * places - (one.lower + one.upper)[:, None]) / (one.upper - one.lower)[:, None]
    evaluate = {1: chebyshev.chebval, 2: chebyshev.chebval2d, 3: chebyshev.chebval3d}[len(places)]
    return np.asarray(evaluate(*unit, np.moveaxis(one.coefficients, 0, -1)))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_values_are_those_of_numpy(dimension: int) -> None:
    one = some(dimension, -1.0, 3.0)
    places = np.random.default_rng(1).uniform(-1, 3, (dimension, 50))
    assert np.allclose(one.at(places), values(one, places), rtol=0, atol=1e-13 * COUNT**dimension)


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("ends", [(-1.0, 3.0), (0.0, 1.0), (2.99, 3.0), (0.5, 0.5 + 1e-9)])
def test_on_a_smaller_box_they_are_the_same(dimension: int, ends: tuple[float, float]) -> None:
    one = some(dimension, -1.0, 3.0)
    smaller = one.within(*(np.full(dimension, end) for end in ends))
    places = np.random.default_rng(1).uniform(*ends, (dimension, 50))
    assert np.allclose(smaller.at(places), values(one, places), rtol=0, atol=1e-13 * COUNT**dimension)


def test_a_box_without_width_along_an_axis() -> None:
    one = some(2, -1.0, 3.0)
    lower, upper = np.array([0.2, 0.7]), np.array([1.1, 0.7])
    places = np.stack([np.linspace(0.2, 1.1, 20), np.full(20, 0.7)])
    assert np.allclose(one.within(lower, upper).at(places), values(one, places), rtol=0, atol=1e-11)


def test_sums_of_polynomials_on_different_boxes() -> None:
    large, middle, other = some(2, -1.0, 3.0), some(2, 0.0, 2.0, 1), some(2, 0.0, 2.0, 2)
    terms = join(join(join((), large), middle), other)
    assert len(terms) == 2  # those on one box are added up
    places = np.random.default_rng(1).uniform(0.5, 1.5, (2, 50))
    total = add_up(terms, np.full(2, 0.5), np.full(2, 1.5))
    expected = sum(values(one, places) for one in (large, middle, other))
    assert np.allclose(total.at(places), expected, rtol=0, atol=1e-11)
