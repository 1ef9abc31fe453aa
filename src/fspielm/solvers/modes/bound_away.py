"""Modes that may be bound to a narrow place or to a boundary, far from all others, where no search leads."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.equations import Problem, Relation
from fspielm.geometry import Sites
from fspielm.scrutiny import scrutinise

_PLACES = 64


def why_hidden(problem: Problem) -> str:
    """Why modes may be missing whatever a search has found, in words; empty where nothing could bind them."""
    # where coefficients jump, cells end
    places = [place for place in scrutinise(problem).places if place.kind == "narrow"]
    if places:
        return f"{places[0]}: modes that are bound there may be missing"
    feeding = [each.name for each in problem.relations if each.region.kind == "boundary" and _feeds(each)]
    if feeding:
        return (
            f"{feeding[0]!r} lets functions grow toward the boundary: modes that are bound there may be missing, far "
            "from the others; look for them with within=(a, b)"
        )
    return ""


def _feeds(relation: Relation) -> bool:
    """Whether slope and value of one unknown have the same sign somewhere, outward, where a condition holds."""
    sites = relation.sample(_PLACES, np.random.default_rng(0), "low-discrepancy")  # only looks
    if len({term.unknown for term in relation.operator.terms}) != 1 or sites.normals is None:
        return False
    value, slope = _part(relation, sites, 0), _part(relation, sites, 1)
    return bool(np.any((value * np.conj(slope)).real < 0))


def _part(relation: Relation, sites: Sites, order: int) -> NumberArray:
    """The coefficients of the value, or of the slope along the normal."""
    assert sites.normals is not None
    total: NumberArray = np.zeros(len(sites))
    for term in relation.operator.terms:
        if sum(term.orders) == order:
            along = sites.normals[:, term.orders.index(1)] if order else 1.0
            total = total + term.at(sites) * along
    return total
