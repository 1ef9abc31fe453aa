"""What an open domain is made of, checked: its objects, its window, and its period."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsFloat

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.domain import Domain
from fspielm.geometry.inputs import as_plane_point, as_positive, as_space_point
from fspielm.geometry.plane import edges_of


def check_object(shape: Any, shapes: Sequence[Any]) -> None:
    """Refuse what is none of the shapes that objects have, all in as many dimensions as the first one."""
    if isinstance(shape, list | tuple):
        raise ProblemError(
            f"Exterior: shapes are arguments of their own; write Exterior(a, b), without the list {shape!r}"
        )
    if not isinstance(shape, Domain):
        raise ProblemError(f"Exterior: shapes must be such as fs.Disk((0, 0), 1); got {shape!r}")
    if shape.is_unbounded:
        raise ProblemError(f"Exterior: {shape!r} has no end; name the objects themselves")
    if shape.time is not None or shape.dimension != shapes[0].dimension:
        raise ProblemError(f"Exterior: shapes must all be plane, or all be in space, without time; got {shape!r}")


def check_plane_object(shape: Domain) -> None:
    """Refuse shapes of the plane that objects do not have."""
    if edges_of(shape) is None:
        raise ProblemError(f"Exterior: objects are plane, or in space; got {shape!r}")
    if shape._regions is not None:
        raise ProblemError(
            f"Exterior: {shape!r} is made of regions, but objects are shapes; name what is outermost, and what "
            "lies in it as objects of their own, with conditions of their own, fs.Transparent(..., on=...)"
        )
    if shape.hole_places():
        raise ProblemError(
            f"Exterior: {shape!r} has a hole, which nothing from outside reaches; name the shape without it, and "
            "what fills the hole of an object that lets waves through as an object in it: "
            'fs.Exterior(fs.Disk((0, 0), 2, name="glass"), fs.Disk((0, 0), 1, name="hole")) with '
            'fs.Transparent(1.5 * k, on="glass.circle") and fs.Transparent(k, on="hole.circle")'
        )


def as_period(period: SupportsFloat, objects: tuple[FloatArray, FloatArray]) -> float:
    """The distance of copies of objects, which lie in this box."""
    lower, upper = objects
    if len(lower) != 2:
        raise ProblemError("Exterior: period is for gratings in the plane; in space name every object")
    distance = as_positive(period, "Exterior: period")
    if distance <= upper[0] - lower[0]:
        raise ProblemError(
            f"Exterior: period must be larger than the objects are wide together, {upper[0] - lower[0]:g}: there must "
            f"be a line between them and their copies; got {distance:g}"
        )
    return distance


def as_window(window: Any, objects: tuple[FloatArray, FloatArray]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two corners of a box around objects, which lie in this one."""
    try:
        lower, upper = window
    except (TypeError, ValueError):
        raise ProblemError(f"Exterior: window must be two corners, ((x, y), (x, y)); got {window!r}") from None
    inner, outer = objects
    as_point = as_plane_point if len(inner) == 2 else as_space_point
    first, last = as_point(lower, "Exterior: window[0]"), as_point(upper, "Exterior: window[1]")
    if np.any(np.array(first) > np.array(last)):
        least, most = (tuple(each(first, last).tolist()) for each in (np.minimum, np.maximum))
        raise ProblemError(
            f"Exterior: window must be two corners, the one with the least coordinates first; write window=({least}, "
            f"{most}); got {first} and {last}"
        )
    if not (np.all(np.array(first) < inner) and np.all(np.array(last) > outer)):
        low, high = (", ".join(f"{value:g}" for value in corner) for corner in (inner, outer))
        raise ProblemError(
            f"Exterior: window must reach beyond the objects, which lie between ({low}) and ({high}); got {first} "
            f"and {last}"
        )
    return first, last
