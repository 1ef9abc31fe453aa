"""Trefftz functions of systems and of complex equations: exponentials with amplitudes for each unknown."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import (
    COSINE,
    MOST_GROWTH,
    Basis,
    ExponentialBasis,
    LocalOperator,
    RidgeBasis,
    expand_powers,
    frozen,
    join_sums,
)
from fspielm.basis.exact.symbol import DIGITS, Frequencies
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.numerics.tolerances import CLOSE, ITERATIONS
from fspielm.problem.operator import Operator, constant_operator


@final
class ModeBasis(Basis):
    """Functions ``sum_k amplitude_jk (along x)^k exp(i (W x + b) - peak)`` for each unknown j, or their real parts.

    They satisfy a system of equations if the amplitudes are a null vector of the matrix of symbols; or a single
    equation with complex coefficients.

    Parameters
    ----------
    waves : ExponentialBasis
        Supplies W, b, origin, peaks, and the directions of polynomial factors; its powers are ignored.
    amplitudes : (M, J, K) array
        Complex coefficients of the powers 0 to K - 1, of each function, for each of J unknowns.
    is_real : bool
        Whether to take real parts.
    """

    oscillates = True

    def __init__(self, waves: ExponentialBasis, amplitudes: ArrayLike, *, is_real: bool) -> None:
        self.waves, self.is_real = waves, is_real
        self.amplitudes = frozen(amplitudes, np.complex128)
        if self.amplitudes.ndim != 3 or len(self.amplitudes) != waves.size:
            raise ProblemError(
                f"amplitudes must have shape (M, J, K) with M = {waves.size}; got shape {self.amplitudes.shape}"
            )
        self.size, self.components, _ = self.amplitudes.shape
        self.dimension, self.frequencies = waves.dimension, waves.W
        self.dtype = np.dtype(np.float64 if is_real else np.complex128)

    @property
    def varying(self) -> tuple[Basis, ...]:
        """Itself, without the functions of frequency zero."""
        moving = np.any(self.waves.W != 0, axis=1)
        if not moving.any():
            return ()
        return (ModeBasis(self.waves.select(moving), self.amplitudes[moving], is_real=self.is_real),)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums on a real basis; see `Basis.field`."""
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
        return join_sums(parts) if parts else (self.waves.select(slice(0)), coefficients[..., :0])

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
            real, imaginary = (
                _horner([getattr(factor, part) for factor in factors], line) for part in ("real", "imag")
            )
            cosine, sine = np.cos(phase), np.sin(phase)
            np.subtract(real * cosine, imaginary * sine, out=out if self.is_real else out.real)
            if not self.is_real:
                np.add(real * sine, imaginary * cosine, out=out.imag)
        if np.any(waves.W.imag) or np.any(waves.peaks):
            out *= np.exp(np.minimum(-(waves.W.imag @ place) - waves.peaks[:, None], MOST_GROWTH))

    def _factors(self, operator: LocalOperator, columns: slice) -> list[ComplexArray]:
        """The factors of the exponentials under the operator, by powers of ``along x``: each ``(M, 1 or n)``."""
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
                    falling = factorial(power) / factorial(power - fallen)
                    rest = power - fallen
                    total[rest] = total[rest] + falling * amplitudes[:, unknown, power, None] * symbol
        return total


def _horner(factors: Sequence[FloatArray], line: FloatArray) -> FloatArray:
    """The polynomial with coefficients `factors`, the lowest first."""
    total = factors[-1]
    for factor in reversed(factors[:-1]):
        total = total * line + factor
    return total


# ---- Amplitudes at the zeros of the determinant
# A field ``sum_k v_k (a x)^k exp(s x)`` satisfies equations with the matrix of symbols ``A(s)`` if, with the expansion
# ``A(s + z a) = sum_k A_k z^k``, ``sum_{p >= q} p!/q! A_{p - q} v_p = 0`` for every q. At a zero of the determinant of
# multiplicity m along a there are m such fields with k < m.


def null_amplitudes(equations: Sequence[Operator], frequencies: Frequencies, length: float) -> ComplexArray:
    """Amplitudes ``(m, U, K)`` of the powers of ``along x / length`` for each zero of the determinant.

    The equations must have constant coefficients. The K functions of one zero, listed there with the powers 0 to K - 1,
    get independent amplitudes.
    """
    most = int(frequencies.powers.max(initial=0)) + 1
    found = np.zeros((len(frequencies), _unknowns_of(equations), most), dtype=np.complex128)
    for members in _same_zeros(frequencies):
        K = members.shape[1]
        first = members[:, 0]
        jets, sizes = _symbols_along(equations, frequencies.W[first], frequencies.along[first] / length, K)
        vectors = _null_vectors(jets, sizes, K)  # (zeros, K functions, K powers, U)
        for function in range(K):
            found[members[:, function], :, :K] = np.moveaxis(vectors[:, function], 1, 2)
    return found


def _symbols_along(
    equations: Sequence[Operator], W: ComplexArray, along: FloatArray, K: int
) -> tuple[ComplexArray, FloatArray]:
    """Coefficients ``(m, K, E, U)`` of ``z^0 ... z^(K - 1)`` in ``A(i W + z along)``, and sizes ``(m, E, U)``.

    A is the matrix of symbols. Sizes are those of the largest terms of each entry, whose sum may cancel.
    """
    unknowns = _unknowns_of(equations)
    result = np.zeros((len(W), K, len(equations), unknowns), dtype=np.complex128)
    sizes = np.zeros((len(W), len(equations), unknowns))
    for e, operator in enumerate(equations):
        terms = constant_operator(operator).operator.terms
        for u in range(unknowns):
            here = [term for term in terms if term.unknown == u]
            if here:
                coefficients = np.array([term.coefficient for term in here], dtype=np.complex128)
                expanded = expand_powers(np.array([term.orders for term in here]), 1j * W, along, K - 1)
                result[:, :, e, u] = np.einsum("mtk,t->mk", expanded, coefficients)
                sizes[:, e, u] = np.einsum("mtk,t->mk", np.abs(expanded), np.abs(coefficients)).max(axis=1)
    return result, sizes


def _unknowns_of(equations: Sequence[Operator]) -> int:
    return 1 + max(max(operator.unknowns, default=0) for operator in equations)


def _same_zeros(frequencies: Frequencies) -> list[NDArray[np.int_]]:
    """Indices ``(zeros, K)`` of the functions of each zero, sorted by power: one array for each K."""
    scale = float(np.abs(frequencies.W).max(initial=0.0)) or 1.0
    keys: dict[bytes, list[int]] = {}
    rounded = np.round(np.column_stack([frequencies.W / scale, frequencies.along]), DIGITS) + 0.0
    for index, row in enumerate(rounded):
        keys.setdefault(row.tobytes(), []).append(index)
    by_number: dict[int, list[list[int]]] = {}
    for members in keys.values():
        ordered = sorted(members, key=lambda i: int(frequencies.powers[i]))
        by_number.setdefault(len(ordered), []).append(ordered)
    return [np.array(each, dtype=np.int_) for each in by_number.values()]


def _null_vectors(jets: ComplexArray, sizes: FloatArray, K: int) -> ComplexArray:
    """The K vectors with the least residuals, ``(m, K, K, U)``: vector, power, unknown.

    Raises `UnsuitableError` if there are more equations than unknowns and they have no null vectors.
    """
    m, _, E, U = jets.shape
    rows, columns = _balance(sizes)
    scaled = jets / rows[:, None, :, None] / columns[:, None, None, :]
    matrix = np.zeros((m, K, E, K, U), dtype=np.complex128)
    for q in range(K):
        for p in range(q, K):
            matrix[:, q, :, p, :] = factorial(p) / factorial(q) * scaled[:, p - q]
    _, singular, right = np.linalg.svd(matrix.reshape(m, K * E, K * U), full_matrices=True)
    # the terms of the scaled equations are of size one
    if E > U and np.any(singular[:, K * U - K :] > CLOSE):
        raise UnsuitableError("the zeros of the determinant of some equations do not satisfy the others")
    vectors = right[:, K * U - K :].conj().reshape(m, K, K, U)
    return np.asarray(vectors / columns[:, None, None, :])


def _balance(sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scales of the rows and columns of matrices ``(m, E, U)`` that balance their entries."""
    rows, columns = np.ones(sizes.shape[:2]), np.ones((len(sizes), sizes.shape[2]))
    matrix = sizes.copy()
    for _ in range(ITERATIONS):
        for axis, scales in ((2, rows), (1, columns)):
            largest = matrix.max(axis=axis)
            factor = np.where(largest > 0, np.sqrt(largest), 1.0)
            matrix /= np.expand_dims(factor, axis)
            scales *= factor
    return rows, columns
