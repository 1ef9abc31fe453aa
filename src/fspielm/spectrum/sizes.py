"""How much each datum of a problem weighs."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray, safe_rms
from fspielm.equations import Operator, Problem, Relation
from fspielm.expressions import Field
from fspielm.geometry import Sites

RIGHT_HAND_SIDE = "right-hand side"
_SITES = 256


def data_sizes(problem: Problem, rng: np.random.Generator) -> dict[str, float]:
    """Size of the slowly varying solution that each datum by itself would make, by name.

    Only orders of magnitude: they tell data from what rounding left where data should be zero.
    """
    lower, upper = problem.domain.bounding_box
    lengths = upper - lower
    inside = Sites(problem.domain.sample(_SITES, rng, "low-discrepancy"))
    sizes = {}
    for equation in problem.equations:
        source = source_of(equation, problem)
        sizes[source] = _size(equation.operator, equation.value, inside, lengths, source)
    for constraint in problem.constraints:
        sites = constraint.sample(_SITES, rng, "low-discrepancy")
        sizes[constraint.name] = _size(constraint.operator, constraint.value, sites, lengths, constraint.name)
    return sizes


def source_of(relation: Relation, problem: Problem) -> str:
    """What the datum of a relation is called."""
    if relation.region.kind != "domain":
        return relation.name
    return RIGHT_HAND_SIDE if len(problem.equations) == 1 else f"{RIGHT_HAND_SIDE} of {relation.name}"


def _size(operator: Operator, field: Field, sites: Sites, lengths: FloatArray, source: str) -> float:
    strength = max(float(np.abs(term.at(sites)).max() / np.prod(lengths**term.orders)) for term in operator.terms)
    values = field.checked(sites.points, f"the data of {source!r}", sites.normals)
    return safe_rms(values) / strength if strength > 0 else 0.0
