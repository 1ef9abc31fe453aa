"""Activations, and ridge functions made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import final

import numpy as np
from numpy.polynomial import polynomial

from fspielm.arrays import FloatArray
from fspielm.basis.basis import Basis, LocalOperator
from fspielm.basis.exponential import ExponentialBasis
from fspielm.errors import ProblemError

# ---- Activation functions with their derivatives of any order


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


# ---- Ridge functions: an activation of a phase that is linear in the coordinates


@final
class RidgeBasis(Basis):
    """Functions ``activation(W x + b)``.

    Parameters
    ----------
    W : (M, d) array
        Frequencies, one row per function.
    b : (M,) array
        Phases.
    activation : Activation
    origin : (d,) array, optional
        Where phases are counted from: functions are ``activation(W (x - origin) + b)``. In the middle of a domain
        far from zero, it saves the digits that a large ``W x`` would lose.
    """

    def __init__(self, W: FloatArray, b: FloatArray, activation: Activation, origin: FloatArray | None = None) -> None:
        # copies: freezing the caller's own arrays, or following their later changes, would both surprise
        self.W = np.array(W, dtype=np.float64, order="C")
        self.b = np.array(b, dtype=np.float64, order="C")
        if self.W.ndim != 2 or self.b.shape != self.W.shape[:1]:
            raise ProblemError(
                f"W must have shape (M, d) and b shape (M,); got shapes {self.W.shape} and {self.b.shape}"
            )
        self.activation = activation
        self.origin = np.zeros(self.W.shape[1]) if origin is None else np.array(origin, dtype=np.float64)
        self.W.flags.writeable = self.b.flags.writeable = False

    @property
    def size(self) -> int:
        """Number of functions."""
        return len(self.b)

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return int(self.W.shape[1])

    @property
    def frequencies(self) -> FloatArray:
        """W."""
        return self.W

    @property
    def oscillates(self) -> bool:
        """True of cosines and sines."""
        return isinstance(self.activation, Sinusoid)

    @property
    def varying(self) -> tuple[RidgeBasis, ...]:
        """Itself, without the functions of frequency zero."""
        some = np.any(self.W != 0, axis=1)
        return (RidgeBasis(self.W[some], self.b[some], self.activation, self.origin),) if some.any() else ()

    @property
    def exponentials(self) -> tuple[ExponentialBasis, ...]:
        """Cosines and sines are, neither growing nor falling off."""
        if not isinstance(self.activation, Sinusoid):
            return ()
        return (ExponentialBasis(self.W, self.b + self.activation.phase, self.origin, np.zeros(self.size)),)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        W, b = self.W[columns], self.b[columns]
        if operator.is_constant and isinstance(self.activation, Sinusoid):
            _fill_one_cosine(W, b + self.activation.phase, self.origin, operator, out)
            return
        z = W @ (operator.points - self.origin).T + b[:, None]
        # (M, T): each term's power of the frequencies, the factor that differentiating brings down
        powers = np.prod(W[:, None, :] ** operator.orders, axis=2)
        folded = [self.activation.shape(int(order)) for order in operator.orders.sum(axis=1)]
        factors = powers * np.array([sign for _, sign in folded])
        out[...] = 0.0
        for shape in sorted({s for s, _ in folded}):
            terms = np.array([s == shape for s, _ in folded])
            if operator.is_constant:
                amplitude = (factors[:, terms] @ operator.coefficients[terms])[:, None]
            else:
                amplitude = factors[:, terms] @ operator.coefficients[terms]
            out += amplitude * self.activation.derivative(z, shape)


def _fill_one_cosine(
    W: FloatArray, phase: FloatArray, origin: FloatArray, operator: LocalOperator, out: FloatArray
) -> None:
    """Constant coefficients turn a cosine into one cosine, with another amplitude and phase.

    With the symbol ``P(w) = sum c (i w)^alpha``, the operator on ``cos(w x + b)`` is the real part of
    ``P(w) exp(i (w x + b))``.
    """
    powers = np.prod((1j * W[:, None, :]) ** operator.orders, axis=2)
    symbol = powers @ operator.coefficients
    np.matmul(W, (operator.points - origin).T, out=out)
    out += (phase + np.angle(symbol))[:, None]
    np.cos(out, out=out)
    out *= np.abs(symbol)[:, None]
