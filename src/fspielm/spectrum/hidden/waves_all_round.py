"""Equations of waves with conditions all round, as if they were elliptic."""

from __future__ import annotations

import numpy as np

from fspielm.equations import Problem
from fspielm.features.characteristic.directions import half_sphere
from fspielm.spectrum.hidden.frozen import freeze_inside, telling, without_phase

_DIRECTIONS = 500
# The principal part has both signs if the smaller extreme is more than this share of the larger.
_BOTH_SIGNS = 1e-3


def is_wave_all_round(problem: Problem) -> bool:
    """Whether an equation without time has waves in its highest derivatives, and conditions on the whole boundary.

    Its principal part then takes both signs at one place, as that of ``u_xx - u_yy`` does; one that only vanishes
    along some direction is of diffusion along the others. Parts of the boundary that are characteristic may be without
    conditions, as in Goursat's problem ``u_xy = f``; whatever else is, would have been refused.
    """
    operator, domain = problem.determinant, problem.domain
    if domain.time is not None or problem.dimension == 1 or operator.order < 2 or operator.order % 2:
        return False
    if _has_free_part(problem):
        return False
    principal = freeze_inside(problem)[1].principal()
    principal = principal.select(telling(principal))
    lower, upper = domain.bounding_box
    directions = half_sphere(_DIRECTIONS, problem.dimension, np.random.default_rng(0)) / (upper - lower)
    powers = np.prod(directions[:, None, :] ** principal.orders, axis=2)
    values = without_phase(powers @ principal.coefficients.T)
    if values is None:
        return False
    smaller = np.minimum(values.max(axis=0), -values.min(axis=0))
    return bool(np.any(smaller > _BOTH_SIGNS * np.abs(values).max(axis=0)))


def _has_free_part(problem: Problem) -> bool:
    """Whether a part of the boundary is without any condition."""
    held = {part.name for relation in problem.constraints for part in relation.region.parts}
    parts = problem.domain.boundary([str(symbol) for symbol in problem.coordinates])
    return any(part.name not in held for part in parts)
