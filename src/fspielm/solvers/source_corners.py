"""Corners, and places where conditions change, that sources outside of a domain should crowd at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.collocation import nearest_of
from fspielm.equations import Problem, Relation, mask_borders
from fspielm.features import Basis
from fspielm.features.evaluation import evaluate
from fspielm.features.special import leading_exponent
from fspielm.geometry import Sites

# Exponentials hold what is singular farther away than about this, in units of the domain's size.
_CLOSE = 0.3
# The exponent of the singularity where values give way to slopes on a smooth curve.
CHANGE = 0.5
# A corner is singular where the residual beside it is at least this share of the largest one away from corners.
_SINGULAR = 0.5
# Beside a corner, and at it, in units of the size of the domain.
_BESIDE, _AT_CORNER = 0.1, 1e-3
_SAMPLES = 400
# No panel is shorter than this, in units of the domain's size: too few digits are left.
FINEST = 1e-12


@final
@dataclass(frozen=True, eq=False)
class SourceCorners:
    """Corners to shorten panels towards.

    Attributes
    ----------
    points : (c, 2) array
    lengths : (c,) array
        Of the last panels at each.
    """

    points: FloatArray
    lengths: FloatArray


def find_source_corners(
    problem: Problem,
    constraints: list[Relation],
    basis: Basis,
    coefficients: FloatArray,
    tol: float,
    size: float,
    threads: int,
) -> tuple[tuple[SourceCorners, float], ...]:
    """What sources should crowd at, to be tried in turn, and how close to the boundary one of them must then be.

    A singularity close to the boundary leaves a residual all over it, in which no corner stands out. While there are
    no sources yet, corners therefore come second, the re-entrant ones if there are any. Later, they are those that have
    sources already and those with a large residual.
    """
    corners = problem.domain.corners([str(symbol) for symbol in problem.coordinates])
    points = np.array([corner.point for corner in corners]).reshape(-1, 2)
    last = np.array([last_length(tol, leading_exponent(problem, corner), size) for corner in corners])
    edges = np.concatenate([_mask_edges(constraint) for constraint in constraints])
    changes = np.full(len(edges), last_length(tol, CHANGE, size))

    def with_changes(chosen: BoolArray) -> SourceCorners:
        return SourceCorners(np.concatenate([points[chosen], edges]), np.concatenate([last[chosen], changes]))

    none = np.zeros(len(points), dtype=np.bool_)
    if len(basis.sources) and len(points):
        taken = nearest_of(basis.sources)(points) <= _AT_CORNER * size
        large = _stand_out(points, constraints, basis, coefficients, size, threads)
        return (with_changes(taken | large), math.inf), (with_changes(taken), math.inf)
    chosen = np.array([corner.opening > math.pi for corner in corners], dtype=np.bool_)
    if not chosen.any():
        chosen = _stand_out(points, constraints, basis, coefficients, size, threads)
    return (with_changes(none), _CLOSE * size), (with_changes(chosen), math.inf)


def _mask_edges(constraint: Relation) -> FloatArray:
    """Where one condition gives way to another within a part ``(n, 2)``: a solution is singular there too."""
    assert constraint.part is not None
    return constraint.part.place(mask_borders(constraint)[:, None]).points


def _stand_out(
    points: FloatArray,
    constraints: list[Relation],
    basis: Basis,
    coefficients: FloatArray,
    size: float,
    threads: int,
) -> BoolArray:
    """Beside which of the points ``(c, 2)`` of the boundary the residual is larger than away from all of them."""
    beside, away, scales = np.zeros(len(points)), 0.0, value_scales(constraints)
    for constraint in constraints if len(points) else ():
        sites = _near_breaks(constraint).followed_by(_spread(constraint))
        sites = sites.select(constraint.holds(sites.points))
        pieces = [
            evaluate(basis, coefficients, operator, there, threads=threads, method="direct")
            for operator, there in constraint.pieces(sites)
        ]
        wanted = constraint.value(sites.points, sites.normals)
        residual = np.abs(np.sum(pieces, axis=0) - wanted) / scales[constraint.name]
        close = np.linalg.norm(sites.points[:, None] - points, axis=2) <= _BESIDE * size
        beside = np.maximum(beside, np.where(close, residual[:, None], 0.0).max(axis=0, initial=0.0))
        away = max(away, float(residual[~close.any(axis=1)].max(initial=0.0)))
    return np.asarray(beside >= _SINGULAR * away)


def _near_breaks(constraint: Relation) -> Sites:
    """Sites ever closer to the ends of the smooth pieces of a constraint's part."""
    part = constraint.part
    assert part is not None
    breaks = np.array(part.breaks)
    steps = np.diff(breaks)[:, None] * np.logspace(-7, -1, 25)
    return part.place(np.concatenate([breaks[:-1, None] + steps, breaks[1:, None] - steps]).reshape(-1, 1))


def _spread(constraint: Relation) -> Sites:
    """Sites all over a constraint's region."""
    assert constraint.part is not None
    sites = constraint.part.place((np.arange(_SAMPLES)[:, None] + 0.5) / _SAMPLES)
    return sites.select(constraint.holds(sites.points))


def value_scales(constraints: list[Relation]) -> dict[str, float]:
    """What the values of each constraint are compared with: the largest of those of the same order."""
    spread = {c.name: _spread(c) for c in constraints}
    values = {c.name: c.value(spread[c.name].points, spread[c.name].normals) for c in constraints}
    largest = {name: float(np.abs(found).max(initial=0.0)) for name, found in values.items()}
    by_order: dict[int, float] = {}
    for c in constraints:
        by_order[c.operator.order] = max(by_order.get(c.operator.order, 0.0), largest[c.name])
    return {c.name: by_order[c.operator.order] or 1.0 for c in constraints}


def last_length(tol: float, exponent: float, size: float) -> float:
    """The distance over which ``r**exponent`` differs by the tolerance."""
    return float(size * max(tol ** (1.0 / exponent) if exponent > 0 else 0.0, FINEST))
