"""How far a function is from one that is known: on grids that depend on the domain alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry import Domain

# Points along each axis, by dimension: the paper's 100 x 100, and as many points or some more otherwise.
_COUNTS = {1: 10_000, 2: 100, 3: 41}
_COUNT_BEYOND = 16


def regular_grid(domain: Domain) -> FloatArray:
    """Points of an even grid over the bounding box that lie in the domain, shape ``(n, d)``."""
    count = default_count(domain.dimension)
    return grid_inside(domain, [np.linspace(a, b, count) for a, b in zip(*domain.bounding_box, strict=True)])


def default_count(dimension: int) -> int:
    """How many points a grid has along each axis where nobody says it."""
    return _COUNTS.get(dimension, _COUNT_BEYOND)


def grid_inside(domain: Domain, axes: Sequence[FloatArray]) -> FloatArray:
    """Points of the grid with these coordinates along the axes that lie in the domain, shape ``(n, d)``."""
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
    return points[domain.contains(points)]


def relative_error(function: Callable[[FloatArray], ArrayLike], exact: FloatArray, points: FloatArray) -> float:
    """Relative L2 error of `function` at `points`, where the values should be `exact`."""
    if not len(points):
        raise ProblemError("no point of the measuring grid lies in the domain, which is too thin for it")
    error, size = np.linalg.norm(np.asarray(function(points)) - exact), np.linalg.norm(exact)
    return float(error / size) if size > 0 else float(error)
