"""Points with normals, and numbers and vectors as users write them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError

# ---- Where rows are collocated: points and, on a boundary, their outward normals


@dataclass(frozen=True, eq=False)
class Sites:
    """Points of a domain, with unit outward normals where they lie on its boundary.

    Attributes
    ----------
    points : (n, d) array
    normals : (n, d) array or None
        None for interior points.
    """

    points: FloatArray
    normals: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.points)

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return int(self.points.shape[1])

    def select(self, index: slice | NDArray[Any]) -> Sites:
        """The sites at `index` (a slice, a mask or an index array)."""
        return Sites(self.points[index], None if self.normals is None else self.normals[index])

    def followed_by(self, other: Sites) -> Sites:
        """These sites and then the others; with normals where both have them."""
        return join_sites([self, other])


def join_sites(several: Sequence[Sites]) -> Sites:
    """All sites of several, one after the other; with normals where all have them."""
    normals = [sites.normals for sites in several if sites.normals is not None]
    points = np.concatenate([sites.points for sites in several])
    return Sites(points, np.concatenate(normals) if len(normals) == len(several) else None)


# ---- Numbers and vectors as users write them, read once and checked with the argument's name


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
