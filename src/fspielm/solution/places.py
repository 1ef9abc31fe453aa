"""Where a solution can be integrated: its domain, parts of the boundary, lines and curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray, as_finite_points
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.geometry import BoundaryPart, Box, Domain, PlaneCurve, Quadrature, likely_parts, list_parts
from fspielm.geometry.quadrature import gauss
from fspielm.geometry.time import SpaceTime
from fspielm.solution.materials import interface_parts

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
