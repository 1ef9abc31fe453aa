"""Corners of a membrane at which modes are singular, and the functions that belong to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from fspielm.equations import Problem, change_places, sides_of
from fspielm.equations.beside import SAME_PLACE, domain_size
from fspielm.features.singular import SingularBasis, Wave
from fspielm.features.special import corner_exponents, free_axis
from fspielm.geometry import Corner, PlaneCurve

# Exponents that are whole but for so much are.
_WHOLE = 1e-9
# The lowest exponent that a function may begin with, and the highest there are functions for; between curved sides,
# where every exponent brings all a whole number above.
_LEAST, _MOST, _MOST_CURVED = 0.51, 24.0, 12.0


@final
@dataclass(frozen=True)
class Wedge:
    """A corner, or a place of the boundary where one condition gives way to another.

    Attributes
    ----------
    point : (float, float)
    axis : float
        The direction opposite to the ray across which its functions jump.
    scale : float
        About the size of the domain.
    exponents : tuple of float
        Of its functions, ascending.
    turn : float or None
        Between straight sides: the angle from the axis to the first of them, from which functions are sines or cosines.
    free : bool
        Whether slopes are zero at that side, rather than values.
    sides : (int, int)
        The numbers of the curves that meet there.
    """

    point: tuple[float, float]
    axis: float
    scale: float
    exponents: tuple[float, ...]
    turn: float | None
    free: bool
    sides: tuple[int, ...]

    def functions(self, wavenumber: float, degree: float) -> SingularBasis:
        """Bessel's functions with exponents up to a degree: those that suit both sides, where these are straight."""
        k = wavenumber * self.scale
        some = [s for s in self.exponents if s <= max(degree, self.exponents[0])]
        return SingularBasis(self.point, self.axis, self.scale, [self._function(s, k) for s in some])

    def _function(self, exponent: float, k: float) -> Wave:
        if self.turn is None:
            return Wave(exponent, k, False, exponent == round(exponent))
        return Wave(exponent, k, turn=-exponent * self.turn - (0.0 if self.free else 0.5 * math.pi))


def corners_of(problem: Problem, *, changes: bool = True) -> tuple[Corner, ...]:
    """Those of the domain, and, if so wanted, places where one kind of condition gives way to the other."""
    own = problem.domain.corners([str(symbol) for symbol in problem.coordinates])
    if not changes:
        return own
    near = SAME_PLACE * domain_size(problem)  # a border of a mask that is to end at a corner may end beside it
    found = change_places(problem)
    return (*own, *(place for place in found if all(math.dist(place.point, each.point) > near for each in own)))


def wedges_of(problem: Problem, curves: Sequence[PlaneCurve]) -> tuple[Wedge, ...] | None:
    """Those at which modes are singular: at others, of straight sides, mirror images fill up the plane.

    None where slopes of modes have no squares that could be integrated along a side, or where functions would jump
    across a ray through the domain, whatever the ray.
    """
    found = []
    size = domain_size(problem)
    for corner in corners_of(problem):
        every = corner_exponents(problem, corner, _MOST if corner.straight else _MOST_CURVED)
        exponents = tuple(float(round(s)) if abs(s - round(s)) < _WHOLE else s for s in every)
        if corner.straight and all(s == round(s) for s in exponents):
            continue
        axis = free_axis(problem, corner)
        if axis is None or exponents[0] <= _LEAST:
            return None
        turn = math.remainder(corner.start + 0.5 * corner.opening - axis, 2 * math.pi) - 0.5 * corner.opening
        free = any(each.operator.order > 0 for each in sides_of(problem, corner).first)
        own = turn if corner.straight else None
        found.append(Wedge(corner.point, axis, size, exponents, own, free, _meeting(corner.point, curves, size)))
    return tuple(found)


def _meeting(point: tuple[float, float], curves: Sequence[PlaneCurve], size: float) -> tuple[int, ...]:
    """The curves that begin or end at a point."""
    return tuple(
        number
        for number, curve in enumerate(curves)
        if any(math.dist(end, point) <= SAME_PLACE * size for end in curve.ends)
    )
