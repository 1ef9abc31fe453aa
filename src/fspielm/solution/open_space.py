"""Scattered fields, far fields, cross sections and diffraction orders of solutions on open domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import Basis, JoinedBasis
from fspielm.basis.evaluation.sums import SLAB
from fspielm.basis.outgoing.family import IncidentBasis, RegionalBasis
from fspielm.basis.outgoing.grating import FoldedBasis, GratingBasis
from fspielm.basis.outgoing.radiating import HarmonicBasis
from fspielm.basis.wrapping import Component, DerivedBasis
from fspielm.cells.basis import SumsOnCells
from fspielm.errors import ProblemError
from fspielm.geometry.shapes.ball import Ball
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.incident import PlaneWaves
from fspielm.problem.scattering.inside import one_unknown_problem
from fspielm.problem.scattering.media import media_of
from fspielm.problem.scattering.open_domain import incident_of, lattice_of, outer_wavenumbers
from fspielm.wording import argument

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


# Directions per radian of waves around the objects, and some more: integrals over all directions are then exact.
_DIRECTIONS_PER_RADIAN = 2.2
_MORE_DIRECTIONS = 64
_SCATTERED = "scattered field"


@final
@dataclass(frozen=True, repr=False)
class CrossSections:
    """What objects take out of a plane wave of size one, as a width in the plane and an area in space.

    Attributes
    ----------
    scattering : float
        What the objects send in other directions.
    extinction : float
        What they take out of the wave in all, by the optical theorem.
    """

    scattering: float
    extinction: float

    @property
    def absorption(self) -> float:
        """What the objects absorb."""
        return self.extinction - self.scattering

    def __repr__(self) -> str:
        names = ("scattering", "extinction", "absorption")
        return f"CrossSections({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


def as_stated(problem: Problem, basis: Basis, coefficients: NumberArray) -> tuple[Problem, Basis, NumberArray]:
    """The problem as it was written, and its total field as one sum: the computed field and the incident one."""
    fields = incident_of(problem)
    incident = [IncidentBasis(fields, problem.dimension)] if fields else []
    media = media_of(problem)
    if not media:
        basis, coefficients = basis.valued(coefficients)
        return (problem, *_joined([basis, *incident], coefficients, 1.0))
    leaves = [leaf for leaf in basis.leaves if isinstance(leaf, Component)]
    each = np.split(coefficients, np.cumsum([leaf.size for leaf in leaves])[:-1])
    (outside, *inside), amplitudes = zip(
        *(_sum_of_unknown(number, leaves, each) for number in range(len(media) + 1)), strict=True
    )
    total, every = _joined([outside, *incident], amplitudes[0], 1.0)
    stated, both = one_unknown_problem(problem), RegionalBasis([total, *inside], [medium.shape for medium in media])
    lattice = lattice_of(stated)
    whole = both if lattice is None else FoldedBasis(both, lattice)
    return stated, whole, np.concatenate([every, *amplitudes[1:]])


def _sum_of_unknown(
    number: int, leaves: Sequence[Component], coefficients: Sequence[NumberArray]
) -> tuple[Basis, NumberArray]:
    """The functions of one unknown and their coefficients; sums on cells become a single function."""
    bases, amplitudes = zip(
        *(leaf.basis.valued(own) for leaf, own in zip(leaves, coefficients, strict=True) if leaf.unknown == number),
        strict=True,
    )
    if isinstance(bases[0], SumsOnCells):
        return bases[0].summed(amplitudes[0]), np.ones(1)
    return bases[0] if len(bases) == 1 else JoinedBasis(bases), np.concatenate(amplitudes)


def _joined(parts: list[Basis], coefficients: NumberArray, amplitude: float) -> tuple[Basis, NumberArray]:
    """The functions, followed by the incident field (if any) with this amplitude."""
    if len(parts) == 1:
        return parts[0], coefficients
    return JoinedBasis(parts), np.append(coefficients, amplitude)


def total(solution: Solution) -> Solution:
    """The field that satisfies the conditions: that of the solution itself."""
    _check_open(solution.problem, "total")
    return solution


def scattered(solution: Solution) -> Solution:
    """What the objects add to the incident field; the whole solution where there is none."""
    _check_open(solution.problem, "scattered")
    basis, coefficients = solution.basis, solution.coefficients
    if isinstance(basis, FoldedBasis):
        alone = scattered(replace(solution, basis=basis.basis))
        return replace(alone, basis=FoldedBasis(alone.basis, basis.lattice))
    if isinstance(basis, RegionalBasis):
        leaves = basis.outside.leaves
        first, *others = basis.split(coefficients)
        within, every = zip(
            *(_joined([own, *leaves[1:]], last, -1.0) for own, last in zip(basis.inside, others, strict=True)),
            strict=True,
        )
        rest = RegionalBasis([leaves[0], *within], basis.shapes)
        without = np.concatenate([first[: leaves[0].size], *every])
        caption = _SCATTERED if len(leaves) > 1 else solution.caption
        return replace(solution, basis=rest, coefficients=without, caption=caption)
    if not isinstance(basis.leaves[-1], IncidentBasis):
        return solution
    assert isinstance(basis, JoinedBasis)  # of the scattered and the incident field
    return replace(solution, basis=basis.parts[0], coefficients=coefficients[:-1], caption=_SCATTERED)


def far_field(solution: Solution, angles: ArrayLike) -> ComplexArray:
    """How strongly the objects radiate in directions `angles`, shape ``(n,)``.

    In the plane angles ``(n,)`` are in radians from the first axis: far from the objects, at a distance r of the
    origin, the scattered field is ``far_field exp(i k r) / sqrt(r)``. In space they are vectors ``(n, 3)`` of any
    length, and it is ``far_field exp(i k r) / r``. Of an elastic body, displacements along and across the direction,
    each of its own wavenumber; shape ``(n, 2)``.
    """
    check_far_field(solution.problem)
    alone = scattered(solution)
    directions = _as_directions(angles, solution.problem.dimension)
    waves = outer_wavenumbers(solution.problem)
    if len(waves) == 1:
        return _radiated(alone.basis, alone.coefficients, directions)
    # the gradient of one potential and the curl of another: see `elastic_potentials`
    one, other = (leaf.basis for leaf in alone.basis.leaves if isinstance(leaf, DerivedBasis))
    first, last = np.split(alone.coefficients, [one.size])
    along, across = _radiated(one, first, directions), _radiated(other, last, directions)
    return np.column_stack([1j * waves[0] * along, -1j * waves[1] * across])


def check_far_field(problem: Problem) -> None:
    """Refuse problems whose solutions have no far field."""
    _check_open(problem, argument("far_field"))
    if lattice_of(problem) is not None:
        raise ProblemError(
            f"{argument('far_field')}: a grating has no end; where it sends waves is said by orders() of the solution"
        )
    if any(k.imag or not k for k in outer_wavenumbers(problem)):
        raise ProblemError(
            f"{argument('far_field')}: only undamped waves have one; this equation has no wavenumber, or a complex one"
        )


def directions_around(problem: Problem) -> int:
    """How many directions in a circle resolve all that objects of this size radiate."""
    lower, upper = problem.domain.bounding_box
    k = max(abs(each) for each in outer_wavenumbers(problem))
    return int(_DIRECTIONS_PER_RADIAN * k * float(np.linalg.norm(upper - lower))) + _MORE_DIRECTIONS


def _radiated(basis: Basis, coefficients: NumberArray, directions: FloatArray) -> ComplexArray:
    """The far field of a sum, some directions at a time: all functions in all directions may take gigabytes."""
    count = max(SLAB // max(basis.size, 1), 1)
    pieces = [directions[begin : begin + count] for begin in range(0, len(directions), count)]
    return np.concatenate([np.empty(0, dtype=np.complex128), *(basis.far_field(d) @ coefficients for d in pieces)])


def _as_directions(angles: ArrayLike, dimension: int) -> FloatArray:
    """Angles in the plane, vectors of length one in space."""
    try:
        directions = np.asarray(angles, dtype=np.float64)
    except (TypeError, ValueError):
        raise ProblemError(f"far_field: angles must be numbers, or vectors in space; got {angles!r}") from None
    if dimension == 2:
        if directions.ndim != 1 or not np.all(np.isfinite(directions)):
            raise ProblemError(f"far_field: angles must be a sequence of finite numbers, in radians; got {angles!r}")
        return directions
    lengths = np.linalg.norm(directions, axis=-1, keepdims=True)
    if directions.ndim != 2 or directions.shape[1] != 3 or not np.all(np.isfinite(directions) & (lengths > 0)):
        raise ProblemError(f"far_field: in space, directions must be vectors (n, 3), none of them zero; got {angles!r}")
    return np.asarray(directions / lengths)


def cross_sections(solution: Solution) -> CrossSections:
    """How much of an incident plane wave the objects scatter, and how much they take out of it in all."""
    fields = incident_of(solution.problem) if solution.problem.domain.is_unbounded else ()
    incident = fields[0] if len(fields) == 1 else None
    if not isinstance(incident, PlaneWaves) or len(incident.directions) > 1:
        raise ProblemError("cross_sections are those of an incident plane wave, incident=fs.plane_wave(k, direction)")
    k, count = outer_wavenumbers(solution.problem)[0].real, directions_around(solution.problem)
    if solution.problem.dimension == 3:
        ahead = far_field(solution, incident.directions)[0]
        rule = Ball((0, 0, 0), 1).boundary()[0].quadrature(count**2 // 2)
        scattering = float(rule.weights @ np.abs(far_field(solution, rule.points)) ** 2)
        return CrossSections(scattering, 4 * np.pi / k * float(ahead.imag))
    around = 2 * np.pi * np.arange(count) / count
    x, y = incident.directions[0]
    ahead = far_field(solution, [np.arctan2(y, x)])[0]
    scattering = 2 * np.pi * float(np.mean(np.abs(far_field(solution, around)) ** 2))
    extinction = -np.sqrt(8 * np.pi / k) * float((np.exp(0.25j * np.pi) * ahead).real)
    return CrossSections(scattering, float(extinction))


def at_infinity(solution: Solution) -> float | complex:
    """The value far away of what objects add to a harmonic field; zero for waves."""
    _check_open(solution.problem, "at_infinity")
    alone = scattered(solution)
    harmonic = [leaf for leaf in alone.basis.leaves if isinstance(leaf, HarmonicBasis)]
    if not harmonic or not harmonic[0].constant:
        return 0.0
    value = complex(alone.coefficients[0])
    return value if value.imag else value.real


def _check_open(problem: Problem, what: str) -> None:
    if not problem.domain.is_unbounded:
        raise ProblemError(
            f"{what} is for open domains, fs.Exterior(...) or exterior = [...] in problem files; this one has an end"
        )


@final
@dataclass(frozen=True, eq=False)
class Orders:
    """The plane waves that leave a grating on the incident side (reflected) and on the other (transmitted).

    Attributes
    ----------
    numbers : (J,) array of int
        Order j has the wavenumber ``k cos(angle of incidence) + 2 pi j / period`` along the grating.
    along, across : (J,) arrays
        The wavenumbers along the grating, and away from it.
    reflected_amplitudes, transmitted_amplitudes : (J,) arrays
        Factors of ``exp(i (along x + across |y|))`` for an incident wave of size one.
    """

    numbers: NDArray[np.int_]
    along: FloatArray
    across: FloatArray
    reflected_amplitudes: ComplexArray
    transmitted_amplitudes: ComplexArray

    @property
    def reflected(self) -> FloatArray:
        """The share of the power that each order reflects, ``(J,)``."""
        return self._shares(self.reflected_amplitudes)

    @property
    def transmitted(self) -> FloatArray:
        """The share of the power that each order transmits, ``(J,)``."""
        return self._shares(self.transmitted_amplitudes)

    @property
    def absorbed(self) -> float:
        """The share of the power that is lost."""
        return 1.0 - float(self.reflected.sum() + self.transmitted.sum())

    def _shares(self, amplitudes: ComplexArray) -> FloatArray:
        incident = self.across[self.numbers == 0]
        return np.asarray(np.abs(amplitudes) ** 2 * self.across / incident)


def orders(solution: Solution) -> Orders:
    """The plane waves that leave a grating, ``fs.Exterior(..., period=...)``."""
    lattice = lattice_of(solution.problem)
    if lattice is None:
        raise ProblemError("orders are those of a grating, fs.Exterior(..., period=...), which this domain is not")
    (incident,) = incident_of(solution.problem)
    assert isinstance(incident, PlaneWaves)  # or there would be no lattice
    alone = scattered(solution)
    basis = alone.basis.basis if isinstance(alone.basis, FoldedBasis) else alone.basis
    outside = basis.outside if isinstance(basis, RegionalBasis) else basis
    assert isinstance(outside, GratingBasis)  # of every grating
    numbers, along, across = lattice.orders()
    up, down = (outside.amplitudes(sign)[1] @ alone.coefficients[: outside.size] for sign in (1, -1))
    back, on = (up, down) if incident.directions[0][1] < 0 else (down, up)
    return Orders(numbers, along, across.real, back, on + (numbers == 0))
