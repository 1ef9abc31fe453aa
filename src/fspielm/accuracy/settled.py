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
from fspielm.arrays import BoolArray, safe_rms
from fspielm.collocation import BlockRows, Discretisation, Finite, make_blocks
from fspielm.equations import Problem
from fspielm.equations.once import once
from fspielm.errors import ProblemError
from fspielm.features import Band, Basis
from fspielm.features.band import in_rounded_box
from fspielm.features.each import Each
from fspielm.linalg import Factored
from fspielm.spectrum import waves_at

# Radians that a wave of the equation turns across the domain, if it may resonate there.
_RADIANS = 1.0
# A band is to show no more than so many times the sensitivity of a narrower one, with this share of what it has beyond
# the problem's frequencies; on an interval, and above. Fewer functions in the same band may show all that it can hold.
_MARGIN, _GROWTH, _GROWTH_ABOVE = 0.3, 1.5, 1.9
# Or, where only the last functions show more, as those do that few rows hold: a band without these, no more than so
# many times the sensitivity of the problem's frequencies alone. At a resonance every function shows more.
_WITHOUT_LAST, _LITTLE_GROWTH = 0.7, 1.25
# Of other families, the share of the functions that stands for the problem's frequencies.
_SHARE = 0.57
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

    def shown(margin: float) -> float:
        some = _slower(finite, margin)
        return largest_amplification(Phi[:, some], factored.restricted(some), np.random.default_rng(0))[0]

    growth = _GROWTH if finite.problem.dimension == 1 else _GROWTH_ABOVE
    if sensitivity.amplification <= growth * shown(_MARGIN):
        return True
    return shown(_WITHOUT_LAST) <= _LITTLE_GROWTH * shown(0.0)


def _slower(finite: Finite, margin: float) -> NDArray[np.intp]:
    """The columns of a narrower band; of any other family, the first; of functions without frequencies, all."""
    family = finite.family if isinstance(finite, Discretisation) else None
    band = family.family if isinstance(family, Each) else family

    def kept(leaf: Basis) -> BoolArray:
        if leaf.frequencies is None:
            return np.ones(leaf.size, dtype=np.bool_)
        if not isinstance(band, Band) or band.core is None:
            return np.arange(leaf.size) < (_SHARE + (1 - _SHARE) * margin) * leaf.size
        core, widths = np.array(band.core), np.array(band.widths)
        return in_rounded_box(leaf.frequencies.real, core, core + margin * (widths - core))

    return np.flatnonzero(np.concatenate([kept(leaf) for leaf in finite.basis.leaves]))
