"""The place relative to a corner as a complex number: beside the corner, by radius and angle, and operators in it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.features.local import LocalOperator

# Stands for the corner itself, where powers and logarithms have no value.
_BESIDE = 1e-150
# What is left of weights that cancel but for rounding.
_CANCELLED = 1e-14


@final
class Polar:
    """Places `zeta` beside a corner by their `radius`, and by their `turn`, a number of modulus one.

    Parameters
    ----------
    zeta : (n,) complex array
    quick : bool
        Whether powers are taken by the angle, in a twentieth of the time: they differ in the last digits.
    """

    def __init__(self, zeta: ComplexArray, *, quick: bool = False) -> None:
        self.zeta = zeta
        self.radius: FloatArray = np.abs(zeta)
        self.turn: ComplexArray = zeta / self.radius
        self.quick = quick
        self._known: dict[Hashable, NumberArray] = {}

    def once(self, key: Hashable, find: Callable[[], NumberArray]) -> NumberArray:
        """What several functions have in common at these places, found for the first of them."""
        if key not in self._known:
            self._known[key] = find()
        return self._known[key]

    @cached_property
    def angle(self) -> FloatArray:
        """From -pi to pi."""
        return np.asarray(np.angle(self.turn))

    def power(self, exponent: float) -> ComplexArray:
        """The turn to a power; whole ones are products, and quick already."""
        if self.quick and exponent % 1 != 0:
            return np.asarray(np.exp(1j * exponent * self.angle))
        return np.asarray(self.turn**exponent)


def off_zero(zeta: ComplexArray) -> ComplexArray:
    """The same places, with one beside the corner in the place of the corner itself."""
    return np.where(np.abs(zeta) < _BESIDE, _BESIDE, zeta)


def zeta_weights(operator: LocalOperator, turn: complex) -> dict[tuple[int, int], ComplexArray]:
    """An operator in derivatives along zeta and its conjugate; the Laplacian, for one, is a single term there.

    With ``zeta = turn * (x + i y)``; the keys are the orders of the derivatives along both.
    """
    weights: dict[tuple[int, int], ComplexArray] = {}
    for coefficient, (m, n) in zip(operator.coefficients, operator.orders, strict=True):
        for j, share in enumerate(_along_zeta(int(m), int(n), turn)):
            key = (j, int(m + n) - j)
            weights[key] = weights.get(key, np.zeros(())) + coefficient * share
    largest = max((float(np.abs(w).max()) for w in weights.values()), default=0.0)
    return {key: w for key, w in weights.items() if np.abs(w).max() > _CANCELLED * largest}


def _along_zeta(m: int, n: int, turn: complex) -> ComplexArray:
    """Weights of ``d_zeta^j d_conj^(m+n-j)``, j = 0 .. m+n, in the derivative of order m along x and n along y.

    With ``zeta = turn * (x + i y)``: d_x = turn d_zeta + conj(turn) d_conj, and
    d_y = i turn d_zeta - i conj(turn) d_conj.
    """
    weights = np.ones(1, dtype=np.complex128)
    for factor in [(turn, np.conj(turn))] * m + [(1j * turn, -1j * np.conj(turn))] * n:
        raised = np.zeros(len(weights) + 1, dtype=np.complex128)
        raised[1:] += factor[0] * weights
        raised[:-1] += factor[1] * weights
        weights = raised
    return weights
