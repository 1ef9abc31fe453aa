"""Quantities that pictures show, over sections of the domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Literal, TypeAlias, final

import numpy as np
import sympy as sp

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.basis.basis import Basis
from fspielm.basis.evaluation.direct import split_leaves
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Mask
from fspielm.geometry.domain import Domain
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.pictures import RESOLUTION
from fspielm.geometry.time import SpaceTime, borders_in
from fspielm.numerics.roots import bisect
from fspielm.numerics.tolerances import BISECTIONS, CLOSE, SAME
from fspielm.problem.places import DOMAIN_PROBES
from fspielm.problem.problem import Problem
from fspielm.solution.evaluation import meshed
from fspielm.solution.plot.style import Scale, doubt, phase_scale, scale_for, unknown_symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

    from fspielm.solution.solution import Solution


Part: TypeAlias = Literal["real", "imag", "abs", "phase"]

# How each part of a complex number is computed, and what is written before and after its name.
_PARTS: dict[str, tuple[Callable[[NumberArray], FloatArray], str, str]] = {
    "real": (np.real, r"\mathrm{Re}\,", ""),
    "imag": (np.imag, r"\mathrm{Im}\,", ""),
    "abs": (np.abs, "|", "|"),
    "phase": (np.angle, r"\mathrm{arg}\,", ""),
}


# ---- The outline of a plane section, as closed loops to draw and to clip by


def outline(domain: Domain) -> list[FloatArray] | None:
    """Closed loops ``(n, 2)`` along the true boundary of a domain of the plane, at any time.

    None for other domains, and for a boundary whose pieces do not join into loops.
    """
    space = domain.space if isinstance(domain, SpaceTime) else domain
    if space.dimension != 2:
        return None
    if isinstance(space, Exterior) and space.period is not None:  # the window may cut copies of the objects
        return None
    lower, upper = space.bounding_box
    parts = space.solid_parts() if isinstance(space, Exterior) else space.boundary()
    pieces = [piece for part in parts for piece in smooth_pieces(part)]
    loops = _join(pieces, CLOSE * float(np.max(upper - lower)))
    if space.is_unbounded and loops is not None:  # cut to the window
        (left, bottom), (right, top) = lower, upper
        loops.append(np.array([[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom]]))
    return loops


def inner_lines(domain: Domain) -> list[FloatArray]:
    """Lines ``(n, 2)`` between regions of the plane, and along penetrable objects."""
    if isinstance(domain, Exterior):
        parts = domain.inner_parts()
    else:
        space = domain.space if isinstance(domain, SpaceTime) and domain.dimension > 2 else domain
        parts = tuple(border.part for border in borders_in(space))
    return [piece for part in parts if part.parameters == 1 for piece in smooth_pieces(part)]


def mask_outline(mask: BoolArray, axes: tuple[FloatArray, FloatArray]) -> list[FloatArray]:
    """Closed loops around the inner cells of a fine grid, for domains whose section has no formula."""
    from contourpy import contour_generator

    padded = np.pad(mask.astype(np.float64), 1)
    x, y = (np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in axes)
    lines = contour_generator(x, y, padded, line_type="Separate").lines(0.5)
    return [np.asarray(line, dtype=np.float64) for line in lines]


def as_path(loops: list[FloatArray]) -> Path:
    """The loops as one path whose inside is the domain: holes run the opposite way."""
    from matplotlib.path import Path

    paths = [Path(loop, closed=True) for loop in loops]
    turned = []
    for index, (loop, path) in enumerate(zip(loops, paths, strict=True)):
        depth = sum(other.contains_point(loop[0]) for i, other in enumerate(paths) if i != index)
        x, y = loop.T
        counterclockwise = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0
        turned.append(path if counterclockwise == (depth % 2 == 0) else Path(loop[::-1], closed=True))
    return Path.make_compound_path(*turned)


def smooth_pieces(part: BoundaryPart) -> list[FloatArray]:
    """Points along each smooth piece of a part; only the ends of a straight one."""
    pieces = []
    for low, high in pairwise(part.breaks):
        # a break belongs to the piece after it
        unit = np.linspace(low, high, RESOLUTION)
        unit[-1] = np.nextafter(high, low) if high < 1 else 1.0
        runs = [unit] if part.keep is None else _kept_runs(part, part.keep, unit)
        for run in runs:
            points = part.place(run[:, None]).points
            pieces.append(points[[0, -1]] if _is_straight(points) else points)
    return pieces


def _kept_runs(part: BoundaryPart, keep: Mask, unit: FloatArray) -> list[FloatArray]:
    """The stretches of `unit` that belong to the part, their ends found by bisection."""

    def holds(parameters: FloatArray) -> BoolArray:
        return keep(part.place(parameters[:, None]).points)

    kept = holds(unit)
    changes = np.flatnonzero(np.diff(kept)) + 1
    begins = kept[changes]
    inside = np.where(begins, unit[changes], unit[changes - 1])
    outside = np.where(begins, unit[changes - 1], unit[changes])
    inside, _ = bisect(inside, outside, holds, BISECTIONS)
    runs = []
    for index, run in enumerate(np.split(unit, changes)):
        if kept[0 if index == 0 else changes[index - 1]]:
            before, after = inside[index - 1 : index] if index else inside[:0], inside[index : index + 1]
            runs.append(np.concatenate([before, run, after]))
    return runs


def _is_straight(points: FloatArray) -> bool:
    way = points[-1] - points[0]
    length = float(np.hypot(*way))
    offset = points - points[0]
    across = np.abs(offset[:, 0] * way[1] - offset[:, 1] * way[0])
    return length > 0 and bool(across.max() <= SAME * length**2)


def _join(pieces: list[FloatArray], near: float) -> list[FloatArray] | None:
    """Join pieces end to end, reversed where needed; None where a loop does not close."""
    remaining = list(pieces)
    loops = []
    while remaining:
        loop = remaining.pop(0)
        while np.hypot(*(loop[-1] - loop[0])) > near or len(loop) < 3:
            turned = (each[::way] for each in remaining for way in (1, -1))
            places = (n for n, each in enumerate(turned) if np.hypot(*(each[0] - loop[-1])) <= near)
            if (place := next(places, None)) is None:
                return None
            loop = np.concatenate([loop, remaining.pop(place // 2)[:: 1 - 2 * (place % 2)][1:]])
        loops.append(np.concatenate([loop, loop[:1]]))
    return loops


# ---- Plane sections: the cells at which a map is evaluated, and the outline it is cut to

# An outline without a formula is found on a grid that is finer than the cells by this factor.
_FINENESS = 4


@dataclass(frozen=True, eq=False)
class Section:
    """Cells of a plane section."""

    axes: tuple[int, int]  # the horizontal and the vertical coordinate
    points: FloatArray  # (n, d): the centers of the cells that lie in the domain
    inside: BoolArray  # (rows, columns): the mask of those cells; rows run along the second of `axes`
    extent: tuple[float, float, float, float]  # left, right, bottom, top
    loops: list[FloatArray]  # the outline, (n, 2) each; empty where the section fills its frame
    lines: list[FloatArray]  # borders within it, (n, 2) each: between regions, and along penetrable objects
    continues: bool = False  # whether the domain continues beyond the frame

    def image(self, values: FloatArray) -> FloatArray:
        """The values at `points` as rows and columns; a cell outside, to be clipped, shows the nearest one inside."""
        from scipy.ndimage import distance_transform_edt  # imported here: pictures are not always wanted

        image = np.zeros(self.inside.shape)
        image[self.inside] = values
        if self.inside.all():
            return image
        nearest = distance_transform_edt(~self.inside, return_distances=False, return_indices=True)
        return np.asarray(image[tuple(nearest)])

    def moved(self, column: int, value: float) -> FloatArray:
        """The points with another value of a fixed coordinate, such as time."""
        points = self.points.copy()
        points[:, column] = value
        return points


def make_section(domain: Domain, axes: tuple[int, int], at: FloatArray, cells: tuple[int, int]) -> Section:
    """The section along `axes` through the point `at` ``(d,)``, with `cells` along each axis."""
    lower, upper = (bound[list(axes)] for bound in domain.bounding_box)

    def centers(fineness: int) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
        across, up = (middles(a, b, n * fineness) for a, b, n in zip(lower, upper, cells, strict=True))
        return (across, up), through(at, axes, meshed((up, across))[:, ::-1])

    _, points = centers(1)
    inside = domain.contains(points)
    if not inside.any():
        held = [value for axis, value in enumerate(at.tolist()) if axis not in axes]
        raise ProblemError(f"the section at {held} does not meet the domain {domain!r}")
    loops: list[FloatArray] = []
    if not inside.all():
        exact = outline(domain) if axes == (0, 1) else None
        if exact is None:
            fine_axes, fine = centers(_FINENESS)
            mask = domain.contains(fine).reshape(len(fine_axes[1]), len(fine_axes[0]))
            exact = mask_outline(mask, fine_axes)
        loops = exact
    extent = (float(lower[0]), float(upper[0]), float(lower[1]), float(upper[1]))
    lines = inner_lines(domain) if axes == (0, 1) else []
    shape = cells[1], cells[0]
    return Section(axes, points[inside], inside.reshape(shape), extent, loops, lines, domain.is_unbounded)


def middles(low: float, high: float, count: int) -> FloatArray:
    """The middles of so many cells between two ends."""
    return np.asarray(low + (high - low) * (np.arange(count) + 0.5) / count)


def through(at: FloatArray, axes: Sequence[int], places: FloatArray) -> FloatArray:
    """Points through `at` ``(d,)`` that have these coordinates ``(n, a)`` along some axes."""
    points = np.tile(at, (len(places), 1))
    points[:, axes] = places
    return points


def is_spatial(domain: Domain, axes: tuple[int, int] = (0, 1)) -> bool:
    """Whether both coordinates are space, and so have the same scale."""
    return domain.time is None or domain.dimension - 1 not in axes


# ---- Quantities: functions over the domain, where they are sampled, and how finely


@final
@dataclass(frozen=True)
class Sampling:
    """How finely to sample: for each period of the highest frequency, at least, and at most."""

    per_period: float
    least: int
    most: int

    def count(self, periods: float) -> int:
        """The number of samples for so many periods."""
        return int(np.clip(self.per_period * periods, self.least, self.most))


# The images are smoothed between the cells of a map.
_CELLS, _ON_LINE = Sampling(8.0, 160, 480), Sampling(16.0, 600, 6000)


def frequencies(basis: Basis, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The frequencies ``(n, d)`` of the functions that oscillate, and their coefficients ``(n,)``."""
    leaves = split_leaves(basis, coefficients[None, :])
    found = [(leaf.frequencies.real, part[0]) for leaf, part in leaves if leaf.frequencies is not None]
    if not found:
        got = "polynomials in cells" if basis.on_cells else type(basis).__name__
        raise ProblemError(f"a spectrum needs functions that have frequencies; got {got}")
    return np.concatenate([W for W, _ in found]), np.concatenate([c for _, c in found])


def highest_frequencies(solution: Solution) -> FloatArray:
    """The band along each axis that the solver found; if it looked for none, that of the features."""
    bands = solution.report.bands
    if bands:
        return np.array([band.frequency for band in bands.values()])
    try:
        W, _ = frequencies(solution.basis, solution.coefficients)
    except ProblemError:
        return np.zeros(solution.problem.dimension)
    return np.asarray(np.abs(W).max(axis=0))


@dataclass(frozen=True, eq=False)
class Quantity:
    """A function over the domain of a problem."""

    problem: Problem
    values: Callable[[FloatArray], FloatArray]  # from points ``(n, d)`` to ``(n,)``
    label: str | sp.Basic  # beside its axis or colour bar; above a bar if it is mathematics
    frequencies: FloatArray  # (d,): angular frequencies along the axes that the picture has to resolve
    logarithmic: bool = False  # whether it is shown in decades; it is not negative then
    # cells along the longer side of a map, or points of a line; if None, as many as the frequencies need
    resolution: int | None = None
    finest: int = _CELLS.most  # the most cells if `resolution` is None
    note: str | None = None  # the note at the foot of its pictures; see `doubt`
    cyclic: bool = False  # whether it is a phase, from -pi to pi
    overlay: Callable[[Axes, Section], None] | None = None  # draws over a map: takes its axes and its section
    # draws over a line: takes its axes and a point ``(d,)`` of the line
    line_overlay: Callable[[Axes, FloatArray], None] | None = None

    def scale(self, values: FloatArray) -> Scale:
        """The scale that shows all of `values`."""
        return phase_scale() if self.cyclic else scale_for(values, logarithmic=self.logarithmic)

    def section(self, axes: tuple[int, int], at: FloatArray) -> Section:
        """Cells of the section along `axes` through `at`, fine enough for the frequencies."""
        return make_section(self.problem.domain, axes, at, self._cells(axes))

    def line(self, at: FloatArray) -> FloatArray:
        """Points ``(n, d)`` along the first coordinate, through `at`."""
        lower, upper = self.problem.domain.bounding_box
        periods = self.frequencies[0] * (upper[0] - lower[0]) / (2 * np.pi)
        count = self.resolution or _ON_LINE.count(periods)
        return through(at, (0,), np.linspace(lower[0], upper[0], count)[:, None])

    def _cells(self, axes: tuple[int, int]) -> tuple[int, int]:
        pair = list(axes)
        lower, upper = self.problem.domain.bounding_box
        sides = (upper - lower)[pair]
        periods = self.frequencies[pair] * sides / (2 * np.pi)
        # a phase jumps, and so cannot be smoothed between cells
        coarsest = self.finest if self.cyclic else min(_CELLS.least, self.finest)
        sampling = replace(_CELLS, least=coarsest, most=self.finest)
        if not is_spatial(self.problem.domain, axes):
            across, up = (self.resolution or sampling.count(each) for each in periods)
            return across, up
        longest = float(sides.max())
        count = self.resolution or sampling.count(float(np.max(periods / sides)) * longest)
        across, up = (max(round(count * side / longest), 2) for side in sides)
        return across, up


def hold(problem: Problem, at: Sequence[float] | None, time: float | None) -> FloatArray:
    """The point ``(d,)`` that sections go through: the middle of the domain, except for coordinates given by the user.

    `at` has one number for each coordinate of space.
    """
    lower, upper = problem.domain.bounding_box
    point: FloatArray = (lower + upper) / 2
    space = problem.dimension - (problem.domain.time is not None)
    if at is not None:
        if space == 0:
            raise ProblemError(f"at={at!r} cuts through space, which the domain {problem.domain!r} has none of")
        names = ", ".join(str(symbol) for symbol in problem.coordinates[:space])
        try:
            given = np.asarray(at, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.empty(0)
        if given.shape != (space,) or not np.isfinite(given).all():
            raise ProblemError(f"at must give one number for each of {names}; got {at!r}")
        point[:space] = given
    if time is not None:
        (point[-1],) = read_times(problem, time)
    return point


def probe(problem: Problem) -> FloatArray:
    """Points spread evenly over the whole domain; the same every time."""
    return problem.domain.sample(DOMAIN_PROBES, np.random.default_rng(0), "low-discrepancy")


def read_times(problem: Problem, time: float | Sequence[float]) -> tuple[float, ...]:
    """Check that one time or several are within the problem's, and return them as a tuple."""
    if problem.domain.time is None:
        raise ProblemError(f"time={time!r} needs a problem with time; the domain is {problem.domain!r}")
    several = isinstance(time, Sequence | np.ndarray) and not isinstance(time, str)
    times: tuple[object, ...] = tuple(time) if several else (time,)  # type: ignore[arg-type]  # checked by `several`
    start, end = problem.domain.time.start, problem.domain.time.end
    numbers = [float(t) for t in times if isinstance(t, Real) and not isinstance(t, bool)]
    if not numbers or len(numbers) != len(times) or not all(start <= t <= end for t in numbers):
        raise ProblemError(f"time must be one or several numbers from {start:g} to {end:g}; got {time!r}")
    return tuple(numbers)


# ---- One quantity for each unknown of a solution


def each_field(solution: Solution) -> list[Solution]:
    """The solution of every unknown."""
    return [solution[unknown.symbol] for unknown in solution.problem.stated.unknowns]


def only_field(solution: Solution, what: str) -> Solution:
    """The solution of the only unknown; an error where there are several, of which `what` shows one."""
    unknowns = solution.problem.stated.unknowns
    if len(unknowns) > 1:
        names = ", ".join(str(unknown.symbol) for unknown in unknowns)
        name = unknowns[0].symbol.func.__name__
        raise ProblemError(
            f"{what} shows one unknown, but there are {len(unknowns)}, {names}; choose one, as in solution[{name!r}]"
        )
    return solution[unknowns[0].symbol]


def field_quantity(solution: Solution, part: Part | None = None, resolution: int | None = None) -> Quantity:
    """A solution of one unknown as a quantity to draw: if complex, a part of it, by default the real one."""
    if part is not None and part not in _PARTS:
        raise ProblemError(f"part must be one of {', '.join(map(repr, _PARTS))}; got {part!r}")
    if part is None and np.iscomplexobj(solution.coefficients):
        part = "real"
    label = unknown_symbol(solution.problem)
    if part is not None:
        _, before, after = _PARTS[part]
        label = sp.Symbol(f"{before}{sp.latex(label)}{after}")

    def values(points: FloatArray) -> FloatArray:
        found = solution(points, outside="extend")
        return found if part is None else np.asarray(_PARTS[part][0](found))

    return Quantity(
        solution.problem,
        values,
        label,
        highest_frequencies(solution),
        resolution=resolution,
        note=doubt(solution),
        cyclic=part == "phase",
    )
