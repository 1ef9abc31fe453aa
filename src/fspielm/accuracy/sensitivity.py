"""How strongly the residual of a system shows in its solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import NumberArray, adjoint
from fspielm.equations import Problem, identity
from fspielm.equations.unknowns import only
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
    amplification : float
    values : (n, M) array
        The features at the points where the solution is looked at.
    null : (M,) array
        Coefficients of the function that is amplified most.
    """

    amplification: float
    values: NumberArray
    null: NumberArray


def find_sensitivity(
    problem: Problem, basis: Basis, factored: Factored, rng: np.random.Generator, threads: int
) -> Sensitivity:
    """``|Phi R^-1| / sqrt(n)`` by power iteration, with Phi the features at n points of the domain.

    Phi shows one unknown: of several, the others would go unseen.
    """
    only(problem.unknowns, "an error estimate", "look at the residuals instead")
    probes = Sites(problem.domain.sample(PROBES, rng, "low-discrepancy"))
    Phi = tabulate(basis, identity(problem.dimension), probes, threads=threads)
    rows, columns = factored.shape
    if rows < columns or not np.all(factored.diagonal > 0):  # the rows do not determine the coefficients
        return Sensitivity(float("inf"), Phi, np.zeros(columns))
    direction: NumberArray = rng.standard_normal(columns)
    Phi_H, norm = adjoint(Phi), 0.0
    for _ in range(_POWER_STEPS):
        image = Phi @ factored.solve_triangle(_unit(direction))
        direction = factored.solve_triangle(Phi_H @ image, adjoint=True)
        size = float(np.linalg.norm(direction))
        if not np.isfinite(size) or size == 0.0:
            return Sensitivity(float("inf") if size else 0.0, Phi, np.zeros(columns))
        norm = float(np.sqrt(size))
    null = factored.solve_triangle(_unit(direction))
    return Sensitivity(norm / float(np.sqrt(len(Phi))), Phi, null)


def _unit(vector: NumberArray) -> NumberArray:
    return np.asarray(vector / np.linalg.norm(vector))
