"""Collocation points: how many each relation gets, where they crowd, and their draw."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, final
from weakref import WeakKeyDictionary

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.random.families import check_count
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Sites, join_sites
from fspielm.numerics.sampling import Sampling, check_sampling, reject, unit_stream
from fspielm.numerics.tolerances import ROUNDING
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# ---- Rows that crowd near places, or cover closed surfaces evenly

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


# ---- Rules for points


@final
@dataclass(frozen=True)
class Points:
    """Numbers of collocation points.

    Parameters
    ----------
    interior : int
        Points for the equation; zero if the functions satisfy it.
    boundary : int or mapping of part name to int, optional
        Points on each named part of the boundary that has a condition (one of the two names of a periodic pair), and
        along each curve inside (named by its block).
    boundary_total : int, optional
        Instead of `boundary`: points on the whole boundary, split over its parts by their length or area.
    initial : int, optional
        Points for each initial condition, if there are any.
    sampling : {"uniform", "low-discrepancy", "clustered"}
        Independent random points, as in the paper; evenly spread points; or points clustered toward the boundary.
    crowd : FurtherPoints, optional
        Further points on the boundary: close to places outside, or all over closed surfaces.
    """

    interior: int
    boundary: int | Mapping[str, int] | None = None
    boundary_total: int | None = None
    initial: int | None = None
    sampling: Sampling = "uniform"
    crowd: FurtherPoints | None = None

    def __post_init__(self) -> None:
        check_sampling(self.sampling)
        counts: dict[str, Any] = {name: getattr(self, name) for name in ("interior", "boundary_total", "initial")}
        if self.boundary is not None and self.boundary_total is not None:
            raise ProblemError("give boundary or boundary_total, not both")
        if isinstance(self.boundary, Mapping):
            counts |= {f"boundary[{name!r}]": count for name, count in self.boundary.items()}
        else:
            counts["boundary"] = self.boundary
        for name, count in counts.items():
            if count is not None or name == "interior":
                check_count(f"points: {name}", count, least=0)

    def counts(self, problem: Problem) -> dict[str, int]:
        """The number of points in each block, by name; ``"equation"`` is included if it has any.

        Conditions at given points, or on a part that is a single point, always have exactly those.
        """
        crowded = {} if self.crowd is None else self.crowd.counts(problem)
        return {name: count + crowded.get(name, 0) for name, count in self._spread_counts(problem).items()}

    def _spread_counts(self, problem: Problem) -> dict[str, int]:
        """The counts without the crowd."""
        on_parts = _relations_on_parts(problem)
        if isinstance(self.boundary, Mapping):
            counts = _by_name(self.boundary, on_parts)
        elif self.boundary_total is not None:
            counts = split_by_measure(self.boundary_total, on_parts)
        else:
            counts = {r.name: _part_share(self.boundary or 0, r) for r in on_parts}
        wanted = {}
        for relation in problem.relations:
            kind = relation.region.kind
            count = {"domain": self.interior, "start": self.initial or 0}.get(kind, counts.get(relation.name, 1))
            if count < 1 and kind != "domain":
                argument = "initial" if kind == "start" else "boundary"
                raise ProblemError(
                    f"points: no points for the block {relation.name!r}, which has a condition; "
                    f"set Points({argument}=...)"
                )
            wanted[relation.name] = relation.region.count or count
        return {name: count for name, count in wanted.items() if count}

    def draw(self, problem: Problem, rng: np.random.Generator) -> dict[str, Sites]:
        """Draw the points of each block, by name."""
        counts = self._spread_counts(problem)
        drawn = [relation for relation in problem.relations if relation.name in counts]
        sites = {relation.name: relation.sample(counts[relation.name], rng, self.sampling) for relation in drawn}
        if self.crowd is not None:
            for name, crowded in self.crowd.draw(problem, rng).items():
                sites[name] = sites[name].followed_by(crowded)
        return sites

    def thinned(self) -> Points:
        """About a quarter of the points, to check a solution elsewhere; more of few points, to see narrow data."""
        boundary = self.boundary
        least = _LEAST_CHECKS // max(len(boundary), 1) if isinstance(boundary, Mapping) else 0
        return replace(
            self,
            interior=min(max(self.interior // 4, 200), 1000) if self.interior else 0,
            boundary=(
                {name: max(quarter(count), least) for name, count in boundary.items()}
                if isinstance(boundary, Mapping)
                else boundary and quarter(boundary)
            ),
            boundary_total=None if self.boundary_total is None else max(self.boundary_total // 4, 64),
            initial=self.initial and max(quarter(self.initial), _LEAST_CHECKS),
            crowd=None if self.crowd is None else self.crowd.thinned(),
        )

    def fewer(self, divisor: int, least: int) -> Points:
        """One of every `divisor` points, at least `least`, to measure their cost; a crowd is spread over its parts."""

        def some(count: int) -> int:
            return min(count, max(count // divisor, least))

        boundary, total, initial = self.boundary, self.boundary_total, self.initial
        crowded = 0 if self.crowd is None else self.crowd.count
        return replace(
            self,
            interior=some(self.interior),
            boundary={n: some(c + crowded // len(boundary)) for n, c in boundary.items()}
            if isinstance(boundary, Mapping)
            else boundary and some(boundary),
            boundary_total=total and some(total),
            initial=initial and some(initial),
            crowd=None,
        )


def points_for(problem: Problem, neurons: int) -> Points:
    """Points in the paper's proportions: 1.6 rows per neuron inside, 0.32 on the boundary."""
    has_initial = any(r.region.kind == "start" for r in problem.relations)
    on_boundary = len(_relations_on_parts(problem))
    return Points(
        interior=max(int(1.6 * neurons), 10),
        boundary_total=max(int(0.32 * neurons), 10 * on_boundary) if on_boundary else None,
        initial=max(int(0.08 * neurons), 10) if has_initial else None,
    )


# Least number of held-out points on the whole boundary, and for each initial condition.
_LEAST_CHECKS = 1000


def split_by_measure(total: int, relations: list[Relation]) -> dict[str, int]:
    """Split `total` points over relations by the measure of their regions, with at least one each."""
    if total < len(relations):
        raise ProblemError(
            f"points: boundary_total={total} is less than one point for each of the {len(relations)} "
            "boundary conditions"
        )
    if not relations:
        return {}
    measures = np.array([r.measure for r in relations])
    exact = (total - len(relations)) * measures / measures.sum()
    counts = np.floor(exact).astype(int)
    # points lost to rounding go to the largest remainders
    for index in np.argsort(counts - exact, kind="stable")[: total - len(relations) - counts.sum()]:
        counts[index] += 1
    return {r.name: int(count) + 1 for r, count in zip(relations, counts, strict=True)}


def _relations_on_parts(problem: Problem) -> list[Relation]:
    """The relations on parts of the boundary and along curves inside."""
    return [r for r in problem.relations if r.part is not None]


def _part_share(count: int, relation: Relation) -> int:
    """The number of points of a relation on a piece of a part with `count` points."""
    share = relation.region.share
    return count if share == 1.0 else max(round(count * share), min(count, 1))


def _by_name(boundary: Mapping[str, int], relations: list[Relation]) -> dict[str, int]:
    known = {name for r in relations for name in r.part_names}
    for name in boundary:
        if name not in known:
            raise ProblemError(
                f"points: boundary names {name!r}, which is no part with a condition; those are {sorted(known)}"
            )
    return {r.name: _part_share(max(boundary.get(name, 0) for name in r.part_names), r) for r in relations}


# ---- How many points each block needs


# Rows per function inside, and per function that the boundary can distinguish, for clustered points.
_ROWS_PER_FUNCTION = 1.5
# Smaller pieces of a part get fewer rows, as the whole part must be equally dense.
_LEAST_SHARE = 0.02
# Rows per function that satisfies the equation.
_ROWS_PER_EXACT_NEURON = 3.0
# The share of rows split equally among conditions, if the numbers of functions they distinguish are known.
_EVEN_SHARE = 0.15


def allot_points(problem: Problem, neurons: int, widths: FloatArray, factor: float, special: int = 0) -> Points:
    """Points for `neurons` functions of a band with half-widths `widths` and density `factor`.

    A part of the boundary gets rows in proportion to the number of functions that it distinguishes: its measure times
    the area of the band's projection onto its tangent plane. Functions outside of the band, such as the multipoles of a
    hole, may differ on a small part only: each part gets rows for `special` of them.
    """
    rng = np.random.default_rng(0)  # for counts only
    counts: dict[str, int] = {}
    for relation in _sampled(problem):
        needed = _ROWS_PER_FUNCTION * factor ** (problem.dimension - 1) * _traces(relation, widths, rng)
        # no more than there are functions
        counts[relation.name] = min(int(np.ceil(needed)), neurons) + LEAST_ROWS + int(_ROWS_PER_FUNCTION * special)
    return _clustered_points(problem, max(int(np.ceil(_ROWS_PER_FUNCTION * neurons)), LEAST_ROWS), counts)


def allot_conditions(problem: Problem, neurons: int, reach: Sequence[float] | None = None) -> Points:
    """Points on the conditions, for `neurons` functions that satisfy the equation.

    Half of the rows are split evenly, the other half by the size of the regions: their measure or, with time, their
    share of the domain's extent. If `reach` has the largest frequencies along each axis, most rows are split by the
    number of functions that the regions distinguish.
    """
    if reach is not None and len(reach) != problem.dimension:
        raise ProblemError(f"reach must have one entry for each of {problem.dimension} axes; got {reach}")
    sampled = _sampled(problem)
    if reach is None:
        sizes, even = np.array([_relative_size(problem, c) for c in sampled]), 0.5
    else:
        rng = np.random.default_rng(0)  # for counts only
        sizes, even = np.array([_traces(c, np.asarray(reach), rng) for c in sampled]), _EVEN_SHARE
    shares = (1 - even) * sizes / max(sizes.sum(), np.finfo(float).tiny) + even / max(len(sampled), 1)
    rows = _ROWS_PER_EXACT_NEURON * neurons * shares
    counts = {c.name: int(np.ceil(wanted)) + LEAST_ROWS for c, wanted in zip(sampled, rows, strict=True)}
    return _clustered_points(problem, 0, counts)


def join_points(problem: Problem, parts: Sequence[Points]) -> Points:
    """Points for several sets of functions: the sum of their points on each block."""
    counts = [part.counts(problem) for part in parts]
    summed = {c.name: sum(count[c.name] for count in counts) for c in _sampled(problem)}
    return _clustered_points(problem, sum(part.interior for part in parts), summed)


def _sampled(problem: Problem) -> list[Relation]:
    """The relations whose points are drawn, unlike given points."""
    return [r for r in problem.relations if r.region.kind == "start" or r.part is not None]


def _clustered_points(problem: Problem, interior: int, counts: Mapping[str, int]) -> Points:
    """Clustered points with at least these numbers in the sampled blocks, by name."""
    boundary: dict[str, int] = {}
    initial = None
    for relation in _sampled(problem):
        count = counts[relation.name]
        if relation.region.kind == "start":
            initial = max(count, initial or 0)
        else:
            name = relation.part_names[0]
            share = max(relation.region.share, _LEAST_SHARE)
            boundary[name] = max(boundary.get(name, 0), int(np.ceil(count / share)))
    return Points(interior, boundary or None, initial=initial, sampling="clustered")


def _relative_size(problem: Problem, relation: Relation) -> float:
    time = problem.domain.time
    if time is None or problem.dimension == 1:
        return relation.measure
    lower, upper = problem.domain.bounding_box
    length = float(np.max((upper - lower)[:-1]))
    # the start has one more dimension in space, the others extend over time
    across = problem.dimension - 1 if relation.region.kind == "start" else problem.dimension - 2
    duration = 1.0 if relation.region.kind == "start" else time.duration
    return relation.measure / (duration * length**across)


def _traces(relation: Relation, widths: FloatArray, rng: np.random.Generator) -> float:
    """The number of functions of the band that differ on the region of a relation."""
    dimension = len(widths)
    normals = relation.sample(200, rng, "low-discrepancy").normals
    if normals is None:
        return _traces_along(relation, widths)
    faces = np.array([np.prod(2 * np.delete(widths, axis)) for axis in range(dimension)])
    projection = float(np.mean(np.abs(normals) @ faces))
    return relation.measure * projection / (2 * np.pi) ** (dimension - 1)


def _traces_along(relation: Relation, widths: FloatArray) -> float:
    """The same for a curve, from the band's projection onto its tangents."""
    assert relation.part is not None
    steps = np.abs(np.diff(relation.part.place(np.linspace(0, 1, 201)[:, None]).points, axis=0))
    return float(np.sum(steps @ (2 * widths)) / (2 * np.pi))
