"""Functions of open domains in space, and where their rows are."""

from __future__ import annotations

import math

from fspielm.collocation import Lattices
from fspielm.collocation.lattices import Surface
from fspielm.equations import Problem
from fspielm.equations.open_domain import inner_wavenumber, outer_wavenumbers
from fspielm.features import Basis, Component, JoinedBasis
from fspielm.features.outward import MultipoleBasis, Outward, WithinBasis
from fspielm.features.outward.placement import Wanted
from fspielm.features.outward.space import InBody, place_around_center, place_in_body, together
from fspielm.geometry.space_exterior import SpaceExterior

# Rows for each function, which are as even as can be, and places of values and slopes for each function on one side.
_ROWS_PER_FUNCTION = 1.6
_PLACES_PER_FUNCTION = 1.2


def around_bodies(problem: Problem, wanted: Wanted) -> tuple[Outward, Lattices]:
    """Functions in all objects, and in those that let waves through; rows as functions are."""
    domain = problem.domain
    assert isinstance(domain, SpaceExterior)  # as the stage found
    (k,), found = outer_wavenumbers(problem), inner_wavenumber(problem)
    inside = () if found is None else (found,)
    outer: list[InBody] = []
    inner: list[Basis] = []
    surfaces: list[Surface] = []
    for shape, body in zip(domain.shapes, domain.bodies, strict=True):
        others = [other for other in domain.bodies if other is not body]
        outer.append(place_in_body(body, others, wanted, *inside))
        rows = _ROWS_PER_FUNCTION * outer[-1].functions
        for number in inside:
            within = place_around_center(body, others, wanted, number)
            own = _basis(within, number, regular=True)
            inner.append(WithinBasis(own, shape) if others else own)
            both = outer[-1].functions, within.functions
            rows = max(0.5 * _ROWS_PER_FUNCTION * sum(both), _PLACES_PER_FUNCTION * max(both))
        surfaces += [(part.name, body.sites, math.ceil(rows)) for part in shape.boundary()]
    placed = together(outer)
    basis = _basis(placed, k)
    words = f"around {len(placed.centers)} places, of degrees up to {placed.orders.max()}"
    if inner:
        basis = JoinedBasis([Component(basis, 0, 2), *(Component(each, 1, 2) for each in inner)])
    return Outward(basis, words), Lattices(tuple(surfaces))


def _basis(placed: InBody, k: complex, *, regular: bool = False) -> Basis:
    return MultipoleBasis(placed.centers, placed.orders, k, placed.scales, regular=regular)
