"""Places on a smooth stretch of a plane boundary where the conditions change, or their data jump.

A solution is singular there as it is at a corner, of opening pi.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy

from fspielm.arrays import FloatArray
from fspielm.equations.beside import SAME_PLACE, curve_parts, domain_size, is_closed, on_curves, points_beside
from fspielm.equations.breaks import mask_borders, value_jumps
from fspielm.equations.once import once
from fspielm.equations.problem import Problem
from fspielm.equations.relations import Relation
from fspielm.geometry import BoundaryPart, Corner

# How far beside a place its neighbourhood is looked at, in units of the domain's size: so near that curved sides are
# straight to rounding.
_BESIDE = 1e-5
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


class Sides(NamedTuple):
    """The conditions on the two sides of a place: at its angle `start`, and where the interior ends."""

    first: tuple[Relation, ...]
    second: tuple[Relation, ...]


class _End(NamedTuple):
    """An end of a smooth piece of a part: the boundary runs along `tangent` with the interior on its left."""

    part: BoundaryPart
    point: FloatArray
    tangent: FloatArray
    leaves: bool


def change_places(problem: Problem) -> tuple[Corner, ...]:
    """Where the kind of condition changes, or data jump, other than at the corners of a plane domain without time."""
    if problem.domain.dimension != 2 or problem.domain.time is not None or len(problem.unknowns) > 1:
        return ()
    size = domain_size(problem)
    found: list[Corner] = []
    for place in (*_joints(problem), *_within(problem)):
        fresh = all(math.dist(place.point, other.point) > SAME_PLACE * size for other in found)
        if fresh and _changes(problem, place):
            found.append(place)
    return tuple(found)


def sides_of(problem: Problem, place: Corner) -> Sides:
    """The conditions that hold next to a place of the boundary."""
    return Sides(
        *(
            tuple(c for c in on_curves(problem) if c.part is not None and c.part.name == name and _holds(c, beside))
            for name, beside in zip(place.parts, points_beside(problem, place, _BESIDE), strict=True)
        )
    )


def values_jump(problem: Problem, place: Corner) -> bool:
    """Whether both sides of a place prescribe the unknown itself, and not the same."""
    return any(
        _is_value(one) and _is_value(other) and _jump(problem, place, one, other)
        for one, other in _facing(problem, place)
    )


def _facing(problem: Problem, place: Corner) -> list[tuple[Relation, Relation]]:
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


def _orders(constraint: Relation) -> set[int]:
    return {term.order for term in constraint.operator.terms}


def _jump(problem: Problem, place: Corner, one: Relation, other: Relation) -> bool:
    """Whether the data of the two sides differ at a place, however close to it; not told of those of a normal."""
    if one.value.needs_normals or other.value.needs_normals:
        return False
    gaps = []
    for step in (_BESIDE, _CLOSEST):
        here, there = points_beside(problem, place, step)
        gaps.append(float(abs(one.value(here)[0] - other.value(there)[0])))
    return gaps[1] > _LASTS * gaps[0] and gaps[1] > _JUMP * max(_scale(one), _scale(other))


def _kink(problem: Problem, place: Corner, one: Relation, other: Relation) -> bool:
    """Whether the slopes of the data along the boundary differ at a place; not told of those of a normal."""
    if one.value.needs_normals or other.value.needs_normals:
        return False
    size = domain_size(problem)
    slopes = []
    for side, constraint in enumerate((one, other)):
        v1, v2, v3 = (
            constraint.value(points_beside(problem, place, step * _BESIDE)[side])[0] for step in (0.5, 1.0, 1.5)
        )
        # one side leads away from the place, the other to it
        slopes.append((-1) ** side * (-5 * v1 + 8 * v2 - 3 * v3) / (_BESIDE * size))
    steepest = max(*map(abs, slopes), _scale(one) / size, _scale(other) / size)
    return bool(abs(slopes[0] - slopes[1]) > _KINK * steepest)


@once
def _scale(constraint: Relation) -> float:
    """The largest of a condition's data."""
    if constraint.value.constant is not None:
        return abs(constraint.value.constant)
    sites = constraint.sample(100, np.random.default_rng(0))  # only looks
    return float(np.abs(constraint.value(sites.points)).max())


def _joints(problem: Problem) -> Iterator[Corner]:
    """Where smooth pieces of the boundary follow one another without a corner."""
    ends = [end for part in curve_parts(problem) for end in _ends(part)]
    if not ends:
        return
    tree = scipy.spatial.cKDTree(np.array([end.point for end in ends]))
    for i, j in sorted(tree.query_pairs(SAME_PLACE * domain_size(problem))):
        one, other = ends[i], ends[j]
        if one.leaves != other.leaves and np.abs(one.tangent - other.tangent).max() < _SMOOTH:
            after, before = (one, other) if one.leaves else (other, one)
            yield _place(after.point, after.tangent, (after.part, before.part))


def _within(problem: Problem) -> Iterator[Corner]:
    """Where a mask or a datum changes within a part."""
    for constraint in on_curves(problem):
        part = constraint.part
        assert part is not None
        jumps = value_jumps(constraint)
        # at an end of a part the next one begins, unless it is closed
        jumps = jumps[(np.minimum(jumps, 1.0 - jumps) > SAME_PLACE) | is_closed(part)]
        for unit in (*mask_borders(constraint), *jumps):
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
            tangent = _turned(sites.normals[1])
            yield _End(part, sites.points[0], tangent, bool((sites.points[2] - sites.points[0]) @ tangent > 0))


def _turned(normal: FloatArray) -> FloatArray:
    """The direction of a boundary with this outward normal and the interior on its left."""
    return np.array([-normal[1], normal[0]])


def _holds(constraint: Relation, point: FloatArray) -> bool:
    return constraint.mask is None or bool(constraint.mask(point).all())


def _is_value(constraint: Relation) -> bool:
    return all(term.order == 0 for term in constraint.operator.terms)
