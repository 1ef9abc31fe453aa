"""What each cell has of the error: where it pays to have smaller ones, or higher degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from fspielm.accuracy.correction import Correction, Deviations
from fspielm.accuracy.estimate import CellErrors
from fspielm.arrays import BoolArray, FloatArray, NumberArray, adjoint
from fspielm.features import Basis, CellBasis

# Random sums of all functions, each amplified as it is, by which it is seen in which cells they are large.
_SUMS = 4
# Functions of cells show somewhat less than what the true solution has besides; and cells next to each other may err
# alike.
_AMPLE = 8.0


@final
@dataclass(frozen=True, eq=False)
class ByCell:
    """What the deviations in C cells amount to at most, in each of U unknowns.

    Attributes
    ----------
    deviation : (C,) array
        In scaled rows.
    amplification : (C, U) array
        How much larger the error of the solution may be.
    left_out : (C, U) array
        What functions leave out in the cell itself.
    """

    deviation: FloatArray
    amplification: FloatArray
    left_out: FloatArray

    def errors(self, cells: BoolArray) -> FloatArray:
        """What some of the cells amount to, ``(U,)``."""
        return np.asarray(_AMPLE * np.linalg.norm((self.amplification * self.deviation[:, None])[cells], axis=0))

    def relative(self, scales: FloatArray) -> CellErrors:
        """In units of the unknowns' sizes: of the largest of them."""
        scales = np.where(scales > 0, scales, 1.0)
        errors = _AMPLE * self.amplification * self.deviation[:, None] + self.left_out
        return CellErrors((errors / scales).max(axis=1), (_AMPLE * self.amplification / scales).max(axis=1))


def by_cell(correction: Correction, deviations: Deviations, left_out: FloatArray) -> ByCell:
    """For what a solution is off by, and what its functions leave out (see `Finite.left_out`).

    A deviation r in the rows of one cell changes the solution by ``Phi (R^H R)^-1 H^H r``: by no more than the norm of
    that matrix, whose square is the mean of what random sums of its rows have in that cell.
    """
    finite, factored = correction.finite, correction.factored
    rng = np.random.default_rng(0)  # only looks
    rows = deviations.rows
    cells = np.concatenate([*(finite.cells_at(each.sites.points) for each in rows), finite.seam_cells])

    def squares(parts: list[NumberArray]) -> FloatArray:
        """Of rows ``(F, n)`` of all kinds, their sum in each cell, mean over F."""
        each = np.mean(np.abs(np.concatenate(parts, axis=1)) ** 2, axis=0)
        return np.asarray(np.bincount(cells, each, minlength=finite.pieces), dtype=np.float64)

    amplification = []
    for Phi in correction.values:
        weights = _weights(finite.basis, Phi) / np.sqrt(Phi.shape[0])
        random = weights[:, None] * rng.standard_normal((Phi.shape[0], _SUMS))
        sums = factored.solve_triangle(factored.solve_triangle(adjoint(Phi) @ random, adjoint=True))
        at_rows = [each.weight * each.rows.sums(sums.T) for each in rows]
        amplification.append(np.sqrt(squares([*at_rows, finite.at_seams(sums.T)])))
    left = [part[None] for part in deviations.parts]
    return ByCell(
        np.sqrt(squares(left)),
        np.stack(amplification, axis=1),
        left_out,
    )


def _weights(basis: Basis, Phi: Any) -> FloatArray:
    """What each point that functions are looked at in stands for: in a tiny cell by chance, for no more than that."""
    assert isinstance(basis, CellBasis)
    table = Phi.tocsr()
    cells = np.searchsorted(basis.starts, table.indices[table.indptr[:-1]], side="right") - 1
    areas = np.prod(basis.frames.lengths, axis=1)
    met = np.bincount(cells, minlength=len(areas))
    return np.asarray(np.sqrt(np.minimum(1.0, len(cells) * areas[cells] / areas.sum() / met[cells])))
