"""Functions of open domains in space, and where their rows are."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from fspielm.collocation import Lattices
from fspielm.collocation.lattices import Place, Surface
from fspielm.equations import Problem
from fspielm.equations.media import media_of
from fspielm.equations.open_domain import inner_wavenumbers, outer_wavenumbers
from fspielm.features import Basis, JoinedBasis
from fspielm.features.outward import Outward
from fspielm.features.outward.placement import Wanted
from fspielm.features.outward.space import Along, Around, Neighbourhood, basis_of, place_beside, place_in
from fspielm.geometry.space_exterior import SpaceExterior
from fspielm.solvers.stages.open_media import join_by_unknown

# Rows for each function, which are as even as can be, and places of values and slopes for each function on one side.
_ROWS_PER_FUNCTION = 1.6
_PLACES_PER_FUNCTION = 1.2
# How many more degrees than orders functions have that rows lie on rings for, and how many these are to a degree.
_FAR_MORE = 2.0
_RINGS_PER_DEGREE = 1.4


def around_bodies(problem: Problem, wanted: Wanted) -> tuple[Outward, Lattices]:
    """Functions in all objects, and in those that let waves through; rows as functions are."""
    domain = problem.domain
    assert isinstance(domain, SpaceExterior)  # as the stage found
    media, each = media_of(problem), (*outer_wavenumbers(problem), *inner_wavenumbers(problem))
    waves = [k for k in each if k is not None]
    numbers = {-1: 0} | {medium.place: number for number, medium in enumerate(media, 1)}
    parts = domain.object_parts() if media else [shape.boundary() for shape in domain.shapes]
    outward: list[list[Around | Along]] = [[] for _ in waves]
    regular: list[list[Around | Along]] = [[] for _ in waves]
    surfaces: list[Surface] = []
    for place, body in enumerate(domain.bodies):
        outer = domain.around[place]
        others = [
            other
            for other, its_outer in zip(domain.bodies, domain.around, strict=True)
            if its_outer == outer and other is not body
        ]
        inside = waves[numbers[place]] if place in numbers else 0.0
        here = wanted if outer < 0 else replace(wanted, wavenumber=abs(waves[numbers[outer]]))
        around = Neighbourhood(body, others, here, inside, _bends(problem))
        within = place_in(around)
        outward[numbers[outer]].append(within)
        rows = _ROWS_PER_FUNCTION * within.functions
        if place in numbers:
            beside = place_beside(around)
            regular[numbers[place]].append(beside)
            both = within.functions, beside.functions
            rows = max(0.5 * _ROWS_PER_FUNCTION * sum(both), _PLACES_PER_FUNCTION * max(both))
        sites, rings = _rows_of(within)
        surfaces += [Surface(part.name, sites, math.ceil(rows), rings) for part in parts[place]]
    words = f"in {len(outward[0])} objects, of degrees up to {max(each.degree for each in outward[0])}"
    bases: list[Basis] = []
    for k, own, leaving in zip(waves, regular, outward, strict=True):
        every = [*(basis_of([one], k) for one in own), *([basis_of(leaving, k)] if leaving else [])]
        bases.append(every[0] if len(every) == 1 else JoinedBasis(every))
    return Outward(join_by_unknown(bases), words), Lattices(tuple(surfaces))


def _bends(problem: Problem) -> bool:
    """Whether values and slopes occur in one condition."""
    return any(len({term.order for term in relation.operator.terms}) > 1 for relation in problem.constraints)


def _rows_of(placed: Around | Along) -> tuple[Place, int | None]:
    """Where rows are: on rings around an object along which fields vary far more than around it."""
    if isinstance(placed, Around) or placed.degree <= _FAR_MORE * placed.layer.rings.order:
        return placed.body.sites, None
    return partial(placed.body.sites_along, placed.axis), math.ceil(_RINGS_PER_DEGREE * (placed.degree + 1))
