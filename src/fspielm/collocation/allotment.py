"""How many points each block needs for a band of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation.points import Points
from fspielm.equations import Problem, Relation
from fspielm.errors import ProblemError

# Rows per neuron inside, and rows per feature that the boundary can tell apart; clustered points need no more.
_ROWS_PER_NEURON = 1.5
_ROWS_PER_TRACE = 1.5
_LEAST_ROWS = 8
# A piece smaller than this share of its part gets fewer rows: all of the part would have to be as dense.
_LEAST_SHARE = 0.02
# Rows per neuron where there are only conditions.
_ROWS_PER_EXACT_NEURON = 3.0
# Their share that is the same for every condition, where it is known how many features each can tell apart.
_EVEN_SHARE = 0.15


def allot_points(problem: Problem, neurons: int, widths: FloatArray, factor: float, special: int = 0) -> Points:
    """Points for `neurons` features of a band with half-widths `widths` and density `factor`.

    A part of the boundary gets rows in proportion to the number of features it can tell apart: its measure
    times the area of the band's projection onto its tangent plane. Functions that are not in the band, such as the
    multipoles of a hole, may be told apart on a small part alone: each part gets rows for `special` of them.
    """
    rng = np.random.default_rng(0)  # only counts: the same for the same problem
    counts: dict[str, int] = {}
    for relation in _sampled(problem):
        needed = _ROWS_PER_TRACE * factor ** (problem.dimension - 1) * _traces(relation, widths, rng)
        # a part cannot tell apart more features than there are
        counts[relation.name] = min(int(np.ceil(needed)), neurons) + _LEAST_ROWS + int(_ROWS_PER_TRACE * special)
    return _as_points(problem, max(int(np.ceil(_ROWS_PER_NEURON * neurons)), _LEAST_ROWS), counts)


def allot_conditions(problem: Problem, neurons: int, reach: Sequence[float] | None = None) -> Points:
    """Points for `neurons` features that satisfy the equation: on the conditions alone.

    Half of the rows are shared out evenly, the other half by the size of the regions: of their boundary, or, as time
    has another unit, of what they cover of the domain's extent. If it is known how far the frequencies reach along each
    axis, most are shared out by the number of features that the regions can tell apart.
    """
    if reach is not None and len(reach) != problem.dimension:
        raise ProblemError(f"reach must have one entry for each of {problem.dimension} axes; got {reach}")
    sampled = _sampled(problem)
    if reach is None:
        sizes, even = np.array([_relative_size(problem, c) for c in sampled]), 0.5
    else:
        rng = np.random.default_rng(0)  # only counts: the same for the same problem
        sizes, even = np.array([_traces(c, np.asarray(reach), rng) for c in sampled]), _EVEN_SHARE
    shares = (1 - even) * sizes / max(sizes.sum(), np.finfo(float).tiny) + even / max(len(sampled), 1)
    rows = _ROWS_PER_EXACT_NEURON * neurons * shares
    counts = {c.name: int(np.ceil(wanted)) + _LEAST_ROWS for c, wanted in zip(sampled, rows, strict=True)}
    return _as_points(problem, 0, counts)


def join_points(problem: Problem, parts: Sequence[Points]) -> Points:
    """Points for several sets of functions together: as many on each block as all of them ask for."""
    counts = [part.counts(problem) for part in parts]
    summed = {c.name: sum(count[c.name] for count in counts) for c in _sampled(problem)}
    return _as_points(problem, sum(part.interior for part in parts), summed)


def _sampled(problem: Problem) -> list[Relation]:
    """The relations whose points are drawn and shared out: where points are given, those are all there is."""
    return [r for r in problem.relations if r.region.kind == "start" or r.part is not None]


def _as_points(problem: Problem, interior: int, counts: Mapping[str, int]) -> Points:
    """Clustered points with so many in every sampled block, by its name, or more where blocks share a part."""
    boundary: dict[str, int] = {}
    initial = None
    for relation in _sampled(problem):
        count = counts[relation.name]
        if relation.region.kind == "start":
            initial = max(count, initial or 0)
        else:
            name = relation.part_names[0]
            share = max(relation.region.share, _LEAST_SHARE)
            boundary[name] = max(boundary.get(name, 0), int(np.ceil(count / share)))
    return Points(interior, boundary or None, initial=initial, sampling="clustered")


def _relative_size(problem: Problem, relation: Relation) -> float:
    time = problem.domain.time
    if time is None or problem.dimension == 1:
        return relation.measure
    lower, upper = problem.domain.bounding_box
    length = float(np.max((upper - lower)[:-1]))
    # of dimension one less in space, over all of time, or the other way round
    across = problem.dimension - 1 if relation.region.kind == "start" else problem.dimension - 2
    duration = 1.0 if relation.region.kind == "start" else time.duration
    return relation.measure / (duration * length**across)


def _traces(relation: Relation, widths: FloatArray, rng: np.random.Generator) -> float:
    """Number of frequencies of the band that differ on the relation's region."""
    dimension = len(widths)
    normals = relation.sample(200, rng, "low-discrepancy").normals
    if normals is None:
        return _traces_along(relation, widths)
    faces = np.array([np.prod(2 * np.delete(widths, axis)) for axis in range(dimension)])
    projection = float(np.mean(np.abs(normals) @ faces))
    return relation.measure * projection / (2 * np.pi) ** (dimension - 1)


def _traces_along(relation: Relation, widths: FloatArray) -> float:
    """The same on a curve, from the band's projection onto its tangents."""
    assert relation.part is not None
    steps = np.abs(np.diff(relation.part.place(np.linspace(0, 1, 201)[:, None]).points, axis=0))
    return float(np.sum(steps @ (2 * widths)) / (2 * np.pi))
