"""Modes beyond those that are wanted: known so roughly that they may be among them.

Cells are made smaller where the wanted modes need it. A well in which none of these lives stays as it was, and modes of
it are seen far above where they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fspielm.solvers.modes.round import Round
from fspielm.solvers.record import Record
from fspielm.wording import MORE_TIME

# How many of those next to the wanted ones are looked at.
_LOOKS = 2
# Of the spread of the wanted ones, and of the distance to them, how far one may be in among them.
_SLACK = 1e-3


def may_belong(best: Round, record: Record) -> str:
    """What to say of a mode that may be one of the wanted ones, by its error; empty if there is none."""
    if not best.inverse.symmetric or not len(best.wanted):
        return ""
    if record.seconds_left <= 0:
        return f"there was no time to look at modes next to these, some of which may be missing; {MORE_TIME}"
    values = (best.inverse.shift + best.found.mu).real
    low, high = float(best.values.real.min()), float(best.values.real.max())
    apart = np.maximum(values - high, low - values)
    others = np.setdiff1d(np.flatnonzero(apart > 0), best.wanted)
    next_ones = others[np.argsort(apart[others])[:_LOOKS]]
    if not len(next_ones):
        return ""
    beyond = replace(best, wanted=next_ones)
    errors = beyond.errors(beyond.singles(record))
    for place, error in zip(next_ones, errors, strict=True):
        if error > apart[place] + _SLACK * (high - low + apart[place]):
            known = f"to {error:.1e} only" if np.isfinite(error) else "to no digit"
            return (
                f"a mode about {values[place]:.6g} is known {known}, and may be among these: some may be missing; ask "
                "for a smaller tolerance, or for more modes"
            )
    return ""
