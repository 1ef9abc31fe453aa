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

from fspielm.arrays import BoolArray, FloatArray
from fspielm.collocation import Crowd, Points
from fspielm.equations import Constraint, Problem
from fspielm.features import Basis, SourceBasis
from fspielm.geometry import Sites
from fspielm.solution import evaluate
from fspielm.solvers.corner_functions import helmholtz_ratio, is_isotropic, leading_exponent
from fspielm.solvers.panels import Goals, Limits, Panels, resolve

# Distance of the sources from a panel, in units of its length.
_OFFSET = 1.2
# A source may be closer than that to another piece of the boundary, but not much.
_CLEAR = 0.7
# What data may have left unresolved, in units of the tolerance, and what is tried if that takes too many sources.
_UNRESOLVED = 1e-3
_FINEST, _COARSEST = 1e-12, 1e-4
_COARSER = 100.0
# Exponentials hold what is singular farther away than about this, in units of the domain's size.
_CLOSE = 0.3
# More than one of them for each that can have sources: some lose theirs, or have fewer.
_MOST_PANELS = 4
# Share of the sources that is left on the shortest panels at a corner: what varies there is small.
_TAPERED = 0.4
# The exponent of the singularity where values give way to slopes on a smooth curve.
_CHANGE = 0.5
# A corner is singular where the residual beside it is at least this share of the largest one away from corners.
_SINGULAR = 0.5
# Beside a corner, and at it, in units of the size of the domain.
_BESIDE, _AT_CORNER = 0.1, 1e-3
_SAMPLES = 400
_ALONG = 3000
_BISECTIONS = 50
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
    limits = Limits(
        longest=size,
        shortest=size * max(tol, _FINEST),
        closest=_last_length(tol, _CHANGE, size),
        wavenumber=math.sqrt(max(ratio, 0.0)),
        most=_MOST_PANELS * most // density,
    )
    unresolved = max(_UNRESOLVED * tol, _FINEST)
    choices = _goals(problem, constraints, basis, coefficients, tol, size, threads)
    while unresolved <= _COARSEST:
        for goals, reach in choices:
            panels = _all_panels(constraints, size, unresolved, goals, limits)
            points, clearances = _place(problem, panels or [], density)
            if 0 < len(points) <= most and clearances.min() <= reach:
                return SourceBasis(points, ratio, clearances)
        unresolved *= _COARSER
    return None


def crowded(points: Points, sources: SourceBasis) -> Points:
    """Points with further rows for `sources`, as close to each other as those ask for."""
    return replace(points, crowd=Crowd(sources.points, int(_ROWS_PER_SOURCE * sources.size)))


def _all_panels(
    constraints: list[Constraint], size: float, unresolved: float, goals: Goals, limits: Limits
) -> list[Panels] | None:
    found, scales = [], _scales(constraints)
    for constraint in constraints:

        def signals(sites: Sites, c: Constraint = constraint) -> FloatArray:
            values = c.value.checked(sites.points, f"the value of {c.name!r}") / scales[c.name]
            # the curve itself too: data that vary slowly along a sharp bend make no smooth solution
            return np.stack([values, *(sites.points.T / size)]) / unresolved

        panels = resolve(constraint, signals, goals, limits)
        if panels is None:
            return None
        found.append(panels)
    return found


def _scales(constraints: list[Constraint]) -> dict[str, float]:
    """What the values of each constraint are compared with: the largest of those of the same order."""
    largest = {c.name: float(np.abs(c.value(_spread(c).points)).max(initial=0.0)) for c in constraints}
    by_order: dict[int, float] = {}
    for c in constraints:
        by_order[c.operator.order] = max(by_order.get(c.operator.order, 0.0), largest[c.name])
    return {c.name: by_order[c.operator.order] or 1.0 for c in constraints}


def _spread(constraint: Constraint) -> Sites:
    """Sites all over a constraint's region."""
    assert constraint.part is not None
    sites = constraint.part.place((np.arange(_SAMPLES)[:, None] + 0.5) / _SAMPLES)
    return sites.select(constraint.holds(sites.points))


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
    clearances = cKDTree(np.concatenate([*boundary, *_even(panels)])).query(sources)[0]
    clear = (clearances >= _CLEAR * offset) & ~problem.domain.contains(sources)
    return sources[clear], clearances[clear]


def _even(panels: list[Panels]) -> list[FloatArray]:
    """Points all along the boundary: on long panels, there are too few otherwise to tell distances from."""
    total = sum(on_part.part.measure for on_part in panels)
    numbers = [math.ceil(_ALONG * on_part.part.measure / total) for on_part in panels]
    return [p.part.place(np.linspace(0.0, 1.0, n)[:, None]).points for p, n in zip(panels, numbers, strict=True)]


def _last_length(tol: float, exponent: float, size: float) -> float:
    """The distance over which ``r**exponent`` differs by the tolerance."""
    return float(size * max(tol ** (1.0 / exponent), _FINEST))


def _goals(
    problem: Problem,
    constraints: list[Constraint],
    basis: Basis,
    coefficients: FloatArray,
    tol: float,
    size: float,
    threads: int,
) -> tuple[tuple[Goals, float], ...]:
    """What sources should crowd at, to be tried in turn, and how close to the boundary one of them must then be.

    A singularity close to the boundary leaves a residual all over it, in which no corner stands out. While there are
    no sources yet, corners therefore come second, the re-entrant ones if there are any. Later, they are those that have
    sources already and those with a large residual.
    """
    corners = problem.domain.corners([str(symbol) for symbol in problem.coordinates])
    points = np.array([corner.point for corner in corners]).reshape(-1, 2)
    last = np.array([_last_length(tol, leading_exponent(problem, corner), size) for corner in corners])
    edges = np.concatenate([_mask_edges(constraint) for constraint in constraints])
    changes = np.full(len(edges), _last_length(tol, _CHANGE, size))

    def goals(chosen: BoolArray) -> Goals:
        return Goals(np.concatenate([points[chosen], edges]), np.concatenate([last[chosen], changes]))

    none = np.zeros(len(points), dtype=np.bool_)
    there = [part.points for part in getattr(basis, "parts", ()) if isinstance(part, SourceBasis)]
    if there and len(points):
        taken = cKDTree(np.concatenate(there)).query(points)[0] <= _AT_CORNER * size
        large = _stand_out(points, constraints, basis, coefficients, size, threads)
        return (goals(taken | large), math.inf), (goals(taken), math.inf)
    chosen = np.array([corner.opening > math.pi for corner in corners], dtype=np.bool_)
    if not chosen.any():
        chosen = _stand_out(points, constraints, basis, coefficients, size, threads)
    return (goals(none), _CLOSE * size), (goals(chosen), math.inf)


def _mask_edges(constraint: Constraint) -> FloatArray:
    """Where one condition gives way to another within a part ``(n, 2)``: a solution is singular there too."""
    part = constraint.part
    assert part is not None
    if constraint.mask is None:
        return np.empty((0, 2))
    # from beyond the last to beyond the first: a closed part goes on there
    units = np.arange(-0.5, _SAMPLES + 1) / _SAMPLES
    held = constraint.holds(part.place((units % 1.0)[:, None]).points)
    low, high = units[:-1][held[:-1] != held[1:]], units[1:][held[:-1] != held[1:]]
    before = constraint.holds(part.place((low % 1.0)[:, None]).points)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        same = constraint.holds(part.place((middle % 1.0)[:, None]).points) == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return part.place((high % 1.0)[:, None]).points


def _stand_out(
    points: FloatArray,
    constraints: list[Constraint],
    basis: Basis,
    coefficients: FloatArray,
    size: float,
    threads: int,
) -> BoolArray:
    """Beside which of the points ``(c, 2)`` of the boundary the residual is larger than away from all of them."""
    beside, away, scales = np.zeros(len(points)), 0.0, _scales(constraints)
    for constraint in constraints if len(points) else ():
        sites = _near_breaks(constraint).followed_by(_spread(constraint))
        sites = sites.select(constraint.holds(sites.points))
        pieces = [
            evaluate(basis, coefficients, operator, there, threads=threads, method="direct")
            for operator, there in constraint.pieces(sites)
        ]
        residual = np.abs(np.sum(pieces, axis=0) - constraint.value(sites.points)) / scales[constraint.name]
        close = np.linalg.norm(sites.points[:, None] - points, axis=2) <= _BESIDE * size
        beside = np.maximum(beside, np.where(close, residual[:, None], 0.0).max(axis=0, initial=0.0))
        away = max(away, float(residual[~close.any(axis=1)].max(initial=0.0)))
    return np.asarray(beside >= _SINGULAR * away)


def _near_breaks(constraint: Constraint) -> Sites:
    """Sites ever closer to the ends of the smooth pieces of a constraint's part."""
    part = constraint.part
    assert part is not None
    breaks = np.array(part.breaks)
    steps = np.diff(breaks)[:, None] * np.logspace(-7, -1, 25)
    return part.place(np.concatenate([breaks[:-1, None] + steps, breaks[1:, None] - steps]).reshape(-1, 1))
