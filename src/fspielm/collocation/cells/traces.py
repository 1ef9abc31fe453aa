"""What neighbouring cells have in common: unknown traces on the edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
from numpy.polynomial.legendre import legvander

from fspielm.arrays import FloatArray
from fspielm.collocation.cells.places import gauss
from fspielm.equations import Operator, Problem, derivative
from fspielm.geometry import Sites
from fspielm.geometry.cells import Joint, Tiling

# Fewer polynomials on an edge than along it in the cell of the higher degree, whose last ones are less than certain;
# with as many as the lower degree has, the others of the higher one would be free.
_FEWER = 2


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """A derivative of one unknown across an edge between two cells, as a sum of polynomials along it.

    Attributes
    ----------
    joint : Joint
    operator : Operator
        The derivative, in units of the unknown.
    count : int
        Polynomials.
    start : int
        The first of their columns.
    """

    joint: Joint
    operator: Operator
    count: int
    start: int

    @property
    def columns(self) -> slice:
        """Where their coefficients are."""
        return slice(self.start, self.start + self.count)

    def sites(self, nodes: int) -> Sites:
        """The sites of so many nodes of Gauss's along the edge."""
        places = gauss(nodes)
        low, high = self.joint.span
        points = np.full((len(places), self.operator.dimension), self.joint.at)
        if self.operator.dimension == 2:
            points[:, 1 - self.joint.axis] = 0.5 * ((1 - places) * low + (1 + places) * high)
        return Sites(points)

    def polynomials(self, nodes: int) -> FloatArray:
        """Those along the edge, of size one, at so many nodes of Gauss's, shape ``(nodes, count)``."""
        return _polynomials(nodes, self.count)


def traces_of(
    problem: Problem, tiling: Tiling, degrees: np.ndarray[tuple[int, int], np.dtype[np.int_]], scales: Sequence[float]
) -> list[Trace]:
    """Every unknown, and its derivatives across an edge below the highest of the equations; columns count from zero."""
    orders = [orders_along(problem, axis) for axis in range(problem.dimension)]
    found: list[Trace] = []
    start = 0
    for joint in tiling.joints:
        both = list(joint.cells)
        sides = np.array([tiling.cells[cell].upper - tiling.cells[cell].lower for cell in both])
        # the distance over which functions of the highest degree vary
        length = float(np.min(sides[:, joint.axis] / (2 * np.maximum(degrees[both, joint.axis], 1))))
        count = 1 if problem.dimension == 1 else max(int(degrees[both, 1 - joint.axis].max()) - _FEWER, 1)
        for unknown, highest in enumerate(orders[joint.axis]):
            for order in range(highest):
                across = tuple(order if axis == joint.axis else 0 for axis in range(problem.dimension))
                operator = derivative(across).on(unknown).times(length**order / scales[unknown])
                found.append(Trace(joint, operator, count, start))
                start += count
    return found


def orders_along(problem: Problem, axis: int) -> list[int]:
    """The highest derivative of each unknown along an axis."""
    highest = [0] * len(problem.unknowns)
    for equation in problem.equations:
        for term in equation.operator.terms:
            highest[term.unknown] = max(highest[term.unknown], int(term.orders[axis]))
    return highest


@cache
def _polynomials(nodes: int, count: int) -> FloatArray:
    return np.asarray(legvander(gauss(nodes), count - 1) * np.sqrt(2 * np.arange(count) + 1.0))
