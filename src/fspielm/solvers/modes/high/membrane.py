"""Membranes that are held along all of their rim: the Laplacian on a plane domain with Dirichlet's condition."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.features.characteristic import scene_of
from fspielm.features.special import helmholtz_ratio, is_plane, leading_exponent
from fspielm.geometry import Domain, PlaneCurve, edges_of
from fspielm.geometry.contour import contour_of
from fspielm.geometry.joints import Joint, joints_of
from fspielm.solvers.modes.pencil import Pencil

# Exponents that are whole but for so much are.
_WHOLE = 1e-9
# Of Bessel's function of order zero.
_FIRST_ZERO = 2.404825557695773


@final
@dataclass(frozen=True, eq=False)
class Membrane:
    """``laplacian u + E u = 0`` in the plane, zero on the boundary, with the energy E linear in the eigenvalue.

    Attributes
    ----------
    pencil : Pencil
    curves : tuple of PlaneCurve
        The boundary.
    joints : tuple of Joint
    corners : tuple of (float, float)
        Those at which modes are singular: others are those of straight sides that mirror images fill up.
    rate, start : float
        The energy is ``rate * value + start``.
    """

    pencil: Pencil
    curves: tuple[PlaneCurve, ...]
    joints: tuple[Joint, ...]
    corners: tuple[tuple[float, float], ...]
    rate: float
    start: float

    def energy(self, value: float) -> float:
        """The square of the wavenumber."""
        return self.rate * value + self.start

    def value(self, energy: float) -> float:
        """The eigenvalue."""
        return (energy - self.start) / self.rate

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
        return [*self.corners, *(joint.point for joint in self.joints)]

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
        """No mode has a lower energy: among membranes of one area a disk has the lowest (Faber and Krahn)."""
        return math.pi * _FIRST_ZERO**2 / self.domain.measure

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

    def weyl(self, energy: float) -> float:
        """How many modes there are below, in the mean: Weyl's law with the terms of boundary, corners and bends."""
        openings = [corner.opening for corner in self.domain.corners()]
        corners = sum((math.pi**2 - a**2) / (24 * math.pi * a) for a in openings)
        bends = 2 * math.pi - sum(math.pi - a for a in openings)
        whole = self.domain.measure * energy - self.length * math.sqrt(energy)
        return whole / (4 * math.pi) + corners + bends / (12 * math.pi)

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
    """The problem as one of a membrane of one piece, without holes; None where it is none."""
    problem = pencil.at(0.0)
    if pencil.degree != 1 or not is_plane(problem) or problem.interfaces or not _is_held(problem):
        return None
    if set(pencil.powers[0]) != {equation.name for equation in problem.equations}:
        return None
    ratios = [helmholtz_ratio(pencil.at(value)) for value in (0.0, 1.0)]
    edges = edges_of(problem.domain)
    if (
        ratios[0] is None
        or ratios[1] is None
        or ratios[1] <= ratios[0]
        or edges is None
        or problem.domain.hole_places()
    ):
        return None
    curves = tuple(edge.curve for edge in edges)
    if len(contour_of(curves, "domain").loops) > 1:
        return None
    return Membrane(pencil, curves, joints_of(curves), tuple(_singular(problem)), ratios[1] - ratios[0], ratios[0])


def _is_held(problem: Problem) -> bool:
    """Whether values alone are given, along all of the boundary."""
    conditions = [relation for relation in problem.relations if relation.condition is not None]
    return not problem.missing and all(
        relation.region.kind == "boundary" and relation.region.shift is None and relation.operator.order == 0
        for relation in conditions
    )


def _singular(problem: Problem) -> Iterator[tuple[float, float]]:
    for corner in problem.domain.corners([str(symbol) for symbol in problem.coordinates]):
        exponent = leading_exponent(problem, corner)
        if not corner.straight or abs(exponent - round(exponent)) > _WHOLE:
            yield corner.point
