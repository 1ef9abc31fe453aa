"""Functions that cells share where materials meet."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.basis import localise
from fspielm.cells.basis import CornerTerms, no_corner_terms
from fspielm.geometry import Sites
from fspielm.problem import Operator, derivative

POINT, POWER, LENGTH = 0.3 + 0.2j, 0.39, 0.5
TURN, FACTOR = np.exp(-0.7j), 0.8 - 0.3j


@pytest.fixture
def terms() -> CornerTerms:
    numbers = [np.array([each]) for each in (POINT, POWER, LENGTH, TURN, FACTOR)]
    return CornerTerms(np.array([2]), np.array([0]), *numbers)


def rows(terms: CornerTerms, operator: Operator, points: np.ndarray) -> np.ndarray:
    return np.asarray(terms.rows(2, localise(operator, Sites(points))))[:, 0]


def around(count: int = 20) -> np.ndarray:
    angle, radius = np.linspace(-0.1, 1.5, count), np.linspace(0.05, 0.4, count)
    z = POINT + radius * np.exp(1j * angle)
    return np.stack([z.real, z.imag], axis=1)


def test_values(terms: CornerTerms) -> None:
    points = around()
    z = points @ np.array([1, 1j])
    known = np.real(FACTOR * (TURN * (z - POINT) / LENGTH) ** POWER)
    np.testing.assert_allclose(rows(terms, derivative((0, 0)), points), known, rtol=1e-13)


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1), (0, 2)])
def test_derivatives(terms: CornerTerms, orders: tuple[int, int]) -> None:
    points, step = around(), 1e-5
    axis = 0 if orders[0] else 1
    lower = tuple(order - (place == axis) for place, order in enumerate(orders))
    shift = step * np.eye(2)[axis]
    slope = (rows(terms, derivative(lower), points + shift) - rows(terms, derivative(lower), points - shift)) / 2 / step
    np.testing.assert_allclose(rows(terms, derivative(orders), points), slope, rtol=1e-5, atol=1e-6)


def test_they_are_harmonic_to_the_last_digit(terms: CornerTerms) -> None:
    close = np.array([[POINT.real + 1e-9, POINT.imag + 1e-9]])
    assert rows(terms, derivative((2, 0)) + derivative((0, 2)), close).item() == 0.0


def test_other_cells_have_none(terms: CornerTerms) -> None:
    assert terms.rows(1, localise(derivative((0, 0)), Sites(around()))).shape == (20, 0)
    assert len(terms) == 1
    assert len(no_corner_terms()) == 0
