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
from scipy.spatial import cKDTree

from fspielm.arrays import FloatArray
from fspielm.collocation import Crowd, Points
from fspielm.equations import Constraint, Problem
from fspielm.features import Basis, SourceBasis
from fspielm.geometry import Sites
from fspielm.solution import evaluate
from fspielm.solvers.corner_functions import helmholtz_ratio, is_isotropic
from fspielm.solvers.panels import Limits, Panels, resolve

# Distance of the sources from a panel, in units of its length.
_OFFSET = 1.2
# A source may be closer than that to another piece of the boundary, but not much.
_CLEAR = 0.7
# What data may have left unresolved, in units of the tolerance, and what is tried if that takes too many sources.
_UNRESOLVED = 1e-3
_FINEST, _COARSEST = 1e-12, 1e-4
_COARSER = 100.0
# How close to a corner sources come, in units of the tolerance and the size of the domain.
_CLOSEST = 0.1
# Share of the sources that is left on the shortest panels at a corner: what varies there is small.
_TAPERED = 0.4
# A corner is singular where the residual beside it is at least this share of the largest one.
_SINGULAR = 0.1
_SAMPLES = 400
_ROWS_PER_SOURCE = 2.0


def source_columns(
    problem: Problem,
    basis: Basis,
    coefficients: FloatArray,
    *,
    tol: float,
    most: int,
    density: int = 8,
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
    threads : int
    """
    if problem.dimension != 2 or problem.domain.time is not None:
        return None
    lower, upper = problem.domain.bounding_box
    if not is_isotropic(problem, (float(lower[0]), float(lower[1]))):
        return None
    ratio = helmholtz_ratio(problem)
    constraints = [c for c in problem.constraints if c.region.kind == "boundary" and c.region.shift is None]
    if ratio is None or not constraints:
        return None
    size = 0.5 * float(np.linalg.norm(upper - lower))
    corners = _singular_corners(problem, constraints, basis, coefficients, size, threads)
    unresolved = max(_UNRESOLVED * tol, _FINEST)
    while unresolved <= _COARSEST:
        shortest = size * max(_CLOSEST * tol, _FINEST)
        limits = Limits(size, shortest, math.sqrt(max(ratio, 0.0)), 4 * most // density)
        panels = _all_panels(constraints, size, unresolved, corners, limits)
        placed = None if panels is None else _place(problem, panels, density, shortest / size)
        if placed is not None and len(placed[0]) <= most:
            return SourceBasis(placed[0], ratio, placed[1]) if len(placed[0]) else None
        unresolved *= _COARSER
    return None


def crowded(points: Points, sources: SourceBasis) -> Points:
    """Points with further rows for `sources`, as close to each other as those ask for."""
    return replace(points, crowd=Crowd(sources.points, int(_ROWS_PER_SOURCE * sources.size)))


def _all_panels(
    constraints: list[Constraint], size: float, unresolved: float, corners: FloatArray, limits: Limits
) -> list[Panels] | None:
    found = []
    for constraint in constraints:
        alike = [c for c in constraints if c.operator.order == constraint.operator.order]
        scale = max(_largest_value(c) for c in alike) or 1.0

        def signals(sites: Sites, c: Constraint = constraint, scale: float = scale) -> FloatArray:
            values = c.value.checked(sites.points, f"the value of {c.name!r}") / scale
            # the curve itself too: data that vary slowly along a sharp bend make no smooth solution
            return np.stack([values, *(sites.points.T / size)]) / unresolved

        panels = resolve(constraint, signals, corners, limits)
        if panels is None:
            return None
        found.append(panels)
    return found


def _largest_value(constraint: Constraint) -> float:
    return float(np.abs(constraint.value(_spread(constraint).points)).max(initial=0.0))


def _spread(constraint: Constraint) -> Sites:
    """Sites all over a constraint's region."""
    assert constraint.part is not None
    return constraint.part.place((np.arange(_SAMPLES)[:, None] + 0.5) / _SAMPLES)


def _place(problem: Problem, panels: list[Panels], density: int, depth: float) -> tuple[FloatArray, FloatArray]:
    """Sources ``(n, 2)`` beside the panels that were halved, and their distances from the boundary."""
    points, offsets = [], []
    for on_part in panels:
        taper = on_part.halvings / max(-math.log2(depth), 1.0) * on_part.graded
        numbers = np.maximum(np.round(density * (1.0 - (1.0 - _TAPERED) * np.minimum(taper, 1.0))), 2.0)
        for number in np.unique(numbers):
            chosen = on_part.select((numbers == number) & (on_part.halvings > 0))
            sites = chosen.along(int(number))
            offset = np.repeat(_OFFSET * chosen.lengths, int(number))
            assert sites.normals is not None  # every boundary part has them
            points.append(sites.points + offset[:, None] * sites.normals)
            offsets.append(offset)
    sources, offset = np.concatenate(points), np.concatenate(offsets)
    boundary = [on_part.along(2 * density).points for on_part in panels]
    spread = [on_part.part.place(np.linspace(0.0, 1.0, 10 * _SAMPLES)[:, None]).points for on_part in panels]
    clearances = cKDTree(np.concatenate([*boundary, *spread])).query(sources)[0]
    clear = (clearances >= _CLEAR * offset) & ~problem.domain.contains(sources)
    return sources[clear], clearances[clear]


def _singular_corners(
    problem: Problem,
    constraints: list[Constraint],
    basis: Basis,
    coefficients: FloatArray,
    size: float,
    threads: int,
) -> FloatArray:
    """The corners ``(c, 2)`` beside which the residual is large, or sources are already."""
    corners = np.array([corner.point for corner in problem.domain.corners()]).reshape(-1, 2)
    if not len(corners):
        return corners
    beside, everywhere = np.zeros(len(corners)), 0.0
    for constraint in constraints:
        assert constraint.part is not None
        scale = max(_largest_value(c) for c in constraints if c.operator.order == constraint.operator.order) or 1.0
        near = _near_breaks(constraint)
        for sites in (near, _spread(constraint)):
            pieces = [
                evaluate(basis, coefficients, operator, there, threads=threads, method="direct")
                for operator, there in constraint.pieces(sites)
            ]
            residual = np.abs(np.sum(pieces, axis=0) - constraint.value(sites.points)) / scale
            residual = np.where(constraint.holds(sites.points), residual, 0.0)
            everywhere = max(everywhere, float(residual.max()))
            distances = np.linalg.norm(sites.points[:, None] - corners, axis=2)
            close = distances <= 0.1 * size
            beside = np.maximum(beside, np.where(close, residual[:, None], 0.0).max(axis=0))
    there = [part.points for part in getattr(basis, "parts", ()) if isinstance(part, SourceBasis)]
    taken = cKDTree(np.concatenate(there)).query(corners)[0] <= 1e-3 * size if there else np.zeros(len(corners), bool)
    return np.asarray(corners[(beside >= _SINGULAR * everywhere) | taken])


def _near_breaks(constraint: Constraint) -> Sites:
    """Sites ever closer to the ends of the smooth pieces of a constraint's part."""
    part = constraint.part
    assert part is not None
    breaks = np.array(part.breaks)
    steps = np.diff(breaks)[:, None] * np.logspace(-7, -1, 25)
    return part.place(np.concatenate([breaks[:-1, None] + steps, breaks[1:, None] - steps]).reshape(-1, 1))
