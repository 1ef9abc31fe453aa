"""What every covering of a domain by cells offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Mask
from fspielm.geometry.cells.cell import Cell, Contact, Joint, Stretch
from fspielm.geometry.cells.frames import Frames
from fspielm.geometry.cells.material_frames import MaterialFrames
from fspielm.geometry.domain import Domain


class Cover(ABC):
    """Cells that make up a domain of one or two dimensions, and how they hang together.

    Attributes
    ----------
    domain : Domain
    cells : tuple of Cell
    joints : tuple of Joint
        All pieces of edges between cells of one material. Where a cell has several neighbours along an edge, each has
        its own.
    contacts : tuple of Contact
        All pieces of interfaces between cells of two materials.
    materials : (C,) integer array
        The number of the material that each cell is made of.
    frames : Frames or MaterialFrames
        Where the cells are: what functions on them need to know, without the domain.
    """

    domain: Domain
    cells: tuple[Cell, ...]
    joints: tuple[Joint, ...]
    contacts: tuple[Contact, ...]
    materials: NDArray[np.intp]
    frames: Frames | MaterialFrames

    @abstractmethod
    def locate(self, points: ArrayLike) -> NDArray[np.intp]:
        """The cell of each point ``(n, d)``; that with the nearest frame for a point that is in no cell's."""

    @abstractmethod
    def holds(self, cell: int, points: FloatArray) -> BoolArray:
        """Mask of the points ``(n, d)`` that are in a cell's piece."""

    @abstractmethod
    def halve(self, cells: Mapping[int, Collection[int]]) -> Cover:
        """The cover with some cells halved: along one axis into two, along both into four, box by box.

        Parameters
        ----------
        cells : mapping
            From the number of a cell to the axes to halve it along; or to a mapping from axes to places in each of its
            boxes, at which it is cut instead.

        Returns
        -------
        Cover
            Its cells have new numbers.
        """

    @abstractmethod
    def stretches(self, part: BoundaryPart, mask: Mask | None = None) -> tuple[Stretch, ...]:
        """The pieces of a boundary part in the cells, cut at their borders and at the part's breaks.

        Parameters
        ----------
        part : BoundaryPart
            A part of the boundary, or any curve in the domain. What its `keep` leaves out is left out.
        mask : callable, optional
            Maps points ``(n, d)`` to whether they count.

        Returns
        -------
        tuple of Stretch
            In the order of their unit coordinates.
        """

    @abstractmethod
    def face_stretches(self, axis: int, end: int) -> tuple[tuple[int, tuple[float, float]], ...]:
        """The cells at a face of the bounding box, each with where along the other axis.

        Parameters
        ----------
        axis : int
            That of the face's normal.
        end : int
            0 for the lower face, 1 for the upper one.

        Returns
        -------
        tuple of (int, (float, float))
            The cell, and the span along the other axis; zeros in one dimension.
        """

    @abstractmethod
    def rims(self) -> Iterator[tuple[BoundaryPart, Stretch]]:
        """What bounds the pieces of cells that are not whole, with normals that point out of them."""

    def _check(self, cells: Mapping[int, Collection[int]]) -> None:
        for cell, axes in cells.items():
            if not 0 <= cell < len(self.cells):
                raise ProblemError(f"halve: cells must be numbers from 0 to {len(self.cells) - 1}; got {cell}")
            if not axes or len(set(axes)) != len(axes) or not set(axes) <= set(range(self.domain.dimension)):
                raise ProblemError(
                    f"halve: the axes of a cell must be some of {list(range(self.domain.dimension))}, each once; "
                    f"got {list(axes)} for cell {cell}"
                )
