"""Numbers and vectors as users write them, read once and checked with the argument's name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from typing import SupportsFloat

import numpy as np

from fspielm.errors import ProblemError


def as_number(value: SupportsFloat, argument: str) -> float:
    """Return `value` (a Python, NumPy or SymPy number) as a finite float, or say what is wrong with it."""
    # float("1") and float(array([1.0])) would both succeed and hide a mistake in the statement.
    if isinstance(value, str | bytes) or (isinstance(value, np.ndarray) and value.ndim > 0):
        raise ProblemError(f"{argument} must be a number; got {value!r}")
    if isinstance(value, complex) or np.asarray(value).dtype.kind == "c" or getattr(value, "is_real", None) is False:
        raise ProblemError(f"{argument} must be a real number; got {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{argument} must be a number; got {value!r}") from None
    if not math.isfinite(number):
        raise ProblemError(f"{argument} must be finite; got {number}")
    return number


def as_positive(value: SupportsFloat, argument: str) -> float:
    """Return `value` as a float above zero, or say what is wrong with it."""
    number = as_number(value, argument)
    if number <= 0:
        raise ProblemError(f"{argument} must be positive; got {number}")
    return number


def as_vector(value: Iterable[SupportsFloat], argument: str) -> tuple[float, ...]:
    """Return `value` (a sequence of numbers, one per coordinate) as a tuple of finite floats."""
    scalar = not isinstance(value, Iterable) or (isinstance(value, np.ndarray) and value.ndim == 0)
    if scalar or isinstance(value, str | bytes | Mapping | Set):
        raise ProblemError(
            f"{argument} must be a sequence of numbers, one per coordinate, such as (0, 0); got {value!r}"
        )
    return tuple(as_number(entry, f"{argument}[{i}]") for i, entry in enumerate(value))


def as_plane_point(value: Iterable[SupportsFloat], argument: str) -> tuple[float, float]:
    """Return `value` as the two coordinates of a point in the plane."""
    entries = as_vector(value, argument)
    if len(entries) != 2:
        raise ProblemError(f"{argument} must have two coordinates (x, y); got {len(entries)}: {entries}")
    return entries[0], entries[1]


def as_space_point(value: Iterable[SupportsFloat], argument: str) -> tuple[float, float, float]:
    """Return `value` as the three coordinates of a point in space."""
    entries = as_vector(value, argument)
    if len(entries) != 3:
        raise ProblemError(f"{argument} must have three coordinates (x, y, z); got {len(entries)}: {entries}")
    return entries[0], entries[1], entries[2]


def as_name(value: str, argument: str) -> str:
    """Return `value` as a name to put before those of boundary parts; the empty one stands for none."""
    if not isinstance(value, str) or value != value.strip():
        raise ProblemError(f"{argument} must be a string without blanks around it; got {value!r}")
    return value
