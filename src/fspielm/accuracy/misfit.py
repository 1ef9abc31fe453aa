"""What solutions leave in rows that were not fitted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.accuracy.held_out import HeldOut
from fspielm.accuracy.local import Local, look_at_places
from fspielm.arrays import NumberArray, safe_norm, safe_rms
from fspielm.collocation import BlockResidual, BlockRows, Finite, RowBlock, make_blocks
from fspielm.equations import Problem
from fspielm.scrutiny import Narrow

# Rounding of a sum of cosines, in units of the coefficients' norm.
ROUNDING = 2e-15
# Rows and functions.
_FEW = 16
# Of all the residual, what one narrow place must have to be named.
_MUCH = 0.1


@final
@dataclass(frozen=True, eq=False)
class Misfit:
    """Norms of residual and data in scaled rows, the residual's peak over its mean, and what each block has.

    And the narrow place that much of the residual comes from, if there is one, how large data say each unknown is, and
    what each block has of the squared residual.
    """

    residual: float
    data: float
    peak: float
    residuals: dict[str, BlockResidual]
    unresolved: Narrow | None
    told: Sequence[float]
    shares: dict[str, float]


@final
@dataclass(frozen=True, eq=False)
class Unfitted:
    """Rows that were not fitted, and the blocks of those that were, which say how much each counts."""

    discretisation: Finite
    blocks: Sequence[BlockRows]
    held_out: HeldOut

    def misfit(self, coefficients: NumberArray, problem: Problem) -> Misfit:
        """What coefficients leave, weighted as in the fitted rows."""
        basis, threads = self.discretisation.basis, self.discretisation.threads
        total, data, peak = 0.0, 0.0, 1.0
        residuals, norms = {}, {}
        closely = look_at_places(problem, self.held_out.sites, self.discretisation, coefficients)
        most: tuple[float, Narrow | None] = 0.0, None
        told = [0.0] * len(problem.unknowns)
        doubts = self.discretisation.doubts(coefficients)
        for block, fitted in zip(make_blocks(problem, self.held_out.sites), self.blocks, strict=True):
            for place, size in _told_by(block, problem):
                told[place] = max(told[place], size)
            deviation = np.abs(self.held_out.apply(block, basis, coefficients, threads) - block.values)
            residuals[fitted.name] = BlockResidual(safe_rms(deviation), float(deviation.max()))
            if fitted.name in self.held_out.emphasis:
                deviation = deviation * self.held_out.emphasis[fitted.name]
            rms = safe_rms(deviation)
            if max(len(block), basis.size) < _FEW:  # which may be met by luck, better than rounding allows
                rms = math.hypot(rms, ROUNDING * safe_norm(coefficients) / fitted.scale)
            weight = fitted.scale * float(np.sqrt(fitted.count))
            local = closely.get(fitted.name, Local())
            if local.stands_out(rms):
                most = max(most, (weight * local.most, local.place), key=lambda one: one[0])
            rms = math.hypot(math.hypot(rms, local.rms), doubts.get(fitted.name, 0.0))
            norms[fitted.name] = weight * rms
            total = math.hypot(total, weight * rms)
            data = math.hypot(data, weight * safe_rms(block.values), weight * local.data)
            if rms > 0:
                peak = max(peak, max(float(deviation.max()), local.largest) / rms)
        for seam in self.discretisation.seams(coefficients):
            rms, largest = safe_rms(np.abs(seam.deviation)), float(np.abs(seam.deviation).max())
            residuals[seam.rows.name] = BlockResidual(rms, largest)
            total = math.hypot(total, seam.rows.scale * float(np.sqrt(seam.rows.count)) * rms)
        shares = {name: (norm / total) ** 2 for name, norm in norms.items() if total > 0}
        return Misfit(total, data, peak, residuals, most[1] if most[0] > _MUCH * total else None, told, shares)

    def norm(self, deviations: Mapping[str, NumberArray]) -> float:
        """The norm of deviations at the sites that are held out, by block, weighted as residuals are."""
        total = 0.0
        for fitted in self.blocks:
            if fitted.name in deviations:
                each = np.abs(deviations[fitted.name]) * self.held_out.emphasis.get(fitted.name, 1.0)
                total = math.hypot(total, fitted.scale * float(np.sqrt(fitted.count)) * safe_rms(each))
        return total


def _told_by(block: RowBlock, problem: Problem) -> list[tuple[int, float]]:
    """The unknown that a block is about, if it is one of several, and how large its values say that is."""
    unknowns = {term.unknown for operator, _ in block.pieces for term in operator.terms}
    values = safe_rms(block.values)
    if len(problem.unknowns) == 1 or len(unknowns) > 1 or len(block.pieces) > 1 or values == 0.0:
        return []
    lower, upper = problem.domain.bounding_box
    operator, sites = block.pieces[0]
    each = [safe_rms(term.at(sites)) * np.prod((2 * np.pi / (upper - lower)) ** term.orders) for term in operator.terms]
    return [(place, values / float(sum(each))) for place in unknowns if sum(each) > 0]
