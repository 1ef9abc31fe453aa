"""Regions inside a domain: given points, and curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, as_points
from fspielm.equations.regions import Region, probe
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.expressions import describe
from fspielm.geometry import BoundaryPart, PlaneCurve, Sampling, Sites, extrude

# Points, one after the other; a plane curve; or a map from [0, 1] to points.
Points: TypeAlias = tuple[tuple[float, ...], ...]
At: TypeAlias = Points | PlaneCurve | Callable[[FloatArray], ArrayLike]

# Pieces that the length of a curve is measured with: to four digits, and only counts of rows follow from it.
_PIECES = 2000


def check_points(points: Any, argument: str) -> Points:
    """Points as tuples, which nobody can change; their number of coordinates is checked with the domain."""
    if np.iscomplexobj(points):
        raise ProblemError(f"{argument} must be real numbers; got {_short(points)}")
    try:
        array = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or not array.size:
        raise ProblemError(
            f"{argument} must be points as the rows of an array (n, d), at least one; got {_short(points)}"
        )
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise ProblemError(f"{argument} must be finite; the point number {bad[0]} is {_place(array[bad[0]])}")
    return tuple(map(tuple, array.tolist()))


def points_region(points: Points, label: str, argument: str, setting: Setting) -> Region:
    """Given points of the domain."""
    array = as_points(points, setting.dimension, argument=argument)
    _refuse_outside(array, argument, setting)
    sites = Sites(array)

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return sites

    return Region("inside", label, 1.0, sample, count=len(sites))


def curve_region(curve: PlaneCurve | Callable[[FloatArray], ArrayLike], argument: str, setting: Setting) -> Region:
    """A curve through the domain; a plane curve in a plane domain with time is meant at all times."""
    if isinstance(curve, PlaneCurve):
        part = curve.as_part("curve")
        if setting.domain.time is not None:
            part = extrude(part, setting.domain.time)
        got = part.parameters + 1
        if got != setting.dimension:
            raise ProblemError(
                f"{argument} is a plane curve, but the unknown {setting.symbols[0]} has {setting.dimension} "
                "coordinates; write a function from [0, 1] to points of the domain"
            )
    else:
        part = _from_callable(curve, argument, setting)
    _refuse_outside(probe(part).points, argument, setting)
    return Region("inside", "curve", part.measure, part.sample, part)


def _from_callable(curve: Callable[[FloatArray], ArrayLike], argument: str, setting: Setting) -> BoundaryPart:
    who = f"{argument}: {describe(curve)}"

    def place(unit: FloatArray) -> Sites:
        points = as_points(curve(unit[:, 0].copy()), setting.dimension, argument=f"{who} must return points, which")
        if len(points) != len(unit):
            raise ProblemError(
                f"{who} must return one point for each parameter; got {len(points)} points for {len(unit)} parameters"
            )
        return Sites(points)

    path = place(np.linspace(0.0, 1.0, _PIECES + 1)[:, None]).points
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    if not 0.0 < length < np.inf:
        raise ProblemError(f"{who} must be a curve of positive, finite length; got {length}")
    return BoundaryPart("curve", length, 1, place)


def _refuse_outside(points: FloatArray, argument: str, setting: Setting) -> None:
    outside = np.flatnonzero(~setting.domain.contains(points))
    if outside.size:
        first = points[outside[0]]
        place = ", ".join(f"{s}={v:.6g}" for s, v in zip(setting.coordinates, first, strict=True))
        raise ProblemError(
            f"{argument} must lie in the domain {setting.domain!r}; {place} does not "
            f"({outside.size} of {len(points)} points)"
        )


def _place(point: FloatArray) -> str:
    return f"({', '.join(f'{v:.6g}' for v in point)})"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
