"""Modes around one energy, from Trefftz functions there; all modes between two energies; modes pinned."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TypeAlias, final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.basis.basis import COSINE, RidgeBasis
from fspielm.basis.exact.family import Characteristic
from fspielm.eigen.membranes.functions import Choice, Functions, functions_at, table_of
from fspielm.eigen.membranes.membrane import FEW_PLACES, Membrane
from fspielm.eigen.modes import VALUE_ROUNDING, widest_gap
from fspielm.eigen.pencil import TRIES, independent
from fspielm.geometry.boundary import gauss
from fspielm.geometry.curves import PlaneCurve
from fspielm.numerics.tolerances import CLOSE, HALVINGS, ROUNDED, ROUNDING, SAME
from fspielm.solution.integrals import panel_rule
from fspielm.solvers.round import BETTER, LEAST_ROWS_PER_FUNCTION, ROWS_PER_FUNCTION

# ---- Places along the boundary of a membrane, with weights

# Places of a panel, and of panels that halve toward the ends of a curve; the least number of panels of a curve, and of
# halved ones toward a corner.
_PANEL, _HALVED, _FEWEST = 10, 6, 3
# Places of the graded panel at a corner, where functions are powers of the distance, and the least power.
_LAST, _LEAST_POWER = 16, 3.0


@final
@dataclass(frozen=True, eq=False)
class Rim:
    """A quadrature rule on the boundary."""

    center: FloatArray  # (2,): the center of the membrane
    points: FloatArray  # (n, 2)
    normals: FloatArray  # (n, 2)
    weights: FloatArray  # (n,)
    curve: NDArray[np.intp]  # (n,): the number of the curve of each point
    free: BoolArray  # (n,): where slopes are zero, rather than values

    @property
    def tangents(self) -> FloatArray:
        """Unit vectors along the boundary."""
        return np.column_stack([-self.normals[:, 1], self.normals[:, 0]])

    @cached_property
    def outward(self) -> FloatArray:
        """The distance of points from the center, along their normals."""
        return np.asarray(np.sum((self.points - self.center) * self.normals, axis=1))

    @cached_property
    def tangential(self) -> FloatArray:
        """The same along their tangents."""
        return np.asarray(np.sum((self.points - self.center) * self.tangents, axis=1))


def rim_of(membrane: Membrane, spacings: Sequence[float], closest: float) -> Rim:
    """Gauss' rule on panels, with a spacing for each curve; toward joints panels halve down to the length `closest`."""
    each = zip(membrane.curves, spacings, strict=True)
    parts = [_along(curve, spacing, closest, membrane) for curve, spacing in each]
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
        near = SAME * curve.length
        if any(math.dist(end, joint.point) <= near for joint in membrane.joints):
            return panel_rule(np.append(0.0, 0.5 ** np.arange(halvings, -1, -1) / number), _HALVED)
        for wedge in membrane.wedges:
            if math.dist(end, wedge.point) <= near:
                halved = 0.5 ** np.arange(_FEWEST, -1, -1) / number
                rules = _graded_rule(halved[0], wedge.exponents[0]), panel_rule(halved, _HALVED)
                nodes, weights = (np.concatenate(each) for each in zip(*rules, strict=True))
                return nodes, weights
        return panel_rule(ends[:2], _PANEL)

    first, last = (toward(end) for end in curve.ends)
    middle = panel_rule(ends[1:-1], _PANEL)
    t = curve.parameter(np.concatenate([first[0], middle[0], 1.0 - last[0]]))
    weights = np.concatenate([first[1], middle[1], last[1]]) * curve.length
    return curve.point(t), curve.normals(t), weights


def _graded_rule(length: float, exponent: float) -> tuple[FloatArray, FloatArray]:
    """A rule from zero on, exact for squared slopes of functions that begin with this exponent."""
    share, (nodes, weights) = 2 * exponent - 1, gauss(_LAST)
    most = math.log(ROUNDED) / math.log(nodes.min())  # larger powers would round the first place to the corner
    power = min(math.ceil(_LEAST_POWER * share) / share, most)
    return length * nodes**power, length * power * nodes ** (power - 1) * weights


# ---- Modes around one energy, from functions that satisfy the equation there
# The trace of a function at the boundary is what the conditions set to zero for modes: values on held walls, slopes on
# free ones. The other of the two is its flux. For functions of one energy E, the integral of traces of u times fluxes
# of v over the boundary, with the sign changed on free walls, is symmetric in u and v. If v is a mode of energy E + m,
# the integral is minus m times the integral of ``u v`` over the domain. With K the former and M the latter, ``-K c = m
# M c`` gives the distances m of all modes around, above and below, to first order, among functions with small traces.
# The integral over the domain is one over the boundary, too (Rellich).

# Modes are around a look if their wavenumbers differ by no more than this over the radius of the membrane.
AROUND = 0.45
# The number of places inside per mode around.
_EACH = 10.0
# The least number of boundary places per wavelength.
_TO_WAVELENGTH = 9.0
# Traces of modes may be larger than they should be, or than they are at sampled places, by this factor; and by so much.
# Functions with smaller squared norms, relative to the largest, are dropped.
AMPLE_TRACES, _FAINT = 1.5, 1e-2


@final
@dataclass(frozen=True, eq=False)
class Look:
    """The modes around an energy."""

    energy: float
    distances: FloatArray  # (m,): the distances of modes from the energy, the closest first
    # (n, r): the traces of functions with small ones, times roots of weights: values, or minus slopes over the
    # wavenumber
    traces: FloatArray
    fluxes: FloatArray  # (n, r): their fluxes, likewise: slopes, or values times the wavenumber
    gram: FloatArray  # (r, r): integrals of their products over the domain
    coefficients: FloatArray  # (M, r)
    rank: int  # the number of independent functions in the basis
    condition: float
    functions: Functions

    @property
    def energies(self) -> FloatArray:
        """The energies of the modes."""
        return self.energy + self.distances

    def smallest(self, count: int) -> FloatArray:
        """Coefficients ``(M, count)`` of the functions with the smallest traces, orthonormal."""
        return np.asarray(self.coefficients @ self._smallest(count))

    def shifts(self, count: int) -> FloatArray:
        """The distances of `count` modes very close to the energy, ascending, without the influence of others."""
        c = self._smallest(count)
        K = (self.traces @ c).T @ (self.fluxes @ c)
        return np.asarray(np.linalg.eigvalsh(-0.5 * (K + K.T)))

    def _smallest(self, count: int) -> FloatArray:
        _, _, Yh = np.linalg.svd(self.traces, full_matrices=False)
        Y = Yh[-count:].T
        return np.asarray(np.linalg.solve(np.linalg.cholesky(Y.T @ self.gram @ Y), Y.T).T)


def _spacings(membrane: Membrane, functions: Functions, energy: float) -> list[float]:
    """The distances of places on each curve, for functions that oscillate less the farther their hole is."""
    wavelengths, waves = math.sqrt(energy) * membrane.length / (2 * math.pi), functions.drawn.size
    corners = len(membrane.wedges)
    most = max(waves, sum(each.size for each in functions.columns[:corners]))
    spacing = membrane.length / max(_TO_WAVELENGTH * functions.choice.waves * wavelengths, ROWS_PER_FUNCTION * most)
    around = [
        (hole.center, 2 * math.pi / (ROWS_PER_FUNCTION * own.size))
        for hole, own in zip(membrane.holes, functions.columns[corners:], strict=False)
    ]
    points = [curve.point(curve.grid()) for curve in membrane.curves]
    return [
        min([spacing, *(turn * float(np.linalg.norm(each - center, axis=1).min()) for center, turn in around)])
        for each in points
    ]


def look_at(membrane: Membrane, energy: float, choice: Choice) -> Look:
    """The modes around an energy."""
    functions = functions_at(membrane, energy, choice)
    near = 2 * AROUND / membrane.radius * membrane.density(energy)
    inside = membrane.sampled(math.ceil(max(FEW_PLACES + _EACH * near, LEAST_ROWS_PER_FUNCTION * functions.special)))
    rim = rim_of(membrane, _spacings(membrane, functions, energy), min(functions.closest, CLOSE * membrane.radius))
    n, t, root = rim.normals, rim.tangents, np.sqrt(rim.weights)[:, None]
    table = table_of(functions.basis, np.concatenate([rim.points, inside]))
    u, x, y = (root * each[: len(root)] for each in (table.values, table.x, table.y))
    v, along = n[:, :1] * x + n[:, 1:] * y, t[:, :1] * x + t[:, 1:] * y
    trace, flux = _traces_and_fluxes(rim, math.sqrt(energy), u, v)
    functions.zero_satisfied_traces(membrane, rim.curve, trace)
    middle = table.values[len(root) :] * math.sqrt(membrane.domain.measure / len(inside))
    among = independent(np.concatenate([trace, middle]), ROUNDING)
    # functions close to a mode: their traces, times the root of the radius, are no larger than they are inside
    _, cosines, Yh = np.linalg.svd(among.rows[len(u) :], full_matrices=False)
    Y = Yh[cosines**2 * (1 + 1 / membrane.radius) >= 1].T
    C = among.combined(Y)
    trace, flux = among.rows[: len(u)] @ Y, flux @ C
    M = _gram(rim, energy, *_traces_and_fluxes(rim, -math.sqrt(energy), trace, flux), along @ C)
    distances = _distances(rim, energy, trace, flux, M)
    return Look(energy, distances, trace, flux, M, C, among.rank, among.condition, functions)


def _traces_and_fluxes(rim: Rim, k: float, one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Traces and fluxes from values and slopes at a wavenumber; with minus the wavenumber, the reverse."""
    free = rim.free[:, None]
    return np.where(free, -other / k, one), np.where(free, k * one, other)


def _gram(rim: Rim, energy: float, u: FloatArray, v: FloatArray, along: FloatArray) -> FloatArray:
    """Integrals of products over the domain."""
    out = rim.outward[:, None]
    ahead = out * v + rim.tangential[:, None] * along
    squares = energy * u.T @ (out * u) - v.T @ (out * v) - along.T @ (out * along)
    return np.asarray(0.5 * (squares + ahead.T @ v + v.T @ ahead) / energy)


def _distances(rim: Rim, energy: float, u: FloatArray, v: FloatArray, M: FloatArray) -> FloatArray:
    """The distances m of ``-K c = m M c``, the closest first.

    A mode that is stretched to another energy has traces in proportion to its distance. So we search for modes within a
    distance among functions with accordingly small traces, and repeat that with half the distance. Without this limit,
    functions with orthogonal traces and fluxes would look like modes.
    """
    _, sizes, Zh = np.linalg.svd(u, full_matrices=False)
    radius = float(np.abs(rim.outward).max())
    found, reach = np.empty(0), AROUND / radius
    for level in range(TRIES):
        Z = Zh[sizes <= 2 * math.sqrt(2 * radius) * reach + _FAINT].T
        own = _stretched(rim, energy, u @ Z, v @ Z, Z.T @ M @ Z) if Z.size else np.empty(0)
        found = _merged(own, found, 2 * math.sqrt(energy) * reach) if level else own
        reach = 0.5 * reach
    return np.asarray(found[np.argsort(np.abs(found))])


def _merged(inner: FloatArray, outer: FloatArray, reach: float) -> FloatArray:
    """Inner distances up to a gap near the reach and outer ones beyond it, on either side."""
    parts = []
    for side in (1.0, -1.0):
        near, far = (side * own[side * own > 0] for own in (inner, outer))
        cut = widest_gap(np.concatenate([near, far]), 0.5 * reach, reach)
        parts.append(side * np.concatenate([near[near < cut], far[far >= cut]]))
    return np.concatenate(parts)


def _stretched(rim: Rim, energy: float, u: FloatArray, v: FloatArray, M: FloatArray) -> FloatArray:
    """Distances of functions with traces of at most about ``m / (2 E) x v``, with x from the center: of modes."""
    K = u.T @ v
    sizes, axes = np.linalg.eigh(M)
    kept = axes[:, sizes > _FAINT * sizes[-1]]
    found, c = scipy.linalg.eigh(-0.5 * kept.T @ (K + K.T) @ kept, kept.T @ M @ kept)
    stretched = np.abs(found) / (2 * energy) * np.linalg.norm(rim.outward[:, None] * (v @ kept @ c), axis=0)
    return np.asarray(found[np.linalg.norm(u @ kept @ c, axis=0) <= AMPLE_TRACES * stretched + _FAINT])


# ---- All modes between two energies, to a few digits, by looks so close that two of them see each mode

Looker: TypeAlias = Callable[[float], Look]

# The approximate number of modes between two looks.
_BETWEEN = 10.0
# The distance of the same mode as seen by two looks, relative to the distance of the looks.
_SAME = 0.03
# The share of a stretch at either end that is not searched for the widest gap.
_MIDDLE = 0.3


@final
@dataclass(frozen=True, eq=False)
class Scan:
    """Modes between two energies."""

    energies: FloatArray  # (m,): ascending, to a few digits
    doubtful: tuple[tuple[float, float], ...] = ()  # stretches whose two looks see different modes
    between: tuple[float, float] = (0.0, math.inf)  # the two energies


def scan(membrane: Membrane, low: float, high: float, look: Looker, seconds: float = math.inf) -> Scan:
    """All modes between two energies; stretches for which there is no time are doubtful."""
    ends, until = look_energies(membrane, low, high), perf_counter() + seconds
    looks = (look(end) for end in ends)
    found: list[FloatArray] = []
    doubtful: list[tuple[float, float]] = []
    before = next(looks)
    for after in looks:
        late = perf_counter() > until
        for stretch in _scan_stretch(before, after, look, 0 if late else HALVINGS):
            found.append(stretch.energies)
            doubtful += stretch.doubtful
        before = after
        if late:
            doubtful.append((before.energy, high))
            break
    return Scan(np.sort(np.concatenate(found)), tuple(doubtful), (low, high))


def look_energies(membrane: Membrane, low: float, high: float) -> list[float]:
    """The energies of looks, so close that both looks around a mode see it."""
    k, last = math.sqrt(low), math.sqrt(high)
    ends = [k]
    while k < last:
        k += _step(membrane, k)
        ends.append(min(k, last))
    return [end**2 for end in ends]


def _step(membrane: Membrane, k: float) -> float:
    return min(AROUND / membrane.radius, _BETWEEN / membrane.density(k**2))


def blur(membrane: Membrane, energy: float) -> float:
    """The error of an energy as a look sees it."""
    k = math.sqrt(energy)
    return 2 * k * _SAME * _step(membrane, k)


def _scan_stretch(before: Look, after: Look, look: Looker, halvings: int) -> Iterator[Scan]:
    """The modes between two looks, halving the stretch if they disagree."""
    found = _common_modes(before, after)
    if found is not None:
        yield Scan(found)
    elif not halvings:
        low, high = before.energy, after.energy
        ahead = before.energies[(before.distances > 0) & (before.energies < high)]
        behind = after.energies[(after.distances < 0) & (after.energies > low)]
        yield Scan(max(ahead, behind, key=len), ((low, high),))
    else:
        middle = look(0.5 * (before.energy + after.energy))
        yield from _scan_stretch(before, middle, look, halvings - 1)
        yield from _scan_stretch(middle, after, look, halvings - 1)


def _common_modes(before: Look, after: Look) -> FloatArray | None:
    """The modes above the first look and below the second; None if the two disagree.

    A look is certain on which side of it a mode is. So we take the modes up to a gap near the middle from the first
    look, and those beyond it from the second.
    """
    low, high = before.energy, after.energy
    ahead = np.sort(before.energies[before.distances > 0])
    behind = np.sort(after.energies[after.distances < 0])
    inner, outer = (low + share * (high - low) for share in (_MIDDLE, 1 - _MIDDLE))
    cut = widest_gap(np.concatenate([ahead, behind]), inner, outer)
    slack = _SAME * (high - low)
    first, second = ahead[ahead < cut], behind[behind >= cut]
    also_first, also_second = behind[behind < cut][::-1], ahead[ahead >= cut]
    if len(also_first) < len(first) or len(also_second) < len(second):
        return None
    apart = np.concatenate([first[::-1] - also_first[: len(first)], second - also_second[: len(second)]])
    # further modes must be on the other side of the looks
    beyond = [*(also_first[len(first) :] - low), *(high - also_second[len(second) :])]
    if np.any(np.abs(apart) > slack) or any(each > slack for each in beyond):
        return None
    return np.concatenate([first, second])


# ---- Modes pinned by looks closer and closer, until the last is at the energy of the mode

# Modes are pinned together if they are closer than so many times the distance of looks from energies.
_TOGETHER = 10.0
# Places of the boundary per wavelength at which residuals are sampled.
_RIM_TO_WAVELENGTH = 30.0


@final
@dataclass(frozen=True, eq=False)
class Pinned:
    """Modes of one energy."""

    look: Look  # the look at their energy
    coefficients: FloatArray  # (M, m): the coefficients of their functions, which are orthonormal
    # the error of the functions: the norm of the function that satisfies the equation at minus the shift and has their
    # values and slopes at the boundary; see `Membrane`
    error: float
    gap: float  # the least distance of the next mode
    # zero if the membrane is held along all of its rim: then that function is harmonic (Moler and Payne)
    shift: float = 0.0

    @property
    def bound(self) -> float:
        """A bound for the error of the energy."""
        energy = self.look.energy
        if self.error >= 1:
            return math.inf
        return (energy + self.shift) * self.error / (1 - self.error) + energy * VALUE_ROUNDING

    @property
    def amplification(self) -> float:
        """The share of other modes in the functions, in units of the error; it grows as the gap shrinks.

        The share of a mode of energy ``E + m`` is the error times ``(E + m + shift) / m``; see `Membrane`.
        """
        return (self.look.energy + self.shift) / self.gap + 1


def pinned(membrane: Membrane, scan: Scan, choice: Choice, close: float = ROUNDING) -> Iterator[Pinned]:
    """The modes of a scan, pinned one energy after the other; looks are so `close` to energies, relative to these.

    They keep their order, as a look updates all modes that it sees.
    """
    known, same = np.sort(scan.energies), max(SAME, _TOGETHER * close)
    place, last = 0, -math.inf
    while place < len(known):
        before, k, reach = math.inf, math.sqrt(known[place]), AROUND / membrane.radius
        for _ in range(TRIES):
            # a look that does not see the mode may see another one
            known[place] = np.clip(known[place], max(k - reach, 0.5 * k) ** 2, (k + reach) ** 2)
            look = look_at(membrane, float(known[place]), choice)
            known = _sharpened(_updated(known, look, scan, blur(membrane, look.energy)), look)
            step = abs(float(known[place]) - look.energy)
            if _has_converged(step, before, look.energy, close):
                break
            before = step
        # take all modes at this energy, as the scan may have seen some of them elsewhere or not at all, but none again:
        # the closest ones, up to the first of others
        here = (np.abs(look.distances) <= same * look.energy) & (look.energies > last + SAME * look.energy)
        count = max(int(np.argmin(np.append(here, False))), 1)
        last = float(np.max(look.energies[:count], initial=look.energy))
        yield _pin(membrane, look, count)
        place += max(_count_at_look(known[place:][:count], look, blur(membrane, look.energy), same), 1)


def repinned(membrane: Membrane, before: Pinned, choice: Choice, close: float) -> Pinned:
    """The same modes with other functions."""
    energy, count, last = before.look.energy, before.coefficients.shape[1], math.inf
    for _ in range(TRIES):
        look = look_at(membrane, energy, choice)
        step = float(look.shifts(count).mean())
        if _has_converged(abs(step), last, energy, close):
            break
        energy, last = energy + step, abs(step)
    return _pin(membrane, look, count)


def _has_converged(step: float, before: float, energy: float, close: float) -> bool:
    """Whether steps to an energy are as small as they should be, or no longer fall, as errors of the functions."""
    return step <= close * energy or (step <= CLOSE * energy and BETTER * step > before)


def _count_at_look(known: FloatArray, look: Look, slack: float, same: float) -> int:
    """How many of the energies belong to modes at the look, rather than to others that it sees."""
    seen = look.energies
    if not len(seen):
        return 0
    there = np.abs(seen[np.argmin(np.abs(seen - known[:, None]), axis=1)] - look.energy) <= same * look.energy
    return int(np.sum(there & (np.abs(known - look.energy) <= slack)))


def _updated(known: FloatArray, look: Look, scan: Scan, slack: float) -> FloatArray:
    """The energies with those closest to a look replaced by what it sees, in their order.

    We update modes together that may have been confused with each other: if all were seen too high, or too low, by more
    than their distance, each by itself would end at its neighbour.
    """
    low, high = scan.between
    seen = np.sort(look.energies[(look.energies >= low) & (look.energies <= high)])
    if not len(seen):
        return known
    reach = max(0.5 * min(look.energy - seen[0], seen[-1] - look.energy), 2 * slack)
    order = np.argsort(np.abs(known - look.energy), kind="stable")
    count = max(int(np.sum(np.abs(known - look.energy) <= reach)), 1)
    near = np.sort(order[: min(count, len(seen))])
    shifts = range(len(seen) - len(near) + 1)
    best = min(shifts, key=lambda shift: float(np.abs(seen[shift : shift + len(near)] - known[near]).sum()))
    moved = known.copy()
    moved[near] = seen[best : best + len(near)]
    return moved


def _sharpened(known: FloatArray, look: Look) -> FloatArray:
    """The energies with those very close to a look computed without other modes and their errors."""
    near = np.flatnonzero(np.abs(known - look.energy) <= CLOSE * look.energy)
    if not len(near):
        return known
    moved = known.copy()
    moved[near] = look.energy + look.shifts(len(near))
    return moved


def _pin(membrane: Membrane, look: Look, count: int) -> Pinned:
    coefficients = look.smallest(count)
    # more places than the look has made traces small at
    finest = 2 * math.pi / (math.sqrt(look.energy) * _RIM_TO_WAVELENGTH)
    spacings = [min(finest, 0.5 * each) for each in _spacings(membrane, look.functions, look.energy)]
    rim = rim_of(membrane, spacings, min(look.functions.closest, membrane.radius) / 4)
    table, n = table_of(look.functions.basis, rim.points), rim.normals
    rows = np.where(rim.free[:, None], n[:, :1] * table.x + n[:, 1:] * table.y, table.values)
    look.functions.zero_satisfied_traces(membrane, rim.curve, rows)
    left = rows @ coefficients
    shift, error = _shift_and_error(membrane, rim, look.energy, left)
    others = np.sort(np.abs(look.distances))[count:]
    gap = float(others[0]) if len(others) else look.energy
    return Pinned(look, coefficients, error, gap, shift)


def _shift_and_error(membrane: Membrane, rim: Rim, energy: float, left: FloatArray) -> tuple[float, float]:
    """The shift, and the error e there, of orthonormal functions with these residuals at the boundary.

    The error applies to all sums of norm one: with fewer modes than functions within the bound, one of the sums would
    be orthogonal to these modes and have a larger error. See `Membrane`.
    """
    if membrane.field is None:
        return 0.0, math.inf
    root = np.sqrt(rim.weights)[:, None]
    held, free = left[~rim.free], left[rim.free]
    by_values = math.sqrt(membrane.domain.measure) * float(np.linalg.norm(held, axis=1).max(initial=0.0))
    if membrane.is_held:
        by_values = min(by_values, membrane.lifting * float(np.linalg.norm(root * held, 2)))
    by_slopes = float(np.linalg.norm(root[rim.free] * free, 2)) if len(free) else 0.0
    return membrane.field.best(energy, AMPLE_TRACES * by_values, AMPLE_TRACES * by_slopes)


def constant_mode(membrane: Membrane, gap: float) -> Pinned:
    """The constant, which is a mode of energy zero if all walls are free; `gap` is the distance of the next mode."""
    functions = Functions(Choice(), Characteristic(1), RidgeBasis(np.zeros((1, 2)), np.zeros(1), COSINE), ())
    coefficients, none = np.array([[membrane.domain.measure**-0.5]]), np.zeros((0, 1))
    look = Look(0.0, np.zeros(1), none, none, np.ones((1, 1)), coefficients, 1, 1.0, functions)
    return Pinned(look, coefficients, 0.0, gap, gap)
