"""Open domains: all of the plane, or of space, outside of some shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, SupportsFloat, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, SideArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, join_parts
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.hole import Hole
from fspielm.geometry.inputs import as_plane_point, as_positive, as_space_point
from fspielm.geometry.nesting import TOUCHING, Lie, curves_touch, lie, objects_around
from fspielm.geometry.plane import Edge, PlaneShape, edges_of
from fspielm.geometry.quadrature import Quadrature
from fspielm.geometry.sampling import kronecker
from fspielm.geometry.sites import Sites

# The window reaches so far beyond the objects, in units of their extent.
_AROUND = 0.5
# Points on each edge, and on each surface, that tell whether objects overlap.
_ON_EDGE = 48
_ON_PART = 2048


class Exterior(Domain):
    """All of the plane, or of space, outside of one or several shapes.

    Waves leave it, and harmonic fields stay bounded far away. Its boundary is that of the shapes, with normals that
    point into them; parts keep their names, and those of the same name are one part.

    Parameters
    ----------
    *shapes : Domain
        Bounded plane shapes without holes, which do not touch; such as do are one shape, ``a | b``. In space, balls and
        ellipsoids, which may be moved and turned. One may lie in another, that lets waves through (`Transparent`).
    window : (lower, upper), optional
        Corners of a box around them, in which the solution is looked at: errors are relative to what it is there, and
        pictures show it. By default half as wide again as the objects on every side. It should not be far larger.
    period : number, optional
        The distance at which the shapes are there again and again along the first axis: a grating, for an incident
        plane wave. The window is one period wide by default.

    Examples
    --------
    >>> from fspielm.geometry import Disk
    >>> outside = Exterior(Disk((0, 0), 1), Disk((3, 0), 1))
    >>> outside.contains([[1.5, 0], [3, 0], [100, 100]])
    array([ True, False,  True])
    """

    # What to do with shapes that touch.
    _joined: ClassVar[str] = "in space, objects must be apart"

    def __new__(cls, *shapes: Domain, **_: Any) -> Exterior:
        """That of the plane, or of space, as the first shape is."""
        kind: type[Exterior] = PlaneExterior
        if shapes and isinstance(shapes[0], Domain) and shapes[0].dimension == 3:
            from fspielm.geometry.space_exterior import SpaceExterior  # few problems are so

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
        self.around = objects_around(self.shapes, self._lie, self._joined)
        self.period = None if period is None else _as_period(period, self.objects_box)
        self.window = None if window is None else _as_window(window, self.objects_box)
        self._filled: frozenset[int] = frozenset()

    def filled(self, which: Iterable[int] | None = None) -> Exterior:
        """The same with its objects, or those at some places, for fields that go on inside: they belong to it."""
        places = frozenset(range(len(self.shapes)) if which is None else which)
        return _remade(self.shapes, self.window, places, self.period)

    @property
    def solid(self) -> tuple[int, ...]:
        """The places of objects that do not belong to it, without those that lie in one of these."""
        reached = {-1} | self._filled
        return tuple(i for i, outer in enumerate(self.around) if i not in self._filled and outer in reached)

    def solid_parts(self) -> tuple[BoundaryPart, ...]:
        """What bounds it: the parts of objects that do not belong to it, with normals into them."""
        return tuple(_turned(part) for i in self.solid for part in self.shapes[i].boundary())

    def inner_parts(self) -> tuple[BoundaryPart, ...]:
        """The boundaries of the objects that have a field inside."""
        return tuple(part for i in sorted(self._filled) for part in self.shapes[i].boundary())

    def object_parts(self, axes: Sequence[str] | None = None) -> tuple[tuple[BoundaryPart, ...], ...]:
        """The boundary of each object by itself, with normals into it; names that several have are numbered."""
        each = [[_turned(part) for part in shape.boundary(axes)] for shape in self.shapes]
        often = Counter(part.name for parts in each for part in parts)
        return tuple(
            tuple(replace(part, name=f"{part.name} ({i})") if often[part.name] > 1 else part for part in parts)
            for i, parts in enumerate(each, 1)
        )

    @property
    def dimension(self) -> int:
        """That of the shapes."""
        return self.shapes[0].dimension

    @property
    def is_unbounded(self) -> bool:
        """True: it has no end."""
        return True

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """The window, ``(lower, upper)``: the domain itself has no end."""
        if self.window is not None:
            return np.array(self.window[0]), np.array(self.window[1])
        lower, upper = self.objects_box
        if self.period is not None:
            around = np.array([0.5 * self.period, float(np.max(upper - lower)) + _AROUND * self.period])
            middle = 0.5 * (lower + upper)
            return middle - around, middle + around
        margin = _AROUND * float(np.max(upper - lower))
        return lower - margin, upper + margin

    @property
    def measure(self) -> float:
        """Area, or volume, of what the window shows of it."""
        lower, upper = self.bounding_box
        objects = sum(self.shapes[i].measure for i in self.solid)
        if self.period is not None:
            objects *= float(upper[0] - lower[0]) / self.period
        return float(np.prod(upper - lower)) - objects

    @property
    def middle(self) -> float:
        """The first coordinate of the middle of the objects, around which a period lies."""
        lower, upper = self.objects_box
        return 0.5 * float(lower[0] + upper[0])

    def hole_places(self) -> tuple[Hole, ...]:
        """None: functions in objects are those of open domains."""
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
                named.setdefault(part.name, []).append(_turned(part))
        return tuple(join_parts(name, parts) for name, parts in named.items())

    def _quadrature(self, n: int) -> Quadrature:
        raise ProblemError("an open domain has no end to integrate up to; integrate over parts of its boundary, on=...")

    @cached_property
    def objects_box(self) -> tuple[FloatArray, FloatArray]:
        """Ends ``(lower, upper)`` of the smallest box around the objects."""
        boxes = [shape.bounding_box for shape in self.shapes]
        return np.min([lower for lower, _ in boxes], axis=0), np.max([upper for _, upper in boxes], axis=0)

    def _check_shape(self, shape: Any) -> None:
        """Refuse what is none of an object's shapes."""
        _check_object(shape, self.shapes)

    def _rim(self, shape: Domain) -> FloatArray:
        """Points all over the boundary of a shape."""
        parts = shape.boundary()
        return np.concatenate([part.place(kronecker(_ON_PART, part.parameters)).points for part in parts])

    def _lie(self, one: Domain, other: Domain) -> Lie:
        """How a shape lies to another one, whose boxes meet: as far as points all over them tell."""
        return lie(one, other, (self._rim(one), self._rim(other)))

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

    _joined = "move them apart, or take one off the other, a - b; of the same kind, name their union, a | b"

    @property
    def loops(self) -> tuple[tuple[PlaneCurve, ...], ...]:
        """The boundary of each object, with the domain on its left."""
        curves = [edge.curve for edge in self._edges(("x", "y"))]
        return tuple(tuple(curves[index] for index in loop) for loop in self._contour.loops)

    @property
    def owners(self) -> tuple[int, ...]:
        """Of each loop, the place of its object."""
        counts = [len(edges_of(shape) or ()) for shape in self.shapes]
        edges = np.repeat(np.arange(len(counts)), counts)
        return tuple(int(edges[loop[0]]) for loop in self._contour.loops)

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        found: list[Edge] = []
        for shape in self.shapes:
            edges = edges_of(shape, axes)
            assert edges is not None  # of a plane shape
            found += [replace(edge, curve=edge.curve.reversed()) for edge in reversed(edges)]
        return tuple(found)

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
        _check_plane_object(shape)

    def _rim(self, shape: Domain) -> FloatArray:
        unit = np.linspace(0.0, 1.0, _ON_EDGE)
        return np.concatenate([curve.point(curve.parameter(unit)) for curve in _curves(shape)])

    def _lie(self, one: Domain, other: Domain) -> Lie:
        (a, b), (c, d) = one.bounding_box, other.bounding_box
        if curves_touch(_curves(one), _curves(other), TOUCHING * float(np.max([b - a, d - c]))):
            return "across"
        return super()._lie(one, other)


def _turned(part: BoundaryPart) -> BoundaryPart:
    """A part with its normals into the object."""

    def place(unit: FloatArray) -> Sites:
        sites = part.place(unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points, -sites.normals)

    return replace(part, place=place)


def _curves(shape: Domain) -> list[PlaneCurve]:
    """Those that bound a plane shape."""
    edges = edges_of(shape)
    assert edges is not None  # of a plane shape
    return [edge.curve for edge in edges]


def _check_object(shape: Any, shapes: Sequence[Any]) -> None:
    """Refuse what is none of the shapes that objects have, all in as many dimensions as the first one."""
    if isinstance(shape, list | tuple):
        raise ProblemError(
            f"Exterior: shapes are arguments of their own; write Exterior(a, b), without the list {shape!r}"
        )
    if not isinstance(shape, Domain):
        raise ProblemError(f"Exterior: shapes must be such as fs.Disk((0, 0), 1); got {shape!r}")
    if shape.is_unbounded:
        raise ProblemError(f"Exterior: {shape!r} has no end; name the objects themselves")
    if shape.time is not None or shape.dimension != shapes[0].dimension:
        raise ProblemError(f"Exterior: shapes must all be plane, or all be in space, without time; got {shape!r}")


def _check_plane_object(shape: Domain) -> None:
    """Refuse shapes of the plane that objects do not have."""
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


def _as_period(period: SupportsFloat, objects: tuple[FloatArray, FloatArray]) -> float:
    """The distance of copies of objects, which lie in this box."""
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
    """Two corners of a box around objects, which lie in this one."""
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
