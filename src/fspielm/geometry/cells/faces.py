"""Cells at faces of a domain that are one and the same place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.cells.cell import Contact
from fspielm.geometry.cells.contacts import meet
from fspielm.geometry.cells.cover import Cover
from fspielm.geometry.sites import Sites


def tied_across(tiling: Cover, part: BoundaryPart, shift: FloatArray) -> Iterator[Contact]:
    """Where cells meet if a part of the boundary is the same place as the one that it is moved to.

    Parameters
    ----------
    tiling : Cover
    part : BoundaryPart
    shift : (d,) array
        The way to the other.

    Yields
    ------
    Contact
        The cell at the part, that at the other, and unit coordinates of the part.
    """
    yield from meet(0, tiling.stretches(part), tiling.stretches(_moved(part, shift)))


def _moved(part: BoundaryPart, shift: FloatArray) -> BoundaryPart:
    """A part somewhere else, with the inside on its other side."""
    keep = part.keep

    def place(unit: FloatArray) -> Sites:
        sites = part.place(unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points + shift, -sites.normals)

    def kept(points: FloatArray) -> BoolArray:
        assert keep is not None
        return keep(points - shift)

    return replace(part, place=place, keep=None if keep is None else kept)
