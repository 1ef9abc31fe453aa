"""Collocation points, row blocks, the assembled system, and least squares."""

from fspielm.collocation.householder import Householder
from fspielm.collocation.least_squares import QR, LeastSquares
from fspielm.collocation.points import Points, allot_conditions
from fspielm.collocation.system import BlockResidual, assemble, make_blocks

__all__ = [
    "QR",
    "BlockResidual",
    "Householder",
    "LeastSquares",
    "Points",
    "allot_conditions",
    "assemble",
    "make_blocks",
]
