"""Where along a boundary part the materials beside it change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.intervals import bisect
from fspielm.geometry.sites import Sites

# From points (n, d) to rows (n, k) that are equal where materials are.
Materials: TypeAlias = Callable[[FloatArray], NDArray[np.int_]]
Row: TypeAlias = tuple[int, ...]

# Places along a part at which materials are looked at, and no fewer than some between its breaks.
_LOOKS, _FEWEST = 2048, 16
# How far beside the part, of the size of the domain: much less than from one place to the next.
_BESIDE = 1e-7
_BISECTIONS = 54


@final
@dataclass(frozen=True, eq=False)
class Run:
    """A piece of a part with one material beside it.

    Attributes
    ----------
    row : tuple of int
        The material.
    start, end : float
        Unit coordinates of the part; zeros for a point.
    """

    row: Row
    start: float
    end: float


def runs_along(part: BoundaryPart, materials: Materials, side: int, size: float) -> list[Run]:
    """Cut a part where the materials change on the side that its normals point to (1), or on the other one (-1).

    Parameters
    ----------
    part : BoundaryPart
        What its `keep` leaves out is left out.
    materials : callable
    side : {-1, 1}
    size : float
        Of the domain.

    Returns
    -------
    list of Run
    """

    def rows(unit: FloatArray, depth: FloatArray | float) -> NDArray[np.int_]:
        sites = part.place(unit[:, None] if part.parameters else np.empty((len(unit), 0)))
        assert sites.normals is not None  # every boundary part has them
        kept = np.ones(len(unit)) if part.keep is None else part.keep(sites.points)
        return np.column_stack([kept, materials(sites.points + side * depth * sites.normals)]).astype(np.int_)

    if part.parameters == 0:
        kept, *row = rows(np.zeros(1), _BESIDE * size)[0].tolist()
        return [Run(tuple(row), 0.0, 0.0)] if kept else []
    unit = np.concatenate([_middles(low, high) for low, high in pairwise(part.breaks)])
    beside = rows(unit, _BESIDE * size)
    at = np.flatnonzero(np.any(beside[1:] != beside[:-1], axis=1))
    before, after = beside[at], beside[at + 1]
    same = before == after
    # on the part itself, places are found to the last digit; where that does not tell, just beside it
    told = [np.all(same | (rows(unit[place], 0.0) == row), axis=1) for place, row in ((at, before), (at + 1, after))]
    depth = np.where(told[0] & told[1], 0.0, _BESIDE * size)[:, None]
    cuts, _ = bisect(
        unit[at],
        unit[at + 1],
        lambda s: np.all(same | (rows(s, depth) == before), axis=1),
        _BISECTIONS,
    )
    ends = [0.0, *cuts.tolist(), 1.0]
    found = []
    for place, (low, high) in zip([*at.tolist(), len(unit) - 1], pairwise(ends), strict=True):
        kept, *row = beside[place].tolist()
        if kept:
            found.append(Run(tuple(row), low, high))
    return found


def part_between(part: BoundaryPart, start: float, end: float, side: int) -> BoundaryPart:
    """A part from one unit coordinate to another, with its normals as they are (-1) or turned (1)."""
    length = end - start

    def place(unit: FloatArray) -> Sites:
        sites = part.place(start + length * unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points, -side * sites.normals)

    if part.parameters == 0:
        return replace(part, place=place, keep=None)
    inner = [(at - start) / length for at in part.breaks if start < at < end]
    breaks = (0.0, *inner, 1.0)
    return replace(part, place=place, keep=None, measure=part.measure * length, breaks=breaks, endless=0, nodes=None)


def _middles(low: float, high: float) -> FloatArray:
    count = max(_FEWEST, int(np.ceil(_LOOKS * (high - low))))
    return low + (high - low) * (np.arange(count) + 0.5) / count
