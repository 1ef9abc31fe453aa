"""Exponentials of complex frequency with polynomial factors."""

from __future__ import annotations

from math import factorial
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import Basis, LocalOperator, expand_powers
from fspielm.errors import ProblemError

# Of exponents: far outside of the domain, where values mean nothing, they stay finite at least.
MOST_GROWTH = 300.0


@final
class ExponentialBasis(Basis):
    """Functions ``Re (along x)^power exp(i (W x + b) - peak)`` with complex W, x counted from `origin`.

    Parameters
    ----------
    W : (M, d) array
        Complex frequencies: the imaginary parts are rates of decay.
    b : (M,) array
        Phases; b and ``b - pi / 2`` make the real and the imaginary part.
    origin : (d,) array
        Where x is counted from: the middle of a domain.
    peaks : (M,) array
        The largest ``-Im(W) x`` on the domain, so that no function is larger than one there.
    powers : (M,) integer array, optional
        Of the polynomial factors; none by default.
    along : (M, d) array, optional
        Directions of the polynomial factors; with a length of about one over the size of the domain they stay below
        one. Needed where there are powers.
    """

    def __init__(
        self,
        W: ArrayLike,
        b: ArrayLike,
        origin: ArrayLike,
        peaks: ArrayLike,
        powers: ArrayLike | None = None,
        along: ArrayLike | None = None,
    ) -> None:
        self.W = np.array(W, dtype=np.complex128)
        if self.W.ndim != 2:
            raise ProblemError(f"W must have shape (M, d); got shape {self.W.shape}")
        size, dimension = self.W.shape
        self.b = np.array(b, dtype=np.float64)
        self.origin = np.array(origin, dtype=np.float64)
        self.peaks = np.array(peaks, dtype=np.float64)
        self.powers = np.zeros(size, dtype=np.int_) if powers is None else np.array(powers, dtype=np.int_)
        self.along = np.zeros((size, dimension)) if along is None else np.array(along, dtype=np.float64)
        shapes = {"b": (size,), "origin": (dimension,), "peaks": (size,), "powers": (size,), "along": (size, dimension)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ProblemError(
                    f"{name} must have shape {shape} beside W of shape {self.W.shape}; got {getattr(self, name).shape}"
                )
            getattr(self, name).flags.writeable = False
        self.W.flags.writeable = False

    @property
    def size(self) -> int:
        """Number of functions."""
        return len(self.b)

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return int(self.W.shape[1])

    @property
    def frequencies(self) -> ComplexArray:
        """W."""
        return self.W

    @property
    def oscillates(self) -> bool:
        """True."""
        return True

    @property
    def varying(self) -> tuple[ExponentialBasis, ...]:
        """Itself, without the functions of frequency zero."""
        some = np.any(self.W != 0, axis=1)
        return (self.select(some),) if some.any() else ()

    @property
    def exponentials(self) -> tuple[ExponentialBasis, ...]:
        """Itself."""
        return (self,)

    def select(self, some: BoolArray | slice) -> ExponentialBasis:
        """Some of its functions."""
        each = (array[some] for array in (self.peaks, self.powers, self.along))
        return ExponentialBasis(self.W[some], self.b[some], self.origin, *each)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`.

        With the symbol P of the operator and its derivatives along the direction of the polynomial factor,
        ``P(D) l^p exp(s x) = sum_k (p choose k) l^(p - k) P^(k)(s) exp(s x)``, where ``l = along x``.
        """
        W, b, powers, along = self.W[columns], self.b[columns], self.powers[columns], self.along[columns]
        place = (operator.points - self.origin).T
        degree = int(powers.max(initial=0))
        expanded = expand_powers(operator.orders, 1j * W, along, degree)
        growth = np.minimum(-(W.imag @ place) - self.peaks[columns][:, None], MOST_GROWTH)
        phase = W.real @ place + b[:, None]
        if operator.is_constant and degree == 0:
            symbol = expanded[:, :, 0] @ operator.coefficients
            phase += np.angle(symbol)[:, None]
            np.multiply(np.exp(growth), np.cos(phase), out=out)
            out *= np.abs(symbol)[:, None]
            return
        amplitude = amplitude_of(expanded, operator.coefficients, powers, along @ place)
        np.multiply(amplitude.real, np.cos(phase), out=out)
        out -= amplitude.imag * np.sin(phase)
        out *= np.exp(growth)


def amplitude_of(
    expanded: ComplexArray,
    coefficients: NumberArray,
    powers: np.ndarray[tuple[int], np.dtype[np.int_]],
    line: FloatArray,
) -> ComplexArray:
    """What the exponentials are multiplied with, shape ``(M, n)``; `line` is ``along x``."""
    total: ComplexArray = np.zeros(line.shape, dtype=np.complex128)
    constant = coefficients.ndim == 1
    for k in range(expanded.shape[2]):
        symbol = expanded[:, :, k] @ coefficients
        falling = np.array([factorial(p) / factorial(p - k) if p >= k else 0.0 for p in powers])
        factor = falling[:, None] * line ** np.maximum(powers - k, 0)[:, None]
        total += factor * (symbol[:, None] if constant else symbol)
    return total
