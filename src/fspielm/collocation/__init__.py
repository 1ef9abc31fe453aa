"""Points, row blocks, the assembled system, and least squares."""

from fspielm.collocation.crowding import Crowd, Lattices, first_edges, nearest_of
from fspielm.collocation.discretisation import Checks, Discretisation, Finite, Seam, draw_features, join_columns
from fspielm.collocation.householder import Householder
from fspielm.collocation.least_squares import QR, Factored, LeastSquares, TruncatedSVD
from fspielm.collocation.points import Points, allot_conditions, allot_points, join_points, points_for, split_by_measure
from fspielm.collocation.system import (
    BlockResidual,
    BlockRows,
    RowBlock,
    Scaling,
    System,
    assemble,
    check_memory,
    check_scaling,
    make_block,
    make_blocks,
    matrix_bytes,
)

__all__ = [
    "QR",
    "BlockResidual",
    "BlockRows",
    "Checks",
    "Crowd",
    "Discretisation",
    "Factored",
    "Finite",
    "Householder",
    "Lattices",
    "LeastSquares",
    "Points",
    "RowBlock",
    "Scaling",
    "Seam",
    "System",
    "TruncatedSVD",
    "allot_conditions",
    "allot_points",
    "assemble",
    "check_memory",
    "check_scaling",
    "draw_features",
    "first_edges",
    "join_columns",
    "join_points",
    "make_block",
    "make_blocks",
    "matrix_bytes",
    "nearest_of",
    "points_for",
    "split_by_measure",
]
