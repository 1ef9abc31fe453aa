"""A benchmark: a problem, the exact solution to measure with, and the paper's results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.cases.paper import PaperSetting
from fspielm.equations import Problem
from fspielm.expressions import make_field

_GRID = 100
_SPACE_TIME_GRID = 41


@final
@dataclass(frozen=True, eq=False)
class Case:
    """One benchmark of the FS-PIELM paper.

    Attributes
    ----------
    name, title : str
    problem : Problem
        Knows nothing of the exact solution.
    exact : Expr
        The exact solution; for measuring only.
    paper : PaperSetting
        The paper's configuration and results.
    notes : str
        Where the paper leaves something open, what was done.
    time_slice : float or None
        The time at which the paper's grid lies, for a problem in two space dimensions and time.
    """

    name: str
    title: str
    problem: Problem
    exact: sp.Expr
    paper: PaperSetting
    notes: str = ""
    time_slice: float | None = None

    def relative_error(self, solution: Callable[[FloatArray], ArrayLike]) -> float:
        """The paper's metric: relative L2 error on a 100 x 100 grid, points outside the domain dropped.

        In one dimension the grid has 10,000 points; in two space dimensions and time it lies at `time_slice`.
        """
        return self._error(solution, self.grid())

    def space_time_error(self, solution: Callable[[FloatArray], ArrayLike]) -> float:
        """Relative L2 error over all of space and time; the paper's metric where its grid is no slice."""
        if self.time_slice is None:
            return self.relative_error(solution)
        return self._error(solution, self._inside(np.full(self.problem.dimension, _SPACE_TIME_GRID)))

    def grid(self) -> FloatArray:
        """The points of the paper's metric, shape ``(n, d)``."""
        dimension = self.problem.dimension
        if self.time_slice is None:
            return self._inside(np.full(dimension, _GRID if dimension > 1 else _GRID**2))
        return self._inside(np.array([_GRID] * (dimension - 1) + [1]))

    def exact_values(self, points: FloatArray) -> FloatArray:
        """The exact solution at `points`."""
        return make_field(self.exact, self.problem.coordinates)(points)

    def _inside(self, counts: np.ndarray[tuple[int], np.dtype[np.int_]]) -> FloatArray:
        lower, upper = self.problem.domain.bounding_box
        axes = [
            np.linspace(a, b, n) if n > 1 else np.array([self.time_slice])
            for a, b, n in zip(lower, upper, counts, strict=True)
        ]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        return points[self.problem.domain.contains(points)]

    def _error(self, solution: Callable[[FloatArray], ArrayLike], points: FloatArray) -> float:
        exact = self.exact_values(points)
        return float(np.linalg.norm(np.asarray(solution(points)) - exact) / np.linalg.norm(exact))
