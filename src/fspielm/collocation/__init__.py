"""How: points, row blocks, and the assembled system."""

from typing import TYPE_CHECKING

from fspielm.collocation.allotment import allot_conditions, allot_points, join_points
from fspielm.collocation.blocks import RowBlock, make_block, make_blocks
from fspielm.collocation.discretisation import Discretisation, draw_features, join_columns
from fspielm.collocation.finite import Checks, Finite, Seam
from fspielm.collocation.memory import check_memory, matrix_bytes
from fspielm.collocation.points import Points, points_for, split_by_measure
from fspielm.collocation.system import BlockResidual, BlockRows, Scaling, System, assemble, check_scaling

from fspielm.collocation.cells import Patchwork
from fspielm.collocation.crowd import Crowd, first_edges, nearest_of
from fspielm.collocation.lattices import Lattices
__all__ = [
    "BlockResidual",
    "BlockRows",
    "Checks",
    "Crowd",
    "Discretisation",
    "Finite",
    "Lattices",
    "Patchwork",
    "Points",
    "RowBlock",
    "Scaling",
    "Seam",
    "System",
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
