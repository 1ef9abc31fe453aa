"""Functions around a corner, a hole or a source: powers, Bessel functions, logarithms."""

from __future__ import annotations

import cmath
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any, TypeAlias, TypeVar, final

import numpy as np
import scipy

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.basis.basis import Basis, LocalOperator
from fspielm.errors import ProblemError
from fspielm.numerics.special import iv_by_order, jv_by_order
from fspielm.numerics.tolerances import ROUNDING, TINY

RadialFunction: TypeAlias = Callable[[FloatArray], FloatArray]
# The orders of a derivative along zeta and along its conjugate.
Orders: TypeAlias = tuple[int, int]
# The order of a Bessel function, and whether its derivative with respect to the order is meant.
RadialKey: TypeAlias = tuple[float, bool]
Known = TypeVar("Known")

# ---- The position relative to a corner as a complex number zeta


class Polar:
    """Positions `zeta` relative to a corner, with their `radius` and their `turn`, a number of modulus one.

    Parameters
    ----------
    zeta : (n,) complex array
    quick : bool
        Whether to compute powers from the angle, in a twentieth of the time; the last digits differ.
    """

    def __init__(self, zeta: ComplexArray, *, quick: bool = False) -> None:
        self.zeta = zeta
        self.quick = quick
        self._known: dict[Hashable, Any] = {}

    def once(self, key: Hashable, find: Callable[[], Known]) -> Known:
        """What several functions and derivatives share at these positions; `find` computes it for the first."""
        if key not in self._known:
            self._known[key] = find()
        known: Known = self._known[key]
        return known

    @cached_property
    def radius(self) -> FloatArray:
        """The distance from the corner."""
        return np.abs(self.zeta)

    @cached_property
    def turn(self) -> ComplexArray:
        """The direction from the corner."""
        return np.asarray(self.zeta / self.radius)

    @cached_property
    def angle(self) -> FloatArray:
        """From -pi to pi."""
        return np.asarray(np.angle(self.turn))

    def power(self, exponent: float) -> ComplexArray:
        """The turn to a power; integer powers are products and fast anyway."""
        if self.quick and exponent % 1 != 0:
            return np.asarray(np.exp(1j * exponent * self.angle))
        return np.asarray(self.turn**exponent)

    def radial(self, wave: Wave, order: int, conjugate_order: int) -> dict[RadialKey, FloatArray]:
        """The radial functions that a derivative of a wave consists of."""
        k, modified = wave.wavenumber, wave.modified
        return {
            key: self.once((k, modified, key), partial(wave.radial(*key), k * self.radius))
            for key in wave.radial_keys(order, conjugate_order)
        }


def off_zero(zeta: ComplexArray) -> ComplexArray:
    """The same positions, with zero, where powers and logarithms have no value, replaced by a tiny number."""
    return np.where(np.abs(zeta) < TINY, TINY, zeta)


def zeta_weights(operator: LocalOperator, turn: complex) -> dict[tuple[int, int], ComplexArray]:
    """The weights of an operator in derivatives along zeta and its conjugate, by the orders of both.

    Here ``zeta = turn * (x + i y)``. The Laplacian, for example, becomes a single term.
    """
    weights: dict[tuple[int, int], ComplexArray] = {}
    for coefficient, (m, n) in zip(operator.coefficients, operator.orders, strict=True):
        for j, share in enumerate(_along_zeta(int(m), int(n), turn)):
            key = (j, int(m + n) - j)
            weights[key] = weights.get(key, np.zeros(())) + coefficient * share
    largest = max((float(np.abs(w).max()) for w in weights.values()), default=0.0)
    # smaller ones have cancelled except for rounding
    return {key: w for key, w in weights.items() if np.abs(w).max() > ROUNDING * largest}


def _along_zeta(m: int, n: int, turn: complex) -> ComplexArray:
    """Weights of ``d_zeta^j d_conj^(m+n-j)``, j = 0 .. m+n, in the derivative of order m along x and n along y."""
    # d_x = turn d_zeta + conj(turn) d_conj, d_y = i turn d_zeta - i conj(turn) d_conj
    weights = np.ones(1, dtype=np.complex128)
    for factor in [(turn, np.conj(turn))] * m + [(1j * turn, -1j * np.conj(turn))] * n:
        raised = np.zeros(len(weights) + 1, dtype=np.complex128)
        raised[1:] += factor[0] * weights
        raised[:-1] += factor[1] * weights
        weights = raised
    return weights


# ---- Singular functions of solutions of elliptic equations


class CornerFunction(ABC):
    """A complex function of ``zeta``, the position relative to a corner, with derivatives along zeta and its conjugate.

    Partial derivatives in x and y are sums of these, and these only change the exponent or order of the functions here.
    """

    @property
    def is_real(self) -> bool:
        """Whether only its real part is used: the imaginary part is zero, or not single-valued around the corner."""
        return False

    @abstractmethod
    def derivative(self, polar: Polar, order: int, conjugate_order: int) -> ComplexArray:
        """The derivative of these orders along zeta and along its conjugate, at nonzero positions.

        Derivatives at the same `polar` share work.
        """


@final
@dataclass(frozen=True)
class Power(CornerFunction):
    """``zeta**exponent * conjugate(zeta)**conjugate_exponent``, times ``log(zeta)`` if `logarithm`.

    With ``conjugate_exponent = 0`` its real and imaginary parts, ``r**s cos(s theta)`` and ``r**s sin(s theta)``, are
    harmonic.
    """

    exponent: float
    conjugate_exponent: int = 0
    logarithm: bool = False

    @property
    def is_real(self) -> bool:
        """True for the plain logarithm, whose imaginary part is the angle."""
        return self.logarithm and self.exponent == 0

    def derivative(self, polar: Polar, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        s, q, zeta = self.exponent, self.conjugate_exponent, polar.zeta
        # in d^j zeta^s (c log zeta + d), each derivative adds a factor (s - i), and c to d
        c, d = (1.0, 0.0) if self.logarithm else (0.0, 1.0)
        for i in range(order):
            c, d = c * (s - i), d * (s - i) + c
        outer = float(prod(q - i for i in range(conjugate_order)))
        value = outer * zeta ** (s - order) * (c * np.log(zeta) + d if c else d)
        remaining = q - conjugate_order
        return np.asarray(value * np.conj(zeta) ** remaining if outer and remaining else value)


LOGARITHM = Power(0, 0, True)


@final
@dataclass(frozen=True)
class Wave(CornerFunction):
    """``J(order, k r) exp(i order theta)`` for Helmholtz' equation, or I instead of J for the modified one.

    Parameters
    ----------
    order : float
    wavenumber : float
        k, in units of one over the scale of zeta.
    modified : bool
        Whether the equation is ``laplacian u = k^2 u`` (I) rather than ``laplacian u = -k^2 u`` (J).
    logarithm : bool
        Whether to take the derivative with respect to the (integer) order: another solution, about ``log(zeta)`` times
        the function.
    turn : float, optional
        An angle in radians. If given, only the real part of ``exp(i turn)`` times the function is used, where the
        imaginary part does not suit the conditions on the two sides.
    """

    order: float
    wavenumber: float
    modified: bool = False
    logarithm: bool = False
    turn: float | None = None

    @property
    def is_real(self) -> bool:
        """True if a turn is given."""
        return self.turn is not None

    def derivative(self, polar: Polar, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        sign = 1.0 if self.modified else -1.0
        shifted = self.order - order + conjugate_order
        factor: complex = (0.5 * self.wavenumber) ** (order + conjugate_order) * sign**conjugate_order / self._size
        if self.turn is not None:
            factor *= cmath.exp(1j * self.turn)
        values = polar.radial(self, order, conjugate_order)
        value = values[shifted, False]
        if self.logarithm:
            value = values[shifted, True] + 1j * polar.angle * value
        return np.asarray(factor * value * polar.power(shifted))

    def radial_keys(self, order: int, conjugate_order: int) -> list[RadialKey]:
        """The radial functions that the derivative consists of."""
        shifted = self.order - order + conjugate_order
        return [(shifted, False), (shifted, True)] if self.logarithm else [(shifted, False)]

    def radial(self, order: float, by_order: bool) -> RadialFunction:
        """The Bessel function of this order, or its derivative with respect to the order."""
        if by_order:
            return partial(iv_by_order if self.modified else jv_by_order, round(order))
        return partial(scipy.special.iv if self.modified else scipy.special.jv, order)

    @cached_property
    def _size(self) -> float:
        """The largest value within the scale, by which functions are divided: high orders would be tiny otherwise."""
        bessel = scipy.special.iv if self.modified else scipy.special.jv
        return float(np.abs(bessel(self.order, self.wavenumber * np.linspace(0.0, 1.0, 200)[1:])).max())


@final
@dataclass(frozen=True)
class Angle(CornerFunction):
    """The angle theta, times ``J(0, k r)`` (or I) for Helmholtz' equation: it makes values jump at a corner.

    It is the imaginary part of a logarithm, whose unbounded real part no solution contains.

    Parameters
    ----------
    wavenumber, modified
        As those of `Wave`; zero for Laplace's equation.
    """

    is_real = True

    wavenumber: float = 0.0
    modified: bool = False

    def derivative(self, polar: Polar, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        return -1j * self._logarithm.derivative(polar, order, conjugate_order)

    @cached_property
    def _logarithm(self) -> CornerFunction:
        k = self.wavenumber
        return Wave(0.0, k, self.modified, True) if k else Power(0.0, 0, True)


@final
class SingularBasis(Basis):
    """Real and imaginary parts of functions around one corner of a plane domain, or around the center of a hole.

    Parameters
    ----------
    corner : (float, float)
    axis : float
        Angle of the ray from the corner along which `zeta` is real and positive: the bisector of the interior.
        Functions jump across the opposite ray, which must lie outside of the domain.
    scale : float
        The unit of zeta, about the size of the domain.
    functions : sequence of CornerFunction
    """

    dimension = 2

    def __init__(
        self, corner: tuple[float, float], axis: float, scale: float, functions: Sequence[CornerFunction]
    ) -> None:
        if not functions:
            raise ProblemError("functions must hold at least one corner function; got none")
        x, y = corner
        self.corner = (float(x), float(y))
        self.axis = float(axis)
        self.scale = float(scale)
        self.functions = tuple(functions)
        # which function, and which part of it
        self._columns = [(i, part) for i, f in enumerate(self.functions) for part in ((0,) if f.is_real else (0, 1))]
        self.size, self.corners = len(self._columns), (self.corner,)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        self.fill_at(Polar(self.zeta(operator.points)), operator, columns, out)

    def fill_at(self, polar: Polar, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Like `fill`, with the positions of the points."""
        first, last, _ = columns.indices(self.size)
        weights = zeta_weights(operator, np.exp(-1j * self.axis) / self.scale)
        done: int | None = None
        for column in range(first, last):
            index, imaginary = self._columns[column]
            if index != done:
                total = np.zeros(len(operator.points), dtype=np.complex128)
                for orders, weight in weights.items():
                    total += weight * self.functions[index].derivative(polar, *orders)
                done = index
            out[column - first] = total.imag if imaginary else total.real

    def zeta(self, points: FloatArray) -> ComplexArray:
        """Points relative to the corner, in units of the scale; never exactly zero."""
        x, y = (points - np.array(self.corner)).T
        return off_zero((x + 1j * y) * np.exp(-1j * self.axis) / self.scale)


@final
@dataclass(frozen=True)
class LogPower(CornerFunction):
    """``zeta**exponent * conjugate(zeta)**conjugate_exponent * log(abs(zeta))`` with integer exponents >= 0.

    A power of the Laplacian one higher than the larger exponent annihilates it. Unlike `Power` with a logarithm, it is
    single-valued around the center. Fundamental solutions, such as fields of point forces, consist of these.
    """

    exponent: int = 0
    conjugate_exponent: int = 0

    @property
    def is_real(self) -> bool:
        """True if both exponents are equal."""
        return self.exponent == self.conjugate_exponent

    def derivative(self, polar: Polar, order: int, conjugate_order: int) -> ComplexArray:
        """See `CornerFunction.derivative`."""
        a, b = _falling(self.exponent, order), _falling(self.conjugate_exponent, conjugate_order)
        value = 0.5 * (a[1] * b[0] + a[0] * b[1]) + a[0] * b[0] * np.log(polar.radius)
        zeta = polar.zeta
        powers = zeta ** (self.exponent - order) * np.conj(zeta) ** (self.conjugate_exponent - conjugate_order)
        return np.asarray(value * powers)


def _falling(exponent: int, order: int) -> tuple[float, float]:
    """Factors a and b of ``d^order z^s log z = z^(s - order) (a log z + b)``."""
    factors = [exponent - i for i in range(order)]
    others = (prod(factors[:i] + factors[i + 1 :]) for i in range(order))
    return float(prod(factors)), float(sum(others))
