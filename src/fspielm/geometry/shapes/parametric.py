"""Regions within a closed parametric curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, SupportsFloat, TypeAlias, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import numeric_function
from fspielm.geometry.boundary import as_name, as_plane_point, as_vector
from fspielm.geometry.contour import Contour, check_simple, check_values, contour_of
from fspielm.geometry.curves import Edge, PlaneCurve
from fspielm.geometry.plane import PlaneShape
from fspielm.numerics.piecewise import interpolate
from fspielm.numerics.roots import Function

Derivative = tuple[Callable[[FloatArray], Any], Callable[[FloatArray], Any]]
Coordinate: TypeAlias = sp.Expr | Callable[[FloatArray], Any]

_EPS = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, init=False, repr=False)
class Curve(PlaneShape):
    """The region within the closed curve ``(x(t), y(t))``, walked in either direction.

    Its boundary is one part, ``"outline"``. Points and normals are exact; area and length are integrated to
    rounding. The curve must close, and must not cross or touch itself or stop on its way.

    Parameters
    ----------
    x, y : SymPy expression or callable
        The coordinates: expressions in one symbol, the parameter, or callables that map parameters ``(n,)`` to
        coordinates ``(n,)``.
    parameter : sequence of numbers
        The first and the last parameter, which belong to the same point, and between them, ascending, those of
        corners. The ends may be a corner, too.
    derivative : (callable, callable), optional
        The derivatives of callables x and y. Without them normals have about thirteen digits.
    name : str
        Put before the name of its boundary part.

    Examples
    --------
    >>> import sympy as sp
    >>> t = sp.Symbol("t")
    >>> bean = Curve(sp.cos(t) + sp.cos(2 * t) / 4, sp.sin(t))
    >>> round(bean.measure / sp.pi.evalf(), 12)
    1.00000000000000
    """

    x: Coordinate
    y: Coordinate
    parameter: tuple[float, ...]
    derivative: Derivative | None = None
    name: str = ""

    def __init__(
        self,
        x: Coordinate,
        y: Coordinate,
        parameter: Iterable[SupportsFloat] = (0.0, 2 * math.pi),
        *,
        derivative: Derivative | None = None,
        name: str = "",
    ) -> None:
        self._read(x=(as_coordinate, x), y=(as_coordinate, y), parameter=(_as_parameter, parameter))
        self._read(derivative=(_as_derivative, derivative), name=(as_name, name))
        _check_symbols(self.x, self.y)
        check_values(self._walk, "Curve: the curve")
        check_simple(self._stated, "Curve: the curve")

    @classmethod
    def polar(cls, radius: Coordinate, center: Iterable[SupportsFloat] = (0.0, 0.0), *, name: str = "") -> Curve:
        """Build the region within ``center + r(t) (cos t, sin t)``, t from 0 to 2 pi.

        Parameters
        ----------
        radius : SymPy expression or callable
            r(t), as the coordinates of a `Curve`.
        center : (number, number)
        name : str
        """
        middle = as_plane_point(center, "Curve.polar: center")
        r = as_coordinate(radius, "Curve.polar: radius")
        if not isinstance(r, sp.Expr):
            return cls(_Polar(r, middle[0], np.cos), _Polar(r, middle[1], np.sin), name=name)
        symbols = r.free_symbols
        angle = next(iter(symbols)) if len(symbols) == 1 else sp.Symbol("t", real=True)
        return cls(middle[0] + r * sp.cos(angle), middle[1] + r * sp.sin(angle), name=name)

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        curves: Iterable[PlaneCurve] = self._stated.curves
        if self._stated.area < 0:
            curves = [curve.reversed() for curve in reversed(self._stated.curves)]
        return tuple(Edge("outline", curve) for curve in curves)

    @cached_property
    def _walk(self) -> PlaneCurve:
        """The curve as stated, in its own direction, with all corners."""
        dx, dy = self.derivative or (None, None)
        x, slope_x = coordinate_functions(self.x, dx, self.parameter, "Curve: x")
        y, slope_y = coordinate_functions(self.y, dy, self.parameter, "Curve: y")
        return PlaneCurve(
            lambda t: np.column_stack([x(t), y(t)]),
            lambda t: np.column_stack([slope_x(t), slope_y(t)]),
            self.parameter[0],
            self.parameter[-1],
        )

    @cached_property
    def _stated(self) -> Contour:
        """The curve from corner to corner, in its own direction."""
        corners = self.parameter[1:-1]
        curves = [_with_own_ends(self._walk.clip(a, b), corners) for a, b in pairwise(self.parameter)]
        return contour_of(curves, "Curve: the curve")


@final
@dataclass(frozen=True)
class _Polar:
    """A coordinate of a polar curve whose radius is a callable; a class, so that it can be compared and pickled."""

    radius: Callable[[FloatArray], Any]
    center: float
    factor: Callable[[FloatArray], FloatArray]

    def __call__(self, t: FloatArray) -> FloatArray:
        return np.asarray(self.center + np.asarray(self.radius(t)) * self.factor(t))


def _with_own_ends(curve: PlaneCurve, corners: Sequence[float]) -> PlaneCurve:
    """The curve with its own tangents at its ends: at a corner a function may return the tangent of its neighbour."""
    inset = 4 * _EPS * max(abs(curve.t0), abs(curve.t1))
    low = curve.t0 + (inset if curve.t0 in corners else 0.0)
    high = curve.t1 - (inset if curve.t1 in corners else 0.0)
    tangent = curve.tangent
    return replace(curve, tangent=lambda t: tangent(np.clip(t, low, high)))


def _as_parameter(parameter: Iterable[SupportsFloat], argument: str) -> tuple[float, ...]:
    breaks = as_vector(parameter, argument)
    if len(breaks) < 2 or any(a >= b for a, b in pairwise(breaks)):
        raise ProblemError(
            f"{argument} must hold the first and the last parameter, those of corners between them, ascending; "
            f"got {breaks}"
        )
    return breaks


def _as_derivative(derivative: Derivative | None, argument: str) -> Derivative | None:
    if derivative is None:
        return None
    if not isinstance(derivative, tuple | list) or len(derivative) != 2 or not all(map(callable, derivative)):
        raise ProblemError(f"{argument} must be two callables, the derivatives of x and y; got {derivative!r}")
    return derivative[0], derivative[1]


def _check_symbols(x: Coordinate, y: Coordinate) -> None:
    symbols = {symbol for value in (x, y) if isinstance(value, sp.Expr) for symbol in value.free_symbols}
    if len(symbols) > 1:
        names = ", ".join(sorted(map(str, symbols)))
        raise ProblemError(f"Curve: x and y must depend on one symbol, the parameter; got {len(symbols)}: {names}")


def as_coordinate(value: object, argument: str) -> Coordinate:
    """Return `value` as a SymPy expression or as a callable; refuse anything else."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return sp.sympify(value)
    if isinstance(value, sp.Expr):
        unknown = sorted(map(str, value.atoms(AppliedUndef)))
        if unknown:
            raise ProblemError(f"{argument} must be a known function; got {', '.join(unknown)} in it: give a callable")
        return value
    if callable(value):
        return value
    raise ProblemError(
        f"{argument} must be a SymPy expression in the parameter, such as cos(t), or a callable of it; got {value!r}"
    )


def coordinate_functions(
    coordinate: Coordinate, derivative: Callable[[FloatArray], Any] | None, breaks: Sequence[float], argument: str
) -> tuple[Function, Function]:
    """Values and derivatives of a coordinate: both map parameters ``(n,)`` to ``(n,)``.

    The derivative of a callable is `derivative` if given, otherwise that of its interpolant between `breaks`.
    """
    if isinstance(coordinate, sp.Expr):
        return _compile(coordinate, 0, argument), _compile(coordinate, 1, argument)
    value = _checked(coordinate, argument)
    if derivative is not None:
        return value, _checked(derivative, f"{argument}, its derivative")
    # differentiating polynomials of their degree costs two to three digits
    return value, interpolate(value, breaks, what=argument).derivative()


@lru_cache(maxsize=128)
def _compile(expression: sp.Expr, order: int, argument: str) -> Function:
    """The derivative of this order as a function of the parameter; cached, since compiling is slow."""
    real = sp.Dummy("t", real=True)  # SymPy differentiates |sin(t)| only if it knows that t is real
    body = expression.xreplace(dict.fromkeys(expression.free_symbols, real)).diff(real, order)
    function = numeric_function([real], body, argument)

    def evaluate(t: FloatArray) -> FloatArray:
        values = np.asarray(function(t))
        _refuse_complex(values, argument)
        return np.array(np.broadcast_to(values, t.shape), dtype=np.float64)  # a constant comes back as one number

    return evaluate


def _checked(function: Callable[[FloatArray], Any], argument: str) -> Function:
    """The callable with checks of its values."""

    def evaluate(t: FloatArray) -> FloatArray:
        values = np.asarray(function(t))
        if values.shape != t.shape:
            raise ProblemError(
                f"{argument} must map parameters of shape (n,) to values of the same shape; "
                f"got shape {values.shape} for {t.shape}"
            )
        _refuse_complex(values, argument)
        return values.astype(np.float64)

    return evaluate


def _refuse_complex(values: np.ndarray[Any, Any], argument: str) -> None:
    if values.dtype.kind not in "fiu":
        raise ProblemError(f"{argument} must be a real function; its values are {values.dtype}")
