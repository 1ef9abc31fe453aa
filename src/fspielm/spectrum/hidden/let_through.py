"""What the conditions of a problem let through: along which part, at which frequency; with time, how fast it grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.equations import Operator, Problem
from fspielm.equations.conditions import Dirichlet, Neumann
from fspielm.equations.regions import probe
from fspielm.equations.relations import Relation
from fspielm.errors import ProblemError
from fspielm.geometry import BoundaryPart, Sites
from fspielm.spectrum.hidden.boundary_symbol import BoundarySymbol, zeros_along
from fspielm.spectrum.hidden.frozen import Frozen, freeze, telling
from fspielm.spectrum.hidden.system_symbol import SystemSymbol

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
