"""Incident fields: what an open domain would contain without its objects."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, SupportsFloat, final

import numpy as np
import scipy
import sympy as sp

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import describe, make_field
from fspielm.geometry.boundary import as_plane_point, as_positive, as_vector
from fspielm.numerics.tolerances import ROUNDING
from fspielm.problem.substitutions import Substitutions, as_written, number_in

# Directions of a beam: their range in units of their spread, and their number per spread.
_SPREADS = 6.0
_PER_SPREAD = 8


class Incident(ABC):
    """A known solution of the equation, with all of its derivatives."""

    @abstractmethod
    def derivative(self, points: FloatArray, orders: Sequence[int]) -> NumberArray:
        """The derivative of these orders along the coordinates, at points ``(n, d)``; shape ``(n,)``."""

    def bound(self, givens: Substitutions, coordinates: tuple[sp.Symbol, ...]) -> Incident:
        """The same with given values substituted, as a function of these coordinates."""
        return self

    @property
    def place(self) -> tuple[float, ...] | None:
        """The point where it is singular, if there is one."""
        return None

    def of_unknowns(self, unknowns: Sequence[sp.Basic]) -> tuple[Incident, ...]:
        """The incident field of each unknown; refused for several unknowns unless given by unknown."""
        if len(unknowns) > 1:
            each = ", ".join(f"{unknown}: ..." for unknown in unknowns)
            raise ProblemError(f"incident: say what comes in of each unknown, as in incident={{{each}}}")
        return (self,)

    def without(self, known: Callable[[Incident], bool]) -> Incident | None:
        """The sum without the terms for which `known` is true; None if nothing is left."""
        return None if known(self) else self


@final
@dataclass(frozen=True)
class PlaneWaves(Incident):
    """Plane waves ``sum_j amplitude_j exp(i k direction_j (x - origin))``.

    Attributes
    ----------
    wavenumber : number or Expr
        k.
    directions : tuple of tuples of float
        Of length one.
    amplitudes : tuple of complex
    origin : tuple of float
    """

    wavenumber: Any
    directions: tuple[tuple[float, ...], ...]
    amplitudes: tuple[complex, ...] = (1.0,)
    origin: tuple[float, ...] = ()

    def __str__(self) -> str:
        which = "the plane wave" if len(self.directions) == 1 else f"the sum of {len(self.directions)} plane waves"
        return f"{which} of wavenumber {format_wavenumber(self.wavenumber)}"

    def bound(self, givens: Substitutions, coordinates: tuple[sp.Symbol, ...]) -> PlaneWaves:
        """See `Incident.bound`."""
        found = len(self.directions[0])
        if found != len(coordinates):
            raise ProblemError(f"incident: direction has {found} entries for the {len(coordinates)} coordinates")
        origin, k = self.origin or (0.0,) * found, _wavenumber_value(self.wavenumber, givens)
        if isinstance(k, float) and k < 0:  # the opposite direction
            turned = tuple(tuple(-entry for entry in direction) for direction in self.directions)
            return replace(self, wavenumber=-k, directions=turned, origin=origin)
        return replace(self, wavenumber=k, origin=origin)

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> ComplexArray:
        """See `Incident.derivative`."""
        rates = 1j * self.wavenumber * np.array(self.directions)
        strengths = np.array(self.amplitudes) * np.prod(rates ** np.array(orders), axis=1)
        return np.asarray(np.exp((points - np.array(self.origin)) @ rates.T) @ strengths)


@final
@dataclass(frozen=True)
class Beam(Incident):
    """Plane waves with a Gaussian spread of directions and amplitude one in the focus.

    Attributes
    ----------
    wavenumber : number or Expr
        k.
    direction : tuple of float
        Of length one.
    focus : tuple of float
    waist : float
        Its half-width in the focus.
    """

    wavenumber: Any
    direction: tuple[float, ...]
    focus: tuple[float, ...]
    waist: float

    def __str__(self) -> str:
        return f"the beam of wavenumber {format_wavenumber(self.wavenumber)}"

    def bound(self, givens: Substitutions, coordinates: tuple[sp.Symbol, ...]) -> PlaneWaves:
        """Its plane waves; see `Incident.bound`."""
        k = abs(_wavenumber_value(self.wavenumber, givens))
        if k == 0:
            raise ProblemError("beam: k must not be zero")
        spread = 2.0 / (k * self.waist)
        reach = min(_SPREADS * spread / np.sqrt(2), 0.5 * np.pi)
        # enough for some waists and wavelengths around the focus
        count = int(2 * _PER_SPREAD * max(_SPREADS, k * reach))
        angles = np.linspace(-reach, reach, count)
        strengths = np.exp(-((angles / spread) ** 2))
        around = np.arctan2(self.direction[1], self.direction[0]) + angles
        directions = tuple((float(np.cos(angle)), float(np.sin(angle))) for angle in around)
        waves = PlaneWaves(self.wavenumber, directions, tuple((strengths / strengths.sum()).tolist()), self.focus)
        return waves.bound(givens, coordinates)

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> ComplexArray:
        """See `Incident.derivative`."""
        return self.bound(Substitutions(), sp.symbols("x y")).derivative(points, orders)


@final
@dataclass(frozen=True)
class PointSource(Incident):
    """The field of a point source: ``i/4 H(0, k r)`` in the plane, ``exp(i k r) / (4 pi r)`` in space.

    Attributes
    ----------
    wavenumber : number or Expr
        k.
    at : tuple of float
    """

    wavenumber: Any
    at: tuple[float, ...]

    def __str__(self) -> str:
        return f"the point source of wavenumber {format_wavenumber(self.wavenumber)}"

    @property
    def place(self) -> tuple[float, ...]:
        """The source."""
        return self.at

    def bound(self, givens: Substitutions, coordinates: tuple[sp.Symbol, ...]) -> Incident:
        """See `Incident.bound`."""
        if len(self.at) != len(coordinates):
            raise ProblemError(f"incident: place has {len(self.at)} entries for the {len(coordinates)} coordinates")
        wavenumber = _wavenumber_value(self.wavenumber, givens)
        if wavenumber == 0:
            raise ProblemError("incident: a point source has a wavenumber; state a harmonic field as an expression")
        return replace(self, wavenumber=wavenumber)

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> ComplexArray:
        """See `Incident.derivative`."""
        apart = points - np.array(self.at)
        radius = np.linalg.norm(apart, axis=1)
        total = np.zeros(len(points), dtype=np.complex128)
        # each derivative along x differentiates the radial part, as x (d/dr) / r, or a factor x
        for pairs in product(*(range(order // 2 + 1) for order in orders)):
            share = math.prod(_hermite(order, pair) for order, pair in zip(orders, pairs, strict=True))
            powers = np.prod(apart ** (np.array(orders) - 2 * np.array(pairs)), axis=1)
            total += share * powers * self._radial_derivatives(radius, sum(orders) - sum(pairs))
        return total

    def _radial_derivatives(self, radius: FloatArray, times: int) -> ComplexArray:
        """``(d/dr) / r`` applied `times` times: Hankel functions of higher orders."""
        k = self.wavenumber
        if len(self.at) == 2:
            return np.asarray(0.25j * (-k / radius) ** times * scipy.special.hankel1(times, k * radius))
        z = np.asarray(k * radius, dtype=np.complex128)
        sqrt = np.sqrt(0.5 * np.pi / z)
        return np.asarray(0.25j * k / np.pi * (-k / radius) ** times * sqrt * scipy.special.hankel1(times + 0.5, z))


@final
@dataclass(frozen=True)
class Formula(Incident):
    """A SymPy expression in the coordinates."""

    expression: sp.Expr
    coordinates: tuple[sp.Symbol, ...] = ()

    def __str__(self) -> str:
        return describe(self.expression)

    def bound(self, givens: Substitutions, coordinates: tuple[sp.Symbol, ...]) -> Formula:
        """See `Incident.bound`."""
        return Formula(givens.substitute(self.expression), coordinates)

    def without(self, known: Callable[[Incident], bool]) -> Formula | None:
        """See `Incident.without`."""
        terms = sp.Add.make_args(sp.expand_mul(self.expression))
        left = [term for term in terms if term != 0 and not known(replace(self, expression=term))]
        return replace(self, expression=sp.Add(*left)) if left else None

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> NumberArray:
        """See `Incident.derivative`."""
        return np.asarray(_derivative_of(self.expression, self.coordinates, tuple(orders)).checked(points, "incident"))


@final
@dataclass(frozen=True)
class ByUnknown(Incident):
    """The incident fields of several unknowns, each after its unknown."""

    fields: tuple[tuple[sp.Basic, Incident], ...]

    @property
    def place(self) -> tuple[float, ...] | None:
        """A point where one of them is singular."""
        return next((field.place for _, field in self.fields if field.place is not None), None)

    def bound(self, givens: Substitutions, coordinates: tuple[sp.Symbol, ...]) -> ByUnknown:
        """See `Incident.bound`."""
        return ByUnknown(tuple((unknown, field.bound(givens, coordinates)) for unknown, field in self.fields))

    def of_unknowns(self, unknowns: Sequence[sp.Basic]) -> tuple[Incident, ...]:
        """See `Incident.of_unknowns`."""
        known = dict(self.fields)
        if set(known) != set(unknowns):
            told, wanted = (", ".join(map(str, some)) for some in (known, unknowns))
            raise ProblemError(f"incident: {told} is given where the unknowns are {wanted}")
        return tuple(known[unknown] for unknown in unknowns)

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> NumberArray:
        """The derivative of the only field; see `Incident.derivative`."""
        ((_, field),) = self.fields
        return field.derivative(points, orders)


def _wavenumber_value(k: Any, givens: Substitutions) -> complex:
    """A wavenumber as a number; a float if it is real."""
    value = givens.substitute(as_written(k, "incident: the wavenumber"))
    if value.free_symbols:
        raise ProblemError(f"incident: the wavenumber {k} is no number; supply one, as in given={{{k}: 10.0}}")
    return number_in(value, givens, "incident: the wavenumber")


def format_wavenumber(k: Any) -> str:
    """A wavenumber as text: 7 instead of 7.0 or 7 + 0j."""
    if not isinstance(k, int | float | complex):
        return str(k)
    return f"{k:.6g}" if k.imag else f"{k.real:.6g}"


def _hermite(order: int, pairs: int) -> float:
    """The number of ways to choose `pairs` pairs from `order` items."""
    return math.factorial(order) / float(math.factorial(pairs) * math.factorial(order - 2 * pairs) * 2**pairs)


@lru_cache(maxsize=64)
def _derivative_of(expression: sp.Expr, coordinates: tuple[sp.Symbol, ...], orders: tuple[int, ...]) -> Any:
    wanted = [(symbol, order) for symbol, order in zip(coordinates, orders, strict=True) if order]
    return make_field(expression.diff(*wanted) if wanted else expression, coordinates, what="incident")


# ---- What users write for ``incident=``


def plane_wave(k: Any, direction: Iterable[SupportsFloat]) -> PlaneWaves:
    """The plane wave ``exp(i k direction x)``, for ``incident=``.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    direction : (number, number) or (number, number, number)
        Its direction of travel; of any length.
    """
    return PlaneWaves(_checked(k, "plane_wave"), (_direction(direction, "plane_wave"),))


def point_source(k: Any, place: Iterable[SupportsFloat]) -> PointSource:
    """The field of a point source, for ``incident=``.

    In the plane it is ``i/4 H(0, k r)``, in space ``exp(i k r) / (4 pi r)``.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    place : (number, number) or (number, number, number)
        Outside of all objects.
    """
    at = as_vector(place, "point_source: place")
    if len(at) not in (2, 3):
        raise ProblemError(f"point_source: place must have two coordinates, or three; got {len(at)}: {at}")
    return PointSource(_checked(k, "point_source"), at)


def beam(k: Any, direction: Iterable[SupportsFloat], focus: Iterable[SupportsFloat], waist: SupportsFloat) -> Beam:
    """A Gaussian beam in the plane, for ``incident=``: plane waves with amplitude one in the focus.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    direction : (number, number)
        Its direction of travel, of any length.
    focus : (number, number)
    waist : number
        The distance across the focus at which the amplitude has fallen to 1 / e; a narrow beam needs some wavelengths.
    """
    along = _direction(direction, "beam")
    if len(along) != 2:
        raise ProblemError("beam: beams are those of the plane; in space take fs.plane_wave, or an expression")
    return Beam(_checked(k, "beam"), along, as_plane_point(focus, "beam: focus"), as_positive(waist, "beam: waist"))


def as_incident(value: Any) -> Incident | None:
    """The value of ``incident=`` as an incident field."""
    if value is None or isinstance(value, Incident):
        return value
    if isinstance(value, Mapping):
        return ByUnknown(tuple((unknown, _as_field(field, unknown)) for unknown, field in value.items()))
    if isinstance(value, sp.Expr):
        return Formula(value)
    raise ProblemError(
        "incident must be fs.plane_wave(k, direction), fs.point_source(k, place), fs.beam(...) or a SymPy expression "
        f"in the coordinates, or a dictionary of such by unknown; got {value!r}"
    )


def as_typed(incident: Incident) -> str:
    """An incident field as users write it."""
    if isinstance(incident, PlaneWaves) and len(incident.directions) == 1:
        return f"plane_wave({incident.wavenumber}, {incident.directions[0]})"
    if isinstance(incident, PointSource):
        return f"point_source({incident.wavenumber}, {incident.at})"
    if isinstance(incident, Beam):
        return f"beam({incident.wavenumber}, {incident.direction}, {incident.focus}, {incident.waist})"
    if isinstance(incident, Formula):
        return describe(incident.expression)
    if isinstance(incident, ByUnknown):
        return "{" + ", ".join(f"{unknown}: {as_typed(field)}" for unknown, field in incident.fields) + "}"
    return repr(incident)


def _as_field(value: Any, unknown: Any) -> Incident:
    field = as_incident(sp.sympify(value) if isinstance(value, int | float | complex) else value)
    if field is None or isinstance(field, ByUnknown):
        raise ProblemError(f"incident: what comes in of {unknown} must be an expression or a wave; got {value!r}")
    return field


def _checked(k: Any, who: str) -> Any:
    as_written(k, f"{who}: k")
    return k


def _direction(value: Iterable[SupportsFloat], who: str) -> tuple[float, ...]:
    entries = as_vector(value, f"{who}: direction")
    length = float(np.linalg.norm(entries))
    if len(entries) not in (2, 3) or length == 0.0:
        raise ProblemError(f"{who}: direction must have two entries, or three in space, not all zero; got {entries}")
    # normalised directions stay the same to the last bit
    return tuple(entry if abs(length - 1) < ROUNDING else entry / length for entry in entries)
