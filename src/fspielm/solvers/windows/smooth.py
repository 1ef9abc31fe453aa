"""Errors of a state that a window is followed through: smooth functions, as fine as its own functions are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features import CellBasis
from fspielm.geometry.quadrature import gauss

# Splines of this degree; degrees of the polynomials in a cell for each of them; nodes between two knots.
_DEGREE = 5
_FOR_EACH = 4
_NODES = 6


@final
@dataclass(frozen=True, eq=False)
class Smooth:
    """Splines on a line that vanish at both ends, orthonormal on the average over it; of no line, the number one.

    Attributes
    ----------
    knots : (n,) array
        In rising order, the ends among them.
    """

    knots: FloatArray

    @classmethod
    def at_start(cls, basis: CellBasis) -> Smooth:
        """Those for the cells at the start of time."""
        frames = basis.frames
        if frames.dimension == 1:
            return cls(np.empty(0))
        first = np.flatnonzero(frames.lower[:, -1] <= frames.lower[:, -1].min())
        first = first[np.argsort(frames.lower[first, 0])]
        pieces = [_cut(frames.lower[cell, 0], frames.upper[cell, 0], int(basis.degrees[cell, 0])) for cell in first]
        knots = np.concatenate([*pieces, [frames.upper[first[-1], 0]]])
        return cls(_enough(knots))

    def __call__(self, points: FloatArray) -> FloatArray:
        """Their values at points of space and time ``(n, d)``, shape ``(n, m)``."""
        if not self.knots.size:
            return np.ones((len(points), 1))
        return np.asarray(self._splines(points[:, 0]) @ self._orthonormal)

    @cached_property
    def nodes(self) -> tuple[FloatArray, FloatArray]:
        """Places in space ``(n, d - 1)`` and shares, sums over which are means."""
        if not self.knots.size:
            return np.empty((1, 0)), np.ones(1)
        unit, shares = gauss(_NODES)
        lengths = np.diff(self.knots)
        x = self.knots[:-1, None] + lengths[:, None] * np.ravel(unit)
        weights = lengths[:, None] * np.ravel(shares) / (self.knots[-1] - self.knots[0])
        return x.reshape(-1, 1), weights.ravel()

    @cached_property
    def _orthonormal(self) -> FloatArray:
        places, shares = self.nodes
        values = self._splines(places[:, 0])
        return np.asarray(np.linalg.inv(np.linalg.cholesky(values.T @ (shares[:, None] * values))).T)

    def _splines(self, x: FloatArray) -> FloatArray:
        from scipy.interpolate import BSpline  # which few problems need

        whole = np.concatenate([[self.knots[0]] * _DEGREE, self.knots, [self.knots[-1]] * _DEGREE])
        every = BSpline.design_matrix(np.clip(x, self.knots[0], self.knots[-1]), whole, _DEGREE).toarray()
        return np.asarray(every[:, 1:-1])


def _cut(low: float, high: float, degree: int) -> FloatArray:
    number = max(degree // _FOR_EACH, 1)
    return np.asarray(low + (high - low) * np.arange(number) / number)


def _enough(knots: FloatArray) -> FloatArray:
    """As many knots as a few splines need."""
    least = np.linspace(knots[0], knots[-1], _DEGREE + 1)
    return knots if len(knots) > _DEGREE else least
