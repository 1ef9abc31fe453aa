"""Singular fields at corners for any equations of second order: powers of the distance times functions of the angle.

Near a corner a solution is a sum of fields ``r^z phi(theta)`` that satisfy the equations and conditions with their
highest derivatives only. The derivative of such a field along x is ``r^(z - 1) (z cos - sin d/dtheta) phi``, so that z
is an eigenvalue of a matrix polynomial on the values of phi at Chebyshev nodes. Lower derivatives add fields whose
powers are higher by one or two. Fields of integer powers are polynomials, and data may bring logarithms of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import Basis, LocalOperator
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Corner
from fspielm.numerics.tolerances import CLOSE, HALF, SAME, TINY
from fspielm.problem.changes import change_places, domain_size, sides_of, values_jump
from fspielm.problem.operator import Operator, cache_by_object
from fspielm.problem.problem import Problem

# ---- Functions of the angle at Chebyshev nodes


def _nodes(count: int) -> FloatArray:
    """Chebyshev nodes from -1 to 1, with both ends."""
    return -np.cos(np.pi * np.arange(count) / (count - 1))


def _slopes(nodes: FloatArray) -> FloatArray:
    """The differentiation matrix at Chebyshev nodes with both ends."""
    weights = np.ones(len(nodes))
    weights[1::2] = -1
    weights[[0, -1]] *= 0.5
    apart = nodes[:, None] - nodes[None, :] + np.eye(len(nodes))
    found = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(found, 0.0)
    return np.asarray(found - np.diag(found.sum(axis=1)))


@final
class AngularBasis(Basis):
    """Fields ``r^z (phi(theta) + log(r) psi(theta))`` around a corner of a plane domain; of complex z both parts.

    Parameters
    ----------
    corner : (float, float)
    limits : (float, float)
        The angles between which the functions of theta are known; the domain lies between them around the corner.
    scale : float
        The unit of r.
    exponents : (K,) array
    values : (2, K, U, N) array
        Of phi and psi for each unknown, at Chebyshev nodes between the limits; real if the power is.
    """

    dimension = 2

    def __init__(
        self,
        corner: tuple[float, float],
        limits: tuple[float, float],
        scale: float,
        exponents: NumberArray,
        values: NumberArray,
    ) -> None:
        x, y = corner
        self.corner, self.limits = (float(x), float(y)), (float(limits[0]), float(limits[1]))
        self.scale, self.exponents, self.values = float(scale), exponents, values
        self._columns = [(k, part) for k, z in enumerate(exponents) for part in ((0, 1) if z.imag else (0,))]
        self.size, self.components, self.corners = len(self._columns), values.shape[2], (self.corner,)
        self._tables: dict[tuple[int, int], ComplexArray] = {}

    def component(self, unknown: int) -> AngularBasis:
        """One unknown of all fields."""
        return AngularBasis(self.corner, self.limits, self.scale, self.exponents, self.values[:, :, [unknown]])

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums; see `Basis.field`."""
        return self.component(unknown), coefficients

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        away = operator.points - np.array(self.corner)
        log = np.log(np.maximum(np.hypot(*away.T) / self.scale, TINY))[:, None]
        middle, half = 0.5 * sum(self.limits), 0.5 * (self.limits[1] - self.limits[0])
        turned = (away @ np.array([1.0, 1j])) * np.exp(-1j * middle)
        functions = chebvander(np.clip(np.angle(turned) / half, -1.0, 1.0), self.values.shape[-1] - 1)
        total = np.zeros((len(log), len(self.exponents)), dtype=np.complex128)
        by_order: dict[int, list[int]] = {}
        for number, orders in enumerate(operator.orders.sum(axis=1).tolist()):
            by_order.setdefault(orders, []).append(number)
        for order, terms in by_order.items():
            plain, along = (self._sum(factor, functions, operator, terms) for factor in range(2))
            total += np.exp((self.exponents - order) * log) * (plain + log * along)
        for row, (k, part) in zip(out, self._columns[columns], strict=True):
            row[...] = total[:, k].imag if part else total[:, k].real

    def _sum(self, factor: int, functions: FloatArray, operator: LocalOperator, terms: Sequence[int]) -> NumberArray:
        """Some terms of an operator on the factors of one (0), or of the logarithm (1), ``(n, K)``."""
        if factor and not self.values[1].any():
            return np.zeros(len(self.exponents))
        # (), or (n,); (N, K)
        each = [(operator.coefficients[term], self._expansion(operator, term)[factor]) for term in terms]
        if operator.is_constant:
            return np.asarray(functions @ np.sum([number * table for number, table in each], axis=0))
        return np.asarray(sum(numbers[:, None] * (functions @ table) for numbers, table in each))

    def _expansion(self, operator: LocalOperator, term: int) -> ComplexArray:
        """Chebyshev coefficients ``(2, N, K)`` of the derivatives in a term."""
        m, n = operator.orders[term].tolist()
        unknown = operator.unknowns[term] if operator.unknowns else 0
        return np.asarray(np.swapaxes(self._derivative(m, n)[:, :, unknown] @ self._to_coefficients, 1, 2))

    def _derivative(self, m: int, n: int) -> ComplexArray:
        """The values of derivatives along x and y of these orders, like `values`."""
        if (m, n) not in self._tables:
            if (m, n) == (0, 0):
                self._tables[m, n] = self.values.astype(np.complex128)
            else:
                before = self._derivative(m - 1, n) if m else self._derivative(m, n - 1)
                angles = 0.5 * sum(self.limits) + 0.5 * (self.limits[1] - self.limits[0]) * _nodes(before.shape[-1])
                outward, around = (np.cos(angles), -np.sin(angles)) if m else (np.sin(angles), np.cos(angles))
                slopes = before @ _slopes(_nodes(len(angles))).T * (2 / (self.limits[1] - self.limits[0]))
                power = (self.exponents - (m + n - 1))[:, None, None]
                found = outward * power * before + around * slopes
                found[0] += outward * before[1]  # of the logarithm
                self._tables[m, n] = found / self.scale
        return self._tables[m, n]

    @cached_property
    def _to_coefficients(self) -> FloatArray:
        count = self.values.shape[-1]
        return np.asarray(np.linalg.inv(chebvander(_nodes(count), count - 1)).T)


# ---- The fields of a corner

# The range of the powers' real parts; and a number within it that is no power of any corner.
_LEAST, _MOST, _AMID = 0.05, 6.0, 2.7183
# How far functions of the angle reach beyond the sector of the domain.
_BEYOND = 0.3
# Chebyshev nodes: some in any case, and others for each radian; by this factor more as often as functions need them.
_FEWEST, _EACH_RADIAN, _MORE, _OFTEN = 22, 5.0, 1.5, 3
# The last coefficients of functions that are resolved; eigenvalues that vary faster with the distance are spurious.
_RESOLVED, _FASTEST = 1e-10, 10.0
# Distances from a corner, relative to the domain, at which we look for its equations and for changes of coefficients.
_INSIDE, _AROUND = 1e-6, 0.01
# Orders below the highest that an equation of second order has.
_LOWER = (1, 2)


@final
@dataclass(frozen=True, eq=False)
class Wedge:
    """The matrix polynomial of a corner, with its powers and functions.

    Attributes
    ----------
    pencil : AngularPencil
    powers : tuple of complex
        All powers, without those that are conjugate to others.
    functions : tuple of (n, k) arrays
        Independent functions of each power, at the nodes of all unknowns.
    is_complete : bool
        Whether these are all functions, and resolved.
    """

    pencil: AngularPencil
    powers: tuple[complex, ...]
    functions: tuple[NumberArray, ...]
    is_complete: bool

    @property
    def power(self) -> float | None:
        """The lowest power except for one, whose fields are linear: they solve all equations; None without any."""
        return min((z.real for z in self.powers if abs(z - 1) > CLOSE), default=None)

    @cached_property
    def fields(self) -> list[tuple[complex, NumberArray, NumberArray]] | None:
        """Powers, functions, and functions that the logarithm multiplies; None if there are others."""
        found: list[tuple[complex, NumberArray, NumberArray]] = []
        if not self.is_complete:
            return None
        for power, functions in zip(self.powers, self.functions, strict=True):
            for function in functions.T:
                further = self.pencil.followed(power, function)
                if further is None:
                    return None
                for k, both in further.items():
                    # with complex coefficients, lower derivatives add complex functions to real ones
                    parts = [np.stack(both)] if power.imag else [np.real(both), np.imag(both)]
                    least = SAME * np.abs(both).max()
                    found += [(power + k, part[0], part[1]) for part in parts if np.abs(part).max() > least]
        return sorted(found, key=lambda field: field[0].real)


def _is_whole(power: complex) -> bool:
    """Whether the functions of a power are polynomials."""
    return abs(power - round(power.real)) < CLOSE


def wedge_at(problem: Problem, corner: Corner) -> Wedge | None:
    """The powers of a corner by the coefficients there; None if its equations or conditions are of another kind."""
    known = _known_wedges(problem)
    if corner not in known:
        found = _operators(problem, corner)
        try:
            known[corner] = None if found is None else _resolved_wedge(corner, *found)
        except (ProblemError, np.linalg.LinAlgError):  # a coefficient is not finite; we raise that where it is needed
            known[corner] = None
    return known[corner]


def _resolved_wedge(
    corner: Corner, equations: Sequence[Operator], conditions: Sequence[Sequence[Operator]]
) -> Wedge | None:
    """The powers and functions of a corner, with as many nodes as these need."""
    low, high = angular_limits(corner)
    count, found = _FEWEST + _EACH_RADIAN * (high - low), None
    for _ in range(_OFTEN):
        found = AngularPencil(corner, equations, conditions, math.ceil(count)).wedge()
        if found is None or found.is_complete:
            break
        count *= _MORE
    return found


@cache_by_object
def _known_wedges(problem: Problem) -> dict[Corner, Wedge | None]:
    return {}


@cache_by_object
def angular_corners(problem: Problem) -> tuple[Corner, ...]:
    """The corners, and changes of conditions, of straight sides and constant highest coefficients with known fields."""
    if problem.domain.dimension != 2 or problem.domain.time is not None or problem.is_linearisation:
        return ()
    corners = (*problem.domain.corners([str(symbol) for symbol in problem.coordinates]), *change_places(problem))
    return tuple(
        each for each in corners if each.straight and _is_constant_at(problem, each) and _fields(problem, each)
    )


def _fields(problem: Problem, corner: Corner) -> list[tuple[complex, NumberArray, NumberArray]]:
    wedge = wedge_at(problem, corner)
    return [] if wedge is None else wedge.fields or []


def angular_limits(corner: Corner) -> tuple[float, float]:
    """The angles between which the functions of a corner are known."""
    beyond = min(_BEYOND, math.pi - 0.5 * corner.opening)
    return corner.start - beyond, corner.start + corner.opening + beyond


def angular_columns(problem: Problem, corner: Corner, scale: float, highest: float) -> AngularBasis:
    """The fields of a corner with powers up to the `highest`, for cells of some `scale` around it."""
    wedge, every = wedge_at(problem, corner), _fields(problem, corner)
    assert wedge is not None  # for corners that `angular_corners` has found
    fields = [each for each in every if each[0].real <= highest] or every[:1]
    values = np.array([[each[part] for each in fields] for part in (1, 2)])
    values = values.reshape(2, len(fields), len(problem.unknowns), -1)
    values /= np.abs(values).max(axis=(0, 2, 3))[:, None, None]
    return AngularBasis(corner.point, wedge.pencil.limits, scale, np.array([each[0] for each in fields]), values)


def _operators(problem: Problem, corner: Corner) -> tuple[list[Operator], list[list[Operator]]] | None:
    """The equations at a corner, and the conditions of both sides, if they are as many as the unknowns."""
    middle = corner.start + 0.5 * corner.opening
    inside = corner.point + _INSIDE * domain_size(problem) * np.array([math.cos(middle), math.sin(middle)])
    equations = [equation.operator for equation in problem.equations_at(inside)]
    conditions = [[condition.operator for condition in side] for side in sides_of(problem, corner)]
    if {each.order for each in equations} != {2} or {len(equations), *map(len, conditions)} != {len(problem.unknowns)}:
        return None
    return equations, conditions


def _is_constant_at(problem: Problem, corner: Corner) -> bool:
    """Whether highest coefficients do not change around a corner, nor the values of a single unknown jump."""
    found = _operators(problem, corner)
    if found is None or (len(problem.unknowns) == 1 and values_jump(problem, corner)):
        return False
    angles = corner.start + corner.opening * np.array([0.0, 0.5, 1.0])
    around = corner.point + _AROUND * domain_size(problem) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    normals = _normals(corner)
    sites = [Sites(np.stack([corner.point, place])) for place in around]
    first, last = (Sites(sites[k].points, normals[[side, side]]) for side, k in enumerate((0, 2)))
    places = [(sites[1], found[0]), (first, found[1][0]), (last, found[1][1])]
    try:
        for site, operators in places:
            for operator in operators:
                for term in operator.terms:
                    here, there = term.at(site)
                    if term.order == operator.order and abs(here - there) > SAME * abs(here):
                        return False
    except ProblemError:  # a coefficient is not finite there
        return False
    return True


def _normals(corner: Corner) -> FloatArray:
    """The outward normals of both sides."""
    first, last = corner.start, corner.start + corner.opening
    return np.array([[math.sin(first), -math.cos(first)], [-math.sin(last), math.cos(last)]])


@final
class AngularPencil:
    """The equations and conditions at a corner, as matrices on values of functions of the angle at Chebyshev nodes.

    Parameters
    ----------
    corner : Corner
    equations : sequence of Operator
    conditions : two sequences of Operator
        Those of the sides of the corner.
    count : int
        The number of nodes.
    """

    def __init__(
        self, corner: Corner, equations: Sequence[Operator], conditions: Sequence[Sequence[Operator]], count: int
    ) -> None:
        self.corner, self.equations, self.conditions = corner, equations, conditions
        self.limits = angular_limits(corner)
        width = self.limits[1] - self.limits[0]
        unit = _nodes(count)
        self._angles, self._slope = self.limits[0] + 0.5 * width * (1 + unit), _slopes(unit) * 2 / width
        self._to_coefficients = np.linalg.inv(chebvander(unit, len(unit) - 1))
        ends = np.array([-1.0, 1.0]) * corner.opening / width
        self._at_sides = chebvander(ends, len(unit) - 1) @ self._to_coefficients

    def __call__(self, z: complex, lower: int = 0) -> NumberArray:
        """The matrix for a power: equations, then conditions, with derivatives of so many orders below the highest."""
        inner = [self._applied(each, z, each.order - lower)[1:-1] for each in self.equations]
        outer = [
            self._at_sides[[side]] @ self._applied(each, z, each.order - lower, side)
            for side, several in enumerate(self.conditions)
            for each in several
        ]
        found = np.concatenate([*inner, *outer])
        return found if found.imag.any() else found.real

    def _applied(self, operator: Operator, z: complex, order: int, side: int | None = None) -> ComplexArray:
        """The derivatives of some order in an operator on the values of ``r^z phi``, at all nodes."""
        angles, site = self._angles, Sites(np.array([self.corner.point]))
        if side is not None:
            site = Sites(site.points, _normals(self.corner)[[side]])
        found = np.zeros((len(angles), len(self.equations) * len(angles)), dtype=np.complex128)
        for term in operator.terms:
            if term.order != order:
                continue
            matrix, power = np.eye(len(angles), dtype=np.complex128), z
            for axis in [axis for axis, each in enumerate(term.orders) for _ in range(each)]:
                by = (np.cos(angles), -np.sin(angles)) if axis == 0 else (np.sin(angles), np.cos(angles))
                matrix = power * by[0][:, None] * matrix + by[1][:, None] * (self._slope @ matrix)
                power -= 1
            columns = slice(term.unknown * len(angles), (term.unknown + 1) * len(angles))
            found[:, columns] += term.at(site)[0] * matrix
        return found

    @cached_property
    def _polynomial(self) -> tuple[NumberArray, NumberArray, NumberArray]:
        """The coefficients of the polynomial in z."""
        with np.errstate(over="ignore", invalid="ignore"):
            below, here, above = self(-1.0), self(0.0), self(1.0)
            return here, 0.5 * (above - below), 0.5 * (above + below) - here

    def wedge(self) -> Wedge | None:
        """All powers in their range, and their functions; None if numbers are too large."""
        zeroth, first, second = self._polynomial
        if not np.isfinite([zeroth, first, second]).all():
            return None
        # eigenvalues next to a number, as those of an inverse
        one, none = np.eye(len(zeroth)), np.zeros_like(zeroth)
        shifted = np.block([[-_AMID * one, one], [-zeroth, -first - _AMID * second]])
        inverse, vectors = np.linalg.eig(np.linalg.solve(shifted, np.block([[one, none], [none, second]])))
        with np.errstate(divide="ignore", invalid="ignore"):
            powers = _AMID + 1 / inverse
        kept = np.isfinite(powers) & (powers.real > _LEAST) & (powers.real < _MOST) & (np.abs(powers.imag) < _FASTEST)
        if not np.iscomplexobj(zeroth):
            kept &= powers.imag > -HALF  # the others are conjugate
        powers = np.where(np.abs(powers.imag) < HALF, powers.real, powers)
        order = np.flatnonzero(kept)[np.argsort(powers[kept].real)]
        found: dict[complex, list[int]] = {}
        for index in order.tolist():
            same = [power for power in found if abs(power - powers[index]) < CLOSE]
            found.setdefault(same[0] if same else complex(powers[index]), []).append(index)
        functions = [self._independent(power, vectors[: len(one), own]) for power, own in found.items()]
        several = all(each.shape[1] >= len(own) for each, own in zip(functions, found.values(), strict=True))
        return Wedge(self, tuple(found), tuple(functions), several and self._is_resolved(vectors[: len(one), order]))

    def _is_resolved(self, functions: NumberArray) -> bool:
        """Whether the coefficients of all functions at the nodes fall."""
        each = np.abs(self._to_coefficients @ functions.reshape(len(self.equations), len(self._angles), -1))
        return bool(np.all(each[:, -3:].max(axis=(0, 1)) < _RESOLVED * each.max(axis=(0, 1))))

    def _independent(self, power: complex, vectors: NumberArray) -> NumberArray:
        """Independent functions of a power, real ones if that is real."""
        parts = vectors / np.abs(vectors).max(axis=0)
        if not power.imag:
            parts = np.concatenate([parts.real, parts.imag], axis=1)
        directions, sizes, _ = np.linalg.svd(parts, full_matrices=False)
        return np.asarray(directions[:, sizes > CLOSE])

    def followed(self, power: complex, function: NumberArray) -> dict[int, tuple[NumberArray, NumberArray]] | None:
        """The field of a function, and those of higher powers by whole numbers that lower derivatives add to it.

        Fields are pairs of phi and psi in ``r^z (phi + log(r) psi)``. With a whole power the function is psi, and
        polynomials can satisfy the conditions in place of phi. None if squares of logarithms are needed.
        """
        is_whole, nothing = _is_whole(power), np.zeros_like(function)
        power = round(power.real) if is_whole else power
        found = {0: (nothing, function) if is_whole else (function, nothing)}
        if is_whole:
            found[0] = self._solved(power, -self._slope_at(power) @ function, only_equations=True), function
        lowered = any(term.order < each.order for each in self._every for term in each.terms)
        for k in range(1, math.ceil(_MOST - power.real) if lowered else 1):
            plain, logarithmic = nothing.astype(np.complex128), nothing.astype(np.complex128)
            for lower in [lower for lower in _LOWER if k - lower in found]:
                before, (phi, psi) = self(power + k - lower, lower), found[k - lower]
                slope = self(power + k - lower + 1, lower) - before  # lower derivatives are linear in the power
                plain -= before @ phi + slope @ psi
                logarithmic -= before @ psi
            psi = self._solved(power + k, logarithmic)
            right = plain - self._slope_at(power + k) @ psi
            phi = self._solved(power + k, right, only_equations=is_whole)
            if not (self._holds(power + k, psi, logarithmic) and (is_whole or self._holds(power + k, phi, right))):
                return None
            if phi.any() or psi.any():
                found[k] = phi, psi
        return found

    def _slope_at(self, power: complex) -> NumberArray:
        """The derivative of the matrix with respect to the power."""
        _, first, second = self._polynomial
        return np.asarray(first + 2 * power * second)

    def _solved(self, power: complex, right: NumberArray, *, only_equations: bool = False) -> NumberArray:
        """The smallest solution for a power, zero if that suits."""
        if not right.any():
            return np.zeros_like(right)
        rows = slice((len(self._angles) - 2) * len(self.equations) if only_equations else None)
        matrix = self(power)[rows]
        size = np.abs(matrix).max(axis=1)
        return np.asarray(np.linalg.lstsq(matrix / size[:, None], right[rows] / size, rcond=SAME)[0])

    def _holds(self, power: complex, function: NumberArray, right: NumberArray) -> bool:
        """Whether a function is a solution for a power."""
        left = np.abs(self(power) @ function - right).max()
        return bool(left <= CLOSE * np.abs(right).max())

    @property
    def _every(self) -> list[Operator]:
        return [*self.equations, *(each for side in self.conditions for each in side)]
