"""What solutions on open domains have beside others: the field that objects add, and what is left of it far away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import ComplexArray, NumberArray
from fspielm.equations import Problem
from fspielm.equations.incident import PlaneWaves
from fspielm.equations.lattice import lattice_of
from fspielm.equations.open_domain import incident_of, wavenumber_in
from fspielm.equations.two_sided import as_one
from fspielm.errors import ProblemError
from fspielm.features import Basis, Component, JoinedBasis
from fspielm.features.outward import HarmonicBasis, IncidentBasis, RegionalBasis
from fspielm.features.outward.folded import FoldedBasis
from fspielm.features.sums_on_cells import SumsOnCells

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution

# Directions for each radian of waves around the objects, and some more: the integral over all is then exact.
_DIRECTIONS = 2.2
_MORE_DIRECTIONS = 64


@final
@dataclass(frozen=True)
class CrossSections:
    """What objects take out of a plane wave of size one, as a width of it (in space, an area).

    Attributes
    ----------
    scattering : float
        What goes elsewhere.
    extinction : float
        All that is missing behind, by the optical theorem.
    """

    scattering: float
    extinction: float

    @property
    def absorption(self) -> float:
        """What objects keep."""
        return self.extinction - self.scattering


def as_stated(problem: Problem, basis: Basis, coefficients: NumberArray) -> tuple[Problem, Basis, NumberArray]:
    """The problem as it was written, and its total field as one sum: what was solved for, and what comes in."""
    incident = incident_of(problem)
    comes_in = [] if incident is None else [IncidentBasis(incident, problem.dimension)]
    if len(problem.unknowns) == 1:
        return (problem, *_joined([basis, *comes_in], coefficients, 1.0))
    outside, inside = (leaf.basis for leaf in basis.leaves if isinstance(leaf, Component))
    first, last = np.split(coefficients, [outside.size])
    total, every = _joined([outside, *comes_in], first, 1.0)
    if isinstance(inside, SumsOnCells):
        inside, last = inside.summed(last), np.ones(1)
    shape = problem.unknowns[1].domain
    stated, both = as_one(problem), RegionalBasis(total, inside, shape)
    lattice = lattice_of(stated)
    return stated, both if lattice is None else FoldedBasis(both, lattice), np.concatenate([every, last])


def _joined(parts: list[Basis], coefficients: NumberArray, amplitude: float) -> tuple[Basis, NumberArray]:
    """Functions, and after them what comes in, so many times."""
    if len(parts) == 1:
        return parts[0], coefficients
    return JoinedBasis(parts), np.append(coefficients, amplitude)


def total(solution: Solution) -> Solution:
    """The field that satisfies the conditions: that of the solution itself."""
    _check_open(solution, "total")
    return solution


def scattered(solution: Solution) -> Solution:
    """What the objects add to the incident field; all of it where nothing comes in."""
    _check_open(solution, "scattered")
    basis, coefficients = solution.basis, solution.coefficients
    if isinstance(basis, FoldedBasis):
        alone = scattered(replace(solution, basis=basis.basis))
        return replace(alone, basis=FoldedBasis(alone.basis, basis.lattice))
    if isinstance(basis, RegionalBasis):
        leaves, inside = basis.outside.leaves, basis.inside
        first, last = np.split(coefficients, [basis.outside.size])
        within, every = _joined([inside, *leaves[1:]], last, -1.0)
        rest = RegionalBasis(leaves[0], within, basis.shape)
        return replace(solution, basis=rest, coefficients=np.concatenate([first[: leaves[0].size], every]))
    if not isinstance(basis.leaves[-1], IncidentBasis):
        return solution
    return replace(solution, basis=basis.leaves[0], coefficients=coefficients[:-1])


def far_field(solution: Solution, angles: ArrayLike) -> ComplexArray:
    """How strongly the objects radiate in directions `angles` ``(n,)``, in radians from the first axis; shape ``(n,)``.

    Far from the objects, at a distance r of the origin, the scattered field is ``far_field exp(i k r) / sqrt(r)``.
    """
    _check_open(solution, "far_field")
    if lattice_of(solution.problem) is not None:
        raise ProblemError("far_field: a grating has no end; where it sends waves is said by solution.orders()")
    if wavenumber_in(solution.problem).imag or not wavenumber_in(solution.problem):
        raise ProblemError("far_field: only undamped waves have one; this equation has no wavenumber, or a complex one")
    directions = np.asarray(angles, dtype=np.float64)
    if directions.ndim != 1 or not np.all(np.isfinite(directions)):
        raise ProblemError(f"far_field: angles must be a sequence of finite numbers, in radians; got {angles!r}")
    alone = scattered(solution)
    return np.asarray(alone.basis.far_field(directions) @ alone.coefficients)


def cross_sections(solution: Solution) -> CrossSections:
    """How much of an incident plane wave goes elsewhere, and how much is missing behind the objects."""
    incident = solution.problem.statement.incident
    if not isinstance(incident, PlaneWaves) or len(incident.directions) > 1:
        raise ProblemError("cross_sections are those of an incident plane wave, incident=fs.plane_wave(k, direction)")
    k = wavenumber_in(solution.problem).real
    lower, upper = solution.problem.domain.bounding_box
    count = int(_DIRECTIONS * k * float(np.linalg.norm(upper - lower))) + _MORE_DIRECTIONS
    around = 2 * np.pi * np.arange(count) / count
    x, y = incident.directions[0]
    ahead = far_field(solution, [np.arctan2(y, x)])[0]
    scattering = 2 * np.pi * float(np.mean(np.abs(far_field(solution, around)) ** 2))
    extinction = -np.sqrt(8 * np.pi / k) * float((np.exp(0.25j * np.pi) * ahead).real)
    return CrossSections(scattering, float(extinction))


def at_infinity(solution: Solution) -> float | complex:
    """The value that what objects add to a harmonic field has far away; waves have none there."""
    _check_open(solution, "at_infinity")
    alone = scattered(solution)
    harmonic = [leaf for leaf in alone.basis.leaves if isinstance(leaf, HarmonicBasis)]
    if not harmonic or not harmonic[0].constant:
        return 0.0
    value = complex(alone.coefficients[0])
    return value if value.imag else value.real


def _check_open(solution: Solution, what: str) -> None:
    if not solution.problem.domain.is_unbounded:
        raise ProblemError(f"{what} is for open domains, fs.Exterior(...); this solution's has an end")
