"""The equations around one place: their linearisation, factored, and how they change with the parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation import BlockRows, Finite
from fspielm.equations import Problem
from fspielm.equations.nonlinear import Moving, moving
from fspielm.geometry import Sites
from fspielm.linalg import Factored
from fspielm.solvers.attempt import factor
from fspielm.solvers.following.along import Along
from fspielm.solvers.following.metric import Place
from fspielm.solvers.newton.deviations import Deviations, deviations, of_sum
from fspielm.solvers.newton.expansion import Expansion
from fspielm.solvers.request import Request

# Values of the parameter by which the derivative with respect to it is found, in shares of its interval: exact for
# polynomials of a degree less than their number.
_NODES = 0.01 * np.arange(5)


@final
@dataclass(frozen=True, eq=False)
class Equations:
    """A problem along a parameter, made finite once and for all.

    Attributes
    ----------
    along : Along
    request : Request
    finite : Finite
        Functions, and the places of rows.
    """

    along: Along
    request: Request
    finite: Finite

    def linear(self, place: Place) -> Problem:
        """The linear problem around a place; what it leaves there is what the equations do."""
        problem = self.along.at(place.value)
        return problem.linearised(self.expansion(place)) if not problem.is_linear else problem

    def expansion(self, place: Place) -> Expansion:
        """The function at a place."""
        finite = self.finite
        return Expansion(self.along.problem, finite.basis, place.coefficients, finite.threads)

    def at(self, place: Place) -> Local:
        """All that there is to know around a place."""
        finite = self.finite.with_problem(self.linear(place))
        system = finite.assemble(self.request.scaling, reuse=True)
        factored, _, _ = factor(self.request.method, system, in_place=True)
        return Local(self, place, finite, system.blocks, factored)

    def left(self, place: Place, sites: Mapping[str, Sites]) -> Deviations:
        """What the equations leave at a place."""
        if not self.along.is_affine:
            return self._deviations(self.linear(place), place, sites)
        share = (place.value - self.along.lower) / self.along.length
        first, last = self._at_ends(place, sites)
        return {name: (1 - share) * first[name] + share * last[name] for name in first}

    def slope(self, place: Place, sites: Mapping[str, Sites]) -> Deviations:
        """The derivative of what the equations leave with respect to the parameter."""
        if self.along.is_affine:
            first, last = self._at_ends(place, sites)
            return {name: (last[name] - first[name]) / self.along.length for name in first}
        nodes = self._nodes(place.value)
        weights = _derivative_at(place.value, nodes)
        found: Deviations = {}
        for node, weight in zip(nodes, weights, strict=True):
            there = Place(place.coefficients, float(node))
            for name, values in self._deviations(self.linear(there), there, sites).items():
                found[name] = found.get(name, 0.0) + weight * values
        return found

    def _at_ends(self, place: Place, sites: Mapping[str, Sites]) -> list[Deviations]:
        """What is left with the function of a place at both ends of the interval, for which no problem is compiled."""
        ends = [end if isinstance(end, Problem) else end.to(self.expansion(place)) for end in self._ends]
        return [self._deviations(end, place, sites) for end in ends]

    def _deviations(self, problem: Problem, place: Place, sites: Mapping[str, Sites]) -> Deviations:
        return deviations(problem, sites, of_sum(self.finite.basis, place.coefficients, self.finite.threads))

    @cached_property
    def _ends(self) -> list[Problem | Moving]:
        ends = [self.along.at(value) for value in (self.along.lower, self.along.upper)]
        return [end if end.is_linear else moving(end) for end in ends]

    def _nodes(self, value: float) -> FloatArray:
        lower, length = self.along.lower, self.along.length
        first = np.clip(value - 0.5 * _NODES[-1] * length, lower, lower + (1 - _NODES[-1]) * length)
        return np.asarray(first + _NODES * length)


@final
@dataclass(frozen=True, eq=False)
class Local:
    """The linearisation around a place.

    Attributes
    ----------
    equations : Equations
    place : Place
    finite : Finite
        Of the linear problem.
    blocks : sequence of BlockRows
    factored : Factored
    """

    equations: Equations
    place: Place
    finite: Finite
    blocks: Sequence[BlockRows]
    factored: Factored

    @cached_property
    def sites(self) -> dict[str, Sites]:
        """Of the rows, by block."""
        return {name: sites for name, (sites, _) in self.finite.fitted(self.blocks).items()}

    def solve(self, values: Mapping[str, FloatArray]) -> FloatArray:
        """Coefficients of what the linearisation makes these values of."""
        return np.asarray(self.factored.solve(self.finite.spread(values, self.blocks)))

    def correction(self, place: Place) -> FloatArray:
        """Newton's step at a place nearby, for the same parameter."""
        return -self.solve(self.equations.left(place, self.sites))

    @cached_property
    def sideways(self) -> FloatArray:
        """How the solution changes with the parameter."""
        return -self.solve(self.equations.slope(self.place, self.sites))


def _derivative_at(value: float, nodes: FloatArray) -> FloatArray:
    """Weights of values at nodes in the derivative of the polynomial through them."""
    width = nodes[-1] - nodes[0]
    powers = np.vander((nodes - value) / width, increasing=True).T
    wanted = np.zeros(len(nodes))
    wanted[1] = 1.0 / width
    return np.asarray(np.linalg.solve(powers, wanted))
