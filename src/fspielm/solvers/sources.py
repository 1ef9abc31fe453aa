"""Where to place sources outside of a domain, for solutions that exponentials do not hold.

A solution continues beyond the boundary as far as its nearest singularity: a source close by, a notch, a corner. The
data show how far that is, place by place. Sources at about half of that distance, as far from each
other as a fraction of it, then hold the solution to many digits with coefficients of its own size; towards a corner
they crowd geometrically (A. Gopal, L. N. Trefethen, SIAM J. Numer. Anal. 57, 2019).

An analytic function has a singularity somewhere beside the curve. Sixteen Chebyshev coefficients on a panel fall to
rounding where the panel is about half as long as that singularity is far, and no sooner.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, final

import numpy as np
from numpy.polynomial import chebyshev

from fspielm.arrays import BoolArray, FloatArray
from fspielm.collocation import Crowd, Points, first_edges, nearest_of
from fspielm.equations import Problem, Relation
from fspielm.equations.beside import domain_size
from fspielm.features import Basis, SourceBasis
from fspielm.features.special import helmholtz_ratio, is_isotropic, is_plane
from fspielm.geometry import BoundaryPart, Sites, halves
from fspielm.solvers.source_corners import CHANGE, FINEST, SourceCorners, find_source_corners, last_length, value_scales

# Distance of the sources from a panel, in units of its length.
_OFFSET = 1.2
# A source may be closer than that to another piece of the boundary, but not much.
_CLEAR = 0.7
# What data may have left unresolved, in units of the tolerance, and what is tried if that takes too many sources.
_UNRESOLVED = 1e-3
_COARSEST = 1e-4
_COARSER = 100.0
# More than one of them for each that can have sources: some lose theirs, or have fewer.
_MOST_PANELS = 4
# Share of the sources that is left on the shortest panels at a corner: what varies there is small.
_TAPERED = 0.4
# Points along the whole boundary, beside those on panels, that distances from it are told by.
_ALONG = 3000
# Further rows for each source, crowded where sources are.
_ROWS_PER_SOURCE = 2.0
# Functions ``(s, n)`` at n sites, in units of what may be left unresolved of each.
Signals: TypeAlias = Callable[[Sites], FloatArray]
_NODES = 16
# The last so many coefficients tell whether a panel is resolved: of even and odd functions, every other one is zero.
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
    # coefficients of a wave begin to fall beyond its phase along half of a panel, over a stretch like its cube root
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


def source_columns(
    problem: Problem,
    basis: Basis,
    coefficients: FloatArray,
    *,
    tol: float,
    most: int,
    density: int = 8,
    fine: bool = False,
    threads: int,
) -> SourceBasis | None:
    """Sources for a problem whose solution is not within reach of `basis`; in the place of those that it has.

    None where the equation is not Laplace's or Helmholtz' with constant coefficients in the plane, and where no place
    asks for sources.

    Parameters
    ----------
    problem
    basis, coefficients
        The best solution so far: its residual tells which corners are singular.
    tol : float
        The tolerance that is aimed at.
    most : int
        How many sources there may be; data are resolved to fewer digits if these are not enough.
    density : int
        Sources to a panel; more of them for more digits, and smaller coefficients.
    fine : bool
        Whether panels are so short that not even waves vary much along one: a singularity some wavelengths away
        does not show on longer ones.
    threads : int
    """
    if not is_plane(problem):
        return None
    lower, _ = problem.domain.bounding_box
    if not is_isotropic(problem, (float(lower[0]), float(lower[1]))):
        return None
    ratio = helmholtz_ratio(problem)
    constraints = [c for c in problem.constraints if c.region.kind == "boundary" and c.region.shift is None]
    if ratio is None or not constraints:
        return None
    size = 0.5 * domain_size(problem)
    limits = Limits(
        longest=size,
        shortest=size * max(tol, FINEST),
        closest=last_length(tol, CHANGE, size),
        wavenumber=0.0 if fine else math.sqrt(max(ratio, 0.0)),
        most=_MOST_PANELS * most // density,
    )
    unresolved = max(_UNRESOLVED * tol, FINEST)
    choices = find_source_corners(problem, constraints, basis, coefficients, tol, size, threads)
    while unresolved <= _COARSEST:
        for corners, reach in choices:
            panels = _all_panels(constraints, size, unresolved, corners, limits)
            points, clearances = _place(problem, panels or [], density)
            if 0 < len(points) <= most and clearances.min() <= reach:
                return SourceBasis(points, ratio, clearances)
        unresolved *= _COARSER
    return None


def crowded(points: Points, sources: SourceBasis) -> Points:
    """Points with further rows for `sources`, as close to each other as those ask for."""
    return replace(points, crowd=Crowd(sources.points, int(_ROWS_PER_SOURCE * sources.size)))


def _all_panels(
    constraints: list[Relation], size: float, unresolved: float, corners: SourceCorners, limits: Limits
) -> list[Panels] | None:
    found, scales = [], value_scales(constraints)
    for constraint in constraints:

        def signals(sites: Sites, c: Relation = constraint) -> FloatArray:
            values = c.value.checked(sites.points, f"the value of {c.name!r}", sites.normals) / scales[c.name]
            parts = [values.real, values.imag] if np.iscomplexobj(values) else [values]
            # the curve itself too: data that vary slowly along a sharp bend make no smooth solution
            return np.stack([*parts, *(sites.points.T / size)]) / unresolved

        panels = resolve(constraint, signals, corners, limits)
        if panels is None:
            return None
        found.append(panels)
    return found


def _place(problem: Problem, panels: list[Panels], density: int) -> tuple[FloatArray, FloatArray]:
    """Sources ``(n, 2)`` beside the panels that were halved, and their distances from the boundary."""
    points, offsets = [np.empty((0, 2))], [np.empty(0)]
    for on_part in panels:
        numbers = np.round(density * (1.0 - (1.0 - _TAPERED) * on_part.graded)).astype(int)
        for number in np.unique(numbers):
            chosen = on_part.select((numbers == number) & (on_part.halvings > 0))
            sites = chosen.along(number)
            offset = np.repeat(_OFFSET * chosen.lengths, number)
            assert sites.normals is not None  # every boundary part has them
            points.append(sites.points + offset[:, None] * sites.normals)
            offsets.append(offset)
    sources, offset = np.concatenate(points), np.concatenate(offsets)
    if not len(sources):
        return sources, offset
    boundary = [on_part.along(2 * density).points for on_part in panels]
    clearances = nearest_of(np.concatenate([*boundary, *_even(panels)]))(sources)
    clear = (clearances >= _CLEAR * offset) & ~problem.domain.contains(sources)
    return sources[clear], clearances[clear]


def _even(panels: list[Panels]) -> list[FloatArray]:
    """Points all along the boundary: on long panels, there are too few otherwise to tell distances from."""
    total = sum(on_part.part.measure for on_part in panels)
    numbers = [math.ceil(_ALONG * on_part.part.measure / total) for on_part in panels]
    return [p.part.place(np.linspace(0.0, 1.0, n)[:, None]).points for p, n in zip(panels, numbers, strict=True)]
