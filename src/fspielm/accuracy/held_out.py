"""Rows kept aside to check solutions with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation import Finite, RowBlock, make_blocks
from fspielm.features import Basis
from fspielm.features.evaluation import evaluate, tabulate
from fspielm.geometry import Sites

if TYPE_CHECKING:
    from fspielm.features import RowsInCells


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that are not fitted, to check solutions with.

    Attributes
    ----------
    sites : mapping of block name to Sites
    emphasis : mapping of block name to (n,) array
        By how much the deviation at each site counts more than on average, where not all count alike.
    rows : mapping of block name to (n, M) array
        The blocks applied to every function; empty where solutions are too few for that to pay. On cells they are never
        filled.
    """

    sites: Mapping[str, Sites]
    emphasis: Mapping[str, FloatArray] = field(default_factory=dict)
    rows: Mapping[str, NumberArray | RowsInCells] = field(default_factory=dict)

    @classmethod
    def draw(cls, finite: Finite, rng: np.random.Generator) -> HeldOut:
        """Fewer rows than were fitted, by the same law."""
        drawn = finite.hold_out(rng)
        return cls(drawn.sites, drawn.emphasis, drawn.rows)

    def tabulated(self, finite: Finite) -> HeldOut:
        """The same with its rows filled, for many solutions on one basis."""
        basis, threads = finite.basis, finite.threads
        rows = {
            block.name: block.summed(
                np.asarray(sum(tabulate(basis, op, sites, threads=threads).T for op, sites in block.pieces))
            ).T
            for block in make_blocks(finite.problem, self.sites)
        }
        return replace(self, rows=rows)

    def apply(self, block: RowBlock, basis: Basis, coefficients: NumberArray, threads: int) -> NumberArray:
        """The block's rows on the sum of ``coefficients * basis``."""
        if block.name in self.rows:
            return np.asarray(self.rows[block.name] @ coefficients)
        # directly: a fast transform rounds more, and residuals are made of little else at last
        pieces = [
            evaluate(basis, coefficients, op, sites, threads=threads, method="direct") for op, sites in block.pieces
        ]
        return block.summed(np.asarray(sum(pieces)))
