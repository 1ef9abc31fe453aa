"""Collocation points that crowd where a solution varies fast, or cover closed surfaces evenly."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, final
from weakref import WeakKeyDictionary

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Sites, join_sites
from fspielm.numerics.sampling import reject, unit_stream
from fspielm.numerics.tolerances import ROUNDING
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# Initial cells of the tabulated density on every smooth piece, and their final length at most, relative to the distance
# from the nearest place.
_FIRST_CELLS = 32
_CELL = 0.25
# The fewest points to check with.
_LEAST = 16


Distances: TypeAlias = Callable[[FloatArray], FloatArray]


def nearest_of(places: FloatArray) -> Distances:
    """A function from points ``(n, 2)`` to their distances ``(n,)`` from the nearest of `places`."""
    from scipy.spatial import cKDTree  # seldom needed, slow to import

    tree = cKDTree(places)
    return lambda points: np.asarray(tree.query(points)[0], dtype=np.float64)


# A relation with points, how to draw some of them, and how many.
Share: TypeAlias = tuple[Relation, Callable[[int, np.random.Generator], Sites], int]


def quarter(count: int) -> int:
    """A quarter of some points, or all of a few."""
    return min(count, max(count // 4, _LEAST))


class FurtherPoints(ABC):
    """Points on the boundary besides those that are spread over it.

    Attributes
    ----------
    count : int
        Number of points.
    """

    count: int

    @abstractmethod
    def shares(self, problem: Problem) -> list[Share]:
        """The relations with points, and how these are drawn."""

    @abstractmethod
    def thinned(self) -> FurtherPoints:
        """Other points, to check a solution."""

    def counts(self, problem: Problem) -> dict[str, int]:
        """The number of points in each block, by name."""
        found: dict[str, int] = {}
        for relation, _, count in self.shares(problem):
            found[relation.name] = found.get(relation.name, 0) + count
        return found

    def draw(self, problem: Problem, rng: np.random.Generator) -> dict[str, Sites]:
        """Draw the points of each block, by name."""
        found: dict[str, list[Sites]] = {}
        for relation, draw, count in self.shares(problem):
            found.setdefault(relation.name, []).append(draw(count, rng))
        return {name: join_sites(sites) for name, sites in found.items()}


@final
@dataclass(frozen=True, eq=False)
class Crowd(FurtherPoints):
    """Further points on the boundary of a plane domain, with a density inverse to the distance from given places.

    The field of a source outside of a domain varies over its distance from the boundary. Sources whose spacing is
    proportional to their distance get the same number of points each.

    Parameters
    ----------
    places : (m, 2) array
    count : int
        Number of points on the whole boundary.
    strengths : (m,) array, optional
        Factors of the density where each place is the nearest: its number of functions.
    evenly : bool
        Whether points follow the density exactly, with a random start; then fewer of them suffice.
    parts : frozenset of str, optional
        Names of the parts of the boundary with points; all by default.
    """

    places: FloatArray
    count: int
    strengths: FloatArray | None = None
    evenly: bool = False
    parts: frozenset[str] | None = None
    _known: WeakKeyDictionary[Problem, list[Share]] = field(default_factory=WeakKeyDictionary, init=False, repr=False)

    def __post_init__(self) -> None:
        if np.ndim(self.places) != 2 or np.shape(self.places)[1] != 2 or not len(self.places):
            raise ProblemError(f"places must have shape (m, 2), with at least one place; got {np.shape(self.places)}")

    def __reduce__(self) -> tuple[Any, ...]:
        # without cached densities
        return Crowd, (self.places, self.count, self.strengths, self.evenly, self.parts)

    def thinned(self) -> Crowd:
        """A quarter of the points; if even, as many random ones."""
        if self.evenly:
            return replace(self, evenly=False)
        return replace(self, count=quarter(self.count))

    def shares(self, problem: Problem) -> list[Share]:
        """See `FurtherPoints.shares`; cached by problem."""
        if problem not in self._known:
            self._known[problem] = self._find_shares(problem)
        return self._known[problem]

    def _find_shares(self, problem: Problem) -> list[Share]:
        from scipy.spatial import cKDTree  # seldom needed, slow to import

        if problem.dimension != 2 or problem.domain.time is not None:
            raise ProblemError(f"points crowd on the boundary of a plane domain; domain={problem.domain!r} is none")
        tree = cKDTree(self.places)
        strengths = np.ones(len(self.places)) if self.strengths is None else self.strengths
        on_curves = [c for c in problem.relations if c.region.kind == "boundary" and c.region.shift is None]
        if self.parts is not None:
            on_curves = [c for c in on_curves if self.parts.intersection(c.part_names)]
        densities = [_tabulate(c, tree, strengths) for c in on_curves]
        total = sum(density.total for density in densities)
        counts = [round(self.count * density.total / total) for density in densities]
        shares = zip(on_curves, densities, counts, strict=True)
        return [(c, partial(density.draw, c, self.evenly), count) for c, density, count in shares if count]


@final
@dataclass(frozen=True, eq=False)
class Crowds(FurtherPoints):
    """Several crowds, each on its own parts."""

    each: tuple[Crowd, ...]

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of all points."""
        return sum(crowd.count for crowd in self.each)

    def shares(self, problem: Problem) -> list[Share]:
        """See `FurtherPoints.shares`."""
        return [share for crowd in self.each for share in crowd.shares(problem)]

    def thinned(self) -> Crowds:
        """The same of thinned crowds."""
        return Crowds(tuple(crowd.thinned() for crowd in self.each))


@final
@dataclass(frozen=True, eq=False)
class _Density:
    """The integral of a density along the unit coordinate of a curve, linear between `edges`."""

    edges: FloatArray
    integral: FloatArray

    @property
    def total(self) -> float:
        return float(self.integral[-1])

    def draw(self, relation: Relation, evenly: bool, n: int, rng: np.random.Generator) -> Sites:
        part = relation.part
        assert part is not None
        if evenly and part.keep is None and relation.mask is None:
            return part.place(
                np.interp(self.total * (np.arange(n) + rng.random()) / n, self.integral, self.edges)[:, None]
            )
        even = unit_stream(1, rng, "low-discrepancy")

        def crowded(count: int) -> FloatArray:
            return np.interp(self.total * even(count), self.integral, self.edges)

        if part.keep is None and relation.mask is None:
            return part.place(crowded(n))
        what = f"the region on the part {part.name!r}"
        return part.place(reject(crowded, lambda unit: relation.holds(part.place(unit).points), n, what=what))


def _tabulate(relation: Relation, tree: Any, strengths: FloatArray) -> _Density:
    """The density of points: the strength of the nearest place in a tree of places over its distance."""
    part = relation.part
    assert part is not None
    edges = first_edges(part, _FIRST_CELLS)
    lows, widths = edges[:-1], np.diff(edges)
    cells, weights = [], []
    while len(lows):
        points = part.place((lows + 0.5 * widths)[:, None]).points
        distances, nearest = tree.query(points)
        across = part.measure * widths / distances
        short = (across <= _CELL) | (widths <= ROUNDING)
        cells.append(lows[short])
        weights.append(np.where(relation.holds(points), strengths[nearest] * across, 0.0)[short])
        halves = 0.5 * widths[~short]
        lows, widths = np.concatenate([lows[~short], lows[~short] + halves]), np.tile(halves, 2)
    starts, each = np.concatenate(cells), np.concatenate(weights)
    order = np.argsort(starts)
    integral = np.concatenate([[0.0], np.cumsum(each[order])])
    return _Density(np.append(starts[order], edges[-1]), integral)


def first_edges(part: BoundaryPart, cells: int) -> FloatArray:
    """The edges of `cells` equal cells on every smooth piece of a part."""
    breaks = np.array(part.breaks)
    shares = np.arange(cells) / cells
    return np.append((breaks[:-1, None] + np.diff(breaks)[:, None] * shares).ravel(), breaks[-1])


# ---- Points on closed surfaces


# The golden ratio minus one: turns between successive points of a spiral.
_GOLDEN_TURN = 0.5 * (math.sqrt(5) - 1)
# Of any condition, also one on a small piece of a surface.
LEAST_ROWS = 8

Place: TypeAlias = Callable[[FloatArray], Sites]


@final
@dataclass(frozen=True, eq=False)
class Surface:
    """A closed surface with points.

    Attributes
    ----------
    name : str
        The part that contains it.
    place : callable
        From shares of the azimuth and of the way from pole to pole to its sites.
    count : int
        Number of points.
    rings : int, optional
        Number of rings of points, for fields that vary mostly from pole to pole; by default points form a spiral.
    """

    name: str
    place: Place
    count: int
    rings: int | None = None

    def unit(self, count: int, rng: np.random.Generator) -> FloatArray:
        """`count` points, as shares of the azimuth and of the way from pole to pole."""
        index, start, turn = np.arange(count), rng.random(), rng.random()
        if self.rings is None:
            return np.column_stack([((index + start) * _GOLDEN_TURN + turn) % 1.0, (index + start) / count])
        # rings, each turned by a golden share of the spacing
        ring = index * self.rings // count
        azimuth = (index * self.rings / count) % 1.0 + (ring * _GOLDEN_TURN % 1.0) * self.rings / count
        return np.column_stack([(azimuth + turn) % 1.0, (ring + start) / self.rings])


@final
@dataclass(frozen=True, eq=False)
class Lattices(FurtherPoints):
    """Further points on closed surfaces: spirals from pole to pole, with golden angles between successive points.

    Parameters
    ----------
    surfaces : tuple of Surface
    evenly : bool
        Whether they are such spirals; otherwise they are random, for checks.
    """

    surfaces: tuple[Surface, ...]
    evenly: bool = True

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of points on all surfaces."""
        return sum(surface.count for surface in self.surfaces)

    def thinned(self) -> Lattices:
        """As many random points."""
        return replace(self, evenly=False)

    def shares(self, problem: Problem) -> list[Share]:
        """See `FurtherPoints.shares`."""
        return [
            (
                relation,
                partial(self._draw_on, relation, surface),
                max(round(surface.count * relation.region.share), LEAST_ROWS),
            )
            for relation in problem.relations
            for surface in self.surfaces
            if relation.region.kind == "boundary" and surface.name in relation.part_names
        ]

    def _draw_on(self, relation: Relation, surface: Surface, count: int, rng: np.random.Generator) -> Sites:
        if self.evenly and relation.region.share == 1.0:
            return surface.place(surface.unit(count, rng))
        stream = unit_stream(2, rng, "low-discrepancy")
        what = f"the region of {relation.name!r}"
        return surface.place(reject(stream, lambda unit: relation.holds(surface.place(unit).points), count, what=what))
