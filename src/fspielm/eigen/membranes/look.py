"""Modes around one energy, from functions that satisfy the equation there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.basis.basis import COSINE, Basis, JoinedBasis, RidgeBasis
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.exact.family import Characteristic, realise
from fspielm.basis.exact.laws import Space, directions_needed, scene_of, steady_frequencies
from fspielm.basis.exact.symbol import problem_symbol
from fspielm.basis.singular.columns import joint_sources, multipoles
from fspielm.basis.singular.outgoing import SourceBasis
from fspielm.basis.singular.singular import SingularBasis
from fspielm.eigen.membranes.membrane import Membrane
from fspielm.eigen.modes import widest_gap
from fspielm.geometry.boundary import Sites
from fspielm.geometry.curves import PlaneCurve
from fspielm.problem.operator import derivative, identity

# ---- Places along the boundary of a membrane, with weights


# Places of a panel, and of panels that halve toward the ends of a curve; panels of a curve, at least.
_PANEL, _HALVED, _FEWEST = 10, 6, 3
# Toward a corner, with functions like powers of the distance: panels that halve, then one with places that crowd.
_TOWARD, _LAST = 3, 16
# As which power of their number they crowd: closer to a corner than with the most, places would be rounded to it.
_LEAST_POWER, _MOST_POWER = 3.0, 5.0
# What counts as one place, of a curve's length.
_CLOSE = 1e-9


@final
@dataclass(frozen=True, eq=False)
class Rim:
    """Where integrals over the boundary are taken.

    Attributes
    ----------
    center : (2,) array
        Of the membrane.
    points, normals : (n, 2) array
    weights : (n,) array
    curve : (n,) integer array
        The number of the curve that points are on.
    free : (n,) array of bool
        Where slopes are zero, rather than values.
    """

    center: FloatArray
    points: FloatArray
    normals: FloatArray
    weights: FloatArray
    curve: NDArray[np.intp]
    free: BoolArray

    @property
    def sites(self) -> Sites:
        """Points and normals."""
        return Sites(self.points, self.normals)

    @property
    def tangents(self) -> FloatArray:
        """Along the boundary."""
        return np.column_stack([-self.normals[:, 1], self.normals[:, 0]])

    @cached_property
    def out(self) -> FloatArray:
        """How far points are from the center along their normals."""
        return np.asarray(np.sum((self.points - self.center) * self.normals, axis=1))

    @cached_property
    def on(self) -> FloatArray:
        """The same along their tangents."""
        return np.asarray(np.sum((self.points - self.center) * self.tangents, axis=1))


def rim_of(membrane: Membrane, spacing: float, closest: float) -> Rim:
    """Gauss' rule on panels, with places so far apart; toward joints panels halve until they are that short."""
    parts = [_along(curve, spacing, closest, membrane) for curve in membrane.curves]
    curve = np.repeat(np.arange(len(parts)), [len(weights) for _, _, weights in parts])
    points, normals, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Rim(membrane.center, points, normals, weights, curve, np.array(membrane.free)[curve])


def _along(
    curve: PlaneCurve, spacing: float, closest: float, membrane: Membrane
) -> tuple[FloatArray, FloatArray, FloatArray]:
    number = max(math.ceil(curve.length / (spacing * _PANEL)), _FEWEST)
    ends = np.linspace(0.0, 1.0, number + 1)
    halvings = max(math.ceil(math.log2(curve.length / (number * closest))), 1)

    def toward(end: FloatArray) -> tuple[FloatArray, FloatArray]:
        near = _CLOSE * curve.length
        if any(math.dist(end, joint.point) <= near for joint in membrane.joints):
            return _panels(np.append(0.0, 0.5 ** np.arange(halvings, -1, -1) / number), _HALVED)
        for wedge in membrane.wedges:
            if math.dist(end, wedge.point) <= near:
                halved = 0.5 ** np.arange(_TOWARD, -1, -1) / number
                return _joined(_crowded(halved[0], wedge.exponents[0]), _panels(halved, _HALVED))
        return _panels(ends[:2], _PANEL)

    first, last = (toward(end) for end in curve.ends)
    middle = _panels(ends[1:-1], _PANEL)
    t = curve.parameter(np.concatenate([first[0], middle[0], 1.0 - last[0]]))
    weights = np.concatenate([first[1], middle[1], last[1]]) * curve.length
    return curve.point(t), curve.normals(t), weights


def _crowded(length: float, exponent: float) -> tuple[FloatArray, FloatArray]:
    """From zero on, for squares of slopes of functions that begin with this exponent: these become whole powers."""
    share = 2 * exponent - 1
    power = min(math.ceil(_LEAST_POWER * share) / share, _MOST_POWER)
    nodes, weights = _panels(np.array([0.0, 1.0]), _LAST)
    return length * nodes**power, length * power * nodes ** (power - 1) * weights


def _joined(one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]])


def _panels(ends: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = _gauss(count)
    lengths = np.diff(ends)[:, None]
    return (ends[:-1, None] + lengths * 0.5 * (nodes + 1)).ravel(), (lengths * 0.5 * weights).ravel()


@cache
def _gauss(count: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights


# ---- Functions that satisfy the equation of a membrane at an energy


@final
@dataclass(frozen=True)
class Choice:
    """Which functions.

    Attributes
    ----------
    sources : int
        On either side of each joint.
    waves : float
        In units of those that are needed.
    degree : float
        The highest exponent of functions of corners.
    exponentials : int
        Functions that oscillate along a line and fall off from it, within less than a wavelength.
    """

    sources: int = 0
    waves: float = 1.0
    degree: float = 10.0
    exponentials: int = 0


@final
@dataclass(frozen=True, eq=False)
class Functions:
    """Waves, and columns beside them."""

    family: Characteristic
    drawn: Basis
    columns: tuple[Basis, ...]

    @property
    def basis(self) -> Basis:
        """All of them."""
        return JoinedBasis([self.drawn, *self.columns]) if self.columns else self.drawn

    def silence(self, membrane: Membrane, curve: NDArray[np.intp], traces: FloatArray) -> None:
        """Make traces zero, in place, of functions that suit both sides of a corner there: what they are is rounding.

        `curve` has the number of the curve for each row.
        """
        first = self.drawn.size
        for wedge, own in zip(membrane.wedges, self.columns, strict=False):
            if wedge.turn is not None:
                traces[np.isin(curve, wedge.sides), first : first + own.size] = 0.0
            first += own.size

    @property
    def special(self) -> int:
        """How many belong to corners and holes."""
        return sum(each.size for each in self.columns if isinstance(each, SingularBasis))

    @property
    def closest(self) -> float:
        """How close sources are to the boundary; infinite without any."""
        clear = [c.clearances.min() for c in self.columns if isinstance(c, SourceBasis)]
        return float(min(clear, default=np.inf))


def functions_at(membrane: Membrane, energy: float, choice: Choice) -> Functions:
    """Plane waves in directions of equal angles, functions of corners and holes, and sources toward joints."""
    k = math.sqrt(energy)
    count = math.ceil(0.5 * choice.waves * directions_needed(k * membrane.radius, 2))
    angles = np.pi * (np.arange(count) + 0.5) / count
    W = np.tile(k * np.column_stack([np.cos(angles), np.sin(angles)]), (2, 1))
    waves = RidgeBasis(W, np.repeat([0.0, -0.5 * np.pi], count), COSINE, origin=membrane.center)
    wedges = (wedge.functions(k, choice.degree) for wedge in membrane.wedges)
    holes = (SingularBasis(hole.center, 0.0, hole.radius, multipoles(hole, energy)) for hole in membrane.holes)
    sources = joint_sources(membrane.joints, choice.sources, energy, membrane.domain)
    drawn = JoinedBasis([waves, _exponentials(membrane, energy, choice)]) if choice.exponentials else waves
    return Functions(Characteristic(drawn.size), drawn, (*wedges, *holes, *(() if sources is None else (sources,))))


def _exponentials(membrane: Membrane, energy: float, choice: Choice) -> Basis:
    scene, rng = scene_of(membrane.domain), np.random.default_rng(0)  # the same at every energy
    space = Space((0, 1), np.zeros(2), membrane.radius)
    symbol = problem_symbol(membrane.pencil.at(membrane.value(energy)))
    return realise(steady_frequencies(symbol, space, choice.exponentials, rng, waves=False), scene, rng)


# ---- Modes around one energy, from functions that satisfy the equation there
# What a function has at the boundary that a mode has not is its trace: values where modes are zero, slopes where those
# are. The others are its fluxes. For functions of one energy E, the integral of traces of u times fluxes of v over the
# boundary, with the sign changed where slopes are the traces, is symmetric in u and v. With v a mode of the energy E +
# m, it is minus m times the integral of ``u v`` over the domain. So with K the former and M the latter, ``-K c = m M
# c`` gives the distances m of all modes around, those ahead and those behind, to the first order, among functions whose
# traces are small. The integral over the domain is one over the boundary too (Rellich).


# Modes are around if their wavenumber is no farther than that over the radius of the membrane.
AROUND = 0.45
# Places inside: some, and for each mode around; or for each function of a corner or hole.
_INSIDE, _EACH, _EACH_SPECIAL = 120, 10.0, 1.2
# Places of the boundary to a wavelength, to a wave and to a function of a corner or hole, at least; the least distance
# from a joint that matters, of the radius.
_TO_WAVELENGTH, _TO_WAVE, _TO_SPECIAL, _CLOSEST = 9.0, 2.0, 1.5, 1e-5
# What functions may have at the boundary beside their norm inside, to be close to modes of a membrane of radius one.
_SMALL = 1.0
# Functions that others make up to so much are left out.
_DEPENDENT = 1e-13
# Of the largest square of a norm, what is no rounding.
_POSITIVE = 1e-2
# Values at the boundary, in units of those of a mode that is stretched, and what they may be beside.
_STRETCHED, _ROUNDING = 1.5, 1e-2
# Distances within which modes are looked for, each half of the last.
_LEVELS = 6


@final
@dataclass(frozen=True, eq=False)
class Look:
    """What is around an energy.

    Attributes
    ----------
    energy : float
    distances : (m,) array
        Of the modes from there, the closest first.
    traces : (n, r) array
        Of functions for which they are small, times roots of weights: values, or minus slopes over the wavenumber.
    fluxes : (n, r) array
        Slopes, or values times the wavenumber, likewise.
    gram : (r, r) array
        Integrals of their products over the domain.
    coefficients : (M, r) array
    rank : int
        How many functions do not depend on others.
    condition : float
        Of those.
    functions : Functions
    """

    energy: float
    distances: FloatArray
    traces: FloatArray
    fluxes: FloatArray
    gram: FloatArray
    coefficients: FloatArray
    rank: int
    condition: float
    functions: Functions

    @property
    def energies(self) -> FloatArray:
        """Where modes are."""
        return self.energy + self.distances

    def smallest(self, count: int) -> FloatArray:
        """Coefficients ``(M, count)`` of those that are smallest at the boundary, orthonormal."""
        return np.asarray(self.coefficients @ self._smallest(count))

    def shifts(self, count: int) -> FloatArray:
        """The distances of so many modes that are all but there, ascending: others have no part in them."""
        c = self._smallest(count)
        K = (self.traces @ c).T @ (self.fluxes @ c)
        return np.asarray(np.linalg.eigvalsh(-0.5 * (K + K.T)))

    def _smallest(self, count: int) -> FloatArray:
        _, _, Yh = np.linalg.svd(self.traces, full_matrices=False)
        Y = Yh[-count:].T
        return np.asarray(np.linalg.solve(np.linalg.cholesky(Y.T @ self.gram @ Y), Y.T).T)


def look_at(membrane: Membrane, energy: float, choice: Choice, threads: int) -> Look:
    """The modes around an energy."""
    functions = functions_at(membrane, energy, choice)
    inside = _inside(membrane, energy, functions.special)
    wavelengths, waves = math.sqrt(energy) * membrane.length / (2 * math.pi), functions.drawn.size
    places = max(_TO_WAVELENGTH * choice.waves * wavelengths, _TO_WAVE * waves, _TO_SPECIAL * functions.special)
    in_holes = functions.columns[len(membrane.wedges) :]
    around = [2 * math.pi * hole.radius / own.size for hole, own in zip(membrane.holes, in_holes, strict=False)]
    spacing = min([membrane.length / places, *(each / _TO_WAVE for each in around)])
    rim = rim_of(membrane, spacing, min(functions.closest, _CLOSEST * membrane.radius))
    u, v, along = _on_rim(functions.basis, rim, threads)
    trace, flux = _exchanged(rim, math.sqrt(energy), u, v)
    functions.silence(membrane, rim.curve, trace)
    middle = tabulate(functions.basis, identity(2), inside, threads=threads)
    middle = middle * math.sqrt(membrane.domain.measure / len(inside))
    rows = np.concatenate([trace, middle])
    sizes = np.linalg.norm(rows, axis=0)
    Q, R = np.linalg.qr(rows / sizes)
    U, S, Vh = np.linalg.svd(R)
    kept = _DEPENDENT * S[0] < S
    Q, inverse = Q @ U[:, kept], Vh[kept].T / S[kept]
    # of what is close to a mode, most is inside
    _, cosines, Yh = np.linalg.svd(Q[len(u) :], full_matrices=False)
    Y = Yh[cosines**2 * (1 + _SMALL**2 / membrane.radius) >= 1].T
    C = (inverse @ Y) / sizes[:, None]
    trace, flux = Q[: len(u)] @ Y, flux @ C
    M = _squares(rim, energy, *_exchanged(rim, -math.sqrt(energy), trace, flux), along @ C)
    distances = _distances(rim, energy, trace, flux, M)
    return Look(energy, distances, trace, flux, M, C, int(kept.sum()), float(S[0] / S[kept][-1]), functions)


def _on_rim(basis: Basis, rim: Rim, threads: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Values, slopes along the normal and along the boundary, times roots of the weights."""
    root = np.sqrt(rim.weights)[:, None]
    values, x, y = (
        root * tabulate(basis, operator, rim.sites, threads=threads)
        for operator in (identity(2), derivative((1, 0)), derivative((0, 1)))
    )
    n, t = rim.normals, rim.tangents
    return values, n[:, :1] * x + n[:, 1:] * y, t[:, :1] * x + t[:, 1:] * y


def _exchanged(rim: Rim, k: float, one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Traces and fluxes from values and slopes at a wavenumber; these from those with minus the wavenumber."""
    free = rim.free[:, None]
    return np.where(free, -other / k, one), np.where(free, k * one, other)


def _inside(membrane: Membrane, energy: float, special: int) -> Sites:
    around = 2 * AROUND / membrane.radius * membrane.density(energy)
    count = math.ceil(max(_INSIDE + _EACH * around, _EACH_SPECIAL * special))
    return Sites(membrane.domain.sample(count, np.random.default_rng(0), "low-discrepancy"))


def _squares(rim: Rim, energy: float, u: FloatArray, v: FloatArray, along: FloatArray) -> FloatArray:
    """Integrals of products over the domain."""
    out = rim.out[:, None]
    ahead = out * v + rim.on[:, None] * along
    squares = energy * u.T @ (out * u) - v.T @ (out * v) - along.T @ (out * along)
    return np.asarray(0.5 * (squares + ahead.T @ v + v.T @ ahead) / energy)


def _distances(rim: Rim, energy: float, u: FloatArray, v: FloatArray, M: FloatArray) -> FloatArray:
    """Of ``-K c = m M c``, the closest first.

    A mode that is stretched to another energy has values at the boundary in proportion to its distance. So those within
    a distance are found among functions whose values are so small, again and again with half of it: values and slopes
    of others may be orthogonal, which looks the same.
    """
    _, sizes, Zh = np.linalg.svd(u, full_matrices=False)
    radius = float(np.abs(rim.out).max())
    found, reach = np.empty(0), AROUND / radius
    for level in range(_LEVELS):
        Z = Zh[sizes <= 2 * math.sqrt(2 * radius) * reach + _ROUNDING].T
        own = _stretched(rim, energy, u @ Z, v @ Z, Z.T @ M @ Z) if Z.size else np.empty(0)
        found = _joined_look(own, found, 2 * math.sqrt(energy) * reach) if level else own
        reach = 0.5 * reach
    return np.asarray(found[np.argsort(np.abs(found))])


def _joined_look(inner: FloatArray, outer: FloatArray, reach: float) -> FloatArray:
    """Distances up to about a reach from the ones, beyond from the others: cut where there is a gap, on either side."""
    parts = []
    for side in (1.0, -1.0):
        near, far = (side * own[side * own > 0] for own in (inner, outer))
        cut = widest_gap(np.concatenate([near, far]), 0.5 * reach, reach)
        parts.append(side * np.concatenate([near[near < cut], far[far >= cut]]))
    return np.concatenate(parts)


def _stretched(rim: Rim, energy: float, u: FloatArray, v: FloatArray, M: FloatArray) -> FloatArray:
    """Distances of modes: of functions whose values are no larger than ``m / (2 E) x v``, with x from the center."""
    K = u.T @ v
    sizes, axes = np.linalg.eigh(M)
    kept = axes[:, sizes > _POSITIVE * sizes[-1]]
    found, c = scipy.linalg.eigh(-0.5 * kept.T @ (K + K.T) @ kept, kept.T @ M @ kept)
    stretched = np.abs(found) / (2 * energy) * np.linalg.norm(rim.out[:, None] * (v @ kept @ c), axis=0)
    return np.asarray(found[np.linalg.norm(u @ kept @ c, axis=0) <= _STRETCHED * stretched + _ROUNDING])
