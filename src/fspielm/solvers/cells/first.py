"""The first cells of a problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import final

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.cells.basis import ball
from fspielm.cells.mosaic import mosaic_of
from fspielm.cells.patchwork import Patchwork, check_suitable, is_second_order
from fspielm.cells.places import Degrees
from fspielm.cells.tiling import Cell, Cover, Stretch, tile
from fspielm.errors import MemoryBudgetError, ProblemError, UnsuitableError
from fspielm.estimate.bands import OF_THE_PROBLEM, Bands, decays_at, settled_bands, waves_at
from fspielm.estimate.narrow import find_narrow
from fspielm.estimate.narrow_search import Narrow
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.domain import Domain
from fspielm.geometry.plane import edges_of
from fspielm.problem.changes import change_places
from fspielm.problem.derived import natural_scales
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.resources import check_deadline
from fspielm.solvers.cells.corners import CLOSE, special_points
from fspielm.solvers.cells.refine import MOST_DEGREE, UNLIKE_NARROW, Growing, balanced, cut_at, grade, touching
from fspielm.solvers.request import Request
from fspielm.wording import duration, readable_bytes, system_size

# ---- Cells small enough for the curves that cut them, and for narrow gaps

# Points along the part of a curve in one cell, and along a whole curve.
_LOOKS = 32
_LOOKS_ALONG = 256
# Cells are no longer than so many radii of curves in them; nor than so many times the distance over which solutions
# vary in a gap, which is the root of its width times the radius.
_RADII = 1.5
_GAPS = 1.3
# Curves face one another where the cosine of the angle between their normals is below this.
_FACING = -0.5
_MOST_HALVINGS = 6
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class _Curves:
    """Points on all curves that cut cells, with normals, radii, and the numbers of cells, curves and materials."""

    points: FloatArray
    normals: FloatArray
    radii: FloatArray
    cells: NDArray[np.intp]
    curves: NDArray[np.intp]
    materials: NDArray[np.intp]


def toward_curved(tiling: Cover, most: int) -> tuple[Cover, float]:
    """The tiling with cells halved that are too large for the curves in them, up to about `most` cells.

    Also the mean factor by which cells with curves are still too large: one if there are none.
    """
    excess = 1.0
    for _ in range(_MOST_HALVINGS if tiling.domain.dimension == 2 else 0):
        curves = _sampled(tiling)
        if curves is None:
            break
        # the distance over which a solution varies in the gap to a curve that faces a point
        widths, radii = _facing_distances(curves)
        gaps = np.where(widths > 0, np.sqrt(np.maximum(widths, _TINY) * radii), np.inf)
        limit = np.full(len(tiling.cells), np.inf)
        np.minimum.at(limit, curves.cells, np.minimum(_RADII * curves.radii, _GAPS * gaps))
        sides = tiling.frames.lengths
        wanted = {
            int(cell): tuple(np.flatnonzero(sides[cell] > 0.7 * sides[cell].max()).tolist())
            for cell in np.flatnonzero(sides.max(axis=1) > limit)
        }
        excess = float(np.mean(np.maximum(sides.max(axis=1) / limit, 1.0)[np.isfinite(limit)])) if wanted else 1.0
        if not wanted or len(tiling.cells) + sum(2 ** len(axes) - 1 for axes in wanted.values()) > most:
            break
        tiling = tiling.halve(wanted)
    return tiling, excess


def _sampled(tiling: Cover) -> _Curves | None:
    known: dict[int, int] = {}
    found = []
    for part, stretch in tiling.rims():
        number = known.setdefault(id(part), len(known))
        found.append(_sample(part, stretch, number, int(tiling.materials[stretch.cell]), _LOOKS))
    return _concatenated(found) if found else None


def _sample(part: BoundaryPart, stretch: Stretch, number: int, material: int, looks: int) -> _Curves:
    """Points along a stretch of a part that has a number."""
    unit = stretch.start + (stretch.end - stretch.start) * (np.arange(looks) + 0.5) / looks
    sites = part.place(unit[:, None])
    assert sites.normals is not None  # every boundary part has them
    length = part.measure * (stretch.end - stretch.start) / looks
    turns = np.linalg.norm(np.diff(sites.normals, axis=0), axis=1)
    smooth = np.diff(np.searchsorted(part.breaks, unit)) == 0  # a corner is no bend
    turned = float(turns[smooth].max(initial=0.0))
    radius = length / turned if turned > 1e-9 else np.inf
    same = np.ones(looks, dtype=np.intp)
    return _Curves(
        sites.points, sites.normals, np.full(looks, radius), stretch.cell * same, number * same, material * same
    )


def _concatenated(curves: Sequence[_Curves]) -> _Curves:
    return _Curves(*(np.concatenate([getattr(each, field.name) for each in curves]) for field in fields(_Curves)))


def narrowest_gap(domain: Domain) -> float:
    """The least width between two curves of a plane boundary that face each other, at least one of them bent.

    Infinite without any. Curves that meet at a corner have no gap.
    """
    if domain.dimension != 2 or domain.time is not None:
        return np.inf
    found = [
        _sample(part, Stretch(0, 0.0, 1.0), number, 0, _LOOKS_ALONG) for number, part in enumerate(domain.boundary())
    ]
    curves = _concatenated(found)
    widths, radii = _facing_distances(curves)
    widths = np.where(np.isfinite(radii), widths, np.inf).reshape(len(found), -1)
    before, middle, after = widths[:, :-2], widths[:, 1:-1], widths[:, 2:]
    least = middle[(middle <= before) & (middle <= after) & np.isfinite(before + after)]
    return float(least.min(initial=np.inf))


def _facing_distances(curves: _Curves) -> tuple[FloatArray, FloatArray]:
    """The distance of each point from the curve that it faces, and the smaller radius; infinity without one."""
    widths, radii = np.full(len(curves.points), np.inf), np.full(len(curves.points), np.inf)
    for curve in np.unique(curves.curves):
        own = np.flatnonzero(curves.curves == curve)
        others = np.flatnonzero((curves.curves != curve) & (curves.materials == curves.materials[own[0]]))
        if not len(others):
            continue
        width, nearest = cKDTree(curves.points[others]).query(curves.points[own])
        there = others[nearest]
        facing = np.sum(curves.normals[own] * curves.normals[there], axis=1) < _FACING
        # the domain is between them
        facing &= np.sum(curves.normals[own] * (curves.points[there] - curves.points[own]), axis=1) < _FACING * width
        widths[own] = np.where(facing, width, np.inf)
        radii[own] = np.where(facing, np.minimum(curves.radii[own], curves.radii[there]), np.inf)
    return widths, radii


# ---- Smaller cells where data are narrow

# The most halvings of the first cells, and the most cells.
_MOST_HALVINGS_NARROW = 24
_MOST_CELLS = 500
# The error of data may be this share of the tolerance, relative to their effect on the solution.
_DATA_SHARE = 0.3
# Axes along which the tail is at least this share of the largest are halved.
_AXIS = 0.1
# Further nodes along each axis where the boundary cuts a cell; the last degrees begin at this share; and rounding.
_MORE, _LAST, _ROUNDING = 4, 0.85, 1e-14
# If tails are less than this share of the error, the nodes miss a narrow feature; the cell is then halved along the
# axes of which the feature takes less than this share.
_UNSEEN, _SOMEWHERE = 0.1, 0.5


@final
@dataclass(frozen=True, eq=False)
class Resolution:
    """How well polynomials resolve the data in a cell.

    Attributes
    ----------
    size : float
        Size of the solution for these data.
    error : float
        Error of the data, in scaled rows.
    along : (d,) array of bool
        Axes along which the cell is too long, if the error is too large.
    """

    size: float
    error: float
    along: BoolArray


def within_materials(problem: Problem, places: Sequence[Narrow]) -> list[Narrow]:
    """The narrow features, without those where materials change: cells end there."""
    if not problem.interfaces or problem.domain.time is not None:  # moving features count everywhere
        return list(places)
    found = []
    for place in places:
        points = place.sites.points
        inside = np.all((points >= place.lower) & (points <= place.upper), axis=1)
        rows = problem.material_of(points[inside]) if place.kind == "narrow" else np.empty((0, 1))
        if np.all(rows == rows[:1]):
            found.append(place)
    return found


def toward_narrow(problem: Problem, tiling: Cover, places: Sequence[Narrow], degree: int, tol: float) -> Cover:
    """The tiling halved at narrow features until polynomials of a degree resolve the data to a tolerance.

    Narrow boundary data belong to layers in the domain if there are narrow features inside too. Otherwise they are
    spots on the boundary, and cells there are halved along every axis.
    """
    narrow = [place for place in places if place.kind == "narrow" and place.width > 0]
    size = float(np.max(np.subtract(*reversed(tiling.domain.bounding_box))))
    flat = [np.ptp(place.sites.points, axis=0) <= CLOSE * size for place in narrow]
    inner = [place for place, level in zip(narrow, flat, strict=True) if not level.any()]
    if inner:
        points = np.concatenate([place.sites.points for place in inner])
        tiling = _halved_until_resolved(tiling, partial(_resolution, problem, degree), points, tol, everywhere=True)
        tiling = balanced(tiling, UNLIKE_NARROW)
    for place, level in zip(narrow, flat, strict=True):
        relation = next((each for each in problem.relations if repr(each.name) in place.source), None)
        if relation is None or relation.operator.order > 0 or np.count_nonzero(level) != problem.dimension - 1:
            continue
        held = partial(_resolution_along, relation, int(np.argmin(level)), degree, only=bool(inner))
        tiling = _halved_until_resolved(tiling, held, place.sites.points, tol)
    return tiling


def _halved_until_resolved(
    tiling: Cover,
    hold: Callable[[Cover, int, FloatArray], Resolution],
    points: FloatArray,
    tol: float,
    *,
    everywhere: bool = False,
) -> Cover:
    """The tiling halved until data are resolved in the cells of some points, or everywhere."""
    known: dict[bytes, Resolution] = {}
    for _ in range(_MOST_HALVINGS_NARROW):
        cells = tiling.locate(points)
        found = {}
        for index in range(len(tiling.cells)) if everywhere else np.unique(cells).tolist():
            cell = tiling.cells[index]
            key = cell.lower.tobytes() + cell.upper.tobytes()
            if key not in known:
                known[key] = hold(tiling, index, points[cells == index])
            found[index] = known[key]
        most = _DATA_SHARE * tol * max(each.size for each in found.values())
        wanted = {index: np.flatnonzero(each.along).tolist() for index, each in found.items() if each.error > most}
        if not wanted or len(tiling.cells) + 3 * len(wanted) > _MOST_CELLS:
            break
        tiling = tiling.halve(wanted)
    return tiling


def _resolution_along(
    relation: Relation, axis: int, degree: int, tiling: Cover, index: int, points: FloatArray, *, only: bool
) -> Resolution:
    """How well polynomials resolve the values of a condition along an axis; with `only`, only that axis is halved."""
    cell = tiling.cells[index]
    line = [np.cos(np.pi * (np.arange(count) + 0.5) / count) for count in (degree + 1, degree + 2)]
    sites = [np.tile(points[:1], (len(unit), 1)) for unit in line]
    for unit, some in zip(line, sites, strict=True):
        some[:, axis] = 0.5 * ((1 - unit) * cell.lower[axis] + (1 + unit) * cell.upper[axis])
    fitted, checked = sites[0], np.concatenate([sites[1], points])
    local = [2 * (some[:, axis] - cell.lower[axis]) / (cell.upper - cell.lower)[axis] - 1 for some in (fitted, checked)]
    functions, others = (chebvander(some, degree) for some in local)
    values = np.nan_to_num(relation.value(fitted))
    off = np.abs(others @ np.linalg.solve(functions, values) - np.nan_to_num(relation.value(checked)))
    along: BoolArray = (np.arange(len(cell.lower)) == axis) | (not only)
    return Resolution(float(np.max(np.abs(values))), float(off.max()), along)


def _resolution(problem: Problem, degree: int, tiling: Cover, index: int, points: FloatArray) -> Resolution:
    """How well polynomials resolve the data of all equations in a cell, between nodes and at narrow features."""
    cell, dimension = tiling.cells[index], problem.dimension
    # with one more node along each axis, nodes lie between the others
    fitted, checked = (_inside(tiling, index, count) for count in (degree + 1 + _MORE * (not cell.whole), degree + 2))
    checked = np.concatenate([checked, points])
    if not len(fitted) or not len(checked):
        return Resolution(0.0, 0.0, np.ones(dimension, dtype=np.bool_))
    which = ball((degree,) * dimension)
    functions, others = (_functions(cell, which, degree, some) for some in (fitted, checked))
    size, error, along = 0.0, 0.0, np.zeros(dimension)
    for equation in problem.equations_at(fitted[len(fitted) // 2]):
        steep, slow = (_operator_size(cell, equation, fitted, scale) for scale in (degree, 1))
        values = np.nan_to_num(equation.value(fitted))
        coefficients = _fit_values(functions, values, cell)
        size = max(size, float(np.max(np.abs(values))) / slow)
        off = np.abs(others @ coefficients - np.nan_to_num(equation.value(checked)))
        error = max(error, float(off.max()) / steep)
        tails = [np.linalg.norm(coefficients[which[:, axis] >= _LAST * degree]) for axis in range(dimension)]
        along = np.maximum(along, np.array(tails) / steep)
    chosen: BoolArray = along >= _AXIS * along.max()
    if not cell.whole:
        chosen = np.ones(dimension, dtype=np.bool_)
    elif along.max() < _UNSEEN * error:
        spread: BoolArray = np.ptp(checked[off > 0.5 * off.max()], axis=0) < _SOMEWHERE * (cell.upper - cell.lower)
        chosen = spread if spread.any() else np.ones(dimension, dtype=np.bool_)
    return Resolution(size, error, chosen)


def _inside(tiling: Cover, index: int, count: int) -> FloatArray:
    """Chebyshev nodes along each axis, as far as they are in a cell."""
    cell = tiling.cells[index]
    line = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    nodes = np.stack(np.meshgrid(*[line] * len(cell.lower), indexing="ij"), axis=-1).reshape(-1, len(cell.lower))
    points = 0.5 * ((1 - nodes) * cell.lower + (1 + nodes) * cell.upper)
    return points if cell.whole else points[tiling.holds(index, points)]


def _functions(cell: Cell, which: NDArray[np.int_], degree: int, points: FloatArray) -> FloatArray:
    """Polynomials of some degrees ``(k, d)`` at points of a cell, ``(n, k)``."""
    local = 2 * (points - cell.lower) / (cell.upper - cell.lower) - 1
    found = np.ones((len(points), len(which)))
    for axis in range(local.shape[1]):
        found *= chebvander(local[:, axis], degree)[:, which[:, axis]]
    return found


def _fit_values(functions: FloatArray, values: NumberArray, cell: Cell) -> NumberArray:
    """The coefficients that leave least of the values; at all of Chebyshev's nodes his polynomials are orthogonal."""
    if cell.whole:
        return np.asarray(functions.T @ values / np.sum(functions**2, axis=0))
    return np.asarray(np.linalg.lstsq(functions, values, rcond=_ROUNDING)[0])


def _operator_size(cell: Cell, equation: Relation, points: FloatArray, degree: int) -> float:
    """The size of an operator on functions of a degree in a cell."""
    steep = 2.0 * degree / (cell.upper - cell.lower)
    each = [
        float(np.max(np.abs(term.at(Sites(points))))) * float(np.prod(steep**term.orders))
        for term in equation.operator.terms
    ]
    return max(sum(each), _ROUNDING)


# ---- The first cells

# Wavelengths of the highest frequency in a cell: the cheapest number for many digits; more for each missing digit, up
# to the last number, where cells are whole.
_WAVES, _MORE_WAVES, _WAVES_LOOSE = 3.0, 0.5, 4.5
# Below so many digits, we aim at more by a share of the missing ones, since another round would cost more.
_FEW_DIGITS, _MORE_DIGITS = 6.0, 1 / 3
# So many times as many further digits at narrow features, where cells are as large as the data allow.
_STEEPER = 2.0
# Coefficients of a wave are Bessel functions of z = pi times the wavelengths in a cell; the least z. Coefficients
# beyond the last should be below the tolerance by this factor.
_LEAST_PHASE, _BELOW = 1.5, 0.1
# Errors grow across many wavelengths: further digits for each ten times as many of them as the first number.
_FEW_WAVES, _DIGITS_WAVES = 20.0, 2.0
# The least number of cells along the longer side, where the boundary cuts cells.
_CELLS_CUT = 3
# The most wavelengths of narrow data along each axis; cells are halved for higher frequencies.
_WAVES_NARROW = 2
# The degree of polynomials with sharp corners or narrow features: in any case, and for each digit.
_LEAST_SHARP, _EACH_DIGIT_SHARP = 2.0, 1.4
# The same in cells that the boundary cuts, whose functions are those of the larger box.
_LEAST_CUT, _EACH_DIGIT_CUT = 5.0, 1.5
# Further digits in these: error estimates are larger where sums over rows are no quadrature.
_DIGITS_CUT = 1.0
# The most first cells where curves cut them.
_MOST_CURVED = 300
# The most cells along each axis with materials.
_MOST_ALONG = 24
# Cells whose degrees are found between two checks of the deadline.
_AT_ONCE = 1000
# A lower bound of the seconds of an operation, and operations of a cell for each cube of its functions.
_FASTEST = 5e-12
_EACH = 2.0
# The order of the equation of a plate.
_PLATE = 4
# The least degree of polynomials.
_DEGREE = 4
# A lower bound of the seconds of a cell.
_EACH_CELL = 5e-4
# Of a number.
_BYTES = 8
# A cell with fewer samples than this may hide something; and samples in each cell on average.
_LOOKS_FIRST = 6
_AIMED = 16
# Layers that decay by no more than this power of e from the middle of a cell to its end are resolved by degrees.
_MOST_DECAY = 10.0
# Further digits there; and where waves are in cells that the boundary cuts, for ten times as many of them.
_DIGITS_LAYER, _DIGITS_CUT_WAVES = 1.0, 0.7
# Degrees are raised by no more than this factor where cells are too large for the curves in them.
_MOST_EXCESS = 1.5
# Digits that full cells have in addition to others of the same degree.
_DIGITS_FULL = 1.0
# Bodies bend and turn by far more than their strains show.
_MORE_FOR_SYSTEMS = 4
# If the frequency varies within a cell, its functions have higher frequencies, by so many times the relative variation.
_BENT = 1.0


def first_cells(request: Request, bands: Bands, *, narrow: bool = True) -> Patchwork:
    """Cells of a few wavelengths each, cut at corners, and, with `narrow`, smaller at narrow features.

    Raises
    ------
    UnsuitableError
        If the domain has more than two dimensions or is too thin, or the budget is by far too small.
    """
    problem = request.problem
    check_suitable(problem)
    lengths = request.lengths
    places = find_narrow(problem).places if narrow else ()
    if problem.interfaces:  # data have kinks there, and no band
        bands = settled_bands(problem, bands, np.random.default_rng(0))
    frequencies = np.maximum(np.asarray(bands.frequencies), 1e-3 * 2 * np.pi / lengths)
    if problem.interfaces:
        frequencies = np.minimum(frequencies, 2 * np.pi * _WAVES * _MOST_ALONG / lengths)
    steady = problem.domain.time is None
    if steady if problem.interfaces else any(place.kind != "smooth" for place in places):
        # frequencies of narrow data say nothing about the rest of the domain
        of_data = np.array([source not in OF_THE_PROBLEM for source in bands.sources])
        most = 2 * np.pi * _WAVES_NARROW / lengths
        frequencies = np.where(of_data, np.minimum(frequencies, most), frequencies)
    digits = -math.log10(request.tol)
    missing = max(_FEW_DIGITS - digits, 0.0)
    waves = _WAVES if problem.interfaces else min(_WAVES + _MORE_WAVES * missing, _WAVES_LOOSE)
    _check_affordable(request, frequencies * lengths / (2 * np.pi) / waves)
    sharp = [each.point for each in special_points(problem) if each.is_sharp]
    degree = min(math.ceil(_LEAST_SHARP + _EACH_DIGIT_SHARP * digits), MOST_DEGREE)
    tiling, excess = toward_curved(_grids(problem, frequencies, sharp, waves), _MOST_CURVED)
    tiling = toward_narrow(problem, tiling, within_materials(problem, places), degree, request.tol)
    tiling = balanced(tiling, problem=problem)
    if "the equation" in bands.sources:
        across = float(np.max(frequencies * lengths)) / (2 * np.pi)
        digits += _DIGITS_WAVES * max(math.log10(across / _FEW_WAVES), 0.0)
        digits += _DIGITS_CUT_WAVES * max(math.log10(across), 0.0) * (not tiling.frames.whole.all())
    in_cells = waves_in_cells(problem, tiling, bands, frequencies)
    degrees = _degrees_of(problem, tiling, in_cells, digits, _MORE_DIGITS * missing, places)
    degrees = np.minimum(np.ceil(min(excess, _MOST_EXCESS) * degrees).astype(np.int_), MOST_DEGREE)
    # with few digits, resonances settle later than errors
    has_waves = "the equation" in bands.sources and steady and not problem.interfaces
    if has_waves and not missing and tiling.frames.whole.all() and is_second_order(problem):
        may_be_full = np.ones(len(degrees), dtype=np.bool_)  # others have singular functions
        for place in (*problem.domain.corners(), *change_places(problem)):
            may_be_full[touching(tiling, np.array(place.point))] = False
        fewer = _degrees_of(problem, tiling, in_cells, digits - _DIGITS_FULL, 0.0, places)
        degrees = np.where(may_be_full[:, None], np.minimum(fewer, degrees), degrees)
    tiling, degrees = _toward_plate_corners(problem, tiling, degrees, request.tol)
    scales = natural_scales(problem, np.maximum(np.asarray(bands.frequencies), 2 * np.pi / lengths))
    return Patchwork(problem, tiling, degrees, tuple(float(scale) for scale in scales), request.threads)


def _degrees_of(
    problem: Problem, tiling: Cover, frequencies: FloatArray, digits: float, more: float, places: Sequence[Narrow]
) -> Degrees:
    """Degrees in each cell, for its waves, sharp corners and narrow features, with `more` digits."""
    sides = np.array([cell.upper - cell.lower for cell in tiling.cells])
    if problem.interfaces:  # neighbours of two materials have the same degrees
        sides = np.tile(sides.max(axis=0), (len(sides), 1))
    cut = np.array([not cell.whole for cell in tiling.cells])
    needed = digits + max(_DIGITS_CUT * bool(cut.any()), more)
    each = _degrees(np.maximum(0.5 * frequencies * sides, _LEAST_PHASE), needed)
    decay = 0.5 * sides * _decays_in_cells(problem, tiling)
    layers = _degrees(np.where(decay <= _MOST_DECAY, decay, 0.0), needed + _DIGITS_LAYER, decays=True)
    each = np.asarray(np.maximum(each, layers.max(axis=1, keepdims=True)))
    narrow = any(place.kind == "narrow" for place in within_materials(problem, places))
    steep = _LEAST_SHARP + _EACH_DIGIT_SHARP * (digits + _STEEPER * more * narrow)
    # solutions vary in all cells as in those that are cut
    if narrow or cut.any() or any(special.is_sharp for special in special_points(problem)):
        each = np.maximum(each, math.ceil(steep))
    each[cut] = np.maximum(each[cut], math.ceil(_LEAST_CUT + _EACH_DIGIT_CUT * digits + more))
    if problem.interfaces and problem.domain.time is None:  # traces on interfaces have all directions
        each[:] = each.max()
    if len(problem.unknowns) > 1 and is_second_order(problem):
        each = each + _MORE_FOR_SYSTEMS
    return np.minimum(each, MOST_DEGREE)


def _toward_plate_corners(problem: Problem, tiling: Cover, degrees: Degrees, tol: float) -> tuple[Cover, Degrees]:
    """Cells graded toward the corners of plates, for which they have no functions; rounds without digits otherwise."""
    if max(equation.operator.order for equation in problem.equations) < _PLATE or not special_points(problem):
        return tiling, degrees
    growing, wanted = Growing(problem, tiling, degrees), -math.log(tol)
    gradings = []
    for special in special_points(problem):
        at = touching(tiling, special.point)
        grading = grade(int(degrees[at].max()), special.power, special.gain, wanted, _PLATE)
        gradings.append((special, grading, float(tiling.frames.lengths[at].max())))
    growing.grade(gradings)
    return growing.tiling, growing.degrees


def _degrees(phase: FloatArray, digits: float, *, decays: bool = False) -> Degrees:
    """Degrees at which coefficients of waves of so large a phase, or of decaying functions, fall by so many digits."""
    from scipy.special import ive, jv  # only for cells

    bessel = ive if decays else jv
    degrees, found = np.arange(MOST_DEGREE), np.empty((len(phase), phase.shape[1]), dtype=int)
    for start in range(0, len(phase), _AT_ONCE):
        check_deadline()
        some = phase[start : start + _AT_ONCE, ..., None]
        fallen = (bessel(degrees, some) < _BELOW * 10.0**-digits) & (decays | (degrees > some))
        found[start : start + _AT_ONCE] = np.where(fallen.any(axis=-1), np.argmax(fallen, axis=-1), MOST_DEGREE)
    return found


def _grids(problem: Problem, frequencies: FloatArray, sharp: Sequence[FloatArray], most: float) -> Cover:
    """Even grids of cells, one for each material, cut at sharp corners; finer where boundaries cut cells."""

    def shape(domain: Domain, waves: float, least: FloatArray | float = 0.0) -> list[int]:
        lower, upper = domain.bounding_box
        counts = np.maximum(frequencies * (upper - lower) / (2 * np.pi) / waves, least)
        return [int(count) for count in np.ceil(counts)]

    def enough(domain: Domain) -> list[int]:
        lengths = np.subtract(*reversed(domain.bounding_box))
        few, edges = shape(domain, most), edges_of(domain)
        is_polygon = edges is None or all(edge.curve.straight for edge in edges)
        if is_polygon and all(cell.whole for cell in cut_at(tile(domain, few), sharp).cells):
            return few
        return shape(domain, _WAVES, _CELLS_CUT * lengths / lengths.max())

    if not problem.interfaces:
        return cut_at(tile(problem.domain, enough(problem.domain)), sharp)
    return mosaic_of(problem.domain, [line.part for line in problem.interfaces], problem.material_of, enough)


def _check_affordable(request: Request, counts: FloatArray) -> None:
    """Refuse cells if the budget is far too small for them.

    Parameters
    ----------
    request : Request
    counts : (d,) array
        Cells along each axis of the bounding box.

    Raises
    ------
    MemoryBudgetError, UnsuitableError
    """
    domain, budget = request.problem.domain, request.budget
    lower, upper = domain.bounding_box
    share = min(domain.measure / float(np.prod(upper - lower)), 1.0)
    cells = max(int(share * math.prod(counts.tolist())), 1)
    # the number of polynomials in a ball of degrees
    own = len(request.problem.unknowns) * (_DEGREE + 1) ** len(counts) * (math.pi / 4 if len(counts) == 2 else 1.0)
    size = f"at least {system_size(int(cells * own), cells)} are needed"
    memory = _BYTES * cells * own**2
    if memory > budget.memory_limit:
        raise MemoryBudgetError(
            f"{size}, and {readable_bytes(int(memory))} of memory, above the budget of "
            f"{readable_bytes(budget.memory_limit)}; solve on a smaller domain, or allow more with "
            "budget=fs.Budget(memory=...)"
        )
    seconds = cells * (_EACH_CELL + _FASTEST * _EACH * own**3 / request.threads)
    if budget.seconds is not None and seconds > budget.seconds:
        raise UnsuitableError(
            f"the budget of {budget.seconds:g} s ended it before the first cells: {size}, and "
            f"{duration(seconds)} on any machine; allow more with budget=fs.Budget(seconds=...)"
        )
    if budget.neurons is not None and cells * own > budget.neurons:
        raise UnsuitableError(
            f"the budget of {budget.neurons} functions ended it before the first cells: {size}; allow more"
        )


def waves_in_cells(problem: Problem, tiling: Cover, bands: Bands, frequencies: FloatArray) -> FloatArray:
    """The highest frequency along each axis in each of C cells, ``(C, d)``."""
    everywhere = np.tile(frequencies, (len(tiling.cells), 1))
    if problem.interfaces or problem.domain.time is not None or "the equation" not in bands.sources:
        return everywhere
    data = np.zeros(problem.dimension)
    for band in bands.data:
        data[band.axis] = max(data[band.axis], band.frequency)
    try:
        points, waves = waves_at(problem, data, _AIMED * len(tiling.cells))
    except ProblemError:  # a coefficient has no value at a point; the error is raised where it is needed
        return everywhere
    cells = tiling.locate(points)
    highest, lowest = np.zeros_like(everywhere), np.full_like(everywhere, np.inf)
    np.maximum.at(highest, cells, waves)
    np.minimum.at(lowest, cells, waves)
    varies = 1 - np.divide(lowest, highest, out=np.ones_like(highest), where=highest > 0)
    seen = np.bincount(cells, minlength=len(tiling.cells)) >= _LOOKS_FIRST
    found = np.maximum(highest * (1 + _BENT * varies), data)
    of_equation = np.array([source == "the equation" for source in bands.sources])
    return np.where(seen[:, None] & of_equation, found, everywhere)


def _decays_in_cells(problem: Problem, tiling: Cover) -> FloatArray:
    """How fast solutions grow or decay along each axis at most, in each of C cells ``(C, d)``; zero if not known."""
    found = np.zeros((len(tiling.cells), problem.dimension))
    if problem.interfaces or problem.domain.time is not None:
        return found
    try:
        points, decays = decays_at(problem, _AIMED * len(tiling.cells))
    except ProblemError:  # as above
        return found
    if problem.determinant.is_constant:
        return np.asarray(found + decays[0])
    np.maximum.at(found, tiling.locate(points), decays)
    return found
