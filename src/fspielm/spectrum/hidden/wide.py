"""Coefficients as disturbances see them that are wider than what is steep: on the average over half a period.

Those of a linearisation are large at a front of the solution, and there alone. A disturbance that is wider than the
front does not grow as if they were so everywhere; one that is as narrow feels them, and its own diffusion.
"""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.geometry import Sites
from fspielm.spectrum.hidden.frozen import Frozen, freeze

# Places around a site that are averaged over.
_AROUND = 33


def freeze_around(problem: Problem, points: FloatArray, widths: FloatArray) -> Frozen:
    """The operator of a problem at points ``(n, d)``, averaged over boxes of these widths in space around them."""
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
