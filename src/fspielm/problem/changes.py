"""Places of a plane boundary where conditions change or their data jump, and corners where they disagree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, spread_out
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Corner
from fspielm.numerics.roots import bisect
from fspielm.problem.operator import cache_by_object
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.resources import check_deadline

# Tolerance of places, relative to the domain's size.
SAME_PLACE = 1e-6
# To find the unit coordinate of a point: samples of a smooth piece, Newton steps, and the step of their slopes.
_ALONG = 65
_CORRECTIONS = 5
_STEP = 1e-7
_INSET = 1e-13


def adjacent_points(problem: Problem, place: Corner, share: float) -> list[FloatArray]:
    """A boundary point ``(1, 2)`` on either side of a place, at a distance of `share` times the domain's size.

    A part without conditions has none ``(0, 2)``. The parts themselves place the points, as data may be known exactly
    on the boundary only.
    """
    step, parts = share * domain_size(problem), {part.name: part for part in curve_parts(problem)}
    angles = (place.start, place.start + place.opening)
    found = []
    for name, angle in zip(place.parts, angles, strict=True):
        target = np.array(place.point) + step * np.array([math.cos(angle), math.sin(angle)])
        part = parts.get(name)
        found.append(np.empty((0, 2)) if part is None else _step_along(part, np.array(place.point), target, step))
    return found


def _step_along(part: BoundaryPart, point: FloatArray, target: FloatArray, step: float) -> FloatArray:
    """The point ``(1, 2)`` of a part at distance `step` from `point`, close to `target`."""
    check_deadline()
    low, high = np.array(part.breaks[:-1]), np.array(part.breaks[1:])
    inset = _INSET * (high - low)  # at the very end the next piece may begin elsewhere
    ends, inward = np.append(low + inset, high - inset), np.append(high - low, low - high)
    at_end = np.linalg.norm(part.place(ends[:, None]).points - point, axis=1) <= SAME_PLACE * part.measure
    if at_end.any():
        units = ends[at_end] + np.sign(inward[at_end]) * np.minimum(step / part.measure, np.abs(inward[at_end]) / 2)
    else:
        units = _unit_of(part, point) + np.array([1.0, -1.0]) * step / part.measure
    points = part.place(units[:, None]).points
    return np.asarray(points[[np.argmin(np.linalg.norm(points - target, axis=1))]])


def _unit_of(part: BoundaryPart, point: FloatArray) -> float:
    """The unit coordinate of a point inside a smooth piece."""
    units = np.concatenate([np.linspace(low, high, _ALONG)[1:-1] for low, high in pairwise(part.breaks)])
    unit = float(units[np.argmin(np.linalg.norm(part.place(units[:, None]).points - point, axis=1))])
    for _ in range(_CORRECTIONS):
        here, there = part.place(np.array([[unit], [unit + _STEP]])).points
        speed = (there - here) / _STEP
        unit = float(np.clip(unit + speed @ (point - here) / (speed @ speed), 0.0, 1.0 - _STEP))
    return unit


def curve_parts(problem: Problem) -> list[BoundaryPart]:
    """The curves of the boundary with conditions."""
    parts = {c.part.name: c.part for c in on_curves(problem) if c.part is not None}
    return list(parts.values())


def on_curves(problem: Problem) -> list[Relation]:
    """The conditions on curves of the boundary, without periodic ones."""
    return [
        c
        for c in problem.constraints
        if c.region.kind == "boundary" and c.region.shift is None and c.part is not None and c.part.parameters == 1
    ]


def is_closed(part: BoundaryPart) -> bool:
    """Whether a part is a closed curve."""
    first, last = part.place(np.array([[0.0], [1.0]])).points
    return bool(np.linalg.norm(last - first) <= SAME_PLACE * part.measure)


def domain_size(problem: Problem) -> float:
    """The diagonal of the box around the domain."""
    lower, upper = problem.domain.bounding_box
    return float(np.linalg.norm(upper - lower))


# ---- Where conditions begin, end or jump within a part


_SAMPLES = 400
_BISECTIONS = 50
# Larger than the margin of masks for rounding, in units of the part.
_MASK_MARGIN = 1e-6
# Steepest places of the data to examine, and the most jumps of data that are not noise.
_STEEPEST = 32
_MOST_JUMPS = 8
# Steps of continuous data over a tiny distance, relative to their size.
_JUMP = 1e-6
# A step is continuous if halving its interval halves it, up to this share, so many times in a row.
_IN_PROPORTION = 0.01
_IN_A_ROW = 2


@cache_by_object
def mask_borders(constraint: Relation) -> FloatArray:
    """Unit coordinates ``(n,)`` at which a condition begins or ends to hold within its part."""
    part = constraint.part
    if part is None or part.parameters != 1 or constraint.mask is None:
        return np.empty(0)

    def held(units: FloatArray) -> BoolArray:
        return constraint.holds(part.place((units % 1.0)[:, None]).points)

    # beyond both ends, where a closed part continues
    units = np.arange(-0.5, _SAMPLES + 1) / _SAMPLES
    if not is_closed(part):
        units = np.clip(units, SAME_PLACE, 1.0 - SAME_PLACE)
    there = held(units)
    changes = there[:-1] != there[1:]
    before = there[:-1][changes]
    _, borders = bisect(units[:-1][changes], units[1:][changes], lambda here: held(here) == before, _BISECTIONS)
    return _sharpened(constraint, borders) % 1.0


def _sharpened(constraint: Relation, borders: FloatArray) -> FloatArray:
    """Borders of a mask without its margin for rounding."""
    part, sharp = constraint.part, constraint.region.sharp
    if sharp is None or not borders.size:
        return borders
    assert part is not None

    def held(units: FloatArray) -> BoolArray:
        return sharp(part.place((units % 1.0)[:, None]).points)

    low, high = borders - _MASK_MARGIN, borders + _MASK_MARGIN
    before = held(low)
    _, exact = bisect(low, high, lambda here: held(here) == before, _BISECTIONS)
    return np.where(before != held(high), exact, borders)


@cache_by_object
def value_jumps(constraint: Relation) -> FloatArray:
    """Unit coordinates ``(n,)`` inside the smooth pieces of a part at which the data of a condition jump.

    Bisection follows each step to rounding, and drops those that shrink with their interval, as continuous data do.
    With many jumps the data are rough, and none are returned.
    """
    part = constraint.part
    if part is None or part.parameters != 1 or constraint.value.constant is not None:
        return np.empty(0)

    def values(units: FloatArray) -> NumberArray:
        sites = part.place(units[:, None])
        held = constraint.holds(sites.points)
        here = sites.select(held)
        return spread_out(constraint.value(here.points, here.normals), held)

    edges = _edges(part.breaks)
    asked = values(np.concatenate(edges))
    pieces = np.split(asked, np.cumsum([len(piece) for piece in edges])[:-1])
    # data may be huge right at the ends of a piece
    smallest = _JUMP * max(float(np.nanmax(np.abs(piece[1:-1]), initial=0.0)) for piece in pieces)
    cells = _Cells(
        *(np.concatenate([piece[:-1] for piece in those]) for those in (edges, pieces)),
        *(np.concatenate([piece[1:] for piece in those]) for those in (edges, pieces)),
    )
    steepest = np.argsort(-cells.steps, kind="stable")[:_STEEPEST]
    cells = cells.select(steepest[cells.steps[steepest] > smallest])
    found = np.empty(0)
    while len(cells.low) and len(found) <= _MOST_JUMPS:
        jumps = _shrink_to_jumps(cells, values, smallest)
        found = np.union1d(found, jumps.high)
        cells = _remaining_cells(cells, jumps, smallest)  # there may be another jump close by
    return found if len(found) <= _MOST_JUMPS else np.empty(0)


class _Cells(NamedTuple):
    """Intervals of a part's unit coordinate, with the data at their ends."""

    low: FloatArray
    at_low: NumberArray
    high: FloatArray
    at_high: NumberArray

    @property
    def steps(self) -> FloatArray:
        """Differences of the data; zero where they are unknown."""
        return _gaps(self.at_low, self.at_high)

    def select(self, those: NDArray[np.intp] | BoolArray) -> _Cells:
        return _Cells(*(entries[those] for entries in self))


def _shrink_to_jumps(cells: _Cells, values: Callable[[FloatArray], NumberArray], smallest: float) -> _Cells:
    """The cells with a jump, shrunk to rounding around it by bisection."""
    proportional = np.zeros(len(cells.low), dtype=np.intp)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (cells.low + cells.high)
        if not np.any((cells.low < middle) & (middle < cells.high)):
            break
        at_middle, before = values(middle), cells.steps
        above = _gaps(at_middle, cells.at_high) > _gaps(cells.at_low, at_middle)
        cells = _Cells(
            np.where(above, middle, cells.low),
            np.where(above, at_middle, cells.at_low),
            np.where(above, cells.high, middle),
            np.where(above, cells.at_high, at_middle),
        )
        # the limit c of a step c + s h
        remains = np.abs(2.0 * cells.steps - before)
        proportional = np.where(remains <= _IN_PROPORTION * cells.steps, proportional + 1, 0)
        lasts = (cells.steps > smallest) & (proportional < _IN_A_ROW)
        cells, proportional = cells.select(lasts), proportional[lasts]
    return cells


def _remaining_cells(cells: _Cells, jumps: _Cells, smallest: float) -> _Cells:
    """The rest of the cells on either side of the jumps found, where a step remains."""
    holds = (cells.low[:, None] <= jumps.low) & (jumps.high <= cells.high[:, None])
    outer = cells.select(np.argmax(holds, axis=0) if len(jumps.low) else np.empty(0, dtype=np.intp))
    left = _Cells(outer.low, outer.at_low, jumps.low, jumps.at_low)
    right = _Cells(jumps.high, jumps.at_high, outer.high, outer.at_high)
    both = _Cells(*(np.concatenate(pair) for pair in zip(left, right, strict=True)))
    return both.select(both.steps > smallest)


def _gaps(one: NumberArray, other: NumberArray) -> FloatArray:
    gaps = np.abs(other - one)
    return np.asarray(np.where(np.isfinite(gaps), gaps, 0.0))


def _edges(breaks: tuple[float, ...]) -> list[FloatArray]:
    """Places along each smooth piece of a part, except at its very ends."""
    edges = []
    for begin, end in pairwise(breaks):
        hair = 1e-9 * (end - begin)
        edges.append(np.linspace(begin + hair, end - hair, max(16, int(_SAMPLES * (end - begin)))))
    return edges


# ---- Where conditions change on a smooth stretch of the boundary
# The solution is singular there as at a corner of opening pi.


# Distance of neighbouring points, relative to the domain's size: curved sides are straight to rounding there.
_NEARBY = 1e-5
# Tolerance of directions in radians.
_SMOOTH = 1e-6
# Tolerance of normals along a straight side.
_STRAIGHT = 1e-9
# Slopes of data that differ by more, relative to the larger one, make a kink. Data jump if their difference persists,
# by this share, when the neighbouring points come closer; it does not if data are only infinitely steep.
_KINK = 1e-3
_CLOSEST = 1e-9
_PERSISTS = 0.5


class Sides(NamedTuple):
    """The conditions on both sides of a place: at its angle `start`, and at the other end of its opening."""

    first: tuple[Relation, ...]
    second: tuple[Relation, ...]


class _End(NamedTuple):
    """An end of a smooth piece of a part; the interior is on the left of `tangent`."""

    part: BoundaryPart
    point: FloatArray
    tangent: FloatArray
    leaves: bool


def change_places(problem: Problem) -> tuple[Corner, ...]:
    """Where the kind of condition changes or data jump away from the corners of a plane domain without time."""
    if problem.domain.dimension != 2 or problem.domain.time is not None or len(problem.unknowns) > 1:
        return ()
    size = domain_size(problem)
    found: list[Corner] = []
    for place in (*_joints(problem), *_interior_changes(problem)):
        fresh = all(math.dist(place.point, other.point) > SAME_PLACE * size for other in found)
        if fresh and _changes(problem, place):
            found.append(place)
    return tuple(found)


def sides_of(problem: Problem, place: Corner) -> Sides:
    """The conditions on both sides of a place of the boundary."""
    return Sides(
        *(
            tuple(c for c in on_curves(problem) if c.part is not None and c.part.name == name and _holds(c, point))
            for name, point in zip(place.parts, adjacent_points(problem, place, _NEARBY), strict=True)
        )
    )


def values_jump(problem: Problem, place: Corner) -> bool:
    """Whether both sides of a place prescribe the unknown itself, with different values."""
    return any(
        _has_no_derivatives(one) and _has_no_derivatives(other) and _jump(problem, place, one, other)
        for one, other in _conditions_on_both_sides(problem, place)
    )


def _conditions_on_both_sides(problem: Problem, place: Corner) -> list[tuple[Relation, Relation]]:
    """One condition of each side, if both have one."""
    sides = sides_of(problem, place)
    return [(sides.first[0], sides.second[0])] if sides.first and sides.second else []


def _changes(problem: Problem, place: Corner) -> bool:
    for one, other in _conditions_on_both_sides(problem, place):
        if (one.operator.order > 0) != (other.operator.order > 0):
            return True
        # a coefficient that changes matters as much as data that do
        if one.condition is not other.condition and any(
            len({term.order for term in c.operator.terms}) > 1 for c in (one, other)
        ):
            return True
        if _jump(problem, place, one, other):
            return True
        if one.operator.order == 0 and _kink(problem, place, one, other):
            return True
    return False


def _jump(problem: Problem, place: Corner, one: Relation, other: Relation) -> bool:
    """Whether the data of the two sides jump at a place; False if they depend on the normal."""
    if one.value.needs_normals or other.value.needs_normals:
        return False
    gaps = []
    for step in (_NEARBY, _CLOSEST):
        here, there = adjacent_points(problem, place, step)
        gaps.append(float(abs(one.value(here)[0] - other.value(there)[0])))
    return gaps[1] > _PERSISTS * gaps[0] and gaps[1] > _JUMP * max(_scale(one), _scale(other))


def _kink(problem: Problem, place: Corner, one: Relation, other: Relation) -> bool:
    """Whether the slopes of the data along the boundary jump at a place; False if they depend on the normal."""
    if one.value.needs_normals or other.value.needs_normals:
        return False
    size = domain_size(problem)
    slopes = []
    for side, constraint in enumerate((one, other)):
        v1, v2, v3 = (
            constraint.value(adjacent_points(problem, place, step * _NEARBY)[side])[0] for step in (0.5, 1.0, 1.5)
        )
        # one side leads away from the place, the other to it
        slopes.append((-1) ** side * (-5 * v1 + 8 * v2 - 3 * v3) / (_NEARBY * size))
    steepest = max(*map(abs, slopes), _scale(one) / size, _scale(other) / size)
    return bool(abs(slopes[0] - slopes[1]) > _KINK * steepest)


@cache_by_object
def _scale(constraint: Relation) -> float:
    """The largest absolute value of a condition's data."""
    if constraint.value.constant is not None:
        return abs(constraint.value.constant)
    sites = constraint.sample(100, np.random.default_rng(0))  # samples only
    return float(np.abs(constraint.value(sites.points)).max())


def _joints(problem: Problem) -> Iterator[Corner]:
    """Where smooth pieces of the boundary meet without a corner."""
    ends = [end for part in curve_parts(problem) for end in _ends(part)]
    if not ends:
        return
    tree = scipy.spatial.cKDTree(np.array([end.point for end in ends]))
    for i, j in sorted(tree.query_pairs(SAME_PLACE * domain_size(problem))):
        one, other = ends[i], ends[j]
        if one.leaves != other.leaves and np.abs(one.tangent - other.tangent).max() < _SMOOTH:
            after, before = (one, other) if one.leaves else (other, one)
            yield _place(after.point, after.tangent, (after.part, before.part))


def _interior_changes(problem: Problem) -> Iterator[Corner]:
    """Where a mask or data change within a part."""
    for constraint in on_curves(problem):
        part = constraint.part
        assert part is not None
        jumps = value_jumps(constraint)
        # jumps at the ends of an open part are joints
        jumps = jumps[(np.minimum(jumps, 1.0 - jumps) > SAME_PLACE) | is_closed(part)]
        for unit in (*mask_borders(constraint), *jumps):
            sites = part.place(np.array([[unit]]))
            assert sites.normals is not None  # every boundary part has them
            yield _place(sites.points[0], _tangent(sites.normals[0]), (part, part))


def _place(point: FloatArray, tangent: FloatArray, parts: tuple[BoundaryPart, BoundaryPart]) -> Corner:
    x, y = point
    straight = all(_is_straight(part) for part in parts)
    start = math.atan2(tangent[1], tangent[0])
    return Corner((float(x), float(y)), math.pi, start, (parts[0].name, parts[1].name), straight)


def _is_straight(part: BoundaryPart) -> bool:
    """Whether all smooth pieces of a part are straight."""
    for low, high in pairwise(part.breaks):
        normals = part.place(low + (high - low) * np.array([[0.1], [0.3], [0.8]])).normals
        assert normals is not None
        if np.abs(np.diff(normals, axis=0)).max() > _STRAIGHT:
            return False
    return True


def _ends(part: BoundaryPart) -> Iterator[_End]:
    """Both ends of every smooth piece of a part."""
    for low, high in pairwise(part.breaks):
        for end, inward in ((low, high - low), (high, low - high)):
            sites = part.place(np.array([[end + share * inward] for share in (0.0, 1e-9, 1e-3)]))
            assert sites.normals is not None
            tangent = _tangent(sites.normals[1])
            yield _End(part, sites.points[0], tangent, bool((sites.points[2] - sites.points[0]) @ tangent > 0))


def _tangent(normal: FloatArray) -> FloatArray:
    """The tangent to an outward normal, with the interior on its left."""
    return np.array([-normal[1], normal[0]])


def _holds(constraint: Relation, point: FloatArray) -> bool:
    return constraint.mask is None or bool(constraint.mask(point).all())


def _has_no_derivatives(constraint: Relation) -> bool:
    return all(term.order == 0 for term in constraint.operator.terms)


# ---- Corners where two conditions disagree


_PER_EDGE = 5
_PROBES = 400
_DISAGREEMENT = 1e-6


class Conflict(NamedTuple):
    """A place where two conditions prescribe different values, and a message that names them."""

    point: tuple[float, ...]
    message: str


def corner_conflicts(problem: Problem) -> list[str]:
    """Describe where values prescribed on two parts, at the start of time, or at periodic ends disagree at a corner.

    The solution of such a problem is discontinuous, and no sum of smooth functions approximates it well.
    """
    return list(dict.fromkeys(conflict.message for conflict in find_conflicts(problem)))


def find_conflicts(problem: Problem) -> list[Conflict]:
    """All conflicts of `corner_conflicts`; the message of two conditions names the worst place."""
    # values that depend on the normal may differ at a corner
    values = [c for c in problem.constraints if _is_plain_value(c) and not c.value.needs_normals]
    lateral = [c for c in values if c.region.kind == "boundary" and c.region.shift is None]
    tied = [c for c in values if c.region.shift is not None]
    starts = [c for c in values if c.region.kind == "start"]
    near = 1e-9 * domain_size(problem)
    conflicts: list[Conflict] = []
    for first, second in combinations(lateral, 2):
        if first.part is not second.part and _same_unknown(first, second):
            conflicts += _compare(problem, first, second, _common_points(_rim(first), _rim(second), near))
    for start in starts:
        for side in (c for c in lateral if _same_unknown(c, start)):
            conflicts += _compare(problem, side, start, _at_start(_rim(side), problem, near))
        for pair in (c for c in tied if _same_unknown(c, start)):
            conflicts += _compare_ends(problem, pair, start, _at_start(_rim(pair), problem, near))
    for pair in tied:
        for side in (c for c in lateral if _same_unknown(c, pair)):
            ends = _common_points(_rim(pair), _rim(side), near)
            assert pair.region.shift is not None
            there = _common_points(ends + pair.region.shift, _rim(side), near)
            conflicts += _compare_ends(problem, pair, side, there - pair.region.shift)
    return conflicts


def _same_unknown(first: Relation, second: Relation) -> bool:
    return first.operator.unknowns == second.operator.unknowns


def _is_plain_value(constraint: Relation) -> bool:
    """Whether a constraint prescribes an unknown itself."""
    return len(constraint.operator.terms) == 1 and all(
        term.order == 0 and term.coefficient == 1.0 for term in constraint.operator.terms
    )


def _at_start(points: FloatArray, problem: Problem, near: float) -> FloatArray:
    assert problem.domain.time is not None
    return points[np.abs(points[:, -1] - problem.domain.time.start) <= near]


def _compare(problem: Problem, first: Relation, second: Relation, points: FloatArray) -> list[Conflict]:
    """Conflicts of two conditions at common points."""
    for constraint in (first, second):
        if constraint.mask is not None and len(points):
            points = points[constraint.mask(points)]
    if not len(points):
        return []
    a, b = first.value(points), second.value(points)
    there = _disagreements(a, b, max(_size(first), _size(second)))
    if not len(there):
        return []
    worst = there[0]
    message = (
        f"{first.name!r} and {second.name!r} disagree at {_format_point(problem, points[worst])} "
        f"({a[worst]:.4g} against {b[worst]:.4g})"
    )
    return [Conflict(tuple(points[i].tolist()), message) for i in there]


def _compare_ends(problem: Problem, pair: Relation, datum: Relation, points: FloatArray) -> list[Conflict]:
    """Conflicts of the values of a condition at two periodic ends."""
    assert pair.region.shift is not None
    if datum.mask is not None and len(points):
        points = points[datum.mask(points) & datum.mask(points + pair.region.shift)]
    if not len(points):
        return []
    a, b = datum.value(points), datum.value(points + pair.region.shift)
    where = _disagreements(pair.region.factor * a, b, _size(datum))
    if not len(where):
        return []
    worst = where[0]
    here, there = (_format_point(problem, p) for p in (points[worst], points[worst] + pair.region.shift))
    message = (
        f"the values of {datum.name!r} at {here} and at {there} ({a[worst]:.4g} and {b[worst]:.4g}) disagree, which "
        f"{pair.name!r} makes one place"
    )
    return [Conflict(tuple(points[i].tolist()), message) for i in where]


def _disagreements(a: NumberArray, b: NumberArray, size: float) -> list[int]:
    """The indices where two sets of values disagree, the worst first."""
    gaps = np.abs(a - b)
    return [int(i) for i in np.argsort(-gaps, kind="stable") if gaps[i] > _DISAGREEMENT * size]


def _format_point(problem: Problem, point: FloatArray) -> str:
    return ", ".join(f"{s}={v:.4g}" for s, v in zip(problem.coordinates, point, strict=True))


@cache_by_object
def _size(constraint: Relation) -> float:
    """The largest absolute value that a condition prescribes, from more samples than `_scale`."""
    sites = constraint.sample(_PROBES, np.random.default_rng(0))
    return float(np.abs(constraint.value(sites.points)).max())


def _rim(constraint: Relation) -> FloatArray:
    """Points on the rim of a part: the images of the faces of its unit cube."""
    part = constraint.part
    assert part is not None
    if part.parameters == 0:
        return part.place(np.empty((1, 0))).points
    faces = []
    for parameter in range(part.parameters):
        axes = [np.linspace(0, 1, _PER_EDGE)] * part.parameters
        axes[parameter] = np.array(part.breaks if parameter == 0 else (0.0, 1.0))
        faces.append(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, part.parameters))
    return part.at(np.unique(np.concatenate(faces), axis=0)).points


def _common_points(first: FloatArray, second: FloatArray, near: float) -> FloatArray:
    distances = np.linalg.norm(first[:, None, :] - second[None, :, :], axis=2)
    shared: FloatArray = first[distances.min(axis=1, initial=np.inf) <= near]
    return shared
