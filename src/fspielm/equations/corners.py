"""Corners where two conditions prescribe different values."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations.conditions import Dirichlet, Initial
from fspielm.equations.constraints import Constraint
from fspielm.equations.problem import Problem
from fspielm.geometry import BoundaryPart

_PER_EDGE = 5
_PROBES = 400
_DISAGREEMENT = 1e-6


def corner_conflicts(problem: Problem) -> list[str]:
    """Describe where two Dirichlet data, or Dirichlet and initial data, disagree at a common corner.

    Such a problem has a solution, but a discontinuous one, which no sum of smooth features comes close to.
    """
    values = [c for c in problem.constraints if isinstance(c.condition, Dirichlet)]
    starts = [c for c in problem.constraints if isinstance(c.condition, Initial) and c.condition.order == 0]
    lower, upper = problem.domain.bounding_box
    near = 1e-9 * float(np.linalg.norm(upper - lower))
    conflicts = []
    for first, second in combinations(values, 2):
        assert first.part is not None
        assert second.part is not None
        if first.part is second.part:
            continue
        conflicts += _compare(problem, first, second, _shared(_rim(first.part), _rim(second.part), near))
    for start in starts:
        for lateral in values:
            assert lateral.part is not None
            rim = _rim(lateral.part)
            assert problem.domain.time is not None
            corner = rim[np.abs(rim[:, -1] - problem.domain.time.start) <= near]
            conflicts += _compare(problem, lateral, start, corner)
    return conflicts


def _compare(problem: Problem, first: Constraint, second: Constraint, points: FloatArray) -> list[str]:
    for constraint in (first, second):
        if constraint.mask is not None and len(points):
            points = points[constraint.mask(points)]
    if not len(points):
        return []
    a, b = first.value(points), second.value(points)
    size = max(_size(first), _size(second))
    worst = int(np.argmax(np.abs(a - b)))
    if not np.abs(a - b)[worst] > _DISAGREEMENT * size:
        return []
    place = ", ".join(f"{s}={v:.4g}" for s, v in zip(problem.coordinates, points[worst], strict=True))
    return [f"{first.name!r} and {second.name!r} disagree at {place} ({a[worst]:.4g} against {b[worst]:.4g})"]


def _size(constraint: Constraint) -> float:
    """The largest value that a condition prescribes anywhere."""
    sites = constraint.sample(_PROBES, np.random.default_rng(0))
    return float(np.abs(constraint.value(sites.points)).max())


def _rim(part: BoundaryPart) -> FloatArray:
    """Points on the rim of a part: the images of its unit cube's faces."""
    if part.parameters == 0:
        return part.place(np.empty((1, 0))).points
    faces = []
    for parameter in range(part.parameters):
        axes = [np.linspace(0, 1, _PER_EDGE)] * part.parameters
        axes[parameter] = np.array(part.breaks if parameter == 0 else (0.0, 1.0))
        faces.append(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, part.parameters))
    return part.at(np.unique(np.concatenate(faces), axis=0)).points


def _shared(first: FloatArray, second: FloatArray, near: float) -> FloatArray:
    distances = np.linalg.norm(first[:, None, :] - second[None, :, :], axis=2)
    shared: FloatArray = first[distances.min(axis=1) <= near]
    return shared
