"""What is said of an open domain beside its objects, checked: its window, and its period."""

from __future__ import annotations

from typing import Any, SupportsFloat

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.inputs import as_plane_point, as_positive, as_space_point


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
    if not (np.all(np.array(first) < inner) and np.all(np.array(last) > outer)):
        low, high = (", ".join(f"{value:g}" for value in corner) for corner in (inner, outer))
        raise ProblemError(
            f"Exterior: window must reach beyond the objects, which lie between ({low}) and ({high}); got {first} "
            f"and {last}"
        )
    return first, last
