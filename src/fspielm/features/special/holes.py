"""The functions that belong to the holes of a problem's domain.

Around a hole a solution need not continue into it: log r is one of Laplace's. Cosines, which are smooth everywhere,
find it hard to come close to such a solution; multipoles in the hole do not.
"""

from __future__ import annotations

import math

from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.equations.relations import has_complex_operator
from fspielm.features.basis import Basis
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
def hole_columns(problem: Problem) -> tuple[Basis, ...]:
    """Multipoles in every hole of a plane domain, for equations of second order with the Laplacian in front.

    And for systems, and equations with complex coefficients, whose determinant is made of Laplacians and numbers.
    """
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        return ()
    holes = sorted(problem.domain.hole_places(), key=lambda hole: hole.radius)[:_MOST_HOLES]
    if len(problem.unknowns) > 1 or has_complex_operator(problem.equations[0]):
        return tuple(fields for hole in holes for fields in _fields(problem, hole))
    if not is_plane(problem):
        return ()
    return tuple(
        SingularBasis(hole.center, 0.0, hole.radius, functions)
        for hole in holes
        if is_isotropic(problem, _beside(hole)) and (functions := multipoles(hole, helmholtz_ratio(problem)))
    )


def _beside(hole: Hole) -> tuple[float, float]:
    """A point on the rim, or close to it: coefficients need not be defined in the hole."""
    return hole.center[0] + hole.radius, hole.center[1]


def _orders(hole: Hole) -> int:
    """How many orders hold what the rest of the boundary mirrors into the hole: it converges geometrically."""
    closeness = math.log1p(hole.clearance / hole.radius)
    return min(max(math.ceil(_DIGITS * math.log(10) / closeness), _FEWEST_ORDERS), _MOST_ORDERS)


def _wave_orders(k: float) -> int:
    """All that waves of this length tell apart on the rim, and some that fall off from it."""
    return min(math.ceil(k + 6 * math.cbrt(k)) + _FEWEST_ORDERS, _MOST_WAVE_ORDERS)


def _fields(problem: Problem, hole: Hole) -> tuple[Basis, ...]:
    """Of a system, or with complex coefficients; none where those vary, or its determinant is not isotropic."""
    from fspielm.features.special.fields import hole_fields, laplacian_factors  # much code, for few problems

    ratios = [ratio for ratio, _ in laplacian_factors(problem) if ratio.real > 0]
    waves = [_wave_orders(math.sqrt(abs(ratio)) * hole.radius) for ratio in ratios]
    return hole_fields(problem, hole, max(_orders(hole), *waves, 0))


def multipoles(hole: Hole, ratio: float | None) -> list[CornerFunction]:
    """Those in a hole that satisfy an equation with this `helmholtz_ratio`; of Laplace's where there is none."""
    orders = _orders(hole)
    if not ratio:  # also where lower terms are there: the strongest part of the solution is the Laplacian's
        return [Power(0, 0, True), *(Power(-n) for n in range(1, orders + 1))]
    k = math.sqrt(abs(ratio)) * hole.radius
    if ratio < 0 and k > _MOST_DECAY:
        return []
    if ratio > 0:
        orders = max(orders, _wave_orders(k))
    from fspielm.features.outgoing import Outgoing

    return [Outgoing(n, k, ratio < 0) for n in range(orders + 1)]
