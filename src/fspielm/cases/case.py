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
from fspielm.solution import grid_inside, regular_grid, relative_error

_GRID = 100


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
        return self._error(solution, regular_grid(self.problem.domain))

    def grid(self) -> FloatArray:
        """The points of the paper's metric, shape ``(n, d)``."""
        domain = self.problem.domain
        if self.time_slice is None:
            return regular_grid(domain)
        lower, upper = domain.bounding_box
        space = [np.linspace(a, b, _GRID) for a, b in zip(lower[:-1], upper[:-1], strict=True)]
        return grid_inside(domain, [*space, np.array([self.time_slice])])

    def exact_values(self, points: FloatArray) -> FloatArray:
        """The exact solution at `points`."""
        return make_field(self.exact, self.problem.coordinates)(points)

    def _error(self, solution: Callable[[FloatArray], ArrayLike], points: FloatArray) -> float:
        return relative_error(solution, self.exact_values(points), points)
