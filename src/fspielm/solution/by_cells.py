"""Quadrature for functions that are smooth in each cell, and no more than continuous from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features import CellBasis
from fspielm.geometry import BoundaryPart, Domain, Quadrature
from fspielm.geometry.cells import Frames
from fspielm.geometry.cells.quadrature import cell_rule
from fspielm.geometry.quadrature import gauss
from fspielm.solution.places import Place, Segment, joined

# Nodes beyond the degree: products of a solution with itself, or with what is smooth, are known to all digits.
_MORE = 3


def with_cells(place: Place, basis: CellBasis) -> Place:
    """The same place, with nodes in each of its pieces between the borders of cells."""
    frames = basis.frames
    if not isinstance(frames, Frames):  # of several materials: the rules of the place itself
        return place
    if place.domain is not None:
        rule, fewest = _on_domain(basis, frames, place.domain)
        return replace(place, rule=rule, fewest=fewest)
    if not place.curves:
        return place
    cuts = [(curve, _breaks(frames, curve)) for curve in place.curves]
    least = int(basis.degrees.max()) + _MORE
    fewest = least * sum(len(breaks) - 1 for _, breaks in cuts)

    def on_curves(n: int) -> Quadrature:
        each = int(np.ceil(max(n / fewest, 1.0) * least))
        return joined([_on_curve(curve, breaks, each) for curve, breaks in cuts])

    return replace(place, rule=on_curves, fewest=fewest)


def _on_domain(basis: CellBasis, frames: Frames, domain: Domain) -> tuple[Callable[[int], Quadrature], int]:
    least = basis.degrees.max(axis=1) + _MORE
    boxes = np.bincount(frames.owner[frames.owner >= 0])
    fewest = int(boxes @ least**frames.dimension)

    def rule(n: int) -> Quadrature:
        finer = max(n / fewest, 1.0) ** (1 / frames.dimension)
        return cell_rule(frames, domain, np.ceil(finer * least).astype(int)).scaled_to(domain.measure)

    return rule, fewest


def _on_curve(curve: BoundaryPart | Segment, breaks: FloatArray, each: int) -> Quadrature:
    """So many nodes between one break and the next."""
    shares, weights = gauss(each)
    lengths = np.diff(breaks)
    unit = (breaks[:-1, None] + lengths[:, None] * shares).ravel()
    total = (lengths[:, None] * weights).ravel()
    if isinstance(curve, Segment):
        return curve.nodes(unit, curve.length * total)
    sites = curve.place(unit[:, None])
    return Quadrature(sites.points, curve.measure * total, sites.normals)


def _breaks(frames: Frames, curve: BoundaryPart | Segment) -> FloatArray:
    """Unit coordinates of all places where a curve enters another cell; of a line, where it meets any cut."""
    if isinstance(curve, BoundaryPart):
        return frames.breaks(curve)
    tree, way = frames.tree, curve.end - curve.start
    inner = np.flatnonzero((tree.axis >= 0) & (way[tree.axis] != 0))
    axis = tree.axis[inner]
    unit = (tree.at[inner] - curve.start[axis]) / way[axis]
    return np.unique(np.concatenate([[0.0, 1.0], unit[(unit > 0) & (unit < 1)]]))
