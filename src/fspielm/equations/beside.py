"""Points of a plane boundary next to a place of it, and the conditions for curves of it."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.deadline import check_deadline
from fspielm.equations.problem import Problem
from fspielm.equations.relations import Relation
from fspielm.geometry import BoundaryPart, Corner

# What counts as one place, in units of the domain's size.
SAME_PLACE = 1e-6
# Points of a smooth piece that are looked at to find one of them, and steps that correct what is found.
_ALONG = 65
_CORRECTIONS = 5
_AHEAD = 1e-7
_INSET = 1e-13


def points_beside(problem: Problem, place: Corner, share: float) -> list[FloatArray]:
    """A point ``(1, 2)`` of the boundary on either side of a place, so much of the domain's size away.

    None ``(0, 2)`` on a part that no condition is for. The points are placed by the parts, to the last bit: data may
    not be known anywhere else.
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
    """The point of a part ``(1, 2)`` that lies a step from a given one, about where the target is."""
    check_deadline()
    low, high = np.array(part.breaks[:-1]), np.array(part.breaks[1:])
    inset = _INSET * (high - low)  # at an end itself, the next piece begins, which may be elsewhere
    ends, inward = np.append(low + inset, high - inset), np.append(high - low, low - high)
    at_end = np.linalg.norm(part.place(ends[:, None]).points - point, axis=1) <= SAME_PLACE * part.measure
    if at_end.any():
        units = ends[at_end] + np.sign(inward[at_end]) * np.minimum(step / part.measure, np.abs(inward[at_end]) / 2)
    else:
        units = _unit_of(part, point) + np.array([1.0, -1.0]) * step / part.measure
    points = part.place(units[:, None]).points
    return np.asarray(points[[np.argmin(np.linalg.norm(points - target, axis=1))]])


def _unit_of(part: BoundaryPart, point: FloatArray) -> float:
    """The unit coordinate of a point in the midst of a smooth piece."""
    units = np.concatenate([np.linspace(low, high, _ALONG)[1:-1] for low, high in pairwise(part.breaks)])
    unit = float(units[np.argmin(np.linalg.norm(part.place(units[:, None]).points - point, axis=1))])
    for _ in range(_CORRECTIONS):
        here, there = part.place(np.array([[unit], [unit + _AHEAD]])).points
        speed = (there - here) / _AHEAD
        unit = float(np.clip(unit + speed @ (point - here) / (speed @ speed), 0.0, 1.0 - _AHEAD))
    return unit


def curve_parts(problem: Problem) -> list[BoundaryPart]:
    """The curves of the boundary that conditions are for."""
    parts = {c.part.name: c.part for c in on_curves(problem) if c.part is not None}
    return list(parts.values())


def on_curves(problem: Problem) -> list[Relation]:
    """The conditions on curves of the boundary, other than those that tie two together."""
    return [
        c
        for c in problem.constraints
        if c.region.kind == "boundary" and c.region.shift is None and c.part is not None and c.part.parameters == 1
    ]


def is_closed(part: BoundaryPart) -> bool:
    """Whether a part leads back to where it began."""
    first, last = part.place(np.array([[0.0], [1.0]])).points
    return bool(np.linalg.norm(last - first) <= SAME_PLACE * part.measure)


def domain_size(problem: Problem) -> float:
    """The diagonal of the box around the domain."""
    lower, upper = problem.domain.bounding_box
    return float(np.linalg.norm(upper - lower))
