"""Unknown traces on the edges between cells, which tie neighbours to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import final

import numpy as np
from numpy.polynomial.legendre import legvander
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import LocalOperator, localise
from fspielm.cells.places import Cells, Contrasts, Degrees, chebyshev, rms_of_runs
from fspielm.cells.tiling import Contact, Cover, tied_across
from fspielm.expr.functions import Field
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.problem.operator import Operator, derivative
from fspielm.problem.problem import Problem
from fspielm.resources import check_deadline

# A trace has this many polynomials fewer than the cell of the higher degree, whose last one is inaccurate. With only
# as many as the lower degree has, the others of the higher degree would be undetermined.
_FEWER = 1
# Samples along an interface.
_SAMPLES = 16


@final
@dataclass(frozen=True, eq=False)
class TraceGroup:
    """Quantities of one kind on several edges.

    Attributes
    ----------
    operators : (Operator, Operator)
        The operators that give the quantity in the first and in the second cell, up to the factors.
    factors : (e,) array
        Of both operators, for each edge.
    cells : (e, 2) integer array
    counts : (e,) integer array
        Numbers of polynomials.
    place : callable
        Maps edges ``(n,)`` and nodes ``(n,)`` from -1 to 1 along these to sites.
    jump : Field or None
        The prescribed difference of the first and the second, if it is not zero.
    shift : (d,) array or None
        The translation from the sites of the first cell to those of the second, if faces are identified.
    """

    operators: tuple[Operator, Operator]
    factors: FloatArray
    cells: Cells
    counts: NDArray[np.int_]
    place: Callable[[NDArray[np.int_], FloatArray], Sites]
    jump: Field | None = None
    shift: FloatArray | None = None

    def sites(self, edges: NDArray[np.int_], nodes: FloatArray) -> tuple[Sites, Sites]:
        """The sites of nodes along edges, for both cells."""
        first = self.place(edges, nodes)
        # both with the normals of the first, so that normal derivatives agree
        return first, first if self.shift is None else Sites(first.points + self.shift, first.normals)

    def localised(self, edges: NDArray[np.int_], both: tuple[Sites, Sites], components: int) -> list[LocalOperator]:
        """The operators of both cells at their sites."""
        found = [localise(operator, sites, components) for operator, sites in zip(self.operators, both, strict=True)]
        return [replace(each, coefficients=_times(each.coefficients, self.factors[edges])) for each in found]

    def values(self, edges: NDArray[np.int_], sites: Sites) -> NumberArray:
        """The difference of the second cell from the trace at its sites: the jump; that of the first one is zero."""
        if self.jump is None:
            return np.zeros(len(sites))
        return np.asarray(-self.factors[edges] * self.jump(sites.points, sites.normals))


def _times(coefficients: NumberArray, factors: FloatArray) -> NumberArray:
    return np.asarray((coefficients[:, None] if coefficients.ndim == 1 else coefficients) * factors)


@final
@dataclass(frozen=True, eq=False)
class Traces:
    """Quantities that two cells share along an edge, as sums of polynomials along it.

    Attributes
    ----------
    groups : tuple of TraceGroup
    cells : (E, 2) integer array
        The cells of all traces, group by group.
    counts, starts : (E,) integer arrays
        Their numbers of polynomials and first columns, counted from zero.
    """

    groups: tuple[TraceGroup, ...]
    cells: Cells
    counts: NDArray[np.int_]
    starts: NDArray[np.int_]

    @property
    def columns(self) -> int:
        """The number of all columns."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        return len(self.counts)


def traces_of(
    problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float], contrasts: Contrasts
) -> Traces:
    """The traces of all edges.

    Within a material these are every unknown and its normal derivatives below the order of the equations; across
    interfaces and identified faces, the quantities prescribed there.
    """
    between = problem, tiling, degrees, scales, contrasts
    groups = (*_at_joints(*between), *_at_contacts(*between), *_at_faces(problem, tiling, degrees, scales))
    none = np.empty((0, 2), dtype=np.intp)
    cells = np.concatenate([none, *(group.cells for group in groups)])
    counts = np.concatenate([none[:, 0], *(group.counts for group in groups)])
    return Traces(groups, cells, counts, np.cumsum(counts) - counts)


def _counts(problem: Problem, highest: NDArray[np.int_]) -> NDArray[np.int_]:
    """Numbers of polynomials along edges, from the higher degree of both cells."""
    return np.ones_like(highest) if problem.dimension == 1 else np.maximum(highest - _FEWER, 1)


def _at_joints(
    problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float], contrasts: Contrasts
) -> Iterator[TraceGroup]:
    lengths = tiling.frames.lengths
    for axis in range(problem.dimension):
        joints = [joint for joint in tiling.joints if joint.axis == axis]
        if not joints:
            continue
        check_deadline()
        cells = np.array([joint.cells for joint in joints])
        at, spans = np.array([joint.at for joint in joints]), np.array([joint.span for joint in joints])
        # the distance over which functions of the highest degree vary
        length = np.min(lengths[cells, axis] / (2 * np.maximum(degrees[cells, axis], 1)), axis=1)
        counts = _counts(problem, degrees[cells, 1 - axis if problem.dimension == 2 else axis].max(axis=1))
        place = partial(_along_joints, axis, problem.dimension, at, spans)
        for unknown, highest in enumerate(orders_along(problem, axis)):
            for order in range(highest):
                across = tuple(order if each == axis else 0 for each in range(problem.dimension))
                plain = derivative(across).on(unknown)
                weights = contrasts.of_fluxes(tiling.materials[cells[:, 0]], plain)
                yield TraceGroup((plain, plain), weights * length**order / scales[unknown], cells, counts, place)


def _at_contacts(
    problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float], contrasts: Contrasts
) -> Iterator[TraceGroup]:
    for number, line in enumerate(problem.interfaces):
        contacts = [contact for contact in tiling.contacts if contact.line == number]
        if not contacts:
            continue
        check_deadline()
        cells = np.array([contact.cells for contact in contacts])
        counts = _counts(problem, degrees[cells].max(axis=(1, 2)))
        place = _place_along(contacts, line.part)
        edges, nodes = _repeated(np.full(len(contacts), _SAMPLES))
        sites = place(edges, nodes)
        for rule in line.rules:
            sizes = []
            for side, operator in enumerate((rule.first, rule.second)):
                local = localise(operator, sites, len(scales))
                own = _sizes_along(cells[:, side], edges, local, tiling, degrees, scales)
                sizes.append(own / contrasts.of_fluxes(tiling.materials[cells[:, side]], operator))
            scale = float(line.condition.weight) / np.max(sizes, axis=0)
            jump = None if rule.value.constant == 0.0 else rule.value
            yield TraceGroup((rule.first, rule.second), scale, cells, counts, place, jump)


def _at_faces(problem: Problem, tiling: Cover, degrees: Degrees, scales: Sequence[float]) -> Iterator[TraceGroup]:
    for relation in problem.relations:
        part, shift = relation.region.part, relation.region.shift
        if part is None or shift is None:
            continue
        contacts = list(tied_across(tiling, part, shift))
        cells = np.array([contact.cells for contact in contacts])
        counts = _counts(problem, degrees[cells].max(axis=(1, 2)))
        place = _place_along(contacts, part)
        edges, nodes = _repeated(np.full(len(contacts), _SAMPLES))
        own = localise(relation.operator, place(edges, nodes), len(scales))
        sizes = [_sizes_along(cells[:, side], edges, own, tiling, degrees, scales) for side in (0, 1)]
        scale = relation.weight / np.max(sizes, axis=0)
        beyond = relation.operator.times(1.0 / relation.region.factor)
        yield TraceGroup((relation.operator, beyond), scale, cells, counts, place, shift=shift)


def _sizes_along(
    cells: Cells,
    edges: NDArray[np.int_],
    operator: LocalOperator,
    tiling: Cover,
    degrees: Degrees,
    scales: Sequence[float],
) -> FloatArray:
    """The size of an operator in a cell of each edge ``(e,)``, from its values along the edge."""
    steep = 2.0 * np.maximum(degrees[cells], 1) / tiling.frames.lengths[cells]
    unknowns = list(operator.unknowns or (0,) * len(operator.orders))
    each = np.asarray(scales)[unknowns] * np.prod(steep[:, None] ** operator.orders, axis=2)
    return rms_of_runs(each[edges].T * _times(operator.coefficients, np.ones(len(edges))), edges, len(cells))


def _repeated(counts: NDArray[np.int_]) -> tuple[NDArray[np.int_], FloatArray]:
    """So many Chebyshev nodes on each edge: the edge of each node, and the node."""
    return np.repeat(np.arange(len(counts)), counts), np.concatenate([np.empty(0), *map(chebyshev, counts.tolist())])


def _along_joints(
    axis: int, dimension: int, at: FloatArray, spans: FloatArray, edges: NDArray[np.int_], nodes: FloatArray
) -> Sites:
    points = np.repeat(at[edges][:, None], dimension, axis=1)
    if dimension == 2:
        low, high = spans[edges].T
        points[:, 1 - axis] = 0.5 * ((1 - nodes) * low + (1 + nodes) * high)
    return Sites(points)


def _place_along(contacts: Sequence[Contact], part: BoundaryPart) -> Callable[[NDArray[np.int_], FloatArray], Sites]:
    starts = np.array([contact.start for contact in contacts])
    ends = np.array([contact.end for contact in contacts])

    def place(edges: NDArray[np.int_], nodes: FloatArray) -> Sites:
        if part.parameters == 0:
            return part.place(np.empty((len(nodes), 0)))
        return part.place((0.5 * ((1 - nodes) * starts[edges] + (1 + nodes) * ends[edges]))[:, None])

    return place


def orders_along(problem: Problem, axis: int) -> list[int]:
    """The highest derivative of each unknown along an axis."""
    highest = [0] * len(problem.unknowns)
    for equation in problem.equations:
        for term in equation.operator.terms:
            highest[term.unknown] = max(highest[term.unknown], int(term.orders[axis]))
    return highest


@cache
def polynomials_along(nodes: int, count: int) -> FloatArray:
    """The polynomials along an edge, of size one, at Chebyshev nodes, shape ``(nodes, count)``."""
    return np.asarray(legvander(chebyshev(nodes), count - 1) * np.sqrt(2 * np.arange(count) + 1.0))
