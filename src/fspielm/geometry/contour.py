"""The whole boundary of a plane shape: loops, area, winding numbers, membership."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, IndexArray, SideArray, positions_in_runs
from fspielm.errors import ProblemError
from fspielm.geometry.crossings import find_crossing
from fspielm.geometry.curves import (
    MOST_PIECES,
    Pieces,
    PlaneCurve,
    cross,
    cubic,
    cubic_breaks,
    dot,
    join_pieces,
    pieces_of,
    straight_pieces,
)
from fspielm.geometry.domain import rounding_slack
from fspielm.numerics.roots import Antiderivative, antiderivative, minimum, subdivide
from fspielm.numerics.tolerances import CLOSE, ITERATIONS, SAME

# ---- Winding numbers


class _Columns(NamedTuple):
    """Contiguous arrays ``(m,)`` of pieces: chord directions, ends, how far pieces reach from their chords, boxes."""

    ex: FloatArray
    ey: FloatArray
    x0: FloatArray
    y0: FloatArray
    x1: FloatArray
    y1: FloatArray
    reach: FloatArray
    left: FloatArray
    right: FloatArray
    low: FloatArray
    high: FloatArray


@final
@dataclass(frozen=True, eq=False)
class Winding:
    """Winding numbers of closed boundaries about points.

    The closed curve equals the closed polygon of its pieces' chords plus, for each piece, the loop along the piece and
    back along its chord. A ray to the right finds the winding number of the polygon. That of a loop is nonzero only
    between chord and piece; the cubic of the piece tells, or the exact curve for points very close to it.
    Points closer to a curve than `slack` lie on it.
    """

    curves: Sequence[PlaneCurve]
    pieces: Pieces
    slack: float

    def locate(self, points: FloatArray) -> tuple[NDArray[np.int64], BoolArray]:
        """Winding numbers about points ``(n, 2)``, and which of the points lie on the boundary."""
        number = np.zeros(len(points), dtype=np.int64)
        on = np.zeros(len(points), dtype=np.bool_)
        for which, k in self._pairs(points):
            self._add(points, which, k, number, on)
        return number, on

    def _add(
        self, points: FloatArray, which: IndexArray, k: IndexArray, number: NDArray[np.int64], on: BoolArray
    ) -> None:
        """Add the contributions of pieces `k` to the points `which`."""
        pieces, columns = self.pieces, self._columns
        ex, ey, x0, y0, y1 = columns.ex, columns.ey, columns.x0[k], columns.y0[k], columns.y1[k]
        x, y = points[which, 0], points[which, 1]
        v = ex[k] * (y - y0) - ey[k] * (x - x0)
        # a point level with an end, or on a level chord, counts as just above it
        left = (v > 0) | ((v == 0) & (ex[k] > 0))
        turns = ((y0 <= y) & (y < y1) & left).astype(np.int64) - ((y1 <= y) & (y < y0) & ~left)
        near = np.flatnonzero(np.abs(v) <= columns.reach[k])
        u = ex[k[near]] * (x - x0)[near] + ey[k[near]] * (y - y0)[near]
        close = (u >= -self.slack) & (u <= pieces.length[k[near]] + self.slack)
        near, u = near[close], u[close]
        gap, touches = self._gap(k[near], u, v[near])
        within = (u >= 0) & (u <= pieces.length[k[near]])
        turns[near] += np.where(within, (gap > 0).astype(np.int64) - left[near], 0)
        on[which[near[touches]]] = True
        number += np.bincount(which, weights=turns, minlength=len(points)).astype(np.int64)

    def _gap(self, k: IndexArray, u: FloatArray, v: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Distances to the left of pieces `k` of points with these chord coordinates, and which points lie on them."""
        pieces = self.pieces
        length, (first, last) = pieces.length[k], pieces.slopes[:, k]
        gap = v - length * cubic(np.clip(u / length, 0.0, 1.0), first, last)
        slope = np.zeros_like(gap)
        doubtful = (np.abs(gap) <= pieces.doubt[k] + 2 * self.slack) & (pieces.doubt[k] > 0)
        for number in np.unique(pieces.curve[k[doubtful]]):
            here = np.flatnonzero(doubtful & (pieces.curve[k] == number))
            exact, slope[here] = self._solve(self.curves[number], k[here], u[here])
            gap[here] = v[here] - exact
        beyond = np.maximum(np.maximum(-u, u - length), 0.0)
        return gap, np.hypot(beyond, gap / np.hypot(1.0, slope)) <= self.slack

    def _solve(self, curve: PlaneCurve, k: IndexArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Find v and dv/du where the exact curve has the chord coordinate `u`, by Newton's method."""
        pieces, ex, ey = self.pieces, self._columns.ex[k], self._columns.ey[k]
        length, t0, t1 = pieces.length[k], pieces.t0[k], pieces.t1[k]
        u = np.clip(u, 0.0, length)
        s = u / length
        linear = t0 + (t1 - t0) * s
        mean = (t1 - t0) / length
        t = np.clip(linear + length * cubic(s, pieces.rates[0, k] - mean, pieces.rates[1, k] - mean), t0, t1)
        v, slope = np.empty_like(u), np.empty_like(u)
        active = np.arange(len(u))
        for _ in range(ITERATIONS):
            off = curve.point(t[active]) - pieces.start[k[active]]
            tangent = curve.tangent(t[active])
            cos, sin = ex[active], ey[active]
            forward = cos * tangent[:, 0] + sin * tangent[:, 1]
            slope[active] = (cos * tangent[:, 1] - sin * tangent[:, 0]) / forward
            missing = u[active] - (cos * off[:, 0] + sin * off[:, 1])
            # extrapolate linearly over what is missing; the error is quadratic
            v[active] = cos * off[:, 1] - sin * off[:, 0] + slope[active] * missing
            t[active] = np.clip(t[active] + missing / forward, t0[active], t1[active])
            active = active[missing**2 > 0.01 * self.slack * length[active]]
            if len(active) == 0:
                break
        return v, slope

    def _pairs(self, points: FloatArray) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Points and pieces, as indices, without pieces clearly above, below or left of the point."""
        columns, (first, pieces, low, high, height) = self._columns, self._bands
        x, y = points[:, 0], points[:, 1]
        reachable = np.flatnonzero((y >= low) & (y <= high) & (x >= columns.left.min()) & (x <= columns.right.max()))
        band = np.minimum(((y[reachable] - low) / height).astype(np.intp), len(first) - 2)
        count = first[band + 1] - first[band]
        total = np.cumsum(count)
        begin = 0
        while begin < len(reachable):
            done = total[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(total, done + MOST_PIECES, side="right")))
            counts = count[begin:end]
            k = pieces[np.repeat(first[band[begin:end]], counts) + positions_in_runs(counts)]
            which = np.repeat(reachable[begin:end], counts)
            begin = end
            relevant = (y[which] >= columns.low[k]) & (y[which] <= columns.high[k]) & (x[which] <= columns.right[k])
            yield which[relevant], k[relevant]

    @cached_property
    def _bands(self) -> tuple[IndexArray, IndexArray, float, float, float]:
        """Level bands of equal height, and the pieces that reach into each: ``pieces[first[b] : first[b + 1]]``."""
        lows, highs = self._columns.low, self._columns.high
        low, high = float(lows.min()), float(highs.max())
        # up to four bands per piece, while pieces reach into about eight bands or fewer on average
        most = 8 * len(lows) * (high - low) / float(np.sum(highs - lows))
        bands = int(np.clip(most, 1, 4 * len(lows)))
        height = (high - low) / bands
        begin = np.clip(((lows - low) / height).astype(np.intp) - 1, 0, bands - 1)
        end = np.clip(((highs - low) / height).astype(np.intp) + 1, 0, bands - 1)
        counts = end - begin + 1
        piece = np.repeat(np.arange(len(counts)), counts)
        band = np.repeat(begin, counts) + positions_in_runs(counts)
        order = np.argsort(band, kind="stable")
        first = np.searchsorted(band[order], np.arange(bands + 1))
        return first, piece[order], low, high, height

    @cached_property
    def _columns(self) -> _Columns:
        pieces = self.pieces
        vectors = (pieces.along, pieces.start, pieces.end)
        ex, ey, x0, y0, x1, y1 = (column.copy() for vector in vectors for column in vector.T)
        reach = pieces.bulge + 2 * self.slack
        left, right = np.minimum(x0, x1) - reach, np.maximum(x0, x1) + reach
        return _Columns(
            ex, ey, x0, y0, x1, y1, reach, left, right, np.minimum(y0, y1) - reach, np.maximum(y0, y1) + reach
        )


# ---- Contours: closed loops of curves


@final
@dataclass(frozen=True, eq=False)
class Contour:
    """Closed loops of curves with the interior on their left."""

    curves: tuple[PlaneCurve, ...]  # loop by loop, each beginning where the one before it ends
    what: str  # the bounded shape, for messages

    @cached_property
    def area(self) -> float:
        """The enclosed area, by Green's theorem; negative if the interior is on the right."""
        ends = self._ends - self._middle
        straight = np.array([curve.straight for curve in self.curves])
        triangles = 0.5 * cross(ends[straight, 0], ends[straight, 1])
        return math.fsum([*triangles.tolist(), *(green.total for green in self._green.values())])

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the curves, ``(lower, upper)``."""
        corners = self._ends.reshape(-1, 2)
        lower, upper = corners.min(axis=0), corners.max(axis=0)
        grids = {number: subdivide(green.edges, 16) for number, green in self._green.items()}
        points = {number: self.curves[number].point(grid) for number, grid in grids.items()}
        for seen in points.values():
            lower, upper = np.minimum(lower, seen.min(axis=0)), np.maximum(upper, seen.max(axis=0))
        for number, grid in grids.items():
            curve, seen = self.curves[number], points[number]
            # between two neighbouring points a curve deviates by at most about half their distance
            beyond = np.hypot(*np.diff(seen, axis=0).T).max()
            for axis in range(2):
                if seen[:, axis].min() - beyond < lower[axis]:
                    lower[axis] = min(lower[axis], extreme(curve, axis, 1.0, grid))
                if seen[:, axis].max() + beyond > upper[axis]:
                    upper[axis] = max(upper[axis], -extreme(curve, axis, -1.0, grid))
        return lower, upper

    @cached_property
    def loops(self) -> tuple[tuple[int, ...], ...]:
        """The loops, as the numbers of their curves."""
        loops: list[tuple[int, ...]] = []
        first = 0
        for number, (_, end) in enumerate(self._ends):
            if math.dist(end, self._ends[first, 0]) <= self._tolerance:
                loops.append(tuple(range(first, number + 1)))
                first = number + 1
                continue
            following = self._ends[number + 1, 0] if number + 1 < len(self.curves) else self._ends[first, 0]
            gap = math.dist(end, following)
            if gap > self._tolerance or number + 1 == len(self.curves):
                raise ProblemError(
                    f"{self.what}: the curves of its boundary must form closed loops; curve {number} ends at "
                    f"({end[0]:.6g}, {end[1]:.6g}), which is {gap:.3g} from where the next one begins"
                )
        return tuple(loops)

    @property
    def grids(self) -> tuple[FloatArray, ...]:
        """Parameters along each curve, dense enough to resolve all its turns."""
        ends = [np.array([curve.t0, curve.t1]) for curve in self.curves]
        return tuple(self._green[i].edges if i in self._green else ends[i] for i in range(len(ends)))

    @cached_property
    def winding(self) -> Winding:
        """Winding numbers of all loops together."""
        return Winding(self.curves, self.pieces, rounding_slack(True, *self.box[0], *self.box[1]))

    @cached_property
    def pieces(self) -> Pieces:
        """The loops in short pieces, each piece beginning exactly where the one before it ends."""
        ends = self._ends.copy()
        for loop in self.loops:
            ends[loop[:-1], 1] = ends[loop[1:], 0]
            ends[loop[-1], 1] = ends[loop[0], 0]
        straight = np.array([number for number, curve in enumerate(self.curves) if curve.straight], dtype=np.intp)
        t0, t1 = (np.array([getattr(self.curves[i], name) for i in straight]) for name in ("t0", "t1"))
        grids = self.grids
        breaks = {i: cubic_breaks(self.curves[i], grids[i], self.size, self.noise) for i in self._green}
        curved = [pieces_of(self.curves[i], i, breaks[i], ends[i]) for i in self._green]
        return join_pieces([straight_pieces(straight, t0, t1, ends[straight]), *curved])

    @cached_property
    def _ends(self) -> FloatArray:
        """First and last point of every curve ``(m, 2, 2)``."""
        return np.array([curve.ends for curve in self.curves])

    @cached_property
    def _green(self) -> dict[int, Antiderivative]:
        """For each curve that is not straight: the area that the ray from the middle sweeps along the curve."""
        return {number: self._swept(curve) for number, curve in enumerate(self.curves) if not curve.straight}

    def _swept(self, curve: PlaneCurve) -> Antiderivative:
        def integrand(t: FloatArray) -> FloatArray:
            x, y = (curve.point(t) - self._middle).T
            dx, dy = curve.tangent(t).T
            return np.asarray(0.5 * (x * dy - y * dx), dtype=np.float64)

        speed = float(np.abs(curve.tangent(_coarse_grid(curve))).max())
        noise = 4 * self.noise * speed
        return antiderivative(integrand, curve.t0, curve.t1, what=f"{self.what}: curve", noise=noise)

    @cached_property
    def _rough_box(self) -> tuple[FloatArray, FloatArray]:
        points = [curve.point(_coarse_grid(curve)) for curve in self.curves if not curve.straight]
        every = np.concatenate([self._ends.reshape(-1, 2), *points])
        return every.min(axis=0), every.max(axis=0)

    @cached_property
    def _middle(self) -> FloatArray:
        return 0.5 * (self._rough_box[0] + self._rough_box[1])

    @cached_property
    def size(self) -> float:
        """Approximately the greater of the extents along the axes."""
        return float(np.max(self._rough_box[1] - self._rough_box[0]))

    @cached_property
    def noise(self) -> float:
        """Rounding error of points."""
        return float(np.finfo(np.float64).eps) * float(np.max(np.abs(self._rough_box)))

    @cached_property
    def _tolerance(self) -> float:
        return SAME * self.size + 64 * self.noise


def contour_of(curves: Sequence[PlaneCurve], what: str) -> Contour:
    """The contour of some curves; refuses those that do not form closed loops."""
    contour = Contour(tuple(curves), what)
    _ = contour.loops
    return contour


def _coarse_grid(curve: PlaneCurve) -> FloatArray:
    return np.linspace(curve.t0, curve.t1, 33)


def extreme(curve: PlaneCurve, axis: int, sign: float, grid: FloatArray) -> float:
    """The least coordinate along an axis, times `sign`; the grid resolves every turn of the curve."""
    return minimum(lambda t: sign * curve.point(t)[:, axis], lambda t: sign * curve.tangent(t)[:, axis], grid)


# ---- Checks of closed parametric curves

# Odd, so that a curve with many lobes does not look the same at all trial parameters.
TRIALS = 1023


def check_values(curve: PlaneCurve, what: str) -> None:
    """Refuse a curve that is not finite, does not close, or lies on a line."""
    t = np.linspace(curve.t0, curve.t1, TRIALS)
    points = curve.point(t)
    bad = ~np.isfinite(points).all(axis=1)
    if np.any(bad):
        at = int(np.argmax(bad))
        raise ProblemError(f"{what} must be finite; it is at {_point_text(points[at])} for t = {t[at]:.6g}")
    size = float(np.max(np.ptp(points, axis=0)))
    gap = math.dist(points[0], points[-1])
    if gap > SAME * size:
        raise ProblemError(
            f"{what} must close; it begins at {_point_text(points[0])} for t = {t[0]:.6g} and ends at "
            f"{_point_text(points[-1])} for t = {t[-1]:.6g}, a gap of {gap:.6g}"
        )
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[1] <= SAME * spread[0] or size == 0:
        raise ProblemError(f"{what} must enclose an area; its points lie on a line")
    tangents = curve.tangent(t)
    bad = ~np.isfinite(tangents).all(axis=1)
    if np.any(bad):
        at = int(np.argmax(bad))
        raise ProblemError(
            f"{what} must have a finite derivative; at t = {t[at]:.6g} it is {_point_text(tangents[at])}"
        )
    _ = curve.length  # refuses curves that are infinite between these parameters


def check_simple(contour: Contour, what: str) -> None:
    """Refuse a loop that stops, jumps, turns an undeclared corner, or meets itself."""
    for curve, grid in zip(contour.curves, contour.grids, strict=True):
        _check_speed(curve, subdivide(grid, 16), what)
        _check_smoothness(curve, subdivide(grid, 4), contour, what)
    crossing = find_crossing(contour.curves, contour.pieces, contour.size, contour.noise)
    if crossing is not None:
        (one, t), (_, s) = crossing
        place = contour.curves[one].point(np.array([t]))[0]
        raise ProblemError(
            f"{what} must not cross or touch itself; it does at {_point_text(place, contour.size)}, "
            f"for t = {_parameter_text(t)} and again for t = {_parameter_text(s)}"
        )


def _check_speed(curve: PlaneCurve, grid: FloatArray, what: str) -> None:
    """Refuse a curve that stops: it would have no direction there, and no normal."""

    def speed(t: FloatArray) -> FloatArray:
        return np.asarray(np.hypot(*curve.tangent(t).T), dtype=np.float64)

    speeds = speed(grid)
    padded = np.concatenate([[np.inf], speeds, [np.inf]])
    slow = speeds < 0.1 * speeds.mean()  # the grid is dense enough to see every stop
    dips = np.flatnonzero(slow & (speeds <= padded[:-2]) & (speeds <= padded[2:]))
    if len(dips) == 0:
        return
    low, high = grid[np.maximum(dips - 1, 0)], grid[np.minimum(dips + 1, len(grid) - 1)]
    for _ in range(120):  # ternary search
        third = (high - low) / 3
        falling = speed(low + third) > speed(high - third)
        low, high = np.where(falling, low + third, low), np.where(falling, high, high - third)
    slowest = np.minimum(speed(0.5 * (low + high)), speeds[dips])
    if slowest.min() <= SAME * speeds.mean():
        at = int(np.argmin(slowest))
        t = 0.5 * (low + high)[at]
        raise ProblemError(
            f"{what} must have a direction everywhere; its derivative vanishes at t = {_parameter_text(t)}, "
            f"where it is at {_point_text(curve.point(np.array([t]))[0], 1.0)}"
        )


def _check_smoothness(curve: PlaneCurve, grid: FloatArray, contour: Contour, what: str) -> None:
    """Refuse a curve that jumps, or turns a corner within, where it has no normal."""
    size = contour.size
    # derivatives lose digits far from the origin
    least_turn = CLOSE + 1e4 * contour.noise / size

    def jumps(low: FloatArray, high: FloatArray) -> FloatArray:
        return np.asarray(np.hypot(*(curve.point(high) - curve.point(low)).T) / size, dtype=np.float64)

    def turns(low: FloatArray, high: FloatArray) -> FloatArray:
        before, after = curve.tangent(low), curve.tangent(high)
        return np.abs(np.arctan2(cross(before, after), dot(before, after)))

    t, jump = _steepest_change(jumps, grid)
    if jump > CLOSE:
        raise ProblemError(f"{what} must be continuous; at t = {_parameter_text(t)} it jumps by {jump * size:.6g}")
    t, turn = _steepest_change(turns, grid)
    if turn > least_turn:
        raise ProblemError(
            f"{what} turns a corner at t = {_parameter_text(t)}; list it between the ends of parameter, as in "
            f"parameter=(..., {t:.15g}, ...)"
        )


def _steepest_change(change: Callable[[FloatArray, FloatArray], FloatArray], grid: FloatArray) -> tuple[float, float]:
    """Where a function changes most over the shortest step, and by how much: almost zero for a smooth function."""
    low, high = grid[:-1], grid[1:]
    for _ in range(44):
        middle = 0.5 * (low + high)
        first = change(low, middle) >= change(middle, high)
        low, high = np.where(first, low, middle), np.where(first, middle, high)
    found = change(low, high)
    at = int(np.argmax(found))
    return float(0.5 * (low + high)[at]), float(found[at])


def _point_text(point: FloatArray, size: float = 0.0) -> str:
    """A point as text, zero up to rounding shown as 0."""
    x, y = (0.0 if abs(c) < 1e-8 * size else float(c) for c in point)
    return f"({x:.6g}, {y:.6g})"


def _parameter_text(t: float) -> str:
    """A parameter as text."""
    return f"{0.0 if abs(t) < 1e-8 else t:.6g}"


# ---- Rasters: membership of many points

_CELLS = 2**18  # approximately


class Raster(NamedTuple):
    """Square cells ``(nx, ny)`` over a plane shape: 1 inside, -1 outside, 0 near the boundary."""

    lower: FloatArray
    cell: float
    side: SideArray

    def contains(self, points: FloatArray, decide: Callable[[FloatArray], BoolArray]) -> BoolArray:
        """Mask of the points ``(n, 2)`` in the shape; `decide` tests those near the boundary."""
        first, second = (
            np.clip((points[:, axis] - self.lower[axis]) / self.cell, 0, count - 1).astype(np.intp)
            for axis, count in enumerate(self.side.shape)
        )
        side = self.side.ravel().take(first * self.side.shape[1] + second)
        held: BoolArray = side > 0
        near = np.flatnonzero(side == 0)
        held[near] = decide(points[near])
        return held


def raster_of(contour: Contour, decide: Callable[[FloatArray], BoolArray]) -> Raster:
    """The raster of the shape within a contour; `decide` tells which points far from the contour lie in it."""
    lower, upper = contour.box
    cell = float(np.sqrt(np.prod(upper - lower) / _CELLS))
    # two rings of cells around the shape
    lower = lower - 2 * cell
    free = np.ones((np.ceil((upper - lower) / cell) + 2).astype(int), dtype=np.bool_)
    # boundary points, half a cell apart along the chords of its pieces: every boundary point is within a cell of one
    pieces = contour.pieces
    counts = np.ceil(2 * pieces.length / cell).astype(np.intp) + 1
    k = np.repeat(np.arange(len(counts)), counts)
    s = positions_in_runs(counts) / (counts[k] - 1)
    u, v = pieces.length[k] * s, pieces.length[k] * cubic(s, *pieces.slopes[:, k])
    (x, y), (ex, ey) = pieces.start[k].T, pieces.along[k].T
    places = ((np.column_stack([x + u * ex - v * ey, y + u * ey + v * ex]) - lower) / cell).astype(np.intp)
    for step in np.ndindex(3, 3):
        free[tuple((places + step - 1).T)] = False
    # along a row, all cells between two boundary cells lie on the same side
    begins = free & ~np.pad(free, ((0, 0), (1, 0)))[:, :-1]
    inside = decide(lower + cell * (np.argwhere(begins) + 0.5))
    run = np.cumsum(begins).reshape(free.shape) - 1
    return Raster(lower, cell, np.where(free, np.where(inside[run], 1, -1), 0).astype(np.int8))
