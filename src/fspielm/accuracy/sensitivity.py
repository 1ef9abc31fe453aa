"""How strongly the residual of a system shows in its solution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.arrays import NumberArray, adjoint
from fspielm.equations import Problem, identity
from fspielm.features import Basis
from fspielm.features.evaluation import tabulate
from fspielm.geometry import Sites
from fspielm.linalg import Factored

# Points at which the solution is looked at.
PROBES = 600
_POWER_STEPS = 10


@final
@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How strongly a system's residual shows in its solution; does not depend on the data.

    Attributes
    ----------
    each : tuple of float
        The amplification of the residual in each unknown.
    values : tuple of (n, M) arrays
        The features at the points where the solution is looked at, for each unknown; sparse where they are on cells.
    null : (M,) array
        Coefficients of the function that is amplified most: in the unknown of the largest amplification.
    """

    each: tuple[float, ...]
    values: tuple[NumberArray, ...]
    null: NumberArray

    @property
    def amplification(self) -> float:
        """The largest."""
        return max(self.each)

    def times(self, factor: float) -> Sensitivity:
        """The same, more cautious."""
        return self if factor == 1.0 else replace(self, each=tuple(factor * each for each in self.each))

    def at_least(self, other: Sensitivity) -> Sensitivity:
        """With the amplifications of another one, where those are larger."""
        return replace(self, each=tuple(max(pair) for pair in zip(self.each, other.each, strict=True)))


def find_sensitivity(
    problem: Problem, basis: Basis, factored: Factored, rng: np.random.Generator, threads: int
) -> Sensitivity:
    """``|Phi R^-1| / sqrt(n)`` by power iteration, with Phi the features at n points, for each unknown."""
    probes = Sites(problem.domain.sample(PROBES, rng, "low-discrepancy"))
    each, values, nulls = [], [], []
    for unknown, known in enumerate(problem.unknowns):
        elsewhere = problem.domain.is_unbounded and known.domain is not problem.domain
        here = Sites(known.domain.sample(PROBES, rng, "low-discrepancy")) if elsewhere else probes
        Phi = tabulate(basis, identity(problem.dimension).on(unknown), here, threads=threads)
        amplification, null = largest_amplification(Phi, factored, rng)
        each.append(amplification)
        values.append(Phi)
        nulls.append(null)
    return Sensitivity(tuple(each), tuple(values), nulls[int(np.argmax(each))])


def largest_amplification(Phi: NumberArray, factored: Factored, rng: np.random.Generator) -> tuple[float, NumberArray]:
    """The largest amplification, and the coefficients of the function that has it."""
    rows, columns = factored.shape
    if rows < columns or not np.all(factored.diagonal > 0):  # the rows do not determine the coefficients
        return float("inf"), np.zeros(columns)
    direction: NumberArray = rng.standard_normal(columns)
    Phi_H, norm = adjoint(Phi), 0.0
    for _ in range(_POWER_STEPS):
        image = Phi @ factored.solve_triangle(_unit(direction))
        direction = factored.solve_triangle(Phi_H @ image, adjoint=True)
        size = float(np.linalg.norm(direction))
        if not np.isfinite(size) or size == 0.0:
            return float("inf") if size else 0.0, np.zeros(columns)
        norm = float(np.sqrt(size))
    null = factored.solve_triangle(_unit(direction))
    return norm / float(np.sqrt(Phi.shape[0])), null


def _unit(vector: NumberArray) -> NumberArray:
    return np.asarray(vector / np.linalg.norm(vector))
