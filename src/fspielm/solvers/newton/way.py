"""One step of Newton's method: how far along its way the residual falls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.collocation import BlockRows, Finite
from fspielm.equations import Problem
from fspielm.equations.nonlinear import Iterate
from fspielm.errors import IterateError
from fspielm.geometry import Sites
from fspielm.solvers.newton.deviations import Apply, deviations, norm, of_iterate, of_sum
from fspielm.solvers.newton.expansion import Between, Expansion

# The shortest step that is tried, as a share of the full one.
_SHORTEST = 2.0**-9
# Of the decrease of squares that a linear equation would have, what there must be.
_DECREASE = 0.1
# What rounding may make of a residual that is the same.
_ROUNDING = 1e-3
# A residual so close to that of the linear problem is as small as these functions allow.
DONE = 3.0


@final
@dataclass(frozen=True, eq=False)
class Reached:
    """What was reached with a share of a step; its coefficients, where it is a sum of the functions at hand."""

    iterate: Iterate
    coefficients: NumberArray | None
    damping: float
    residual: float


@final
@dataclass(frozen=True, eq=False)
class Way:
    """The way from an iterate to the solution of the linear problem around it.

    Attributes
    ----------
    probe : callable
        Makes the linear problem around an iterate.
    finite : Finite
        The linear problem, made finite.
    blocks : sequence of BlockRows
    start : Iterate
    known : (M,) array or None
        Its coefficients, where it is a sum of the functions at hand.
    target : Expansion
    """

    probe: Callable[[Iterate], Problem]
    finite: Finite
    blocks: Sequence[BlockRows]
    start: Iterate
    known: NumberArray | None
    target: Expansion

    @cached_property
    def _rows(self) -> tuple[Mapping[str, Sites], Mapping[str, NumberArray]]:
        rows = self.finite.fitted(self.blocks)
        return {name: sites for name, (sites, _) in rows.items()}, {name: scales for name, (_, scales) in rows.items()}

    @cached_property
    def linear(self) -> float:
        """The residual of the linear problem, which is that of the end of the way but for terms of higher order."""
        return self._residual(self.finite.problem, self._sum(self.target.coefficients))

    @cached_property
    def base(self) -> float | None:
        """The residual at the beginning; None where that cannot be told."""
        apply = of_iterate(self.target.problem, self.start) if self.known is None else self._sum(self.known)
        return None if apply is None else self._residual(self.finite.problem, apply)

    def shortened(self, *, surely: bool) -> Reached | None:
        """As far along the way as the residual falls about as it should; None where it does not at all.

        All of it, wherever that leads, if it `surely` is the right one: what is left of the residual may be rounding.
        """
        share = 1.0
        while share >= _SHORTEST:
            reached = self._reach(share)
            if reached is not None and (surely or reached.residual <= DONE * self.linear or self._is_good(reached)):
                return reached
            share /= 2
        return None

    def _is_good(self, reached: Reached) -> bool:
        if self.base is None:
            return bool(np.isfinite(reached.residual))
        # products, which may be infinite, where powers of numbers would be an error
        before, after = self.base * self.base, reached.residual * reached.residual
        promised = max(before - self.linear * self.linear, 0.0)
        least = before - _DECREASE * reached.damping * promised
        return after <= least * (1 + _ROUNDING * reached.damping)

    def _reach(self, share: float) -> Reached | None:
        """A place on the way; None where the equations have no meaning there."""
        end = self.target
        try:
            if share == 1.0 or self.known is not None:
                start = 0.0 if self.known is None else (1 - share) * self.known
                coefficients = end.coefficients if share == 1.0 else start + share * end.coefficients
                there = Expansion(end.problem, end.basis, coefficients, end.threads)
                residual = self._residual(self.probe(there), self._sum(coefficients))
                return Reached(there, coefficients, share, residual)
            between = Between(self.start, end, share)
            problem = self.probe(between)
            apply = of_iterate(problem, between)
            # of complex unknowns the residual is not known there: only that there is one
            return Reached(between, None, share, self._residual(problem, apply or self._sum(end.coefficients)))
        except IterateError:
            return None

    def _sum(self, coefficients: NumberArray) -> Apply:
        return of_sum(self.finite.basis, coefficients, self.finite.threads)

    def _residual(self, problem: Problem, apply: Apply) -> float:
        places, scales = self._rows
        return norm(deviations(problem, places, apply), scales)
