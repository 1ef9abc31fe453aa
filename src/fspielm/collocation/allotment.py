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


def allot_points(problem: Problem, neurons: int, widths: FloatArray, factor: float, special: int = 0) -> Points:
    """Points for `neurons` features of a band with half-widths `widths` and density `factor`.

    A part of the boundary gets rows in proportion to the number of features it can tell apart: its measure
    times the area of the band's projection onto its tangent plane. Functions that are not in the band, such as the
    multipoles of a hole, may be told apart on a small part alone: each part gets rows for `special` of them.
    """
    rng = np.random.default_rng(0)  # only counts: the same for the same problem
    traces: dict[str, int] = {}
    initial = None
    for constraint in problem.constraints:
        if constraint.region.kind != "start" and constraint.part is None:
            continue  # given points are all there is
        needed = _ROWS_PER_TRACE * factor ** (problem.dimension - 1) * _traces(constraint, widths, rng)
        # a part cannot tell apart more features than there are
        count = min(int(np.ceil(needed)), neurons) + _LEAST_ROWS + int(_ROWS_PER_TRACE * special)
        if constraint.region.kind == "start":
            initial = max(count, initial or 0)
        else:
            name = constraint.part_names[0]
            traces[name] = max(traces.get(name, 0), int(np.ceil(count / constraint.region.share)))
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
    if normals is None:
        return _traces_along(constraint, widths)
    faces = np.array([np.prod(2 * np.delete(widths, axis)) for axis in range(dimension)])
    projection = float(np.mean(np.abs(normals) @ faces))
    return constraint.measure * projection / (2 * np.pi) ** (dimension - 1)


def _traces_along(constraint: Constraint, widths: FloatArray) -> float:
    """The same on a curve, from the band's projection onto its tangents."""
    assert constraint.part is not None
    steps = np.abs(np.diff(constraint.part.place(np.linspace(0, 1, 201)[:, None]).points, axis=0))
    return float(np.sum(steps @ (2 * widths)) / (2 * np.pi))
