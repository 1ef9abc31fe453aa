"""Membranes, held or free along their rim: the Laplacian on a plane domain with Dirichlet's or Neumann's condition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Operator, Problem, sides_of
from fspielm.features.characteristic import scene_of
from fspielm.features.special import helmholtz_ratio, is_plane
from fspielm.geometry import Corner, Domain, Edge, Hole, PlaneCurve, Sites, edges_of
from fspielm.geometry.contour import contour_of
from fspielm.geometry.joints import Joint, joints_of
from fspielm.solvers.modes.membranes.lift import TraceField, trace_field
from fspielm.solvers.modes.membranes.wedges import Wedge, corners_of, wedges_of
from fspielm.solvers.modes.pencil import Pencil

# Of Bessel's function of order zero.
_FIRST_ZERO = 2.404825557695773
# Wavenumbers for which slopes at free walls are bounded best, times the radius.
_WAVES = 4.0
# A value of the symbol beside which nothing else of an equation counts; rounding of an energy.
_HUGE, _ROUNDING = 2.0**70, 2e-15
# Where along a curve conditions are looked at, and what is equal but for rounding.
_ALONG, _SAME = np.linspace(0.01, 0.99, 33), 1e-9


@final
@dataclass(frozen=True, eq=False)
class Membrane:
    """``laplacian u + E u = 0`` in the plane, values or slopes zero on the boundary, E linear in the eigenvalue.

    Attributes
    ----------
    pencil : Pencil
    curves : tuple of PlaneCurve
        The boundary.
    free : tuple of bool
        Along which of them slopes are zero, rather than values.
    joints : tuple of Joint
    wedges : tuple of Wedge
        Corners at which modes are singular.
    holes : tuple of Hole
    rate, start : float
        The energy is ``rate * value + start``.
    """

    pencil: Pencil
    curves: tuple[PlaneCurve, ...]
    free: tuple[bool, ...]
    joints: tuple[Joint, ...]
    wedges: tuple[Wedge, ...]
    holes: tuple[Hole, ...]
    rate: float
    start: float

    def energy(self, value: float) -> float:
        """The square of the wavenumber."""
        return self.rate * value + self.start

    def value(self, energy: float) -> float:
        """The eigenvalue."""
        return (energy - self.start) / self.rate

    def error(self, bound: float) -> float:
        """That of a value at most, with a bound for that of its energy: the start of energies is rounded, too."""
        return (bound + _ROUNDING * abs(self.start)) / self.rate

    @property
    def domain(self) -> Domain:
        """Where it is."""
        return self.pencil.problem.domain

    @cached_property
    def length(self) -> float:
        """Of the boundary."""
        return sum(curve.length for curve in self.curves)

    @property
    def rough(self) -> list[tuple[float, float]]:
        """Places of the boundary at which modes are not analytic."""
        return [*(wedge.point for wedge in self.wedges), *(joint.point for joint in self.joints)]

    @cached_property
    def center(self) -> FloatArray:
        """Of the box around it."""
        lower, upper = self.domain.bounding_box
        return np.asarray(0.5 * (lower + upper))

    @cached_property
    def radius(self) -> float:
        """The largest distance of the boundary from the center."""
        return scene_of(self.domain).radius((0, 1))

    @property
    def least(self) -> float:
        """No mode has a lower energy if the rim is held: of all of one area a disk has the lowest (Faber and Krahn)."""
        return math.pi * _FIRST_ZERO**2 / self.domain.measure

    @cached_property
    def field(self) -> TraceField | None:
        """What bounds errors by the slopes at free walls; None if there is none."""
        walls = [curve for curve, free in zip(self.curves, self.free, strict=True) if free]
        return trace_field(self.domain, walls, _WAVES / self.radius)

    @cached_property
    def lifting(self) -> float:
        """What the norm of a harmonic function is at most, in units of that of its values at the boundary.

        Where all of the boundary is seen from the center: with f zero there and ``-laplacian f = w``, the integral of
        ``w^2`` is one of w times the slope of f over the boundary. Rellich's identity for f bounds the slope, of which
        every square has the factor h or more, the distance from the center along the normal; and the gradient of f is
        at most w over the root of the first energy. Infinite elsewhere.
        """
        normals = [(curve.point(curve.grid()) - self.center, curve.normals(curve.grid())) for curve in self.curves]
        least = min(float(np.sum(points * out, axis=1).min()) for points, out in normals)
        return math.sqrt(2 * self.radius / (least * math.sqrt(self.least))) if least > 0 else math.inf

    @property
    def is_held(self) -> bool:
        """Whether values are zero along all of the boundary."""
        return not any(self.free)

    @property
    def is_free(self) -> bool:
        """Whether slopes are: then a constant is a mode, of energy zero."""
        return all(self.free)

    @cached_property
    def _law(self) -> tuple[float, float, float]:
        """What Weyl's law has for the energy, for its root, and beside them: area, boundary, corners and bends."""
        problem = self.pencil.problem
        openings = [corner.opening for corner in corners_of(problem, changes=False)]
        corners = sum(_of_corner(problem, corner) for corner in corners_of(problem))
        bent = 2 * math.pi * (1 - len(self.holes)) - sum(math.pi - opening for opening in openings)
        length = sum(curve.length * (1 if free else -1) for curve, free in zip(self.curves, self.free, strict=True))
        return self.domain.measure / (4 * math.pi), length / (4 * math.pi), corners + bent / (12 * math.pi)

    def weyl(self, energy: float) -> float:
        """How many modes there are below, in the mean: Weyl's law with the terms of boundary, corners and bends."""
        area, boundary, rest = self._law
        return area * energy + boundary * math.sqrt(energy) + rest

    def reaching(self, number: float) -> float:
        """The energy below which there are so many, in the mean."""
        area, boundary, rest = self._law
        under = boundary**2 + 4 * area * max(number - rest, 0.0)
        return ((math.sqrt(under) - boundary) / (2 * area)) ** 2

    def doubts(self, stretches: Sequence[tuple[float, float]]) -> tuple[str, ...]:
        """What to say of stretches in which modes may be missing."""
        return tuple(
            f"between {self.value(low):.8g} and {self.value(high):.8g}, modes as seen from both ends differ, or there "
            "was no time to look: some may be missing, or one too many; look closer there"
            for low, high in stretches
        )

    def density(self, energy: float) -> float:
        """Modes to a unit of the wavenumber, at most about."""
        return self.domain.measure * math.sqrt(energy) / (2 * math.pi)


def membrane_of(pencil: Pencil) -> Membrane | None:
    """The problem as one of a membrane of one piece; None where it is none."""
    problem = pencil.at(0.0)
    if pencil.degree != 1 or not is_plane(problem) or problem.interfaces or problem.missing:
        return None
    if set(pencil.powers[0]) != {equation.name for equation in problem.equations}:
        return None
    start, huge = (helmholtz_ratio(pencil.at(value)) for value in (0.0, _HUGE))
    edges = edges_of(problem.domain, [str(symbol) for symbol in problem.coordinates])
    if start is None or huge is None or huge <= start or edges is None:
        return None
    curves, free, holes = tuple(edge.curve for edge in edges), _free(problem, edges), problem.domain.hole_places()
    if free is None or len(contour_of(curves, "domain").loops) > 1 + len(holes):
        return None
    wedges = wedges_of(problem, curves)
    if wedges is None:
        return None
    return Membrane(pencil, curves, free, joints_of(curves), wedges, holes, (huge - start) / _HUGE, start)


def _free(problem: Problem, edges: Sequence[Edge]) -> tuple[bool, ...] | None:
    """Along which edges slopes are zero, rather than values; None where there is anything else."""
    conditions = [relation for relation in problem.relations if relation.condition is not None]
    if any(each.region.kind != "boundary" or each.region.shift is not None for each in conditions):
        return None
    found = []
    for edge in edges:
        t = edge.curve.parameter(_ALONG)
        sites = Sites(edge.curve.point(t), edge.curve.normals(t))
        own = [each for each in conditions if edge.name in each.part_names and each.holds(sites.points).any()]
        if len(own) != 1 or not own[0].holds(sites.points).all():
            return None
        if own[0].operator.order and not _is_slope(own[0].operator, sites):
            return None
        found.append(own[0].operator.order > 0)
    return tuple(found)


def _is_slope(operator: Operator, sites: Sites) -> bool:
    """Whether it is the derivative along the normal, up to a factor."""
    assert sites.normals is not None
    if any(term.order != 1 for term in operator.terms):
        return False
    along = np.zeros((len(sites), 2))
    for term in operator.terms:
        along[:, term.orders.index(1)] += np.real(term.at(sites))
    aside = along[:, 0] * sites.normals[:, 1] - along[:, 1] * sites.normals[:, 0]
    return bool(np.abs(aside).max() <= _SAME * np.abs(along).max())


def _of_corner(problem: Problem, corner: Corner) -> float:
    """What Weyl's law has for a corner, between sides of one kind or of both."""
    a = corner.opening
    kinds = [{each.operator.order > 0 for each in side} for side in sides_of(problem, corner)]
    if kinds[0] == kinds[1]:
        return (math.pi**2 - a**2) / (24 * math.pi * a)
    return -(math.pi**2 + 2 * a**2) / (48 * math.pi * a)
