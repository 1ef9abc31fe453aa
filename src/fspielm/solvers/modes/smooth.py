"""Smooth right-hand sides without any symmetry, and what the inverse makes of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import identity
from fspielm.solvers.modes.inner import Rows

if TYPE_CHECKING:
    from fspielm.solvers.modes.inverse import Inverse

# Cosines of each; and how often the inverse is taken for what is large where modes are.
_COSINES, _TIMES = 12, 3


class SmoothSides:
    """Sums of random cosines, of so many waves along the domain at most, in each relation with the eigenvalue."""

    def __init__(self, inverse: Inverse, count: int, rng: np.random.Generator, waves: float) -> None:
        self._inverse = inverse
        self._names = sorted(set().union(*(set(operators) for operators in inverse.pencil.powers)))
        dimension = inverse.finite.problem.dimension
        shape = len(self._names), count, dimension, _COSINES
        self._waves = 2 * np.pi * rng.uniform(0, max(waves, 1.0), shape)
        self._phases = rng.uniform(0, 6, (len(self._names), count, 1, _COSINES))

    def with_periods(self) -> None:
        """Whole numbers of waves along periods, for jumps there would not be smooth."""
        problem = self._inverse.finite.problem
        lower, upper = problem.domain.bounding_box
        for shift in (relation.region.shift for relation in problem.relations):
            if shift is not None:
                period = shift / (upper - lower)
                along = np.einsum("d,...dn->...n", period, self._waves)[..., None, :]
                whole = 2 * np.pi * np.round(along / (2 * np.pi))
                self._waves = self._waves + (whole - along) * (period / (period @ period))[:, None]

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


def asymmetry_of(inverse: Inverse, count: int, rng: np.random.Generator) -> float:
    """Of the inverse on smooth functions, relative: integrals of a solution times another side, the two exchanged.

    Sides are cosines; or those times what the inverse makes of one of them again and again, which are large where modes
    are. Functions that suit modes may hold what the inverse makes of the ones, or of the others: the less counts. Of a
    problem with the eigenvalue in equations alone, each with that of its own unknown.
    """
    smooth = SmoothSides(inverse, count, rng, 1.0)
    smooth.with_periods()
    envelope = smooth.solutions[:, :1]
    for _ in range(_TIMES):
        envelope = inverse(envelope)
    envelope = envelope / np.linalg.norm(inverse.inner.values(envelope))
    return min(_asymmetry(inverse, smooth, count, None), _asymmetry(inverse, smooth, count, envelope))


def _asymmetry(inverse: Inverse, smooth: SmoothSides, count: int, envelope: NumberArray | None) -> float:
    """On smooth sides, times an envelope ``(M, 1)``."""
    rule, unit = inverse.inner.rule, identity(inverse.finite.problem.dimension)
    sides, at_nodes = {}, {}
    for place, equation in enumerate(inverse.finite.problem.equations):
        if equation.name in inverse.pencil.powers[0]:
            sites = inverse.sites[equation.name]
            sides[equation.name], at_nodes[place] = (smooth.at(equation.name, p) for p in (sites.points, rule.points))
            if envelope is not None:
                own = Rows(inverse.finite, unit.on(place), sites) @ envelope
                sides[equation.name] = sides[equation.name] * own
                at_nodes[place] = at_nodes[place] * inverse.inner.plain(place, envelope)
    solved = inverse.solved(sides)
    total = np.zeros((count, count), dtype=np.result_type(solved, *at_nodes.values()))
    for place, nodes in at_nodes.items():
        total += inverse.inner.plain(place, solved).T @ (rule.weights[:, None] * nodes.conj())
    return float(np.linalg.norm(total - total.conj().T, 2) / np.linalg.norm(total, 2))
