"""Activation functions with their derivatives of any order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import final

import numpy as np
from numpy.polynomial import polynomial

from fspielm.arrays import FloatArray


class Activation(ABC):
    """A scalar function and its derivatives.

    Derivatives that differ only by sign are one `shape`: a sinusoid has two, the function and its first
    derivative, so that an operator with many terms still costs at most two evaluations per entry.
    """

    @abstractmethod
    def shape(self, order: int) -> tuple[int, float]:
        """``(s, sign)`` such that the derivative of `order` is ``sign`` times that of order ``s``."""

    @abstractmethod
    def derivative(self, z: FloatArray, order: int) -> FloatArray:
        """The derivative of `order` at `z`."""


@final
class Sinusoid(Activation):
    """``cos(z + phase)``: the cosine for phase 0, the sine for phase -pi/2."""

    def __init__(self, phase: float) -> None:
        self.phase = phase

    def shape(self, order: int) -> tuple[int, float]:
        """Fold the order to 0 or 1, as the second derivative is the function with its sign turned."""
        return order % 2, -1.0 if order % 4 >= 2 else 1.0

    def derivative(self, z: FloatArray, order: int) -> FloatArray:
        """``cos(z + phase + order pi/2)``, by quarter turns rather than by adding to z."""
        folded, sign = self.shape(order)
        value = np.cos(z + self.phase) if folded == 0 else -np.sin(z + self.phase)
        return sign * value


@final
class HyperbolicTangent(Activation):
    """``tanh(z)``; its derivatives are polynomials in tanh itself."""

    def shape(self, order: int) -> tuple[int, float]:
        """Every order is a shape of its own."""
        return order, 1.0

    def derivative(self, z: FloatArray, order: int) -> FloatArray:
        """The derivative of any order, ``(1 - T^2) q(T)`` with T = tanh(z).

        The factor that makes every derivative vanish where tanh is flat is kept apart: expanded into one
        polynomial it would cancel there, and lose a digit or two of the higher orders.
        """
        T: FloatArray = np.tanh(z)
        if order == 0:
            return T
        q = _tanh_cofactor(order)
        values = np.full_like(T, q[-1])
        for coefficient in q[-2::-1]:
            values *= T
            values += coefficient
        return values * ((1.0 - T) * (1.0 + T))


@lru_cache(maxsize=64)
def _tanh_cofactor(order: int) -> tuple[float, ...]:
    """Coefficients of q, lowest first, by ``q -> (1 - T^2) q' - 2 T q`` from ``q = 1`` for order 1."""
    if order == 1:
        return (1.0,)
    q = _tanh_cofactor(order - 1)
    grown = polynomial.polymul([1.0, 0.0, -1.0], polynomial.polyder(q))
    return tuple(float(c) for c in polynomial.polyadd(grown, polynomial.polymul([0.0, -2.0], q)))


COSINE = Sinusoid(0.0)
SINE = Sinusoid(-np.pi / 2)
TANH = HyperbolicTangent()
