"""Integrals and derivatives of a solution, over domains, boundaries, lines and curves."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray
from sympy.core.function import AppliedUndef

from fspielm.arrays import BoolArray, FloatArray, NumberArray, as_finite_points
from fspielm.basis.evaluation.direct import split_waves
from fspielm.cells.basis import CellBasis
from fspielm.cells.frames import Frames
from fspielm.cells.quadrature import cell_rule
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.expr.functions import check_value
from fspielm.geometry.boundary import BoundaryPart, Quadrature, Sites, gauss, likely_parts, list_parts
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.regions import Regions
from fspielm.geometry.shapes.box import Box
from fspielm.geometry.time import SpaceTime, regions_in
from fspielm.problem.normal import normal_derivative
from fspielm.problem.problem import Problem
from fspielm.problem.setting import single_unknown
from fspielm.solution.evaluation import Outside
from fspielm.solution.fields import Derived, Grid, derive, make_grid

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


# ---- Several materials, for integrals and exports: one side of interfaces, and triangles of each region


# How far from an interface one of its sides is looked at, relative to the domain's extent.
_HAIR = 1e-12
# How far points of triangles are moved toward the middle of one of theirs.
_TOWARD = 1e-9

_REGION = "region"

# Points and triangles of a shape, with sides of about such a length.
Triangulate = Callable[[Domain, float], tuple[FloatArray, NDArray[np.int64]] | None]


class RegionMesh(NamedTuple):
    """Triangles of all regions: those of two share no points.

    Attributes
    ----------
    points : (n, 2) array
    inner : (n, 2) array
        The same a hair inside of their regions, to evaluate at.
    triangles : (m, 3) array of int
    """

    points: FloatArray
    inner: FloatArray
    triangles: NDArray[np.int64]


def interface_parts(problem: Problem, region: Domain) -> list[BoundaryPart]:
    """The interfaces of a problem, in space where `region` is that alone, a hair on their first side."""
    lower, upper = region.bounding_box
    hair = _HAIR * float(np.max(upper - lower))
    if region is problem.domain:
        return [_beside(replace(line.part, name=line.name), hair) for line in problem.interfaces]
    regions = regions_in(region)
    return [] if regions is None else [_beside(border.part, hair) for border in regions.interfaces]


def _beside(part: BoundaryPart, hair: float) -> BoundaryPart:
    place = part.place

    def beside(unit: FloatArray) -> Sites:
        sites = place(unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points - hair * sites.normals, sites.normals)

    return replace(part, place=beside)


def region_column(problem: Problem, points: FloatArray) -> dict[str, FloatArray]:
    """The place of each point's region among their names, under ``region``; empty where the domain is one shape."""
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
        inner[corners] = points[corners] + _TOWARD * (middles - points[corners])
        found.append(RegionMesh(points, inner, triangles + count))
        count += len(points)
    return RegionMesh(*(np.concatenate(each) for each in zip(*found, strict=True)))


# ---- Where a solution can be integrated: its domain, parts of the boundary, lines and curves


# Places on a line at which to see whether it leaves the domain.
_LINE_PROBES = 400
# The power with which nodes crowd at both ends of a piece: r**(-1/2) there becomes a cubic.
_CROWDING = 8
_FEWEST = 24


@final
@dataclass(frozen=True, eq=False)
class Place:
    """Something to integrate over.

    Attributes
    ----------
    rule : callable
        From a number to a quadrature of about so many nodes.
    extents : (m,) array
        Its size along each of its own m dimensions; none for single points.
    fewest : int
        Nodes that a rule should have at least.
    curves : tuple of BoundaryPart and Segment
        What it is made of, where that is curves.
    domain : Domain or None
        The domain, where it is all of that.
    """

    rule: Callable[[int], Quadrature]
    extents: FloatArray
    fewest: int = 1
    curves: tuple[BoundaryPart | Segment, ...] = ()
    domain: Domain | None = None


@final
@dataclass(frozen=True, eq=False)
class Segment:
    """A straight line from `start` to `end` ``(d,)``; in the plane with a normal."""

    start: FloatArray
    end: FloatArray
    normal: FloatArray | None

    @property
    def length(self) -> float:
        """How long it is."""
        return float(np.linalg.norm(self.end - self.start))

    def rule(self, n: int) -> Quadrature:
        """Gauss-Legendre, about `n` nodes."""
        unit, weights = gauss(max(2, n))
        return self.nodes(unit, self.length * weights)

    def nodes(self, unit: FloatArray, weights: FloatArray) -> Quadrature:
        """Nodes at these shares ``(n,)`` of the way."""
        normals = None if self.normal is None else np.tile(self.normal, (len(unit), 1))
        return Quadrature(self.start + unit[:, None] * (self.end - self.start), weights, normals)


def find_place(problem: Problem, on: Any, along: Any, at: Any, *, singular: bool) -> Place:
    """The place that `on`, `along` and `at` mean; the whole domain, time included, without them.

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
        place = _line(along, region.dimension)
        _refuse_outside(place, region)
    elif on is not None:
        axes = [str(symbol) for symbol in problem.coordinates[: region.dimension]]
        place = _parts(_named(on, [*region.boundary(axes), *interface_parts(problem, region)]), region, singular)
    else:
        lower, upper = region.bounding_box
        place = Place(region.quadrature, upper - lower, domain=region)
        if isinstance(region, Box) and region.dimension == 1:
            place = replace(place, curves=(Segment(lower, upper, None),))
    return place if instant is None else _held(place, instant)


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


def _held(place: Place, instant: float) -> Place:
    """The same place at one time."""

    def at_instant(n: int) -> Quadrature:
        inner = place.rule(n)
        still = np.zeros(len(inner))
        normals = None if inner.normals is None else np.column_stack([inner.normals, still])
        return Quadrature(np.column_stack([inner.points, still + instant]), inner.weights, normals)

    straight = [curve for curve in place.curves if isinstance(curve, Segment) and curve.normal is None]
    curves = tuple(Segment(np.append(c.start, instant), np.append(c.end, instant), None) for c in straight)
    return Place(at_instant, place.extents, curves=curves if len(curves) == len(place.curves) else ())


def _named(on: Any, parts: Sequence[BoundaryPart]) -> list[BoundaryPart]:
    """The parts of the boundary, and the interfaces, that are meant."""
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


def _parts(parts: Sequence[BoundaryPart], region: Domain, singular: bool) -> Place:
    total = sum(part.measure for part in parts)

    def rule(n: int) -> Quadrature:
        return joined([_on_part(part, max(1, round(n * part.measure / total)), singular) for part in parts])

    lower, upper = region.bounding_box
    # a part may wind: along each of its dimensions, as long as its measure says, or the domain is wide
    parameters = max(part.parameters for part in parts)
    if parameters == 0:
        return Place(rule, np.empty(0))
    curves = tuple(parts) if all(part.parameters == 1 and part.keep is None for part in parts) else ()
    extents = np.full(parameters, max(total ** (1 / parameters), float((upper - lower).max())))
    return Place(rule, extents, curves=curves)


def _on_part(part: BoundaryPart, n: int, singular: bool) -> Quadrature:
    plain = part.parameters != 1 or part.keep is not None or part.nodes is not None or part.endless
    return part.quadrature(n) if plain or not singular else _graded_rule(part, n)


def _refuse_outside(place: Place, region: Domain) -> None:
    """Refuse a line that leaves the domain: what is found there means nothing."""
    points = place.rule(_LINE_PROBES).points
    outside = points[~region.contains(points)]
    if len(outside):
        where = ", ".join(f"{value:.4g}" for value in outside[0])
        raise ProblemError(f"along: the line leaves the domain, for instance at ({where}), where values mean nothing")


def _line(along: Any, dimension: int) -> Place:
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

    segments = tuple(Segment(start, end, _to_the_right(end - start)) for start, end in pairwise(corners))

    def rule(n: int) -> Quadrature:
        return joined([each.rule(round(n * each.length / lengths.sum())) for each in segments])

    return Place(rule, np.array([lengths.sum()]), curves=segments)


def _to_the_right(step: FloatArray) -> FloatArray | None:
    """The normal of a straight line: in the plane, to its right, as those of a `PlaneCurve`."""
    return np.array([step[1], -step[0]]) / np.linalg.norm(step) if len(step) == 2 else None


def joined(rules: Sequence[Quadrature]) -> Quadrature:
    """Several rules as one."""
    normals = [rule.normals for rule in rules if rule.normals is not None]
    return Quadrature(
        np.concatenate([rule.points for rule in rules]),
        np.concatenate([rule.weights for rule in rules]),
        np.concatenate(normals) if len(normals) == len(rules) else None,
    )


def _graded_rule(part: BoundaryPart, n: int) -> Quadrature:
    """About `n` nodes on a curve, crowded at the ends of its smooth pieces, where a derivative may be infinite.

    Gauss-Legendre in v, with ``s = v^p / (v^p + (1 - v)^p)`` the share of a piece's length (R. Kress, Numer. Math. 58,
    1990): the derivatives of s vanish at both ends, and take the singularity with them.
    """
    spots = part.place(np.linspace(0.0, 1.0, 9)[:, None]).points
    # closer to a corner than rounding can tell, a node might fall on it
    closest = 16 * float(np.finfo(np.float64).eps) * max(1.0, float(np.abs(spots).max()) / part.measure)
    units, weights = [], []
    for low, high in pairwise(part.breaks):
        share, density = _crowded(max(_FEWEST, round(n * (high - low))))
        nearest = min(closest / (high - low), 0.25)
        units.append(low + (high - low) * np.clip(share, nearest, 1.0 - nearest))
        weights.append((high - low) * part.measure * density)
    sites = part.place(np.concatenate(units)[:, None])
    return Quadrature(sites.points, np.concatenate(weights), sites.normals)


def _crowded(n: int) -> tuple[FloatArray, FloatArray]:
    v, weights = gauss(n)
    p = _CROWDING
    near, far = v**p, (1.0 - v) ** p
    total = near + far
    return near / total, weights * p * (v * (1.0 - v)) ** (p - 1) / total**2


# ---- Quadrature for functions that are smooth in each cell, and no more than continuous from one to the next


# Nodes beyond the degree: products of a solution with itself, or with what is smooth, are known to all digits.
_MORE = 3


def with_cells(place: Place, basis: CellBasis) -> Place:
    """The same place, with nodes in each of its pieces between the borders of cells."""
    frames = basis.frames
    if not isinstance(frames, Frames):  # of several materials: the rules of the place itself
        return place
    if place.domain is not None:
        rule, fewest = _on_domain(basis, frames, place.domain)
        return replace(place, rule=rule, fewest=fewest)
    if not place.curves:
        return place
    cuts = [(curve, _breaks(frames, curve)) for curve in place.curves]
    least = int(basis.degrees.max()) + _MORE
    fewest = least * sum(len(breaks) - 1 for _, breaks in cuts)

    def on_curves(n: int) -> Quadrature:
        each = int(np.ceil(max(n / fewest, 1.0) * least))
        return joined([_on_curve(curve, breaks, each) for curve, breaks in cuts])

    return replace(place, rule=on_curves, fewest=fewest)


def _on_domain(basis: CellBasis, frames: Frames, domain: Domain) -> tuple[Callable[[int], Quadrature], int]:
    least = basis.degrees.max(axis=1) + _MORE
    boxes = np.bincount(frames.owner[frames.owner >= 0])
    fewest = int(boxes @ least**frames.dimension)

    def rule(n: int) -> Quadrature:
        finer = max(n / fewest, 1.0) ** (1 / frames.dimension)
        return cell_rule(frames, domain, np.ceil(finer * least).astype(int)).scaled_to(domain.measure)

    return rule, fewest


def _on_curve(curve: BoundaryPart | Segment, breaks: FloatArray, each: int) -> Quadrature:
    """So many nodes between one break and the next."""
    shares, weights = gauss(each)
    lengths = np.diff(breaks)
    unit = (breaks[:-1, None] + lengths[:, None] * shares).ravel()
    total = (lengths[:, None] * weights).ravel()
    if isinstance(curve, Segment):
        return curve.nodes(unit, curve.length * total)
    sites = curve.place(unit[:, None])
    return Quadrature(sites.points, curve.measure * total, sites.normals)


def _breaks(frames: Frames, curve: BoundaryPart | Segment) -> FloatArray:
    """Unit coordinates of all places where a curve enters another cell; of a line, where it meets any cut."""
    if isinstance(curve, BoundaryPart):
        return frames.breaks(curve)
    tree, way = frames.tree, curve.end - curve.start
    inner = np.flatnonzero((tree.axis >= 0) & (way[tree.axis] != 0))
    axis = tree.axis[inner]
    unit = (tree.at[inner] - curve.start[axis]) / way[axis]
    return np.unique(np.concatenate([[0.0, 1.0], unit[(unit > 0) & (unit < 1)]]))


# ---- Integrals of a solution, and of expressions in it


# Gauss' rules need half a node for each radian of the highest frequency, and some more for all digits.
_NODES_PER_RADIAN, _EXTRA_NODES = 0.5, 20
_MOST_AT_FIRST, _MOST = 2**18, 2**21
# From one rule to the next, along each dimension.
_FINER = 1.6
# A rule must have so many times the nodes of the one before, for their difference to say something.
_MORE_INTEGRALS = 1.3
# So many moves tell how fast an integral settles, once there are nodes enough to see every bend of a shape.
_LEAST_MOVES, _NODES_TO_JUDGE = 3, 2**16


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
    moves: list[float] = []
    while True:
        values = derived.at(rule.sites)
        integral = values @ rule.weights
        if not np.isfinite(integral).all():
            raise ProblemError(f"{derived!r} is not finite everywhere; its integral may not exist")
        settled = tol * (np.abs(values) @ rule.weights) + floor
        if place.extents.size == 0:  # single points
            break
        if previous is not None:
            # 1 is where it has settled
            moves.append(float((np.abs(integral - previous) / np.maximum(settled, 1e-300)).max()))
            if moves[-1] <= 1:
                break
            if _is_hopeless(moves, nodes, place):
                _warn(derived, integral, previous, len(rule))
                break
        previous = integral
        nodes, rule = _finer(place, nodes, len(rule))
    return integral if derived.vector else integral[0].item()


def _first_nodes(solution: Solution, place: Place) -> int:
    """Enough for the frequencies of the features, within limits."""
    waves = [group for basis, fields in solution.sums for group in split_waves(basis, fields)[0]]
    highest = np.max([np.abs(group.W).max(axis=0) for group in waves], axis=0) if waves else np.zeros(1)
    # a domain has the frequencies of its axes, a curve or a face may run along any of them
    along = highest if len(highest) == place.extents.size else np.linalg.norm(highest)
    each = _NODES_PER_RADIAN * along * place.extents + _EXTRA_NODES
    return int(min(np.prod(each), _MOST_AT_FIRST))


def _finer(place: Place, nodes: int, count: int) -> tuple[int, Quadrature]:
    """A rule of more than `count` nodes: a shape of many pieces has as many as it needs, however few are asked for."""
    while True:
        nodes = math.ceil(nodes * _FINER**place.extents.size)
        rule = place.rule(nodes)
        if len(rule) > _MORE_INTEGRALS * count or nodes > _MOST:
            return nodes, rule


def _is_hopeless(moves: list[float], nodes: int, place: Place) -> bool:
    """Whether the integral will not settle within the most nodes, at the rate that it has settled so far."""
    steps = int(math.log(_MOST / nodes) / (place.extents.size * math.log(_FINER)))
    if steps <= 0:
        return True
    if len(moves) < _LEAST_MOVES or nodes < _NODES_TO_JUDGE:
        return False
    rate = (moves[-1] / moves[-_LEAST_MOVES]) ** (1 / (_LEAST_MOVES - 1))
    return bool(moves[-1] * rate**steps > 1)


def _warn(derived: Derived, integral: NumberArray, previous: NumberArray, nodes: int) -> None:
    moved = float(np.abs(integral - previous).max())
    warnings.warn(
        f"the integral of {derived!r} still moves by {moved:.1e} at {nodes} nodes; where the shape has no rule of high "
        "order, or the expression is not smooth, that is what to expect of it: ask for less, with tol=",
        AccuracyWarning,
        stacklevel=4,
    )


# ---- What can be done with a solution as a function: methods of `Solution`


def contains(solution: Solution, points: ArrayLike) -> BoolArray:
    """Mask of the points ``(n, d)`` that lie in the domain, its boundary included; values elsewhere mean nothing."""
    problem = solution.problem
    return problem.domain.contains(as_finite_points(points, problem.dimension))


def grid(solution: Solution, n: int | Iterable[int]) -> Grid:
    """Values on a regular grid over the bounding box, time included, those outside of the domain masked.

    Of one unknown: with several, ``solution[u].grid(n)``.

    Parameters
    ----------
    n : int or sequence of int
        Points along every axis, or along each of them.

    Returns
    -------
    Grid
        Its `axes`, `values` and the `names` of the coordinates.
    """
    _only(solution, "grid(n)")
    return make_grid(partial(solution, outside="extend"), solution.problem, n)


def diff(solution: Solution, *along: Any) -> Derived:
    """A derivative, written as in SymPy: ``solution.diff(x, 2)``, ``solution.diff(x, 1, y, 1)``.

    Of one unknown: with several, ``solution[u].diff(x)``.

    Returns
    -------
    Derived
        A function of points, which can be differentiated and integrated again.
    """
    return derive(solution, _only(solution, "diff(x)")).diff(*along)


def gradient(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Derivatives along the coordinates of space at `points` ``(n, d)``, shape ``(n, d)``; one less with time.

    Of one unknown: with several, ``solution[u].gradient(points)``. Outside of the domain as for ``solution(points)``.
    """
    unknown = _only(solution, "gradient(points)")
    return derive(solution, [unknown.diff(symbol) for symbol in _space(solution)])(points, outside=outside)


def laplacian(solution: Solution, points: ArrayLike, *, outside: Outside = "nan") -> NumberArray:
    """Sum of the second derivatives along the coordinates of space, at `points` ``(n, d)``; shape ``(n,)``.

    Of one unknown: with several, ``solution[u].laplacian(points)``. Outside of the domain as for ``solution(points)``.
    """
    unknown = _only(solution, "laplacian(points)")
    return derive(solution, sp.Add(*(unknown.diff(symbol, 2) for symbol in _space(solution))))(points, outside=outside)


def apply(solution: Solution, expression: Any, given: Mapping[Any, Any] | None = None) -> Derived:
    """Any expression in the unknowns, their derivatives and the coordinates, as a function of points.

    Parameters
    ----------
    expression : Expr, or sequence of Expr
        Such as ``u**2``, ``-k * u.diff(x)``, ``u.diff(y) - v.diff(x)`` or ``sp.Abs(u)``; several are the components of
        a vector, with values ``(n, k)``. Symbols and functions given to the problem are known here too.
    given : mapping, optional
        More numbers for symbols and callables for functions, as `Problem` takes them.

    Returns
    -------
    Derived
    """
    return derive(solution, expression, given)


def integrate(
    solution: Solution,
    expression: Any = None,
    *,
    on: str | Iterable[str] | None = None,
    along: Any = None,
    at: float | None = None,
    given: Mapping[Any, Any] | None = None,
    tol: float = 1e-10,
) -> Any:
    """The integral of the solution, or of an expression in it, by quadrature suited to the shape.

    Rules are refined until the integral moves by no more than `tol` times the integral of the absolute value, or
    than rounding moves it: what is returned is then far more accurate than that, since the rules converge faster than
    any power on smooth shapes. Where they do not (surfaces of triangles, expressions that are not smooth), an
    `AccuracyWarning` says how far the integral still moves.

    Parameters
    ----------
    expression : Expr, or sequence of Expr, optional
        As in `apply`; the unknown itself by default, or all of them. On a boundary, and along lines in the plane (where
        the normal points to the right), ``fs.normal_derivative(u)`` and ``fs.normal(x)`` may stand in it.
    on : str or list of str, optional
        Parts of the boundary by name, to integrate over them rather than over the domain; or interfaces, whose first
        side is taken, with normals that point to the second.
    along : sequence of points, or PlaneCurve, optional
        A line through two or more points ``((x0, y0), (x1, y1))``, or a curve.
    at : float, optional
        The time, where the domain has one; all of space-time otherwise.
    given : mapping, optional
        As in `apply`.
    tol : float

    Returns
    -------
    number, or (k,) array
        The latter for several expressions. Complex where the expression is.
    """
    if expression is None:
        symbols = [unknown.symbol for unknown in solution.problem.stated.unknowns]
        expression = symbols[0] if len(symbols) == 1 else symbols
    return integrate_derived(derive(solution, expression, given), on=on, along=along, at=at, tol=tol)


def flux(
    solution: Solution, part: str | Iterable[str] | None = None, coefficient: Any = 1, *, at: float | None = None
) -> complex:
    """The integral of ``coefficient * du/dn`` over parts of the boundary, n their outward normal.

    Of one unknown: with several, ``solution[u].flux(part)``.

    Parameters
    ----------
    part : str or list of str, optional
        Names of parts, or of interfaces; the whole boundary by default.
    coefficient : number, Expr or callable
        A conductivity, for one.
    at : float, optional
        The time, where the domain has one; all times otherwise.
    """
    problem, unknown = solution.problem, _only(solution, "flux(...)")
    check_value(coefficient, "flux: coefficient")
    given = {}
    if callable(coefficient) and not isinstance(coefficient, sp.Basic):
        stand_in = sp.Function("coefficient")
        given, coefficient = {stand_in: coefficient}, stand_in(*problem.coordinates)
    if part is None:
        part = [p.name for p in problem.domain.boundary([str(symbol) for symbol in problem.coordinates])]
    amount: complex = integrate(solution, coefficient * normal_derivative(unknown), on=part, at=at, given=given)
    return amount


def _only(solution: Solution, what: str) -> AppliedUndef:
    """The one unknown; refused where there are several, which are asked one by one."""
    unknowns = solution.problem.stated.unknowns
    name = unknowns[0].symbol.func.__name__
    return single_unknown(unknowns, f"solution.{what}", f"ask one of them, as in solution[{name}].{what}").symbol


def _space(solution: Solution) -> tuple[sp.Symbol, ...]:
    problem = solution.problem
    return problem.coordinates[:-1] if problem.domain.time is not None else problem.coordinates
