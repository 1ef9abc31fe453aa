"""Functions of open domains in space, and where their rows are."""

from __future__ import annotations

import math
from functools import partial

from fspielm.collocation import Lattices
from fspielm.collocation.lattices import Place, Surface
from fspielm.equations import Problem
from fspielm.equations.open_domain import inner_wavenumber, outer_wavenumbers
from fspielm.features import Basis, Component, JoinedBasis
from fspielm.features.outward import Outward, WithinBasis
from fspielm.features.outward.placement import Wanted
from fspielm.features.outward.space import Along, Around, Neighbourhood, basis_of, place_beside, place_in
from fspielm.geometry.space_exterior import SpaceExterior

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
    (k,), found = outer_wavenumbers(problem), inner_wavenumber(problem)
    outer: list[Around | Along] = []
    inner: list[Basis] = []
    surfaces: list[Surface] = []
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
        place, rings = _rows_of(outer[-1])
        surfaces += [Surface(part.name, place, math.ceil(rows), rings) for part in shape.boundary()]
    basis = basis_of(outer, k)
    words = f"in {len(outer)} objects, of degrees up to {max(each.degree for each in outer)}"
    if inner:
        basis = JoinedBasis([Component(basis, 0, 2), *(Component(each, 1, 2) for each in inner)])
    return Outward(basis, words), Lattices(tuple(surfaces))


def _bends(problem: Problem) -> bool:
    """Whether values and slopes occur in one condition."""
    return any(len({term.order for term in relation.operator.terms}) > 1 for relation in problem.constraints)


def _rows_of(placed: Around | Along) -> tuple[Place, int | None]:
    """Where rows are: on rings around an object along which fields vary far more than around it."""
    if isinstance(placed, Around) or placed.degree <= _FAR_MORE * placed.layer.rings.order:
        return placed.body.sites, None
    return partial(placed.body.sites_along, placed.axis), math.ceil(_RINGS_PER_DEGREE * (placed.degree + 1))
