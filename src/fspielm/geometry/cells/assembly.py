"""Cells and joints, from the leaves of a tree and the pieces of a domain in them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from fspielm.deadline import check_deadline
from fspielm.geometry.cells.cell import Cell, Joint
from fspielm.geometry.cells.pieces import Pieces
from fspielm.geometry.cells.tree import Tree

# A joint shorter than this share of the edge it is part of is left out, where the same cells have a longer one.
_SHORT = 1e-10


def cells_of(tree: Tree, pieces: Pieces, host: NDArray[np.intp]) -> tuple[tuple[Cell, ...], NDArray[np.intp]]:
    """The cells in the order of their hosts, and by leaf the number of its cell; -1 where there is none."""
    members: dict[int, list[int]] = {leaf: [leaf] for leaf in np.flatnonzero(host == np.arange(len(host))).tolist()}
    for leaf, other in enumerate(host.tolist()):
        if other >= 0 and other != leaf:
            members[other].append(leaf)
    number = np.full(len(host) + 1, -1, dtype=np.intp)  # the last one for no host
    number[list(members)] = np.arange(len(members))
    box_lower, box_upper = tree.lower[tree.leaves], tree.upper[tree.leaves]
    whole = pieces.whole.tolist()
    cells = []
    for leaves in members.values():
        check_deadline()
        boxes = tuple((box_lower[leaf], box_upper[leaf]) for leaf in leaves)
        if len(leaves) == 1 and whole[leaves[0]]:
            cells.append(Cell(boxes, *boxes[0], whole=True, share=1.0))
        else:
            lower, upper = pieces.lower[leaves].min(axis=0), pieces.upper[leaves].max(axis=0)
            share = float(pieces.measure[leaves].sum() / np.prod(upper - lower))
            cells.append(Cell(boxes, lower, upper, whole=False, share=min(share, 1.0)))
    return tuple(cells), number[host]


def joints_of(pieces: Pieces, cell: NDArray[np.intp]) -> tuple[Joint, ...]:
    """The joints between cells; very short ones only where two cells would have none without them."""
    found: list[tuple[Joint, bool]] = []
    number = cell.tolist()
    for seam, spans in pieces.crossings:
        check_deadline()
        below, above = number[seam.below], number[seam.above]
        if below != above:
            long = _SHORT * (seam.high - seam.low)
            found += [(Joint((below, above), seam.axis, seam.at, (a, b)), b - a >= long) for a, b in spans]
    held = Counter(frozenset(joint.cells) for joint, long in found if long)
    return tuple(joint for joint, long in found if long or not held[frozenset(joint.cells)])
