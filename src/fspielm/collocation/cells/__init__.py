"""Problems made finite on the cells of a tiling."""

from fspielm.collocation.cells.patchwork import Patchwork

__all__ = ["Patchwork"]
