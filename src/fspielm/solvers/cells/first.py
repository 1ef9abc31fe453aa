"""The cells that a problem is begun with."""

from __future__ import annotations

import math

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation import Patchwork
from fspielm.equations import Problem, change_places, natural_scales
from fspielm.errors import UnsuitableError
from fspielm.geometry.cells import Tiling, tile
from fspielm.scrutiny import Narrow, scrutinise
from fspielm.solvers.request import Request
from fspielm.spectrum import Bands

# Wavelengths of the highest frequency in a cell.
_WAVES = 1.5
# The degree of polynomials: for each wavelength, in any case, and for each digit.
_EACH_WAVE, _LEAST_DEGREE, _EACH_DIGIT = 8.0, 4.0, 0.5
MOST_DEGREE = 30
# Where the boundary cuts cells, so many along the longer side at least.
_CELLS_CUT = 3
# Toward corners at which solutions are not smooth, cells are halved so often to begin with.
_TOWARD_CORNERS = 6
# A cell may be so many times as long as the shortest distance over which anything in it changes; it is halved so often.
_WIDTHS = 4.0
_MOST_HALVINGS = 14
# Of the domain's size: what is so close is there.
_CLOSE = 1e-9
_CONVEX = math.pi * (1 + 1e-9)


def first_cells(request: Request, bands: Bands) -> Patchwork:
    """Cells of some wavelengths each, smaller toward what is narrow and toward corners.

    Raises
    ------
    UnsuitableError
        If the domain has more than two dimensions.
    """
    problem = request.problem
    if problem.dimension > 2:
        raise UnsuitableError(f"cells are for one and two dimensions; this problem has {problem.dimension}")
    lengths = request.lengths
    waves = np.maximum(np.asarray(bands.frequencies) * lengths / (2 * np.pi), 1e-3)
    shape = np.ceil(waves / _WAVES).astype(int)
    tiling = tile(problem.domain, shape.tolist())
    if not all(cell.whole for cell in tiling.cells):
        least = np.ceil(_CELLS_CUT * lengths / lengths.max()).astype(int)
        shape = np.maximum(shape, least)
        tiling = tile(problem.domain, shape.tolist())
    tiling = _toward_narrow(tiling, scrutinise(problem).places)
    for point in special_points(problem):
        for _ in range(_TOWARD_CORNERS):
            tiling = toward(tiling, point)
    digits = -math.log10(request.tol)
    each = _EACH_WAVE * waves / shape + _LEAST_DEGREE + _EACH_DIGIT * digits
    degrees = np.tile(np.minimum(np.ceil(each).astype(int), MOST_DEGREE), (len(tiling.cells), 1))
    scales = natural_scales(problem, np.maximum(np.asarray(bands.frequencies), 2 * np.pi / lengths))
    return Patchwork(problem, tiling, degrees, tuple(float(scale) for scale in scales), request.threads)


def special_points(problem: Problem) -> list[FloatArray]:
    """Where solutions may not be smooth: re-entrant corners, and places where conditions change."""
    if problem.dimension != 2 or problem.domain.time is not None:
        return []
    corners = [np.array(corner.point) for corner in problem.domain.corners() if corner.opening > _CONVEX]
    changes = [np.array(place.point) for place in change_places(problem)]
    return corners + changes


def toward(tiling: Tiling, point: FloatArray) -> Tiling:
    """All cells that touch a point, halved along every axis."""
    lower, upper = (np.asarray(side) for side in tiling.domain.bounding_box)
    slack = _CLOSE * float(np.max(upper - lower))
    slack = min(slack, 0.25 * min(float(np.min(cell.upper - cell.lower)) for cell in tiling.cells))
    touching = [
        index
        for index, cell in enumerate(tiling.cells)
        if np.all(cell.lower - slack <= point) and np.all(point <= cell.upper + slack)
    ]
    return tiling.halve({index: range(len(point)) for index in touching})


def _toward_narrow(tiling: Tiling, places: tuple[Narrow, ...]) -> Tiling:
    """Halved where data or coefficients change within a short distance, along the axes along which they do."""
    narrow = [place for place in places if place.kind == "narrow" and place.width > 0]
    for _ in range(_MOST_HALVINGS):
        wanted: dict[int, tuple[int, ...]] = {}
        for place in narrow:
            for index, cell in enumerate(tiling.cells):
                apart = np.any(cell.lower > place.upper + place.width) or np.any(cell.upper < place.lower - place.width)
                axes = tuple(np.flatnonzero(cell.upper - cell.lower > _WIDTHS * place.width).tolist())
                if axes and not apart:
                    wanted[index] = tuple(sorted({*wanted.get(index, ()), *axes}))
        if not wanted:
            break
        tiling = tiling.halve(wanted)
    return tiling
