"""What is said of a solution without data, such as a mode, whose error is known from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from fspielm.accuracy.estimate import NO_DIGITS, ErrorEstimate, FieldEstimate
from fspielm.arrays import NumberArray, safe_norm
from fspielm.collocation import BlockResidual


def estimate_without_data(
    relative: float,
    scale: float,
    coefficients: NumberArray,
    residuals: Mapping[str, BlockResidual],
    *,
    residual: float,
    amplification: float = 1.0,
    unknowns: int = 1,
) -> ErrorEstimate:
    """An estimate of this relative error, or of no digit, of a solution of this size.

    Parameters
    ----------
    relative : float
    scale : float
        Root mean square of the solution.
    coefficients : (M,) array
    residuals : mapping of str to BlockResidual
        What it leaves, by relation.
    residual : float
        Their norm, in units of the solution.
    amplification : float
    unknowns : int
        For how many it is the same.
    """
    relative = relative if relative < NO_DIGITS else math.inf
    growth = safe_norm(coefficients) / scale
    return ErrorEstimate(
        relative=relative,
        largest=relative,
        amplification=amplification,
        residual=residual,
        data=0.0,
        rounding=0.0,
        scale=scale,
        growth=growth,
        residuals=residuals,
        null_function=np.zeros(0),
        null=np.zeros(len(coefficients)),
        fields=(FieldEstimate(relative, relative, 0.0, scale, growth, scale),) * unknowns,
    )
