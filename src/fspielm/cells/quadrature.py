"""Quadrature over the cells of a tiling, whose boxes the boundary may cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.cells.arcs import Arcs, crossings, place, sorted_parts
from fspielm.cells.frames import Frames
from fspielm.geometry.boundary import BoundaryPart, Quadrature, gauss, tensor
from fspielm.geometry.domain import Domain

# Factor of the number of nodes across a cut box: they crowd at both ends.
_CROWDED = 1.6


def cell_rule(frames: Frames, domain: Domain, nodes: NDArray[np.int_]) -> Quadrature:
    """Gauss rules in the boxes of all cells, with `nodes` ``(C,)`` along each axis.

    Parameters
    ----------
    frames : Frames
        Of a tiling of `domain`.
    domain : Domain
    nodes : (C,) integer array

    Returns
    -------
    Quadrature
    """
    lower, upper, whole = frames.boxes
    counts = nodes[frames.owner[frames.owner >= 0]]
    each = zip(lower[whole], upper[whole], counts[whole], strict=True)
    rules = [_in_box(low, high, count) for low, high, count in each]
    if not whole.all():
        rules += _in_cut_boxes(frames, domain, lower[~whole], upper[~whole], counts[~whole])
    return Quadrature(*(np.concatenate(parts) for parts in zip(*rules, strict=True)))


def _in_box(lower: FloatArray, upper: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    unit, weights = tensor(*[gauss(int(count))] * len(lower))
    return lower + (upper - lower) * unit, float(np.prod(upper - lower)) * weights


@final
@dataclass(frozen=True, eq=False)
class _Panel:
    """A range of x in a box over which the same arcs cross it, with abscissae, their weights, and the arcs."""

    low: float
    high: float
    x: FloatArray
    weights: FloatArray
    over: NDArray[np.intp]
    count: int


def _in_cut_boxes(
    frames: Frames, domain: Domain, lower: FloatArray, upper: FloatArray, counts: NDArray[np.int_]
) -> list[tuple[FloatArray, FloatArray]]:
    """Gauss rules along chords between arcs, in the boxes that the boundary cuts."""
    parts = domain.boundary()
    arcs = sorted_parts(parts, frames.tree, frames.slack)
    if frames.dimension == 1:
        return _in_cut_intervals(domain, lower[:, 0], upper[:, 0], arcs.first[:, 0], counts)
    by_box = {tuple(box): index for index, box in enumerate(lower.tolist())}
    box = np.array([by_box.get(tuple(start), -1) for start in frames.tree.lower[arcs.node].tolist()], dtype=np.intp)
    panels = [
        panel
        for index, (low, high, count) in enumerate(zip(lower, upper, counts.tolist(), strict=True))
        for panel in _panels(arcs, np.flatnonzero(box == index), low, high, count, frames.slack)
    ]
    heights = _heights(panels, arcs, parts, frames.slack)
    chords = [chord for panel, its in zip(panels, heights, strict=True) for chord in _chords(panel, its)]
    middles = []
    for x, _, low, high, _ in chords:
        widest = int(np.argmax(high - low))
        middles.append((x[widest], 0.5 * (low[widest] + high[widest])))
    inside = domain.contains(np.array(middles).reshape(-1, 2))
    found = []
    for (x, across, low, high, count), held in zip(chords, inside, strict=True):
        if held:
            unit, shares = gauss(count)
            y = low[:, None] + (high - low)[:, None] * unit
            points = np.stack([np.broadcast_to(x[:, None], y.shape), y], axis=-1).reshape(-1, 2)
            found.append((points, ((across * (high - low))[:, None] * shares).ravel()))
    return found


def _in_cut_intervals(
    domain: Domain, lower: FloatArray, upper: FloatArray, ends: FloatArray, counts: NDArray[np.int_]
) -> list[tuple[FloatArray, FloatArray]]:
    found = []
    for low, high, count in zip(lower, upper, counts.tolist(), strict=True):
        breaks = np.unique([low, high, *ends[(ends > low) & (ends < high)]])
        for a, b in pairwise(breaks[:, None]):
            if domain.contains(0.5 * (a + b)[None])[0]:
                found.append(_in_box(a, b, count))
    return found


def _panels(
    arcs: Arcs, own: NDArray[np.intp], lower: FloatArray, upper: FloatArray, count: int, slack: float
) -> Iterator[_Panel]:
    """The panels of one box, without those narrower than rounding."""
    first, last = arcs.first[own, 0], arcs.last[own, 0]
    ends = np.unique(np.concatenate([[lower[0], upper[0]], first, last]))
    for left, right in pairwise(ends.tolist()):
        if right - left > slack:
            over = own[(np.minimum(first, last) <= left) & (np.maximum(first, last) >= right)]
            # a variable of which the root of a distance is smooth, as heights are at an upright tangent
            s, weights = gauss(int(np.ceil(_CROWDED * count)))
            x = left + (right - left) * np.sin(0.5 * np.pi * s) ** 2
            speed = (right - left) * 0.5 * np.pi * np.sin(np.pi * s)
            yield _Panel(float(lower[1]), float(upper[1]), x, speed * weights, over, count)


def _heights(panels: list[_Panel], arcs: Arcs, parts: tuple[BoundaryPart, ...], slack: float) -> Iterator[FloatArray]:
    """For each panel, where its vertical lines cross the arcs, ``(arcs, n)``, from below."""
    index = np.concatenate([np.repeat(panel.over, len(panel.x)) for panel in panels])
    at = np.concatenate([np.tile(panel.x, len(panel.over)) for panel in panels])
    crossed = arcs.select(index)
    heights = np.empty(0)
    if len(at):
        unit = crossings(crossed, np.zeros(len(at), dtype=np.intp), at, parts, slack)
        heights = place(parts, crossed.part, unit).points[:, 1]
    start = 0
    for panel in panels:
        end = start + len(panel.over) * len(panel.x)
        own = heights[start:end].reshape(len(panel.over), len(panel.x))
        yield np.sort(np.clip(own, panel.low, panel.high), axis=0)
        start = end


def _chords(panel: _Panel, heights: FloatArray) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, FloatArray, int]]:
    """Abscissae and weights, both ends of the chords between arcs, or an arc and the box, and their number of nodes."""
    ends = [np.full(len(panel.x), panel.low), *heights, np.full(len(panel.x), panel.high)]
    for low, high in pairwise(ends):
        if np.any(high > low):
            yield panel.x, panel.weights, low, high, panel.count
