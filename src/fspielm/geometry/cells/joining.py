"""Pieces too small for a cell of their own, joined to a neighbour."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.cells.pieces import Pieces

# A side of a piece below this share of its box's, or a measure below that share: its own polynomials would be those of
# a cell many times finer than its neighbours, for a place that these can be continued to.
_THIN, _SMALL = 0.08, 0.02
# A small piece is joined to another small one only where that has so many times its measure; so pieces of a domain that
# is thin everywhere stay apart.
_MUCH_LARGER = 4.0


def hosts_of(pieces: Pieces, lower: FloatArray, upper: FloatArray) -> NDArray[np.intp]:
    """By leaf, the one whose cell its piece belongs to: itself unless it is too small; -1 where there is no piece.

    Parameters
    ----------
    pieces : Pieces
    lower, upper : (n, d) arrays
        Boxes of the leaves.

    Returns
    -------
    (n,) array of int
    """
    host = np.where(pieces.empty, -1, np.arange(len(lower)))
    small = _are_small(pieces, lower, upper)
    lengths: defaultdict[int, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    for seam, spans in pieces.crossings:
        length = sum(b - a for a, b in spans)
        for one, other in ((seam.below, seam.above), (seam.above, seam.below)):
            if small[one]:
                lengths[one][other] += length
    # from the largest on: the host of a host is then known
    for leaf in sorted(lengths, key=lambda leaf: -float(pieces.measure[leaf])):
        own = pieces.measure[leaf]
        suited = {
            other: length
            for other, length in lengths[leaf].items()
            if pieces.measure[other] >= own * (_MUCH_LARGER if small[other] else 1.0) and host[other] != leaf
        }
        if suited:
            host[leaf] = host[max(suited, key=lambda other: suited[other])]
    return host


def _are_small(pieces: Pieces, lower: FloatArray, upper: FloatArray) -> BoolArray:
    thin = np.any(pieces.upper - pieces.lower < _THIN * (upper - lower), axis=1)
    small = pieces.measure < _SMALL * np.prod(upper - lower, axis=1)
    found: BoolArray = ~pieces.whole & ~pieces.empty & (thin | small)
    return found
