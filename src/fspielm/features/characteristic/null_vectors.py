"""Functions that satisfy several equations at once: amplitudes for each unknown at the zeros of their determinant.

A field ``sum_k v_k (a x)^k exp(s x)`` satisfies the equations with the matrix of symbols ``A(s)`` where, with the
expansion ``A(s + z a) = sum_k A_k z^k``, ``sum_{p >= q} p!/q! A_{p - q} v_p = 0`` for every q. At a zero of the
determinant of multiplicity m along a there are m such fields with k < m.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.equations import Operator, constant_operator
from fspielm.features.characteristic.frequencies import Frequencies
from fspielm.features.powers import expand_powers

# Frequencies that agree to so many digits are one.
_DIGITS = 9
_BALANCING = 6


def null_amplitudes(equations: Sequence[Operator], frequencies: Frequencies, length: float) -> ComplexArray:
    """Amplitudes ``(m, U, K)`` for each of the zeros, of the powers of ``along x / length``.

    For equations with constant coefficients.

    The functions of one zero, which stand there with the powers 0 to K - 1, get as many independent amplitudes.
    """
    expansion = _Matrix(equations)
    most = int(frequencies.powers.max(initial=0)) + 1
    found = np.zeros((len(frequencies), expansion.unknowns, most), dtype=np.complex128)
    for members in _same_zeros(frequencies):
        K = members.shape[1]
        first = members[:, 0]
        jets = expansion.along(frequencies.W[first], frequencies.along[first] / length, K)
        vectors = _null_vectors(jets, K)  # (zeros, K functions, K powers, U)
        for function in range(K):
            found[members[:, function], :, :K] = np.moveaxis(vectors[:, function], 1, 2)
    return found


class _Matrix:
    """The matrix of symbols of equations with constant coefficients."""

    def __init__(self, equations: Sequence[Operator]) -> None:
        self.unknowns = 1 + max(max(operator.unknowns, default=0) for operator in equations)
        self.entries: list[list[tuple[NDArray[np.int_], NDArray[np.complex128]]]] = []
        for operator in equations:
            terms = constant_operator(operator).operator.terms
            row = []
            for unknown in range(self.unknowns):
                here = [term for term in terms if term.unknown == unknown]
                orders = np.array([term.orders for term in here], dtype=np.int_).reshape(len(here), operator.dimension)
                row.append((orders, np.array([term.coefficient for term in here], dtype=np.complex128)))
            self.entries.append(row)

    def along(self, W: ComplexArray, along: FloatArray, K: int) -> ComplexArray:
        """Coefficients ``(m, K, E, U)`` of ``z^0 ... z^(K - 1)`` in ``A(i W + z along)``."""
        result = np.zeros((len(W), K, len(self.entries), self.unknowns), dtype=np.complex128)
        for e, row in enumerate(self.entries):
            for u, (orders, coefficients) in enumerate(row):
                if len(orders):
                    expanded = expand_powers(orders, 1j * W, along, K - 1)
                    result[:, :, e, u] = np.einsum("mtk,t->mk", expanded, coefficients)
        return result


def _same_zeros(frequencies: Frequencies) -> list[NDArray[np.int_]]:
    """Indices of the functions of each zero, sorted by power, for zeros of the same number of functions together."""
    scale = float(np.abs(frequencies.W).max(initial=0.0)) or 1.0
    keys: dict[bytes, list[int]] = {}
    rounded = np.round(np.column_stack([frequencies.W / scale, frequencies.along]), _DIGITS) + 0.0
    for index, row in enumerate(rounded):
        keys.setdefault(row.tobytes(), []).append(index)
    by_number: dict[int, list[list[int]]] = {}
    for members in keys.values():
        ordered = sorted(members, key=lambda i: int(frequencies.powers[i]))
        by_number.setdefault(len(ordered), []).append(ordered)
    return [np.array(each, dtype=np.int_) for each in by_number.values()]


def _null_vectors(jets: ComplexArray, K: int) -> ComplexArray:
    """The K vectors that the equations see least, ``(m, K, K, U)``: vector, power, unknown."""
    m, _, E, U = jets.shape
    rows, columns = _balance(np.abs(jets).max(axis=1))
    scaled = jets / rows[:, None, :, None] / columns[:, None, None, :]
    matrix = np.zeros((m, K, E, K, U), dtype=np.complex128)
    for q in range(K):
        for p in range(q, K):
            matrix[:, q, :, p, :] = factorial(p) / factorial(q) * scaled[:, p - q]
    _, _, right = np.linalg.svd(matrix.reshape(m, K * E, K * U), full_matrices=True)
    vectors = right[:, K * U - K :].conj().reshape(m, K, K, U)
    return np.asarray(vectors / columns[:, None, None, :])


def _balance(sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sizes of rows and columns of matrices ``(m, E, U)``, divided by which none stands out."""
    rows, columns = np.ones(sizes.shape[:2]), np.ones((len(sizes), sizes.shape[2]))
    matrix = sizes.copy()
    for _ in range(_BALANCING):
        row = matrix.max(axis=2)
        factor = np.where(row > 0, np.sqrt(row), 1.0)
        matrix /= factor[:, :, None]
        rows *= factor
        column = matrix.max(axis=1)
        factor = np.where(column > 0, np.sqrt(column), 1.0)
        matrix /= factor[:, None, :]
        columns *= factor
    return rows, columns
