"""Where functions of open domains are placed in the plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Corner
from fspielm.resources import check_deadline, reserve_waves

# ---- Smooth closed curves, continued into what they go around

# Points along the curve, at first and at most: a curve that needs more has corners, nearly.
_FEWEST, _MOST = 64, 4096
# Of Fourier coefficients: what counts as rounding, and what the last ones must have come down to.
_ROUNDING = 1e-15
_RESOLVED = 1e-12
# Depths that are tried, in radians of the parameter.
_DEPTHS = np.concatenate([np.geomspace(1e-3, 0.1, 20)[:-1], np.arange(0.1, 1.0, 0.02)])


@final
@dataclass(frozen=True, eq=False)
class Continuation:
    """``z(s) = sum_m coefficients_m exp(i m s)`` for s from 0 to 2 pi, with the outside on its left.

    Attributes
    ----------
    modes, coefficients : (M,) arrays
    deepest : float
        How far below zero the imaginary part of s may go before z' has a zero.
    speed, fastest : float
        ``|z'|`` along the curve: root mean square, and largest.
    """

    modes: FloatArray
    coefficients: ComplexArray
    deepest: float
    speed: float
    fastest: float

    def at_depth(self, depth: float, count: int) -> tuple[FloatArray, FloatArray]:
        """So many points ``(n, 2)`` of the continued curve, evenly in s, and their distances from z(s)."""
        s = 2 * np.pi * np.arange(count) / count
        inside, on = (_sum(self.modes, self.coefficients, s, t) for t in (depth, 0.0))
        return np.column_stack([inside.real, inside.imag]), np.abs(inside - on)


def continue_inward(curve: PlaneCurve) -> Continuation | None:
    """The curve as a Fourier series; None where that does not converge fast, as beside a corner."""
    count = _FEWEST
    while True:
        points = curve.point(curve.t0 + (curve.t1 - curve.t0) * np.arange(count) / count)
        series = np.fft.fft(points[:, 0] + 1j * points[:, 1]) / count
        modes = np.fft.fftfreq(count, 1 / count)
        sizes = np.abs(series) * np.maximum(np.abs(modes), 1.0)
        largest = float(sizes[1:].max())
        if sizes[np.abs(modes) > 0.4 * count].max() <= _RESOLVED * largest:
            break
        count *= 2
        if count > _MOST:
            return None
    # what is rounding would grow like the rest
    last = np.abs(modes)[sizes > _ROUNDING * largest].max()
    kept = (np.abs(modes) <= last) & (sizes > _ROUNDING * largest)
    kept[0] = True
    modes, series = modes[kept], series[kept]
    s = 2 * np.pi * np.arange(4 * count) / (4 * count)
    speeds = np.abs(_sum(modes, 1j * modes * series, s, 0.0))
    deepest = _first_singularity(modes, series, s)
    return Continuation(modes, series, deepest, float(np.sqrt(np.mean(speeds**2))), float(speeds.max()))


def _first_singularity(modes: FloatArray, series: ComplexArray, s: FloatArray) -> float:
    """How deep the first zero of z' lies: from there on, z' turns another number of times."""
    before, turns = 0.0, _turns(_sum(modes, 1j * modes * series, s, 0.0))
    for depth in _DEPTHS:
        if _turns(_sum(modes, 1j * modes * series, s, float(depth))) != turns:
            return 0.5 * (before + float(depth))
        before = float(depth)
    return before


def _turns(values: ComplexArray) -> int:
    steps = np.angle(np.roll(values, -1) / values)
    return round(float(steps.sum()) / (2 * np.pi))


def _sum(modes: FloatArray, series: ComplexArray, s: FloatArray, depth: float) -> ComplexArray:
    """``sum_m series_m exp(i m (s - i depth))``."""
    return np.asarray(np.exp(1j * np.outer(s, modes)) @ (series * np.exp(modes * depth)))


# ---- Sources along the sides of an object, and toward its corners

# Depth below a side: of the largest disk that touches it from inside, in radians of the wave, and of the gap outside.
_OF_WALL = 0.5
_RADIANS = 3.5
_OF_GAP = 0.8
# A source may be closer than that to another side, but not much.
_CLEAR = 0.8
# In units of their spacing, how close to each other sources may be.
_APART = 0.6
# Sources to a depth: so many foldings of what their spacing leaves.
_FOLDINGS_PER = 2 * math.pi
# Of poles toward a corner: how fast they crowd, and the farthest one, in units of the depth beside it.
_CROWDING = 3.0
_SHARP, _DENSEST = 1.5, 0.45
_FARTHEST = 2.2
_OF_SIDE = 0.4
# Below a side, depth falls toward its ends down to this share of what it is; so much farther poles reach.
_SHALLOWEST = 0.35
_OVERLAP = 1.5
# In units of the farthest one: poles that are closer to the corner need not be looked at.
_CLOSE = 0.1
# Their number for the digits that are wanted: (digits - some)^2.
_DIGITS_FREE = 2.7
_FEWEST_POLES = 12
# Points along a side that its wall is told by.
_PER_SIDE = 80
# The same for their density.
_FINE = 4000


@final
@dataclass(frozen=True, eq=False)
class Inside:
    """Points ``(n, 2)`` in an object, how deep they are ``(n,)``, and the depth below each of its sides.

    And how many functions there are to a depth, along the boundary.
    """

    points: FloatArray
    depths: FloatArray
    strengths: FloatArray
    by_side: tuple[float, ...] = ()


def along_sides(loop: Sequence[PlaneCurve], k: float, gap: float, foldings: float, share: float) -> Inside:
    """Sources below all sides: as deep as walls and wavelengths allow, times a share of that."""
    # denser toward the ends, where the next side is close
    unit = 0.5 - 0.5 * np.cos(np.pi * (np.arange(_PER_SIDE) + 0.5) / _PER_SIDE)
    places = [curve.parameter(unit) for curve in loop]
    rim = np.concatenate([curve.point(t) for curve, t in zip(loop, places, strict=True)])
    ratio = max(foldings / _FOLDINGS_PER, 1.0)
    points, deep, by_side = [], [], []
    for curve, t in zip(loop, places, strict=True):
        walls = np.minimum(_OF_WALL * _touching(curve.point(t), curve.normals(t), rim), curve.length)
        deepest = share * min(float(np.median(walls)), _OF_GAP * gap, _RADIANS / k if k else math.inf)
        found, depths = _below(curve, deepest, (unit, walls), ratio)
        points.append(found)
        deep.append(depths)
        by_side.append(deepest)
    found, depths = np.concatenate(points), np.concatenate(deep)
    kept = (_clearance(found, loop) >= _CLEAR * depths) & _is_inside(found, loop)
    found, depths = found[kept], depths[kept]
    kept = _first_of_pairs(found, _APART * depths / ratio)
    return Inside(found[kept], depths[kept], np.full(int(kept.sum()), ratio), tuple(by_side))


def _below(
    curve: PlaneCurve, deepest: float, walls: tuple[FloatArray, FloatArray], ratio: float
) -> tuple[FloatArray, FloatArray]:
    """Sources below one side, `ratio` of them to a depth, up to where poles toward its ends take over."""
    fine = (np.arange(_FINE) + 0.5) / _FINE
    depth = np.minimum(np.interp(fine, *walls), deepest)
    number = np.cumsum(ratio * curve.length / (_FINE * depth))
    at = np.interp(np.arange(0.5, number[-1]), number, fine)
    depth = np.interp(at, fine, depth)
    at, depth = at[depth >= _SHALLOWEST * deepest], depth[depth >= _SHALLOWEST * deepest]
    t = curve.parameter(at)
    return curve.point(t) + depth[:, None] * curve.normals(t), depth


def toward_corners(loop: Sequence[PlaneCurve], corners: Sequence[Corner], sides: Inside, digits: float) -> Inside:
    """Poles that crowd exponentially toward every corner."""
    number = max((digits - _DIGITS_FREE) ** 2, _FEWEST_POLES)
    points, depths, strengths = [np.empty((0, 2))], [np.empty(0)], [np.empty(0)]
    starts = np.array([curve.ends[0] for curve in loop])
    for corner in corners:
        after = int(np.argmin(np.hypot(*(starts - corner.point).T)))
        beside = (after - 1, after)
        # away from the middle of the domain, into the object
        away = corner.start + 0.5 * corner.opening + math.pi
        half = math.pi - 0.5 * corner.opening
        # between sides that are close to each other they are denser
        crowding = _CROWDING * min(max(_SHARP * math.tan(half), _DENSEST), 1.0) if half < 0.5 * math.pi else _CROWDING
        count = math.ceil(number * (_CROWDING / crowding) ** 2)
        # as far as where sources below the sides end, for which walls are too thin
        least = max(_FARTHEST, _OVERLAP * _SHALLOWEST / (_OF_WALL * math.tan(0.5 * half)) if half < 1.0 else 0.0)
        farthest = min(
            least * max(sides.by_side[side] for side in beside), *(_OF_SIDE * loop[s].length for s in beside)
        )
        index = np.arange(1, count + 1)
        distances = farthest * np.exp(-crowding * (np.sqrt(count) - np.sqrt(index)))
        found = np.array(corner.point) + distances[:, None] * np.array([math.cos(away), math.sin(away)])
        kept = _is_inside(found, loop) | (distances < _CLOSE * farthest)
        points.append(found[kept])
        # from the sides, of an object that is sharp
        sine = math.sin(min(half, 0.5 * math.pi))
        depths.append(distances[kept] * sine)
        # three functions each, seen from two sides
        strengths.append((3 * np.sqrt(index) / crowding * sine)[kept])
    return Inside(np.concatenate(points), np.concatenate(depths), np.concatenate(strengths))


def _touching(points: FloatArray, normals: FloatArray, rim: FloatArray) -> FloatArray:
    """Radii of the disks that touch the boundary from inside at `points`, and no other point of its `rim`."""
    check_deadline()
    apart = rim[None, :, :] - points[:, None, :]
    ahead = np.einsum("ijk,ik->ij", apart, normals)
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.sum(apart**2, axis=2) / (2 * ahead)
    return np.asarray(np.where(ahead > 1e-12, radii, np.inf).min(axis=1))


def _first_of_pairs(points: FloatArray, apart: FloatArray) -> BoolArray:
    """Without points that are closer to an earlier one than they should be, as below two sides at their corner."""
    from scipy.spatial import cKDTree  # imported here: it takes long, and few need it

    kept = np.ones(len(points), dtype=np.bool_)
    for one, other in sorted(cKDTree(points).query_pairs(float(apart.max()))):
        if kept[one] and math.dist(points[one], points[other]) < apart[other]:
            kept[other] = False
    return kept


def _clearance(points: FloatArray, loop: Sequence[PlaneCurve]) -> FloatArray:
    """Distances from the boundary."""
    from scipy.spatial import cKDTree  # imported here: it takes long, and few need it

    unit = np.linspace(0.0, 1.0, 40 * _PER_SIDE)
    rim = np.concatenate([curve.point(curve.parameter(unit)) for curve in loop])
    return np.asarray(cKDTree(rim).query(points)[0], dtype=np.float64)


def _is_inside(points: FloatArray, loop: Sequence[PlaneCurve]) -> BoolArray:
    """Whether points lie on the right of the loop, by the crossings of a ray; those close to its sides aside."""
    unit = np.linspace(0.0, 1.0, 4 * _PER_SIDE + 1)[:-1]
    rim = np.concatenate([curve.point(curve.parameter(unit[:1] if curve.straight else unit)) for curve in loop])
    (x0, y0), (x1, y1) = rim.T, np.roll(rim, -1, axis=0).T
    x, y = points[:, :1], points[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    within = np.asarray(np.sum(crossed, axis=1) % 2 == 1)
    # on the right of the loop, whichever way it goes around
    goes_around = float(np.sum(x0 * y1 - x1 * y0)) > 0
    return ~within if goes_around else within


# ---- Where functions of open domains are placed: in disks, along smooth curves, toward corners
# In a disk multipoles around its center are all that is needed. Along a smooth curve z(s), sources lie on its analytic
# continuation z(s + i t) into the object: so deep that few of them do, and not as deep as the first singularity of the
# field's own continuation (A. H. Barnett, T. Betcke, J. Comput. Phys. 227, 2008). Toward a corner sources and dipoles
# crowd exponentially (A. Gopal, L. N. Trefethen, SIAM J. Numer. Anal. 57, 2019), and others lie along the sides, as
# deep as walls and wavelengths allow.

# Of a disk: orders beyond those that waves of its size have, for each digit, where nothing is close by.
_FEWEST_ORDERS = 6
# Images of others are so much smaller than the field itself, as a logarithm.
_SMALL = 5.0
# As many as a first round has at most.
_MOST_ORDERS = 400
# Rows crowd on a circle as if sources were so many spacings away.
_SPACINGS = 4.0
# Depth of sources along a curve: in units of the first singularity's, and in radians of the wave.
_OF_SINGULARITY = 0.6
_RADIANS_PLACEMENT = 4.5
# The same from the distance of what is close by outside.
# Deepest, where nothing bounds it.
_DEEPEST = 0.8
# Sources to a wavelength, at least.
_PER_WAVELENGTH = 2.4
_FEWEST_SOURCES = 12
# Points around an object that distances are told by.
_AROUND = 256
# From a round to the next: how much less deep, and how many more digits are aimed at, as far as there are such.
_SHALLOWER = 0.75
_DIGITS_MORE = 2.0
_MOST_DIGITS = 17.0


@final
@dataclass(frozen=True, eq=False)
class Placed:
    """Functions around C centers.

    Attributes
    ----------
    centers : (C, d) array
    orders : (C,) array of int
        The highest at each.
    scales : (C,) array
        Distances from there to the boundary, about.
    charged : (C,) array of bool
        Whether sources are needed there, rather than dipoles and what is of higher order alone.
    crowd : (m, d) array
        Where sources would be that the boundary's rows should suit.
    strengths : (m,) array
        How many functions there are to the distance of these from the boundary.
    """

    centers: FloatArray
    orders: NDArray[np.int_]
    scales: FloatArray
    charged: BoolArray
    crowd: FloatArray
    strengths: FloatArray

    @property
    def functions(self) -> int:
        """How many there are, of waves."""
        return int((2 * self.orders + 1).sum())

    @property
    def in_words(self) -> str:
        """How many there are, and of what orders."""
        return f"around {len(self.centers)} places, of orders up to {self.orders.max()}"


@final
@dataclass(frozen=True)
class Effort:
    """What is made of one object.

    Attributes
    ----------
    held : float
        Up to which frequency data on it are held, where these are faster than waves.
    level : int
        How often it was not enough.
    inside : float
        The wavenumber of waves in it, which resonances along its boundary may have.
    """

    held: float
    level: int = 0
    inside: float = 0.0


@final
@dataclass(frozen=True, eq=False)
class Wanted:
    """How well fields are to be held.

    Attributes
    ----------
    wavenumber : float
        Of the waves, or as steep as fields fall off.
    digits : float
    level : int
        How often it was not enough.
    nearby : (m, d) array
        Where fields come from: sources outside.
    period : float or None
        The distance of copies of all objects along the first axis.
    efforts : tuple of Effort
        Of each object, where they are not the same for all.
    inside : float
        The wavenumber on the other side of its boundary: faster fields along it fall off on both, and none resonates.
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
        """The digits aimed at, as a logarithm."""
        most = max(_MOST_DIGITS, self.digits)
        return math.log(10) * min(self.digits + _DIGITS_MORE * self.level, most)

    def of(self, number: int) -> Wanted:
        """What is wanted of one object."""
        if not self.efforts:
            return self
        own = self.efforts[number]
        return replace(self, wavenumber=max(self.wavenumber, own.held), level=own.level, inside=own.inside)

    def reserve(self, rim: FloatArray, loop: Sequence[PlaneCurve]) -> None:
        """Raise `MemoryBudgetError` where waves around an object are too many."""
        across, around = float(np.ptp(rim, axis=0).max()), sum(curve.length for curve in loop)
        reserve_waves(self.wavenumber * across / (2 * math.pi), self.wavenumber * around / math.pi, 1)

    def among(self, numbers: Sequence[int]) -> Wanted:
        """What is wanted of some objects, by their numbers from now on."""
        return replace(self, efforts=tuple(self.efforts[number] for number in numbers)) if self.efforts else self


def merged(found: Sequence[Placed]) -> Placed:
    """Functions of several objects together."""
    return Placed(*(np.concatenate([getattr(each, name) for each in found]) for name in Placed.__annotations__))


Loop: TypeAlias = Sequence[PlaneCurve]


def place_in(
    loops: Sequence[Loop], corners: Sequence[Corner], wanted: Wanted, wall: Sequence[Loop] = ()
) -> list[Placed]:
    """Functions in each object, whose boundary has the domain on its left; all may lie within a wall."""
    rims = [rim_of(loop) for loop in loops]
    shifts = [] if wanted.period is None else [-wanted.period, wanted.period]
    copies = [rim + np.array([shift, 0.0]) for rim in rims for shift in shifts]
    found = []
    for number, loop in enumerate(loops):
        outside = np.concatenate([wanted.nearby, *copies, *(rim for other, rim in enumerate(rims) if other != number)])
        own = [corner for corner in corners if _is_on(corner.point, loop)]
        gap = min(distance_between(rims[number], outside), _gap_of_images(rims[number], wall))
        wanted.of(number).reserve(rims[number], loop)
        found.append(_in_object(loop, rims[number], own, gap, wanted.of(number)))
    return found


def place_around(loop: Loop, corners: Sequence[Corner], wanted: Wanted, others: Sequence[Loop] = ()) -> Placed:
    """Sources outside of one object, for the field inside; others lie within it, or beside it."""
    turned = [curve.reversed() for curve in reversed(loop)]
    opened = [
        replace(corner, start=corner.start + corner.opening, opening=2 * math.pi - corner.opening)
        for corner in corners
        if _is_on(corner.point, loop)
    ]
    rim = rim_of(loop)
    wanted.reserve(rim, loop)
    gap = min(distance_between(rim, wanted.nearby), _gap_of_images(rim, others))
    return _beside_curves(turned, opened, gap, wanted)


def _in_object(
    loop: Sequence[PlaneCurve], rim: FloatArray, corners: Sequence[Corner], gap: float, wanted: Wanted
) -> Placed:
    circle = _as_circle(rim)
    if circle is not None and not corners:
        return _in_disk(*circle, gap, distance_between(rim, wanted.nearby), wanted)
    return _beside_curves(loop, corners, gap, wanted)


def _beside_curves(loop: Sequence[PlaneCurve], corners: Sequence[Corner], gap: float, wanted: Wanted) -> Placed:
    """Functions on the right of a loop."""
    continued = continue_inward(loop[0]) if len(loop) == 1 and not corners else None
    if continued is not None:
        return _along_curve(continued, gap, wanted)
    sides = along_sides(loop, wanted.wavenumber, gap, wanted.foldings, _SHALLOWER**wanted.level)
    poles = toward_corners(loop, corners, sides, wanted.digits + wanted.level)
    centers = np.concatenate([sides.points, poles.points])
    orders = np.concatenate([np.zeros(len(sides.points), dtype=np.int_), np.ones(len(poles.points), dtype=np.int_)])
    depths, strengths = (np.concatenate([getattr(e, n) for e in (sides, poles)]) for n in ("depths", "strengths"))
    return Placed(centers, orders, depths, orders == 0, centers, strengths)


def orders_of_images(radius: float, gap: float, source_gap: float, wanted: Wanted) -> float:
    """The orders that what others mirror into a disk, or a ball, needs: at a gap, sources among them."""
    # images of another disk of the same size, and of a point
    rates = [math.acosh(1 + gap / (2 * radius))] if math.isfinite(gap) else []
    rates += [math.log1p(source_gap / radius)] if math.isfinite(source_gap) else []
    return max((orders_at(rate, radius, wanted) for rate in rates), default=0.0)


def orders_at(rate: float, radius: float, wanted: Wanted) -> float:
    """The orders that something small needs whose share falls at a rate from each to the next."""
    return 0.5 * wanted.wavenumber * radius + (wanted.foldings - _SMALL) / rate


def _in_disk(center: FloatArray, radius: float, gap: float, source_gap: float, wanted: Wanted) -> Placed:
    """Multipoles around the center: what others mirror into the disk converges geometrically."""
    ka = wanted.wavenumber * radius
    digits = wanted.foldings / math.log(10)
    waves = ka + 0.5 * digits ** (2 / 3) * math.cbrt(ka) * 1.9 + digits if ka else digits
    orders = min(max(waves, orders_of_images(radius, gap, source_gap, wanted)), _MOST_ORDERS + ka)
    # what is close below the surface converges as slowly as along a curve
    orders /= _SHALLOWER**wanted.level
    m = max(math.ceil(orders), math.ceil(wanted.inside * radius), _FEWEST_ORDERS)
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
    depth = min(_OF_SINGULARITY * curve.deepest, _DEEPEST, _OF_GAP * gap / speed)
    depth = min(depth, _RADIANS_PLACEMENT / (k * speed) if k else math.inf) * _SHALLOWER**wanted.level
    fastest = k * curve.fastest
    count = max(fastest + wanted.foldings / depth, _PER_WAVELENGTH * fastest, _FEWEST_SOURCES)
    count = math.ceil(max(count, 2 * wanted.inside * curve.fastest))
    points, depths = curve.at_depth(depth, count)
    spacings = np.full(count, depth * count / (2 * np.pi))
    return Placed(points, np.zeros(count, dtype=np.int_), depths, np.ones(count, dtype=np.bool_), points, spacings)


def rim_of(loop: Sequence[PlaneCurve]) -> FloatArray:
    """Points around an object, ``(n, 2)``."""
    unit = (np.arange(_AROUND) + 0.5) / _AROUND
    return np.concatenate([curve.point(curve.parameter(unit)) for curve in loop])


def _gap_of_images(rim: FloatArray, others: Sequence[Loop]) -> float:
    """How far from a closed curve the images are that it and others make of each other.

    Between curves that run along each other images move away; they gather where these approach, as between circles, at
    the root of distance times radius.
    """
    if not others:
        return math.inf
    radius = 0.25 * float(np.ptp(rim, axis=0).sum())
    return math.sqrt(radius * distance_between(rim, np.concatenate([rim_of(loop) for loop in others])))


def distance_between(rim: FloatArray, others: FloatArray) -> float:
    """The least one of points on an object from others; infinite without any."""
    if not len(others):
        return math.inf
    check_deadline()
    from scipy.spatial import cKDTree  # imported here: it takes long, and few need it

    return float(cKDTree(others).query(rim)[0].min())


def _as_circle(rim: FloatArray) -> tuple[FloatArray, float] | None:
    """Center and radius of a circle; None of what is none."""
    # what is the same everywhere is the circle's through some of its points
    x, y = rim.T
    solved, *_ = np.linalg.lstsq(np.column_stack([2 * rim, np.ones(len(rim))]), x**2 + y**2, rcond=None)
    center = solved[:2]
    radii = np.hypot(*(rim - center).T)
    return (center, float(radii.mean())) if np.ptp(radii) <= 1e-11 * radii.mean() else None


def _is_on(point: tuple[float, float], loop: Sequence[PlaneCurve]) -> bool:
    return any(math.dist(point, curve.ends[0]) <= 1e-9 * (1 + curve.length) for curve in loop)
