"""Where to place the functions of open domains in the plane: in disks, along smooth curves, toward corners."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray
from fspielm.geometry.crossings import in_ring, signed_area
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Corner
from fspielm.numerics.tolerances import ROUNDED, ROUNDING, SAME
from fspielm.resources import check_deadline, reserve_waves

Loop: TypeAlias = Sequence[PlaneCurve]

# ---- Analytic continuation of smooth closed curves into their interior

# Points on each curve from which distances are measured, and at most, where it needs more than the former.
_RIM_POINTS, _FINE = 256, 4096
# RoundPlan depths, in radians of the parameter.
_DEPTHS = np.concatenate([np.geomspace(1e-3, 0.1, 20)[:-1], np.arange(0.1, 1.0, 0.02)])


@final
@dataclass(frozen=True, eq=False)
class Continuation:
    """The curve ``z(s) = sum_m coefficients_m exp(i m s)`` for s from 0 to 2 pi, with the outside on its left."""

    modes: FloatArray  # (M,)
    coefficients: ComplexArray  # (M,)
    deepest: float  # the largest t such that z' has no zero at ``s - i t``
    speed: float  # root mean square of ``|z'|`` along the curve
    fastest: float  # largest ``|z'|`` along the curve

    def at_depth(self, depth: float, count: int) -> tuple[FloatArray, FloatArray]:
        """`count` points ``(n, 2)`` of the continued curve, evenly in s, and their distances from z(s)."""
        s = 2 * np.pi * np.arange(count) / count
        inside, on = (_sum(self.modes, self.coefficients, s, t) for t in (depth, 0.0))
        return np.column_stack([inside.real, inside.imag]), np.abs(inside - on)


def continue_inward(curve: PlaneCurve) -> Continuation | None:
    """The curve as a Fourier series; None if that converges slowly, for example near a corner."""
    count = _RIM_POINTS
    while True:
        points = curve.point(curve.t0 + (curve.t1 - curve.t0) * np.arange(count) / count)
        series = np.fft.fft(points[:, 0] + 1j * points[:, 1]) / count
        modes = np.fft.fftfreq(count, 1 / count)
        sizes = np.abs(series) * np.maximum(np.abs(modes), 1.0)
        largest = float(sizes[1:].max())
        if sizes[np.abs(modes) > 0.4 * count].max() <= ROUNDED * largest:
            break
        count *= 2
        if count > _FINE:
            return None  # a curve that needs more nearly has corners
    # drop coefficients at the level of rounding, which would grow with the depth
    last = np.abs(modes)[sizes > ROUNDING * largest].max()
    kept = (np.abs(modes) <= last) & (sizes > ROUNDING * largest)
    kept[0] = True
    modes, series = modes[kept], series[kept]
    s = 2 * np.pi * np.arange(4 * count) / (4 * count)
    speeds = np.abs(_sum(modes, 1j * modes * series, s, 0.0))
    deepest = _first_singularity(modes, series, s)
    return Continuation(modes, series, deepest, float(np.sqrt(np.mean(speeds**2))), float(speeds.max()))


def _first_singularity(modes: FloatArray, series: ComplexArray, s: FloatArray) -> float:
    """The depth of the first zero of z', where the winding number of z' changes."""
    before, windings = 0.0, _windings(_sum(modes, 1j * modes * series, s, 0.0))
    for depth in map(float, _DEPTHS):
        if _windings(_sum(modes, 1j * modes * series, s, depth)) != windings:
            return 0.5 * (before + depth)
        before = depth
    return before


def _windings(values: ComplexArray) -> int:
    steps = np.angle(np.roll(values, -1) / values)
    return round(float(steps.sum()) / (2 * np.pi))


def _sum(modes: FloatArray, series: ComplexArray, s: FloatArray, depth: float) -> ComplexArray:
    """``sum_m series_m exp(i m (s - i depth))``."""
    return np.asarray(np.exp(1j * np.outer(s, modes)) @ (series * np.exp(modes * depth)))


# ---- Sources along the sides of an object, and toward its corners

# Depth below a side, at most: shares of the radius of the largest inscribed disk and of the gap outside, and radians
# of the wave.
_SHARE_OF_WALL = 0.5
SHARE_OF_GAP = 0.8
_RADIANS_BELOW_SIDE = 3.5
# A source keeps at least this share of its depth as distance from all sides.
_CLEARANCE = 0.8
# Least distance between sources, in units of their spacing.
_APART = 0.6
# One source to a depth for this many e-foldings.
_FOLDINGS_PER_SOURCE = 2 * math.pi
# Poles toward a corner: how fast they crowd (more densely in sharp objects, down to a share), and the farthest one, in
# units of the depth beside it and of the side's length.
_CROWDING = 3.0
_SHARP, _DENSEST = 1.5, 0.45
_FARTHEST = 2.2
_SHARE_OF_SIDE = 0.4
# Sources below a side end where their depth falls to this share toward its ends; poles reach this much farther.
_SHALLOWEST = 0.35
_OVERLAP = 1.5
# Poles closer to the corner, in units of the farthest one, are inside of the object without a check.
_CLOSE = 0.1
# Number of poles: (digits - this)^2, and no fewer sources or poles than these.
_DIGITS_FREE = 2.7
_FEWEST_SOURCES = 12
# Points along a side that measure the thickness of the object.
_PER_SIDE = 80


@final
@dataclass(frozen=True, eq=False)
class Placed:
    """Functions around C centers."""

    centers: FloatArray  # (C, d)
    orders: NDArray[np.int_]  # (C,): the highest at each
    scales: FloatArray  # (C,): approximate distances from the boundary
    charged: BoolArray  # (C,): whether sources are needed there, or only dipoles and higher orders
    crowd: FloatArray  # (m, d): points toward which the rows on the boundary crowd
    strengths: FloatArray  # (m,): number of functions per distance of these points from the boundary

    @property
    def functions(self) -> int:
        """Number of functions, for waves."""
        return int((2 * self.orders + 1).sum())

    @property
    def in_words(self) -> str:
        """The number of centers and the highest order, for reports."""
        return f"around {len(self.centers)} places, of orders up to {self.orders.max()}"


def merged(found: Sequence[Placed]) -> Placed:
    """The functions of several objects together."""
    return Placed(*(np.concatenate([getattr(each, name) for each in found]) for name in Placed.__annotations__))


def _placed(points: FloatArray, order: int, depths: FloatArray, strengths: FloatArray) -> Placed:
    """Functions of one order at points of these depths, toward which rows crowd."""
    orders = np.full(len(points), order, dtype=np.int_)
    return Placed(points, orders, depths, orders == 0, points, strengths)


def along_sides(loop: Loop, k: float, gap: float, foldings: float, share: float) -> tuple[Placed, list[float]]:
    """Sources below all sides, at a share of the depth that the object's thickness and the wavelength allow.

    Also the depth below each side.
    """
    # denser toward the ends, where the next side is close
    unit = 0.5 - 0.5 * np.cos(np.pi * (np.arange(_PER_SIDE) + 0.5) / _PER_SIDE)
    places = [curve.parameter(unit) for curve in loop]
    rim = np.concatenate([curve.point(t) for curve, t in zip(loop, places, strict=True)])
    ratio = max(foldings / _FOLDINGS_PER_SOURCE, 1.0)
    points, deep, by_side = [], [], []
    for curve, t in zip(loop, places, strict=True):
        walls = np.minimum(_SHARE_OF_WALL * _inscribed_radii(curve.point(t), curve.normals(t), rim), curve.length)
        deepest = share * min(float(np.median(walls)), SHARE_OF_GAP * gap, _RADIANS_BELOW_SIDE / k if k else math.inf)
        found, depths = _below_side(curve, deepest, (unit, walls), ratio)
        points.append(found)
        deep.append(depths)
        by_side.append(deepest)
    found, depths = np.concatenate(points), np.concatenate(deep)
    clearances, _ = scipy.spatial.cKDTree(rim_of(loop, _FINE)).query(found)
    kept = (clearances >= _CLEARANCE * depths) & _is_inside(found, loop)
    found, depths = found[kept], depths[kept]
    kept = _first_of_close(found, _APART * depths / ratio)
    return _placed(found[kept], 0, depths[kept], np.full(int(kept.sum()), ratio)), by_side


def _below_side(
    curve: PlaneCurve, deepest: float, walls: tuple[FloatArray, FloatArray], ratio: float
) -> tuple[FloatArray, FloatArray]:
    """Sources below one side, `ratio` of them per depth, up to where the poles toward its ends take over."""
    fine = (np.arange(_FINE) + 0.5) / _FINE
    depth = np.minimum(np.interp(fine, *walls), deepest)
    number = np.cumsum(ratio * curve.length / (_FINE * depth))
    at = np.interp(np.arange(0.5, number[-1]), number, fine)
    depth = np.interp(at, fine, depth)
    at, depth = at[depth >= _SHALLOWEST * deepest], depth[depth >= _SHALLOWEST * deepest]
    t = curve.parameter(at)
    return curve.point(t) + depth[:, None] * curve.normals(t), depth


def toward_corners(loop: Loop, corners: Sequence[Corner], by_side: Sequence[float], digits: float) -> Placed:
    """Poles that crowd exponentially toward every corner, beside sources of these depths."""
    number = max((digits - _DIGITS_FREE) ** 2, _FEWEST_SOURCES)
    points, depths, strengths = [np.empty((0, 2))], [np.empty(0)], [np.empty(0)]
    starts = np.array([curve.ends[0] for curve in loop])
    for corner in corners:
        after = int(np.argmin(np.hypot(*(starts - corner.point).T)))
        adjacent = (after - 1, after)
        # opposite to the bisector of the domain, into the object
        away = corner.start + 0.5 * corner.opening + math.pi
        half = math.pi - 0.5 * corner.opening
        # denser between sides that are close to each other
        crowding = _CROWDING * min(max(_SHARP * math.tan(half), _DENSEST), 1.0) if half < 0.5 * math.pi else _CROWDING
        count = math.ceil(number * (_CROWDING / crowding) ** 2)
        # at least to where the sources below the sides end in a thin object
        least = max(_FARTHEST, _OVERLAP * _SHALLOWEST / (_SHARE_OF_WALL * math.tan(0.5 * half)) if half < 1.0 else 0.0)
        farthest = min(
            least * max(by_side[side] for side in adjacent), *(_SHARE_OF_SIDE * loop[s].length for s in adjacent)
        )
        index = np.arange(1, count + 1)
        distances = farthest * np.exp(-crowding * (np.sqrt(count) - np.sqrt(index)))
        found = np.array(corner.point) + distances[:, None] * np.array([math.cos(away), math.sin(away)])
        kept = _is_inside(found, loop) | (distances < _CLOSE * farthest)
        points.append(found[kept])
        # the distance from the sides in a sharp object
        sine = math.sin(min(half, 0.5 * math.pi))
        depths.append(distances[kept] * sine)
        # each has three functions and is seen from two sides
        strengths.append((3 * np.sqrt(index) / crowding * sine)[kept])
    return _placed(np.concatenate(points), 1, np.concatenate(depths), np.concatenate(strengths))


def _inscribed_radii(points: FloatArray, normals: FloatArray, rim: FloatArray) -> FloatArray:
    """Radii of the largest disks inside that touch the boundary at `points` and contain no point of its `rim`."""
    check_deadline()
    apart = rim[None, :, :] - points[:, None, :]
    ahead = np.einsum("ijk,ik->ij", apart, normals)
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.sum(apart**2, axis=2) / (2 * ahead)
    return np.asarray(np.where(ahead > 1e-12, radii, np.inf).min(axis=1))


def _first_of_close(points: FloatArray, apart: FloatArray) -> BoolArray:
    """Mask without the points that are closer to an earlier one than `apart`, as below two sides at their corner."""
    kept = np.ones(len(points), dtype=np.bool_)
    for first, second in sorted(scipy.spatial.cKDTree(points).query_pairs(float(apart.max()))):
        if kept[first] and math.dist(points[first], points[second]) < apart[second]:
            kept[second] = False
    return kept


def _is_inside(points: FloatArray, loop: Loop) -> BoolArray:
    """Whether points lie on the right of the loop, as a polygon; unreliable very close to its sides."""
    unit = np.linspace(0.0, 1.0, 4 * _PER_SIDE + 1)[:-1]
    rim = np.concatenate([curve.point(curve.parameter(unit[:1] if curve.straight else unit)) for curve in loop])
    enclosed = in_ring(points, rim)
    return ~enclosed if signed_area(rim) > 0 else enclosed


# ---- Placement
# A disk only needs multipoles around its center. Along a smooth curve z(s), sources lie on its analytic continuation
# z(s + i t) into the object: so deep that few suffice, but above the first singularity of the field's own continuation
# (A. H. Barnett, T. Betcke, J. Comput. Phys. 227, 2008). Toward a corner, sources and dipoles crowd exponentially
# (A. Gopal, L. N. Trefethen, SIAM J. Numer. Anal. 57, 2019); other sources lie along the sides, as deep as the object's
# thickness and the wavelength allow.

FEWEST_ORDERS = 6
# The images of others are smaller than the field itself by this logarithm.
_SMALL = 5.0
# Orders of a first round, at most, beyond the wavenumber times the radius.
_MOST_ORDERS = 400
# Rows crowd on a circle as if sources were this many spacings away.
_SPACINGS = 4.0
# Depth of sources along a curve, at most: in units of the first singularity's depth, and in radians of the wave.
_SHARE_OF_SINGULARITY = 0.6
_RADIANS_ALONG_CURVE = 4.5
# From one level to the next: the factor of the depth, and additional digits.
_SHALLOWER = 0.75
_DIGITS_MORE = 2.0


@final
@dataclass(frozen=True)
class Effort:
    """Requirements for one object."""

    held: float  # the highest frequency of data on it to be resolved, if above that of the waves
    level: int = 0  # how many earlier rounds were insufficient
    inside: float = 0.0  # the wavenumber inside, where waves may resonate along the boundary


@final
@dataclass(frozen=True, eq=False)
class Wanted:
    """How accurately functions must represent fields.

    Attributes
    ----------
    wavenumber : float
        Wavenumber, or rate of decay, of the fields.
    digits : float
    level : int
        How many earlier rounds were insufficient.
    nearby : (m, d) array
        Sources of the fields outside.
    period : float or None
        The distance of copies of all objects along the first axis.
    efforts : tuple of Effort
        Requirements of each object, if they differ.
    inside : float
        The wavenumber on the other side of the boundary. Fields that are faster along it decay on both sides and do not
        resonate.
    """

    wavenumber: float
    digits: float
    level: int = 0
    nearby: FloatArray = field(default_factory=lambda: np.empty((0, 2)))
    period: float | None = None
    efforts: tuple[Effort, ...] = ()
    inside: float = 0.0

    @property
    def foldings(self) -> float:
        """The requested digits as a natural logarithm."""
        return math.log(10) * (self.digits + _DIGITS_MORE * self.level)

    def of(self, number: int) -> Wanted:
        """The requirements for one object."""
        if not self.efforts:
            return self
        own = self.efforts[number]
        return replace(self, wavenumber=max(self.wavenumber, own.held), level=own.level, inside=own.inside)

    def reserve(self, rim: FloatArray, loop: Loop) -> None:
        """Raise `MemoryBudgetError` if there are too many waves around an object."""
        across, around = float(np.ptp(rim, axis=0).max()), sum(curve.length for curve in loop)
        reserve_waves(self.wavenumber * across / (2 * math.pi), self.wavenumber * around / math.pi, 1)

    def among(self, numbers: Sequence[int]) -> Wanted:
        """The requirements for the objects with these numbers, renumbered."""
        return replace(self, efforts=tuple(self.efforts[number] for number in numbers)) if self.efforts else self


def place_in(
    loops: Sequence[Loop], corners: Sequence[Corner], wanted: Wanted, wall: Sequence[Loop] = ()
) -> list[Placed]:
    """Place functions in each object; boundaries have the domain on their left. A wall may surround all objects."""
    rims = [rim_of(loop) for loop in loops]
    shifts = [] if wanted.period is None else [-wanted.period, wanted.period]
    copies = [rim + np.array([shift, 0.0]) for rim in rims for shift in shifts]
    found = []
    for number, loop in enumerate(loops):
        outside = np.concatenate([wanted.nearby, *copies, *(rim for other, rim in enumerate(rims) if other != number)])
        own = [corner for corner in corners if _is_vertex(corner.point, loop)]
        gap = min(distance_between(rims[number], outside), _gap_of_images(rims[number], wall))
        its = wanted.of(number)
        its.reserve(rims[number], loop)
        circle = None if own else _as_circle(rims[number])
        if circle is None:
            found.append(_right_of_loop(loop, own, gap, its))
        else:
            found.append(_in_disk(*circle, gap, distance_between(rims[number], its.nearby), its))
    return found


def place_around(loop: Loop, corners: Sequence[Corner], wanted: Wanted, others: Sequence[Loop] = ()) -> Placed:
    """Place sources outside of one object, for the field inside; others lie within it or next to it."""
    reverse = [curve.reversed() for curve in reversed(loop)]
    reflex = [
        replace(corner, start=corner.start + corner.opening, opening=2 * math.pi - corner.opening)
        for corner in corners
        if _is_vertex(corner.point, loop)
    ]
    rim = rim_of(loop)
    wanted.reserve(rim, loop)
    gap = min(distance_between(rim, wanted.nearby), _gap_of_images(rim, others))
    return _right_of_loop(reverse, reflex, gap, wanted)


def _right_of_loop(loop: Loop, corners: Sequence[Corner], gap: float, wanted: Wanted) -> Placed:
    continued = continue_inward(loop[0]) if len(loop) == 1 and not corners else None
    if continued is not None:
        return _along_curve(continued, gap, wanted)
    sides, by_side = along_sides(loop, wanted.wavenumber, gap, wanted.foldings, _SHALLOWER**wanted.level)
    return merged([sides, toward_corners(loop, corners, by_side, wanted.digits + wanted.level)])


def orders_of_images(radius: float, gap: float, source_gap: float, wanted: Wanted) -> float:
    """The orders that the images of others in a disk or a ball need, given the gaps to objects and to sources."""
    # an image of another disk of the same size, and one of a point
    rates = [math.acosh(1 + gap / (2 * radius))] if math.isfinite(gap) else []
    rates += [math.log1p(source_gap / radius)] if math.isfinite(source_gap) else []
    return max((orders_at(rate, radius, wanted) for rate in rates), default=0.0)


def orders_at(rate: float, radius: float, wanted: Wanted) -> float:
    """The orders that images need whose coefficients fall at this logarithmic rate."""
    return 0.5 * wanted.wavenumber * radius + (wanted.foldings - _SMALL) / rate


def _in_disk(center: FloatArray, radius: float, gap: float, source_gap: float, wanted: Wanted) -> Placed:
    """Multipoles around the center of a disk, where the images of others converge geometrically."""
    ka = wanted.wavenumber * radius
    digits = wanted.foldings / math.log(10)
    waves = ka + 0.5 * digits ** (2 / 3) * math.cbrt(ka) * 1.9 + digits if ka else digits
    orders = min(max(waves, orders_of_images(radius, gap, source_gap, wanted)), _MOST_ORDERS + ka)
    orders /= _SHALLOWER**wanted.level  # images just below the surface converge slowly
    m = max(math.ceil(orders), math.ceil(wanted.inside * radius), FEWEST_ORDERS)
    count = 2 * m + 1
    spacing = 2 * math.pi * radius / count
    spacings = min(_SPACINGS, 0.9 * radius / spacing)
    depth = spacings * spacing
    angles = 2 * np.pi * np.arange(count) / count
    ring = center + (radius - depth) * np.column_stack([np.cos(angles), np.sin(angles)])
    return Placed(center[None, :], np.array([m]), np.array([radius]), np.array([True]), ring, np.full(count, spacings))


def _along_curve(curve: Continuation, gap: float, wanted: Wanted) -> Placed:
    """Sources on the continuation of a smooth curve."""
    k, speed = wanted.wavenumber, curve.speed
    depth = min(_SHARE_OF_SINGULARITY * curve.deepest, SHARE_OF_GAP * gap / speed)
    depth = min(depth, _RADIANS_ALONG_CURVE / (k * speed) if k else math.inf) * _SHALLOWER**wanted.level
    fastest = k * curve.fastest
    count = max(fastest + wanted.foldings / depth, _FEWEST_SOURCES)
    count = math.ceil(max(count, 2 * wanted.inside * curve.fastest))
    points, depths = curve.at_depth(depth, count)
    return _placed(points, 0, depths, np.full(count, depth * count / (2 * np.pi)))


def rim_of(loop: Loop, per_curve: int = _RIM_POINTS) -> FloatArray:
    """Points around an object, ``(n, 2)``."""
    unit = (np.arange(per_curve) + 0.5) / per_curve
    return np.concatenate([curve.point(curve.parameter(unit)) for curve in loop])


def _gap_of_images(rim: FloatArray, others: Sequence[Loop]) -> float:
    """Distance from a closed curve of the images that it and others make of each other.

    Images accumulate where curves approach each other, as between circles, at the root of distance times radius.
    """
    if not others:
        return math.inf
    radius = 0.25 * float(np.ptp(rim, axis=0).sum())
    return math.sqrt(radius * distance_between(rim, np.concatenate([rim_of(loop) for loop in others])))


def distance_between(rim: FloatArray, others: FloatArray) -> float:
    """The least distance of points on an object from other points; infinite if there are none."""
    if not len(others):
        return math.inf
    check_deadline()
    return float(scipy.spatial.cKDTree(others).query(rim)[0].min())


def _as_circle(rim: FloatArray) -> tuple[FloatArray, float] | None:
    """Center and radius if the points lie on a circle, otherwise None."""
    x, y = rim.T
    solved, *_ = np.linalg.lstsq(np.column_stack([2 * rim, np.ones(len(rim))]), x**2 + y**2, rcond=None)
    center = solved[:2]
    radii = np.hypot(*(rim - center).T)
    return (center, float(radii.mean())) if np.ptp(radii) <= 1e-11 * radii.mean() else None


def _is_vertex(point: tuple[float, float], loop: Loop) -> bool:
    return any(math.dist(point, curve.ends[0]) <= SAME * (1 + curve.length) for curve in loop)
