"""What following solutions gives: points, folds, bifurcations, and the branches that begin there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.solution import Solution

from fspielm.solvers.following.diagram import plot

Kind = Literal["pitchfork", "transcritical", "bifurcation"]


@final
@dataclass(frozen=True, eq=False)
class BranchPoint:
    """One of the solutions of a branch.

    Attributes
    ----------
    value : float
        Of the parameter.
    solution : Solution
    unstable : int or None
        How many eigenvalues of the linearisation make it unstable, as a solution at rest of ``u_t = F(u)`` or ``u_t =
        -F(u)``, whichever is well posed; None where neither is.
    eigenvalues : (k,) complex array
        Those closest to zero, with the sign of that: a solution is stable where all real parts are negative.
    size : float
        Root mean square of the solution, with the sign of its mean.
    """

    value: float
    solution: Solution
    unstable: int | None
    eigenvalues: NDArray[np.complex128]
    size: float

    @property
    def stable(self) -> bool | None:
        """Whether it is stable; None where that is not told."""
        return None if self.unstable is None else self.unstable == 0

    @property
    def converged(self) -> bool:
        """Whether its error estimate meets the tolerance."""
        return self.solution.converged


@final
@dataclass(frozen=True, eq=False)
class Fold:
    """Where a branch turns back: on one side there are two solutions, on the other none.

    Attributes
    ----------
    value : float
        Of the parameter.
    estimate : float
        Of the error of that, absolute.
    solution : Solution
    size : float
        Of it, as in `BranchPoint`.
    """

    value: float
    estimate: float
    solution: Solution
    size: float


@final
@dataclass(frozen=True, eq=False)
class Bifurcation:
    """Where branches cross.

    Attributes
    ----------
    value : float
        Of the parameter.
    estimate : float
        Of the error of that, absolute.
    solution : Solution
    size : float
        Of it, as in `BranchPoint`.
    multiplicity : int
        How many eigenvalues are zero there. Where it is not one, branches are not switched.
    kind : {"pitchfork", "transcritical", "bifurcation"}
        The last where it is not known.
    branches : tuple of Branch
        That begin there, one in each direction; empty where they were not followed.
    """

    value: float
    estimate: float
    solution: Solution
    size: float
    multiplicity: int
    kind: Kind = "bifurcation"
    branches: tuple[Branch, ...] = ()


@final
@dataclass(frozen=True, eq=False)
class Branch:
    """Solutions along a parameter, in the order in which they were found.

    Attributes
    ----------
    parameter : Symbol
    points : tuple of BranchPoint
    folds : tuple of Fold
    bifurcations : tuple of Bifurcation
    ending : str
        Why there are no further points.
    """

    parameter: sp.Symbol
    points: tuple[BranchPoint, ...]
    folds: tuple[Fold, ...]
    bifurcations: tuple[Bifurcation, ...]
    ending: str

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, number: int) -> BranchPoint:
        return self.points[number]

    def __iter__(self) -> Iterator[BranchPoint]:
        return iter(self.points)

    @property
    def values(self) -> FloatArray:
        """Of the parameter, one for each point."""
        return np.array([point.value for point in self.points])

    @property
    def solutions(self) -> tuple[Solution, ...]:
        """One for each point."""
        return tuple(point.solution for point in self.points)

    @property
    def stable(self) -> tuple[bool | None, ...]:
        """Whether each point is."""
        return tuple(point.stable for point in self.points)

    @property
    def branches(self) -> tuple[Branch, ...]:
        """All that begin at its bifurcations."""
        return tuple(branch for bifurcation in self.bifurcations for branch in bifurcation.branches)

    plot = plot

    def __repr__(self) -> str:
        values = self.values
        parts = [f"{len(self)} points", f"{self.parameter} from {values.min():g} to {values.max():g}"]
        parts += [f"fold at {fold.value:.12g} +- {fold.estimate:.1e}" for fold in self.folds]
        parts += [f"{one.kind} at {one.value:.12g} +- {one.estimate:.1e}" for one in self.bifurcations]
        return f"Branch({', '.join(parts)})"
