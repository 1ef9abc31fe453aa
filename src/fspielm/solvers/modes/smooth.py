"""Smooth right-hand sides without any symmetry, and what the inverse makes of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray, NumberArray

if TYPE_CHECKING:
    from fspielm.solvers.modes.inverse import Inverse

# Cosines of each.
_COSINES = 12


class SmoothSides:
    """Sums of random cosines, of so many waves along the domain at most, in each relation with the eigenvalue."""

    def __init__(self, inverse: Inverse, count: int, rng: np.random.Generator, waves: float) -> None:
        self._inverse = inverse
        self._names = sorted(set().union(*(set(operators) for operators in inverse.pencil.powers)))
        dimension = inverse.finite.problem.dimension
        shape = len(self._names), count, dimension, _COSINES
        self._waves = 2 * np.pi * rng.uniform(0, max(waves, 1.0), shape)
        self._phases = rng.uniform(0, 6, (len(self._names), count, 1, _COSINES))

    def at(self, name: str, points: FloatArray) -> FloatArray:
        """Those of a relation, shape ``(n, count)``."""
        lower, upper = self._inverse.finite.problem.domain.bounding_box
        unit, place = (points - lower) / (upper - lower), self._names.index(name)
        return np.asarray(np.cos(unit @ self._waves[place] + self._phases[place]).sum(axis=2).T)

    @cached_property
    def solutions(self) -> NumberArray:
        """What the inverse makes of them, ``(M, count)``."""
        inverse = self._inverse
        return inverse.solved({name: self.at(name, inverse.sites[name].points) for name in self._names})

    @property
    def asymmetry(self) -> float:
        """Of the inverse on them, relative: integrals of one solution times another right-hand side, the two exchanged.

        Of a problem with the eigenvalue in equations alone, each with that of its own unknown.
        """
        inverse = self._inverse
        points, weights = inverse.inner.rule.points, inverse.inner.rule.weights
        total: NumberArray = np.zeros(0)
        for place, equation in enumerate(inverse.finite.problem.equations):
            if equation.name in self._names:
                values = inverse.inner.plain(place, self.solutions)
                own = values.T @ (weights[:, None] * self.at(equation.name, points))
                total = own if not len(total) else total + own
        return float(np.linalg.norm(total - total.conj().T, 2) / np.linalg.norm(total, 2))
