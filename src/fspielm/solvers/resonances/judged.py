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
# Places on a circle, of radius one; and by how much the next one is larger.
_WAYS, _LARGER = (1.0, -0.5 + 0.75j), 4.0
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

    Where several resonances are about to meet, in one field rather than in several, what is driven grows faster toward
    them, and errors are roots: there circles are made larger until r drives less than one on them.
    """
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
            shown = _AMPLE * found.radius * driven * float(size)
            if len(found.values) > 1:
                shown = _reached(functions, value, _AMPLE * float(size), shown, found.radius)
            estimate = max(shown, moved) + _ROUNDING * abs(value)
            if estimate > found.radius:  # beyond which nothing is known
                estimate = np.inf
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


def _reached(functions: OpenFunctions, value: complex, left: float, first: float, most: float) -> float:
    """The radius of a circle on which what is left drives less than one: resonances stay within it."""
    radius = max(first, _ROUNDING * abs(value))
    while radius < most:
        driven = max(functions.at(value + radius * way).amplification for way in _WAYS)
        if left * driven <= 1:
            return radius
        radius *= _LARGER
    return np.inf
