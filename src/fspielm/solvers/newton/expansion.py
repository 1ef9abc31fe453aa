"""Iterates that are sums of functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from fspielm.arrays import NumberArray
from fspielm.equations import Operator, Problem
from fspielm.equations.nonlinear import Iterate
from fspielm.features import Basis
from fspielm.features.evaluation import evaluate_each
from fspielm.geometry import Sites
from fspielm.solution.sums import Sum, sums_of, with_conjugates


@final
@dataclass(frozen=True, eq=False)
class Expansion:
    """A sum of functions to linearise around.

    Attributes
    ----------
    problem : Problem
    basis : Basis
    coefficients : (M,) array
    threads : int
    """

    problem: Problem
    basis: Basis
    coefficients: NumberArray
    threads: int

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """Each of T operators on the unknowns as they were written, at n sites; shape ``(T, n)``."""
        return evaluate_each(*self._shown, operators, sites, threads=self.threads, method="tiles")

    @cached_property
    def _shown(self) -> Sum:
        if self.problem.whole is None:
            return self.basis, self.coefficients
        return with_conjugates(sums_of(self.problem, self.basis, self.coefficients))


@final
@dataclass(frozen=True, eq=False)
class Between:
    """A place on the way from one iterate to another.

    Attributes
    ----------
    start, end : Iterate
    share : float
        Of the way.
    """

    start: Iterate
    end: Iterate
    share: float

    def evaluate_each(self, operators: Sequence[Operator], sites: Sites) -> NumberArray:
        """Each of T operators, at n sites; shape ``(T, n)``."""
        first, last = (each.evaluate_each(operators, sites) for each in (self.start, self.end))
        return (1 - self.share) * first + self.share * last
