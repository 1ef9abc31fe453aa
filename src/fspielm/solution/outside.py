"""Values at points of the user's: nan where they lie clearly outside of the domain."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, NumberArray, as_finite_points
from fspielm.errors import OutsideWarning, ProblemError
from fspielm.expressions import called_by_solver
from fspielm.geometry import Domain

Outside: TypeAlias = Literal["nan", "extend"]


def at_points(
    function: Callable[[FloatArray], NumberArray], domain: Domain, points: ArrayLike, outside: Outside
) -> NumberArray:
    """Values ``(n, ...)`` of a function of points ``(n, d)``; nan, with one warning, at those outside of the domain."""
    if outside not in get_args(Outside):
        raise ProblemError(f"outside must be one of {list(get_args(Outside))}; got {outside!r}")
    array = as_finite_points(points, domain.dimension)
    if outside == "extend" or called_by_solver() or (held := domain._contains_nearly(array)).all():
        return function(array)
    found = function(array[held])
    values = np.full((len(array), *found.shape[1:]), np.nan, dtype=found.dtype)
    values[held] = found
    place = ", ".join(f"{value:.6g}" for value in array[np.argmin(held)])
    warnings.warn(
        f"{np.count_nonzero(~held)} of {len(array)} points lie outside of the domain, the first at ({place}), and have "
        'the value nan; outside="extend" evaluates the functions of the solution there, which mean nothing',
        OutsideWarning,
        stacklevel=_level_of_user(),
    )
    return values


def _level_of_user() -> int:
    """How many calls up the stack, from whoever asks, the first one is that is not ours."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("fspielm."):
        frame, level = frame.f_back, level + 1
    return level
