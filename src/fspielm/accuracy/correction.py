"""What rows that were not fitted would change of a solution on cells.

The norm of all that could be amplified, times that of the residual, is far too much where the residual oscillates as
fast as the functions of a cell can: it hardly has a part in what the whole of the problem amplifies. With H' the rows
that are held out, weighted as those fitted, and r' their residual, ``(R^H R)^-1 H'^H r'`` is what they would change of
the coefficients: the error, as far as the functions hold it. What they do not hold, and what is orthogonal to them in
the rows that are dense at the ends of cells, is not orthogonal to them in the solution: rows that are as dense
everywhere would change the coefficients by about as much as is missed.

Rows of a whole cell are at nodes of a quadrature. Where the boundary cuts cells, sums over rows have an error of their
own, as if their places were random: by how much that changes the coefficients is told by residuals of random signs.
So have sums in cells where something is narrower than the distance of rows, as a jump is: it may be anywhere between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.accuracy.held_out import HeldOut
from fspielm.accuracy.local import close_rows
from fspielm.arrays import BoolArray, FloatArray, NumberArray, safe_rms
from fspielm.collocation import BlockRows, Finite, Seam
from fspielm.equations import Problem
from fspielm.features import CellBasis, RowsInCells, localise
from fspielm.geometry import Sites
from fspielm.latest import Latest
from fspielm.linalg import Factored
from fspielm.scrutiny import Narrow

# Residuals of random signs, and what chance may be more than they tell.
_SIGNS = 3
_CHANCE = 3.0
# What the true solution has besides may be amplified somewhat more than what the functions of cells can show.
_AMPLE = 5.0
# By how much a residual at narrow places is larger than at others, if these do not see what is narrow.
_CLEARLY = 2.0


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

    def errors(self, deviations: Deviations) -> list[float]:
        """Of each unknown."""
        gradients = self._gradients(deviations)
        changes = self.factored.solve_triangle(self.factored.solve_triangle(gradients, adjoint=True))
        found = []
        for Phi in self.values:
            dense, even, *by_chance = (safe_rms(each) for each in (Phi @ changes).T)
            found.append(_AMPLE * (max(dense, even) + _CHANCE * safe_rms(np.array(by_chance))))
        return found

    def _gradients(self, deviations: Deviations) -> NumberArray:
        """``H'^H r'``, for even rows too, and for random signs in cells that are cut, shape ``(M, 2 + _SIGNS)``."""
        rng = np.random.default_rng(0)  # only looks
        kind = np.result_type(self.factored.dtype, *deviations.parts)
        total = np.zeros((2 + _SIGNS, self.finite.basis.size), dtype=kind)
        for held in deviations.rows:
            kinds = _kinds(self.finite.sparse(held.sites), held.uneven, rng)
            total += held.rows.adjoint(held.weight * kinds * held.deviation)
        for seam in deviations.seams:
            total += self.finite.across_seams(_kinds(seam.sparse, seam.uneven, rng) * seam.deviation)
        return total.T

    def deviations(self, coefficients: NumberArray, problem: Problem) -> Deviations:
        """Those of a solution of a problem that may have other data than the one that was factored."""

        def work() -> Deviations:
            return Deviations(self._rows(coefficients, problem), self.finite.seams(coefficients))

        return self._latest(work, coefficients, problem)

    @cached_property
    def _latest(self) -> Latest[Deviations]:
        return Latest()

    def _rows(self, coefficients: NumberArray, problem: Problem) -> tuple[Rows, ...]:
        """All that is held out, and rows where something is narrow.

        The latter only count in cells that have clearly more of a residual there than the others show. Elsewhere the
        others see all of it already, at nodes where sums are integrals: what oscillates adds up to next to nothing
        there, as it does in the solution, but not in sums over a few places anywhere.
        """
        basis = self.finite.basis
        assert isinstance(basis, CellBasis)
        found = []
        fitted = {block.name: block for block in self.blocks}
        for relation in problem.relations:
            if relation.name not in fitted:
                continue
            own, sites = fitted[relation.name], self.held_out.sites[relation.name]
            rows = self.held_out.rows[relation.name]
            assert isinstance(rows, RowsInCells)
            emphasis = self.held_out.emphasis.get(relation.name, np.ones(len(sites)))
            weight = own.scale * np.sqrt(own.count / len(sites)) * emphasis
            residual = rows @ coefficients - relation.values(sites)
            close = close_rows(problem, relation, self.finite)
            uneven = self.finite.uneven(sites) | self._is_crossed(sites, () if close is None else close.places)
            found.append(Rows(rows, sites, weight, weight * residual, uneven))
            if close is not None:
                operator, sites = close.block.pieces[0]
                rows = RowsInCells.at(basis, localise(operator, sites, basis.components))
                narrow = rows @ coefficients - close.block.values
                more = self._tells_more((sites, narrow), (found[-1].sites, residual))
                weight = more * self._weight(own, sites, close.shares)
                found.append(Rows(rows, sites, weight, weight * narrow, self.finite.uneven(sites)))
        return tuple(found)

    def _is_crossed(self, sites: Sites, places: Sequence[Narrow]) -> BoolArray:
        """Whether sites are in cells with something narrower than the distance of their neighbours there."""
        basis = self.finite.basis
        assert isinstance(basis, CellBasis)
        cells = self.finite.cells_at(sites.points)
        number = np.maximum(np.bincount(cells, minlength=self.finite.pieces), 1)
        apart = basis.frames.lengths.max(axis=1) / number ** (1.0 / sites.points.shape[1])
        crossed = np.zeros(self.finite.pieces, dtype=np.bool_)
        for place in places:
            if place.kind != "smooth":
                its = self.finite.cells_at(place.sites.points)
                crossed[its[apart[its] > place.width]] = True
        return np.asarray(crossed[cells])

    def _tells_more(self, narrow: tuple[Sites, NumberArray], others: tuple[Sites, NumberArray]) -> BoolArray:
        """Whether the largest residual of a cell is clearly larger at narrow places than at all others, by place."""
        largest = [np.zeros(self.finite.pieces) for _ in range(2)]
        cells = [self.finite.cells_at(sites.points) for sites, _ in (narrow, others)]
        for (_, residual), its, most in zip((narrow, others), cells, largest, strict=True):
            np.maximum.at(most, its, np.abs(residual))
        return np.asarray((largest[0] > _CLEARLY * largest[1])[cells[0]])

    def _weight(self, fitted: BlockRows, sites: Sites, shares: FloatArray) -> FloatArray:
        emphasis = self.finite.emphasis(fitted.name, sites, shares)
        weight = fitted.scale * np.sqrt(fitted.count * shares)
        return np.asarray(weight if emphasis is None else weight * emphasis)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a relation that are held out, where they are, their weights and what a solution is off by, weighted.

    And which of them are `uneven`: sums over these are not integrals.
    """

    rows: RowsInCells
    sites: Sites
    weight: FloatArray
    deviation: NumberArray
    uneven: BoolArray


@final
@dataclass(frozen=True, eq=False)
class Deviations:
    """How far a solution is off in rows that were not fitted, and how well its pieces fit together."""

    rows: tuple[Rows, ...]
    seams: tuple[Seam, ...]

    @property
    def parts(self) -> list[NumberArray]:
        """All of them, weighted."""
        return [*(rows.deviation for rows in self.rows), *(seam.deviation for seam in self.seams)]


def _kinds(sparse: FloatArray, uneven: BoolArray, rng: np.random.Generator) -> FloatArray:
    """What deviations count in each way to look at them, shape ``(2 + _SIGNS, n)``."""
    signs = rng.choice([-1.0, 1.0], size=(_SIGNS, len(sparse)))
    return np.concatenate([np.ones((1, len(sparse))), sparse[None], signs * uneven])
