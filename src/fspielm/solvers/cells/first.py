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
from fspielm.errors import MemoryBudgetError, ProblemError, UnsuitableError
from fspielm.geometry import Domain
from fspielm.geometry.cells import Cover, mosaic_of, tile
from fspielm.scrutiny import Narrow, scrutinise
from fspielm.solvers.cells.corners import special_points
from fspielm.solvers.cells.curved import toward_curved
from fspielm.solvers.cells.grading import balanced, cut_at
from fspielm.solvers.cells.narrow import toward_narrow, within_materials
from fspielm.solvers.cells.plans import MOST_DEGREE
from fspielm.solvers.request import Request
from fspielm.spectrum import OF_THE_PROBLEM, Bands, settled_bands, waves_at
from fspielm.wording import duration, readable_bytes, system_size

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
# Seconds of an operation on a machine that nobody has, and operations of a cell for each cube of its functions.
_FASTEST = 5e-12
_EACH = 2.0
# The least that polynomials have.
_DEGREE = 4
# Seconds of a cell, however few functions it has.
_EACH_CELL = 5e-4
# Of a number.
_BYTES = 8
# A cell with fewer points than this that are looked at may hide something.
_LOOKS = 6
# How many there are to be in each on average.
_AIMED = 16
# By how much of what the frequency varies within a cell, relative to it, functions of it have more of them.
_BENT = 1.0


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
    _check_affordable(request, frequencies * lengths / (2 * np.pi) / waves)
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


def _check_affordable(request: Request, counts: FloatArray) -> None:
    """Refuse cells that a budget is by far too small for.

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
    # polynomials within a ball of degrees
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
    """The highest frequency along each axis in each of C cells, ``(C, d)``; that of all where nothing varies."""
    everywhere = np.tile(frequencies, (len(tiling.cells), 1))
    if problem.interfaces or problem.domain.time is not None or "the equation" not in bands.sources:
        return everywhere
    data = np.zeros(problem.dimension)
    for band in bands.data:
        data[band.axis] = max(data[band.axis], band.frequency)
    try:
        points, waves = waves_at(problem, data, _AIMED * len(tiling.cells))
    except ProblemError:  # a coefficient has no value at one of many points: whoever needs it there says so
        return everywhere
    cells = tiling.locate(points)
    highest, lowest = np.zeros_like(everywhere), np.full_like(everywhere, np.inf)
    np.maximum.at(highest, cells, waves)
    np.minimum.at(lowest, cells, waves)
    varies = 1 - np.divide(lowest, highest, out=np.ones_like(highest), where=highest > 0)
    seen = np.bincount(cells, minlength=len(tiling.cells)) >= _LOOKS
    found = np.maximum(highest * (1 + _BENT * varies), data)
    of_equation = np.array([source == "the equation" for source in bands.sources])
    return np.where(seen[:, None] & of_equation, found, everywhere)
