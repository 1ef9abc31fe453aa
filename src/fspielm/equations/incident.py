"""Fields that come in from outside: what an open domain would have without its objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, SupportsFloat, final

import numpy as np
import scipy
import sympy as sp
from numpy.polynomial import polynomial

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.equations.givens import Givens
from fspielm.errors import ProblemError
from fspielm.expressions import make_field
from fspielm.geometry.inputs import as_plane_point, as_positive, as_vector

# Of a beam: how far its directions go, in units of their spread, and how many there are to each of it.
_SPREADS = 6.0
_PER_SPREAD = 8


class Incident(ABC):
    """A known solution of the equation, with all of its derivatives."""

    @abstractmethod
    def derivative(self, points: FloatArray, orders: Sequence[int]) -> NumberArray:
        """The derivative of these orders along the coordinates, at points ``(n, d)``; shape ``(n,)``."""

    def bound(self, givens: Givens, coordinates: tuple[sp.Symbol, ...]) -> Incident:
        """The same with numbers for given symbols, as a function of these coordinates."""
        return self

    @property
    def place(self) -> tuple[float, ...] | None:
        """Where it is singular, if it is."""
        return None

    def without(self, known: Callable[[Incident], bool]) -> Incident | None:
        """What is left of a sum without the fields in it of which `known` is true; None if nothing is."""
        return None if known(self) else self


@final
@dataclass(frozen=True)
class PlaneWaves(Incident):
    """``sum_j amplitude_j exp(i k direction_j (x - origin))``, or a single one of them.

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

    def bound(self, givens: Givens, coordinates: tuple[sp.Symbol, ...]) -> PlaneWaves:
        """See `Incident.bound`."""
        found = len(self.directions[0])
        if found != len(coordinates):
            raise ProblemError(f"incident: direction has {found} entries for the {len(coordinates)} coordinates")
        origin = self.origin or (0.0,) * found
        return replace(self, wavenumber=_number(self.wavenumber, givens), origin=origin)

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> ComplexArray:
        """See `Incident.derivative`."""
        rates = 1j * self.wavenumber * np.array(self.directions)
        strengths = np.array(self.amplitudes) * np.prod(rates ** np.array(orders), axis=1)
        return np.asarray(np.exp((points - np.array(self.origin)) @ rates.T) @ strengths)


@final
@dataclass(frozen=True)
class PointSource(Incident):
    """The field of a point source in the plane, ``i/4 H(0, k r)``.

    Attributes
    ----------
    wavenumber : number or Expr
        k.
    at : tuple of float
    """

    wavenumber: Any
    at: tuple[float, ...]

    @property
    def place(self) -> tuple[float, ...]:
        """The source."""
        return self.at

    def bound(self, givens: Givens, coordinates: tuple[sp.Symbol, ...]) -> Incident:
        """See `Incident.bound`."""
        if len(self.at) != len(coordinates):
            raise ProblemError(f"incident: place has {len(self.at)} entries for the {len(coordinates)} coordinates")
        return replace(self, wavenumber=_number(self.wavenumber, givens))

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> ComplexArray:
        """See `Incident.derivative`."""
        k, apart = self.wavenumber, points - np.array(self.at)
        zeta = apart[:, 0] + 1j * apart[:, 1]
        radius, turn = np.abs(zeta), zeta / np.abs(zeta)
        total = np.zeros(len(points), dtype=np.complex128)
        m, n = orders
        # d_x = d_zeta + d_conj and d_y = i (d_zeta - d_conj), of which the first lowers the order, the second raises it
        shares = polynomial.polymul(polynomial.polypow([1, 1], m), polynomial.polypow([1j, -1j], n))
        for across, share in enumerate(shares):
            order = 2 * across - m - n
            values = scipy.special.hankel1(order, k * radius) * turn**order
            total += share * (0.5 * k) ** (m + n) * (-1) ** across * values
        return 0.25j * total


@final
@dataclass(frozen=True)
class Formula(Incident):
    """A SymPy expression in the coordinates.

    Attributes
    ----------
    expression : Expr
    coordinates : tuple of Symbol
    """

    expression: sp.Expr
    coordinates: tuple[sp.Symbol, ...] = ()

    def bound(self, givens: Givens, coordinates: tuple[sp.Symbol, ...]) -> Formula:
        """See `Incident.bound`."""
        return Formula(givens.substitute(self.expression), coordinates)

    def without(self, known: Callable[[Incident], bool]) -> Formula | None:
        """See `Incident.without`."""
        terms = sp.Add.make_args(sp.expand_mul(self.expression))
        left = [term for term in terms if term != 0 and not known(replace(self, expression=term))]
        return replace(self, expression=sp.Add(*left)) if left else None

    def derivative(self, points: FloatArray, orders: Sequence[int]) -> NumberArray:
        """See `Incident.derivative`."""
        return np.asarray(_compiled(self.expression, self.coordinates, tuple(orders)).checked(points, "incident"))


def plane_wave(k: Any, direction: Iterable[SupportsFloat]) -> PlaneWaves:
    """The plane wave ``exp(i k direction x)``, for ``incident=``.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    direction : (number, number)
        Where it goes; of any length.
    """
    return PlaneWaves(k, (_direction(direction, "plane_wave"),))


def point_source(k: Any, place: Iterable[SupportsFloat]) -> PointSource:
    """The field of a point source in the plane, ``i/4 H(0, k r)``, for ``incident=``.

    Parameters
    ----------
    k : number or Expr
        The wavenumber of the equation around the objects.
    place : (number, number)
        Outside of all objects.
    """
    return PointSource(k, as_plane_point(place, "point_source: place"))


def beam(
    k: Any, direction: Iterable[SupportsFloat], focus: Iterable[SupportsFloat], waist: SupportsFloat
) -> PlaneWaves:
    """A beam in the plane, for ``incident=``: plane waves of a Gaussian spread of directions, of size one in its focus.

    Parameters
    ----------
    k : number
        The wavenumber of the equation around the objects.
    direction : (number, number)
        Where it goes, of any length.
    focus : (number, number)
    waist : number
        At this distance across from the focus, it has fallen to 1 / e; some wavelengths at least for a beam that
        hardly widens.
    """
    along = _direction(direction, "beam")
    middle = as_plane_point(focus, "beam: focus")
    spread = 2.0 / (abs(complex(k)) * as_positive(waist, "beam: waist"))
    reach = min(_SPREADS * spread / np.sqrt(2), 0.5 * np.pi)
    # as many as tell apart what is some waists and wavelengths away
    count = int(2 * _PER_SPREAD * max(_SPREADS, abs(complex(k)) * reach))
    angles = np.linspace(-reach, reach, count)
    strengths = np.exp(-((angles / spread) ** 2))
    around = np.arctan2(along[1], along[0]) + angles
    directions = tuple((float(np.cos(angle)), float(np.sin(angle))) for angle in around)
    return PlaneWaves(k, directions, tuple((strengths / strengths.sum()).tolist()), middle)


def as_incident(value: Any) -> Incident | None:
    """What was given as ``incident=``, checked."""
    if value is None or isinstance(value, Incident):
        return value
    if isinstance(value, sp.Expr):
        return Formula(value)
    raise ProblemError(
        "incident must be fs.plane_wave(k, direction), fs.point_source(k, place), fs.beam(...) or a SymPy expression "
        f"in the coordinates; got {value!r}"
    )


def _direction(value: Iterable[SupportsFloat], who: str) -> tuple[float, ...]:
    entries = as_vector(value, f"{who}: direction")
    length = float(np.linalg.norm(entries))
    if len(entries) != 2 or length == 0.0:
        raise ProblemError(f"{who}: direction must have two entries, not both zero; got {entries}")
    return tuple(entry / length for entry in entries)


def _number(k: Any, givens: Givens) -> complex:
    """A wavenumber as a number, real where it is."""
    value = givens.substitute(sp.sympify(k))
    if value.free_symbols:
        raise ProblemError(f"incident: the wavenumber {k} is no number; supply one, as in given={{{k}: 10.0}}")
    number = complex(value)
    return number if number.imag else number.real


@lru_cache(maxsize=64)
def _compiled(expression: sp.Expr, coordinates: tuple[sp.Symbol, ...], orders: tuple[int, ...]) -> Any:
    wanted = [(symbol, order) for symbol, order in zip(coordinates, orders, strict=True) if order]
    return make_field(expression.diff(*wanted) if wanted else expression, coordinates, what="incident")
