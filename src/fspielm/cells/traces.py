"""Unknown traces on the edges between cells, which tie neighbours to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from typing import TypeAlias, final

import numpy as np
from numpy.polynomial.legendre import legvander

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import LocalOperator, localise
from fspielm.cells.places import Contrasts, Degrees, chebyshev, size_in
from fspielm.cells.tiling import Contact, Cover, Joint, tied_across
from fspielm.expr.functions import Field
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.problem.operator import Operator, derivative
from fspielm.problem.problem import Problem
from fspielm.resources import check_deadline

# A trace has this many polynomials fewer than the cell of the higher degree, whose last ones are inaccurate. With only
# as many as the lower degree has, the others of the higher degree would be undetermined.
_FEWER = 2
# Samples along an interface.
_SAMPLES = 16


# Maps nodes from -1 to 1 to sites along an edge.
Along: TypeAlias = Callable[[FloatArray], Sites]


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """A quantity that two cells share along an edge, as a sum of polynomials along it.

    Attributes
    ----------
    cells : (int, int)
    operators : (Operator, Operator)
        The operators that give the quantity in the first and in the second cell.
    along : callable
    count : int
        Number of polynomials.
    jump : Field or None
        The prescribed difference of the first and the second, if it is not zero.
    scale : float
        Factor of the jump, which both operators contain.
    shift : (d,) array or None
        The translation from the sites of the first cell to those of the second, if faces are identified.
    across : int or None
        The axis that the edge is normal to, if it is straight.
    start : int
        The first of its columns.
    """

    cells: tuple[int, int]
    operators: tuple[Operator, Operator]
    along: Along
    count: int
    jump: Field | None = None
    scale: float = 1.0
    shift: FloatArray | None = None
    across: int | None = None
    start: int = 0

    def sites(self, nodes: int) -> tuple[Sites, Sites]:
        """The sites of Chebyshev nodes along the edge, for both cells."""
        first = self.along(chebyshev(nodes))
        # both with the normals of the first, so that normal derivatives agree
        return first, first if self.shift is None else Sites(first.points + self.shift, first.normals)

    def localised(self, nodes: int, components: int) -> list[LocalOperator]:
        """The operators of both cells at their sites."""
        both = self.sites(nodes)
        found = [localise(operator, sites, components) for operator, sites in zip(self.operators, both, strict=True)]
        if self.across is None:
            return found
        # a grid that is one point wide
        axes = tuple(own[:1] if axis == self.across else own for axis, own in enumerate(both[0].points.T))
        return [replace(each, axes=axes) for each in found]

    def polynomials(self, nodes: int) -> FloatArray:
        """The polynomials along the edge, of size one, at Chebyshev nodes, shape ``(nodes, count)``."""
        return _polynomials(nodes, self.count)

    def values(self, cell: int, nodes: int) -> NumberArray:
        """The difference of a cell from the trace: the jump for the second cell, zero for the first."""
        if self.jump is None or cell == self.cells[0]:
            return np.zeros(nodes)
        sites, _ = self.sites(nodes)
        return np.asarray(-self.scale * self.jump(sites.points, sites.normals))


def traces_of(
    problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float], contrasts: Contrasts
) -> list[Trace]:
    """The traces of all edges, with columns counted from zero.

    Within a material these are every unknown and its normal derivatives below the order of the equations; across
    interfaces and identified faces, the quantities prescribed there.
    """
    found: list[Trace] = []
    start = 0
    between = problem, tiling, degrees, scales, contrasts
    faces = _at_faces(problem, tiling, degrees, scales)
    for trace in chain(_at_joints(*between), _at_contacts(*between), faces):
        check_deadline()
        found.append(replace(trace, start=start))
        start += trace.count
    return found


def _at_joints(
    problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float], contrasts: Contrasts
) -> Iterator[Trace]:
    orders = [orders_along(problem, axis) for axis in range(problem.dimension)]
    for joint in tiling.joints:
        both = list(joint.cells)
        sides = np.array([tiling.cells[cell].upper - tiling.cells[cell].lower for cell in both])
        # the distance over which functions of the highest degree vary
        length = float(np.min(sides[:, joint.axis] / (2 * np.maximum(degrees[both, joint.axis], 1))))
        count = 1 if problem.dimension == 1 else max(int(degrees[both, 1 - joint.axis].max()) - _FEWER, 1)
        along = partial(_along_joint, joint, problem.dimension)
        across_axis = joint.axis if problem.dimension == 2 else None
        for unknown, highest in enumerate(orders[joint.axis]):
            for order in range(highest):
                across = tuple(order if axis == joint.axis else 0 for axis in range(problem.dimension))
                plain = derivative(across).on(unknown)
                weight = contrasts.of_flux(int(tiling.materials[both[0]]), plain)
                operator = plain.times(weight * length**order / scales[unknown])
                yield Trace(joint.cells, (operator, operator), along, count, across=across_axis)


def _at_contacts(
    problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float], contrasts: Contrasts
) -> Iterator[Trace]:
    for contact in tiling.contacts:
        line = problem.interfaces[contact.line]
        both = list(contact.cells)
        count = 1 if problem.dimension == 1 else max(int(degrees[both].max()) - _FEWER, 1)
        along = partial(_along_contact, contact, line.part)
        sites = along(chebyshev(_SAMPLES))
        for rule in line.rules:
            operators = rule.first, rule.second
            sizes = [
                size_in(cell, localise(operator, sites, len(scales)), tiling, degrees, scales)
                / contrasts.of_flux(int(tiling.materials[cell]), operator)
                for cell, operator in zip(both, operators, strict=True)
            ]
            scale = float(line.condition.weight) / max(sizes)
            jump = None if rule.value.constant == 0.0 else rule.value
            scaled = operators[0].times(scale), operators[1].times(scale)
            yield Trace(contact.cells, scaled, along, count, jump, scale)


def _at_faces(problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float]) -> Iterator[Trace]:
    for relation in problem.relations:
        part, shift = relation.region.part, relation.region.shift
        if part is None or shift is None:
            continue
        for contact in tied_across(tiling, part, shift):
            both = list(contact.cells)
            count = 1 if problem.dimension == 1 else max(int(degrees[both].max()) - _FEWER, 1)
            along = partial(_along_contact, contact, part)
            own = localise(relation.operator, along(chebyshev(_SAMPLES)), len(scales))
            scale = relation.weight / max(size_in(cell, own, tiling, degrees, scales) for cell in both)
            scaled = relation.operator.times(scale)
            beyond = scaled.times(1.0 / relation.region.factor)
            yield Trace(contact.cells, (scaled, beyond), along, count, shift=shift)


def _along_joint(joint: Joint, dimension: int, places: FloatArray) -> Sites:
    low, high = joint.span
    points = np.full((len(places), dimension), joint.at)
    if dimension == 2:
        points[:, 1 - joint.axis] = 0.5 * ((1 - places) * low + (1 + places) * high)
    return Sites(points)


def _along_contact(contact: Contact, part: BoundaryPart, places: FloatArray) -> Sites:
    if part.parameters == 0:
        return part.place(np.empty((len(places), 0)))
    return part.place((0.5 * ((1 - places) * contact.start + (1 + places) * contact.end))[:, None])


def orders_along(problem: Problem, axis: int) -> list[int]:
    """The highest derivative of each unknown along an axis."""
    highest = [0] * len(problem.unknowns)
    for equation in problem.equations:
        for term in equation.operator.terms:
            highest[term.unknown] = max(highest[term.unknown], int(term.orders[axis]))
    return highest


@cache
def _polynomials(nodes: int, count: int) -> FloatArray:
    return np.asarray(legvander(chebyshev(nodes), count - 1) * np.sqrt(2 * np.arange(count) + 1.0))
