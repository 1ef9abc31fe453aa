"""Open domains: all of the plane or of space outside of some shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, NoReturn, SupportsFloat, TypeAlias, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import (
    BoundaryPart,
    Quadrature,
    Sites,
    as_plane_point,
    as_positive,
    as_space_point,
    join_parts,
)
from fspielm.geometry.crossings import meets_any
from fspielm.geometry.curves import Edge, PlaneCurve
from fspielm.geometry.domain import SURFACE_POINTS, Domain, Hole
from fspielm.geometry.plane import PlaneShape, edges_of, plane_edges
from fspielm.geometry.shapes.ball import Ball
from fspielm.geometry.shapes.ellipsoid import Ellipsoid
from fspielm.geometry.transform import Transformed
from fspielm.numerics.sampling import kronecker
from fspielm.numerics.tolerances import ROUNDED, SAME

# ---- How closed shapes lie to each other

# How a shape lies to another one; "across" if they overlap or touch.
Placement: TypeAlias = Literal["apart", "within", "around", "across"]


def enclosing_shapes(
    shapes: Sequence[Domain], placement: Callable[[Domain, Domain], Placement], remedy: str
) -> tuple[int, ...]:
    """For each shape the index of the smallest shape that it lies in, or -1; refuses shapes that overlap or touch.

    `placement` is asked about shapes whose bounding boxes meet.
    """
    outer: list[list[int]] = [[] for _ in shapes]
    for (i, one), (j, other) in combinations(enumerate(shapes), 2):
        (a, b), (c, d) = one.bounding_box, other.bounding_box
        slack = SAME * float(np.max([b - a, d - c]))
        how = "apart" if np.any(b < c - slack) or np.any(d < a - slack) else placement(one, other)
        if how == "across":
            raise ProblemError(f"Exterior: {one!r} and {other!r} overlap or touch; {remedy}")
        if how == "within":
            outer[i].append(j)
        elif how == "around":
            outer[j].append(i)
    return tuple(min(own, key=lambda place: shapes[place].measure, default=-1) for own in outer)


# ---- Open domains


class Exterior(Domain):
    """All of the plane, or of space, outside of one or several shapes.

    Waves leave it, and harmonic fields stay bounded far away. Its boundary is that of the shapes, with normals that
    point into them; parts keep their names, and parts of one name are joined.

    Parameters
    ----------
    *shapes : Domain
        Bounded plane shapes without holes that do not touch; unite shapes that touch, ``a | b``. In space, balls and
        ellipsoids, which may be moved and rotated. A shape may lie in another that lets waves through (`Transparent`).
    window : (lower, upper), optional
        Corners of a box around the shapes: errors are relative to the solution in it, and pictures show it. By default
        it extends beyond the objects by half their extent on every side. It should not be much larger.
    period : number, optional
        The shapes repeat at this distance along the first axis: a grating, for an incident plane wave. The window is
        one period wide by default.

    Examples
    --------
    >>> from fspielm.geometry import Disk
    >>> outside = Exterior(Disk((0, 0), 1), Disk((3, 0), 1))
    >>> outside.contains([[1.5, 0], [3, 0], [100, 100]])
    array([ True, False,  True])
    """

    # What to do about shapes that touch.
    _remedy: ClassVar[str] = "in space, objects must be apart"

    is_unbounded = True

    def __new__(cls, *shapes: Domain, **_: Any) -> Exterior:
        """An exterior of the plane or of space, as the first shape."""
        kind: type[Exterior] = PlaneExterior
        if shapes and isinstance(shapes[0], Domain) and shapes[0].dimension == 3:
            kind = SpaceExterior
        return object.__new__(kind)

    def __init__(
        self,
        *shapes: Domain,
        window: Iterable[Iterable[SupportsFloat]] | None = None,
        period: SupportsFloat | None = None,
    ) -> None:
        if not shapes:
            raise ProblemError("Exterior: name at least one shape, as in fs.Exterior(fs.Disk((0, 0), 1))")
        self.shapes = tuple(shapes)
        for shape in self.shapes:
            self._check_shape(shape)
        self.around = enclosing_shapes(self.shapes, self._placement, self._remedy)
        self.period = None if period is None else _as_period(period, self.objects_box)
        self.window = None if window is None else _as_window(window, self.objects_box)
        self._filled: frozenset[int] = frozenset()

    def filled(self, which: Iterable[int] | None = None) -> Exterior:
        """The same domain with objects (by index, all by default) included, for fields that continue inside them."""
        places = frozenset(range(len(self.shapes)) if which is None else which)
        return _remade(self.shapes, self.window, places, self.period)

    @property
    def solid(self) -> tuple[int, ...]:
        """Indices of the objects that are excluded, without those that lie in one of these."""
        reached = {-1} | self._filled
        return tuple(i for i, outer in enumerate(self.around) if i not in self._filled and outer in reached)

    def solid_parts(self) -> tuple[BoundaryPart, ...]:
        """The boundary parts of excluded objects, with normals into them."""
        return tuple(part.reversed() for i in self.solid for part in self.shapes[i].boundary())

    def inner_parts(self) -> tuple[BoundaryPart, ...]:
        """The boundaries of the objects that have a field inside."""
        return tuple(part for i in sorted(self._filled) for part in self.shapes[i].boundary())

    def object_parts(self, axes: Sequence[str] | None = None) -> tuple[tuple[BoundaryPart, ...], ...]:
        """The boundary of each object, with normals into it; names that several objects have are numbered."""
        each = [[part.reversed() for part in shape.boundary(axes)] for shape in self.shapes]
        often = Counter(part.name for parts in each for part in parts)
        return tuple(
            tuple(replace(part, name=f"{part.name} ({i})") if often[part.name] > 1 else part for part in parts)
            for i, parts in enumerate(each, 1)
        )

    @property
    def dimension(self) -> int:
        """Dimension of the shapes."""
        return self.shapes[0].dimension

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The window, ``(lower, upper)``."""
        if self.window is not None:
            return np.array(self.window[0]), np.array(self.window[1])
        lower, upper = self.objects_box
        if self.period is not None:
            around = np.array([0.5 * self.period, float(np.max(upper - lower)) + 0.5 * self.period])
            middle = 0.5 * (lower + upper)
            return middle - around, middle + around
        margin = 0.5 * float(np.max(upper - lower))
        return lower - margin, upper + margin

    @property
    def measure(self) -> float:
        """Area or volume of its part in the window."""
        lower, upper = self.bounding_box
        objects = sum(self.shapes[i].measure for i in self.solid)
        if self.period is not None:
            objects *= float(upper[0] - lower[0]) / self.period
        return float(np.prod(upper - lower)) - objects

    @property
    def middle(self) -> float:
        """The first coordinate of the middle of the objects, which is the middle of a period."""
        lower, upper = self.objects_box
        return 0.5 * float(lower[0] + upper[0])

    def hole_places(self) -> tuple[Hole, ...]:
        """None: the basis functions inside of objects are those of open domains."""
        return ()

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        outside = np.ones(len(points), dtype=np.bool_)
        for i in self.solid:
            outside &= ~self.shapes[i]._contains(points, not closed)
        return outside

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        named: dict[str, list[BoundaryPart]] = {}
        for shape in self.shapes:
            for part in shape.boundary(axes):
                named.setdefault(part.name, []).append(part.reversed())
        return tuple(join_parts(name, parts) for name, parts in named.items())

    def _quadrature(self, n: int) -> Quadrature:
        raise ProblemError("an open domain has no end to integrate up to; integrate over parts of its boundary, on=...")

    @cached_property
    def objects_box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the objects, ``(lower, upper)``."""
        boxes = [shape.bounding_box for shape in self.shapes]
        return np.min([lower for lower, _ in boxes], axis=0), np.max([upper for _, upper in boxes], axis=0)

    def _check_shape(self, shape: Any) -> None:
        """Refuse what cannot be an object."""
        if isinstance(shape, list | tuple):
            raise ProblemError(
                f"Exterior: shapes are arguments of their own; write Exterior(a, b), without the list {shape!r}"
            )
        if not isinstance(shape, Domain):
            raise ProblemError(f"Exterior: shapes must be such as fs.Disk((0, 0), 1); got {shape!r}")
        if shape.is_unbounded:
            raise ProblemError(f"Exterior: {shape!r} has no end; name the objects themselves")
        if shape.time is not None or shape.dimension != self.dimension:
            raise ProblemError(f"Exterior: shapes must all be plane, or all be in space, without time; got {shape!r}")

    def _placement(self, one: Domain, other: Domain) -> Placement:
        """How a shape lies to another one, from points on both boundaries."""
        here, there = (
            b.contains(np.concatenate([p.place(kronecker(SURFACE_POINTS, p.parameters)).points for p in a.boundary()]))
            for a, b in ((one, other), (other, one))
        )
        if not here.any() and not there.any():
            return "apart"
        if here.all() and not there.any():
            return "within"
        return "around" if there.all() and not here.any() else "across"

    def _combined(self, operation: Any, other: Domain) -> NoReturn:
        raise ProblemError("an open domain cannot be combined with another: combine its objects, fs.Exterior(a | b)")

    def __mul__(self, time: Any) -> NoReturn:
        raise ProblemError("open domains are those of steady fields and of waves of one frequency: leave fs.Time out")

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.shapes, self.window, self._filled, self.period)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.shapes))
        named = {"window": self.window, "period": self.period}
        return f"Exterior({shown}{''.join(f', {n}={value}' for n, value in named.items() if value is not None)})"


def _remade(shapes: tuple[Domain, ...], window: Any, filled: frozenset[int], period: float | None) -> Exterior:
    made = Exterior(*shapes, window=window, period=period)
    made._filled = filled
    return made


@final
class PlaneExterior(Exterior, PlaneShape):
    """An `Exterior` of the plane."""

    _remedy = "move them apart, or take one off the other, a - b; of the same kind, name their union, a | b"

    @property
    def loops(self) -> tuple[tuple[PlaneCurve, ...], ...]:
        """The boundary of each object, with the domain on its left."""
        curves = [edge.curve for edge in self._edges(("x", "y"))]
        return tuple(tuple(curves[index] for index in loop) for loop in self._contour.loops)

    @property
    def owners(self) -> tuple[int, ...]:
        """Index of the object of each loop."""
        counts = [len(plane_edges(shape)) for shape in self.shapes]
        edges = np.repeat(np.arange(len(counts)), counts)
        return tuple(int(edges[loop[0]]) for loop in self._contour.loops)

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        return tuple(
            replace(edge, curve=edge.curve.reversed())
            for shape in self.shapes
            for edge in reversed(plane_edges(shape, axes))
        )

    def _side_by_winding(self, points: FloatArray) -> SideArray:
        if self.period is not None:
            copies = np.round((points[:, 0] - self.middle) / self.period)
            points = points - np.outer(copies, (self.period, 0.0))
        if len(self.solid) < len(self.shapes):
            sides = [-self.shapes[i]._side(points) for i in self.solid]
            return np.asarray(np.min([np.ones(len(points), dtype=np.int8), *sides], axis=0), dtype=np.int8)
        number, on = self._contour.winding.locate(points)
        return np.where(on, 0, np.where(number < 0, -1, 1)).astype(np.int8)

    _contains = PlaneShape._contains
    _boundary = PlaneShape._boundary

    def _check_shape(self, shape: Any) -> None:
        super()._check_shape(shape)
        if edges_of(shape) is None:
            raise ProblemError(f"Exterior: objects are plane, or in space; got {shape!r}")
        if shape._regions is not None:
            raise ProblemError(
                f"Exterior: {shape!r} is made of regions, but objects are shapes; name what is outermost, and what "
                "lies in it as objects of their own, with conditions of their own, fs.Transparent(..., on=...)"
            )
        if shape.hole_places():
            raise ProblemError(
                f"Exterior: {shape!r} has a hole, which nothing from outside reaches; name the shape without it, and "
                "what fills the hole of an object that lets waves through as an object in it: "
                'fs.Exterior(fs.Disk((0, 0), 2, name="glass"), fs.Disk((0, 0), 1, name="hole")) with '
                'fs.Transparent(1.5 * k, on="glass.circle") and fs.Transparent(k, on="hole.circle")'
            )

    def _placement(self, one: Domain, other: Domain) -> Placement:
        curves = [edge.curve for edge in plane_edges(other)]
        if any(meets_any(edge.curve, curves, SAME) for edge in plane_edges(one)):
            return "across"
        return super()._placement(one, other)


def _as_period(period: SupportsFloat, objects: tuple[FloatArray, FloatArray]) -> float:
    """The checked period of objects that lie in a box."""
    lower, upper = objects
    if len(lower) != 2:
        raise ProblemError("Exterior: period is for gratings in the plane; in space name every object")
    distance = as_positive(period, "Exterior: period")
    if distance <= upper[0] - lower[0]:
        raise ProblemError(
            f"Exterior: period must be larger than the objects are wide together, {upper[0] - lower[0]:g}: there must "
            f"be a line between them and their copies; got {distance:g}"
        )
    return distance


def _as_window(window: Any, objects: tuple[FloatArray, FloatArray]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The checked corners of a window around objects that lie in a box."""
    try:
        lower, upper = window
    except (TypeError, ValueError):
        raise ProblemError(f"Exterior: window must be two corners, ((x, y), (x, y)); got {window!r}") from None
    inner, outer = objects
    as_point = as_plane_point if len(inner) == 2 else as_space_point
    first, last = as_point(lower, "Exterior: window[0]"), as_point(upper, "Exterior: window[1]")
    if np.any(np.array(first) > np.array(last)):
        least, most = (tuple(each(first, last).tolist()) for each in (np.minimum, np.maximum))
        raise ProblemError(
            f"Exterior: window must be two corners, the one with the least coordinates first; write window=({least}, "
            f"{most}); got {first} and {last}"
        )
    if not (np.all(np.array(first) < inner) and np.all(np.array(last) > outer)):
        low, high = (", ".join(f"{value:g}" for value in corner) for corner in (inner, outer))
        raise ProblemError(
            f"Exterior: window must reach beyond the objects, which lie between ({low}) and ({high}); got {first} "
            f"and {last}"
        )
    return first, last


# ---- Open domains in space

_BALL = Ball((0, 0, 0), 1).boundary()[0]


@final
@dataclass(frozen=True, eq=False)
class Body:
    """An ellipsoid, or a ball, anywhere in space."""

    center: FloatArray
    semi_axes: FloatArray
    turn: FloatArray  # its columns are the directions of the semi-axes

    @property
    def is_ball(self) -> bool:
        """Whether all semi-axes are the same."""
        return bool(np.ptp(self.semi_axes) <= ROUNDED * self.semi_axes.max())

    def placed(self, on_ball: FloatArray, semi_axes: FloatArray) -> FloatArray:
        """Points of the unit ball, stretched by given semi-axes along the directions of its own."""
        return np.asarray(self.center + (on_ball * semi_axes) @ self.turn.T)

    def sites(self, unit: FloatArray) -> Sites:
        """Sites on its surface, from shares of an azimuth and of a height, with normals into it.

        They are those of a stretched ball, and hence dense at the ends of long axes, where fields vary most.
        """
        return self._from_ball(_BALL.place(unit).points)

    def sites_along(self, axis: int, unit: FloatArray) -> Sites:
        """Sites around one of its axes, from shares of the azimuth and of the angle with the axis."""
        height = 0.5 - 0.5 * np.cos(np.pi * unit[:, 1])
        on_ball = _BALL.place(np.column_stack([unit[:, 0], height])).points
        return self._from_ball(np.roll(on_ball, axis - 2, axis=1))

    def _from_ball(self, on_ball: FloatArray) -> Sites:
        """Sites on its surface, from points of the unit sphere."""
        into = -on_ball / self.semi_axes
        into /= np.linalg.norm(into, axis=1, keepdims=True)
        return Sites(self.placed(on_ball, self.semi_axes), into @ self.turn.T)

    @cached_property
    def rim(self) -> FloatArray:
        """Points all over its surface."""
        return self.sites(kronecker(SURFACE_POINTS, 2)).points


def body_of(shape: Domain) -> Body | None:
    """The shape as an ellipsoid; None if it is none."""
    if isinstance(shape, Ball):
        return Body(np.array(shape.center), np.full(3, shape.radius), np.eye(3))
    if isinstance(shape, Ellipsoid):
        return Body(np.array(shape.center), np.array(shape.semi_axes), np.eye(3))
    if not isinstance(shape, Transformed) or (inner := body_of(shape.shape)) is None:
        return None
    return Body(
        shape._forward(inner.center[None])[0], shape._factor * inner.semi_axes, shape._rows @ inner.turn / shape._factor
    )


@final
class SpaceExterior(Exterior):
    """An `Exterior` of space."""

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The objects as ellipsoids."""
        return tuple(body for body in map(body_of, self.shapes) if body is not None)

    def _check_shape(self, shape: Any) -> None:
        super()._check_shape(shape)
        if body_of(shape) is None:
            raise ProblemError(
                "Exterior: in space objects are fs.Ball and fs.Ellipsoid, moved and turned as you like, for fields "
                f"around others, and at edges, are not known; got {shape!r}: name an ellipsoid close to it"
            )

    def _placement(self, one: Domain, other: Domain) -> Placement:
        first, second = body_of(one), body_of(other)
        if first is None or second is None or not (first.is_ball and second.is_ball):
            return super()._placement(one, other)
        apart, a, b = float(np.linalg.norm(first.center - second.center)), first.semi_axes[0], second.semi_axes[0]
        if apart > (1 + SAME) * (a + b):
            return "apart"
        if apart >= (1 - SAME) * abs(b - a):
            return "across"
        return "within" if a < b else "around"
