"""The outline of a plane section, as closed loops to draw and to clip by."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry import BoundaryPart, Domain, Mask, SpaceTime, bisect
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.regions_in import borders_in

if TYPE_CHECKING:
    from matplotlib.path import Path

_POINTS_ON_CURVE = 800
# Ends of pieces closer than this, relative to the size of the domain, are one point.
_SAME_POINT = 1e-6
_BISECTIONS = 45


def outline(domain: Domain) -> list[FloatArray] | None:
    """Closed loops ``(n, 2)`` along the true boundary of a domain of the plane, at any time.

    None for other domains, and for a boundary whose pieces do not join into loops.
    """
    space = domain.space if isinstance(domain, SpaceTime) else domain
    if space.dimension != 2:
        return None
    if isinstance(space, Exterior) and space.period is not None:  # whose copies may be cut by the window
        return None
    lower, upper = space.bounding_box
    parts = space.solid_parts() if isinstance(space, Exterior) else space.boundary()
    pieces = [piece for part in parts for piece in smooth_pieces(part)]
    loops = _join(pieces, _SAME_POINT * float(np.max(upper - lower)))
    if space.is_unbounded and loops is not None:  # cut to the window
        (left, bottom), (right, top) = lower, upper
        loops.append(np.array([[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom]]))
    return loops


def inner_lines(domain: Domain) -> list[FloatArray]:
    """Lines ``(n, 2)`` where regions of the plane meet, or objects begin that let waves through."""
    if isinstance(domain, Exterior):
        parts = domain.inner_parts()
    else:
        space = domain.space if isinstance(domain, SpaceTime) and domain.dimension > 2 else domain
        parts = tuple(border.part for border in borders_in(space))
    return [piece for part in parts if part.parameters == 1 for piece in smooth_pieces(part)]


def mask_outline(mask: BoolArray, axes: tuple[FloatArray, FloatArray]) -> list[FloatArray]:
    """Closed loops around the cells of a fine grid that are inside, for domains whose section has no formula."""
    from contourpy import contour_generator

    padded = np.pad(mask.astype(np.float64), 1)
    x, y = (np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in axes)
    lines = contour_generator(x, y, padded, line_type="Separate").lines(0.5)
    return [np.asarray(line, dtype=np.float64) for line in lines]


def as_path(loops: list[FloatArray]) -> Path:
    """The loops as one path whose inside is the domain: holes run the other way round."""
    from matplotlib.path import Path

    paths = [Path(loop, closed=True) for loop in loops]
    turned = []
    for index, (loop, path) in enumerate(zip(loops, paths, strict=True)):
        depth = sum(other.contains_point(loop[0]) for i, other in enumerate(paths) if i != index)
        counterclockwise = _signed_area(loop) > 0
        turned.append(path if counterclockwise == (depth % 2 == 0) else Path(loop[::-1], closed=True))
    return Path.make_compound_path(*turned)


def smooth_pieces(part: BoundaryPart) -> list[FloatArray]:
    """Points along each smooth piece of a part; the ends alone of a straight one."""
    pieces = []
    for low, high in pairwise(part.breaks):
        # a break belongs to the piece after it
        unit = np.linspace(low, high, _POINTS_ON_CURVE)
        unit[-1] = np.nextafter(high, low) if high < 1 else 1.0
        runs = [unit] if part.keep is None else _kept_runs(part, part.keep, unit)
        for run in runs:
            points = part.place(run[:, None]).points
            pieces.append(points[[0, -1]] if _is_straight(points) else points)
    return pieces


def _kept_runs(part: BoundaryPart, keep: Mask, unit: FloatArray) -> list[FloatArray]:
    """The stretches of `unit` that belong to the part, their ends found by bisection."""

    def holds(parameters: FloatArray) -> BoolArray:
        return keep(part.place(parameters[:, None]).points)

    kept = holds(unit)
    changes = np.flatnonzero(np.diff(kept)) + 1
    begins = kept[changes]
    inside = np.where(begins, unit[changes], unit[changes - 1])
    outside = np.where(begins, unit[changes - 1], unit[changes])
    inside, _ = bisect(inside, outside, holds, _BISECTIONS)
    runs = []
    for index, run in enumerate(np.split(unit, changes)):
        if kept[0 if index == 0 else changes[index - 1]]:
            before, after = inside[index - 1 : index] if index else inside[:0], inside[index : index + 1]
            runs.append(np.concatenate([before, run, after]))
    return runs


def _is_straight(points: FloatArray) -> bool:
    way = points[-1] - points[0]
    length = float(np.hypot(*way))
    offset = points - points[0]
    across = np.abs(offset[:, 0] * way[1] - offset[:, 1] * way[0])
    return length > 0 and bool(across.max() <= 1e-9 * length**2)


def _join(pieces: list[FloatArray], near: float) -> list[FloatArray] | None:
    """Pieces put end to end, turned where needed; None where a loop does not close."""
    left = list(pieces)
    loops = []
    while left:
        loop = left.pop(0)
        while np.hypot(*(loop[-1] - loop[0])) > near or len(loop) < 3:
            index, forward = _next_piece(left, loop[-1], near)
            if index is None:
                return None
            piece = left.pop(index)
            loop = np.concatenate([loop, (piece if forward else piece[::-1])[1:]])
        loops.append(np.concatenate([loop, loop[:1]]))
    return loops


def _next_piece(pieces: list[FloatArray], end: FloatArray, near: float) -> tuple[int | None, bool]:
    for index, piece in enumerate(pieces):
        if np.hypot(*(piece[0] - end)) <= near:
            return index, True
        if np.hypot(*(piece[-1] - end)) <= near:
            return index, False
    return None, True


def _signed_area(loop: FloatArray) -> float:
    x, y = loop.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
