"""Resonances pinned down, by integrals around them.

The field that something drives is meromorphic in the value. Its integral around a resonance is the residue there, and
that of the field times the distance tells where: all of them at once, of several and of multiple ones too (W.-J. Beyn,
Linear Algebra Appl. 436, 2012).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray
from fspielm.solvers.record import Record
from fspielm.solvers.resonances.functions import OpenFunctions
from fspielm.solvers.resonances.rectangle import Rectangle
from fspielm.solvers.resonances.search import Found

# Places on the first circle, and on the last ones, which are so small that nothing else matters there.
_NODES, _LAST_NODES = 8, 6
# Radius of the last circle, of the size of a value; and in units of the distance of several in it.
_CLOSE, _AROUND = 1e-3, 4.0
# Of that radius, the one of circles on which all digits are found.
_SHARE = 0.1
# Of the distance to others, the radius of the first.
_APART = 0.3
# Circles around a pole that was seen, each so much smaller, until it is well within.
_CIRCLES, _SMALLER = 3, 0.25
# What residues are beside what is on the circle, where there is no pole; and beside the largest of them.
_NOTHING, _NO_FURTHER = 1e-6, 1e-5
# The same on the last circle, where others are far. Where resonances are about to meet, residues are much less than
# what is on a circle.
_SURE = 1e-7


@final
@dataclass(frozen=True, eq=False)
class Pinned:
    """Resonances that are close to each other.

    Attributes
    ----------
    values : (m,) array
    radius : float
        Of a circle around them, without others.
    seen : int
        How many of them any functions have seen.
    """

    values: ComplexArray
    radius: float
    seen: int

    @property
    def is_whole(self) -> bool:
        """Whether there are as many as ever."""
        return len(self.values) >= self.seen


def pinned(functions: OpenFunctions, seen: Found, rectangle: Rectangle, record: Record) -> Iterator[Pinned]:
    """What there is at poles of a rectangle that were seen, to some digits, or nothing; with others beside these.

    As long as there is time.
    """
    poles = seen.poles
    groups = list(clusters(poles, _CLOSE))
    middles = np.array([poles[group].mean() for group in groups])
    for group, middle in zip(groups, middles, strict=True):
        if record.seconds_left <= 0:
            return
        if not np.any(rectangle.contains(poles[group], _CLOSE * abs(middle))):
            continue
        others = np.abs(np.concatenate([middles[middles != middle], seen.beside]) - middle)
        least = max(_AROUND * float(np.abs(poles[group] - middle).max()), _CLOSE * abs(middle))
        apart = float(np.min(others[others > least], initial=np.inf))
        # beyond the rectangle there may be many, which nobody has looked for
        reach = max(min(_APART * apart, 0.1 * abs(middle), 0.5 * middle.real, rectangle.longer), least)
        first, within = _first(functions, complex(middle), reach)
        for own in clusters(first, _CLOSE):
            radius = min(_last_radius(first, own), within)
            found = again(functions, Pinned(first[own], radius, len(own)))
            if found is not None:
                yield found


def _first(functions: OpenFunctions, middle: complex, reach: float) -> tuple[ComplexArray, float]:
    """The poles around one that was seen, and the radius of the circle that they are in.

    On smaller circles where others, which were not seen, hide it.
    """
    for radius in (reach * _SMALLER ** np.arange(_CIRCLES)).tolist():
        found = _integrated(functions, middle, radius, _NODES, _NOTHING)
        if np.min(np.abs(found - middle), initial=np.inf) <= _SMALLER * radius:
            return found, radius
    return np.empty(0, dtype=np.complex128), reach


def again(functions: OpenFunctions, known: Pinned) -> Pinned | None:
    """The same resonances to all digits of some functions, on a circle that is smaller; None if there are none."""
    middle = complex(known.values.mean())
    smaller = max(_SHARE * known.radius, _AROUND * float(np.abs(known.values - middle).max()))
    for own in sorted({smaller, max(smaller, known.radius)}):  # the larger one if these functions move them much
        found = _integrated(functions, middle, own, _LAST_NODES, _SURE)
        if len(found):
            return Pinned(found, known.radius, max(known.seen, len(found)))
    return None


def clusters(values: ComplexArray, share: float) -> Iterator[NDArray[np.intp]]:
    """Places of values that are no farther from each other than a share of their size, from one to the next."""
    left = list(range(len(values)))
    while left:
        own = [left.pop(0)]
        for place in own:
            near = [other for other in left if abs(values[other] - values[place]) <= share * abs(values[place])]
            own += near
            left = [other for other in left if other not in near]
        yield np.array(own)


def _last_radius(values: ComplexArray, own: NDArray[np.intp]) -> float:
    middle = complex(values[own].mean())
    others = np.delete(values, own)
    wanted = max(_CLOSE * abs(middle), _AROUND * float(np.abs(values[own] - middle).max()))
    return min(wanted, _APART * float(np.min(np.abs(others - middle), initial=np.inf)))


def _integrated(functions: OpenFunctions, center: complex, radius: float, nodes: int, least: float) -> ComplexArray:
    """The poles within a circle, whose residues are not less than that, in units of what is on it.

    None where there may be more than different data can tell apart.
    """
    turns = np.exp(2j * np.pi * (np.arange(nodes) + 0.5) / nodes)
    fields = np.array([functions.at(center + radius * complex(turn)).response for turn in turns])
    residue, moment = (np.tensordot(turns**power, fields, 1) / nodes for power in (1, 2))
    U, S, Vh = np.linalg.svd(residue, full_matrices=False)
    largest = float(np.linalg.norm(fields, axis=(1, 2)).max())
    kept = np.flatnonzero(max(least * largest, _NO_FURTHER * S[0]) < S)
    if len(kept) == functions.drives:
        return np.empty(0, dtype=np.complex128)
    U, S, Vh = U[:, kept], S[kept], Vh[kept]
    steps = np.linalg.eigvals((U.conj().T @ moment @ Vh.conj().T) / S)
    return np.asarray(center + radius * steps[np.abs(steps) <= 1])
