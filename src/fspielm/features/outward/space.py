"""Where functions of open domains in space are placed: multipoles in balls, sources in ellipsoids.

In a ball multipoles around its center are all that is needed. In an ellipsoid sources lie on a confocal one: fields
that come from far away continue into it up to the focal conic, as they do in the plane. Regular multipoles serve for
fields inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.features.outward.placement import Wanted, distance_between, orders_of_images
from fspielm.geometry.space_exterior import Body

# Depth of sources in an ellipsoid, as a share of the shortest semi-axis, and from a round to the next.
_DEPTH = 0.75
_SHALLOWER = 0.95
# The same from the distance of what is close by outside.
_OF_GAP = 0.8
# Of the degrees that sources stand for: how many waves of the longest semi-axis need, and how many fewer there may be.
_PER_WAVE = 0.9
_FEWER = 4.0
_FEWEST = 6.0
# Degrees for the root of how much damped waves differ in size on an ellipsoid, times the digits aimed at.
_OF_DAMPING = 0.8
# Degrees beyond those that waves inside go around an object with: such a wave may resonate, which no residual tells.
_BEYOND_RESONANCES = 2.0
# Points that an area is found by.
_LOOKS = 1000
# The golden ratio less one: turns from a source to the next, from pole to pole.
_TURN = 0.5 * (math.sqrt(5) - 1)


@final
@dataclass(frozen=True, eq=False)
class InBody:
    """Multipoles around C centers for one object.

    Attributes
    ----------
    centers : (C, 3) array
    orders : (C,) array of int
        The highest degree at each.
    scales : (C,) array
        Distances from there to the surface, about.
    """

    centers: FloatArray
    orders: NDArray[np.int_]
    scales: FloatArray

    @property
    def functions(self) -> int:
        """How many there are."""
        return int(((self.orders + 1) ** 2).sum())


def together(found: Sequence[InBody]) -> InBody:
    """The functions of several objects."""
    return InBody(*(np.concatenate([getattr(each, name) for each in found]) for name in InBody.__annotations__))


def place_in_body(body: Body, others: Sequence[Body], wanted: Wanted, inside: complex = 0.0) -> InBody:
    """Functions in an object, for the field outside; `inside` is the wavenumber of waves that it lets through."""
    if body.is_ball:
        return place_around_center(body, others, wanted, inside)
    gap = min([_source_gap(body, wanted), *(_between(body, other) for other in others)])
    return _in_ellipsoid(body, gap, wanted, inside)


def place_around_center(body: Body, others: Sequence[Body], wanted: Wanted, inside: complex = 0.0) -> InBody:
    """Multipoles around the center of an object: of a ball, or regular ones."""
    radius, source_gap = float(body.semi_axes.max()), _source_gap(body, wanted)
    gap = min([source_gap, *(_between(body, other) for other in others)])
    n = max(
        _of_waves(radius, wanted),
        orders_of_images(radius, gap, source_gap, wanted),
        inside.real * radius + _BEYOND_RESONANCES,
    )
    # where parts of the surface are closer to the center, damped waves are small, exponentially
    n += _OF_DAMPING * math.sqrt(inside.imag * float(np.ptp(body.semi_axes)) * wanted.foldings)
    return InBody(body.center[None], np.array([math.ceil(n)]), np.array([radius]))


def _of_waves(radius: float, wanted: Wanted) -> float:
    """The degree beyond which a ball sees nothing of a plane wave, to the digits aimed at; theirs without waves."""
    digits, ka = wanted.foldings / math.log(10), wanted.wavenumber * radius
    if not ka:
        return digits
    n = np.arange(math.ceil(ka), math.ceil(1.5 * ka + 3 * digits) + 1)
    sizes = np.sqrt(2 * n + 1) * np.abs(scipy.special.spherical_jn(n, ka))
    return max(float(n[np.argmax(sizes < 10.0**-digits)]), _FEWEST)


def _in_ellipsoid(body: Body, gap: float, wanted: Wanted, inside: complex) -> InBody:
    """Sources on a confocal ellipsoid."""
    short, long = float(body.semi_axes.min()), float(body.semi_axes.max())
    depth = min(_DEPTH * _SHALLOWER**wanted.level, _OF_GAP * gap / short)
    inner = np.sqrt(body.semi_axes**2 - short**2 * depth * (2 - depth))
    rate = math.log((short + long) / float(inner.min() + inner.max()))
    degree = max(
        _PER_WAVE * wanted.wavenumber * long + wanted.foldings / rate - _FEWER,
        inside.real * long + _BEYOND_RESONANCES,
        _FEWEST,
    )
    # functions are to degrees as the area is to that of a ball around it
    stretched = body.semi_axes.prod() * np.linalg.norm(_on_ball(_LOOKS) / body.semi_axes, axis=1)
    count = math.ceil((degree + 1) ** 2 * float(stretched.mean()) / long**2)
    on_ball = _on_ball(count)
    depths = np.linalg.norm(on_ball * (body.semi_axes - inner), axis=1)
    # of one scale: so they are evaluated together
    scales = np.full(count, float(np.median(depths)))
    return InBody(body.placed(on_ball, inner), np.zeros(count, dtype=np.int_), scales)


def _on_ball(count: int) -> FloatArray:
    """Points all over the unit ball, as even as can be."""
    index = np.arange(count) + 0.5
    height, turn = 2 * index / count - 1, 2 * np.pi * _TURN * index
    across = np.sqrt(1 - height**2)
    return np.column_stack([across * np.cos(turn), across * np.sin(turn), height])


def _source_gap(body: Body, wanted: Wanted) -> float:
    """The distance of the nearest source outside."""
    if body.is_ball and len(wanted.nearby):
        return float(np.linalg.norm(wanted.nearby - body.center, axis=1).min() - body.semi_axes[0])
    return distance_between(body.rim, wanted.nearby)


def _between(body: Body, other: Body) -> float:
    """The distance of two objects, about."""
    if body.is_ball and other.is_ball:
        return float(np.linalg.norm(body.center - other.center) - body.semi_axes[0] - other.semi_axes[0])
    return distance_between(body.rim, other.rim)
