"""The symbol of an operator with constant coefficients, and its zeros."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import expand_powers
from fspielm.errors import UnsuitableError
from fspielm.numerics.tolerances import CLOSE, ROUNDING, SAME
from fspielm.problem.operator import Operator, constant_operator
from fspielm.problem.problem import Problem
from fspielm.problem.statement import has_complex_operator
from fspielm.resources import check_deadline


@final
@dataclass(frozen=True, eq=False)
class Symbol:
    """The polynomial ``P(w) = sum c (i w)^alpha`` of the operator ``sum c D^alpha``, at complex frequencies.

    ``exp(i w x)`` satisfies the homogeneous equation if ``P(w) = 0``. With real coefficients so does its conjugate, of
    frequency ``-conj(w)``, and hence its real and imaginary part.

    Attributes
    ----------
    orders : (T, d) integer array
    coefficients : (T,) array
        All nonzero.
    """

    orders: NDArray[np.int_]
    coefficients: NumberArray

    @property
    def is_real(self) -> bool:
        """Whether its coefficients are real."""
        return not np.iscomplexobj(self.coefficients)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return int(self.orders.shape[1])

    @property
    def order(self) -> int:
        """The highest total order."""
        return int(self.orders.sum(axis=1).max())

    def __call__(self, W: ComplexArray) -> ComplexArray:
        """Values at frequencies ``(M, d)``, shape ``(M,)``."""
        return np.asarray(np.prod((1j * W[:, None, :]) ** self.orders, axis=2) @ self.coefficients)

    def size(self, W: ComplexArray) -> FloatArray:
        """Sum of the absolute values of the terms at frequencies ``(M, d)``, the scale of rounding errors."""
        return np.asarray(np.prod(np.abs(W[:, None, :]) ** self.orders, axis=2) @ np.abs(self.coefficients))

    def gradient(self, W: ComplexArray) -> ComplexArray:
        """Derivatives along each component of the frequency, shape ``(M, d)``."""
        axes = np.eye(self.dimension)
        slopes = [self.along(W, np.broadcast_to(axis, W.shape))[:, 1] for axis in axes]
        return np.stack(slopes, axis=1)

    def along(self, base: ComplexArray, direction: FloatArray) -> ComplexArray:
        """Coefficients of ``z^0, z^1, ...`` in ``P(base + z direction)``, shape ``(M, order + 1)``."""
        expanded = expand_powers(self.orders, 1j * base, direction, max(self.order, 1))
        summed = np.einsum("mtk,t->mk", expanded, self.coefficients)
        return np.asarray(summed * 1j ** np.arange(expanded.shape[2]))

    def principal(self) -> Symbol:
        """The terms of highest order."""
        highest = self.orders.sum(axis=1) == self.order
        return Symbol(self.orders[highest], self.coefficients[highest])


def symbol_of(operator: Operator) -> Symbol:
    """The symbol of an operator whose coefficients are constant, or all multiples of one function.

    Raises
    ------
    UnsuitableError
        If they are not, or if the operator has no derivative: then there are no zeros.
    """
    terms = constant_operator(operator).operator.terms
    orders = np.array([term.orders for term in terms], dtype=np.int_)
    if not orders.any():
        raise UnsuitableError("the equation has no derivative: no frequency satisfies it")
    coefficients = np.array([term.coefficient for term in terms])
    return Symbol(orders, coefficients if np.iscomplexobj(coefficients) else coefficients.astype(np.float64))


def problem_symbol(problem: Problem) -> Symbol:
    """The symbol of the determinant of a problem's equations; of complex type if one of their coefficients is complex.

    The determinant of complex equations may be real, but the real parts of their solutions are not solutions.
    """
    symbol = symbol_of(problem.determinant)
    if symbol.is_real and any(map(has_complex_operator, problem.equations)):
        return Symbol(symbol.orders, symbol.coefficients.astype(np.complex128))
    return symbol


def homogeneous_symbol(problem: Problem) -> Symbol:
    """The symbol of a problem whose right-hand side is zero; raises `UnsuitableError` otherwise."""
    check_homogeneous(problem)
    return problem_symbol(problem)


def check_homogeneous(problem: Problem) -> None:
    """Raise `UnsuitableError` if a right-hand side is not zero, which Trefftz functions cannot represent."""
    for equation in problem.equations:
        if equation.value.constant != 0.0:
            raise UnsuitableError(
                "the functions satisfy the equation without a right-hand side, so that must be zero; got "
                f"{equation.value.source}"
            )


# ---- Complex frequencies with polynomial factors

# Frequencies, directions and exponents that agree to this many digits are equal.
DIGITS = round(-math.log10(SAME))


@final
@dataclass(frozen=True, eq=False)
class Frequencies:
    """Functions ``(along x)^power exp(i w x)``, each standing for its real and imaginary part, or for itself.

    Attributes
    ----------
    W : (m, d) complex array
    powers : (m,) integer array
    along : (m, d) array
        Directions of the polynomial factors.
    are_paired : bool
        Whether the conjugate functions, of frequency ``-conj(w)``, also satisfy the equation, and with them the real
        and imaginary parts. True if coefficients are real.
    """

    W: ComplexArray
    powers: NDArray[np.int_]
    along: FloatArray
    are_paired: bool = True

    def __len__(self) -> int:
        return len(self.W)

    @property
    def functions(self) -> NDArray[np.int_]:
        """Number of functions of each, ``(m,)``: two real ones, or one if it does not oscillate or is complex."""
        if not self.are_paired:
            return np.ones(len(self), dtype=np.int_)
        return np.where(np.any(self.W.real != 0.0, axis=1), 2, 1)

    @property
    def total(self) -> int:
        """Number of functions."""
        return int(self.functions.sum())

    @property
    def are_real(self) -> BoolArray:
        """Mask ``(m,)`` of those that neither grow nor decay."""
        return np.asarray(np.all(self.W.imag == 0.0, axis=1))

    @property
    def are_waves(self) -> BoolArray:
        """Mask of waves: real frequencies or, without pairs, those that oscillate more than they decay."""
        if self.are_paired:
            return self.are_real
        # those that decay as fast as they oscillate count
        along = np.sum(self.W * self.along, axis=1)
        return np.asarray(np.abs(along.imag) <= (1 + CLOSE) * np.abs(along.real))

    def select(self, index: BoolArray | NDArray[np.int_] | slice) -> Frequencies:
        """The functions at `index`."""
        return Frequencies(self.W[index], self.powers[index], self.along[index], self.are_paired)

    def first(self, neurons: int) -> Frequencies:
        """The first ones, which make at most this many functions."""
        return self.select(np.cumsum(self.functions) <= neurons)

    def distinct(self) -> Frequencies:
        """Without repetitions; if paired, a frequency and its conjugate ``-conj(w)`` are the same."""
        if not len(self):
            return self
        scale = float(np.abs(self.W).max()) or 1.0
        parts = np.concatenate([self.W.real, self.W.imag], axis=1)
        rounded = np.round(parts / scale, DIGITS) + 0.0  # no negative zeros
        if self.are_paired:
            real = rounded[:, : self.W.shape[1]]
            leading = np.take_along_axis(real, np.argmax(real != 0.0, axis=1)[:, None], axis=1)
            real[leading[:, 0] < 0] *= -1.0
        keys = np.column_stack([rounded + 0.0, self.powers])
        _, kept = np.unique(keys, axis=0, return_index=True)
        return self.select(np.sort(kept))


def join(parts: Sequence[Frequencies], dimension: int, are_paired: bool = True) -> Frequencies:
    """All parts in order; `are_paired` applies if there are none."""
    empty = Frequencies(np.empty((0, dimension), dtype=np.complex128), np.empty(0, dtype=int), np.empty((0, dimension)))
    whole = [empty, *parts]
    return Frequencies(
        np.concatenate([part.W for part in whole]),
        np.concatenate([part.powers for part in whole]),
        np.concatenate([part.along for part in whole]),
        all(part.are_paired for part in parts) if parts else are_paired,
    )


# ---- Zeros of a symbol along lines

# Smaller leading coefficients, relative to the largest, are zero; those of a million wavelengths are not.
_NEGLIGIBLE = 1e-14
# Roots this close may be one multiple root; the derivatives decide.
_CLUSTER = 1e-3


def solve_along(symbol: Symbol, base: ComplexArray, direction: FloatArray, unit: float) -> Frequencies:
    """All zeros ``base + z direction`` of the symbol; see `solve_each`."""
    return solve_each(symbol, base, direction, unit)[0]


def solve_each(
    symbol: Symbol, base: ComplexArray, direction: FloatArray, unit: float
) -> tuple[Frequencies, NDArray[np.int_]]:
    """All zeros ``base + z direction`` of the symbol, for each of M bases and directions.

    Roots of multiplicity m come with the powers 0 to m - 1 of ``direction x`` as factors. If the symbol vanishes along
    the whole line, or nowhere on it, there is no root.

    Parameters
    ----------
    symbol : Symbol
    base : (M, d) array
    direction : (M, d) array
        Real.
    unit : float
        A typical size of frequencies, such as one over the extent of the domain, for scaling.

    Returns
    -------
    zeros : Frequencies
        m of them.
    rows : (m,) integer array
        The base that each belongs to.
    """
    check_deadline()
    polynomials = symbol.along(base, direction) * unit ** np.arange(max(symbol.order, 1) + 1)
    found: list[Frequencies] = []
    sources: list[NDArray[np.int_]] = [np.empty(0, dtype=np.int_)]
    for degree, rows in _by_degree(polynomials).items():
        for roots, multiplicity, these in _roots(polynomials[rows, : degree + 1]):
            chosen = rows[these]
            W = base[chosen] + unit * roots[:, None] * direction[chosen]
            found += [
                Frequencies(W, np.full(len(chosen), power), direction[chosen], symbol.is_real)
                for power in range(multiplicity)
            ]
            sources += [chosen] * multiplicity
    return join(found, symbol.dimension, symbol.is_real), np.concatenate(sources)


def _by_degree(polynomials: ComplexArray) -> dict[int, NDArray[np.int_]]:
    """The rows of coefficients (lowest first) of each degree, without rows that have no roots."""
    sizes = np.abs(polynomials)
    significant = sizes > _NEGLIGIBLE * sizes.max(axis=1, keepdims=True)
    degrees = significant.shape[1] - 1 - np.argmax(significant[:, ::-1], axis=1)
    degrees[~significant.any(axis=1)] = 0
    return {int(degree): np.flatnonzero(degrees == degree) for degree in np.unique(degrees) if degree > 0}


def _roots(polynomials: ComplexArray) -> list[tuple[ComplexArray, int, NDArray[np.int_]]]:
    """Groups of roots of equal multiplicity: the roots, their multiplicity, and the polynomial of each."""
    degree = polynomials.shape[1] - 1
    if degree == 1:
        return [(_clean(-polynomials[:, 0] / polynomials[:, 1]), 1, np.arange(len(polynomials)))]
    if degree == 2:
        return _quadratic_roots(polynomials)
    found: dict[int, list[tuple[complex, int]]] = {}
    for row, polynomial in enumerate(polynomials):
        for root, multiplicity in roots_of(polynomial):
            found.setdefault(multiplicity, []).append((root, row))
    return [
        (_clean(np.array([root for root, _ in pairs])), multiplicity, np.array([row for _, row in pairs]))
        for multiplicity, pairs in found.items()
    ]


def _quadratic_roots(
    polynomials: ComplexArray,
) -> list[tuple[ComplexArray, int, NDArray[np.int_]]]:
    """The two roots, computed without cancellation, or the double root."""
    c, b, a = polynomials.T
    discriminant = b * b - 4 * a * c
    double = np.abs(discriminant) <= _NEGLIGIBLE * (np.abs(b) ** 2 + 4 * np.abs(a * c)) + np.finfo(float).tiny
    root = np.sqrt(discriminant)
    root = np.where((np.conj(b) * root).real < 0, -root, root)
    larger = -0.5 * (b + root)
    simple = np.flatnonzero(~double)
    twice = np.flatnonzero(double)
    first = larger[simple] / a[simple]
    second = c[simple] / larger[simple]
    return [
        (_clean(np.concatenate([first, second])), 1, np.concatenate([simple, simple])),
        (_clean(-0.5 * b[twice] / a[twice]), 2, twice),
    ]


def roots_of(polynomial: ComplexArray) -> list[tuple[complex, int]]:
    """Roots with multiplicities: clusters of computed roots at whose mean the derivatives vanish as well."""
    left = list(np.roots(polynomial[::-1]))
    found: list[tuple[complex, int]] = []
    while left:
        seed = left.pop()
        near = [root for root in left if abs(root - seed) <= _CLUSTER * max(abs(root), abs(seed))]
        mean = complex(np.mean([seed, *near]))
        if near and _is_multiple(polynomial, mean, len(near) + 1):
            left = [root for root in left if root not in near]
            found.append((mean, len(near) + 1))
        else:
            found.append((_polished(polynomial, complex(seed)), 1))
    return found


def _is_multiple(polynomial: ComplexArray, root: complex, multiplicity: int) -> bool:
    """Whether the polynomial and its first ``multiplicity - 1`` derivatives vanish at `root`."""
    coefficients = polynomial.tolist()
    for _ in range(multiplicity):
        value, size = 0.0 + 0.0j, 0.0
        for coefficient in reversed(coefficients):
            value, size = value * root + coefficient, size * abs(root) + abs(coefficient)
        if abs(value) > SAME * size:
            return False
        coefficients = [power * coefficient for power, coefficient in enumerate(coefficients)][1:]
    return True


def _polished(polynomial: ComplexArray, root: complex) -> complex:
    """The root after one step of Newton's method, unless that would lead away."""
    value = complex(np.polyval(polynomial[::-1], root))
    slope = complex(np.polyval(np.polyder(polynomial[::-1]), root))
    step = value / slope if slope else 0.0
    return root - step if abs(step) <= _CLUSTER * abs(root) else root


def _clean(roots: ComplexArray) -> ComplexArray:
    """The roots with real or imaginary parts at the level of rounding set to zero."""
    size = ROUNDING * np.abs(roots)
    return np.where(np.abs(roots.real) <= size, 0.0, roots.real) + 1j * np.where(
        np.abs(roots.imag) <= size, 0.0, roots.imag
    )
