"""Bases of open domains: incident fields, functions by region, elastic potentials, and the family `Outward`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import Basis, JoinedBasis, LocalOperator, parts_of_sum
from fspielm.basis.outgoing.multipoles import MultipoleBasis
from fspielm.basis.outgoing.radiating import RadiatingBasis
from fspielm.basis.outgoing.space import LayerBasis
from fspielm.basis.random.families import Family, Place
from fspielm.basis.wrapping import Component, DerivedBasis
from fspielm.errors import UnsuitableError
from fspielm.geometry.domain import Domain
from fspielm.problem.operator import Operator, Term
from fspielm.problem.scattering.incident import Incident


@final
class IncidentBasis(Basis):
    """One function: an incident field.

    Parameters
    ----------
    fields : sequence of Incident
        The incident field of each unknown.
    dimension : int
    """

    size = 1
    dtype = np.dtype(np.complex128)

    def __init__(self, fields: Sequence[Incident], dimension: int) -> None:
        self.fields, self.dimension = tuple(fields), dimension
        self.components = len(self.fields)
        self.sources = np.array([own.place for own in fields if own.place is not None]).reshape(-1, dimension)

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The sums on real and imaginary parts; see `Basis.field`."""
        return parts_of_sum(IncidentBasis(self.fields[unknown : unknown + 1], self.dimension), coefficients)

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the function; see `Basis.fill`."""
        out[...] = 0.0
        if len(out):
            unknowns = operator.unknowns or (0,) * len(operator.orders)
            for coefficient, orders, unknown in zip(operator.coefficients, operator.orders, unknowns, strict=True):
                out[0] += coefficient * self.fields[unknown].derivative(operator.points, orders.tolist())


@final
class RegionalBasis(Basis):
    """Functions that are zero in some shapes, followed by functions of each shape that are zero elsewhere.

    Parameters
    ----------
    parts : sequence of Basis
        Complex or real, for a single unknown: outside of all shapes, and in each of them.
    shapes : sequence of Domain
        Nested shapes follow those that contain them. A point in several shapes belongs to the last; boundaries belong
        to the surroundings.
    """

    dtype = np.dtype(np.complex128)

    def __init__(self, parts: Sequence[Basis], shapes: Sequence[Domain]) -> None:
        self.parts = self.made_of = tuple(parts)
        self.outside, *self.inside = parts
        self.shapes = tuple(shapes)
        self.size, self.dimension = sum(part.size for part in self.parts), self.outside.dimension

    def split(self, coefficients: NumberArray) -> list[NumberArray]:
        """The coefficients of each part."""
        return np.split(coefficients, np.cumsum([part.size for part in self.parts])[:-1])

    def far_field(self, angles: FloatArray) -> ComplexArray:
        """The far field of the functions outside; see `Basis.far_field`."""
        zeros = np.zeros((len(angles), self.size - self.outside.size))
        return np.concatenate([self.outside.far_field(angles), zeros], axis=1)

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        owner = np.zeros(len(operator.points), dtype=np.intp)
        for number, shape in enumerate(self.shapes, 1):
            owner[shape._contains(operator.points, False)] = number
        out[...] = 0.0
        start = 0
        for number, basis in enumerate(self.parts):
            begin, end = max(first, start) - start, min(last, start + basis.size) - start
            index = np.flatnonzero(owner == number)
            if begin < end and len(index):
                values = np.empty((end - begin, len(index)), dtype=np.complex128)
                basis.write(operator.select(index), slice(begin, end), values)
                out[begin + start - first : end + start - first, index] = values
            start += basis.size


def elastic_potentials(longitudinal: Basis, transverse: Basis, axes: Sequence[int]) -> Basis:
    """Displacements of elastic bodies: the gradients of the functions of one basis and the curls of those of another.

    Parameters
    ----------
    longitudinal, transverse : Basis
        Solutions of Helmholtz' equation in the plane with the two wavenumbers.
    axes : sequence of int
        The axis of each of the two unknowns.
    """
    gradient = (Term(1.0, (1, 0)), Term(1.0, (0, 1)))
    curl = (Term(1.0, (0, 1)), Term(-1.0, (1, 0)))
    return JoinedBasis(
        [
            DerivedBasis(basis, [Operator(2, (terms[axis],)) for axis in axes])
            for basis, terms in ((longitudinal, gradient), (transverse, curl))
        ]
    )


def at_wavenumbers(basis: Basis, wavenumbers: Sequence[complex], unknown: int = 0) -> Basis:
    """The same functions at other wavenumbers, one for each unknown: around the same centers, of the same orders.

    Except for their sizes, they are analytic in the wavenumbers.

    Raises
    ------
    UnsuitableError
        If functions do not have a wavenumber.
    """
    k = wavenumbers[unknown]
    match basis:
        case JoinedBasis():
            return JoinedBasis([at_wavenumbers(part, wavenumbers, unknown) for part in basis.parts])
        case Component():
            own = at_wavenumbers(basis.basis, wavenumbers, basis.unknown)
            return Component(own, basis.unknown, basis.components, basis.scale)
        case RadiatingBasis():
            return RadiatingBasis(basis.centers, basis.orders, k, basis.scales)
        case LayerBasis():
            sources = at_wavenumbers(basis.basis, wavenumbers, unknown)
            assert isinstance(sources, MultipoleBasis)
            return LayerBasis(sources, basis.layers, basis.sizes)
        case MultipoleBasis():
            return MultipoleBasis(basis.centers, basis.orders, k, basis.scales, regular=basis.regular)
        case _:
            raise UnsuitableError(f"{type(basis).__name__} has functions of no wavenumber of their own")


@final
@dataclass(frozen=True, eq=False)
class Outward(Family):
    """Functions around centers in objects, which satisfy the equation outside and the radiation condition at infinity.

    They are not random: their places follow from the objects.

    Attributes
    ----------
    basis : Basis
    words : str
        Their description, for reports.
    caution : float
        As in `Family`.
    doubted : callable or None
        Computes `doubts` if functions are known to a few digits only.
    """

    satisfies_equation = True

    basis: Basis
    words: str
    caution: float = 1.0
    doubted: Callable[[NumberArray], Mapping[str, float]] | None = None

    @property
    def neurons(self) -> int:  # type: ignore[override]
        """Number of functions."""
        return self.basis.size

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """See `Family.doubts`."""
        return {} if self.doubted is None else self.doubted(coefficients)

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        return self.basis

    def __repr__(self) -> str:
        return f"Outward({self.basis.size}: {self.words})"
