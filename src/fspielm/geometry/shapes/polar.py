"""Star-shaped domains bounded by a smooth polar curve r(theta)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import SupportsFloat, final

import numpy as np
import sympy as sp

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import as_name, as_plane_point
from fspielm.geometry.contour import TRIALS, extreme
from fspielm.geometry.curves import Edge, PlaneCurve
from fspielm.geometry.domain import rounding_slack
from fspielm.geometry.plane import PlaneShape
from fspielm.numerics.roots import Antiderivative, Function, antiderivative, minimum, subdivide
from fspielm.numerics.tolerances import CLOSE, SAME

_TURN = 2 * math.pi
# Angles at which the radius is checked.
_TRIAL_ANGLES = _TURN * np.arange(TRIALS) / TRIALS


@final
@dataclass(frozen=True, init=False, repr=False)
class PolarCurve(PlaneShape):
    """The region within the closed curve ``center + r(theta) (cos theta, sin theta)``.

    Its boundary is one part, ``"outline"``. Points and normals are exact; area and length are integrated to rounding.

    Parameters
    ----------
    radius : SymPy expression
        r(theta), in exactly one symbol, the angle: smooth, positive and of period 2 pi. (At a corner of the
        curve only the normal is undefined.)
    center : (number, number)
    name : str
        Put before the name of the part: ``"hole.outline"``.

    Examples
    --------
    >>> import sympy as sp
    >>> theta = sp.Symbol("theta")
    >>> flower = PolarCurve(2 + sp.cos(5 * theta))
    >>> flower.bounding_box[1].round(3)
    array([3.   , 2.869])
    """

    radius: sp.Expr
    center: tuple[float, float]
    name: str

    def __init__(self, radius: sp.Expr, center: Iterable[SupportsFloat] = (0.0, 0.0), *, name: str = "") -> None:
        self._read(center=(as_plane_point, center), radius=(_as_radius, radius), name=(as_name, name))
        self._check_values()

    def __repr__(self) -> str:
        return f"PolarCurve({self.radius}, center={self.center}{self._name_argument})"

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the curve, ``(lower, upper)``."""
        lower, upper = self._reach
        return np.array(self.center) + lower, np.array(self.center) + upper

    @property
    def measure(self) -> float:
        """Area."""
        return self._area.total

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        x, y = (points - self.center).T
        distance = np.hypot(x, y)
        least_radius, greatest_radius = self._radii
        inside: BoolArray = distance <= least_radius
        # evaluate the radius, which may be expensive, only where it matters
        between = np.flatnonzero(~inside & (distance <= greatest_radius))
        theta = np.arctan2(y[between], x[between])
        r = self._r(theta)
        slack = rounding_slack(closed, *self._reach[0], *self._reach[1], *self.center)
        # rounding of the angle changes r by its slope
        inside[between] = distance[between] <= r + slack * (1 + np.abs(self._slope(theta)) / r)
        return inside

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        return (Edge("outline", self._outline),)

    @cached_property
    def _r(self) -> Function:
        return _compile(self.radius, 0)

    @cached_property
    def _slope(self) -> Function:
        return _compile(self.radius, 1)

    @cached_property
    def _outline(self) -> PlaneCurve:
        def point(t: FloatArray) -> FloatArray:
            return np.asarray(self._radial(t) + self.center)

        return PlaneCurve(point, self._tangent, 0.0, _TURN)

    def _radial(self, t: FloatArray) -> FloatArray:
        """Points of the curve ``(n, 2)``, relative to the center."""
        r = self._r(t)
        return np.column_stack([r * np.cos(t), r * np.sin(t)])

    def _tangent(self, t: FloatArray) -> FloatArray:
        r, slope, cos, sin = self._r(t), self._slope(t), np.cos(t), np.sin(t)
        return np.column_stack([slope * cos - r * sin, slope * sin + r * cos])

    @cached_property
    def _reach(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Least and greatest x and y, relative to the center."""
        curve = PlaneCurve(self._radial, self._tangent, 0.0, _TURN)
        left, bottom, right, top = (extreme(curve, axis, sign, self._grid) for sign in (1.0, -1.0) for axis in (0, 1))
        return (left, bottom), (-right, -top)

    @cached_property
    def _radii(self) -> tuple[float, float]:
        """A radius clearly below all radii of the curve, and one clearly above."""
        radii, slopes = self._r(self._grid), self._slope(self._grid)
        rounding = rounding_slack(True, *self._reach[0], *self._reach[1], *self.center)
        # the change between two angles, and rounding
        margin = float(np.abs(np.diff(radii)).max() + 4 * rounding * (1 + np.abs(slopes / radii).max()))
        return (1 - CLOSE) * float(radii.min()) - margin, (1 + CLOSE) * float(radii.max()) + margin

    @cached_property
    def _area(self) -> Antiderivative:
        return antiderivative(lambda t: 0.5 * self._r(t) ** 2, 0.0, _TURN, what="PolarCurve: radius")

    @cached_property
    def _grid(self) -> FloatArray:
        """Angles 16 times as dense as the panels of the area, which resolve every turn of the curve."""
        return subdivide(self._area.edges, 16)

    def _check_values(self) -> None:
        """Refuse a radius that is not a finite, positive function of period 2 pi."""
        try:
            r, later = self._r(_TRIAL_ANGLES), self._r(_TRIAL_ANGLES + _TURN)
            self._slope(_TRIAL_ANGLES[:1])
        except (TypeError, NameError, AttributeError, NotImplementedError) as error:
            raise ProblemError(
                f"PolarCurve: radius must be a real function that NumPy can evaluate; got {self.radius} ({error})"
            ) from error
        _refuse(~np.isfinite(r), r, "finite")
        _refuse(r <= 0, r, "positive at every angle")
        gap = np.abs(later - r)
        if np.max(gap) > SAME * np.max(r):
            at = int(np.argmax(gap))
            raise ProblemError(
                "PolarCurve: radius must have period 2 pi; "
                f"got {r[at]:.6g} at angle {_TRIAL_ANGLES[at]:.6g} and {later[at]:.6g} a full turn later"
            )
        smallest = minimum(self._r, self._slope, self._grid)
        if smallest <= 0:
            raise ProblemError(f"PolarCurve: radius must be positive at every angle; it falls to {smallest:.6g}")
        _ = self._outline.length  # refuses an infinite slope


def _as_radius(radius: object, argument: str) -> sp.Expr:
    if not isinstance(radius, sp.Expr):
        raise ProblemError(
            f"{argument} must be a SymPy expression in the angle, such as 2 + cos(theta); got {radius!r}"
        )
    names = sorted(map(str, radius.free_symbols))
    if not names:
        raise ProblemError(f"{argument} must depend on one symbol, the angle; got the constant {radius}: use Disk")
    if len(names) > 1:
        raise ProblemError(f"{argument} must depend on one symbol, the angle; got {len(names)}: {', '.join(names)}")
    return radius


@lru_cache(maxsize=64)
def _compile(radius: sp.Expr, order: int) -> Function:
    """The derivative of this order as a function of angles ``(n,)``; cached, since compiling is slow."""
    (symbol,) = radius.free_symbols
    angle = sp.Dummy("theta", real=True)  # SymPy differentiates |sin(theta)| only if it knows theta is real
    expression = radius.subs(symbol, angle).diff(angle, order)
    function: Callable[[FloatArray], object] = sp.lambdify(angle, expression, modules="numpy", cse=True)

    def evaluate(t: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):  # values that are not finite are refused below
            values = np.asarray(function(t))
        if values.dtype.kind not in "fiu":
            raise TypeError(f"its values are {values.dtype}")
        # a constant derivative is one number
        return np.array(np.broadcast_to(values, t.shape), dtype=np.float64)

    return evaluate


def _refuse(bad: BoolArray, r: FloatArray, requirement: str) -> None:
    if np.any(bad):
        at = int(np.argmax(bad))
        raise ProblemError(
            f"PolarCurve: radius must be {requirement}; got {r[at]:.6g} at angle {_TRIAL_ANGLES[at]:.6g}"
        )
