"""What of a residual matters: its components along the functions that are amplified most.

The norm of all that could be amplified, times that of the residual, is far too much where the residual oscillates as
fast as the functions of a cell can: it hardly has a part in what the whole of the problem amplifies. That part can be
measured, on rows that were not fitted, as well as what chance makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.accuracy.held_out import HeldOut
from fspielm.arrays import FloatArray, NumberArray, adjoint
from fspielm.collocation import BlockRows, Finite, make_blocks
from fspielm.equations import Problem
from fspielm.linalg import Factored

# Functions that are looked at, those beside them that make these sure, and steps of the iteration that finds them.
_FUNCTIONS = 32
_BESIDE = 8
_STEPS = 4
# Of what chance may make of a component, in standard errors.
_CHANCE = 3.0


@final
@dataclass(frozen=True, eq=False)
class Leading:
    """The functions that a system amplifies most, in one unknown.

    Attributes
    ----------
    amplifications : (k,) array
        From the largest.
    rest : float
        The amplification of all others, at most.
    rows : (k, n) array
        These functions, of size one in the rows of the system, in the rows that are held out.
    """

    amplifications: FloatArray
    rest: float
    rows: NumberArray

    def error(self, deviation: NumberArray) -> float:
        """What a deviation ``(n,)`` in the rows that are held out amounts to in the solution."""
        parts = np.abs(self.rows.conj() @ deviation)
        chance = np.sqrt(np.abs(self.rows) ** 2 @ np.abs(deviation) ** 2)
        leading = np.linalg.norm(self.amplifications * (parts + _CHANCE * chance))
        return float(np.hypot(leading, self.rest * np.linalg.norm(deviation)))


def find_leading(
    Phi: NumberArray, factored: Factored, rng: np.random.Generator
) -> tuple[FloatArray, float, NumberArray]:
    """Amplifications, the next one, and the functions' coefficients ``(k, M)``, by iteration of a subspace."""
    columns = factored.shape[1]
    count = min(_FUNCTIONS, columns // 4)
    space: NumberArray = rng.standard_normal((columns, count + min(_BESIDE, columns // 4)))
    Phi_H = adjoint(Phi)
    for _ in range(_STEPS):
        space = np.linalg.qr(space)[0]
        space = factored.solve_triangle(Phi_H @ (Phi @ factored.solve_triangle(space)), adjoint=True)
    space = np.linalg.qr(space)[0]
    _, sizes, right = np.linalg.svd(Phi @ factored.solve_triangle(space), full_matrices=False)
    space = space @ adjoint(right)
    functions = factored.solve_triangle(space[:, :count])
    sizes = sizes / np.sqrt(Phi.shape[0])
    return sizes[:count], float(sizes[count]), functions.T


def rows_of(
    finite: Finite, held_out: HeldOut, blocks: Sequence[BlockRows], fields: NumberArray, problem: Problem | None = None
) -> NumberArray:
    """The rows that are held out of sums with coefficients `fields` ``(F, M)``, weighted as those fitted, ``(F, n)``.

    Less the values that they should have, where a problem is given.
    """
    parts = []
    for block, fitted in zip(make_blocks(problem or finite.problem, held_out.sites), blocks, strict=True):
        weight = fitted.scale * np.sqrt(fitted.count / len(block)) * held_out.emphasis.get(fitted.name, 1.0)
        known = 0.0 if problem is None else block.values
        parts.append(weight * (held_out.apply(block, finite.basis, fields, finite.threads) - known))
    parts += [
        seam.rows.scale * np.sqrt(seam.rows.count / seam.deviation.shape[-1]) * seam.deviation
        for seam in finite.seams(fields)
    ]
    return np.concatenate(parts, axis=-1)
