"""Exponentials with an amplitude for each of several unknowns, or complex ones."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import ComplexArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.features.activations import COSINE
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.exponential import MOST_GROWTH, ExponentialBasis, amplitude_of
from fspielm.features.local import LocalOperator
from fspielm.features.powers import expand_powers
from fspielm.features.ridge import RidgeBasis


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
        parts: list[tuple[Basis, NumberArray]] = []
        for power in range(self.amplitudes.shape[2]):
            amplitude = self.amplitudes[:, unknown, power]
            for turn, factor in ((0.0, 1.0),) if self.is_real else ((0.0, 1.0), (0.5 * np.pi, 1j)):
                # exp(i z) is cos(z) + i cos(z - pi / 2)
                phases = self.waves.b + np.angle(amplitude) - turn
                parts += _apart(self.waves, phases, power, factor * np.abs(amplitude) * coefficients)
        if not parts:
            return self.waves.select(slice(0)), coefficients[..., :0]
        if len(parts) == 1:
            return parts[0]
        return JoinedBasis([basis for basis, _ in parts]), np.concatenate([c for _, c in parts], axis=-1)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        waves, amplitudes = self.waves, self.amplitudes[columns]
        W, along = waves.W[columns], waves.along[columns]
        place = (operator.points - waves.origin).T
        degree = amplitudes.shape[2] - 1
        total: ComplexArray = np.zeros((len(W), place.shape[1]), dtype=np.complex128)
        line = along @ place
        for unknown in range(self.components):
            here = operator.on(unknown)
            if not len(here.orders):
                continue
            expanded = expand_powers(here.orders, 1j * W, along, degree)
            for power in range(degree + 1):
                some = np.flatnonzero(amplitudes[:, unknown, power])
                if some.size:
                    powers = np.full(some.size, power)
                    share = amplitude_of(expanded[some], here.coefficients, powers, line[some])
                    total[some] += amplitudes[some, unknown, power][:, None] * share
        growth = np.minimum(-(W.imag @ place) - waves.peaks[columns][:, None], MOST_GROWTH)
        total *= np.exp(growth + 1j * (W.real @ place + waves.b[columns][:, None]))
        out[...] = total.real if self.is_real else total


def _apart(
    waves: ExponentialBasis, phases: NumberArray, power: int, coefficients: NumberArray
) -> list[tuple[Basis, NumberArray]]:
    """Real functions of one power with their coefficients: plain cosines, and the others."""
    used = np.any(coefficients != 0, axis=tuple(range(coefficients.ndim - 1)))
    plain = used & np.all(waves.W.imag == 0, axis=1) & (power == 0)
    parts: list[tuple[Basis, NumberArray]] = []
    if plain.any():
        ridge = RidgeBasis(waves.W[plain].real, phases[plain], COSINE, waves.origin)
        parts.append((ridge, coefficients[..., plain] * np.exp(-waves.peaks[plain])))
    others = used & ~plain
    if others.any():
        some = waves.select(others)
        powers = np.full(some.size, power)
        basis = ExponentialBasis(some.W, phases[others], some.origin, some.peaks, powers, some.along)
        parts.append((basis, coefficients[..., others]))
    return parts
