"""Corners where two conditions prescribe different values."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations.once import once
from fspielm.equations.problem import Problem
from fspielm.equations.relations import Relation

_PER_EDGE = 5
_PROBES = 400
_DISAGREEMENT = 1e-6


class Conflict(NamedTuple):
    """A place where two conditions prescribe different values, and which they are."""

    point: tuple[float, ...]
    told: str


def corner_conflicts(problem: Problem) -> list[str]:
    """Describe where values prescribed on two parts, or values there and at the start of time, disagree at a corner.

    The same for values that a periodic condition ties together. Such a problem has a solution, but a discontinuous
    one, which no sum of smooth features comes close to.
    """
    return list(dict.fromkeys(conflict.told for conflict in find_conflicts(problem)))


def find_conflicts(problem: Problem) -> list[Conflict]:
    """All that `corner_conflicts` describes; where two conditions disagree at several places, the worst is told."""
    # two parts that meet at a corner have two normals there, so that values that depend on them may well differ
    values = [c for c in problem.constraints if _is_value(c) and not c.value.needs_normals]
    lateral = [c for c in values if c.region.kind == "boundary" and c.region.shift is None]
    tied = [c for c in values if c.region.shift is not None]
    starts = [c for c in values if c.region.kind == "start"]
    lower, upper = problem.domain.bounding_box
    near = 1e-9 * float(np.linalg.norm(upper - lower))
    conflicts: list[Conflict] = []
    for first, second in combinations(lateral, 2):
        if first.part is not second.part and _same_unknown(first, second):
            conflicts += _compare(problem, first, second, _shared(_rim(first), _rim(second), near))
    for start in starts:
        for side in (c for c in lateral if _same_unknown(c, start)):
            conflicts += _compare(problem, side, start, _at_start(_rim(side), problem, near))
        for pair in (c for c in tied if _same_unknown(c, start)):
            conflicts += _compare_ends(problem, pair, start, _at_start(_rim(pair), problem, near))
    for pair in tied:
        for side in (c for c in lateral if _same_unknown(c, pair)):
            ends = _shared(_rim(pair), _rim(side), near)
            assert pair.region.shift is not None
            there = _shared(ends + pair.region.shift, _rim(side), near)
            conflicts += _compare_ends(problem, pair, side, there - pair.region.shift)
    return conflicts


def _same_unknown(first: Relation, second: Relation) -> bool:
    return first.operator.unknowns == second.operator.unknowns


def _is_value(constraint: Relation) -> bool:
    """Whether a constraint prescribes an unknown itself."""
    return len(constraint.operator.terms) == 1 and all(
        term.order == 0 and term.coefficient == 1.0 for term in constraint.operator.terms
    )


def _at_start(points: FloatArray, problem: Problem, near: float) -> FloatArray:
    assert problem.domain.time is not None
    return points[np.abs(points[:, -1] - problem.domain.time.start) <= near]


def _compare(problem: Problem, first: Relation, second: Relation, points: FloatArray) -> list[Conflict]:
    """Two values that should be one at common points."""
    for constraint in (first, second):
        if constraint.mask is not None and len(points):
            points = points[constraint.mask(points)]
    if not len(points):
        return []
    a, b = first.value(points), second.value(points)
    there = _disagreeing(a, b, max(_size(first), _size(second)))
    if not len(there):
        return []
    worst = there[0]
    told = (
        f"{first.name!r} and {second.name!r} disagree at {_place(problem, points[worst])} "
        f"({a[worst]:.4g} against {b[worst]:.4g})"
    )
    return [Conflict(tuple(points[i].tolist()), told) for i in there]


def _compare_ends(problem: Problem, pair: Relation, datum: Relation, points: FloatArray) -> list[Conflict]:
    """The values of a datum at two ends that are tied together."""
    assert pair.region.shift is not None
    if datum.mask is not None and len(points):
        points = points[datum.mask(points) & datum.mask(points + pair.region.shift)]
    if not len(points):
        return []
    a, b = datum.value(points), datum.value(points + pair.region.shift)
    where = _disagreeing(pair.region.factor * a, b, _size(datum))
    if not len(where):
        return []
    worst = where[0]
    here, there = (_place(problem, p) for p in (points[worst], points[worst] + pair.region.shift))
    told = (
        f"the values of {datum.name!r} at {here} and at {there} ({a[worst]:.4g} and {b[worst]:.4g}) disagree, which "
        f"{pair.name!r} makes one place"
    )
    return [Conflict(tuple(points[i].tolist()), told) for i in where]


def _disagreeing(a: NumberArray, b: NumberArray, size: float) -> list[int]:
    """Where two sets of values disagree, the worst place first."""
    gaps = np.abs(a - b)
    return [int(i) for i in np.argsort(-gaps, kind="stable") if gaps[i] > _DISAGREEMENT * size]


def _place(problem: Problem, point: FloatArray) -> str:
    return ", ".join(f"{s}={v:.4g}" for s, v in zip(problem.coordinates, point, strict=True))


@once
def _size(constraint: Relation) -> float:
    """The largest value that a condition prescribes anywhere."""
    sites = constraint.sample(_PROBES, np.random.default_rng(0))
    return float(np.abs(constraint.value(sites.points)).max())


def _rim(constraint: Relation) -> FloatArray:
    """Points on the rim of a constraint's part: the images of its unit cube's faces."""
    part = constraint.part
    assert part is not None
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
    shared: FloatArray = first[distances.min(axis=1, initial=np.inf) <= near]
    return shared
