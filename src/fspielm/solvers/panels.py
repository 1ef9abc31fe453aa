"""Panels of a boundary, so short that functions on it are resolved: the length over which they vary, place by place.

An analytic function has a singularity somewhere beside the curve. Sixteen Chebyshev coefficients on a panel fall to
rounding where the panel is about half as long as that singularity is far, and no sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, final

import numpy as np
from numpy.polynomial import chebyshev

from fspielm.arrays import BoolArray, FloatArray
from fspielm.collocation import first_edges
from fspielm.equations import Relation
from fspielm.geometry import BoundaryPart, Sites, halves
from fspielm.solvers.source_corners import SourceCorners

# Functions ``(s, n)`` at n sites, in units of what may be left unresolved of each.
Signals: TypeAlias = Callable[[Sites], FloatArray]

_NODES = 16
_TAIL = 3
# How close to a corner an end of a panel must be, in units of its length, to be there.
_TOUCHES = 1e-2


@final
@dataclass(frozen=True)
class Limits:
    """How long panels may be.

    Attributes
    ----------
    longest, shortest : float
        Lengths to begin with, and to end at.
    closest : float
        Length to end at where one condition gives way to another within a part.
    wavenumber : float
        Of oscillations that are no reason to shorten a panel.
    most : int
        More panels than this are too many.
    """

    longest: float
    shortest: float
    closest: float
    wavenumber: float
    most: int


@final
@dataclass(frozen=True, eq=False)
class Panels:
    """Pieces of the part of the boundary that a constraint is on.

    Attributes
    ----------
    part : BoundaryPart
    ends : (n, 2) array
        Of each panel, in the unit coordinate.
    halvings : (n,) array
        How often the first panels were halved for each. A first panel counts as halved once if one of twice its length
        would have been: the pieces of a boundary may be short themselves.
    graded : (n,) array
        How far on the way to a corner those are that were last halved for its sake alone, in octaves: one for the
        last. Zero for the others.
    """

    part: BoundaryPart
    ends: FloatArray
    halvings: FloatArray
    graded: FloatArray

    @property
    def lengths(self) -> FloatArray:
        """Length of each panel."""
        return self.part.measure * np.diff(self.ends, axis=1)[:, 0]

    def along(self, n: int) -> Sites:
        """The middles of `n` equal pieces of each panel, panel by panel."""
        return self.part.place(_between(self.ends, (np.arange(n) + 0.5) / n).reshape(-1, 1))

    def select(self, index: BoolArray) -> Panels:
        """Some of the panels."""
        return Panels(self.part, self.ends[index], self.halvings[index], self.graded[index])


def resolve(constraint: Relation, signals: Signals, corners: SourceCorners, limits: Limits) -> Panels | None:
    """Halve panels until the signals are resolved on each, and towards corners.

    None where that takes too many: functions that are not smooth anywhere, as noise is not.
    """
    part = constraint.part
    assert part is not None
    cells = int(np.ceil(np.diff(part.breaks).max() * part.measure / limits.longest))
    edges = first_edges(part, cells)
    first = np.zeros(len(edges) - 1)
    panels = Panels(part, np.stack([edges[:-1], edges[1:]], axis=1), first, first)
    done: list[Panels] = []
    while len(panels.ends):
        held, unresolved, cut, barely = _look(constraint, panels, signals, limits.wavenumber)
        if not done:
            panels = replace(panels, halvings=np.where(barely & (panels.lengths <= 0.5 * limits.longest), 1.0, 0.0))
        last = np.minimum(_last_lengths(panels, corners), np.where(cut, limits.closest, np.inf))
        halved = panels.lengths / 2
        split = held & ((unresolved & (halved >= limits.shortest)) | (halved >= last))
        done.append(panels.select(held & ~split))
        if sum(len(p.ends) for p in done) + 2 * np.count_nonzero(split) > limits.most:
            return None
        # those that were halved for more than a corner are not graded, whatever `last` is
        way = _share_of_octaves(limits.longest, halved, last)
        panels = _halved(panels.select(split), np.where(unresolved, 0.0, way)[split])
    return Panels(
        part,
        np.concatenate([p.ends for p in done]),
        np.concatenate([p.halvings for p in done]),
        np.concatenate([p.graded for p in done]),
    )


def _halved(panels: Panels, graded: FloatArray) -> Panels:
    ends = np.stack(halves(*panels.ends.T), axis=1)
    return Panels(panels.part, ends, np.tile(panels.halvings + 1, 2), np.tile(graded, 2))


def _look(
    constraint: Relation, panels: Panels, signals: Signals, wavenumber: float
) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
    """Which panels the constraint holds on, on which signals are unresolved, and on a piece of which only it holds.

    Last, which of them signals would not be resolved on with half of the nodes.
    """
    reach = 0.5 * wavenumber * float(panels.lengths.max())
    nodes = _NODES + int(1.1 * reach + 3.0 * np.cbrt(reach))
    abscissae = chebyshev.chebpts1(nodes)
    sites = panels.part.place(_between(panels.ends, 0.5 * (1.0 + abscissae)).reshape(-1, 1))
    holds = constraint.holds(sites.points)
    values = np.zeros((1, len(sites)))
    if holds.any():
        found = signals(sites.select(holds))
        values = np.zeros((len(found), len(sites)))
        values[:, holds] = found
    # first-kind points: the transpose of the Vandermonde matrix is its inverse, up to the factor
    upper = (2.0 / nodes) * chebyshev.chebvander(abscissae, nodes - 1)[:, nodes // 2 :]
    sizes = np.abs(values.reshape(len(values), -1, nodes) @ upper).max(axis=0)
    there = holds.reshape(-1, nodes)
    held, cut = np.asarray(there.any(axis=1)), np.asarray(there.any(axis=1) & ~there.all(axis=1))
    return held, (sizes[:, -_TAIL:].max(axis=1) > 1.0) & ~cut, cut, (sizes.max(axis=1) > 1.0) & ~cut


def _last_lengths(panels: Panels, corners: SourceCorners) -> FloatArray:
    """How short panels at the corners are to be in the end; infinity for the others."""
    ends = panels.part.place(panels.ends.reshape(-1, 1)).points.reshape(-1, 2, 1, 2)
    distances = np.linalg.norm(ends - corners.points, axis=3).min(axis=1)
    touching = distances <= _TOUCHES * panels.lengths[:, None]
    return np.asarray(np.where(touching, corners.lengths, np.inf).min(axis=1, initial=np.inf))


def _share_of_octaves(longest: float, now: FloatArray, last: FloatArray) -> FloatArray:
    """How far on the way from the longest to the last length a length is; zero where there is no last."""
    octaves = np.log2(longest / np.minimum(last, 0.5 * longest))
    return np.where(np.isfinite(last), np.clip(np.log2(longest / now) / octaves, 0.0, 1.0), 0.0)


def _between(ends: FloatArray, shares: FloatArray) -> FloatArray:
    """Unit coordinates ``(n, len(shares))`` at these shares of every panel."""
    return ends[:, :1] + np.diff(ends, axis=1) * shares
