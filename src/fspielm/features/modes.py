"""Exponentials with an amplitude for each of several unknowns, or complex ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.features.activations import COSINE
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.exponential import MOST_GROWTH, ExponentialBasis
from fspielm.features.local import LocalOperator
from fspielm.features.powers import expand_powers
from fspielm.features.ridge import RidgeBasis

_PARTS = ("real", "imag")


@final
class ModeBasis(Basis):
    """Functions ``sum_k amplitude_jk (along x)^k exp(i (W x + b) - peak)`` for each unknown j, or their real parts.

    What satisfies a system of equations, its amplitudes a null vector of the matrix of symbols; or a single equation
    with complex coefficients, the real part of which would not satisfy it.

    Parameters
    ----------
    waves : ExponentialBasis
        W, b, origin, peaks, and the directions of polynomial factors; not their powers.
    amplitudes : (M, J, K) array
        Complex: of each function, for each of J unknowns, the coefficients of the powers 0 to K - 1.
    is_real : bool
        Whether functions are the real parts.
    """

    def __init__(self, waves: ExponentialBasis, amplitudes: ArrayLike, *, is_real: bool) -> None:
        self.waves = waves
        self.amplitudes = np.array(amplitudes, dtype=np.complex128)
        if self.amplitudes.ndim != 3 or len(self.amplitudes) != waves.size:
            raise ProblemError(
                f"amplitudes must have shape (M, J, K) with M = {waves.size}; got shape {self.amplitudes.shape}"
            )
        self.amplitudes.flags.writeable = False
        self.is_real = is_real

    @property
    def size(self) -> int:
        """Number of functions."""
        return self.waves.size

    @property
    def dimension(self) -> int:
        """Number of coordinates they depend on."""
        return self.waves.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of their values."""
        return np.dtype(np.float64 if self.is_real else np.complex128)

    @property
    def components(self) -> int:
        """How many unknowns they have values for."""
        return int(self.amplitudes.shape[1])

    @property
    def frequencies(self) -> ComplexArray:
        """W."""
        return self.waves.W

    @property
    def oscillates(self) -> bool:
        """True."""
        return True

    @property
    def varying(self) -> tuple[Basis, ...]:
        """Itself, without the functions of frequency zero."""
        some = np.any(self.waves.W != 0, axis=1)
        if not some.any():
            return ()
        return (ModeBasis(self.waves.select(some), self.amplitudes[some], is_real=self.is_real),)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of sums as a real basis; see `Basis.field`."""
        own = self.amplitudes[:, unknown]
        used = np.any(own != 0, axis=1)
        plain = used & np.all(self.waves.W.imag == 0, axis=1) & ~np.any(own[:, 1:], axis=1)
        parts: list[tuple[Basis, NumberArray]] = []
        # exp(i z) is cos(z) + i cos(z - pi / 2)
        for turn, factor in ((0.0, 1.0),) if self.is_real else ((0.0, 1.0), (0.5 * np.pi, 1j)):
            if plain.any():
                waves, amplitude = self.waves.select(plain), own[plain, 0]
                basis = RidgeBasis(waves.W.real, waves.b + np.angle(amplitude) - turn, COSINE, waves.origin)
                parts.append((basis, factor * np.abs(amplitude) * np.exp(-waves.peaks) * coefficients[..., plain]))
            others = used & ~plain
            if others.any():
                turned = own[others, None] * np.exp(-1j * turn)
                single = ModeBasis(self.waves.select(others), turned, is_real=True)
                parts.append((single, factor * coefficients[..., others]))
        if not parts:
            return self.waves.select(slice(0)), coefficients[..., :0]
        if len(parts) == 1:
            return parts[0]
        return JoinedBasis([basis for basis, _ in parts]), np.concatenate([c for _, c in parts], axis=-1)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        waves = self.waves.select(columns)
        place = (operator.points - waves.origin).T
        factors = self._factors(operator, columns)
        phase = waves.W.real @ place + waves.b[:, None]
        if len(factors) == 1 and operator.is_constant:
            phase += np.angle(factors[0])
            np.multiply(np.cos(phase), np.abs(factors[0]), out=out if self.is_real else out.real)
            if not self.is_real:
                np.multiply(np.sin(phase), np.abs(factors[0]), out=out.imag)
        else:
            line = waves.along @ place
            real, imaginary = (_horner([getattr(factor, part) for factor in factors], line) for part in _PARTS)
            cosine, sine = np.cos(phase), np.sin(phase)
            np.subtract(real * cosine, imaginary * sine, out=out if self.is_real else out.real)
            if not self.is_real:
                np.add(real * sine, imaginary * cosine, out=out.imag)
        if np.any(waves.W.imag) or np.any(waves.peaks):
            out *= np.exp(np.minimum(-(waves.W.imag @ place) - waves.peaks[:, None], MOST_GROWTH))

    def _factors(self, operator: LocalOperator, columns: slice) -> list[ComplexArray]:
        """What the exponentials are multiplied with under the operator, by powers of ``along x``: ``(M, 1 or n)``."""
        W, along, amplitudes = self.waves.W[columns], self.waves.along[columns], self.amplitudes[columns]
        powers = amplitudes.shape[2]
        total = [np.zeros((len(W), 1), dtype=np.complex128) for _ in range(powers)]
        for unknown in range(self.components):
            here = operator.on(unknown)
            if not len(here.orders):
                continue
            expanded = expand_powers(here.orders, 1j * W, along, powers - 1)
            for fallen in range(powers):
                symbol = (expanded[:, :, fallen] @ here.coefficients).reshape(len(W), -1)
                for power in range(fallen, powers):
                    brought = factorial(power) / factorial(power - fallen)
                    total[power - fallen] = (
                        total[power - fallen] + brought * amplitudes[:, unknown, power, None] * symbol
                    )
        return total


def _horner(factors: Sequence[FloatArray], line: FloatArray) -> FloatArray:
    """The polynomial with coefficients `factors`, the lowest first."""
    total = factors[-1]
    for factor in reversed(factors[:-1]):
        total = total * line + factor
    return total
