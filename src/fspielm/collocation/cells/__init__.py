"""Problems made finite on the cells of a tiling."""

from fspielm.collocation.cells.patchwork import Patchwork
from fspielm.collocation.cells.suitable import check_suitable
from fspielm.collocation.cells.tails import Tail, Tails, tails_of

__all__ = ["Patchwork", "Tail", "Tails", "check_suitable", "tails_of"]
