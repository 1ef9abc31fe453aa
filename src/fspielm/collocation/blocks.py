"""Row blocks: equation and conditions at their points, under names the user knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Operator, Problem, Relation
from fspielm.errors import ProblemError
from fspielm.geometry import Sites


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Rows that state ``sum of operator(u) at sites = values``.

    Attributes
    ----------
    name : str
    pieces : tuple of (Operator, Sites)
        Usually one; a periodic or a jump condition is a sum over two places. All have n sites.
    values : (n,) array
    weight : float
        How much these rows count beside the others, after any scaling.
    sum_weights : (m,) array or None
        Where each row is a sum over m sites, one row's after the other's: their weights in it.
    """

    name: str
    pieces: tuple[tuple[Operator, Sites], ...]
    values: NumberArray
    weight: float = 1.0
    sum_weights: FloatArray | None = None

    def __post_init__(self) -> None:
        for _, sites in self.pieces:
            if len(sites) != self.sites:
                raise ProblemError(
                    f"the block {self.name!r} has {len(self.values)} values, but a piece at {len(sites)} sites"
                )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def sites(self) -> int:
        """At how many sites its pieces are taken."""
        return len(self.values) * (1 if self.sum_weights is None else len(self.sum_weights))

    def summed(self, values: NumberArray) -> NumberArray:
        """Rows from values ``(..., sites)``: those themselves, or their sums."""
        if self.sum_weights is None:
            return values
        return np.asarray(values.reshape(*values.shape[:-1], -1, len(self.sum_weights)) @ self.sum_weights)

    def first(self, rows: int) -> RowBlock:
        """The block with so many of its rows, at most."""
        each = 1 if self.sum_weights is None else len(self.sum_weights)
        pieces = tuple((operator, sites.select(slice(rows * each))) for operator, sites in self.pieces)
        return replace(self, pieces=pieces, values=self.values[:rows])


def make_blocks(problem: Problem, sites: Mapping[str, Sites]) -> tuple[RowBlock, ...]:
    """The relations of `problem`, collocated at the sites given for each by name.

    What holds all over the domain, at interfaces, for two places or for sums over many is left out where it has no
    sites: for features that satisfy it by themselves, or that are tied there.
    """
    blocks = []
    for relation in problem.relations:
        optional = relation.region.kind in ("domain", "interface") or relation.region.shift is not None
        if (optional or relation.sum_weights is not None) and relation.name not in sites:
            continue
        blocks.append(make_block(relation, sites[relation.name]))
    return tuple(blocks)


def make_block(relation: Relation, sites: Sites) -> RowBlock:
    """One relation, collocated at these sites."""
    weights = relation.sum_weights
    values = relation.values(sites if weights is None else sites.select(slice(None, None, len(weights))))
    return RowBlock(relation.name, relation.pieces(sites), values, relation.weight, weights)
