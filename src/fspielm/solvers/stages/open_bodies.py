"""Functions of open domains in space, and where their rows are."""

from __future__ import annotations

import math

from fspielm.collocation import Lattices
from fspielm.collocation.lattices import Surface
from fspielm.equations import Problem
from fspielm.equations.open_domain import inner_wavenumber, outer_wavenumbers
from fspielm.features import Component, JoinedBasis
from fspielm.features.outward import Outward, WithinBasis
from fspielm.features.outward.placement import Wanted
from fspielm.features.outward.space import Neighbourhood, basis_of, place_beside, place_in
from fspielm.geometry.space_exterior import SpaceExterior

# Rows for each function, which are as even as can be, and places of values and slopes for each function on one side.
_ROWS_PER_FUNCTION = 1.6
_PLACES_PER_FUNCTION = 1.2


def around_bodies(problem: Problem, wanted: Wanted) -> tuple[Outward, Lattices]:
    """Functions in all objects, and in those that let waves through; rows as functions are."""
    domain = problem.domain
    assert isinstance(domain, SpaceExterior)  # as the stage found
    (k,), found = outer_wavenumbers(problem), inner_wavenumber(problem)
    outer, inner, surfaces = [], [], list[Surface]()
    for shape, body in zip(domain.shapes, domain.bodies, strict=True):
        others = [other for other in domain.bodies if other is not body]
        around = Neighbourhood(body, others, wanted, found or 0.0, _bends(problem))
        outer.append(place_in(around))
        rows = _ROWS_PER_FUNCTION * outer[-1].functions
        if found is not None:
            within = place_beside(around)
            own = basis_of([within], found)
            inner.append(WithinBasis(own, shape) if others else own)
            both = outer[-1].functions, within.functions
            rows = max(0.5 * _ROWS_PER_FUNCTION * sum(both), _PLACES_PER_FUNCTION * max(both))
        surfaces += [(part.name, body.sites, math.ceil(rows)) for part in shape.boundary()]
    basis = basis_of(outer, k)
    words = f"in {len(outer)} objects, of degrees up to {max(each.degree for each in outer)}"
    if inner:
        basis = JoinedBasis([Component(basis, 0, 2), *(Component(each, 1, 2) for each in inner)])
    return Outward(basis, words), Lattices(tuple(surfaces))


def _bends(problem: Problem) -> bool:
    """Whether values and slopes occur in one condition."""
    return any(len({term.order for term in relation.operator.terms}) > 1 for relation in problem.constraints)
