"""Ridge functions: an activation of a phase that is linear in the coordinates."""

from __future__ import annotations

from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.features.activations import Activation, Sinusoid
from fspielm.features.basis import Basis
from fspielm.features.exponential import ExponentialBasis
from fspielm.features.local import LocalOperator


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
