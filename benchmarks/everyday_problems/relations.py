"""Whether elements solve what is stated: their solution put into the relations of the statement.

For elastic problems, which the version of the library that was measured first does not solve to many digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from everyday_problems.catalogue import EverydayProblem
from everyday_problems.elements import Found, Setting

_SAMPLES = 200
# From the boundary inwards, so that points are in elements.
_INWARDS = 1e-9


def worst_relation(problem: EverydayProblem) -> tuple[str, float]:
    """The relation that is met worst, and its median residual over the size of its terms, or of the displacement."""
    setting = Setting(12, problem.fine, levels=8, grading=0.4, inverse=problem.inverses[0])
    found, rng = problem.finite(setting), np.random.default_rng(0)
    stated = problem.state()
    least = float(np.median(np.abs(found(problem.points()))))
    residuals: dict[str, float] = {}
    for relation in stated.relations:
        sites = relation.sample(_SAMPLES, rng, "uniform")
        points = sites.points if sites.normals is None else sites.points - _INWARDS * sites.normals
        terms = [
            term.at(sites) * _derivative(found, term.unknown, term.orders, points) for term in relation.operator.terms
        ]
        value = relation.value
        known = value(sites.points, sites.normals) if value.needs_normals else value(sites.points)
        residual = np.nanmedian(np.abs(sum(terms) - known))
        residuals[relation.name] = float(residual / max(np.nanmedian(sum(map(np.abs, terms))), least))
    worst = max(residuals, key=lambda name: residuals[name])
    return worst, residuals[worst]


def _derivative(found: Found, unknown: int, orders: tuple[int, ...], points: NDArray[np.float64]) -> NDArray[Any]:
    """A derivative of a component of the displacement, NaN outside of the mesh."""
    import ngsolve as ng

    (field,) = found.fields
    axes = [axis for axis, order in enumerate(orders) for _ in range(order)]
    operator = (field, ng.Grad(field), field.Operator("hesse"))[len(axes)]
    values = Found(found.mesh, (operator,), 0)(points).reshape(-1, *(2,) * (1 + len(axes)))
    return np.asarray(values[(slice(None), unknown, *axes)])
