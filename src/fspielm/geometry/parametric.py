"""Regions within a closed parametric curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, SupportsFloat, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.closed import check_simple, check_values
from fspielm.geometry.contour import Contour, contour_of
from fspielm.geometry.coordinate import Coordinate, as_coordinate, coordinate_functions
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.inputs import as_name, as_plane_point, as_vector
from fspielm.geometry.plane import Edge, PlaneShape

Derivative = tuple[Callable[[FloatArray], Any], Callable[[FloatArray], Any]]


@final
@dataclass(frozen=True, init=False, repr=False)
class Curve(PlaneShape):
    """The region within the closed curve ``(x(t), y(t))``, walked in either direction.

    Its boundary is one part, ``"outline"``. Points and normals are exact; area and length are integrated to
    rounding. A curve that does not close, crosses or touches itself, or stops on its way is refused.

    Parameters
    ----------
    x, y : SymPy expression or callable
        The coordinates: expressions in one symbol, the parameter, or callables that map parameters ``(n,)`` to
        coordinates ``(n,)``.
    parameter : sequence of numbers
        The first and the last parameter, which belong to the same point, and between them, ascending, those of
        corners. There may be a corner at the ends, too.
    derivative : (callable, callable), optional
        The derivatives of x and y where those are callables. Without them normals have about thirteen digits.
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
        object.__setattr__(self, "x", as_coordinate(x, "Curve: x"))
        object.__setattr__(self, "y", as_coordinate(y, "Curve: y"))
        object.__setattr__(self, "parameter", _read_parameter(parameter))
        object.__setattr__(self, "derivative", _read_derivative(derivative))
        object.__setattr__(self, "name", as_name(name, "Curve: name"))
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

        Returns
        -------
        Curve
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
        """The curve as it is stated, whichever way it turns and with all of its corners."""
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
        """The curve from corner to corner, whichever way it turns."""
        corners = self.parameter[1:-1]
        curves = [_away_from(self._walk.clip(a, b), corners) for a, b in pairwise(self.parameter)]
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


def _away_from(curve: PlaneCurve, corners: Sequence[float]) -> PlaneCurve:
    """The curve with its own directions at its ends: at a corner itself a function may give those of its neighbour."""
    hair = 4 * np.finfo(np.float64).eps * max(abs(curve.t0), abs(curve.t1))
    low = curve.t0 + (hair if curve.t0 in corners else 0.0)
    high = curve.t1 - (hair if curve.t1 in corners else 0.0)
    tangent = curve.tangent
    return replace(curve, tangent=lambda t: tangent(np.clip(t, low, high)))


def _read_parameter(parameter: Iterable[SupportsFloat]) -> tuple[float, ...]:
    breaks = as_vector(parameter, "Curve: parameter")
    if len(breaks) < 2 or any(a >= b for a, b in pairwise(breaks)):
        raise ProblemError(
            "Curve: parameter must hold the first and the last parameter, those of corners between them, ascending; "
            f"got {breaks}"
        )
    return breaks


def _read_derivative(derivative: Derivative | None) -> Derivative | None:
    if derivative is None:
        return None
    if not isinstance(derivative, tuple | list) or len(derivative) != 2 or not all(map(callable, derivative)):
        raise ProblemError(f"Curve: derivative must be two callables, the derivatives of x and y; got {derivative!r}")
    return derivative[0], derivative[1]


def _check_symbols(x: Coordinate, y: Coordinate) -> None:
    symbols = {symbol for value in (x, y) if isinstance(value, sp.Expr) for symbol in value.free_symbols}
    if len(symbols) > 1:
        names = ", ".join(sorted(map(str, symbols)))
        raise ProblemError(f"Curve: x and y must depend on one symbol, the parameter; got {len(symbols)}: {names}")
