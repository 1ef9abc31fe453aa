"""Integrals of a solution over domains, boundaries, lines and curves."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray, as_finite_points
from fspielm.basis.evaluation.direct import split_waves
from fspielm.cells.basis import CellBasis
from fspielm.cells.frames import Frames
from fspielm.cells.quadrature import cell_rule
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.geometry.boundary import BoundaryPart, Quadrature, Sites, gauss, likely_parts, list_parts
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.regions import Regions
from fspielm.geometry.shapes.box import Box
from fspielm.geometry.time import SpaceTime, regions_in
from fspielm.numerics.tolerances import PROBES, ROUNDED, SAME
from fspielm.problem.problem import Problem

if TYPE_CHECKING:
    from fspielm.solution.fields import Derived
    from fspielm.solution.solution import Solution


# ---- Several materials: one side of interfaces, and triangles of each region

_REGION = "region"

# From a shape and a side length: points and triangles.
Triangulate = Callable[[Domain, float], tuple[FloatArray, NDArray[np.int64]] | None]


class RegionMesh(NamedTuple):
    """Triangles of all regions: those of two share no points."""

    points: FloatArray
    inner: FloatArray  # the points moved slightly into their regions, to evaluate at
    triangles: NDArray[np.int64]


def interface_parts(problem: Problem, region: Domain) -> list[BoundaryPart]:
    """The interfaces of a problem, moved slightly to their first side; those in space where `region` is space alone."""
    lower, upper = region.bounding_box
    offset = ROUNDED * float(np.max(upper - lower))
    if region is problem.domain:
        return [_first_side(replace(line.part, name=line.name), offset) for line in problem.interfaces]
    regions = regions_in(region)
    return [] if regions is None else [_first_side(border.part, offset) for border in regions.interfaces]


def _first_side(part: BoundaryPart, offset: float) -> BoundaryPart:
    place = part.place

    def moved(unit: FloatArray) -> Sites:
        sites = place(unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points - offset * sites.normals, sites.normals)

    return replace(part, place=moved)


def region_column(problem: Problem, points: FloatArray) -> dict[str, FloatArray]:
    """The index of each point's region, as the column ``region``; empty where the domain is one shape."""
    regions = regions_in(problem.domain)
    if regions is None or _REGION in problem.names:
        return {}
    return {_REGION: regions.region_of(points[:, : regions.dimension]).astype(np.float64)}


def region_mesh(regions: Regions, spacing: float, triangulate: Triangulate) -> RegionMesh | None:
    """Triangles of each region by itself, so that nothing is drawn across interfaces."""
    found: list[RegionMesh] = []
    count = 0
    for shape in regions.shapes.values():
        own = triangulate(shape, spacing)
        if own is None:
            return None
        points, triangles = own
        inner = points.copy()
        corners = triangles.ravel()
        middles = np.repeat(points[triangles].mean(axis=1), 3, axis=0)
        inner[corners] = points[corners] + SAME * (middles - points[corners])
        found.append(RegionMesh(points, inner, triangles + count))
        count += len(points)
    return RegionMesh(*(np.concatenate(each) for each in zip(*found, strict=True)))


# ---- Where a solution can be integrated: its domain, parts of the boundary, lines and curves

# The breaks of a line in one piece.
_WHOLE = np.array([0.0, 1.0])
# The power with which nodes crowd at both ends of a piece: r**(-1/2) there becomes a cubic.
_CROWDING = 8
_FEWEST = 24


@final
@dataclass(frozen=True, eq=False)
class Place:
    """Something to integrate over."""

    rule: Callable[[int], Quadrature]  # from a number to a quadrature with about that many nodes
    extents: FloatArray  # (m,): its size along each of its own m dimensions; none for single points
    fewest: int = 1  # the least number of nodes of a rule
    curves: tuple[BoundaryPart | Segment, ...] = ()  # the curves that it consists of, if any
    domain: Domain | None = None  # the domain, if it is all of that


@final
@dataclass(frozen=True, eq=False)
class Segment:
    """A straight line from `start` to `end` ``(d,)``; in the plane with a normal."""

    start: FloatArray
    end: FloatArray
    normal: FloatArray | None

    @property
    def length(self) -> float:
        """Its length."""
        return float(np.linalg.norm(self.end - self.start))

    def nodes(self, unit: FloatArray, weights: FloatArray) -> Quadrature:
        """Nodes at shares ``(n,)`` of the way."""
        normals = None if self.normal is None else np.tile(self.normal, (len(unit), 1))
        return Quadrature(self.start + unit[:, None] * (self.end - self.start), weights, normals)


def find_place(problem: Problem, on: Any, along: Any, at: Any, *, singular: bool) -> Place:
    """The place given by `on`, `along` and `at`; the whole domain, time included, without them.

    Where functions are `singular` at corners, nodes on the boundary crowd there.
    """
    domain = problem.domain
    if on is not None and along is not None:
        raise ProblemError("integrate takes on= (parts of the boundary) or along= (a line), not both")
    instant = None if at is None else _instant(domain, at)
    region = domain.space if isinstance(domain, SpaceTime) and instant is not None else domain
    if along is not None:
        if region.time is not None:
            raise ProblemError("along= is a line in space; say at which time, with at=")
        place = _place_along(along, region.dimension)
        _check_inside(place, region)
    elif on is not None:
        axes = [str(symbol) for symbol in problem.coordinates[: region.dimension]]
        parts = _named_parts(on, [*region.boundary(axes), *interface_parts(problem, region)])
        place = _place_on_parts(parts, region, singular)
    else:
        lower, upper = region.bounding_box
        place = Place(region.quadrature, upper - lower, domain=region)
        if isinstance(region, Box) and region.dimension == 1:
            place = replace(place, curves=(Segment(lower, upper, None),))
    return place if instant is None else _at_time(place, instant)


def _instant(domain: Domain, at: Any) -> float:
    time = domain.time
    if time is None:
        raise ProblemError(f"at= names a time, but the domain {domain!r} has none; leave it out")
    if domain.dimension == 1:
        raise ProblemError(
            f"at= integrates over space at a time, but {domain!r} is time alone; write solution([[{at}]])"
        )
    try:
        instant = float(at)
    except (TypeError, ValueError):
        raise ProblemError(f"at must be a time, a number; got {at!r}") from None
    if not time.start <= instant <= time.end:
        raise ProblemError(f"at must be a time from {time.start:g} to {time.end:g}; got {at!r}")
    return instant


def _at_time(place: Place, instant: float) -> Place:
    """A place of space at one time."""

    def rule(n: int) -> Quadrature:
        inner = place.rule(n)
        still = np.zeros(len(inner))
        normals = None if inner.normals is None else np.column_stack([inner.normals, still])
        return Quadrature(np.column_stack([inner.points, still + instant]), inner.weights, normals)

    straight = [curve for curve in place.curves if isinstance(curve, Segment) and curve.normal is None]
    curves = tuple(Segment(np.append(c.start, instant), np.append(c.end, instant), None) for c in straight)
    return Place(rule, place.extents, curves=curves if len(curves) == len(place.curves) else ())


def _named_parts(on: Any, parts: Sequence[BoundaryPart]) -> list[BoundaryPart]:
    """The parts of the boundary, and the interfaces, with the names `on`."""
    by_name = {part.name: part for part in parts}
    names = [on] if isinstance(on, str) else on
    if not isinstance(names, Iterable):
        raise ProblemError(f"on must be the name of a part of the boundary, or a list of names; got {on!r}")
    chosen = list(dict.fromkeys(names))
    if not chosen:
        raise ProblemError(f"on must name at least one part of the boundary; its parts are {list(by_name)}")
    for name in chosen:
        if owner := next((part for part in parts if name not in by_name and name in part.side_names), None):
            by_name[name] = owner.side(name)
        if name not in by_name:
            hint = likely_parts(str(name), by_name)
            raise ProblemError(f"on: the boundary has no part {name!r}; its parts are {list_parts(parts)}{hint}")
    return [by_name[name] for name in chosen]


def _place_on_parts(parts: Sequence[BoundaryPart], region: Domain, singular: bool) -> Place:
    total = sum(part.measure for part in parts)

    def rule(n: int) -> Quadrature:
        return joined([_rule_on_part(part, max(1, round(n * part.measure / total)), singular) for part in parts])

    lower, upper = region.bounding_box
    # a part may wind: its extent follows from its measure, and is at least the width of the domain
    parameters = max(part.parameters for part in parts)
    if parameters == 0:
        return Place(rule, np.empty(0))
    curves = tuple(parts) if all(part.parameters == 1 and part.keep is None for part in parts) else ()
    extents = np.full(parameters, max(total ** (1 / parameters), float((upper - lower).max())))
    return Place(rule, extents, curves=curves)


def _rule_on_part(part: BoundaryPart, n: int, singular: bool) -> Quadrature:
    plain = part.parameters != 1 or part.keep is not None or part.nodes is not None or part.endless
    return part.quadrature(n) if plain or not singular else _graded_rule(part, n)


def _check_inside(place: Place, region: Domain) -> None:
    """Refuse a line that leaves the domain, where values mean nothing."""
    points = place.rule(PROBES).points
    outside = points[~region.contains(points)]
    if len(outside):
        where = ", ".join(f"{value:.4g}" for value in outside[0])
        raise ProblemError(f"along: the line leaves the domain, for instance at ({where}), where values mean nothing")


def _place_along(along: Any, dimension: int) -> Place:
    if isinstance(along, PlaneCurve):
        if dimension != 2:
            raise ProblemError(f"along: a PlaneCurve lies in the plane, but the domain has {dimension} coordinates")
        curve = along.as_part("along")
        return Place(curve.quadrature, np.array([along.length]), curves=(curve,))
    corners = as_finite_points(along, dimension, argument="along")
    steps = np.diff(corners, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    if len(corners) < 2 or not (lengths > 0).all():
        raise ProblemError(
            "along must be a PlaneCurve, or two or more points to join by straight lines, no two in a row the same; "
            f"got {np.asarray(along).tolist()}"
        )
    # in the plane, normals point to the right, as those of a `PlaneCurve`
    normals = [np.array([step[1], -step[0]]) / np.linalg.norm(step) if dimension == 2 else None for step in steps]
    segments = tuple(Segment(*ends, normal) for ends, normal in zip(pairwise(corners), normals, strict=True))

    def rule(n: int) -> Quadrature:
        return joined(
            [_composite_rule(each, _WHOLE, max(2, round(n * each.length / lengths.sum()))) for each in segments]
        )

    return Place(rule, np.array([lengths.sum()]), curves=segments)


def joined(rules: Sequence[Quadrature]) -> Quadrature:
    """Join several rules into one."""
    normals = [rule.normals for rule in rules if rule.normals is not None]
    return Quadrature(
        np.concatenate([rule.points for rule in rules]),
        np.concatenate([rule.weights for rule in rules]),
        np.concatenate(normals) if len(normals) == len(rules) else None,
    )


def _graded_rule(part: BoundaryPart, n: int) -> Quadrature:
    """About `n` nodes on a curve, crowded at the ends of its smooth pieces, where a derivative may be infinite.

    Gauss-Legendre in v, with ``s = v^p / (v^p + (1 - v)^p)`` the share of a piece's length (R. Kress, Numer. Math. 58,
    1990): the derivatives of s vanish at both ends and remove the singularity.
    """
    points = part.place(np.linspace(0.0, 1.0, 9)[:, None]).points
    # by rounding, a node closer to a corner than this might fall on it
    closest = 16 * float(np.finfo(np.float64).eps) * max(1.0, float(np.abs(points).max()) / part.measure)
    units, weights = [], []
    for low, high in pairwise(part.breaks):
        share, density = _graded_unit_rule(max(_FEWEST, round(n * (high - low))))
        nearest = min(closest / (high - low), 0.25)
        units.append(low + (high - low) * np.clip(share, nearest, 1.0 - nearest))
        weights.append((high - low) * part.measure * density)
    sites = part.place(np.concatenate(units)[:, None])
    return Quadrature(sites.points, np.concatenate(weights), sites.normals)


def _graded_unit_rule(n: int) -> tuple[FloatArray, FloatArray]:
    v, weights = gauss(n)
    p = _CROWDING
    near, far = v**p, (1.0 - v) ** p
    total = near + far
    return near / total, weights * p * (v * (1.0 - v)) ** (p - 1) / total**2


# ---- Quadrature for functions that are smooth in each cell, and only continuous across cells

# Nodes beyond the degree: products of a solution with itself, or with smooth functions, are then exact to all digits.
_MORE_NODES = 3


def with_cells(place: Place, basis: CellBasis) -> Place:
    """The same place, with a quadrature on each of its pieces between the borders of cells."""
    frames = basis.frames
    if not isinstance(frames, Frames):  # cells of several materials keep the rules of the place
        return place
    if place.domain is not None:
        rule, fewest = _rule_in_cells(basis, frames, place.domain)
        return replace(place, rule=rule, fewest=fewest)
    if not place.curves:
        return place
    cuts = [(curve, _cell_breaks(frames, curve)) for curve in place.curves]
    least = int(basis.degrees.max()) + _MORE_NODES
    fewest = least * sum(len(breaks) - 1 for _, breaks in cuts)

    def on_curves(n: int) -> Quadrature:
        each = int(np.ceil(max(n / fewest, 1.0) * least))
        return joined([_composite_rule(curve, breaks, each) for curve, breaks in cuts])

    return replace(place, rule=on_curves, fewest=fewest)


def _rule_in_cells(basis: CellBasis, frames: Frames, domain: Domain) -> tuple[Callable[[int], Quadrature], int]:
    least = basis.degrees.max(axis=1) + _MORE_NODES
    boxes = np.bincount(frames.owner[frames.owner >= 0])
    fewest = int(boxes @ least**frames.dimension)

    def rule(n: int) -> Quadrature:
        finer = max(n / fewest, 1.0) ** (1 / frames.dimension)
        return cell_rule(frames, domain, np.ceil(finer * least).astype(int)).scaled_to(domain.measure)

    return rule, fewest


def _composite_rule(curve: BoundaryPart | Segment, breaks: FloatArray, each: int) -> Quadrature:
    """Gauss-Legendre with `each` nodes between one break and the next."""
    unit, total = panel_rule(breaks, each)
    if isinstance(curve, Segment):
        return curve.nodes(unit, curve.length * total)
    sites = curve.place(unit[:, None])
    return Quadrature(sites.points, curve.measure * total, sites.normals)


def panel_rule(ends: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Gauss' nodes and weights, `count` of them on each panel between one end and the next."""
    nodes, weights = gauss(count)
    lengths = np.diff(ends)[:, None]
    return (ends[:-1, None] + lengths * nodes).ravel(), (lengths * weights).ravel()


def _cell_breaks(frames: Frames, curve: BoundaryPart | Segment) -> FloatArray:
    """Unit coordinates where a curve enters another cell; for a line, where it meets any cut."""
    if isinstance(curve, BoundaryPart):
        return frames.breaks(curve)
    tree, way = frames.tree, curve.end - curve.start
    inner = np.flatnonzero((tree.axis >= 0) & (way[tree.axis] != 0))
    axis = tree.axis[inner]
    unit = (tree.at[inner] - curve.start[axis]) / way[axis]
    return np.unique(np.concatenate([[0.0, 1.0], unit[(unit > 0) & (unit < 1)]]))


# ---- Integrals of a solution, and of expressions in it


@final
@dataclass(frozen=True)
class NodeCount:
    """How many nodes a rule has: for each radian of the highest frequency along an axis, some more, and at most."""

    per_radian: float
    more: int
    most: int

    def count(self, radians: FloatArray) -> int:
        """The number of nodes for so many radians along each axis."""
        return int(min(float(np.prod(self.per_radian * radians + self.more)), self.most))


# Gauss' rules need half a node for each radian, and some more for all digits.
_FIRST_NODES, _MOST_NODES = NodeCount(0.5, 20, 2**18), 2**21
# The factor of nodes along each dimension from one rule to the next.
_REFINEMENT = 1.6
# The least factor of nodes in all, for the difference of two rules to be meaningful.
_LEAST_REFINEMENT = 1.3
# The rate of convergence is read from this many changes, once the nodes resolve every bend of a shape.
_LEAST_CHANGES, _NODES_TO_JUDGE = 3, 2**16


def integrate_derived(
    derived: Derived, *, on: Any = None, along: Any = None, at: Any = None, tol: float = 1e-10
) -> Any:
    """The integral of an expression in a solution; see `integrate`."""
    if isinstance(tol, bool) or not isinstance(tol, int | float) or not 0 < tol < 1:
        raise ProblemError(f"tol must be a number between 0 and 1; got {tol!r}")
    solution = derived.solution
    place = find_place(solution.problem, on, along, at, singular=not solution.basis.is_smooth)
    if solution.basis.on_cells:
        place = with_cells(place, solution.basis.on_cells[0])
    nodes = max(_first_nodes(solution, place), place.fewest)
    rule = place.rule(nodes)
    if derived.on_boundary and rule.normals is None:
        raise ProblemError(
            f"{derived!r} contains {derived.of_normals}, which has a meaning on a boundary alone; say where, with on="
        )
    floor = derived.noise(rule.sites) @ rule.weights
    previous: NumberArray | None = None
    changes: list[float] = []
    while True:
        values = derived.at(rule.sites)
        integral = values @ rule.weights
        if not np.isfinite(integral).all():
            raise ProblemError(f"{derived!r} is not finite everywhere; its integral may not exist")
        settled = tol * (np.abs(values) @ rule.weights) + floor
        if place.extents.size == 0:  # single points
            break
        if previous is not None:
            changes.append(float((np.abs(integral - previous) / np.maximum(settled, 1e-300)).max()))  # 1: settled
            if changes[-1] <= 1:
                break
            if _will_not_settle(changes, nodes, place):
                moved = float(np.abs(integral - previous).max())
                warnings.warn(
                    f"the integral of {derived!r} still moves by {moved:.1e} at {len(rule)} nodes; where the shape has "
                    "no rule of high order, or the expression is not smooth, that is what to expect of it: ask for "
                    "less, with tol=",
                    AccuracyWarning,
                    stacklevel=3,
                )
                break
        previous = integral
        nodes, rule = _finer_rule(place, nodes, len(rule))
    return integral if derived.vector else integral[0].item()


def _first_nodes(solution: Solution, place: Place) -> int:
    """The number of nodes for the frequencies of the features, within limits."""
    waves = [group for basis, fields in solution.sums for group in split_waves(basis, fields)[0]]
    highest = np.max([np.abs(group.W).max(axis=0) for group in waves], axis=0) if waves else np.zeros(1)
    # a domain has the frequencies of its axes; a curve or a face may run in any direction
    along = highest if len(highest) == place.extents.size else np.linalg.norm(highest)
    return _FIRST_NODES.count(along * place.extents)


def _finer_rule(place: Place, nodes: int, count: int) -> tuple[int, Quadrature]:
    """A rule of more than `count` nodes: for a shape of many pieces, rules may have more nodes than asked for."""
    while True:
        nodes = math.ceil(nodes * _REFINEMENT**place.extents.size)
        rule = place.rule(nodes)
        if len(rule) > _LEAST_REFINEMENT * count or nodes > _MOST_NODES:
            return nodes, rule


def _will_not_settle(changes: list[float], nodes: int, place: Place) -> bool:
    """Whether the integral, at its rate of convergence so far, would not settle within the most nodes."""
    steps = int(math.log(_MOST_NODES / nodes) / (place.extents.size * math.log(_REFINEMENT)))
    if steps <= 0:
        return True
    if len(changes) < _LEAST_CHANGES or nodes < _NODES_TO_JUDGE:
        return False
    rate = (changes[-1] / changes[-_LEAST_CHANGES]) ** (1 / (_LEAST_CHANGES - 1))
    return bool(changes[-1] * rate**steps > 1)
