"""What the conditions of a problem let through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.estimate.frozen import Frozen, freeze, roots_of, telling
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.points import Sites
from fspielm.problem.conditions import Dirichlet, Neumann
from fspielm.problem.operator import Operator
from fspielm.problem.places import probe
from fspielm.problem.problem import Problem
from fspielm.problem.relations import Relation

# ---- Frequencies along the boundary at which a condition lets a function through
# With coefficients frozen, ``exp(i xi tau x + p n x)`` satisfies the equation at the roots p of its symbol; those with
# a positive real part fall off inward from the boundary with the outward normal n. If the conditions there vanish on a
# sum of them, that sum is a function which neither the equation nor the conditions see: ``exp(m n x) cos(m tau x)`` for
# Laplace's equation with ``du/dn = m u``. The determinant of the conditions on those roots says where that is so.


# A determinant so small beside its terms is a zero; near a minimum it is looked for with so many zooms.
_ZERO = 1e-3
_ZOOMS = 5
_FINE = 17
# Minima above this are none.
_LOW = 0.5
# Roots closer to the axis than this neither fall off nor grow.
_DECAYS = 1e-9

# Determinants ``(r, k)`` at some places, by number ``(r,)``, and values ``(r, k)`` of what is searched along.
Determinant: TypeAlias = Callable[[NDArray[np.int_], FloatArray], FloatArray]


@final
@dataclass(frozen=True, eq=False)
class BoundarySymbol:
    """The equation and its conditions at m places of a boundary part.

    Attributes
    ----------
    equation : Frozen
    conditions : tuple of Frozen
    normals : (m, d) array
        Outward.
    """

    equation: Frozen
    conditions: tuple[Frozen, ...]
    normals: FloatArray

    def falling(self, place: int, s: ComplexArray) -> ComplexArray:
        """The exponents at a place that fall off inward, beside `s` along the boundary: ``(k, d)``."""
        here, normal = np.array([place]), self.normals[[place]]
        unit = np.maximum(np.linalg.norm(s[None], axis=1), np.finfo(np.float64).tiny)
        (roots,) = roots_of(self.equation.select(here).along(s[None], normal), unit)
        with np.errstate(invalid="ignore"):
            inward = roots[roots.real > _DECAYS * np.abs(roots)]
        return np.asarray(s + inward[:, None] * normal)

    def determinant(self, places: NDArray[np.int_], s: ComplexArray) -> FloatArray:
        """Of the conditions on the roots that fall off inward, relative to its terms: ``(r, k)``.

        At some of the places ``(r,)``, for exponents ``(r, k, d)``.

        NaN where there are not as many such roots as conditions, or some that do not fall off.
        """
        r, k, d = s.shape
        each, flat = np.repeat(places, k), s.reshape(r * k, d)
        here, falling = self.roots_inward(each, flat, len(self.conditions))
        result = np.full(r * k, np.nan)
        if here.size:
            normals = self.normals[each[here]]
            operators = [operator.select(each[here]).along(flat[here], normals) for operator in self.conditions]
            result[here] = _relative_determinant(operators, falling)
        return result.reshape(r, k)

    def roots_inward(
        self, places: NDArray[np.int_], s: ComplexArray, number: int
    ) -> tuple[NDArray[np.intp], ComplexArray]:
        """Which of some exponents ``(n, d)`` at places ``(n,)`` have a `number` of roots that fall off, and those."""
        normals = self.normals[places]
        unit = np.maximum(np.linalg.norm(s, axis=1), np.finfo(np.float64).tiny)
        roots = roots_of(self.equation.select(places).along(s, normals), unit)
        with np.errstate(invalid="ignore"):
            slack = _DECAYS * np.abs(roots)
            inward, outward = roots.real > slack, roots.real < -slack
        suits = (inward.sum(axis=1) == number) & np.all(inward | outward | np.isnan(roots), axis=1)
        here = np.flatnonzero(suits)
        order = np.argsort(~inward[here], axis=1, kind="stable")[:, :number]
        return here, np.take_along_axis(roots[here], order, axis=1)


def zeros_along(determinant: Determinant, grid: FloatArray, places: int) -> list[tuple[int, float]]:
    """Where a determinant vanishes: which place, and the value on the (increasing, positive) grid or between.

    Infinity stands for a determinant that is zero all the way to the end of the grid.
    """
    values = determinant(np.arange(places), np.broadcast_to(grid, (places, len(grid))))
    found = [(int(i), float("inf")) for i in np.flatnonzero(np.all(values[:, -3:] < _ZERO**2, axis=1))]
    endless = {place for place, _ in found}
    middle = np.where(np.isnan(values), np.inf, values)
    padded = np.pad(middle, ((0, 0), (1, 1)), constant_values=np.inf)
    lowest = (middle < _LOW) & (middle <= padded[:, :-2]) & (middle <= padded[:, 2:])
    rows, columns = np.nonzero(lowest)
    kept = np.array([row not in endless for row in rows], dtype=bool)
    rows, columns = rows[kept], columns[kept]
    if not rows.size:
        return found
    lower, upper = grid[np.maximum(columns - 1, 0)], grid[np.minimum(columns + 1, len(grid) - 1)]
    best = np.empty(len(rows))
    for _ in range(_ZOOMS):
        fine = np.geomspace(lower, upper, _FINE, axis=1)
        there = determinant(rows, fine)
        there = np.where(np.isnan(there), np.inf, there)
        at, each = there.argmin(axis=1), np.arange(len(rows))
        best = there[each, at]
        lower, upper = fine[each, np.maximum(at - 1, 0)], fine[each, np.minimum(at + 1, _FINE - 1)]
    where = np.sqrt(lower * upper)
    return found + [(int(row), float(x)) for row, x, low in zip(rows, where, best, strict=True) if low < _ZERO]


def _relative_determinant(operators: list[ComplexArray], roots: ComplexArray) -> FloatArray:
    """Of polynomials (one for each condition) modulo the one with the given roots.

    Unlike that of their values at the roots it does not vanish where two roots are the same, as all are of a plate.
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


# ---- Frequencies along the boundary at which the conditions of several unknowns let functions through
# As for one unknown (`boundary_symbol`): at each root p of the determinant of all equations there is a vector of
# unknowns, ``v exp(i xi tau x + p n x)``, that satisfies them; conditions are told by what they make of these.


# Functions closer to a combination of others than this are not told apart from them; nor are those of roots that are
# so close, relative to their size, that rounding leaves few digits of them.
_APART, _APART_ROOTS = 1e-2, 1e-4

# Of each of some relations, what it does to each of the unknowns; None where that is nothing.
Parts = tuple[tuple[Frozen | None, ...], ...]


@final
@dataclass(frozen=True, eq=False)
class SystemSymbol:
    """Several equations and conditions at m places of a boundary part.

    Attributes
    ----------
    whole : BoundarySymbol
        That of the determinant of the equations.
    equations, conditions : tuple of tuple of Frozen
    """

    whole: BoundarySymbol
    equations: Parts
    conditions: Parts

    def falling(self, place: int, s: ComplexArray) -> ComplexArray:
        """As of `BoundarySymbol`."""
        return self.whole.falling(place, s)

    def determinant(self, places: NDArray[np.int_], s: ComplexArray) -> FloatArray:
        """As of `BoundarySymbol`; NaN also where functions are hardly independent, as all are of an elastic body."""
        r, k, d = s.shape
        each, number = np.repeat(places, k), len(self.conditions)
        flat = s.reshape(r * k, d)
        here, falling = self.whole.roots_inward(each, flat, number)
        result = np.full(r * k, np.nan)
        if here.size:
            where = each[here], flat[here], self.whole.normals[each[here]], falling
            symbols, terms = _at_roots(self.equations, *where)
            # one vector for each root, (n, roots, unknowns)
            vectors = np.conj(np.linalg.svd(symbols / terms[..., None])[2][..., -1, :])
            unit = np.linalg.norm(flat[here], axis=1)
            carried = np.concatenate([vectors, vectors * (falling / unit[:, None])[..., None]], axis=2)
            apart = np.linalg.svd(carried / np.linalg.norm(carried, axis=2, keepdims=True), compute_uv=False)[:, -1]
            conditions, terms = _at_roots(self.conditions, *where)
            values = np.einsum("njcu,nju->ncj", conditions, vectors) / terms.max(axis=1)[:, :, None]
            told = (apart > _APART) & (_separation(falling) > _APART_ROOTS)
            # functions that are alike make a determinant small, but no zero
            result[here] = np.where(told, np.abs(np.linalg.det(values)) / np.maximum(apart, _APART), np.nan)
        return result.reshape(r, k)


def _at_roots(
    parts: Parts, places: NDArray[np.int_], s: ComplexArray, normals: FloatArray, roots: ComplexArray
) -> tuple[ComplexArray, FloatArray]:
    """What relations make of unknowns at each root, ``(n, roots, relations, unknowns)``; and how large terms are."""
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


def _separation(roots: ComplexArray) -> FloatArray:
    """The least distance between two of some roots ``(n, k)``, relative to the largest."""
    apart = np.abs(roots[:, :, None] - roots[:, None, :]) + np.where(np.eye(roots.shape[1]), np.inf, 0.0)
    return np.asarray(apart.min(axis=(1, 2)) / np.abs(roots).max(axis=1))


# ---- What the conditions of a problem let through: along which part, at which frequency; with time, how fast it grows


_SITES = 128
_TANGENTS = 4
# Frequencies from one over the extent of the domain, so many octaves up, with so many steps for each.
_OCTAVES = 20
_STEPS = 6
# Of rates of growth, which go with the square for diffusion; and frequencies along the boundary beside them.
_RATE_OCTAVES = 40
_RATE_STEPS = 3
_BESIDE = 6
# Frequencies beside a zero, relative to it, and how much larger a determinant is there at least.
_BESIDE_ZERO, _SHARP = (0.99, 1.0, 1.01), 10.0
# Normals that differ by less are the same.
_FLAT = 1e-9


@final
@dataclass(frozen=True, eq=False)
class LetThrough:
    """A function that oscillates along a part of the boundary, falls off from it, and that nothing sees.

    Attributes
    ----------
    condition : str
        The names of the conditions there.
    frequency : float
        Along the boundary; infinite where it is so at all frequencies.
    along : (d,) array
        The highest component along each axis of such a frequency, over the whole part.
    rate : float
        Of growth in time; zero in a problem without.
    W : (k, d) complex array
        Frequencies of such functions, where the part is flat and has the same all along.
    foldings : float
        How often they fall by a factor of e across the domain, at least.
    is_interface : bool
        Whether `condition` is an interface between materials, along which they live on both sides.
    """

    condition: str
    frequency: float
    along: FloatArray
    rate: float = 0.0
    W: ComplexArray | None = None
    foldings: float = 0.0
    is_interface: bool = False


def let_through(problem: Problem) -> list[LetThrough]:
    """The highest frequency that each part lets through, or the fastest growth; nothing, nearly always."""
    found: list[LetThrough] = []
    for sites, here in _pieces(problem):
        try:
            found += _along_piece(problem, sites, here)
        except ProblemError:  # a coefficient has no value there, as 1/r at r = 0
            continue
    return found


def _pieces(problem: Problem) -> Iterator[tuple[Sites, list[Relation]]]:
    """Pieces of the boundary with all conditions that hold on each, where a function may pass.

    Periodic parts are no boundary.
    """
    bound = [c for c in problem.constraints if c.region.kind == "boundary"]
    parts: dict[int, BoundaryPart] = {id(part): part for c in bound for part in c.region.parts}
    for part in parts.values():
        here = [c for c in bound if part in c.region.parts]
        if any(c.region.partner is not None for c in here) or _is_plain(here):
            continue
        sites = probe(part, _SITES)
        held = np.stack([c.holds(sites.points) for c in here], axis=1)
        for pattern in np.unique(held, axis=0):
            holding = [c for c, holds in zip(here, pattern, strict=True) if holds]
            if not _is_plain(holding):
                yield sites.select(np.all(held == pattern, axis=1)), holding


def _is_plain(here: list[Relation]) -> bool:
    """Whether all there is on a piece is a value or a slope: neither is zero for what falls off."""
    return len(here) < 2 and all(isinstance(c.condition, Dirichlet | Neumann) for c in here)


def _along_piece(problem: Problem, sites: Sites, here: list[Relation]) -> list[LetThrough]:
    assert sites.normals is not None  # every boundary part has them
    several = len(problem.unknowns) > 1
    frozen = [freeze(operator, sites) for operator in (problem.determinant, *(c.operator for c in here))]
    chosen = telling(*frozen)
    time = problem.domain.time
    space = problem.dimension - (time is not None)
    tangents = _tangents(sites.normals[chosen], space)
    places = np.repeat(chosen, len(tangents))
    across = np.concatenate(list(tangents.transpose(1, 0, 2)))
    equation, *conditions = (operator.select(places) for operator in frozen)
    whole = BoundarySymbol(equation, tuple(conditions), sites.normals[places])
    symbol: BoundarySymbol | SystemSymbol = whole
    if several:
        equations = tuple(_parts(problem, each.operator, sites, places) for each in problem.equations)
        symbol = SystemSymbol(whole, equations, tuple(_parts(problem, c.operator, sites, places) for c in here))
    lower, upper = problem.domain.bounding_box
    unit = 1 / float(np.max(upper - lower, where=np.arange(problem.dimension) < space, initial=0.0))
    name = ", ".join(c.name for c in here)
    reach = np.sqrt(np.maximum(1 - sites.normals**2, 0.0)).max(axis=0)
    reach[space:] = 0.0
    if time is None:
        if space == 1:
            return []
        grid = unit * 2.0 ** (np.arange(_OCTAVES * _STEPS + 1) / _STEPS)
        zeros = zeros_along(
            lambda rows, xi: symbol.determinant(rows, 1j * xi[:, :, None] * across[rows, None, :]), grid, len(places)
        )
        if several:  # determinants fall with the frequency, or end, where functions become alike
            zeros = [(row, xi) for row, xi in zeros if np.isfinite(xi) and _is_sharp(symbol, row, xi * across[row])]
        if not zeros:
            return []
        highest = max(xi for _, xi in zeros)
        # of several unknowns, functions are more than exponentials: a band has to hold them
        flat = not several and np.all(np.ptp(sites.normals, axis=0) < _FLAT)
        exponents = [symbol.falling(row, 1j * xi * across[row]) for row, xi in zeros if np.isfinite(xi)]
        W = -1j * np.unique(np.concatenate(exponents), axis=0) if flat and exponents else None
        steep = max((float(np.linalg.norm(each.real, axis=1).min(initial=np.inf)) for each in exponents), default=0.0)
        return [LetThrough(name, highest, np.where(reach > 0, highest, 0.0) * reach, W=W, foldings=steep / unit)]
    later = np.zeros(problem.dimension)
    later[-1] = 1.0
    rates = 2.0 ** (np.arange(_RATE_OCTAVES * _RATE_STEPS + 1) / _RATE_STEPS) / time.duration
    found = []
    beside = np.concatenate([[0.0], unit * 2.0 ** np.linspace(0, _OCTAVES, _BESIDE)]) if space > 1 else np.zeros(1)
    for xi in beside:
        growing = zeros_along(
            lambda rows, rate, xi=xi: symbol.determinant(  # type: ignore[misc]
                rows, 1j * xi * across[rows, None, :] + rate[:, :, None] * later
            ),
            rates,
            len(places),
        )
        fastest = max((rate for _, rate in growing), default=0.0)
        if fastest > 0:
            found.append(LetThrough(name, float(xi), xi * reach, fastest))
    return found


def _is_sharp(symbol: BoundarySymbol | SystemSymbol, row: int, xi: FloatArray) -> bool:
    """Whether a determinant is much smaller at a frequency than beside it, where it has to be known."""
    below, at, above = symbol.determinant(np.array([row]), 1j * np.multiply.outer(_BESIDE_ZERO, xi)[None])[0]
    return bool(np.minimum(below, above) > _SHARP * at)


def _parts(problem: Problem, operator: Operator, sites: Sites, places: NDArray[np.int_]) -> tuple[Frozen | None, ...]:
    """What an operator does to each unknown."""
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
    tries = np.zeros((_TANGENTS, 1, normals.shape[1]))
    tries[:, 0, :space] = np.random.default_rng(0).standard_normal((_TANGENTS, space))  # of no meaning
    across = tries - np.sum(tries * normals, axis=2, keepdims=True) * normals
    return np.asarray(across / np.linalg.norm(across, axis=2, keepdims=True))
