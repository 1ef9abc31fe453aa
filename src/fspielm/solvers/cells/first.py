"""The cells that a problem is begun with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation import Patchwork
from fspielm.collocation.cells import check_suitable
from fspielm.collocation.cells.places import Degrees
from fspielm.deadline import check_deadline
from fspielm.equations import Problem, natural_scales
from fspielm.geometry import Domain
from fspielm.geometry.cells import Cover, mosaic_of, tile
from fspielm.scrutiny import Narrow, scrutinise
from fspielm.solvers.cells.corners import special_points
from fspielm.solvers.cells.curved import toward_curved
from fspielm.solvers.cells.grading import balanced, cut_at
from fspielm.solvers.cells.least import check_affordable
from fspielm.solvers.cells.narrow import toward_narrow, within_materials
from fspielm.solvers.cells.plans import MOST_DEGREE
from fspielm.solvers.cells.waves import waves_in_cells
from fspielm.solvers.request import Request
from fspielm.spectrum import OF_THE_PROBLEM, Bands, settled_bands

# Wavelengths of the highest frequency in a cell: about the cheapest for many digits; more for few, so long as cells are
# whole, since each costs something of itself.
_WAVES, _MORE_WAVES, _WAVES_LOOSE = 3.0, 0.5, 4.5
# Below so many digits, those that are aimed at are more by a part of what is missing: another round costs more.
_FEW_DIGITS, _MORE_DIGITS = 6.0, 1 / 3
# So many times that where something is narrow: cells there are as large as polynomials of the degree can hold the data.
_STEEPER = 2.0
# Coefficients of a wave are Bessel's functions of z = pi times the wavelengths in a cell, which is at least this; those
# that come after the last are to be as much below the tolerance.
_LEAST_PHASE, _BELOW = 1.5, 0.1
# Waves across many wavelengths carry errors on: digits more for each ten times as many of them as these.
_FEW_WAVES, _DIGITS_WAVES = 20.0, 2.0
# Where the boundary cuts cells, so many along the longer side at least.
_CELLS_CUT = 3
# Where data are narrow somewhere, so many wavelengths of them along each axis at most: cells are halved for the others.
_WAVES_NARROW = 2
# The degree of polynomials where there are sharp corners or something is narrow: in any case, and for each digit.
_LEAST_SHARP, _EACH_DIGIT_SHARP = 2.0, 1.4
# The same in cells that the boundary cuts: functions are those of a larger box than what is left of it.
_LEAST_CUT, _EACH_DIGIT_CUT = 5.0, 1.5
# And digits more in all of them: error estimates are larger where sums over rows are no quadrature.
_DIGITS_CUT = 1.0
# Cells to begin with, at most, where curves cut them.
_MOST_CURVED = 300
# Along each axis, where materials jump.
_MOST_ALONG = 24
# Cells whose degrees are found between two looks at the clock.
_AT_ONCE = 1000


def first_cells(request: Request, bands: Bands, *, narrow: bool = True) -> Patchwork:
    """Cells of some wavelengths each, cut at corners, and, if that is asked for, smaller toward what is narrow.

    Raises
    ------
    UnsuitableError
        If the domain has more than two dimensions or is too thin, or the budget is by far too small.
    """
    problem = request.problem
    check_suitable(problem)
    lengths = request.lengths
    places = scrutinise(problem).places if narrow else ()
    if problem.interfaces:  # data have kinks there, and their bands no end
        bands = settled_bands(problem, bands, np.random.default_rng(0))
    frequencies = np.maximum(np.asarray(bands.frequencies), 1e-3 * 2 * np.pi / lengths)
    if problem.interfaces:
        frequencies = np.minimum(frequencies, 2 * np.pi * _WAVES * _MOST_ALONG / lengths)
    steady = problem.domain.time is None
    if steady if problem.interfaces else any(place.kind != "smooth" for place in places):
        # frequencies of data that are narrow somewhere say nothing about the rest of the domain
        of_data = np.array([source not in OF_THE_PROBLEM for source in bands.sources])
        most = 2 * np.pi * _WAVES_NARROW / lengths
        frequencies = np.where(of_data, np.minimum(frequencies, most), frequencies)
    digits = -math.log10(request.tol)
    missing = max(_FEW_DIGITS - digits, 0.0)
    waves = _WAVES if problem.interfaces else min(_WAVES + _MORE_WAVES * missing, _WAVES_LOOSE)
    check_affordable(request, frequencies * lengths / (2 * np.pi) / waves)
    sharp = [each.point for each in special_points(problem) if each.is_sharp]
    degree = min(math.ceil(_LEAST_SHARP + _EACH_DIGIT_SHARP * digits), MOST_DEGREE)
    tiling = toward_curved(_grids(problem, frequencies, sharp, waves), _MOST_CURVED)
    tiling = toward_narrow(problem, tiling, within_materials(problem, places), degree, request.tol)
    tiling = balanced(tiling, problem=problem)
    if "the equation" in bands.sources:
        across = float(np.max(frequencies * lengths)) / (2 * np.pi)
        digits += _DIGITS_WAVES * max(math.log10(across / _FEW_WAVES), 0.0)
    in_cells = waves_in_cells(problem, tiling, bands, frequencies)
    degrees = _degrees_of(problem, tiling, in_cells, digits, _MORE_DIGITS * missing, places)
    scales = natural_scales(problem, np.maximum(np.asarray(bands.frequencies), 2 * np.pi / lengths))
    return Patchwork(problem, tiling, degrees, tuple(float(scale) for scale in scales), request.threads)


def _degrees_of(
    problem: Problem, tiling: Cover, frequencies: FloatArray, digits: float, more: float, places: Sequence[Narrow]
) -> Degrees:
    """Of the polynomials in each cell, for the waves in it, and for what is sharp or narrow; and `more` digits."""
    sides = np.array([cell.upper - cell.lower for cell in tiling.cells])
    if problem.interfaces:  # neighbours of two materials are to have the same
        sides = np.tile(sides.max(axis=0), (len(sides), 1))
    cut = np.array([not cell.whole for cell in tiling.cells])
    each = _degrees(frequencies * sides / (2 * np.pi), digits + max(_DIGITS_CUT * bool(cut.any()), more))
    narrow = any(place.kind == "narrow" for place in within_materials(problem, places))
    steep = _LEAST_SHARP + _EACH_DIGIT_SHARP * (digits + _STEEPER * more * narrow)
    # beside cells that are cut, solutions vary as they do in these
    if narrow or cut.any() or any(special.is_sharp for special in special_points(problem)):
        each = np.maximum(each, math.ceil(steep))
    each[cut] = np.maximum(each[cut], math.ceil(_LEAST_CUT + _EACH_DIGIT_CUT * digits))
    if problem.interfaces and problem.domain.time is None:  # what continues across them has all directions
        each[:] = each.max()
    return np.minimum(each, MOST_DEGREE)


def _degrees(waves: FloatArray, digits: float) -> Degrees:
    """Degrees at which coefficients of so many waves have fallen by so many digits."""
    from scipy.special import jv  # not needed before there are cells

    phase = np.maximum(np.pi * waves, _LEAST_PHASE)
    degrees, found = np.arange(MOST_DEGREE), np.empty((len(phase), phase.shape[1]), dtype=int)
    for start in range(0, len(phase), _AT_ONCE):
        check_deadline()
        some = phase[start : start + _AT_ONCE, ..., None]
        fallen = (jv(degrees, some) < _BELOW * 10.0**-digits) & (degrees > some)
        found[start : start + _AT_ONCE] = np.where(fallen.any(axis=-1), np.argmax(fallen, axis=-1), MOST_DEGREE)
    return found


def _grids(problem: Problem, frequencies: FloatArray, sharp: Sequence[FloatArray], most: float) -> Cover:
    """An even grid of cells, of each material by itself: more of them where the boundary or an interface cuts them.

    Cut at the sharp corners besides, with which no other cuts may be left.
    """

    def shape(domain: Domain, waves: float, least: FloatArray | float = 0.0) -> list[int]:
        lower, upper = domain.bounding_box
        counts = np.maximum(frequencies * (upper - lower) / (2 * np.pi) / waves, least)
        return [int(count) for count in np.ceil(counts)]

    def enough(domain: Domain) -> list[int]:
        lengths = np.subtract(*reversed(domain.bounding_box))
        few = shape(domain, most)
        if all(cell.whole for cell in cut_at(tile(domain, few), sharp).cells):
            return few
        return shape(domain, _WAVES, _CELLS_CUT * lengths / lengths.max())

    if not problem.interfaces:
        return cut_at(tile(problem.domain, enough(problem.domain)), sharp)
    return mosaic_of(problem.domain, [line.part for line in problem.interfaces], problem.material_of, enough)
