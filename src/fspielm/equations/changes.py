"""Places on a smooth stretch of a plane boundary where the conditions change, or their data jump.

A solution is singular there as it is at a corner, of opening pi.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from fspielm.arrays import FloatArray
from fspielm.equations.breaks import mask_borders, value_jumps
from fspielm.equations.constraints import Constraint
from fspielm.equations.problem import Problem
from fspielm.geometry import BoundaryPart, Corner

# Of the domain's size: what counts as one place, and how far beside a place its neighbourhood is looked at, so near
# that curved sides are straight to rounding.
_SAME_PLACE = 1e-6
BESIDE = 1e-5
# Of directions, in radians.
_SMOOTH = 1e-6
# Of normals a little way along, where a side is straight.
_STRAIGHT = 1e-9
# Data differ: in units of their size, and their slopes in units of the larger one. Data may also be steep without end
# at a place; what they differ by then falls as one comes closer, by more than this.
_JUMP = 1e-6
_KINK = 1e-3
_CLOSEST = 1e-9
_LASTS = 0.5
# Points of a part that are looked at to find one of them, and steps that correct what is found.
_ALONG = 257
_CORRECTIONS = 4


class Sides(NamedTuple):
    """The conditions on the two sides of a place: at its angle `start`, and where the interior ends."""

    first: tuple[Constraint, ...]
    second: tuple[Constraint, ...]


class _End(NamedTuple):
    """An end of a smooth piece of a part: the boundary runs along `tangent` with the interior on its left."""

    part: BoundaryPart
    point: FloatArray
    tangent: FloatArray
    leaves: bool


def change_places(problem: Problem) -> tuple[Corner, ...]:
    """Where the kind of condition changes, or data jump, other than at the corners of a plane domain without time."""
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        return ()
    size = _size(problem)
    found: list[Corner] = []
    for place in (*_joints(problem), *_within(problem)):
        fresh = all(math.dist(place.point, other.point) > _SAME_PLACE * size for other in found)
        if fresh and _changes(problem, place):
            found.append(place)
    return tuple(found)


def sides_of(problem: Problem, place: Corner) -> Sides:
    """The conditions that hold next to a place of the boundary."""
    return Sides(
        *(
            tuple(c for c in _on_boundary(problem) if c.part is not None and c.part.name == name and _holds(c, beside))
            for name, beside in zip(place.parts, _beside(problem, place, BESIDE), strict=True)
        )
    )


def values_jump(problem: Problem, place: Corner) -> bool:
    """Whether both sides of a place prescribe the unknown itself, and not the same."""
    return any(
        _is_value(one) and _is_value(other) and _jump(problem, place, one, other)
        for one, other in _facing(problem, place)
    )


def _facing(problem: Problem, place: Corner) -> list[tuple[Constraint, Constraint]]:
    """One condition of each side, if there is one."""
    sides = sides_of(problem, place)
    return [(sides.first[0], sides.second[0])] if sides.first and sides.second else []


def _changes(problem: Problem, place: Corner) -> bool:
    for one, other in _facing(problem, place):
        if (one.operator.order > 0) != (other.operator.order > 0):
            return True
        # a coefficient that changes is no less than a datum that does
        if one.condition is not other.condition and any(len(_orders(c)) > 1 for c in (one, other)):
            return True
        if _jump(problem, place, one, other):
            return True
        if one.operator.order == 0 and _kink(problem, place, one, other):
            return True
    return False


def _orders(constraint: Constraint) -> set[int]:
    return {term.order for term in constraint.operator.terms}


def _jump(problem: Problem, place: Corner, one: Constraint, other: Constraint) -> bool:
    """Whether the data of the two sides differ at a place, however close to it; not told of those of a normal."""
    if one.value.needs_normals or other.value.needs_normals:
        return False
    gaps = []
    for step in (BESIDE, _CLOSEST):
        here, there = _beside(problem, place, step)
        gaps.append(abs(float(one.value(here)[0]) - float(other.value(there)[0])))
    return bool(gaps[1] > max(_JUMP * max(_scale(one), _scale(other)), _LASTS * gaps[0]))


def _kink(problem: Problem, place: Corner, one: Constraint, other: Constraint) -> bool:
    """Whether the slopes of the data along the boundary differ at a place; not told of those of a normal."""
    if one.value.needs_normals or other.value.needs_normals:
        return False
    size = _size(problem)
    slopes = []
    for side, constraint in enumerate((one, other)):
        v1, v2, v3 = (
            float(constraint.value(_beside(problem, place, step * BESIDE)[side])[0]) for step in (0.5, 1.0, 1.5)
        )
        # one side leads away from the place, the other to it
        slopes.append((-1) ** side * (-5 * v1 + 8 * v2 - 3 * v3) / (BESIDE * size))
    steepest = max(*map(abs, slopes), _scale(one) / size, _scale(other) / size)
    return bool(abs(slopes[0] - slopes[1]) > _KINK * steepest)


def _scale(constraint: Constraint) -> float:
    """The largest of a condition's data."""
    if constraint.value.constant is not None:
        return abs(constraint.value.constant)
    sites = constraint.sample(100, np.random.default_rng(0))  # only looks
    return float(np.abs(constraint.value(sites.points)).max())


def _joints(problem: Problem) -> Iterator[Corner]:
    """Where smooth pieces of the boundary follow one another without a corner."""
    ends = [end for part in _parts(problem) for end in _ends(part)]
    if not ends:
        return
    tree = cKDTree(np.array([end.point for end in ends]))
    for i, j in sorted(tree.query_pairs(_SAME_PLACE * _size(problem))):
        one, other = ends[i], ends[j]
        if one.leaves != other.leaves and np.abs(one.tangent - other.tangent).max() < _SMOOTH:
            after, before = (one, other) if one.leaves else (other, one)
            yield _place(after.point, after.tangent, (after.part, before.part))


def _within(problem: Problem) -> Iterator[Corner]:
    """Where a mask or a datum changes within a part."""
    for constraint in _on_boundary(problem):
        part = constraint.part
        assert part is not None
        for unit in np.concatenate([mask_borders(constraint), value_jumps(constraint)]):
            sites = part.place(np.array([[unit]]))
            assert sites.normals is not None  # every boundary part has them
            yield _place(sites.points[0], _turned(sites.normals[0]), (part, part))


def _place(point: FloatArray, tangent: FloatArray, parts: tuple[BoundaryPart, BoundaryPart]) -> Corner:
    x, y = point
    straight = all(_is_straight(part) for part in parts)
    start = math.atan2(tangent[1], tangent[0])
    return Corner((float(x), float(y)), math.pi, start, (parts[0].name, parts[1].name), straight)


def _is_straight(part: BoundaryPart) -> bool:
    """Whether all smooth pieces of a part are."""
    for low, high in zip(part.breaks[:-1], part.breaks[1:], strict=True):
        normals = part.place(low + (high - low) * np.array([[0.1], [0.3], [0.8]])).normals
        assert normals is not None
        if np.abs(np.diff(normals, axis=0)).max() > _STRAIGHT:
            return False
    return True


def _ends(part: BoundaryPart) -> Iterator[_End]:
    """Both ends of every smooth piece of a part."""
    for low, high in zip(part.breaks[:-1], part.breaks[1:], strict=True):
        for end, inward in ((low, high - low), (high, low - high)):
            sites = part.place(np.array([[end + share * inward] for share in (0.0, 1e-9, 1e-3)]))
            assert sites.normals is not None
            tangent = _turned(sites.normals[1])
            yield _End(part, sites.points[0], tangent, bool((sites.points[2] - sites.points[0]) @ tangent > 0))


def _turned(normal: FloatArray) -> FloatArray:
    """The direction of a boundary with this outward normal and the interior on its left."""
    return np.array([-normal[1], normal[0]])


def _parts(problem: Problem) -> list[BoundaryPart]:
    parts = {c.part.name: c.part for c in _on_boundary(problem) if c.part is not None}
    return list(parts.values())


def _on_boundary(problem: Problem) -> list[Constraint]:
    """The conditions on curves of the boundary, other than those that tie two together."""
    return [
        c
        for c in problem.constraints
        if c.region.kind == "boundary" and c.region.shift is None and c.part is not None and c.part.parameters == 1
    ]


def _beside(problem: Problem, place: Corner, share: float) -> list[FloatArray]:
    """A point ``(1, 2)`` of the boundary on either side of a place, so much of the domain's size away.

    None ``(0, 2)`` on a part that no condition is for. The points are placed by the parts, to the last bit: data may
    not be known anywhere else.
    """
    step, parts = share * _size(problem), {part.name: part for part in _parts(problem)}
    angles = (place.start, place.start + place.opening)
    found = []
    for name, angle in zip(place.parts, angles, strict=True):
        target = np.array(place.point) + step * np.array([math.cos(angle), math.sin(angle)])
        part = parts.get(name)
        found.append(np.empty((0, 2)) if part is None else _step_along(part, np.array(place.point), target, step))
    return found


def _step_along(part: BoundaryPart, point: FloatArray, target: FloatArray, step: float) -> FloatArray:
    """The point of a part ``(1, 2)`` that lies a step from a given one, about where the target is."""
    units = np.unique(np.concatenate([part.breaks, np.linspace(0.0, 1.0, _ALONG)]))
    start = units[np.argmin(np.linalg.norm(part.place(units[:, None]).points - point, axis=1))]
    for _ in range(0 if start in part.breaks else _CORRECTIONS):
        ahead = 1e-6 if start < 0.5 else -1e-6
        here, there = part.place(np.array([[start], [start + ahead]])).points
        speed = (there - here) / ahead
        start = np.clip(start + speed @ (point - here) / (speed @ speed), 0.0, 1.0)
    either = (start + np.array([1.0, -1.0]) * step / part.measure) % 1.0
    points = part.place(either[:, None]).points
    return np.asarray(points[[np.argmin(np.linalg.norm(points - target, axis=1))]])


def _holds(constraint: Constraint, point: FloatArray) -> bool:
    return constraint.mask is None or bool(constraint.mask(point).all())


def _is_value(constraint: Constraint) -> bool:
    return all(term.order == 0 for term in constraint.operator.terms)


def _size(problem: Problem) -> float:
    lower, upper = problem.domain.bounding_box
    return float(np.linalg.norm(upper - lower))
