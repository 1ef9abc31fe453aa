"""Where to place sources outside of a domain, for solutions that exponentials do not hold.

A solution continues beyond the boundary as far as its nearest singularity: a source close by, a notch, a corner. The
data show how far that is, place by place (see `panels`). Sources at about half of that distance, as far from each
other as a fraction of it, then hold the solution to many digits with coefficients of its own size; towards a corner
they crowd geometrically (A. Gopal, L. N. Trefethen, SIAM J. Numer. Anal. 57, 2019).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation import Crowd, Points, nearest_of
from fspielm.equations import Problem, Relation
from fspielm.equations.beside import domain_size
from fspielm.features import Basis, SourceBasis
from fspielm.features.special import helmholtz_ratio, is_isotropic, is_plane
from fspielm.geometry import Sites
from fspielm.solvers.panels import Limits, Panels, resolve
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
