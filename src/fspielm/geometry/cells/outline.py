"""What a tiling needs to know of its domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.cells.arcs import Arcs, arcs_of, join_arcs
from fspielm.geometry.cells.sorting import onto_faces, sort_arcs
from fspielm.geometry.cells.tree import Tree
from fspielm.geometry.domain import Domain, rounding_slack

# Difference between the measures of a domain and of its bounding box, relative, that counts as none.
_SAME = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Outline:
    """A domain of one or two dimensions, seen from boxes that it may cut.

    Attributes
    ----------
    domain : Domain
    lower, upper : (d,) arrays
        Its bounding box.
    parts : tuple of BoundaryPart
        What its boundary is made of; nothing where the domain is a box, which cuts none.
    is_box : bool
        Whether it is its bounding box.
    slack : float
        How far rounding may carry a point off.
    """

    domain: Domain
    lower: FloatArray
    upper: FloatArray
    parts: tuple[BoundaryPart, ...]
    is_box: bool
    slack: float

    def arcs(self, tree: Tree) -> Arcs:
        """The boundary in the leaves of a tree."""
        return sorted_parts(self.parts, tree, self.slack)


def outline_of(domain: Domain, slack: float | None = None) -> Outline:
    """Look at a domain, with a slack of its own if given; one of more than two dimensions is refused."""
    if domain.dimension > 2:
        raise ProblemError(
            f"tile: domain must have one or two dimensions, time included; got {domain!r} of {domain.dimension}"
        )
    lower, upper = domain.bounding_box
    slack = rounding_slack(True, *lower, *upper) if slack is None else slack
    # only a box fills its bounding box
    is_box = bool(abs(domain.measure / np.prod(upper - lower) - 1) <= _SAME)
    return Outline(domain, lower, upper, () if is_box else domain.boundary(), is_box, slack)


def sorted_parts(parts: tuple[BoundaryPart, ...], tree: Tree, slack: float) -> Arcs:
    """Boundary parts in the leaves of a tree, as arcs, without regard to `keep`."""
    arcs = join_arcs([arcs_of(part, number, slack) for number, part in enumerate(parts)], tree.dimension)
    return sort_arcs(onto_faces(arcs, tree, slack), tree, parts, slack)
