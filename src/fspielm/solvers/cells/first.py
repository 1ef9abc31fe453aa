"""The cells that a problem is begun with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.collocation import Patchwork
from fspielm.collocation.cells import check_suitable
from fspielm.equations import Problem, change_places, natural_scales
from fspielm.equations.once import once
from fspielm.geometry import Domain
from fspielm.geometry.cells import Cover, mosaic_of, tile
from fspielm.scrutiny import Narrow, scrutinise
from fspielm.solvers.cells.balance import balanced
from fspielm.solvers.cells.least import check_affordable
from fspielm.solvers.cells.vertices import lowest_power, meeting_points
from fspielm.solvers.request import Request
from fspielm.spectrum import Bands, settled_bands

# Wavelengths of the highest frequency in a cell: about the cheapest, whatever the digits.
_WAVES = 3.0
# The coefficients of a wave fall from the degree z = pi times the wavelengths in a cell on, to one of D digits within
# a number of degrees that grows like (D^2 z)^(1/3) (asymptotics of Bessel's functions); z is at least this.
_FALL = 1.8
_LEAST_PHASE = 1.5
MOST_DEGREE = 32
# Where the boundary cuts cells, so many along the longer side at least.
_CELLS_CUT = 3
# Where data are narrow somewhere, so many along each axis for them at most.
_CELLS_NARROW = 4
# Toward corners cells are halved so often to begin with, and at most at once; where conditions change, solutions are
# like the root of the distance.
_LEVELS = 2
_MOST_LEVELS = 30
_HALF = 0.5
# A cell may be so many times as long as the shortest distance over which anything in it changes; it is halved so often.
_WIDTHS = 4.0
_MOST_HALVINGS = 14
# Cells to begin with, at most, where something is narrow.
_MOST_FIRST = 300
# Along each axis, where materials jump.
_MOST_ALONG = 24
# Of the domain's size: what is so close is there.
_CLOSE = 1e-9
_CONVEX = math.pi * (1 + 1e-9)


def first_cells(request: Request, bands: Bands) -> Patchwork:
    """Cells of some wavelengths each, smaller toward what is narrow and toward corners.

    Raises
    ------
    UnsuitableError
        If the domain has more than two dimensions or is too thin, cells do not know a condition, or the budget is by
        far too small.
    """
    problem = request.problem
    check_suitable(problem)
    lengths, places = request.lengths, scrutinise(problem).places
    if problem.interfaces:  # data have kinks there, and their bands no end
        bands = settled_bands(problem, bands, np.random.default_rng(0))
    frequencies = np.maximum(np.asarray(bands.frequencies), 1e-3 * 2 * np.pi / lengths)
    if problem.interfaces:
        frequencies = np.minimum(frequencies, 2 * np.pi * _WAVES * _MOST_ALONG / lengths)
    elif any(place.kind != "smooth" for place in places):
        # frequencies of data that are narrow somewhere say nothing about the rest of the domain
        of_data = np.array([source != "the equation" for source in bands.sources])
        most = 2 * np.pi * _WAVES * _CELLS_NARROW / lengths
        frequencies = np.where(of_data, np.minimum(frequencies, most), frequencies)
    check_affordable(request, frequencies * lengths / (2 * np.pi) / _WAVES)
    tiling = _toward_narrow(_grids(problem, frequencies), places)
    special = [each.point for each in special_points(problem)]
    for _ in range(_LEVELS if special else 0):
        tiling = toward(tiling, special)
    tiling = balanced(tiling, problem)
    # in the longest cells
    waves = frequencies * np.max([cell.upper - cell.lower for cell in tiling.cells], axis=0) / (2 * np.pi)
    degrees = np.tile(np.minimum(_degrees(waves, request.tol), MOST_DEGREE), (len(tiling.cells), 1))
    scales = natural_scales(problem, np.maximum(np.asarray(bands.frequencies), 2 * np.pi / lengths))
    return Patchwork(problem, tiling, degrees, tuple(float(scale) for scale in scales), request.threads)


def _degrees(waves: FloatArray, tol: float) -> NDArray[np.int_]:
    """Degrees at which coefficients of so many waves have fallen below a tolerance."""
    phase = np.maximum(np.pi * waves, _LEAST_PHASE)
    digits = -math.log10(tol)
    return np.ceil(phase + _FALL * np.cbrt(digits**2 * phase)).astype(int)


def _grids(problem: Problem, frequencies: FloatArray) -> Cover:
    """An even grid of cells, of each material by itself: more of them where the boundary or an interface cuts them."""

    def shape(domain: Domain, least: FloatArray | float = 0.0) -> list[int]:
        lower, upper = domain.bounding_box
        counts = np.maximum(frequencies * (upper - lower) / (2 * np.pi) / _WAVES, least)
        return [int(count) for count in np.ceil(counts)]

    def enough(domain: Domain) -> list[int]:
        lengths = np.subtract(*reversed(domain.bounding_box))
        few = shape(domain)
        if all(cell.whole for cell in tile(domain, few).cells):
            return few
        return shape(domain, _CELLS_CUT * lengths / lengths.max())

    if not problem.interfaces:
        return tile(problem.domain, enough(problem.domain))
    return mosaic_of(problem.domain, [line.part for line in problem.interfaces], problem.material_of, enough)


@final
@dataclass(frozen=True, eq=False)
class Special:
    """A point at which a solution may be no smoother than a power of the distance.

    Attributes
    ----------
    point : (d,) array
    power : float
        The lowest one that is expected.
    """

    point: FloatArray
    power: float

    def levels(self, gain: float) -> int:
        """How often cells are halved toward it to gain a factor: each time two to twice the power."""
        return min(math.ceil(math.log2(gain) / (2 * self.power)), _MOST_LEVELS)


@once
def special_points(problem: Problem) -> list[Special]:
    """Where solutions may not be smooth: re-entrant corners, and where conditions change or several materials meet."""
    if problem.dimension != 2 or problem.domain.time is not None:
        return []
    corners = [
        Special(np.array(corner.point), math.pi / corner.opening)
        for corner in problem.domain.corners()
        if corner.opening > _CONVEX
    ]
    lower, upper = problem.domain.bounding_box
    met = meeting_points(problem)
    changes = [
        Special(np.array(place.point), _HALF)
        for place in change_places(problem)
        # where interfaces end, data have kinks as solutions do
        if all(math.dist(place.point, point) > _CLOSE * np.max(upper - lower) for point in met)
    ]
    vertices = [Special(point, lowest_power(problem, point)) for point in met]
    return corners + changes + [vertex for vertex in vertices if vertex.power < 1]


def toward(tiling: Cover, points: Sequence[FloatArray]) -> Cover:
    """All cells that touch one of some points, halved along every axis."""
    lower, upper = (np.asarray(side) for side in tiling.domain.bounding_box)
    frames = tiling.frames
    slack = min(_CLOSE * float(np.max(upper - lower)), 0.25 * float(np.min(frames.lengths)))
    touching: set[int] = set()
    for point in points:
        met = np.all((frames.lower - slack <= point) & (point <= frames.upper + slack), axis=1)
        touching |= set(np.flatnonzero(met).tolist())
    return tiling.halve({index: range(tiling.domain.dimension) for index in touching})


def _toward_narrow(tiling: Cover, places: tuple[Narrow, ...]) -> Cover:
    """Halved where data or coefficients change within a short distance; by far not as often where there is no end."""
    narrow = [place for place in places if place.kind == "narrow" and place.width > 0]
    for _ in range(_MOST_HALVINGS):
        wanted: set[int] = set()
        sides = np.array([float(np.max(cell.upper - cell.lower)) for cell in tiling.cells])
        for place in narrow:
            points = place.sites.points
            inside = np.all((points >= place.lower) & (points <= place.upper), axis=1)
            met = np.unique(tiling.locate(points[inside]))
            wanted |= set(met[sides[met] > _WIDTHS * place.width].tolist())
        if not wanted or len(tiling.cells) + 3 * len(wanted) > _MOST_FIRST:
            break
        tiling = tiling.halve({index: range(tiling.domain.dimension) for index in wanted})
    return tiling
