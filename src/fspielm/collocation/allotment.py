"""How many points each block needs for a band of features."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation.points import Points
from fspielm.equations import Constraint, Problem

# Rows per neuron inside, and rows per feature that the boundary can tell apart; clustered points need no more.
_ROWS_PER_NEURON = 1.5
_ROWS_PER_TRACE = 1.5
_LEAST_ROWS = 8


def allot_points(problem: Problem, neurons: int, widths: FloatArray, factor: float) -> Points:
    """Points for `neurons` features of a band with half-widths `widths` and density `factor`.

    A part of the boundary gets rows in proportion to the number of features it can tell apart: its measure
    times the area of the band's projection onto its tangent plane.
    """
    rng = np.random.default_rng(0)  # only counts: the same for the same problem
    traces: dict[str, int] = {}
    initial = None
    for constraint in problem.constraints:
        needed = _ROWS_PER_TRACE * factor ** (problem.dimension - 1) * _traces(constraint, widths, rng)
        # a part cannot tell apart more features than there are
        count = min(int(np.ceil(needed)), neurons) + _LEAST_ROWS
        if constraint.part is None:
            initial = max(count, initial or 0)
        else:
            share = constraint.measure / constraint.part.measure
            name = constraint.part.name
            traces[name] = max(traces.get(name, 0), int(np.ceil(count / share)))
    return Points(
        interior=max(int(np.ceil(_ROWS_PER_NEURON * neurons)), _LEAST_ROWS),
        boundary=traces or None,
        initial=initial,
        sampling="clustered",
    )


def _traces(constraint: Constraint, widths: FloatArray, rng: np.random.Generator) -> float:
    """Number of frequencies of the band that differ on the constraint's region."""
    dimension = len(widths)
    normals = constraint.sample(200, rng, "low-discrepancy").normals
    assert normals is not None  # every boundary part and the start of time have them
    faces = np.array([np.prod(2 * np.delete(widths, axis)) for axis in range(dimension)])
    projection = float(np.mean(np.abs(normals) @ faces))
    return constraint.measure * projection / (2 * np.pi) ** (dimension - 1)
