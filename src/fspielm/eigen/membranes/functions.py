"""Functions that satisfy the equation of a membrane at an energy, and tables of their values and slopes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.basis.basis import COSINE, Basis, JoinedBasis, RidgeBasis
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.exact.family import Characteristic
from fspielm.basis.exact.laws import directions_needed
from fspielm.basis.singular.columns import joint_sources, multipoles
from fspielm.basis.singular.outgoing import Outgoing, SourceBasis
from fspielm.basis.singular.singular import CornerFunction, SingularBasis, Wave
from fspielm.eigen.membranes.membrane import Membrane
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Hole
from fspielm.problem.operator import derivative, identity

# ---- Functions that satisfy the equation of a membrane at an energy


@final
@dataclass(frozen=True)
class Choice:
    """The number of functions of each kind."""

    sources: int = 0  # sources on either side of each joint
    waves: float = 1.0  # plane waves, in units of the necessary number
    degree: float = 10.0  # the highest exponent of corner functions
    away: float = 0.0  # how far from the boundary sources are all around, relative to the radius; zero without them
    orders: float = 1.0  # the share of orders in holes, beyond those that oscillate


@final
@dataclass(frozen=True, eq=False)
class Functions:
    """Waves and further columns."""

    choice: Choice
    family: Characteristic
    drawn: Basis
    columns: tuple[Basis, ...]

    @property
    def basis(self) -> Basis:
        """The basis of all functions."""
        return JoinedBasis([self.drawn, *self.columns]) if self.columns else self.drawn

    def zero_satisfied_traces(self, membrane: Membrane, curve: NDArray[np.intp], traces: FloatArray) -> None:
        """Set traces to zero, in place, of corner functions on the sides whose conditions they satisfy exactly.

        `curve` has the number of the curve for each row.
        """
        first = self.drawn.size
        for wedge, own in zip(membrane.wedges, self.columns, strict=False):
            if wedge.turn is not None:
                traces[np.isin(curve, wedge.sides), first : first + own.size] = 0.0
            first += own.size

    @property
    def special(self) -> int:
        """The number of functions of corners and holes."""
        return sum(each.size for each in self.columns if isinstance(each, SingularBasis))

    @property
    def closest(self) -> float:
        """The least distance of sources from the boundary; infinite without sources."""
        clear = [c.clearances.min() for c in self.columns if isinstance(c, SourceBasis)]
        return float(min(clear, default=np.inf))


def functions_at(membrane: Membrane, energy: float, choice: Choice) -> Functions:
    """Plane waves in equally spaced directions, functions of corners and holes, and sources near joints."""
    k = math.sqrt(energy)
    count = math.ceil(0.5 * choice.waves * directions_needed(k * membrane.radius, 2))
    angles = np.pi * (np.arange(count) + 0.5) / count
    W = np.tile(k * np.column_stack([np.cos(angles), np.sin(angles)]), (2, 1))
    waves = RidgeBasis(W, np.repeat([0.0, -0.5 * np.pi], count), COSINE, origin=membrane.center)
    wedges = (wedge.functions(k, choice.degree) for wedge in membrane.wedges)
    holes = (SingularBasis(hole.center, 0.0, hole.radius, _in_hole(hole, energy, choice)) for hole in membrane.holes)
    sources = joint_sources(membrane.joints, choice.sources, energy, membrane.domain)
    drawn: Basis = waves
    if choice.away:
        points, clearances = membrane.places_around(choice.away * membrane.radius)
        drawn = JoinedBasis([waves, SourceBasis(points, energy, clearances)])
    return Functions(
        choice, Characteristic(drawn.size), drawn, (*wedges, *holes, *(() if sources is None else (sources,)))
    )


def _in_hole(hole: Hole, energy: float, choice: Choice) -> Sequence[CornerFunction]:
    every, waves = multipoles(hole, energy), math.sqrt(energy) * hole.radius
    return every[: math.ceil(waves + choice.orders * (len(every) - waves))]


# ---- Tables of all functions at once
# Waves around one place have Bessel functions of neighbouring orders: one recurrence gives all of them, and slopes.

# Orders beyond the last, and beyond the argument, at which Miller's recurrence begins: so many, and so many times the
# cube root. Beyond the largest argument its sums overflow.
_FURTHER, _CUBE_ROOTS, _LARGEST = 16, 14.0, 900.0


@final
@dataclass(frozen=True, eq=False)
class Table:
    """Functions at points: their values and derivatives along both axes, each ``(n, M)``."""

    values: FloatArray
    x: FloatArray
    y: FloatArray


def table_of(basis: Basis, points: FloatArray) -> Table:
    """All functions of a basis at points ``(n, 2)``."""
    parts = [_leaf_table(leaf, points) for leaf in basis.leaves]
    return Table(*(np.concatenate(each).T for each in zip(*parts, strict=True)))


def _leaf_table(leaf: Basis, points: FloatArray) -> Sequence[FloatArray]:
    """Values and both derivatives, each ``(M, n)``."""
    if isinstance(leaf, RidgeBasis) and leaf.activation is COSINE:
        phase = leaf.W @ (points - leaf.origin).T + leaf.b[:, None]
        slope = -np.sin(phase)
        return np.cos(phase), leaf.W[:, :1] * slope, leaf.W[:, 1:] * slope
    if isinstance(leaf, SourceBasis) and leaf.ratio > 0:
        return _source_table(leaf, points)
    if isinstance(leaf, SingularBasis) and (waves := _table_of_waves(leaf, points)) is not None:
        return waves
    sites = Sites(points)
    return [tabulate(leaf, each, sites, threads=1).T for each in (identity(2), derivative((1, 0)), derivative((0, 1)))]


def _source_table(leaf: SourceBasis, points: FloatArray) -> Sequence[FloatArray]:
    k = math.sqrt(leaf.ratio)
    x, y = (points[:, axis] - leaf.points[:, axis, None] for axis in (0, 1))
    r, near = np.hypot(x, y), k * leaf.clearances
    size = np.hypot(scipy.special.y0(near), scipy.special.j0(near))[:, None]
    slope = -k * scipy.special.y1(k * r) / (r * size)
    return scipy.special.y0(k * r) / size, slope * x, slope * y


def _table_of_waves(leaf: SingularBasis, points: FloatArray) -> Sequence[FloatArray] | None:
    """The functions of one corner or hole; None if they are of other kinds."""
    first, zeta = leaf.functions[0], leaf.zeta(points)
    radius, angle = np.abs(zeta), np.angle(zeta)
    if not isinstance(first, Wave | Outgoing) or first.wavenumber * radius.max() > _LARGEST:
        return None
    kind, k = type(first), first.wavenumber
    waves = [each for each in leaf.functions if isinstance(each, Wave | Outgoing) and type(each) is kind]
    alike = all((w.wavenumber, w.modified, getattr(w, "logarithm", False)) == (k, False, False) for w in waves)
    if not alike or len(waves) < len(leaf.functions):
        return None
    orders = np.array([float(each.order) for each in waves])
    within = np.linspace(0.0, 1.0, 200)[1:] if kind is Wave else np.ones(1)  # where sizes are measured
    radial = (_bessel_j if kind is Wave else _bessel_y)(orders, k * np.append(radius, within))
    at_rim = radial[:, 1, len(radius) :]
    sizes = np.abs(at_rim).max(axis=1) if kind is Wave else np.hypot(at_rim[:, 0], scipy.special.jv(orders, k))
    phases = np.exp(1j * np.array([getattr(each, "turn", None) or 0.0 for each in waves]))
    below, own, above = (radial[:, place, : len(radius)] for place in range(3))
    around, once = np.exp(1j * orders[:, None] * angle) * (phases / sizes)[:, None], np.exp(1j * angle)
    turn = 0.5 * k * np.exp(-1j * leaf.axis) / leaf.scale
    falling, rising = turn * below * around / once, np.conj(turn) * above * around * once
    tables = own * around, falling - rising, 1j * (falling + rising)
    parts = [(place, part) for place, each in enumerate(waves) for part in range(1 if each.is_real else 2)]
    places, imaginary = (np.array(each) for each in zip(*parts, strict=True))
    return [np.where(imaginary[:, None] == 1, each.imag[places], each.real[places]) for each in tables]


def _bessel_y(orders: FloatArray, z: FloatArray) -> FloatArray:
    """Y of each order less one, itself and plus one, ``(K, 3, n)``; orders are whole and ascend from zero."""
    chain = [-scipy.special.y1(z), scipy.special.y0(z)]
    for order in range(round(orders.max()) + 1):
        chain.append(2 * order / z * chain[-1] - chain[-2])
    return np.array(chain)[np.rint(orders).astype(int)[:, None] + np.arange(3)]


def _bessel_j(orders: FloatArray, z: FloatArray) -> FloatArray:
    """J of each order less one, itself and plus one, ``(K, 3, n)``."""
    found = np.empty((len(orders), 3, len(z)))
    steps = np.floor(orders)
    for base in np.unique(np.round(orders - steps, 12)):
        own = np.flatnonzero(np.round(orders - steps, 12) == base)
        chain = _miller(float((orders - steps)[own[0]]), int(steps[own].max()) + 1, z)
        found[own] = chain[steps[own].astype(int)[:, None] + np.arange(3)]
    return found


def _miller(base: float, last: int, z: FloatArray) -> FloatArray:
    """J of the orders ``base - 1`` to ``base + last``, with `base` from zero to one, ``(last + 2, n)``.

    By the recurrence down from an order where J is tiny, in units of the leading term of its series; Neumann's sum of
    even places, which is ``(z / 2)^base``, gives the size.
    """
    most = max(last, float(z.max()))
    top = 2 * math.ceil(0.5 * (most + _CUBE_ROOTS * math.cbrt(most) + _FURTHER))
    square = 0.25 * z**2
    shares = np.ones((top + 2, len(z)))
    for n in range(top, 0, -1):
        shares[n - 1] = shares[n] - square / ((base + n) * (base + n + 1)) * shares[n + 1]
    leading = np.ones((top + 2, len(z)))
    leading[0] = 1.0 / math.gamma(base + 1)
    np.divide(0.5 * z, base + np.arange(1, top + 2)[:, None], out=leading[1:])
    chain = np.cumprod(leading, axis=0) * shares
    k = np.arange(1, top // 2 + 1)
    weights = math.gamma(base + 1) * np.append(
        1.0, (base + 2 * k) * np.cumprod(np.append(1.0, (base + k[:-1]) / (k[:-1] + 1)))
    )
    chain = chain[: last + 1] * ((0.5 * z) ** base / (weights @ chain[: top + 1 : 2]))
    below = 2 * base / z * chain[0] - chain[1]
    return np.concatenate([below[None], chain])
