"""A domain of one or two dimensions tiled by cells: boxes, cut where the boundary cuts them."""

from fspielm.geometry.cells.cell import Cell, Joint, Merge, Stretch
from fspielm.geometry.cells.frames import Frames
from fspielm.geometry.cells.tiling import Tiling, tile

__all__ = ["Cell", "Frames", "Joint", "Merge", "Stretch", "Tiling", "tile"]
