"""Fields of several unknowns that belong to a hole: point forces and turns, sources, and all of higher order.

They are derivatives of the fundamental solutions of a system, which come from those of its determinant by the adjugate
of the matrix of operators. Of what the columns of the adjugate make, most is the same: what is independent is kept.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.equations import Operator, Problem, adjugate, constant_operator, identity, natural_scales
from fspielm.errors import UnsuitableError
from fspielm.features.basis import Basis
from fspielm.features.characteristic import roots_of, symbol_of
from fspielm.features.complex_pairs import ComplexPairs
from fspielm.features.derived import DerivedBasis
from fspielm.features.log_power import LogPower
from fspielm.features.outgoing import Outgoing
from fspielm.features.outgoing_damped import OutgoingDamped
from fspielm.features.singular import CornerFunction, Power, SingularBasis
from fspielm.geometry import Hole, Sites

# Angles, in radians, between directions along which a symbol is compared; and by how much it may differ.
_TURNS = (0.0, 0.7, 1.9, 2.6)
_SAME = 1e-10
# What is left of a field, of size one, beside those it depends on.
_DEPENDENT = 1e-7
# Points on a circle for each order, at least, and orders beyond the highest that derivatives bring.
_PER_ORDER, _MORE_ORDERS = 2, 6
# A column that makes nothing new of so many orders makes nothing new of higher ones.
_PATIENCE = 3
# See `holes`: of functions that fall off within a fraction of the hole's radius.
_MOST_DECAY = 20.0


def laplacian_factors(problem: Problem) -> list[tuple[complex, int]]:
    """K, and its multiplicity, of the factors ``laplacian + K`` that a system's determinant is made of, if it is."""
    try:
        symbol = symbol_of(problem.determinant)
    except UnsuitableError:
        return []
    directions = np.array([(math.cos(turn), math.sin(turn)) for turn in _TURNS])
    polynomials = symbol.along(np.zeros((len(directions), 2), dtype=np.complex128), directions)
    size = np.abs(polynomials).max(axis=1)
    even, odd = polynomials[:, ::2], polynomials[:, 1::2]
    if np.any(np.abs(odd) > _SAME * size.max()) or np.any(np.abs(even - even[0]) > _SAME * size.max()):
        return []
    return [(root.real if abs(root.imag) <= _SAME * abs(root) else root, times) for root, times in roots_of(even[0])]


def hole_fields(problem: Problem, hole: Hole, orders: int) -> tuple[Basis, ...]:
    """Independent fields of a system up to a number of orders, about the center of a hole."""
    factors = laplacian_factors(problem)
    columns = [_scaled(column, problem, hole.radius) for column in _columns(problem)] if factors else []
    rim, scales = _rim(hole, orders), natural_scales(problem, np.full(problem.dimension, 1 / hole.radius))
    chosen: list[list[CornerFunction]] = [[] for _ in columns]
    idle = [0] * len(columns)
    seen = _Seen(len(rim) * len(scales))
    for n in range(orders + 1):
        functions = _of_order(n, factors, hole.radius)
        for place, column in enumerate(columns):
            if not functions or idle[place] >= _PATIENCE:
                continue
            fields = DerivedBasis(_around(hole, functions), column)
            values = [fields.matrix(identity(2).on(j), rim) / scale for j, scale in enumerate(scales)]
            ends = np.cumsum([_around(hole, [function]).size for function in functions])
            each = np.split(np.concatenate(values), ends[:-1], axis=1)
            new = [function for function, both in zip(functions, each, strict=True) if seen.add(both)]
            chosen[place] += new
            idle[place] = 0 if new else idle[place] + 1
    return tuple(
        DerivedBasis(_around(hole, some), column) for some, column in zip(chosen, columns, strict=True) if some
    )


def _around(hole: Hole, functions: Sequence[CornerFunction]) -> Basis:
    basis = SingularBasis(hole.center, 0.0, hole.radius, functions)
    return ComplexPairs(basis) if isinstance(functions[0], OutgoingDamped) else basis


def _rim(hole: Hole, orders: int) -> Sites:
    """Points on the rim of a hole and close to it, which tell fields of so many orders apart."""
    number = _PER_ORDER * (orders + _MORE_ORDERS)
    radii = hole.radius * np.array([1.0, 1.0 + 1.0 / (orders + 1)])
    angles = 2 * np.pi * (np.arange(number) + np.array([[0.0], [0.5]])) / number
    circles = (radii[:, None] * np.stack([np.cos(angles), np.sin(angles)])).reshape(2, -1).T
    return Sites(np.array(hole.center) + circles)


def _of_order(n: int, factors: Sequence[tuple[complex, int]], radius: float) -> list[CornerFunction]:
    """Functions singular in the center that the determinant annihilates; those of order zero have logarithms."""
    if any(isinstance(ratio, complex) for ratio, _ in factors):
        return _damped(n, factors, radius)
    found: list[CornerFunction] = []
    for ratio, multiplicity in factors:
        k = math.sqrt(abs(ratio)) * radius
        if ratio == 0.0 and n == 0:
            found += [LogPower(a, b) for a in range(multiplicity) for b in range(a + 1)]
        elif ratio == 0.0:
            found += [Power(-n, q) for q in range(multiplicity)]
        elif multiplicity == 1 and (ratio.real > 0 or k <= _MOST_DECAY):
            found.append(Outgoing(n, k, ratio.real < 0))
    return found


def _damped(n: int, factors: Sequence[tuple[complex, int]], radius: float) -> list[CornerFunction]:
    """The same where wavenumbers are complex: functions that turn one way, and the other."""
    found: list[CornerFunction] = []
    for ratio, multiplicity in factors:
        k = radius * cmath.sqrt(ratio)
        k = -k if k.imag < 0 else k
        if ratio and multiplicity == 1 and k.imag <= _MOST_DECAY:
            found += [OutgoingDamped(order, k) for order in dict.fromkeys((n, -n))]
    return found


def _columns(problem: Problem) -> list[list[Operator]]:
    """Those of the adjugate, one after the other."""
    operators = [constant_operator(equation.operator).operator for equation in problem.equations]
    rows = adjugate(operators, len(problem.unknowns))
    return [list(column) for column in zip(*rows, strict=True)]


def _scaled(column: Sequence[Operator], problem: Problem, radius: float) -> list[Operator]:
    """A column that makes fields of a natural size from functions of size one around the hole."""
    scales = natural_scales(problem, np.full(problem.dimension, 1 / radius))
    sizes = [
        sum(abs(t.coefficient) * radius**-t.order for t in operator.terms if not callable(t.coefficient)) / scale
        for operator, scale in zip(column, scales, strict=True)
    ]
    return [operator.times(1 / (max(sizes) or 1.0)) for operator in column]


class _Seen:
    """Orthonormal directions of the fields that were kept."""

    def __init__(self, rows: int) -> None:
        self._directions: NumberArray = np.empty((rows, 0))

    def add(self, fields: NumberArray) -> bool:
        """Keep fields that are not made of those that are there; False if they are."""
        size = np.linalg.norm(fields, axis=0)
        if not np.all(size > 0):
            return False
        left: NumberArray = fields / size
        for _ in range(2):  # the second time, of the rounding of the first
            left = left - self._directions @ (self._directions.conj().T @ left)
        directions, triangle = np.linalg.qr(left)
        new = np.abs(np.diag(triangle)) > _DEPENDENT
        self._directions = np.concatenate([self._directions, directions[:, new]], axis=1)
        return bool(new.any())
