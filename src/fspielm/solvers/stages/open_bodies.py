"""Functions of open domains in space, and where their rows are."""

from __future__ import annotations

import math
from dataclasses import replace

from fspielm.collocation import Lattices
from fspielm.collocation.lattices import Surface
from fspielm.equations import Problem
from fspielm.equations.media import media_of
from fspielm.equations.open_domain import inner_wavenumbers, outer_wavenumbers
from fspielm.features import Basis, JoinedBasis
from fspielm.features.outward import MultipoleBasis, Outward
from fspielm.features.outward.placement import Wanted
from fspielm.features.outward.space import InBody, place_around_center, place_in_body, together
from fspielm.geometry.space_exterior import SpaceExterior
from fspielm.solvers.stages.open_media import join_by_unknown

# Rows for each function, which are as even as can be, and places of values and slopes for each function on one side.
_ROWS_PER_FUNCTION = 1.6
_PLACES_PER_FUNCTION = 1.2


def around_bodies(problem: Problem, wanted: Wanted) -> tuple[Outward, Lattices]:
    """Functions in all objects, and in those that let waves through; rows as functions are."""
    domain = problem.domain
    assert isinstance(domain, SpaceExterior)  # as the stage found
    media, each = media_of(problem), (*outer_wavenumbers(problem), *inner_wavenumbers(problem))
    waves = [k for k in each if k is not None]
    numbers = {-1: 0} | {medium.place: number for number, medium in enumerate(media, 1)}
    parts = domain.object_parts() if media else [shape.boundary() for shape in domain.shapes]
    outward: list[list[InBody]] = [[] for _ in waves]
    regular: list[list[Basis]] = [[] for _ in waves]
    surfaces: list[Surface] = []
    for place, body in enumerate(domain.bodies):
        around = domain.around[place]
        others = [
            other
            for other, outer in zip(domain.bodies, domain.around, strict=True)
            if outer == around and other is not body
        ]
        inside = [waves[numbers[place]]] if place in numbers else []
        here = wanted if around < 0 else replace(wanted, wavenumber=abs(waves[numbers[around]]))
        outward[numbers[around]].append(place_in_body(body, others, here, *inside))
        functions = outward[numbers[around]][-1].functions
        rows = _ROWS_PER_FUNCTION * functions
        for k in inside:
            within = place_around_center(body, others, here, k)
            regular[numbers[place]].append(_basis(within, k, regular=True))
            both = functions, within.functions
            rows = max(0.5 * _ROWS_PER_FUNCTION * sum(both), _PLACES_PER_FUNCTION * max(both))
        surfaces += [(part.name, body.sites, math.ceil(rows)) for part in parts[place]]
    words = f"around {sum(len(found.centers) for found in outward[0])} places, of degrees up to "
    words += str(max(int(found.orders.max()) for found in outward[0]))
    bases: list[Basis] = []
    for k, own, leaving in zip(waves, regular, outward, strict=True):
        every = [*own, *([_basis(together(leaving), k)] if leaving else [])]
        bases.append(every[0] if len(every) == 1 else JoinedBasis(every))
    return Outward(join_by_unknown(bases), words), Lattices(tuple(surfaces))


def _basis(placed: InBody, k: complex, *, regular: bool = False) -> Basis:
    return MultipoleBasis(placed.centers, placed.orders, k, placed.scales, regular=regular)
