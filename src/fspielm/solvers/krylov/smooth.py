"""Smooth right-hand sides without any symmetry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Problem

# Cosines of each.
_COSINES = 12


class SmoothSides:
    """Sums of random cosines, of so many waves along the domain at most, in each of some relations."""

    def __init__(
        self, problem: Problem, names: Sequence[str], count: int, rng: np.random.Generator, waves: float
    ) -> None:
        self._problem, self.names = problem, list(names)
        shape = len(self.names), count, problem.dimension, _COSINES
        self._waves = 2 * np.pi * rng.uniform(0, waves, shape)
        self._phases = rng.uniform(0, 6, (len(self.names), count, 1, _COSINES))

    def with_periods(self) -> None:
        """Whole numbers of waves along periods, for jumps there would not be smooth."""
        lower, upper = self._problem.domain.bounding_box
        for shift in (relation.region.shift for relation in self._problem.relations):
            if shift is not None:
                period = shift / (upper - lower)
                along = np.einsum("d,...dn->...n", period, self._waves)[..., None, :]
                whole = 2 * np.pi * np.round(along / (2 * np.pi))
                self._waves = self._waves + (whole - along) * (period / (period @ period))[:, None]

    def tied(self, name: str, points: FloatArray) -> NumberArray:
        """Those of a relation, with the factors that are prescribed from period to period, shape ``(n, count)``."""
        regions = [r.region for r in self._problem.relations if r.region.shift is not None and r.region.factor != 1]
        if not regions:
            return self.at(name, points)
        shifts, logarithms = np.array([r.shift for r in regions]), np.log([complex(r.factor) for r in regions])
        growth = np.linalg.lstsq(shifts, logarithms, rcond=None)[0]
        return np.asarray(np.exp(points @ growth)[:, None] * self.at(name, points))

    def at(self, name: str, points: FloatArray) -> FloatArray:
        """Those of a relation, shape ``(n, count)``."""
        lower, upper = self._problem.domain.bounding_box
        unit, place = (points - lower) / (upper - lower), self.names.index(name)
        return np.asarray(np.cos(unit @ self._waves[place] + self._phases[place]).sum(axis=2).T)
