"""The functions that belong to the holes of a problem's domain.

Around a hole a solution need not continue into it: log r is one of Laplace's. Cosines, which are smooth everywhere,
find it hard to come close to such a solution; multipoles in the hole do not.
"""

from __future__ import annotations

import math

from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.features.outgoing import Outgoing
from fspielm.features.singular import CornerFunction, Power, SingularBasis
from fspielm.features.special.corners import helmholtz_ratio, is_isotropic, is_plane
from fspielm.geometry import Hole

# Of what the rest of the boundary mirrors into a hole: as many orders of multipoles as these take, within bounds
# however far or close it is.
_DIGITS = 12.0
_FEWEST_ORDERS, _MOST_ORDERS = 8, 60
# Waves that are short beside a hole take more, up to so many.
_MOST_WAVE_ORDERS = 200
# The smallest holes have multipoles, so many of them at most.
_MOST_HOLES = 24
# K decays within a fraction of the hole's radius: nothing then reaches into the domain that cosines could not hold.
_MOST_DECAY = 20.0


@once
def hole_columns(problem: Problem) -> tuple[SingularBasis, ...]:
    """Multipoles in every hole of a plane domain, for equations of second order with the Laplacian in front."""
    if not is_plane(problem):
        return ()
    holes = sorted(problem.domain.hole_places(), key=lambda hole: hole.radius)[:_MOST_HOLES]
    return tuple(
        SingularBasis(hole.center, 0.0, hole.radius, functions)
        for hole in holes
        if is_isotropic(problem, _beside(hole)) and (functions := _multipoles(problem, hole))
    )


def _beside(hole: Hole) -> tuple[float, float]:
    """A point on the rim, or close to it: coefficients need not be defined in the hole."""
    return hole.center[0] + hole.radius, hole.center[1]


def _multipoles(problem: Problem, hole: Hole) -> list[CornerFunction]:
    # what the rest of the boundary mirrors into the hole converges like a geometric series
    ratio, closeness = helmholtz_ratio(problem), math.log1p(hole.clearance / hole.radius)
    orders = min(max(math.ceil(_DIGITS * math.log(10) / closeness), _FEWEST_ORDERS), _MOST_ORDERS)
    if not ratio:  # also where lower terms are there: the strongest part of the solution is the Laplacian's
        return [Power(0, 0, True), *(Power(-n) for n in range(1, orders + 1))]
    k = math.sqrt(abs(ratio)) * hole.radius
    if ratio < 0 and k > _MOST_DECAY:
        return []
    if ratio > 0:  # all that waves of this length tell apart on the rim, and some that fall off from it
        orders = max(orders, min(math.ceil(k + 6 * math.cbrt(k)) + _FEWEST_ORDERS, _MOST_WAVE_ORDERS))
    return [Outgoing(n, k, ratio < 0) for n in range(orders + 1)]
