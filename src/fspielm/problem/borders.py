"""Borders of Piecewise expressions in an equation, followed through its domain.

A zero curve of a function leaves the box through an edge, or is closed and has a point where the slope along a given
direction vanishes too. We search for both by bisecting intervals and boxes as long as enclosures admit a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.expr.enclosure import Enclosure, Intervals, enclose
from fspielm.expr.functions import Field, describe, make_field
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.curves import Edge, PlaneCurve, arc, segment
from fspielm.geometry.domain import Domain
from fspielm.geometry.level_curves import Extent, bisect_signs, curve_within, find_border, level_curves
from fspielm.geometry.plane import parts_of
from fspielm.geometry.time import SpaceTime, extrude
from fspielm.numerics.tolerances import PROBES, ROUNDED, SAME
from fspielm.problem.setting import Setting
from fspielm.problem.substitutions import levels_in

# Initial intervals along each axis, by the number of axes.
_FIRST = {1: 256, 2: 32}
# The most intervals or boxes at once.
_MOST = 2**15
# Boxes of this share of the extent are checked for a change of sign, and again whenever they are smaller by this
# factor, as long as they are few.
_SMALL, _FINER = 1 / 500, 1 / 32
# The slope of a direction that hardly any border has.
_OBLIQUE = sp.Rational(7310, 10000)
_CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
Ends = tuple[FloatArray, FloatArray]


@final
@dataclass(frozen=True, eq=False)
class LevelBorder:
    """A border of Piecewise expressions: the zeros of a level function of the coordinates.

    Its parts within the domain have normals to the side where the level function is positive; its pieces in the plane
    are `curves`.
    """

    expression: sp.Expr
    level: Field
    parts: tuple[BoundaryPart, ...]
    curves: tuple[PlaneCurve, ...] = ()

    @property
    def sides(self) -> tuple[str, str]:
        """The names of both sides, that where the level function is negative first."""
        variable = describe(self.expression)
        return f"{variable} < 0", f"{variable} > 0"


def read_borders(expressions: Iterable[sp.Expr], setting: Setting) -> tuple[list[LevelBorder], list[str]]:
    """The borders in expressions that can be followed, and a sentence on each that cannot."""
    borders, notes = [], []
    for level in dict.fromkeys(level for expression in expressions for level in levels_in(expression)):
        try:
            border = _follow_border(level, setting)
        except _UnreadableError as error:
            notes.append(f"The border {describe(level)} = 0 of a Piecewise is not followed: {error}.")
        else:
            borders.append(border)
    return borders, notes


class _UnreadableError(Exception):
    """A border that cannot be followed, and why."""


def _follow_border(level: sp.Expr, setting: Setting) -> LevelBorder:
    coordinates, domain = setting.coordinates, setting.domain
    if level.atoms(AppliedUndef):
        raise _UnreadableError("it depends on a callable")
    try:
        field = make_field(level, coordinates, what=f"the border {describe(level)} = 0")
    except ProblemError as error:
        raise _UnreadableError(str(error)) from error
    if isinstance(domain, SpaceTime) and domain.dimension == 3 and coordinates[-1] not in level.free_symbols:
        curves = _curves(level, coordinates[:-1], domain.space)
        return LevelBorder(level, field, tuple(extrude(part, domain.time) for part in _parts(level, curves)), curves)
    if domain.dimension > 2:
        moving = domain.dimension == 3 and domain.time is not None
        raise _UnreadableError("it moves in the plane" if moving else f"there are {domain.dimension} coordinates")
    if domain.dimension == 2:
        curves = _curves(level, coordinates, domain)
        return LevelBorder(level, field, _parts(level, curves), curves)
    return LevelBorder(level, field, _points(level, field, setting))


def _parts(level: sp.Expr, curves: tuple[PlaneCurve, ...]) -> tuple[BoundaryPart, ...]:
    return parts_of([Edge(f"{describe(level)} = 0", curve) for curve in curves])


def _curves(level: sp.Expr, coordinates: tuple[sp.Symbol, ...], domain: Domain) -> tuple[PlaneCurve, ...]:
    what = f"the border {describe(level)} = 0"
    field = make_field(level, coordinates, what=what)
    slopes = [make_field(sp.Derivative(level, c), coordinates, what=what) for c in coordinates]
    exact = _line_or_circle(level, coordinates, domain)
    if exact is not None:
        return curve_within(exact, domain)
    found = _brackets(level, field, Extent(coordinates, *domain.bounding_box))
    if found is None:
        return ()

    def values(points: FloatArray) -> FloatArray:
        return np.asarray(field(points), dtype=np.float64)

    def gradient(points: FloatArray) -> FloatArray:
        return np.column_stack([slope(points) for slope in slopes]).astype(np.float64)

    return level_curves(values, gradient, 0.5 * (found[0] + found[1]), domain)


def _brackets(level: sp.Expr, field: Field, extent: Extent) -> tuple[FloatArray, FloatArray] | None:
    """Pairs of close places on either side of the border; on each piece of it if the function can be enclosed."""
    first, every = find_border(field, extent), bracket_all(level, field, extent)
    if every is None or not len(every[0]):
        return first
    more = bisect_signs(field, *every)
    if first is None:
        return more
    return np.concatenate([first[0], more[0]]), np.concatenate([first[1], more[1]])


def _line_or_circle(level: sp.Expr, coordinates: tuple[sp.Symbol, ...], domain: Domain) -> PlaneCurve | None:
    """The zeros of a level function if they are a line (within the domain) or a circle."""
    x, y = coordinates
    if not level.is_polynomial(x, y) or sp.total_degree(level, x, y) > 2:
        return None
    poly = sp.Poly(level, x, y)
    square, other, mixed = (poly.coeff_monomial(m) for m in (x**2, y**2, x * y))
    if square != other or mixed != 0:
        return None
    slope, constant = np.array([float(poly.coeff_monomial(m)) for m in (x, y)]), float(poly.coeff_monomial(1))
    if square == 0:
        lower, upper = domain.bounding_box
        middle, size = 0.5 * (lower + upper), float(np.linalg.norm(upper - lower))
        unit = slope / np.linalg.norm(slope)
        foot = middle - (slope @ middle + constant) / np.linalg.norm(slope) * unit
        # the negative side on the left
        way = size * np.array([-unit[1], unit[0]])
        return segment(tuple((foot - way).tolist()), tuple((foot + way).tolist()))
    center = -slope / (2 * float(square))
    radius2 = float(center @ center) - constant / float(square)
    if radius2 <= 0:
        return None
    turn = 2 * np.pi if square > 0 else -2 * np.pi
    return arc((float(center[0]), float(center[1])), float(np.sqrt(radius2)), 0.0, turn)


def _points(level: sp.Expr, field: Field, setting: Setting) -> tuple[BoundaryPart, ...]:
    """The points of an interval at which the level function changes sign."""
    found = _brackets(level, field, Extent(setting.coordinates, *setting.domain.bounding_box))
    if found is None:
        return ()
    before, after = (side[:, 0] for side in found)
    hair = SAME * setting.size
    middle = 0.5 * (before + after)
    inside = setting.domain._contains(middle[:, None], False)
    parts: list[BoundaryPart] = []
    last = -np.inf
    for place in np.sort(middle[inside]):
        if place - last > hair:
            last = float(place)
            rises = field(np.array([[last + hair]]))[0].real > field(np.array([[last - hair]]))[0].real
            parts.append(point_part(f"{describe(level)} = 0", last, 1.0 if rises else -1.0))
    if len(parts) < 2:
        return tuple(parts)
    return tuple(replace(part, name=f"{part.name} ({number})") for number, part in enumerate(parts, 1))


def point_part(name: str, place: float, normal: float) -> BoundaryPart:
    """A point of an interval as a boundary part with a normal."""

    def at(unit: FloatArray) -> Sites:
        return Sites(np.full((len(unit), 1), place), np.full((len(unit), 1), normal))

    return BoundaryPart(name, 1.0, 0, at)


def bracket_all(level: sp.Expr, side: Field, extent: Extent) -> Ends | None:
    """Pairs of places ``(k, d)`` with a zero of `side` between them, on every border; None without an enclosure.

    `extent` has one or two coordinates.
    """
    coordinates = extent.coordinates
    slopes = [enclose([level, sp.Derivative(level, coordinate)], coordinates) for coordinate in coordinates]
    along = [enclosure for enclosure in slopes if enclosure is not None]
    if len(along) < len(coordinates):
        return None
    if len(coordinates) == 1:
        return _bracket_on_line(along[0], side, extent.lower, extent.upper)
    oblique = sp.Derivative(level, coordinates[0]) + _OBLIQUE * sp.Derivative(level, coordinates[1])
    both = enclose([level, oblique], coordinates)
    found = [] if both is None else [_bracket_inside(both, side, extent)]
    for axis, enclosure in enumerate(along):
        for end in (extent.lower, extent.upper):
            lower, upper = extent.lower.copy(), extent.upper.copy()
            lower[1 - axis] = upper[1 - axis] = end[1 - axis]
            found.append(_bracket_on_line(enclosure, side, lower, upper))
    return np.concatenate([before for before, _ in found]), np.concatenate([after for _, after in found])


def _bracket_on_line(enclosure: Enclosure, side: Field, lower: FloatArray, upper: FloatArray) -> Ends:
    """Zeros along a line, each between two places; `enclosure` is of the value and the slope along it."""
    share = np.linspace(0.0, 1.0, _FIRST[1] + 1)[:, None]
    places = lower + share * (upper - lower)
    before, after = places[:-1], places[1:]
    length = float(np.max(upper - lower))
    found: list[Ends] = []
    while len(before):
        value, slope = enclosure(np.minimum(before, after), np.maximum(before, after))
        before, after, falls = before[(may := _may_vanish(value))], after[may], ~_may_vanish(slope)[may]
        changes = _is_negative(side, before) != _is_negative(side, after)
        short = np.max(np.abs(after - before), axis=1) <= ROUNDED * length
        found.append((before[changes & (falls | short)], after[changes & (falls | short)]))
        left = ~(falls | short)
        before, after = before[left], after[left]
        if len(before) > _MOST:  # zero along the whole line
            break
        middle = 0.5 * (before + after)
        before, after = np.concatenate([before, middle]), np.concatenate([middle, after])
    return np.concatenate([one for one, _ in found]), np.concatenate([other for _, other in found])


def _bracket_inside(enclosure: Enclosure, side: Field, extent: Extent) -> Ends:
    """Places on curves where the oblique slope vanishes too, as on every closed curve."""
    unit = np.stack(np.meshgrid(*[np.arange(_FIRST[2]) / _FIRST[2]] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    lower, sides = extent.place(unit), (extent.upper - extent.lower) / _FIRST[2]
    size = float(np.max(extent.upper - extent.lower))
    before, after = [np.empty((0, 2))], [np.empty((0, 2))]
    wanted = _SMALL * size  # the size of the boxes to check next
    while len(lower) and sides.max() > ROUNDED * size:
        value, slope = enclosure(lower, lower + sides)
        lower = lower[_may_vanish(value) & _may_vanish(slope)]
        if sides.max() <= wanted and (wanted == _SMALL * size or len(lower) <= PROBES):
            wanted *= _FINER
            ends = [lower + sides * corner for corner in _CORNERS]
            signs = [_is_negative(side, end) for end in ends]
            for end, sign in zip(ends[1:], signs[1:], strict=True):
                before.append(ends[0][sign != signs[0]])
                after.append(end[sign != signs[0]])
        if len(lower) > _MOST:  # the slope vanishes along a whole curve, which other lines have found
            break
        sides = sides / 2
        lower = np.concatenate([lower + sides * corner for corner in _CORNERS])
    return np.concatenate(before), np.concatenate(after)


def _may_vanish(values: Intervals) -> BoolArray:
    return np.asarray((values.lower <= 0) & (values.upper >= 0))


def _is_negative(side: Callable[[FloatArray], FloatArray], points: FloatArray) -> BoolArray:
    return np.asarray(side(points).real < 0)
