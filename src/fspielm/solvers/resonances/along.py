"""Waves that are bound to surfaces: how short they are.

Where a condition ties values and slopes together, or the flux changes its sign between two media, as at a metal's,
there are waves along a surface that fall off away from it. They may be much shorter than all others.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

import numpy as np

from fspielm.arrays import ComplexArray
from fspielm.equations import Problem, Relation
from fspielm.equations.media import media_of
from fspielm.equations.two_sided import two_sided
from fspielm.solvers.resonances.rational import rational
from fspielm.solvers.resonances.rectangle import Rectangle

# Places on a part that are looked at.
_LOOKS = 16
# To which rational functions go through the flux.
_THROUGH = 1e-9


def fastest_along(problem: Problem, waves: Sequence[complex]) -> float:
    """The highest wavenumber of waves along surfaces, as if these were flat; zero if there are none.

    Parameters
    ----------
    problem : Problem
    waves : sequence of complex
        Wavenumbers outside of the objects, and inside of those that have fields.
    """
    stated = two_sided(problem)
    bound = [_bound_by(relation, waves) for relation in stated.constraints]
    for number, medium in enumerate(media_of(problem), 1):
        if medium.flux.real < 0:
            outer, inner, square = waves[medium.around], waves[number], medium.flux**2
            bound.append(math.inf if square == 1 else abs(cmath.sqrt((outer**2 - square * inner**2) / (1 - square))))
    return max(bound, default=0.0)


def gathering_place(rectangle: Rectangle, places: ComplexArray, fluxes: ComplexArray) -> complex | None:
    """Where in a rectangle the flux of a medium, known at places on its sides, is minus that around it; or None.

    Waves along its surface are of all lengths there, and resonances without end gather.
    """
    if np.any(fluxes == -1):
        return complex(places[np.flatnonzero(fluxes == -1)[0]])
    poles = rational(places, 1 / (1 + fluxes[:, None]), _THROUGH).poles
    inside = poles[rectangle.contains(poles)]
    return complex(inside[0]) if len(inside) else None


def _bound_by(relation: Relation, waves: Sequence[complex]) -> float:
    """Of a condition on one field: it falls off from the surface as the ratio of slopes and values says."""
    terms = relation.operator.terms
    unknowns, orders = {term.unknown for term in terms}, {term.order for term in terms}
    if len(unknowns) > 1 or orders != {0, 1}:
        return 0.0
    (unknown,) = unknowns
    sites = relation.sample(_LOOKS, np.random.default_rng(0), "low-discrepancy")  # only looks
    value, slope = np.zeros(len(sites), dtype=np.complex128), np.zeros(len(sites), dtype=np.complex128)
    assert sites.normals is not None  # as on every boundary
    for term in terms:
        if term.order == 0:
            value += term.at(sites)
        else:
            slope += term.at(sites) * sites.normals[:, term.orders.index(1)]
    rates = -value[slope != 0] / slope[slope != 0]
    bound = rates[rates.real > 0]
    return float(np.max(np.abs(np.sqrt(waves[unknown] ** 2 + bound**2)), initial=0.0))
