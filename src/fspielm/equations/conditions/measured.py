"""Values known at points inside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.conditions.base import AnyCondition, check_weight, prescribed
from fspielm.equations.inside import check_points, points_region
from fspielm.equations.operator import identity
from fspielm.equations.per_unknown import freeze, written
from fspielm.equations.regions import Region
from fspielm.equations.setting import Rule, Setting
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value, check_value


@final
@dataclass(frozen=True, repr=False)
class Measured(AnyCondition):
    """Values of the unknown at given points, as from sensors; in the sense of least squares where they are many.

    Parameters
    ----------
    points : (n, d) array
        Points of the domain, with every coordinate of the unknown, time included.
    values : (n,) array, number, Expr or callable ``(n, d) -> (n,)``; or a mapping from unknowns to such
    weight : float
        As for `Dirichlet`; lower it for values that are known to be noisy.
    """

    points: ArrayLike
    values: ArrayLike | Value | Mapping[Any, Any]
    weight: float = 1.0
    kind: ClassVar[str] = "measured"
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_weight(self.weight, "Measured")
        points = check_points(self.points, "Measured: points")
        object.__setattr__(self, "points", points)
        number = len(points)
        values = freeze(self.values, "Measured: values", lambda one, what: _check_values(one, number, what))
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        n = len(self._points)
        weight = "" if self.weight == 1.0 else f", weight={self.weight}"
        shown = f"({len(self.values)} values)" if isinstance(self.values, tuple) else repr(self.values)
        return f"Measured(({n} point{'s' * (n > 1)}), {shown}{weight})"

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Its values."""
        return written(self.values)

    def regions(self, setting: Setting) -> list[Region]:
        """The points."""
        return [points_region(self._points, "", "Measured: points", setting)]

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The unknown itself."""
        return prescribed(self, identity(setting.dimension), self.values, setting)

    def read_value(self, value: Any, what: str, setting: Setting) -> Field:
        """Read an array with one value for each point, or what any condition takes."""
        checked = _check_values(value, len(self._points), what)
        if isinstance(checked, tuple):
            return setting.field(_Recorded(np.array(self._points), np.array(checked)), what)
        return setting.field(checked, what)

    def with_value(self, value: Any, setting: Setting) -> Measured:
        """The same with other values."""
        return replace(self, values=value)

    @property
    def _points(self) -> tuple[tuple[float, ...], ...]:
        assert isinstance(self.points, tuple)
        return self.points


@dataclass(frozen=True, eq=False, repr=False)
class _Recorded:
    """An array as a function of the points it belongs to, all of them or some; where several are one, of their mean."""

    points: FloatArray
    values: NumberArray

    def __call__(self, points: FloatArray) -> NumberArray:
        if np.array_equal(points, self.points):
            return self.values
        each = [self._by_point.get(point.tobytes(), ()) for point in np.ascontiguousarray(points)]
        return np.array([np.mean(values) if values else np.nan for values in each])

    @cached_property
    def _by_point(self) -> dict[bytes, list[Any]]:
        found: dict[bytes, list[Any]] = {}
        for point, value in zip(np.ascontiguousarray(self.points), self.values, strict=True):
            found.setdefault(point.tobytes(), []).append(value)
        return found

    def __repr__(self) -> str:
        return "measured values"


def _check_values(values: Any, n: int, what: str) -> Any:
    """An array as a tuple of numbers, one for each of n points; anything else as it is."""
    if not isinstance(values, list | tuple) and not (isinstance(values, np.ndarray) and values.ndim):
        check_value(values, what)
        return values
    try:
        array = np.asarray(values, dtype=np.complex128 if np.iscomplexobj(values) else np.float64)
    except (TypeError, ValueError):
        raise ProblemError(f"{what} must be numbers, one for each point; got {values!r}") from None
    if array.shape != (n,):
        raise ProblemError(f"{what} must be one for each of the {n} points, shape ({n},); got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ProblemError(f"{what} must be finite; value number {np.flatnonzero(~np.isfinite(array))[0]} is not")
    return tuple(array.tolist())
