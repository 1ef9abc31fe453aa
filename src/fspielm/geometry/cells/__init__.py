"""A domain of one or two dimensions tiled by cells: boxes, cut where the boundary cuts them."""

from fspielm.geometry.cells.cell import Cell, Contact, Joint, Stretch
from fspielm.geometry.cells.cover import Cover
from fspielm.geometry.cells.faces import tied_across
from fspielm.geometry.cells.frames import Frames
from fspielm.geometry.cells.material_frames import MaterialFrames
from fspielm.geometry.cells.mosaic import Mosaic, mosaic_of
from fspielm.geometry.cells.runs import runs_along
from fspielm.geometry.cells.tiling import Tiling, tile, tile_as

__all__ = [
    "Cell",
    "Contact",
    "Cover",
    "Frames",
    "Joint",
    "MaterialFrames",
    "Mosaic",
    "Stretch",
    "Tiling",
    "mosaic_of",
    "runs_along",
    "tied_across",
    "tile",
    "tile_as",
]
