"""A problem made to deceive, or its benign twin; what only its maker knows; and how it is solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import fspielm as fs
from adversary_families.narrow import Spot, weighted_points

Exact: TypeAlias = Callable[[NDArray[np.float64]], NDArray[Any]]

BUDGET = fs.Budget(neurons=2500, seconds=40)
# For families whose twins are no small problems: round interfaces, and waves of a medium that varies.
AMPLE = fs.Budget(neurons=6000, seconds=100)
_CHECKS = 4000


def stacked(fields: Sequence[Exact]) -> Exact:
    """Several unknowns in one function."""

    def values(points: NDArray[np.float64]) -> NDArray[Any]:
        return np.stack([f(points) for f in fields], axis=1)

    return values


@dataclass(frozen=True, eq=False)
class Later:
    """Data for what was prepared with other data."""

    right_hand_side: Any
    values: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Challenge:
    """A problem and what only its maker knows.

    Attributes
    ----------
    kind : str
    problem : fs.Problem
        The one that `exact` solves.
    exact : callable
        From points to values ``(n,)``, or ``(n, U)`` of several unknowns.
    tol : float
    width : float
        Half the width of the narrow part (1/e of a Gaussian, half the height of a pole, the radius of a jump), over the
        longest side of the space, or over the time where that is longer and it is narrow in time; NaN where what
        deceives has none.
    stated : {"expression", "callable"}
        How the data or the coefficient that deceive are given.
    beyond : bool
        Whether it is a callable narrower than what is promised to be found.
    determined : bool
        Whether there is one solution, which depends on the data continuously; any yes is wrong otherwise.
    exists : bool
        Whether there is a solution; if not, `exact` is that of a problem nearby.
    spots : tuple of Spot
        Where the solution may be narrow.
    jumps : callable or None
        The distance of points from where a coefficient jumps, for whoever differentiates the solution.
    scale : callable or None
        The length over which the solution changes at points, by coordinate; from `spots` by default.
    others : tuple of callable
        Further solutions, of a nonlinear problem; any of them is right.
    stated_wrong : callable or None
        States the problem where that should be refused; `problem` is one without what is wrong then.
    added : bool
        Whether `exact` is what objects of an open domain add to what comes in.
    budget : fs.Budget
    first, later
        The problem to prepare, and the data to solve it with after that, which make it `problem`; None for a solve.
    """

    kind: str
    problem: fs.Problem
    exact: Exact
    tol: float
    width: float = float("nan")
    stated: str = "expression"
    beyond: bool = False
    determined: bool = True
    exists: bool = True
    spots: tuple[Spot, ...] = ()
    jumps: Exact | None = None
    scale: Exact | None = None
    others: tuple[Exact, ...] = ()
    stated_wrong: Callable[[], fs.Problem] | None = None
    added: bool = False
    budget: fs.Budget = BUDGET
    first: fs.Problem | None = None
    later: Later = field(default_factory=lambda: Later(None, {}))

    def solve(self, seed: int, progress: bool = False) -> tuple[fs.Solution, float]:
        """The solver's solution, and the seconds it took."""
        start = perf_counter()
        if self.first is None:
            problem = self.problem if self.stated_wrong is None else self.stated_wrong()
            solution = fs.solve(problem, tol=self.tol, rng=seed, budget=self.budget, progress=progress)
        else:
            prepared = fs.prepare(self.first, tol=self.tol, rng=seed, budget=self.budget, progress=progress)
            solution = prepared.solve(self.later.right_hand_side, self.later.values)
        return solution, perf_counter() - start

    def error(self, solution: Any) -> float:
        """Relative L2 error at fresh points: uniform ones, and as many in and near each narrow place, weighted.

        Of several unknowns the largest of theirs; of several solutions that of the nearest; absolute if that is zero.
        """
        points, weights = self.check_points(_CHECKS, 0)
        found = (solution.scattered if self.added else solution)(points)

        def off(exact: NDArray[Any]) -> float:
            size = weights @ np.abs(exact) ** 2
            return float(np.sqrt(np.max((weights @ np.abs(found - exact) ** 2) / np.where(size > 0, size, 1.0))))

        return min(off(exact(points)) for exact in (self.exact, *self.others))

    def difference(self, twin: Challenge) -> float:
        """The relative difference between the solutions of the two: what is lost with what deceives."""
        points, weights = self.check_points(_CHECKS // 2, 1)
        exact, other = self.exact(points), twin.exact(points)
        return float(np.sqrt(np.max((weights @ np.abs(exact - other) ** 2) / (weights @ np.abs(exact) ** 2))))

    def check_points(self, count: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Points and weights of a mean over the domain."""
        return weighted_points(self.problem.domain, self.spots, count, np.random.default_rng(seed))
