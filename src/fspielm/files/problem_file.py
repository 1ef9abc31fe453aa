"""A problem with everything else that its file says: how to solve it, what to write, what to compare with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.expressions import make_field
from fspielm.solution import Solution, regular_grid, relative_error
from fspielm.solvers import Approach, Budget, solve


@final
@dataclass(frozen=True, eq=False)
class ProblemFile:
    """The content of a problem file.

    Attributes
    ----------
    problem : Problem
    title : str
    tol : float
    rng : int or None
    budget : Budget
    exact : Expr, mapping of str to Expr or None
        A known solution, of a system by the names of unknowns; for measuring only, no solver sees it.
    approach : str or None
        The kind of functions to solve with; that which is cheapest by default.
    guess : Expr, mapping of str to Expr or None
        What Newton's method begins with; of a system by the names of unknowns.
    plot, table : Path or None
        Where a picture, and a table of values, of the solution are to be written.
    fixed : frozenset of str
        Parameters that the domain is written with: other values of them leave it as it is.
    """

    problem: Problem
    title: str = ""
    tol: float = 1e-8
    rng: int | None = None
    budget: Budget = field(default_factory=Budget)
    exact: sp.Expr | Mapping[str, sp.Expr] | None = None
    approach: Approach | None = None
    guess: sp.Expr | Mapping[str, sp.Expr] | None = None
    plot: Path | None = None
    table: Path | None = None
    fixed: frozenset[str] = frozenset()

    def solve(self, **settings: Any) -> Solution:
        """Solve the problem as the file says, but for what `settings` (keyword arguments of `fspielm.solve`) say."""
        stated: dict[str, Any] = {
            "tol": self.tol,
            "budget": self.budget,
            "rng": self.rng,
            "approach": self.approach,
            "guess": self.guess,
        }
        return solve(self.problem, **stated | settings)

    def relative_error(self, solution: Callable[[FloatArray], ArrayLike]) -> float:
        """Relative L2 error against the known solution, on a grid over the domain, time included.

        Of several unknowns the largest, each relative to itself.
        """
        return max(self.relative_errors(solution).values())

    def relative_errors(self, solution: Callable[[FloatArray], ArrayLike]) -> dict[str, float]:
        """The same for each unknown that is known, by name."""
        points = regular_grid(self.problem.domain)
        names = [unknown.symbol.func.__name__ for unknown in self.problem.unknowns]
        if not isinstance(self.exact, Mapping):
            return {names[0]: relative_error(solution, self.exact_values(points), points)}
        found = np.asarray(solution(points)).reshape(len(points), -1)
        return {name: self._field_error(name, found, points) for name in self.exact}

    def exact_values(self, points: FloatArray, unknown: str = "") -> NumberArray:
        """The known solution at `points` ``(n, d)``, of a system that of one unknown; shape ``(n,)``."""
        exact = self.exact.get(unknown) if isinstance(self.exact, Mapping) else self.exact
        if exact is None:
            of = f" of {unknown}" * bool(unknown)
            raise ProblemError(f'the problem file has no [reference]{of} to measure with; add exact = "..." there')
        return make_field(exact, self.problem.coordinates, what="exact").checked(points, "exact")

    def _field_error(self, name: str, found: NumberArray, points: FloatArray) -> float:
        column = found[:, self.problem.place(name)]
        return relative_error(lambda _: column, self.exact_values(points, name), points)
