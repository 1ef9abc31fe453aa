"""How large unknowns are: what errors in them are measured by."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fspielm.accuracy.estimate import NO_DIGITS
from fspielm.arrays import NumberArray, safe_norm
from fspielm.equations import Problem, natural_scales

# An unknown so much smaller than is natural beside the others is zero but for rounding.
_NOTHING = 1e-6
# Unless it has data of its own, larger than their rounding.
_TOLD = 1e-13


def sizes_of(problem: Problem, scales: Sequence[float], told: Sequence[float]) -> list[tuple[float, float]]:
    """The size of each unknown, and, where it is nothing beside the others, the one that is natural for it; else zero.

    The real and the imaginary part of a complex unknown have the size of both. What has data of its own, however small,
    is not nothing: where equations hardly tie it to the others, there is no size that is natural for it.
    """
    if len(scales) == 1:
        return [(scales[0], 0.0)]
    lower, upper = problem.domain.bounding_box
    natural = natural_scales(problem, 2 * np.pi / (upper - lower))
    natural = natural * float(np.max(np.asarray(scales) / natural))
    sizes = [(scale, 0.0) for scale in scales]
    for name in problem.names:
        parts = list(problem.places(name))
        own, usual = math.hypot(*(scales[part] for part in parts)), float(natural[parts].max())
        nothing = own < _NOTHING * usual and max(told[part] for part in parts) <= _TOLD * usual
        for part in parts:
            sizes[part] = own, usual if nothing else 0.0
    return sizes


def relative_to(error: float, scale: float, certain: float = NO_DIGITS) -> float:
    """`error` relative to the true solution, whose size is at least ``scale - error``; infinite if that is little."""
    if error == 0.0:
        return 0.0
    return error / (scale - error) if error < certain * scale else float("inf")


def norm_in(Phi: NumberArray, coefficients: NumberArray, alike: bool) -> float:
    """The norm of the coefficients as far as one unknown has them, in units of features of size one, if not `alike`."""
    if alike:
        return safe_norm(coefficients)
    return safe_norm(coefficients * np.sqrt(2 * (abs(Phi) ** 2).mean(axis=0)))
