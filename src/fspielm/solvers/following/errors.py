"""How wrong the parameter may be at folds and bifurcations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.solvers.following.walk import Stop


def fold_error(beside: Sequence[Stop]) -> float:
    """By the error of solutions on either side, as a change of the parameter that would make as much.

    An error E of a solution u with the parameter p fixed is as if that were wrong by ``E / |du/dp|``. Both grow without
    bound toward a fold, where the linearisation is singular; their ratio does not, and is what the fold is wrong by.
    """
    return max((_error(stop) / stop.mark.slope for stop in beside), default=np.inf)


def bifurcation_error(beside: Sequence[Stop]) -> float:
    """By the error of solutions on either side, as a length of the curve; that of the eigenvalue comes to it."""
    each = (_error(stop) / stop.curve.metric.unit * abs(stop.mark.steepness) for stop in beside)
    return max(each, default=np.inf)


def _error(stop: Stop) -> float:
    estimate = stop.solution.estimate
    return estimate.relative * estimate.scale
