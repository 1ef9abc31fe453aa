"""Whether a sensitivity has settled: at a resonance it grows as long as functions are added.

The function that residuals see least is held by a basis to some digits, and the sensitivity ends with those, be the
problem well-posed or at a resonance. Where it is well-posed, a part of the functions shows nearly the same sensitivity;
at a resonance every function that is added shows more of it. An estimate rests on a sensitivity that has settled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fspielm.accuracy.held_out import HeldOut
from fspielm.accuracy.misfit import Unfitted
from fspielm.accuracy.sensitivity import Sensitivity, largest_amplification
from fspielm.arrays import safe_rms
from fspielm.collocation import BlockRows, Finite, make_blocks
from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.errors import ProblemError
from fspielm.features import Basis
from fspielm.linalg import Factored
from fspielm.spectrum import waves_at

# Radians that a wave of the equation turns across the domain, if it may resonate there.
_RADIANS = 1.0
# The share of a basis beside which all of it is to show no more than so many times the sensitivity.
_SHARE, _GROWTH = 0.7, 1.5
# In cells: what the last degrees alone leave of the function that residuals see least, over what all of them do.
_CANCELLED = 3.5


@once
def may_resonate(problem: Problem) -> bool:
    """Whether waves of a steady equation fit into its domain, which is bounded."""
    if problem.domain.time is not None or problem.domain.is_unbounded:
        return False
    lower, upper = problem.domain.bounding_box
    try:
        _, waves = waves_at(problem, np.zeros(problem.dimension))
    except ProblemError:  # a coefficient has no value at one of many points: whoever needs it there says so
        return True
    return bool(np.any(waves * (upper - lower) > _RADIANS))


def has_settled(
    finite: Finite, blocks: Sequence[BlockRows], factored: Factored, held_out: HeldOut, sensitivity: Sensitivity
) -> bool:
    """Whether a sensitivity would hardly grow with more functions."""
    if not 0 < sensitivity.amplification < np.inf or not may_resonate(finite.problem):
        return True
    worst = int(np.argmax(sensitivity.each))
    Phi = sensitivity.values[worst]
    if finite.basis.is_piecewise:
        last = finite.last_degrees(sensitivity.null)
        left = {
            block.name: held_out.apply(block, finite.basis, last, finite.threads)
            for block in make_blocks(finite.problem, held_out.sites)
        }
        size = safe_rms(Phi @ sensitivity.null)
        return Unfitted(finite, blocks, held_out).norm(left) * sensitivity.amplification <= _CANCELLED * size
    some = _some(finite.basis)
    fewer, _ = largest_amplification(Phi[:, some], factored.restricted(some), np.random.default_rng(0))
    return sensitivity.amplification <= _GROWTH * fewer


def _some(basis: Basis) -> NDArray[np.intp]:
    """The first of the functions of each kind, which fill its band as evenly as all of them; those at corners, all."""
    found, start = [], 0
    for leaf in basis.leaves:
        kept = leaf.size if leaf.frequencies is None else max(int(_SHARE * leaf.size), 1)
        found.append(start + np.arange(kept))
        start += leaf.size
    return np.concatenate(found)
