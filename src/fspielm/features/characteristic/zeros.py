"""Zeros of a symbol: solved for one component along given others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.deadline import check_deadline
from fspielm.features.characteristic.frequencies import Frequencies, join
from fspielm.features.characteristic.symbol import Symbol

# Leading coefficients below this share of the largest belong to roots beyond all bounds.
_NEGLIGIBLE = 1e-14
# Real or imaginary parts below this share of a root are rounding.
_ROUNDING = 1e-13
# Roots this close may be one of several times its multiplicity; whether they are, the derivatives tell.
_CLOSE = 1e-3
_VANISHES = 1e-9


def solve_along(symbol: Symbol, base: ComplexArray, direction: FloatArray, unit: float) -> Frequencies:
    """All zeros ``base + z direction`` of the symbol; see `solve_each`."""
    return solve_each(symbol, base, direction, unit)[0]


def solve_each(
    symbol: Symbol, base: ComplexArray, direction: FloatArray, unit: float
) -> tuple[Frequencies, NDArray[np.int_]]:
    """All zeros ``base + z direction`` of the symbol, for each of M bases and directions.

    Roots of multiplicity m come with the powers 0 to m - 1 of ``direction x`` as factors. Where the symbol
    vanishes along the whole line, or nowhere on it, there is no root.

    Parameters
    ----------
    symbol : Symbol
    base : (M, d) array
    direction : (M, d) array
        Real.
    unit : float
        A typical size of frequencies, such as one over the extent of the domain: small is what is small beside it.

    Returns
    -------
    zeros : Frequencies
        m of them.
    rows : (m,) integer array
        Which base each belongs to.
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
    """Rows of coefficients (lowest first) by their degree, those without roots left out."""
    sizes = np.abs(polynomials)
    counts = sizes > _NEGLIGIBLE * sizes.max(axis=1, keepdims=True)
    degrees = counts.shape[1] - 1 - np.argmax(counts[:, ::-1], axis=1)
    degrees[~counts.any(axis=1)] = 0
    return {int(degree): np.flatnonzero(degrees == degree) for degree in np.unique(degrees) if degree > 0}


def _roots(polynomials: ComplexArray) -> list[tuple[ComplexArray, int, NDArray[np.int_]]]:
    """Roots, their multiplicity, and the polynomials they belong to: one entry for each set of the same kind."""
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
    """The two roots, without cancellation, or one that is double."""
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
    """Roots with multiplicities: clusters of computed roots at whose mean the derivatives vanish too."""
    left = list(np.roots(polynomial[::-1]))
    found: list[tuple[complex, int]] = []
    while left:
        seed = left.pop()
        near = [root for root in left if abs(root - seed) <= _CLOSE * max(abs(root), abs(seed))]
        mean = complex(np.mean([seed, *near]))
        if near and _is_multiple(polynomial, mean, len(near) + 1):
            left = [root for root in left if root not in near]
            found.append((mean, len(near) + 1))
        else:
            found.append((_polished(polynomial, complex(seed)), 1))
    return found


def _is_multiple(polynomial: ComplexArray, root: complex, multiplicity: int) -> bool:
    """Whether the polynomial vanishes at a root, and as many of its derivatives as that takes."""
    coefficients = polynomial.tolist()
    for _ in range(multiplicity):
        value, size = 0.0 + 0.0j, 0.0
        for coefficient in reversed(coefficients):
            value, size = value * root + coefficient, size * abs(root) + abs(coefficient)
        if abs(value) > _VANISHES * size:
            return False
        coefficients = [power * coefficient for power, coefficient in enumerate(coefficients)][1:]
    return True


def _polished(polynomial: ComplexArray, root: complex) -> complex:
    """One step of Newton's, unless it would lead away."""
    value = complex(np.polyval(polynomial[::-1], root))
    slope = complex(np.polyval(np.polyder(polynomial[::-1]), root))
    step = value / slope if slope else 0.0
    return root - step if abs(step) <= _CLOSE * abs(root) else root


def _clean(roots: ComplexArray) -> ComplexArray:
    """Roots without the rounding of parts that should be zero."""
    size = _ROUNDING * np.abs(roots)
    return np.where(np.abs(roots.real) <= size, 0.0, roots.real) + 1j * np.where(
        np.abs(roots.imag) <= size, 0.0, roots.imag
    )
