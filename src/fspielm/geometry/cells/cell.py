"""Cells of a tiling, the joints between them, and the stretches of a boundary in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from fspielm.arrays import FloatArray


@final
@dataclass(frozen=True, eq=False)
class Cell:
    """A piece of a domain with a box around it.

    Attributes
    ----------
    boxes : tuple of (lower, upper)
        The boxes that it is made of: one, or several where a small piece was joined to a neighbour.
    lower, upper : (d,) arrays
        Bounding box of its piece, what of the domain is in the boxes: the local frame.
    whole : bool
        Whether it is one box, all of it in the domain.
    share : float
        Measure of the piece over that of its frame.
    """

    boxes: tuple[tuple[FloatArray, FloatArray], ...]
    lower: FloatArray
    upper: FloatArray
    whole: bool
    share: float


@final
@dataclass(frozen=True, eq=False)
class Joint:
    """A straight piece of edge between two cells, inside of the domain.

    Attributes
    ----------
    cells : (int, int)
        The one below and the one above, along `axis`.
    axis : int
        That of the normal.
    at : float
        The coordinate along it.
    span : (float, float)
        From where to where along the other axis; zeros in one dimension.
    """

    cells: tuple[int, int]
    axis: int
    at: float
    span: tuple[float, float]


@final
@dataclass(frozen=True, eq=False)
class Stretch:
    """What of a boundary part is in one cell.

    Attributes
    ----------
    cell : int
    start, end : float
        Unit coordinates of the part; zeros for a part that is a point.
    """

    cell: int
    start: float
    end: float


@final
@dataclass(frozen=True, eq=False)
class Contact:
    """A piece of an interface between two cells.

    Attributes
    ----------
    cells : (int, int)
        The one that the interface's normals point away from, and the one that they point to.
    line : int
        Number of the interface.
    start, end : float
        Unit coordinates of its part; zeros for a point.
    """

    cells: tuple[int, int]
    line: int
    start: float
    end: float
