"""What rows that were not fitted would change of a solution on cells.

The norm of all that could be amplified, times that of the residual, is far too much where the residual oscillates as
fast as the functions of a cell can: it hardly has a part in what the whole of the problem amplifies. With H' the rows
that are held out, weighted as those fitted, and r' their residual, ``(R^H R)^-1 H'^H r'`` is what they would change of
the coefficients: the error, as far as the functions hold it. Rows of a whole cell are at nodes of a quadrature; where
the boundary cuts cells, sums over rows have an error of their own, as if their places were random: by how much that
changes the coefficients is told by residuals of random signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.accuracy.held_out import HeldOut
from fspielm.accuracy.local import close_rows
from fspielm.arrays import BoolArray, FloatArray, NumberArray, safe_rms
from fspielm.collocation import BlockRows, Finite, RowBlock, make_block
from fspielm.equations import Problem
from fspielm.features import CellBasis, localise
from fspielm.features.evaluation import evaluate
from fspielm.geometry import Sites
from fspielm.linalg import Factored

# Residuals of random signs, and what chance may be more than they tell.
_SIGNS = 3
_CHANCE = 3.0
# What the true solution has besides may be amplified somewhat more than what the functions of cells can show.
_AMPLE = 3.0


@final
@dataclass(frozen=True, eq=False)
class Correction:
    """What held-out rows would change of solutions on cells.

    Attributes
    ----------
    finite : Finite
    held_out : HeldOut
    blocks : sequence of BlockRows
        Those that were fitted.
    factored : Factored
    values : tuple of (n, M) arrays
        All functions where solutions are looked at, for each unknown.
    """

    finite: Finite
    held_out: HeldOut
    blocks: Sequence[BlockRows]
    factored: Factored
    values: tuple[NumberArray, ...]

    def errors(self, coefficients: NumberArray, problem: Problem) -> list[float]:
        """Of each unknown, for a solution of a problem that may have other data than the one that was factored."""
        gradients = self._gradients(coefficients, problem)
        changes = self.factored.solve_triangle(self.factored.solve_triangle(gradients, adjoint=True))
        found = []
        for Phi in self.values:
            change, *by_chance = (safe_rms(each) for each in (Phi @ changes).T)
            found.append(_AMPLE * (change + _CHANCE * safe_rms(np.array(by_chance))))
        return found

    def _gradients(self, coefficients: NumberArray, problem: Problem) -> NumberArray:
        """``H'^H r'``, and the same of residuals of random signs in cells that are cut, shape ``(M, 1 + _SIGNS)``."""
        rng = np.random.default_rng(0)  # only looks
        total = np.zeros((1 + _SIGNS, self.finite.basis.size), dtype=np.result_type(coefficients, self.factored.dtype))
        for rows in self._rows(problem):
            deviation = rows.weight * (rows.apply(self.finite, coefficients) - rows.block.values)
            uneven = self.finite.uneven(rows.block.pieces[0][1])
            total += rows.adjoint(self.finite, rows.weight * _with_signs(deviation, uneven, rng))
        for seam in self.finite.seams(coefficients):
            total += self.finite.across_seams(_with_signs(seam.deviation, seam.uneven, rng))
        return total.T

    def _rows(self, problem: Problem) -> list[_Rows]:
        """All that is held out, and rows where something is narrow."""
        found = []
        fitted = {block.name: block for block in self.blocks}
        for relation in problem.relations:
            if relation.name not in fitted:
                continue
            own, sites = fitted[relation.name], self.held_out.sites[relation.name]
            block = make_block(relation, sites)
            emphasis = self.held_out.emphasis.get(relation.name, np.ones(len(block)))
            found.append(_Rows(block, own.scale * np.sqrt(own.count / len(block)) * emphasis))
            close = close_rows(problem, relation, self.finite)
            if close is not None:
                weight = self._weight(own, close.block.pieces[0][1], close.shares)
                found.append(_Rows(close.block, weight))
        return found

    def _weight(self, fitted: BlockRows, sites: Sites, shares: FloatArray) -> FloatArray:
        emphasis = self.finite.emphasis(fitted.name, sites, shares)
        weight = fitted.scale * np.sqrt(fitted.count * shares)
        return np.asarray(weight if emphasis is None else weight * emphasis)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of a relation that are held out, and their weights."""

    block: RowBlock
    weight: FloatArray

    def apply(self, finite: Finite, coefficients: NumberArray) -> NumberArray:
        """On a sum with coefficients ``(M,)``; directly: residuals are made of little else than rounding at last."""
        pieces = [
            evaluate(finite.basis, coefficients, operator, sites, threads=finite.threads, method="direct")
            for operator, sites in self.block.pieces
        ]
        return self.block.summed(np.asarray(sum(pieces)))

    def adjoint(self, finite: Finite, rows: NumberArray) -> NumberArray:
        """The sums over rows, times numbers ``(F, n)``, of every function, shape ``(F, M)``."""
        basis = finite.basis
        assert isinstance(basis, CellBasis)
        spread = self.block.spread(rows)
        return np.asarray(
            sum(
                basis.adjoint_sums(spread, localise(operator, sites, basis.components))
                for operator, sites in self.block.pieces
            )
        )


def _with_signs(deviation: NumberArray, uneven: BoolArray, rng: np.random.Generator) -> NumberArray:
    """A deviation, and what of it is at uneven places, with random signs."""
    signs = rng.choice([-1.0, 1.0], size=(_SIGNS, len(deviation)))
    return np.concatenate([deviation[None], signs * uneven * deviation])
