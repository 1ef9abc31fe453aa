"""Values on a regular grid over the bounding box of a domain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.features.evaluation import SLAB
from fspielm.machine import physical_memory


@final
@dataclass(frozen=True, eq=False)
class Grid:
    """Values on a regular grid.

    Attributes
    ----------
    axes : tuple of (n_a,) arrays
        Places along each coordinate, both ends of the bounding box included.
    values : masked array of shape ``(n_1, ..., n_d)``
        Masked, and NaN beneath, outside of the domain. Real or complex; of several functions together, which exports
        take, with one more axis for them.
    names : tuple of str
        The coordinates'.
    """

    axes: tuple[FloatArray, ...]
    values: np.ma.MaskedArray[Any, Any]
    names: tuple[str, ...]


def make_grid(
    function: Callable[[FloatArray], NumberArray], problem: Problem, n: int | Iterable[int], *, width: int = 8
) -> Grid:
    """Evaluate `function`, from points ``(m, d)`` to ``(m,)`` or ``(m, k)``, where a grid lies in the domain.

    Its values take `width` bytes at a point.
    """
    domain = problem.domain
    shape = as_shape(n, problem.dimension)
    lower, upper = domain.bounding_box
    total = math.prod(shape)
    # values and the mask
    if (width + 1) * total > physical_memory() // 2:
        raise ProblemError(
            f"n: a grid of {' x '.join(map(str, shape))} points does not fit into memory; take fewer, or call the "
            "solution with some points at a time"
        )
    axes = tuple(np.linspace(low, high, count) for low, high, count in zip(lower, upper, shape, strict=True))
    values: NumberArray | None = None
    outside = np.ones(total, dtype=np.bool_)
    for start in range(0, total, SLAB):
        here = np.arange(start, min(start + SLAB, total))
        index = np.unravel_index(here, shape)
        points = np.column_stack([axis[i] for axis, i in zip(axes, index, strict=True)])
        inside = domain.contains(points)
        outside[here] = ~inside
        found = function(points[inside])
        values = np.full((total, *found.shape[1:]), np.nan, dtype=found.dtype) if values is None else values
        values = values.astype(np.result_type(values, found), copy=False)
        values[here[inside]] = found
    assert values is not None  # there is a point, at least
    hidden = np.broadcast_to(outside.reshape(shape + (1,) * (values.ndim - 1)), shape + values.shape[1:])
    masked: np.ma.MaskedArray[Any, Any] = np.ma.MaskedArray(values.reshape(shape + values.shape[1:]), hidden)
    return Grid(axes, masked, tuple(map(str, problem.coordinates)))


def as_shape(n: int | Iterable[int], dimension: int) -> tuple[int, ...]:
    """The number of points along each axis, checked."""
    counts = tuple(n) if isinstance(n, Iterable) else (n,) * dimension
    whole = all(isinstance(c, int | np.integer) and not isinstance(c, bool) and c >= 2 for c in counts)
    if not whole or len(counts) != dimension:
        raise ProblemError(
            f"n must be a whole number of points along every axis, 2 or more, or {dimension} of them, one for each "
            f"axis; got {n!r}"
        )
    return tuple(int(c) for c in counts)
