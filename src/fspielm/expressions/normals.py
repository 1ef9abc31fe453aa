"""Functions of points and outward normals, and both side by side as the columns of one array."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.expressions.values import PointFunction

NormalFunction = Callable[[FloatArray, FloatArray], ArrayLike]


def takes_normals(function: Callable[..., Any]) -> bool:
    """Whether a callable asks for the normals beside the points: it has exactly two arguments that it needs."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built in, and silent about its arguments
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters) == 2


def beside(points: FloatArray, normals: FloatArray) -> FloatArray:
    """Points ``(n, d)`` and their normals ``(n, d)`` as one array ``(n, 2 d)``."""
    return np.column_stack([points, normals])


def of_both(function: Callable[..., Any], dimension: int) -> PointFunction:
    """The same function of points and normals side by side; one of the points alone gets only those."""
    both = takes_normals(function)

    def apart(columns: FloatArray) -> Any:
        points, normals = (np.ascontiguousarray(half) for half in np.split(columns, [dimension], axis=1))
        return function(points, normals) if both else function(points)

    return apart
