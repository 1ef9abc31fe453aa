"""A factorisation by Householder reflections, to which columns can be added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import SolveError
from fspielm.linalg.panel import Panel, factor_panel


@final
@dataclass(frozen=True, eq=False)
class Householder:
    """``H = Q R``, a `Factored` system; by `of_system`, `of_matrix` or `extend`.

    The rank is the number of diagonal entries of R above rounding, the condition number a one-norm estimate from R.

    Attributes
    ----------
    panels : tuple of Panel
        Columns that were factored together, and those that were added to them.
    rotated : (N,) array or None
        ``Q^H y``, if there were values: its head gives the solution, its tail the residual.
    """

    panels: tuple[Panel, ...]
    rotated: NumberArray | None = None

    @classmethod
    def of_matrix(cls, matrix: NumberArray, values: NumberArray | None = None) -> Householder:
        """Factor H alone ``(N, M)``, which may have fewer rows than columns, in place; y is rotated afterwards."""
        alone = cls((factor_panel(matrix[:0], matrix),))
        return alone if values is None else replace(alone, rotated=alone.rotate(values))

    @classmethod
    def of_system(cls, augmented: NumberArray) -> Householder:
        """Factor ``[H | y]``, shape ``(N, M + 1)`` with N >= M, in place."""
        whole, columns = factor_panel(augmented[:0], augmented), augmented.shape[1] - 1
        rotated = whole.packed[:, columns].copy()
        if len(rotated) > columns:  # the last reflection took the residual to one entry, and does so backwards
            size, reflection = rotated[columns], rotated[columns:]
            reflection[0] = 1.0
            reflection *= -whole.tau[columns] * size
            reflection[0] += size
        return cls((Panel(augmented[:0, :columns], whole.packed[:, :columns], whole.tau[:columns]),), rotated)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows N and columns M of H."""
        return len(self.panels[0].packed), self.panels[-1].columns.stop

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in H."""
        return np.result_type(*(panel.packed for panel in self.panels))

    @property
    def nbytes(self) -> int:
        """Memory of the panels."""
        return sum(panel.packed.nbytes for panel in self.panels)

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""
        return np.concatenate([np.abs(np.diagonal(panel.packed)) for panel in self.panels])

    @property
    def rank(self) -> int:
        """How many of the diagonal entries are above rounding."""
        diagonal = self.diagonal
        return int(np.count_nonzero(diagonal > self.shape[0] * np.finfo(self.dtype).eps * diagonal.max()))

    @cached_property
    def condition(self) -> float:
        """Estimate of the one-norm condition number of R."""
        from scipy.sparse.linalg import LinearOperator, onenormest  # seldom needed, slow to import

        rows, columns = self.shape
        if rows < columns or not np.all(self.diagonal > 0):
            return float("inf")
        norm = max(float(panel.column_sums.max()) for panel in self.panels)
        if columns <= 4:
            inverse = np.stack([self.solve_triangle(row) for row in np.eye(columns)], axis=1)
            return norm * float(np.abs(inverse).sum(axis=0).max())
        operator = LinearOperator(
            (columns, columns),
            dtype=self.dtype,
            matvec=lambda v: self.solve_triangle(np.ravel(v)),
            rmatvec=lambda v: self.solve_triangle(np.ravel(v), adjoint=True),
        )
        return norm * float(onenormest(operator, t=1))

    @cached_property
    def coefficients(self) -> NumberArray:
        """Those for the values that H was factored with."""
        if self.rotated is None:
            raise SolveError("the matrix was factored without values; solve for some")
        return self.solve_triangle(self.rotated[: self.shape[1]])

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values ``(N,)``."""
        return self.solve_triangle(self.rotate(values)[: self.shape[1]])

    def rotate(self, values: NumberArray, *, in_place: bool = False) -> NumberArray:
        """``Q^H values``, shape ``(N,)`` or ``(N, n)``, in the memory of `values` if possible and allowed."""
        first, *others = self.panels
        rotated = first.rotate(values, in_place=in_place)
        for panel in others:
            below = slice(panel.columns.start, None)
            rotated[below] = panel.rotate(rotated[below])
        return rotated

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``, panel by panel."""
        solved: list[NumberArray] = []
        if adjoint:
            for panel in self.panels:
                rest = values[panel.columns]
                if solved:
                    rest = rest - panel.above.conj().T @ np.concatenate(solved)
                solved.append(panel.solve_triangle(rest, adjoint=True))
            return np.concatenate(solved)
        for panel in reversed(self.panels):
            solved.insert(0, panel.solve_triangle(values[panel.columns]))
            values = values[: panel.columns.start] - panel.above @ solved[0]
        return np.concatenate(solved)

    def extend(self, columns: NumberArray) -> Householder:
        """Factor ``[H | columns]``, at the price of the `columns` ``(N, K)`` alone; their memory is taken over."""
        turned, inside = self.rotate(columns, in_place=True), self.shape[1]
        panel = factor_panel(turned[:inside], np.asfortranarray(turned[inside:]))
        if self.rotated is None:
            return Householder((*self.panels, panel))
        head, tail = np.split(self.rotated, [inside])
        return Householder((*self.panels, panel), np.concatenate([head, panel.rotate(tail)]))
