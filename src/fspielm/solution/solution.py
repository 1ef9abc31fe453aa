"""The answer: a function that can be evaluated anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, as_points
from fspielm.equations import Operator, Problem, identity
from fspielm.features import Basis
from fspielm.geometry import Sites
from fspielm.machine import available_threads
from fspielm.solution.evaluate import evaluate
from fspielm.solution.report import Report


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """A solved problem.

    Attributes
    ----------
    problem : Problem
    basis : Basis
    coefficients : (M,) array
    report : Report
        What was chosen, how long it took, and the residual of every block.
    """

    problem: Problem
    basis: Basis
    coefficients: FloatArray
    report: Report

    def __call__(self, points: ArrayLike) -> FloatArray:
        """Values at `points` ``(n, d)``, columns in the order of the unknown's arguments; shape ``(n,)``."""
        return self.evaluate(identity(self.problem.dimension), points)

    def evaluate(self, operator: Operator, points: ArrayLike) -> FloatArray:
        """The operator on the solution, at `points` ``(n, d)``; shape ``(n,)``."""
        sites = Sites(as_points(points, self.problem.dimension))
        return evaluate(self.basis, self.coefficients, operator, sites, threads=available_threads())

    def __repr__(self) -> str:
        return f"Solution({self.problem.unknown}, {self.report.neurons} neurons, {self.report.rows} rows)"
