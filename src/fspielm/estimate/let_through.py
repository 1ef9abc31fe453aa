"""Functions that conditions let through, and places where the leading coefficients vanish."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, NumberArray, real_parts
from fspielm.basis.basis import expand_powers
from fspielm.errors import ProblemError
from fspielm.estimate.amounts import CLEARLY, FEW, FEW_DIGITS, NEAR, SAMPLE, SEVERAL, SITES, SMALL, ZERO
from fspielm.estimate.narrow import narrow_features
from fspielm.estimate.narrow_search import ON_LINE
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.numerics.sampling import half_sphere
from fspielm.numerics.tolerances import CLOSE, ITERATIONS, ROUNDED, SAME, STEP
from fspielm.problem.operator import Operator, cache_by_object
from fspielm.problem.places import probe
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Dirichlet, Neumann, Relation
from fspielm.resources import check_deadline

# ---- Operators with coefficients frozen at some sites, applied to exponentials ``exp(s x)``

# Leading coefficients of a polynomial below this share of the largest belong to infinite roots.
NEGLIGIBLE = 1e-14


@final
@dataclass(frozen=True, eq=False)
class Frozen:
    """An operator at n sites: T orders of derivatives ``(T, d)``, and their coefficients ``(n, T)``."""

    orders: NDArray[np.int_]
    coefficients: NumberArray

    def select(self, index: NDArray[np.int_]) -> Frozen:
        """The operator at some of the sites, which may be repeated."""
        return Frozen(self.orders, self.coefficients[index])

    def along(self, s: ComplexArray, direction: FloatArray) -> ComplexArray:
        """Coefficients of ``p^0, p^1, ...`` in the symbol at ``s + p direction``, shape ``(n, degree + 1)``.

        The exponents `s` and directions are ``(n, d)``, one for each site.
        """
        check_deadline()
        degree = int(self.orders.sum(axis=1).max(initial=0))
        return np.asarray(np.einsum("mtk,mt->mk", expand_powers(self.orders, s, direction, degree), self.coefficients))

    def sizes(self, s: ComplexArray, p: ComplexArray) -> FloatArray:
        """The size of the terms at exponents ``s`` ``(n, d)`` plus others ``(n, k)`` across them."""
        size = np.linalg.norm(s, axis=1)[:, None] + np.abs(p)
        orders = self.orders.sum(axis=1)
        return np.asarray((np.abs(self.coefficients)[:, None] * size[:, :, None] ** orders).sum(axis=2))

    def principal(self) -> Frozen:
        """The part of highest order."""
        order = self.orders.sum(axis=1)
        highest = order == order.max()
        return Frozen(self.orders[highest], self.coefficients[:, highest])


def freeze(operator: Operator, sites: Sites) -> Frozen:
    """The operator at some sites; a `ProblemError` where a coefficient has no value."""
    values = np.stack([term.at(sites) for term in operator.terms], axis=1)
    # rounding may make a square negative
    values = np.where(np.abs(values) <= ROUNDED * np.abs(values).max(axis=0, initial=0.0), 0.0, values)
    return Frozen(np.array([term.orders for term in operator.terms], dtype=np.int_), values)


@cache_by_object
def freeze_inside(problem: Problem) -> tuple[FloatArray, Frozen]:
    """Points of the domain, including narrow features, and the operator there; a single one where it is constant."""
    if problem.determinant.is_constant:
        points = problem.domain.bounding_box[0][None]
    else:
        points = problem.domain.sample(SITES, np.random.default_rng(0), "low-discrepancy")  # for inspection only
        inside = [relation for relation in problem.relations if relation.region.kind == "domain"]
        narrow = [place.sites.points for relation in inside for place in narrow_features(problem, relation).places]
        points = np.concatenate([points, *narrow])
    return points, freeze(problem.determinant, Sites(points))


def representative_sites(*operators: Frozen) -> NDArray[np.int_]:
    """Indices of sites that represent operators: where a coefficient is extreme, and a few others."""
    values = np.concatenate([operator.coefficients for operator in operators], axis=1)
    some = np.linspace(0, len(values) - 1, min(FEW, len(values))).astype(int)
    extreme = [at for part in real_parts(values) for at in (part.argmin(axis=0), part.argmax(axis=0))]
    chosen = np.unique(np.concatenate([*extreme, some]))
    _, first = np.unique(values[chosen], axis=0, return_index=True)  # equal sites count once
    return np.asarray(chosen[np.sort(first)], dtype=np.int_)


def without_phase(values: NumberArray) -> FloatArray | None:
    """The columns of an array, each multiplied with a phase that makes it real; None if one cannot be made real.

    The phase of an equation has no meaning.
    """
    if not np.iscomplexobj(values):
        return values
    largest = values[np.abs(values).argmax(axis=0), np.arange(values.shape[1])]
    turned = values * np.conj(largest / np.maximum(np.abs(largest), np.finfo(np.float64).tiny))
    return np.asarray(turned.real) if np.all(np.abs(turned.imag) <= ROUNDED * np.abs(largest)) else None


def roots_of(polynomials: ComplexArray, unit: FloatArray) -> ComplexArray:
    """Roots of polynomials ``(n, degree + 1)``, the lowest power first: ``(n, degree)``, NaN where a degree is less.

    The coefficients are compared at arguments of size `unit` ``(n,)``.
    """
    degree = polynomials.shape[1] - 1
    scaled = polynomials * unit[:, None] ** np.arange(degree + 1)
    largest = np.abs(scaled).max(axis=1)
    roots = np.full((len(scaled), degree), np.nan + 0j)
    unsolved = largest > 0
    for power in range(degree, 0, -1):
        here = np.flatnonzero(unsolved & (np.abs(scaled[:, power]) > NEGLIGIBLE * largest))
        unsolved[here] = False
        if here.size:
            roots[here, :power] = _roots(scaled[here, : power + 1])
    return np.asarray(roots * unit[:, None])


def _roots(polynomials: ComplexArray) -> ComplexArray:
    degree = polynomials.shape[1] - 1
    monic = polynomials[:, :-1] / polynomials[:, -1:]
    if degree == 1:
        return -monic
    if degree == 2:
        c, b = monic.T
        root = np.sqrt(b * b - 4 * c)
        larger = -0.5 * (b + np.where((np.conj(b) * root).real < 0, -root, root))
        other = np.divide(c, larger, out=np.zeros_like(c), where=larger != 0)
        return np.stack([larger, other], axis=1)
    companion = np.zeros((len(monic), degree, degree), dtype=np.complex128)
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    companion[:, :, -1] = -monic
    return np.asarray(np.linalg.eigvals(companion))


# ---- Frequencies along the boundary at which a condition lets a function through
# With frozen coefficients, ``exp(i xi tau x + p n x)`` satisfies the equation at the roots p of its symbol; those with
# a positive real part decay inward from the boundary with the outward normal n. If the conditions vanish on a sum of
# them, neither the equation nor the conditions see that function: for example, ``exp(m n x) cos(m tau x)`` for
# Laplace's equation with ``du/dn = m u``. The determinant of the conditions on those roots is zero there.

# For each relation, its part for each unknown; None where there is none.
Parts: TypeAlias = tuple[tuple["Frozen | None", ...], ...]
# From places ``(r,)`` and values ``(r, k)`` of the searched quantity: determinants ``(r, k)``.
Determinant: TypeAlias = Callable[[NDArray[np.int_], FloatArray], FloatArray]


@final
@dataclass(frozen=True, eq=False)
class BoundarySymbol:
    """The equation and its conditions at m places of a boundary part, with outward normals ``(m, d)``."""

    equation: Frozen  # of several equations, their determinant
    conditions: tuple[Frozen, ...]
    normals: FloatArray
    parts: tuple[Parts, Parts] | None = None  # of several equations and their conditions

    def decaying(self, place: int, s: ComplexArray) -> ComplexArray:
        """The exponents at a place that decay inward, with `s` along the boundary: ``(k, d)``."""
        roots, inward, _ = self._roots(np.array([place]), s[None])
        return np.asarray(s + roots[inward][:, None] * self.normals[place])

    def determinant(self, places: NDArray[np.int_], s: ComplexArray) -> FloatArray:
        """The determinant of the conditions on the roots that decay inward, relative to its terms: ``(r, k)``.

        At some of the places ``(r,)``, for exponents ``(r, k, d)``. NaN where the number of such roots is not that of
        the conditions, where a root neither decays nor grows, or where functions of several unknowns are hardly
        independent, as for an elastic body.
        """
        r, k, d = s.shape
        number = len(self.conditions)
        each, flat = np.repeat(places, k), s.reshape(r * k, d)
        roots, inward, outward = self._roots(each, flat)
        suits = (inward.sum(axis=1) == number) & np.all(inward | outward | np.isnan(roots), axis=1)
        here = np.flatnonzero(suits)
        result = np.full(r * k, np.nan)
        if here.size:
            order = np.argsort(~inward[here], axis=1, kind="stable")[:, :number]
            decaying = np.take_along_axis(roots[here], order, axis=1)
            result[here] = self._of_conditions(each[here], flat[here], decaying)
        return result.reshape(r, k)

    def _roots(self, places: NDArray[np.int_], s: ComplexArray) -> tuple[ComplexArray, BoolArray, BoolArray]:
        """The roots at places ``(n,)`` and exponents ``(n, d)``, and whether they decay inward, or grow."""
        unit = np.maximum(np.linalg.norm(s, axis=1), np.finfo(np.float64).tiny)
        roots = roots_of(self.equation.select(places).along(s, self.normals[places]), unit)
        with np.errstate(invalid="ignore"):
            slack = SAME * np.abs(roots)
            return roots, roots.real > slack, roots.real < -slack

    def _of_conditions(self, places: NDArray[np.int_], s: ComplexArray, roots: ComplexArray) -> FloatArray:
        normals = self.normals[places]
        if self.parts is not None:
            equations, conditions = (_at_roots(each, places, s, normals, roots) for each in self.parts)
            return _system_determinant(equations, conditions, np.linalg.norm(s, axis=1), roots)
        return _relative_determinant([one.select(places).along(s, normals) for one in self.conditions], roots)


def zeros_along(determinant: Determinant, grid: FloatArray, places: int) -> list[tuple[int, float]]:
    """The zeros of a determinant: the place, and the value on the (increasing, positive) grid or between.

    Infinity stands for a determinant that is zero up to the end of the grid.
    """
    values = determinant(np.arange(places), np.broadcast_to(grid, (places, len(grid))))
    endless = np.all(values[:, -3:] < ZERO**2, axis=1)
    found = [(int(i), float("inf")) for i in np.flatnonzero(endless)]
    middle = np.where(np.isnan(values), np.inf, values)
    padded = np.pad(middle, ((0, 0), (1, 1)), constant_values=np.inf)
    lowest = (CLEARLY * middle < 1) & (middle <= padded[:, :-2]) & (middle <= padded[:, 2:])
    lowest[endless] = False
    rows, columns = np.nonzero(lowest)
    if not rows.size:
        return found
    lower, upper = grid[np.maximum(columns - 1, 0)], grid[np.minimum(columns + 1, len(grid) - 1)]
    best = np.empty(len(rows))
    for _ in range(SEVERAL):
        fine = np.geomspace(lower, upper, ON_LINE, axis=1)
        there = determinant(rows, fine)
        there = np.where(np.isnan(there), np.inf, there)
        at, each = there.argmin(axis=1), np.arange(len(rows))
        best = there[each, at]
        lower, upper = fine[each, np.maximum(at - 1, 0)], fine[each, np.minimum(at + 1, ON_LINE - 1)]
    where = np.sqrt(lower * upper)
    return found + [(int(row), float(x)) for row, x, low in zip(rows, where, best, strict=True) if low < ZERO]


def _relative_determinant(operators: list[ComplexArray], roots: ComplexArray) -> FloatArray:
    """The determinant of polynomials (one for each condition) modulo the one with the given roots.

    Unlike the determinant of their values, it does not vanish at double roots, such as those of a plate.
    """
    number = roots.shape[1]
    size = np.maximum(np.abs(roots).max(axis=1), np.finfo(np.float64).tiny)
    units = roots / size[:, None]
    modulus = np.ones((len(roots), 1), dtype=np.complex128)  # highest power first
    for k in range(number):
        longer = np.pad(modulus, ((0, 0), (0, 1)))
        longer[:, 1:] -= units[:, k, None] * modulus
        modulus = longer
    rows = []
    for operator in operators:
        scaled = operator * size[:, None] ** np.arange(operator.shape[1])
        terms = np.maximum(np.abs(scaled).sum(axis=1), np.finfo(np.float64).tiny)
        left = (scaled / terms[:, None])[:, ::-1].copy()  # highest power first
        for power in range(left.shape[1] - number):
            left[:, power : power + number + 1] -= left[:, power, None] * modulus
        tail = left[:, -number:] if left.shape[1] >= number else np.pad(left, ((0, 0), (number - left.shape[1], 0)))
        rows.append(tail)
    return np.asarray(np.abs(np.linalg.det(np.stack(rows, axis=1))))


# ---- The same for several unknowns
# At each root p of the determinant of all equations there is a vector of unknowns, ``v exp(i xi tau x + p n x)``, that
# satisfies them; the conditions are applied to these.

# Functions closer than this to a combination of others do not count as independent, nor do frequencies.
_APART = 1e-2

# Relations applied to unknowns at each root, and the sizes of their terms: see `_at_roots`.
AtRoots: TypeAlias = tuple[ComplexArray, FloatArray]


def _system_determinant(equations: AtRoots, conditions: AtRoots, unit: FloatArray, roots: ComplexArray) -> FloatArray:
    (symbols, terms), (applied, sizes) = equations, conditions
    # one vector for each root, (n, roots, unknowns)
    vectors = np.conj(np.linalg.svd(symbols / terms[..., None])[2][..., -1, :])
    carried = np.concatenate([vectors, vectors * (roots / unit[:, None])[..., None]], axis=2)
    apart = np.linalg.svd(carried / np.linalg.norm(carried, axis=2, keepdims=True), compute_uv=False)[:, -1]
    values = np.einsum("njcu,nju->ncj", applied, vectors) / sizes.max(axis=1)[:, :, None]
    between = np.abs(roots[:, :, None] - roots[:, None, :]) + np.where(np.eye(roots.shape[1]), np.inf, 0.0)
    separation = between.min(axis=(1, 2)) / np.abs(roots).max(axis=1)
    told = (apart > _APART) & (separation > FEW_DIGITS)
    # similar functions make a determinant small, but not zero
    return np.where(told, np.abs(np.linalg.det(values)) / np.maximum(apart, _APART), np.nan)


def _at_roots(
    parts: Parts, places: NDArray[np.int_], s: ComplexArray, normals: FloatArray, roots: ComplexArray
) -> AtRoots:
    """The relations applied to unknowns at each root, ``(n, roots, relations, unknowns)``, and the sizes of terms."""
    found = np.zeros((*roots.shape, len(parts), len(parts[0])), dtype=np.complex128)
    terms = np.full(found.shape[:3], np.finfo(np.float64).tiny)
    for row, own in enumerate(parts):
        for column, part in enumerate(own):
            if part is not None:
                selected = part.select(places)
                powers = selected.along(s, normals)[:, None, :]
                powers = powers * roots[:, :, None] ** np.arange(powers.shape[2])
                found[:, :, row, column] = powers.sum(axis=2)
                terms[:, :, row] += selected.sizes(s, roots)
    return found, terms


# ---- Functions that the conditions of a problem let through

# Octaves of frequencies from one over the extent of the domain, and steps for each octave; rates of growth are searched
# over twice as many, as they go with the square of frequencies for diffusion.
_OCTAVES = 20
_STEPS = 6


@final
@dataclass(frozen=True, eq=False)
class LetThrough:
    """A function that oscillates along a part of the boundary, decays from it, and satisfies all equations there."""

    condition: str  # the names of the conditions there
    frequency: float  # along the boundary; infinite where there are such functions of all frequencies
    along: FloatArray  # (d,): the highest component of such a frequency along each axis, over the whole part
    rate: float = 0.0  # rate of growth in time; zero in a problem without time
    W: ComplexArray | None = None  # (k, d): frequencies of such functions, where the part is flat
    foldings: float = 0.0  # the least decay across the domain, in powers of e
    # whether `condition` is an interface between materials, with such functions on both sides
    is_interface: bool = False


def let_through(problem: Problem) -> list[LetThrough]:
    """For each part, the function of the highest frequency, or of the fastest growth; nearly always none."""
    found: list[LetThrough] = []
    for sites, here in boundary_pieces(problem, SAMPLE):
        if len(here) < 2 and all(isinstance(c.condition, Dirichlet | Neumann) for c in here):
            continue  # a single value or slope is not zero for a decaying function
        try:
            found += _find_along(problem, sites, here)
        except ProblemError:  # a coefficient has no value there, as 1/r at r = 0
            continue
    return found


def boundary_pieces(problem: Problem, count: int) -> Iterator[tuple[Sites, list[Relation]]]:
    """Sites on pieces of the boundary with the conditions there, `count` on each part; not those of periodic parts."""
    bound = [c for c in problem.constraints if c.region.kind == "boundary"]
    parts: dict[int, BoundaryPart] = {id(part): part for c in bound for part in c.region.parts}
    for part in parts.values():
        here = [c for c in bound if part in c.region.parts]
        if any(c.region.partner is not None for c in here):
            continue
        sites = probe(part, count)
        held = np.stack([c.holds(sites.points) for c in here], axis=1)
        for pattern in np.unique(held, axis=0):
            holding = [c for c, holds in zip(here, pattern, strict=True) if holds]
            yield sites.select(np.all(held == pattern, axis=1)), holding


def _find_along(problem: Problem, sites: Sites, here: list[Relation]) -> list[LetThrough]:
    assert sites.normals is not None  # every boundary part has them
    several = len(problem.unknowns) > 1
    frozen = [freeze(operator, sites) for operator in (problem.determinant, *(c.operator for c in here))]
    chosen = representative_sites(*frozen)
    time = problem.domain.time
    space = problem.dimension - (time is not None)
    tangents = _tangents(sites.normals[chosen], space)
    places = np.repeat(chosen, len(tangents))
    across = np.concatenate(list(tangents.transpose(1, 0, 2)))
    equation, *conditions = (operator.select(places) for operator in frozen)
    parts = None
    if several:
        equations = tuple(_parts(problem, each.operator, sites, places) for each in problem.equations)
        parts = equations, tuple(_parts(problem, c.operator, sites, places) for c in here)
    symbol = BoundarySymbol(equation, tuple(conditions), sites.normals[places], parts)
    octaves = np.arange(_OCTAVES * _STEPS + 1) / _STEPS
    unit = 1 / float(np.ptp(problem.domain.bounding_box, axis=0)[:space].max())
    name = ", ".join(c.name for c in here)
    reach = np.sqrt(np.maximum(1 - sites.normals**2, 0.0)).max(axis=0)
    reach[space:] = 0.0
    if time is None:
        if space == 1:
            return []

        def along(rows: NDArray[np.int_], xi: FloatArray) -> FloatArray:
            return symbol.determinant(rows, 1j * xi[:, :, None] * across[rows, None, :])

        zeros = zeros_along(along, unit * 2.0**octaves, len(places))
        if several:  # determinants fall with the frequency, or end, where functions become similar
            zeros = [(row, xi) for row, xi in zeros if np.isfinite(xi) and _is_sharp(symbol, row, xi * across[row])]
        if not zeros:
            return []
        highest = max(xi for _, xi in zeros)
        # with several unknowns, functions are not single exponentials: a band has to hold them
        flat = not several and np.all(np.ptp(sites.normals, axis=0) < SAME)
        exponents = [symbol.decaying(row, 1j * xi * across[row]) for row, xi in zeros if np.isfinite(xi)]
        W = -1j * np.unique(np.concatenate(exponents), axis=0) if flat and exponents else None
        steep = max((float(np.linalg.norm(each.real, axis=1).min(initial=np.inf)) for each in exponents), default=0.0)
        return [LetThrough(name, highest, np.where(reach > 0, highest, 0.0) * reach, W=W, foldings=steep / unit)]
    later = np.zeros(problem.dimension)
    later[-1] = 1.0
    found = []
    for xi in np.append(0.0, unit * 2.0 ** octaves[:: FEW * _STEPS]) if space > 1 else np.zeros(1):

        def growing(rows: NDArray[np.int_], rate: FloatArray, xi: float = xi) -> FloatArray:
            return symbol.determinant(rows, 1j * xi * across[rows, None, :] + rate[:, :, None] * later)

        fastest = max(
            (rate for _, rate in zeros_along(growing, 4.0**octaves / time.duration, len(places))), default=0.0
        )
        if fastest > 0:
            found.append(LetThrough(name, float(xi), xi * reach, fastest))
    return found


def _is_sharp(symbol: BoundarySymbol, row: int, xi: FloatArray) -> bool:
    """Whether a determinant is small at a frequency beside those on both sides of it, where it must be known."""
    around = 1 + _APART * np.array([-1.0, 0.0, 1.0])
    below, at, above = symbol.determinant(np.array([row]), 1j * np.multiply.outer(around, xi)[None])[0]
    return bool(SMALL * np.minimum(below, above) > at)


def _parts(problem: Problem, operator: Operator, sites: Sites, places: NDArray[np.int_]) -> tuple[Frozen | None, ...]:
    """The parts of an operator for each unknown."""
    each = [operator.part(unknown) for unknown in range(len(problem.unknowns))]
    return tuple(freeze(part, sites).select(places) if part.terms else None for part in each)


def _tangents(normals: FloatArray, space: int) -> FloatArray:
    """Unit vectors across normals ``(n, d)`` in space: ``(some, n, d)``."""
    if space == 1:
        return np.zeros((1, *normals.shape))
    if space == 2:
        turned = np.zeros_like(normals)
        turned[:, 0], turned[:, 1] = -normals[:, 1], normals[:, 0]
        return turned[None]
    tries = np.zeros((FEW, 1, normals.shape[1]))
    tries[:, 0, :space] = np.random.default_rng(0).standard_normal((FEW, space))  # of no meaning
    across = tries - np.sum(tries * normals, axis=2, keepdims=True) * normals
    return np.asarray(across / np.linalg.norm(across, axis=2, keepdims=True))


# ---- Where the leading coefficients of an equation vanish, and whether it has several solutions there
# At a zero of the leading coefficients, solutions behave like powers of the distance from it, with the roots of the
# indicial polynomial as exponents (E. L. Ince, Ordinary Differential Equations, chapter 15). Powers with continuous
# derivatives up to two less than the order may have different factors on both sides of the zero.

# Distances from a zero at which a residual is evaluated, in extents of the domain.
_DISTANCES = 10.0 ** -np.linspace(0.0, 12.0, 97)


@final
@dataclass(frozen=True, eq=False)
class Degenerate:
    """Where all leading coefficients of an equation vanish."""

    place: FloatArray  # (d,): one of the zeros
    several: bool  # whether solutions on both sides of it are independent
    around: FloatArray  # (n, d): points of the domain ever closer to the zeros
    distances: FloatArray  # (n,): their distances from the zeros


def find_degenerate(problem: Problem) -> Degenerate | None:
    """Find where all leading coefficients vanish; a `ProblemError` where they have no value."""
    operator = problem.determinant
    if operator.is_constant or operator.order == 0 or problem.is_linearisation or problem.domain.is_unbounded:
        return None
    points, frozen = freeze_inside(problem)
    sizes = np.abs(frozen.principal().coefficients).max(axis=1)
    largest = float(sizes.max(initial=0.0))
    if not largest > 0 or sizes.min() > SMALL * largest:
        return None
    zeros, slopes = _find_zeros(problem, points[np.argsort(sizes)[:NEAR]], largest)
    if not len(zeros):
        return None
    extent = float(np.ptp(problem.domain.bounding_box, axis=0).max())
    several, around, distances = None, [], []  # a zero with several solutions
    for zero, slope in zip(zeros, slopes, strict=True):
        _, singular, right = np.linalg.svd(slope, full_matrices=False)
        is_flat = singular[0] * extent < FEW_DIGITS * largest  # a double zero
        directions = right[:1]
        if is_flat and problem.dimension > 1:
            directions = half_sphere(FEW, problem.dimension, np.random.default_rng(0))
        for direction in np.concatenate([directions, -directions]):
            along = zero + extent * _DISTANCES[:, None] * direction
            inside = problem.domain.contains(along)
            around.append(along[inside])
            distances.append(extent * _DISTANCES[inside])
        is_surface = problem.dimension == 1 or (
            not is_flat and (len(singular) == 1 or singular[1] < FEW_DIGITS * singular[0])
        )
        if several is None and is_surface and _has_several_solutions(problem, zero, directions[0], extent):
            several = zero
    place = zeros[0] if several is None else several
    place = np.where(np.abs(place) < CLOSE * extent, 0.0, place)
    return Degenerate(place, several is not None, np.concatenate(around), np.concatenate(distances))


def _find_zeros(problem: Problem, points: FloatArray, largest: float) -> tuple[FloatArray, FloatArray]:
    """Zeros of the leading coefficients ``(n, d)`` that Newton's method finds, and their slopes ``(n, k, d)``."""
    lower, upper = problem.domain.bounding_box
    steps = STEP * (upper - lower)  # a double zero is found to this accuracy
    values, slopes = _leading_coefficients(problem, points, steps)
    for _ in range(ITERATIONS):
        # coefficients that are practically zero stay
        change = np.einsum("ndk,nk->nd", np.linalg.pinv(slopes), values)
        moving = np.abs(values).max(axis=1) > NEGLIGIBLE * largest
        further = np.clip(points - np.where(moving[:, None], change, 0.0), lower, upper)
        if np.array_equal(further, points):  # all are there, or coefficients are constant around them
            break
        points = further
        values, slopes = _leading_coefficients(problem, points, steps)
    found = np.abs(values).max(axis=1) <= ROUNDED * largest
    # points on the boundary, up to rounding, are inside
    inward = points + CLOSE * (0.5 * (lower + upper) - points)
    found &= problem.domain.contains(points) | problem.domain.contains(inward)
    chosen: list[int] = []
    for place in np.flatnonzero(found):
        apart = np.abs((points[chosen] - points[place]) / (upper - lower)).max(axis=1, initial=0.0)
        if np.all(apart > ZERO) and (problem.dimension == 1 or len(chosen) < FEW):
            chosen.append(int(place))
    return points[chosen], slopes[chosen]


def _leading_coefficients(problem: Problem, points: FloatArray, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The leading coefficients ``(n, k)``, real and imaginary parts, and their slopes ``(n, k, d)``."""
    _, upper = problem.domain.bounding_box
    signs = np.where(points + steps > upper, -1.0, 1.0)
    moved = [points, *(points + signs * steps * axis for axis in np.eye(len(steps)))]
    terms = [term for term in problem.determinant.terms if term.order == problem.determinant.order]
    each = [
        np.concatenate(real_parts(np.stack([term.at(Sites(places)) for term in terms], axis=1)), axis=1)
        for places in moved
    ]
    slopes = [(one - each[0]) / (signs * steps)[:, axis, None] for axis, one in enumerate(each[1:])]
    return each[0], np.stack(slopes, axis=2)


def _has_several_solutions(problem: Problem, zero: FloatArray, direction: FloatArray, extent: float) -> bool:
    """Whether the powers of the distance on both sides of a zero have more free factors than there are conditions."""
    order, free = problem.determinant.order, 0
    shared, near = np.ones(max(order - 1, 0), dtype=bool), extent * np.array([CLOSE, 1e-2 * CLOSE])
    for side in (-1.0, 1.0):
        at = zero + side * near[:, None] * direction
        if not problem.domain.contains(at[:1])[0]:
            return False
        first, second = _indicial(freeze(problem.determinant, Sites(at)), side * direction, near)
        if np.abs(first - second).max() > FEW_DIGITS * np.abs(second).max():
            return True  # no powers: solutions may vanish on this side with all their derivatives
        polynomials = [factor * np.poly(np.arange(k)) for k, factor in enumerate(second)]  # s (s - 1) ...
        exponents = np.roots(reduce(np.polyadd, polynomials))
        least = order - 2 if order > 1 else -2 * FEW_DIGITS
        free += int(np.sum(exponents.real > least + FEW_DIGITS))
        shared &= np.array([np.any(np.abs(exponents - k) < FEW_DIGITS) for k in range(order - 1)], dtype=bool)
    return free + int(shared.sum()) > order


def _indicial(frozen: Frozen, direction: FloatArray, distances: FloatArray) -> NumberArray:
    """The factors of ``s (s - 1) ... (s - k + 1)`` in the indicial polynomial at sites, ``(n, order + 1)``."""
    orders = frozen.orders.sum(axis=1)
    highest = int(orders.max())
    shares = frozen.coefficients * np.prod(direction**frozen.orders, axis=1)
    each = np.stack([shares[:, orders == k].sum(axis=1) for k in range(highest + 1)], axis=1)
    each = each * distances[:, None] ** (highest - np.arange(highest + 1))
    return np.asarray(each / each[:, -1:])
