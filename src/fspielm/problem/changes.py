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
from fspielm.geometry.boundary import BoundaryPart, Mask
from fspielm.geometry.domain import Corner
from fspielm.numerics.roots import bisect
from fspielm.numerics.tolerances import BISECTIONS, CLOSE, ITERATIONS, PROBES, ROUNDED, ROUNDING, SAME, STEP
from fspielm.problem.operator import cache_by_object
from fspielm.problem.problem import Problem
from fspielm.problem.setting import format_point
from fspielm.problem.statement import Relation
from fspielm.resources import check_deadline

# Tolerance of places, relative to the domain's size.
SAME_PLACE = CLOSE


def adjacent_points(problem: Problem, place: Corner, share: float) -> list[FloatArray]:
    """A boundary point ``(1, 2)`` on either side of a place, at a distance of `share` times the domain's size.

    A part without conditions has none ``(0, 2)``. The parts themselves place the points, as data may be known exactly
    on the boundary only.
    """
    step, parts = share * domain_size(problem), {part.name: part for part in curve_parts(problem)}
    point, found = np.array(place.point), []
    for name, angle in zip(place.parts, (place.start, place.start + place.opening), strict=True):
        target = point + step * np.array([math.cos(angle), math.sin(angle)])
        found.append(_step_along(parts[name], point, target, step) if name in parts else np.empty((0, 2)))
    return found


def _step_along(part: BoundaryPart, point: FloatArray, target: FloatArray, step: float) -> FloatArray:
    """The point ``(1, 2)`` of a part at distance `step` from `point`, close to `target`."""
    check_deadline()
    low, high = np.array(part.breaks[:-1]), np.array(part.breaks[1:])
    inset = ROUNDING * (high - low)  # at the very end the next piece may begin elsewhere
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
    units = np.concatenate([np.linspace(low, high, PROBES)[1:-1] for low, high in pairwise(part.breaks)])
    unit = float(units[np.argmin(np.linalg.norm(part.place(units[:, None]).points - point, axis=1))])
    for _ in range(ITERATIONS):
        here, there = part.place(np.array([[unit], [unit + STEP]])).points
        speed = (there - here) / STEP
        before, unit = unit, float(np.clip(unit + speed @ (point - here) / (speed @ speed), 0.0, 1.0 - STEP))
        if abs(unit - before) <= ROUNDED:
            break
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


# Steepest places of the data to examine, and the most jumps of data that are not noise.
_STEEPEST = 32
_MOST_JUMPS = 8
# A step is continuous if halving its interval halves it, up to this share, so many times in a row.
_IN_PROPORTION = 0.01
_IN_A_ROW = 2


@cache_by_object
def mask_borders(constraint: Relation) -> FloatArray:
    """Unit coordinates ``(n,)`` at which a condition begins or ends to hold within its part."""
    part, sharp = constraint.part, constraint.region.sharp
    if part is None or part.parameters != 1 or constraint.mask is None:
        return np.empty(0)

    def borders_between(low: FloatArray, high: FloatArray, mask: Mask) -> tuple[BoolArray, FloatArray]:
        """Whether a mask changes between neighbouring places, and where."""

        def held(units: FloatArray) -> BoolArray:
            return mask(part.place((units % 1.0)[:, None]).points)

        before = held(low)
        return before != held(high), bisect(low, high, lambda here: held(here) == before, BISECTIONS)[1]

    # beyond both ends, where a closed part continues
    units = np.arange(-0.5, PROBES + 1) / PROBES
    if not is_closed(part):
        units = np.clip(units, SAME_PLACE, 1.0 - SAME_PLACE)
    changes, places = borders_between(units[:-1], units[1:], constraint.holds)
    borders = places[changes]
    if sharp is not None and borders.size:
        # without the margin of the mask for rounding, which is smaller than this
        changes, exact = borders_between(borders - CLOSE, borders + CLOSE, sharp)
        borders = np.where(changes, exact, borders)
    return borders % 1.0


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
    smallest = CLOSE * max(float(np.nanmax(np.abs(piece[1:-1]), initial=0.0)) for piece in pieces)
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
    for _ in range(BISECTIONS):
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
        hair = SAME * (end - begin)
        edges.append(np.linspace(begin + hair, end - hair, max(16, int(PROBES * (end - begin)))))
    return edges


# ---- Where conditions change on a smooth stretch of the boundary
# The solution is singular there as at a corner of opening pi.


# Distance of neighbouring points, relative to the domain's size: curved sides are straight to rounding there.
_NEARBY = 1e-5
# Slopes of data that differ by more, relative to the larger one, make a kink.
_KINK = 1e-3


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


@cache_by_object
def change_places(problem: Problem) -> tuple[Corner, ...]:
    """Where the kind of condition changes or data jump away from the corners of a plane domain without time.

    Of systems, only where kinds change, and only if all equations are of second order.
    """
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        return ()
    if len(problem.unknowns) > 1 and any(equation.operator.order != 2 for equation in problem.equations):
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
            tuple(c for c in on_curves(problem) if c.part is not None and c.part.name == name and _held(c, point).all())
            for name, point in zip(place.parts, adjacent_points(problem, place, _NEARBY), strict=True)
        )
    )


def values_jump(problem: Problem, place: Corner) -> bool:
    """Whether both sides of a place prescribe the unknown itself, with different values."""
    sides = sides_of(problem, place)
    if not all(side and side[0].operator.order == 0 and not side[0].value.needs_normals for side in sides):
        return False
    return _jump(problem, place, *(side[0] for side in sides))


def _changes(problem: Problem, place: Corner) -> bool:
    sides = sides_of(problem, place)
    if not all(sides):
        return False
    if len(problem.unknowns) > 1:
        kinds = [sorted((c.operator.order, sorted(c.operator.unknowns)) for c in side) for side in sides]
        return kinds[0] != kinds[1]
    one, other = (side[0] for side in sides)
    if (one.operator.order > 0) != (other.operator.order > 0):
        return True
    # a coefficient that changes matters as much as data that do
    if one.condition is not other.condition and any(
        len({term.order for term in c.operator.terms}) > 1 for c in (one, other)
    ):
        return True
    if one.value.needs_normals or other.value.needs_normals:
        return False
    return _jump(problem, place, one, other) or (one.operator.order == 0 and _kink(problem, place, one, other))


def _jump(problem: Problem, place: Corner, one: Relation, other: Relation) -> bool:
    """Whether the data of the conditions on the two sides jump at a place."""
    gaps = []
    for step in (_NEARBY, SAME):
        here, there = adjacent_points(problem, place, step)
        gaps.append(float(abs(one.value(here)[0] - other.value(there)[0])))
    # the difference of data that are only infinitely steep shrinks as the points come closer
    return 2 * gaps[1] > gaps[0] and gaps[1] > CLOSE * max(_scale(one), _scale(other))


def _kink(problem: Problem, place: Corner, one: Relation, other: Relation) -> bool:
    """Whether the slopes of the data along the boundary jump at a place."""
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
    sites = constraint.sample(PROBES, np.random.default_rng(0))  # samples only
    return float(np.abs(constraint.value(sites.points)).max())


def _joints(problem: Problem) -> Iterator[Corner]:
    """Where smooth pieces of the boundary meet without a corner."""
    ends = [end for part in curve_parts(problem) for end in _ends(part)]
    if not ends:
        return
    tree = scipy.spatial.cKDTree(np.array([end.point for end in ends]))
    for i, j in sorted(tree.query_pairs(SAME_PLACE * domain_size(problem))):
        one, other = ends[i], ends[j]
        if one.leaves != other.leaves and np.abs(one.tangent - other.tangent).max() < CLOSE:
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
            yield _place(sites.points[0], _tangent(sites.outward[0]), (part, part))


def _place(point: FloatArray, tangent: FloatArray, parts: tuple[BoundaryPart, BoundaryPart]) -> Corner:
    x, y = point
    straight = all(_is_straight(part) for part in parts)
    start = math.atan2(tangent[1], tangent[0])
    return Corner((float(x), float(y)), math.pi, start, (parts[0].name, parts[1].name), straight)


def _is_straight(part: BoundaryPart) -> bool:
    """Whether all smooth pieces of a part are straight."""
    pieces = (part.place(low + (high - low) * np.array([[0.1], [0.3], [0.8]])) for low, high in pairwise(part.breaks))
    return all(np.abs(np.diff(sites.outward, axis=0)).max() <= SAME for sites in pieces)


def _ends(part: BoundaryPart) -> Iterator[_End]:
    """Both ends of every smooth piece of a part."""
    for low, high in pairwise(part.breaks):
        for end, inward in ((low, high - low), (high, low - high)):
            sites = part.place(np.array([[end + share * inward] for share in (0.0, SAME, 1e-3)]))
            tangent = _tangent(sites.outward[1])
            yield _End(part, sites.points[0], tangent, bool((sites.points[2] - sites.points[0]) @ tangent > 0))


def _tangent(normal: FloatArray) -> FloatArray:
    """The tangent to an outward normal, with the interior on its left."""
    return np.array([-normal[1], normal[0]])


def _held(constraint: Relation, points: FloatArray) -> BoolArray:
    """Where a condition holds among points of its part, which may be none."""
    return (
        constraint.mask(points) if constraint.mask is not None and len(points) else np.ones(len(points), dtype=np.bool_)
    )


# ---- Corners where two conditions disagree


# Points along each edge of the unit cube of a part.
_PER_EDGE = 5


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
    near = SAME * domain_size(problem)
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
    return [(term.order, term.coefficient) for term in constraint.operator.terms] == [(0, 1.0)]


def _at_start(points: FloatArray, problem: Problem, near: float) -> FloatArray:
    assert problem.domain.time is not None
    return points[np.abs(points[:, -1] - problem.domain.time.start) <= near]


def _compare(problem: Problem, first: Relation, second: Relation, points: FloatArray) -> list[Conflict]:
    """Conflicts of two conditions at common points."""
    points = points[_held(first, points) & _held(second, points)]
    if not len(points):
        return []
    a, b = first.value(points), second.value(points)

    def message(worst: int) -> str:
        place = format_point(problem.coordinates, points[worst], 4)
        return f"{first.name!r} and {second.name!r} disagree at {place} ({a[worst]:.4g} against {b[worst]:.4g})"

    return _conflicts(points, np.abs(a - b), max(_scale(first), _scale(second)), message)


def _compare_ends(problem: Problem, pair: Relation, datum: Relation, points: FloatArray) -> list[Conflict]:
    """Conflicts of the values of a condition at two periodic ends."""
    shift = pair.region.shift
    assert shift is not None
    points = points[_held(datum, points) & _held(datum, points + shift)]
    if not len(points):
        return []
    a, b = datum.value(points), datum.value(points + shift)

    def message(worst: int) -> str:
        here, there = (format_point(problem.coordinates, p, 4) for p in (points[worst], points[worst] + shift))
        return (
            f"the values of {datum.name!r} at {here} and at {there} ({a[worst]:.4g} and {b[worst]:.4g}) disagree, "
            f"which {pair.name!r} makes one place"
        )

    return _conflicts(points, np.abs(pair.region.factor * a - b), _scale(datum), message)


def _conflicts(points: FloatArray, gaps: FloatArray, size: float, message: Callable[[int], str]) -> list[Conflict]:
    """The points where the gaps of two values are large compared with their size; the message is for the worst."""
    found = [int(i) for i in np.argsort(-gaps, kind="stable") if gaps[i] > CLOSE * size]
    return [Conflict(tuple(points[i].tolist()), message(found[0])) for i in found]


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
