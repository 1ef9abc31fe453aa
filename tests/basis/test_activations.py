"""Derivatives of the activations, against mpmath, complex steps and each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from fspielm.basis import COSINE, SINE, TANH, Activation

EPS = np.finfo(float).eps
Z = np.concatenate([np.linspace(-4, 4, 33), [0.0, 1e-9, -1e-3, 17.5, -60.25, 350.0, -800.0]])

# name: the activation, its mpmath and its NumPy counterpart
ACTIVATIONS: dict[str, tuple[Activation, Callable[..., Any], Callable[..., Any]]] = {
    "cosine": (COSINE, mp.cos, np.cos),
    "sine": (SINE, mp.sin, np.sin),
    "tanh": (TANH, mp.tanh, np.tanh),
}
each = pytest.mark.parametrize("name", ACTIVATIONS)


def taylor_derivative(function: Callable[..., Any], z: float, order: int) -> Any:
    """The derivative from mpmath's Taylor series, in 60 digits."""
    with mp.workdps(60):
        return mp.taylor(function, mp.mpf(z), order)[order] * mp.factorial(order)


@each
@pytest.mark.parametrize("order", range(9))
def test_derivatives_agree_with_mpmath(name: str, order: int) -> None:
    activation, precise, _ = ACTIVATIONS[name]
    exact = np.array([float(taylor_derivative(precise, z, order)) for z in Z])
    scale = np.max(np.abs(exact))
    # cos(z + phase) rounds z + phase; tanh's polynomials lose a factor of a few per order
    tolerance = EPS * np.maximum(1, np.abs(Z)) * 2 if name != "tanh" else 8 * EPS
    assert np.all(np.abs(activation.derivative(Z, order) - exact) <= tolerance * scale)


@each
@pytest.mark.parametrize("order", range(8))
def test_next_order_is_the_slope_of_this_one(name: str, order: int) -> None:
    # Fourth-order central difference: error h^4/30 f^(5), rounding eps/h; f^(n) of tanh grows about like n!
    activation, _, _ = ACTIVATIONS[name]
    z, h = np.linspace(-3, 3, 25), 1e-3
    f = [activation.derivative(z + k * h, order) for k in (-2, -1, 1, 2)]
    slope = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
    scale = np.max(np.abs(activation.derivative(z, order + 5)))
    assert np.max(np.abs(slope - activation.derivative(z, order + 1))) < (h**4 + 1e-12) * max(scale, 1)


@each
def test_first_derivative_agrees_with_a_complex_step(name: str) -> None:
    activation, _, function = ACTIVATIONS[name]
    z = np.linspace(-4, 4, 41)
    step = np.imag(function(z + 1e-30j)) / 1e-30
    assert np.allclose(activation.derivative(z, 1), step, rtol=0, atol=4 * EPS)


@each
@pytest.mark.parametrize("order", range(13))
def test_shape_folds_an_order_onto_one_with_a_sign(name: str, order: int) -> None:
    activation, _, _ = ACTIVATIONS[name]
    folded, sign = activation.shape(order)
    assert np.array_equal(activation.derivative(Z, order), sign * activation.derivative(Z, folded))
    assert activation.shape(folded) == (folded, 1.0)


def test_sinusoids_have_two_shapes_and_tanh_one_per_order() -> None:
    for activation in (COSINE, SINE):
        assert {activation.shape(order)[0] for order in range(20)} == {0, 1}
        assert [activation.shape(order)[1] for order in range(5)] == [1, 1, -1, -1, 1]
    assert [TANH.shape(order) for order in range(9)] == [(order, 1.0) for order in range(9)]


def test_sinusoids_have_derivatives_of_any_order() -> None:
    assert np.array_equal(COSINE.derivative(Z, 1000), np.cos(Z))
    assert np.array_equal(COSINE.derivative(Z, 1001), -np.sin(Z))


def test_tanh_follows_its_differential_equations() -> None:
    T, first, second = (TANH.derivative(Z, n) for n in range(3))
    assert np.allclose(first, 1 - T**2, rtol=0, atol=2 * EPS)
    assert np.allclose(second, -2 * T * first, rtol=0, atol=2 * EPS)


@pytest.mark.parametrize("order", range(1, 9))
def test_tanh_derivatives_vanish_where_it_is_flat(order: int) -> None:
    flat = np.array([25.0, -40.0, 1e3, -1e300, np.inf, -np.inf])
    assert np.array_equal(TANH.derivative(flat, order), np.zeros(6))


@pytest.mark.parametrize("order", [1, 3, 6])
def test_tanh_derivatives_are_odd_and_even_in_turn(order: int) -> None:
    parity = -1 if order % 2 == 0 else 1
    assert np.array_equal(TANH.derivative(-Z, order), parity * TANH.derivative(Z, order))


@each
def test_derivative_keeps_shape_and_argument(name: str) -> None:
    activation, _, _ = ACTIVATIONS[name]
    z = np.linspace(-1, 1, 6).reshape(2, 3)
    kept = z.copy()
    for order in range(4):
        assert activation.derivative(z, order).shape == (2, 3)
    assert np.array_equal(z, kept)
