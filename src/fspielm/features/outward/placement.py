"""Where functions of open domains are placed: in disks, along smooth curves, toward corners.

In a disk multipoles around its center are all that is needed. Along a smooth curve z(s), sources lie on its analytic
continuation z(s + i t) into the object: so deep that few of them do, and not as deep as the first singularity of the
field's own continuation (A. H. Barnett, T. Betcke, J. Comput. Phys. 227, 2008). Toward a corner sources and dipoles
crowd exponentially (A. Gopal, L. N. Trefethen, SIAM J. Numer. Anal. 57, 2019), and others lie along the sides, as deep
as walls and wavelengths allow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.deadline import check_deadline, reserve_waves
from fspielm.features.outward.corners import along_sides, toward_corners
from fspielm.features.outward.curves import Continuation, continue_inward
from fspielm.geometry import Corner, PlaneCurve

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
_RADIANS = 4.5
# The same from the distance of what is close by outside.
_OF_GAP = 0.8
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
    depth = min(depth, _RADIANS / (k * speed) if k else math.inf) * _SHALLOWER**wanted.level
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
