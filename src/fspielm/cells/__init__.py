"""Cells: tilings of a domain, polynomials on them, traces between them."""

from fspielm.cells.basis import CellBasis, RowsInCells
from fspielm.cells.frames import Frames, MaterialFrames, runs_along
from fspielm.cells.mosaic import Mosaic, mosaic_of
from fspielm.cells.patchwork import Patchwork, check_suitable
from fspielm.cells.tails import Tail, Tails, tails_of
from fspielm.cells.tiling import Cell, Contact, Cover, Joint, Stretch, Tiling, tied_across, tile, tile_as

__all__ = [
    "Cell",
    "CellBasis",
    "Contact",
    "Cover",
    "Frames",
    "Joint",
    "MaterialFrames",
    "Mosaic",
    "Patchwork",
    "RowsInCells",
    "Stretch",
    "Tail",
    "Tails",
    "Tiling",
    "check_suitable",
    "mosaic_of",
    "runs_along",
    "tails_of",
    "tied_across",
    "tile",
    "tile_as",
]
