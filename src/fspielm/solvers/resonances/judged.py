"""How certain resonances are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.arrays import ComplexArray
from fspielm.solvers.resonances.functions import Left, OpenFunctions, Rows
from fspielm.solvers.resonances.pinned import Pinned, clusters
from fspielm.solvers.trial import FeatureTrial

# Values that are closer, of their size, are one, of so many functions.
_SAME = 1e-9
# Of the radius of a circle, that of another one within.
_NEARER = 0.3
# What an error of the first order is multiplied with; rounding of a value.
_AMPLE, _ROUNDING = 3.0, 4e-15


@final
@dataclass(frozen=True, eq=False)
class Judged:
    """A resonance.

    Attributes
    ----------
    value : complex
    estimate : float
        Of its error.
    relative : float
        The same of its field.
    trial : FeatureTrial
        What it was found with.
    rows : Rows
        At the value.
    coefficients : (M,) array
    left : tuple of Left
        In conditions.
    rank : int
        How many functions do not depend on others.
    condition : float
        Of those.
    """

    value: complex
    estimate: float
    relative: float
    trial: FeatureTrial
    rows: Rows
    coefficients: ComplexArray
    left: tuple[Left, ...]
    rank: int
    condition: float


def judged(functions: OpenFunctions, found: Pinned, before: Pinned) -> Iterator[Judged]:
    """Resonances that other functions had seen before, with estimates of their errors.

    A field v of size one in the window that leaves r in the conditions is what r drives at its value s. Beside a
    resonance at s + e, what anything drives is v over the distance from there, so e is no larger than r times what data
    of size one drive at a distance, times this distance. Functions that are fewer had other errors: the difference is
    an estimate too, and the larger one is taken.

    Where several resonances are about to meet, in one field rather than in several, what is driven grows as a higher
    power of the distance, and errors are roots: that power is measured on a smaller circle.
    """
    power = _power(functions, found)
    for own in clusters(found.values, _SAME):
        value = complex(found.values[own].mean())
        rows = functions.at(value)
        coefficients, rank, condition = rows.smallest(len(own))
        left = functions.left(rows, coefficients)
        sizes = np.linalg.norm([each.scale * np.linalg.norm(each.values, axis=0) for each in left], axis=0)
        driven = functions.at(value + found.radius).amplification
        is_clear = found.is_whole and len(before.values) == len(found.values) < functions.drives
        moved = float(np.abs(before.values - value).min()) if is_clear else np.inf
        for place, size in enumerate(sizes):
            shown = found.radius * (_AMPLE * driven * float(size)) ** (1 / power)
            estimate = max(shown, moved) + _ROUNDING * abs(value)
            yield Judged(
                value,
                estimate,
                estimate / found.radius,
                functions.trial,
                rows,
                coefficients[:, place],
                tuple(replace(each, values=each.values[:, place]) for each in left),
                rank,
                condition,
            )


def _power(functions: OpenFunctions, found: Pinned) -> float:
    """How fields that are driven grow toward resonances, as a power of the distance; one for a single resonance."""
    if len(found.values) == 1:
        return 1.0
    middle = complex(found.values.mean())
    far, near = (functions.at(middle + share * found.radius).amplification for share in (1.0, _NEARER))
    return float(np.clip(np.log(near / far) / -np.log(_NEARER), 1.0, len(found.values)))
