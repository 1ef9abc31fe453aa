"""Functions of full cells that split into those that vanish on all edges, and one for each node of an edge.

Where each equation has a row for each function that vanishes on all edges, these rows and functions form a square
system, which is eliminated without least squares; only few functions are left for the edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import NumberArray


@final
@dataclass(frozen=True)
class EdgeFunctions:
    """A change to functions that vanish on all edges, followed by those that do not; a `Change` of a leaf.

    Along each axis these are Chebyshev polynomials less their values at the ends; and ``(1 - x) / 2``, ``(1 + x) / 2``.

    Attributes
    ----------
    degrees : tuple of int
        The degrees of a full cell along both axes.
    components : int
        Number of unknowns.
    """

    degrees: tuple[int, int]
    components: int

    @property
    def inner(self) -> int:
        """How many functions vanish on all edges."""
        return self.components * (self.degrees[0] - 1) * (self.degrees[1] - 1)

    def of_rows(self, rows: NumberArray) -> NumberArray:
        """Rows ``(..., k)`` on the functions of `CellBasis` for one unknown, applied to these functions."""
        grid = rows.reshape(*rows.shape[:-1], *(degree + 1 for degree in self.degrees))
        for axis in (-1, -2):
            grid = np.moveaxis(grid, axis, -1)
            even, odd = grid[..., :1], grid[..., 1:2]
            ends = [0.5 * (even - odd), 0.5 * (even + odd)]
            inner = grid[..., 2:].copy()
            inner[..., ::2] -= even
            inner[..., 1::2] -= odd
            grid = np.moveaxis(np.concatenate([*ends, inner], axis=-1), -1, axis)
        parts = [grid[..., 2:, 2:], grid[..., 2:, :2], grid[..., :2, :]]
        return np.concatenate([part.reshape(*rows.shape[:-1], -1) for part in parts], axis=-1)

    def joined(self, rows: NumberArray) -> NumberArray:
        """Rows ``(..., components, k)`` on the functions of each unknown: ``(..., k)``, those that vanish first."""
        split = self.inner // self.components
        parts = (rows[..., :split], rows[..., split:])
        return np.concatenate([part.reshape(*rows.shape[:-2], -1) for part in parts], axis=-1)

    def adjoint(self, coefficients: NumberArray) -> NumberArray:
        """See `Change.adjoint`."""
        rows = coefficients.T.reshape(coefficients.shape[1], self.components, -1)
        return self.joined(self.of_rows(rows)).T

    def apply(self, coefficients: NumberArray) -> NumberArray:
        """See `Change.apply`."""
        (first, second), count = self.degrees, coefficients.shape[1]
        grid = np.empty((self.components, first + 1, second + 1, count), dtype=coefficients.dtype)
        inner, edges = np.split(coefficients, [self.inner])
        grid[:, 2:, 2:] = inner.reshape(self.components, first - 1, second - 1, count)
        beside, ends = np.split(edges.reshape(self.components, -1, count), [2 * (first - 1)], axis=1)
        grid[:, 2:, :2] = beside.reshape(self.components, first - 1, 2, count)
        grid[:, :2] = ends.reshape(self.components, 2, second + 1, count)
        for own in (grid, np.swapaxes(grid, 1, 2)):
            even, odd = 0.5 * (own[:, 0] + own[:, 1]), 0.5 * (own[:, 1] - own[:, 0])
            own[:, 0], own[:, 1] = even - own[:, 2::2].sum(axis=1), odd - own[:, 3::2].sum(axis=1)
        return grid.reshape(-1, count)
