"""Where functions of open domains in space are placed: multipoles in balls, sources in and around ellipsoids.

In a ball multipoles around its center are all that is needed, regular ones for fields inside. In an ellipsoid sources
lie on a confocal one, and around it on another: fields that come from far away continue into it up to the focal
conic, as they do in the plane.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
import scipy

from fspielm.deadline import reserve_waves
from fspielm.equations import identity
from fspielm.features.basis import Basis
from fspielm.features.local import localise
from fspielm.features.outward.confocal import Degrees, Layer, distance_of, layer_on
from fspielm.features.outward.layers import LayerBasis
from fspielm.features.outward.multipoles import MultipoleBasis
from fspielm.features.outward.placement import Wanted, distance_between, orders_at, orders_of_images
from fspielm.geometry.sites import Sites
from fspielm.geometry.space_exterior import Body

# Depth of sources in an ellipsoid, as a share of the shortest semi-axis, and from a round to the next: they make no
# field outside with a wavenumber that resonates within the surface that they are on.
_DEPTH = 0.75
_SHALLOWER = 0.95
# The same from the distance of what is close by outside.
_OF_GAP = 0.8
# Farthest that sources are around an ellipsoid, in units of its longest semi-axis.
_FARTHEST = 2.0
_FEWEST = 6.0
# Degrees beyond those that waves inside go around an object with: such a wave may resonate, which no residual tells.
_BEYOND_RESONANCES = 2.0
# Digits more for what objects without losses focus on each other.
_FOCUSED = 1.0
# Degrees that damped waves mix, for each folding between the foci.
_MIXED = 0.2
# Places on an object at which functions have size one.
_LOOKS = 300


@final
@dataclass(frozen=True, eq=False)
class Around:
    """Multipoles around the center of a ball, up to a degree; those that leave it, or regular ones."""

    body: Body
    degree: int
    regular: bool

    @property
    def functions(self) -> int:
        """How many there are."""
        return (self.degree + 1) ** 2


@final
@dataclass(frozen=True, eq=False)
class Along:
    """Sources on a confocal surface of an ellipsoid, on rings around one of its axes."""

    body: Body
    layer: Layer
    axis: int
    regular = False

    @property
    def degree(self) -> int:
        """The highest."""
        return self.layer.rings.degree

    @property
    def functions(self) -> int:
        """How many there are."""
        return self.layer.rings.size


@final
@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """What is around an object, and in it.

    Attributes
    ----------
    body : Body
    others : sequence of Body
    wanted : Wanted
    inside : complex
        The wavenumber of waves that it lets through; zero if it lets none.
    bends : bool
        Whether a condition holds for values and slopes together: then it has the singularities of the normal's length.
    """

    body: Body
    others: Sequence[Body]
    wanted: Wanted
    inside: complex = 0.0
    bends: bool = False

    @cached_property
    def source_gap(self) -> float:
        """The distance of the nearest source outside."""
        body, nearby = self.body, self.wanted.nearby
        if body.is_ball and len(nearby):
            return float(np.linalg.norm(nearby - body.center, axis=1).min() - body.semi_axes[0])
        return distance_between(body.rim, nearby)

    @cached_property
    def gap(self) -> float:
        """The distance of what is nearest."""
        return min([self.source_gap, *(_between(self.body, other) for other in self.others)])


def place_in(around: Neighbourhood) -> Around | Along:
    """Functions in an object, for the field outside."""
    body, wanted = around.body, around.wanted
    if body.is_ball:
        return _around_center(around, regular=False)
    short = float(body.semi_axes.min())
    depth = min(_DEPTH * _SHALLOWER**wanted.level, _OF_GAP * around.gap / short)
    inner = np.sqrt(body.semi_axes**2 - short**2 * depth * (2 - depth))
    degrees = _degrees(around)
    return Along(body, layer_on(body, inner, degrees, wanted.wavenumber, wanted.foldings), degrees.axis)


def place_beside(around: Neighbourhood) -> Around | Along:
    """Functions for the field inside of an object, which are regular there."""
    body, wanted = around.body, around.wanted
    if body.is_ball:
        return _around_center(around, regular=True)
    degrees, (short, _, long) = _degrees(around), np.sort(body.semi_axes)
    # so far that the fastest harmonics of their strengths are told from rounding still
    distance = distance_of(around.inside, wanted.foldings, degrees.degree / long)
    distance = min(distance, _FARTHEST * long, _OF_GAP * around.gap)
    outer = np.sqrt(body.semi_axes**2 + distance * (2 * short + distance))
    return Along(body, layer_on(body, outer, degrees, around.inside, wanted.foldings), degrees.axis)


def basis_of(placed: Sequence[Around | Along], k: complex) -> Basis:
    """The functions of all objects, on one side of them."""
    centers = [each.layer.centers if isinstance(each, Along) else each.body.center[None] for each in placed]
    counts = [len(each) for each in centers]
    orders = np.repeat([0 if isinstance(each, Along) else each.degree for each in placed], counts)
    scales = np.repeat([e.layer.scale if isinstance(e, Along) else e.body.semi_axes[0] for e in placed], counts)
    basis = MultipoleBasis(np.concatenate(centers), orders, k, scales, regular=any(each.regular for each in placed))
    if not any(isinstance(each, Along) for each in placed):
        return basis
    layers = tuple(each.layer.rings if isinstance(each, Along) else None for each in placed)
    rims = np.concatenate([each.body.rim[:: len(each.body.rim) // _LOOKS] for each in placed])
    return LayerBasis(basis, layers).scaled_at(localise(identity(3), Sites(rims)))


def _around_center(around: Neighbourhood, *, regular: bool) -> Around:
    body, radius = around.body, float(around.body.semi_axes[0])
    images = orders_of_images(radius, around.gap, around.source_gap, around.wanted)
    return Around(body, math.ceil(max(_of_waves(radius, around), images)), regular)


def _degrees(around: Neighbourhood) -> Degrees:
    """Those of strengths, around the axis that differs most from the others."""
    order = np.argsort(around.body.semi_axes)
    short, middle, long = around.body.semi_axes[order]
    degree = _along(long, around)
    if long * short < middle**2:  # flat
        return Degrees(degree, degree, int(order[0]))
    return Degrees(degree, min(_along(middle, around), degree), int(order[2]))


def _along(radius: float, around: Neighbourhood) -> int:
    """The degrees along an ellipse of the shortest semi-axis and this one."""
    wanted, short, gap = around.wanted, float(around.body.semi_axes.min()), around.gap
    needed = [_of_waves(radius, around)]
    focal = math.sqrt(radius**2 - short**2)
    if math.isfinite(gap):
        shift = gap * (2 * short + gap)
        rate = math.log((math.sqrt(radius**2 + shift) + math.sqrt(short**2 + shift)) / (radius + short))
        needed.append(orders_at(rate, radius, wanted))
    if focal and (around.bends or around.inside.imag):
        slowly = orders_at(math.log((radius + short) / focal), radius, wanted)
        mixed = math.inf if around.bends else needed[0] + _MIXED * around.inside.imag * focal
        needed.append(min(slowly, mixed))
    return math.ceil(max(needed))


def _of_waves(radius: float, around: Neighbourhood) -> float:
    """The degree beyond which a ball sees nothing of a plane wave, to the digits aimed at; theirs without waves."""
    wanted = around.wanted
    digits, ka = wanted.foldings / math.log(10), wanted.wavenumber * radius
    if around.others and around.inside and not around.inside.imag:
        digits += _FOCUSED
    resonances = around.inside.real * radius + _BEYOND_RESONANCES
    if not ka:
        return max(digits, resonances)
    reserve_waves(ka / math.pi, ka**2, 2)
    n = np.arange(math.ceil(ka), math.ceil(1.5 * ka + 3 * digits) + 1)
    sizes = np.sqrt(2 * n + 1) * np.abs(scipy.special.spherical_jn(n, ka))
    return max(float(n[np.argmax(sizes < 10.0**-digits)]), resonances, _FEWEST)


def _between(body: Body, other: Body) -> float:
    """The distance of two objects, about."""
    if body.is_ball and other.is_ball:
        return float(np.linalg.norm(body.center - other.center) - body.semi_axes[0] - other.semi_axes[0])
    return distance_between(body.rim, other.rim)
