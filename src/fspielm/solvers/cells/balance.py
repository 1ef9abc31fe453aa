"""Neighbouring cells that are not too unlike."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from fspielm.equations import Problem
from fspielm.geometry.cells import Cover, tied_across

# Neighbours are no more unlike than that, in their longest sides.
_UNLIKE = 4.5


def balanced(tiling: Cover, problem: Problem) -> Cover:
    """With large cells halved until none is next to much smaller ones, nor next to itself across periodic faces."""
    while True:
        sides = np.array([cell.upper - cell.lower for cell in tiling.cells])
        wanted: defaultdict[int, set[int]] = defaultdict(set)
        pairs = [*(joint.cells for joint in tiling.joints), *(contact.cells for contact in tiling.contacts)]
        for pair, axis in _tied(tiling, problem):
            pairs.append(pair)
            if pair[0] == pair[1]:
                wanted[pair[0]].add(axis)
        for pair in pairs:
            for large, small in (pair, pair[::-1]):
                wanted[large] |= set(np.flatnonzero(sides[large] > _UNLIKE * sides[small].max()).tolist())
        halved = {cell: tuple(sorted(axes)) for cell, axes in wanted.items() if axes}
        if not halved:
            return tiling
        tiling = tiling.halve(halved)


def _tied(tiling: Cover, problem: Problem) -> list[tuple[tuple[int, int], int]]:
    """Cells at faces that are one place, and along which axis these lie apart."""
    found: dict[tuple[int, int], int] = {}
    for relation in problem.relations:
        part, shift = relation.region.part, relation.region.shift
        if part is not None and shift is not None:
            axis = int(np.argmax(np.abs(shift)))
            found |= {contact.cells: axis for contact in tied_across(tiling, part, shift)}
    return list(found.items())
