"""Coefficients as disturbances see them that are wider than what is steep: on the average over half a period.

Those of a linearisation are large at a front of the solution, and there alone. A disturbance that is wider than the
front does not grow as if they were so everywhere; one that is as narrow feels them, and its own diffusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.geometry import Sites
from fspielm.spectrum.hidden.frozen import Frozen, freeze

# Places around a site that are averaged over.
_AROUND = 33
# Sizes of boxes for each octave: along a line all have their places in common.
_STEPS_ALONG_A_LINE = 3


def freeze_wide(problem: Problem, points: FloatArray, shares: FloatArray) -> Iterator[tuple[NDArray[np.int_], Frozen]]:
    """The operator of a problem at points ``(n, d)``, averaged around them over boxes that are shares of the domain.

    Yields
    ------
    which, frozen : integer array, Frozen
        Those of the shares ``(m,)`` that are about the same, and the average over boxes of this size.
    """
    along_a_line = problem.dimension == 2
    steps = _STEPS_ALONG_A_LINE if along_a_line else 1
    levels = np.round(steps * np.log2(shares)).astype(int)
    unique, which = np.unique(levels, return_inverse=True)
    lower, upper = problem.domain.bounding_box
    lengths = (upper - lower)[:-1]
    sizes = 2.0 ** (unique / steps)
    if along_a_line:
        means: Iterable[Frozen] = _along_a_line(problem, points, sizes * lengths[0])
    else:
        means = (_in_boxes(problem, points, size * lengths) for size in sizes)
    for place, frozen in enumerate(means):
        yield np.flatnonzero(which == place), frozen


def _along_a_line(problem: Problem, points: FloatArray, widths: FloatArray) -> list[Frozen]:
    """Averages over intervals of these widths, in rising order, all from one set of places."""
    lower, upper = problem.domain.bounding_box
    m = len(widths)
    offsets = 0.5 * np.concatenate([-widths[::-1], [0.0], widths])
    x = np.clip(points[:, :1] + offsets, lower[0], upper[0])
    around = np.stack([x, np.broadcast_to(points[:, 1:], x.shape)], axis=2)
    frozen = freeze(problem.determinant, Sites(around.reshape(-1, 2)))
    each = frozen.coefficients.reshape(*x.shape, -1)
    # the integral from the left end of the widest one
    pieces = 0.5 * np.diff(x)[:, :, None] * (each[:, 1:] + each[:, :-1])
    whole = np.concatenate([np.zeros_like(pieces[:, :1]), np.cumsum(pieces, axis=1)], axis=1)
    return [
        Frozen(frozen.orders, (whole[:, m + k] - whole[:, m - k]) / (x[:, m + k] - x[:, m - k])[:, None])
        for k in range(1, m + 1)
    ]


def _in_boxes(problem: Problem, points: FloatArray, widths: FloatArray) -> Frozen:
    """Averages over boxes of these widths in space."""
    offsets = np.zeros((_AROUND, problem.dimension))
    offsets[:, :-1] = (_spread(len(widths)) - 0.5) * widths
    around = points[:, None, :] + offsets
    flat = around.reshape(-1, problem.dimension)
    inside = problem.domain.contains(flat).reshape(around.shape[:2])
    inside[:, 0] = True  # the point itself
    weights = inside / inside.sum(axis=1, keepdims=True)
    # what is outside does not count, but is to have a value
    at = np.where(inside[:, :, None], around, points[:, None, :]).reshape(flat.shape)
    frozen = freeze(problem.determinant, Sites(at))
    each = frozen.coefficients.reshape(*inside.shape, -1)
    return Frozen(frozen.orders, np.einsum("nat,na->nt", each, weights))


def _spread(dimension: int) -> FloatArray:
    """Points of the unit cube that leave no gaps, the first in its middle (Roberts' sequence)."""
    ratio = 1.0
    for _ in range(40):
        ratio = (1 + ratio) ** (1 / (dimension + 1))
    steps = ratio ** -np.arange(1.0, dimension + 1)
    return np.asarray((0.5 + np.arange(_AROUND)[:, None] * steps) % 1.0)
