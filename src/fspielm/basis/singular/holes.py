"""The functions that belong to the holes of a problem's domain."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.basis.basis import Basis
from fspielm.basis.exact.symbol import roots_of, symbol_of
from fspielm.basis.singular.corners import helmholtz_ratio, is_isotropic, is_plane
from fspielm.basis.singular.outgoing import Outgoing, OutgoingDamped
from fspielm.basis.singular.singular import CornerFunction, LogPower, Power, SingularBasis
from fspielm.basis.wrapping import ComplexPairs, DerivedBasis
from fspielm.errors import UnsuitableError
from fspielm.geometry.domain import Hole
from fspielm.geometry.points import Sites
from fspielm.problem.derived import natural_scales
from fspielm.problem.determinant import adjugate
from fspielm.problem.operator import Operator, constant_operator, identity, once
from fspielm.problem.problem import Problem
from fspielm.problem.relations import has_complex_operator

# ---- Fields of several unknowns that belong to a hole: point forces and turns, sources, and all of higher order
# They are derivatives of the fundamental solutions of a system, which come from those of its determinant by the
# adjugate of the matrix of operators. Of what the columns of the adjugate make, most is the same: what is independent
# is kept.


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


# ---- The functions that belong to the holes of a problem's domain
# Around a hole a solution need not continue into it: log r is one of Laplace's. Cosines, which are smooth everywhere,
# find it hard to come close to such a solution; multipoles in the hole do not.


# Of what the rest of the boundary mirrors into a hole: as many orders of multipoles as these take, within bounds
# however far or close it is.
_DIGITS = 12.0
_FEWEST_ORDERS, _MOST_ORDERS = 8, 60
# Waves that are short beside a hole take more, up to so many.
_MOST_WAVE_ORDERS = 200
# The smallest holes have multipoles, so many of them at most.
_MOST_HOLES = 24
# K decays within a fraction of the hole's radius: nothing then reaches into the domain that cosines could not hold.


@once
def hole_columns(problem: Problem) -> tuple[Basis, ...]:
    """Multipoles in every hole of a plane domain, for equations of second order with the Laplacian in front.

    And for systems, and equations with complex coefficients, whose determinant is made of Laplacians and numbers.
    """
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        return ()
    holes = sorted(problem.domain.hole_places(), key=lambda hole: hole.radius)[:_MOST_HOLES]
    if len(problem.unknowns) > 1 or has_complex_operator(problem.equations[0]):
        return tuple(fields for hole in holes for fields in _fields(problem, hole))
    if not is_plane(problem):
        return ()
    return tuple(
        SingularBasis(hole.center, 0.0, hole.radius, functions)
        for hole in holes
        if is_isotropic(problem, _beside(hole)) and (functions := multipoles(hole, helmholtz_ratio(problem)))
    )


def _beside(hole: Hole) -> tuple[float, float]:
    """A point on the rim, or close to it: coefficients need not be defined in the hole."""
    return hole.center[0] + hole.radius, hole.center[1]


def _orders(hole: Hole) -> int:
    """How many orders hold what the rest of the boundary mirrors into the hole: it converges geometrically."""
    closeness = math.log1p(hole.clearance / hole.radius)
    return min(max(math.ceil(_DIGITS * math.log(10) / closeness), _FEWEST_ORDERS), _MOST_ORDERS)


def _wave_orders(k: float) -> int:
    """All that waves of this length tell apart on the rim, and some that fall off from it."""
    return min(math.ceil(k + 6 * math.cbrt(k)) + _FEWEST_ORDERS, _MOST_WAVE_ORDERS)


def _fields(problem: Problem, hole: Hole) -> tuple[Basis, ...]:
    """Of a system, or with complex coefficients; none where those vary, or its determinant is not isotropic."""
    ratios = [ratio for ratio, _ in laplacian_factors(problem) if ratio.real > 0]
    waves = [_wave_orders(math.sqrt(abs(ratio)) * hole.radius) for ratio in ratios]
    return hole_fields(problem, hole, max(_orders(hole), *waves, 0))


def multipoles(hole: Hole, ratio: float | None) -> list[CornerFunction]:
    """Those in a hole that satisfy an equation with this `helmholtz_ratio`; of Laplace's where there is none."""
    orders = _orders(hole)
    if not ratio:  # also where lower terms are there: the strongest part of the solution is the Laplacian's
        return [Power(0, 0, True), *(Power(-n) for n in range(1, orders + 1))]
    k = math.sqrt(abs(ratio)) * hole.radius
    if ratio < 0 and k > _MOST_DECAY:
        return []
    if ratio > 0:
        orders = max(orders, _wave_orders(k))

    return [Outgoing(n, k, ratio < 0) for n in range(orders + 1)]
