"""What a closed parametric curve must satisfy to bound a region, and what is said when it does not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.contour import Contour
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.extremes import refine
from fspielm.geometry.self_crossing import find_crossing

# An odd number of trial parameters, so that a curve with many lobes does not repeat itself on them.
_TRIALS = 1023
_CLOSED = 1e-9
_STANDSTILL = 1e-8  # speed, relative to the mean, that counts as none
_KINK = 1e-6


def check_values(curve: PlaneCurve, what: str) -> None:
    """Refuse a curve that is not finite, does not close, or lies on a line."""
    t = np.linspace(curve.t0, curve.t1, _TRIALS)
    points = curve.point(t)
    bad = ~np.isfinite(points).all(axis=1)
    if np.any(bad):
        at = int(np.argmax(bad))
        raise ProblemError(f"{what} must be finite; it is at {_place(points[at])} for t = {t[at]:.6g}")
    size = float(np.max(np.ptp(points, axis=0)))
    gap = math.dist(points[0], points[-1])
    if gap > _CLOSED * size:
        raise ProblemError(
            f"{what} must close; it begins at {_place(points[0])} for t = {t[0]:.6g} and ends at "
            f"{_place(points[-1])} for t = {t[-1]:.6g}, a gap of {gap:.6g}"
        )
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[1] <= _CLOSED * spread[0] or size == 0:
        raise ProblemError(f"{what} must enclose an area; its points lie on a line")
    tangents = curve.tangent(t)
    bad = ~np.isfinite(tangents).all(axis=1)
    if np.any(bad):
        at = int(np.argmax(bad))
        raise ProblemError(f"{what} must have a finite derivative; at t = {t[at]:.6g} it is {_place(tangents[at])}")
    _ = curve.length  # refuses what is infinite between these parameters


def check_simple(contour: Contour, what: str) -> None:
    """Refuse a loop that stops, jumps, turns a corner where none was announced, or meets itself."""
    for curve, grid in zip(contour.curves, contour.grids, strict=True):
        _check_speed(curve, refine(grid, 16), what)
        _check_smoothness(curve, refine(grid, 4), contour, what)
    crossing = find_crossing(contour.curves, contour.pieces, contour.size, contour.noise)
    if crossing is not None:
        (one, t), (_, s) = crossing
        place = contour.curves[one].point(np.array([t]))[0]
        raise ProblemError(
            f"{what} must not cross or touch itself; it does at {_place(place, contour.size)}, for t = {_told(t)} "
            f"and again for t = {_told(s)}"
        )


def _check_speed(curve: PlaneCurve, grid: FloatArray, what: str) -> None:
    """Refuse a curve that stands still: its direction, and so its normal, would be lost."""

    def speed(t: FloatArray) -> FloatArray:
        return np.asarray(np.hypot(*curve.tangent(t).T), dtype=np.float64)

    speeds = speed(grid)
    padded = np.concatenate([[np.inf], speeds, [np.inf]])
    slow = speeds < 0.1 * speeds.mean()  # the grid is so dense that it sees every stop coming
    dips = np.flatnonzero(slow & (speeds <= padded[:-2]) & (speeds <= padded[2:]))
    if len(dips) == 0:
        return
    low, high = grid[np.maximum(dips - 1, 0)], grid[np.minimum(dips + 1, len(grid) - 1)]
    for _ in range(120):  # ternary search: two thirds are left each time
        third = (high - low) / 3
        falling = speed(low + third) > speed(high - third)
        low, high = np.where(falling, low + third, low), np.where(falling, high, high - third)
    slowest = np.minimum(speed(0.5 * (low + high)), speeds[dips])
    if slowest.min() <= _STANDSTILL * speeds.mean():
        at = int(np.argmin(slowest))
        t = 0.5 * (low + high)[at]
        raise ProblemError(
            f"{what} must have a direction everywhere; its derivative vanishes at t = {_told(t)}, "
            f"where it is at {_place(curve.point(np.array([t]))[0], 1.0)}"
        )


def _check_smoothness(curve: PlaneCurve, grid: FloatArray, contour: Contour, what: str) -> None:
    """Refuse a curve that jumps, or turns a corner within: that would have no normal."""
    size = contour.size
    # The derivative of values far from the origin has lost some digits.
    least_turn = _KINK + 1e4 * contour.noise / size

    def jumps(low: FloatArray, high: FloatArray) -> FloatArray:
        return np.asarray(np.hypot(*(curve.point(high) - curve.point(low)).T) / size, dtype=np.float64)

    def turns(low: FloatArray, high: FloatArray) -> FloatArray:
        x0, y0 = curve.tangent(low).T
        x1, y1 = curve.tangent(high).T
        return np.asarray(np.abs(np.arctan2(x0 * y1 - y0 * x1, x0 * x1 + y0 * y1)), dtype=np.float64)

    t, jump = _steepest_change(jumps, grid)
    if jump > _KINK:
        raise ProblemError(f"{what} must be continuous; at t = {_told(t)} it jumps by {jump * size:.6g}")
    t, turn = _steepest_change(turns, grid)
    if turn > least_turn:
        raise ProblemError(
            f"{what} turns a corner at t = {_told(t)}; list it between the ends of parameter, as in "
            f"parameter=(..., {t:.15g}, ...)"
        )


def _steepest_change(change: Callable[[FloatArray, FloatArray], FloatArray], grid: FloatArray) -> tuple[float, float]:
    """Where a function changes most over the shortest step, and by how much: next to nothing where it is smooth."""
    low, high = grid[:-1], grid[1:]
    for _ in range(44):
        middle = 0.5 * (low + high)
        first = change(low, middle) >= change(middle, high)
        low, high = np.where(first, low, middle), np.where(first, middle, high)
    found = change(low, high)
    at = int(np.argmax(found))
    return float(0.5 * (low + high)[at]), float(found[at])


def _place(point: FloatArray, size: float = 0.0) -> str:
    """A point to be read, what is zero up to rounding shown as such."""
    x, y = (0.0 if abs(c) < 1e-8 * size else float(c) for c in point)
    return f"({x:.6g}, {y:.6g})"


def _told(t: float) -> str:
    """A parameter to be read."""
    return f"{0.0 if abs(t) < 1e-8 else t:.6g}"
