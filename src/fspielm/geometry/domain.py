"""Domains: sampling, chords, holes and corners of every shape."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsFloat, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import BoolArray, FloatArray, SideArray, as_points
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Quadrature, check_nodes
from fspielm.geometry.crossings import in_ring, signed_area
from fspielm.geometry.curves import LOOKS, PlaneCurve, nearest_on_chords
from fspielm.numerics.roots import bisect
from fspielm.numerics.sampling import Sampling, arcsine, check_count, check_sampling, reject, unit_stream
from fspielm.numerics.tolerances import CLOSE, SAME
from fspielm.resources import check_deadline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fspielm.geometry.algebra import Algebra
    from fspielm.geometry.combination import Combination, Operation
    from fspielm.geometry.regions import Regions
    from fspielm.geometry.time import SpaceTime, Time
    from fspielm.geometry.transform import Transformed


# ---- Spans: the pieces of axis-parallel lines inside a domain


@final
@dataclass(frozen=True, eq=False)
class Spans:
    """Where n lines enter and leave a domain.

    `ends` ``(n, 2 k)`` ascend along each line: where it enters, leaves, enters, ...; padded with infinity.
    """

    ends: FloatArray

    def around(self, at: FloatArray, slack: float) -> tuple[FloatArray, FloatArray]:
        """Ends ``(n,)`` of the span that holds each coordinate `at`, up to rounding; `at` itself where none does."""
        low, high = at.copy(), at.copy()
        for enters, leaves in zip(self.ends.T[::2], self.ends.T[1::2], strict=True):
            here = (at >= enters - slack) & (at <= leaves + slack)
            low[here], high[here] = np.minimum(low[here], enters[here]), np.maximum(high[here], leaves[here])
        return low, high

    def combined(self, operation: Operation, other: Spans, slack: float) -> Spans:
        """Spans of the union, intersection or difference of both domains; gaps and spans up to `slack` vanish."""
        met = np.isfinite(other.ends[:, 0])
        # only lines that meet the second domain change: it may be a small hole that few of many lines meet
        rows = np.flatnonzero(met & np.isfinite(self.ends[:, 0]) if operation == "intersection" else met)
        combined = _combine(operation, self.ends[rows], other.ends[rows], slack)
        width = max(self.ends.shape[1], combined.shape[1])
        ends = np.full((len(met), width), np.inf)
        if operation != "intersection":
            ends[:, : self.ends.shape[1]] = self.ends
        ends[rows] = np.pad(combined, ((0, 0), (0, width - combined.shape[1])), constant_values=np.inf)
        return Spans(ends)


def one_span(low: FloatArray | float, high: FloatArray | float, met: BoolArray) -> Spans:
    """One span from `low` to `high` on each line that meets a convex domain (mask `met` ``(n,)``)."""
    return Spans(np.stack([np.where(met, low, np.inf), np.where(met, high, np.inf)], axis=1))


def round_span(center: float, radius: float, aside: FloatArray) -> Spans:
    """Spans in a ball of lines that pass its center at distances `aside` ``(n,)``."""
    half = np.sqrt(np.maximum((radius - aside) * (radius + aside), 0.0))
    return one_span(center - half, center + half, aside <= radius)


def combine_masks(operation: Operation, first: BoolArray, second: BoolArray) -> BoolArray:
    """Membership of a combination, from that of its operands."""
    if operation == "union":
        return first | second
    return first & (second if operation == "intersection" else ~second)


def _combine(operation: Operation, first: FloatArray, second: FloatArray, slack: float) -> FloatArray:
    """Ends ``(n, 2 k)`` of the spans of the combination."""
    both = np.concatenate([first, second], axis=1)
    order = np.argsort(both, axis=1, kind="stable")
    ends = np.take_along_axis(both, order, axis=1)
    # whether the line lies in the first and in the second domain between each end and the next
    odd = np.arange(both.shape[1]) % 2 == 1
    steps, of_first = np.where(odd, -1, 1)[order], order < first.shape[1]
    in_first, in_second = (np.cumsum(np.where(chosen, steps, 0), axis=1) > 0 for chosen in (of_first, ~of_first))
    inside = combine_masks(operation, in_first, in_second)
    # a span that is too short joins the one before it: a common face leaves no gap
    with np.errstate(invalid="ignore"):
        long = np.diff(ends, axis=1, append=np.inf) > slack
    last = np.maximum.accumulate(np.where(long, np.arange(ends.shape[1]), -1), axis=1)
    inside = np.take_along_axis(inside, np.maximum(last, 0), axis=1) & (last >= 0)
    changes = np.diff(inside, axis=1, prepend=False)
    kept = np.sort(np.where(changes, ends, np.inf), axis=1)
    return kept[:, : 2 * (int(changes.sum(axis=1).max(initial=0)) // 2)]


# ---- Chords through points of a domain, and points clustered toward their ends

# Points all over a part of a boundary that tell where it lies.
SURFACE_POINTS = 4096
# Halvings of a step of a chord.
_BISECTIONS = 45


def chord_ends(domain: Domain, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Coordinates ``(n,)`` where the line through each point along `axis` first leaves the domain, below and above."""
    return domain._chord_ends(points, axis)


def march(domain: Domain, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    """Ends of chords as of `chord_ends`, by marching to the bounding box and bisecting.

    It uses membership only, and may step over a gap thinner than a 48th of the way.
    """
    lower, upper = domain.bounding_box
    return _first_exit(domain, points, axis, lower[axis]), _first_exit(domain, points, axis, upper[axis])


def _first_exit(domain: Domain, points: FloatArray, axis: int, limit: float) -> FloatArray:
    start = points[:, axis]
    inside, outside = start.copy(), np.full(len(points), limit)
    walking = np.arange(len(points))
    for step in range(1, LOOKS + 1):
        if not walking.size:
            break
        probe = points[walking]
        probe[:, axis] = start[walking] + (step / LOOKS) * (limit - start[walking])
        held = domain.contains(probe)
        inside[walking[held]] = probe[held, axis]
        outside[walking[~held]] = probe[~held, axis]
        walking = walking[held]
    left = np.setdiff1d(np.arange(len(points)), walking)
    inside[walking] = limit
    probe = points[left]

    def held_at(middle: FloatArray) -> BoolArray:
        probe[:, axis] = middle
        return domain.contains(probe)

    inside[left], _ = bisect(inside[left], outside[left], held_at, _BISECTIONS)
    return inside


def chord_lines(
    domain: Domain,
    seeds: FloatArray,
    axis: int,
    n: int,
    *,
    shortest: float = 0.0,
    ends: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """`n` equispaced points on the chord along `axis` through each seed, slightly inside its ends.

    Parameters
    ----------
    domain : Domain
    seeds : (m, d) array
        Points of the domain.
    axis, n : int
    shortest : float
        Leave out chords shorter than this share of the longest.
    ends : (low, high), optional
        From `chord_ends`, where already known.

    Returns
    -------
    lines : (k, n, d) array
        Every point lies in the domain: chords over gaps that the march did not see are left out.
    lengths : (k,) array
    """
    low, high = chord_ends(domain, seeds, axis) if ends is None else ends
    inset = SAME * (high - low)  # data may be defined in the open domain only
    low, high = low + inset, high - inset
    long_enough = high - low > shortest * (high - low).max(initial=0.0)
    seeds, low, high = seeds[long_enough], low[long_enough], high[long_enough]
    lines = np.repeat(seeds[:, None, :], n, axis=1)
    lines[:, :, axis] = np.linspace(low, high, n, axis=1)
    whole = domain.contains(lines.reshape(-1, domain.dimension)).reshape(len(lines), n).all(axis=1)
    return lines[whole], (high - low)[whole]


def cluster(domain: Domain, points: FloatArray) -> FloatArray:
    """Move points of even density toward the boundary: Chebyshev density along each chord, axis by axis.

    Collocation needs more points at the boundary, where they constrain a global basis least.
    """
    moved = points.copy()
    for axis in range(domain.dimension):
        low, high = chord_ends(domain, moved, axis)
        length = high - low
        fraction = np.divide(moved[:, axis] - low, length, out=np.full(len(moved), 0.5), where=length > 0)
        moved[:, axis] = low + length * arcsine(fraction)
    strayed = ~domain.contains(moved)  # over a gap too thin for the march
    moved[strayed] = points[strayed]
    return moved


# ---- Holes of plane domains

_PER_CURVE = 64


@final
@dataclass(frozen=True)
class Hole:
    """A hole of a plane domain.

    Attributes
    ----------
    center : (float, float)
        About the point in it that is farthest from its rim.
    radius : float
        Distance from `center` to the rim.
    clearance : float
        Distance from the rim to the rest of the boundary.
    """

    center: tuple[float, float]
    radius: float
    clearance: float


def holes_of(curves: Sequence[PlaneCurve], loops: Sequence[Sequence[int]]) -> tuple[Hole, ...]:
    """The holes inside closed loops of curves that have the domain on their left."""

    def polyline(curve: PlaneCurve) -> FloatArray:
        return curve.point(np.linspace(curve.t0, curve.t1, _PER_CURVE // 8 if curve.straight else _PER_CURVE)[:-1])

    rims = [np.concatenate([polyline(curves[index]) for index in loop]) for loop in loops]
    return tuple(_hole(rim, [other for other in rims if other is not rim]) for rim in rims if signed_area(rim) < 0)


def _hole(rim: FloatArray, others: Sequence[FloatArray]) -> Hole:
    lower, upper = rim.min(axis=0), rim.max(axis=0)
    axes = [np.linspace(a, b, LOOKS + 2)[1:-1] for a, b in zip(lower, upper, strict=True)]
    candidates = np.concatenate([[rim.mean(axis=0)], np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)])
    candidates = candidates[in_ring(candidates, rim)]
    distances = _distances(candidates, rim)
    best = int(np.argmax(distances * np.where(np.arange(len(distances)) == 0, 1.001, 1.0)))  # ties go to the middle
    clearance = min(_distances(rim, *others).min(), _distances(np.concatenate(others), rim).min())
    return Hole((float(candidates[best, 0]), float(candidates[best, 1])), float(distances[best]), float(clearance))


def _distances(points: FloatArray, *rims: FloatArray) -> FloatArray:
    """Distance of each point from the nearest side of the polygons."""
    check_deadline()
    sides = np.concatenate([np.roll(rim, -1, axis=0) - rim for rim in rims])
    _, distances = nearest_on_chords(points, np.concatenate(rims), sides)
    return np.asarray(distances.min(axis=1))


# ---- Corners of plane domains

_TURN = 2 * math.pi


@final
@dataclass(frozen=True)
class Corner:
    """A corner of a plane domain.

    Attributes
    ----------
    point : (float, float)
    opening : float
        The interior angle in radians, between 0 and 2 pi; a re-entrant corner opens by more than pi.
    start : float
        Direction, in radians from the x axis, of the boundary that leaves the corner. The interior is swept
        counterclockwise from there by `opening`.
    parts : (str, str)
        Names of the boundary parts at the angles `start` and ``start + opening``.
    straight : bool
        Whether both parts are straight at the corner.
    """

    point: tuple[float, float]
    opening: float
    start: float
    parts: tuple[str, str]
    straight: bool = True


def corners_of(
    curves: Sequence[PlaneCurve], names: Sequence[str], loops: Sequence[Sequence[int]]
) -> tuple[Corner, ...]:
    """The corners of closed loops of curves with the interior on their left."""
    return tuple(
        corner
        for loop in loops
        for before, after in zip([loop[-1], *loop[:-1]], loop, strict=True)
        for corner in _corner(curves[before], curves[after], (names[after], names[before]))
    )


def _corner(before: PlaneCurve, after: PlaneCurve, parts: tuple[str, str]) -> Iterator[Corner]:
    """The corner between the end of `before` and the start of `after`, if there is one."""
    x, y = after.tangent(np.array([after.t0]))[0]
    back_x, back_y = -before.tangent(np.array([before.t1]))[0]
    start = math.atan2(y, x)
    opening = (math.atan2(back_y, back_x) - start) % _TURN
    if min(opening, _TURN - opening) < CLOSE:
        opening = _cusp(before, after)
    if abs(opening - math.pi) > CLOSE:
        px, py = after.ends[0]
        yield Corner((float(px), float(py)), opening, start, parts, before.straight and after.straight)


def _cusp(before: PlaneCurve, after: PlaneCurve) -> float:
    """The opening where both curves leave in one direction: 0 or 2 pi, by their places a step away."""
    step = 1e-3 * min(before.length, after.length)
    ahead = after.point(after.parameter(np.array([step / after.length])))[0] - after.ends[0]
    back = before.point(before.parameter(np.array([1 - step / before.length])))[0] - before.ends[1]
    return 0.0 if (math.atan2(back[1], back[0]) - math.atan2(ahead[1], ahead[0])) % _TURN < math.pi else _TURN


# ---- Domains

# Distance across a boundary, relative to the extents, beyond the rounding of its points, in single precision too.
ACROSS = 1e-7


def default_axes(dimension: int) -> tuple[str, ...]:
    """Names of the coordinates before a problem has named them: x, y, z, then x4, x5, ..."""
    return tuple("xyz"[i] if i < 3 else f"x{i + 1}" for i in range(dimension))


def rounding_slack(closed: bool, *magnitudes: float) -> float:
    """Bound of the rounding error of a boundary point computed from these coordinates and lengths.

    Positive if the boundary belongs to the region (`closed`), negative otherwise.
    """
    return (64 if closed else -64) * float(np.finfo(np.float64).eps) * max(abs(m) for m in magnitudes)


def is_within(side: SideArray, closed: bool) -> BoolArray:
    """Membership by the sides of points; the boundary belongs to the domain only if `closed`."""
    return side >= 0 if closed else side > 0


def within_ellipsoid(
    offsets: FloatArray, semi_axes: tuple[float, ...], center: tuple[float, ...], closed: bool
) -> BoolArray:
    """Membership of points, by their offsets ``(n, d)`` from the center along the semi-axes of an ellipsoid."""
    on_ball = offsets / semi_axes
    level = np.linalg.norm(on_ball, axis=1)  # one on the ellipsoid
    # growth of the level across the ellipsoid, which converts a slack in length to one in level
    slope = np.linalg.norm(on_ball / semi_axes, axis=1)
    growth = np.divide(slope, level, out=np.zeros_like(level), where=level > 0)
    return np.asarray(level <= 1.0 + rounding_slack(closed, *semi_axes, *center) * growth)


class Domain(ABC):
    """A bounded region of space, or of space and time.

    A new shape implements the five abstract members; sampling and products with time follow from them. The `name` of
    a shape precedes the names of its boundary parts: ``"hole.circle"``.
    """

    name: str = ""

    def _read(self, **given: tuple[Callable[[Any, str], object], object]) -> None:
        """Set fields of a frozen shape to checked values; each check names its argument in messages."""
        for field, (check, value) in given.items():
            object.__setattr__(self, field, check(value, f"{type(self).__name__}: {field}"))

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of coordinates, time included."""

    @property
    @abstractmethod
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """``(lower, upper)``, each of shape ``(dimension,)``."""

    @property
    @abstractmethod
    def measure(self) -> float:
        """Length, area or volume (times duration with time)."""

    @abstractmethod
    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        """Membership of checked points; the boundary belongs to the domain, up to rounding, only if `closed`."""

    def _side(self, points: FloatArray) -> SideArray:
        """1 for checked points inside, 0 on the boundary up to rounding, -1 outside."""
        held = self._contains(points, True)
        side = np.where(held, 0, -1).astype(np.int8)
        some = np.flatnonzero(held)
        side[some] = self._contains(points[some], False)
        return side

    @abstractmethod
    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        """The named parts of the boundary, given the names of the coordinates."""

    def __repr__(self) -> str:
        # as of a dataclass, without defaults and without an empty name
        known: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        values = [(field, getattr(self, field.name)) for field in known]
        shown = [f"{field.name}={value!r}" for field, value in values if value not in ("", field.default)]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __getstate__(self) -> dict[str, Any]:
        # without cached properties: they may hold compiled functions, which cannot be pickled
        kind = type(self)
        return {k: v for k, v in vars(self).items() if not isinstance(getattr(kind, k, None), cached_property)}

    @property
    def _name_argument(self) -> str:
        """The name as the last argument of a repr, if there is one."""
        return f", name={self.name!r}" if self.name else ""

    @property
    def time(self) -> Time | None:
        """The time interval, if the last coordinate is time."""
        return None

    @property
    def may_be_in_pieces(self) -> bool:
        """Whether domains of this kind may be disconnected."""
        return False

    @property
    def is_unbounded(self) -> bool:
        """Whether the domain is unbounded; its bounding box is then the window in which solutions are shown."""
        return False

    def contains(self, points: ArrayLike) -> BoolArray:
        """Mask of the points ``(n, dimension)`` that lie in the domain, its boundary included."""
        check_deadline()
        return self._contains(as_points(points, self.dimension), True)

    def _contains_nearly(self, points: FloatArray) -> BoolArray:
        """Mask of the checked points that lie in the domain up to rounding."""
        held = self.contains(points)
        lower, upper = self.bounding_box
        steps = np.diag(ACROSS * (upper - lower))
        rest = np.flatnonzero(~held)
        for step in (*steps, *-steps):
            near = self.contains(points[rest] + step)
            held[rest[near]] = True
            rest = rest[~near]
        return held

    def boundary(self, axes: Sequence[str] | None = None) -> tuple[BoundaryPart, ...]:
        """The named parts of the boundary; faces are named after the coordinates, `axes`.

        With time, these are the lateral parts: the boundary of the space domain at all times.
        """
        axes = default_axes(self.dimension) if axes is None else tuple(axes)
        if len(axes) != self.dimension:
            raise ProblemError(f"axes must name {self.dimension} coordinates; got {list(axes)}")
        if len(set(axes)) != len(axes):
            raise ProblemError(f"axes must have different names; got {list(axes)}")
        prefix = f"{self.name}." if self.name else ""
        return tuple(replace(part, name=prefix + part.name) for part in self._boundary(axes))

    def corners(self, axes: Sequence[str] | None = None) -> tuple[Corner, ...]:
        """The corners of a plane domain, none for other domains; `axes` names the coordinates."""
        return ()

    def hole_places(self) -> tuple[Hole, ...]:
        """The holes of a plane domain; none for other domains."""
        return ()

    @property
    def _regions(self) -> Regions | None:
        """The domain itself if it consists of several regions; None otherwise."""
        return None

    def _as_one(self, axes: Sequence[str] | None) -> Domain:
        """The domain as one shape if it consists of several regions; itself otherwise."""
        return self

    def sample(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> FloatArray:
        """`n` points inside the domain, shape ``(n, dimension)``.

        Their density is even, except for ``"clustered"``, which moves them toward the boundary.
        """
        check_count(n)
        check_sampling(sampling)
        lower, upper = self.bounding_box
        stream = unit_stream(self.dimension, rng, "low-discrepancy" if sampling == "clustered" else sampling)
        points = reject(
            lambda count: lower + (upper - lower) * stream(count),
            lambda candidates: self._contains(candidates, True),
            n,
            what=repr(self),
        )
        return cluster(self, points) if sampling == "clustered" else points

    def moved(self, offset: Iterable[SupportsFloat]) -> Transformed:
        """The domain translated by `offset`, one number per coordinate; its parts keep their names.

        Examples
        --------
        >>> from fspielm.geometry import Disk
        >>> Disk((0, 0), 1).moved((3, 0)).bounding_box[0]
        array([ 2., -1.])
        """
        return _algebra().moved(self, offset)

    def scaled(self, factor: SupportsFloat, center: Iterable[SupportsFloat] | None = None) -> Transformed:
        """The domain scaled by a positive factor, the same along all axes; its parts keep their names.

        `center` stays fixed; it is the middle of the bounding box by default.
        """
        return _algebra().scaled(self, factor, center)

    def rotated(
        self,
        angle: SupportsFloat,
        *,
        axis: str | Iterable[SupportsFloat] | None = None,
        center: Iterable[SupportsFloat] | None = None,
    ) -> Transformed:
        """The domain rotated counterclockwise by an angle in radians; its parts keep their names.

        The face ``"x-"`` of a rotated box is the one that was ``"x-"`` before, whatever its direction now.

        Parameters
        ----------
        angle : number
        axis : "x", "y", "z" or (number, number, number)
            In three dimensions the direction of the axis of rotation, z by default.
        center : sequence of numbers
            A point that stays fixed, the middle of the bounding box by default.
        """
        return _algebra().rotated(self, angle, axis, center)

    def __or__(self, other: Domain) -> Combination:
        return self._combined("union", other)

    def __and__(self, other: Domain) -> Combination:
        return self._combined("intersection", other)

    def __sub__(self, other: Domain) -> Combination:
        return self._combined("difference", other)

    def _combined(self, operation: Operation, other: Domain) -> Combination:
        return _algebra().combine(operation, self, other) if isinstance(other, Domain) else NotImplemented

    def quadrature(self, n: int) -> Quadrature:
        """Nodes and weights for integrals over the domain: all nodes lie in it, all weights are positive.

        Boxes, balls, cylinders and plane shapes, also in time, have product rules of Gauss type: for smooth functions
        the error falls faster than any power of the number of nodes along an axis. For other shapes the nodes are
        evenly spread points, and the error falls about as 1 / `n`; for `Surface` see there.

        Parameters
        ----------
        n : int
            Approximate number of nodes; a plane shape with many corners takes at least a few for each.
        """
        check_nodes(n)
        return self._quadrature(n).scaled_to(self.measure)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        ax: Axes | None = None,
        points: int = 0,
        normals: bool = True,
    ) -> Axes:
        """Draw the domain with its boundary parts by colour and name; needs matplotlib.

        A domain with time is drawn without it.

        Parameters
        ----------
        path : str or path, optional
            Save the picture there, in the format of its suffix.
        ax : matplotlib Axes, optional
            Where to draw, three-dimensional for a solid; by default a new figure without pyplot.
        points : int
            Number of evenly spread points of the interior to show.
        normals : bool
            Show some outward normals.
        """
        return _algebra().plot(self, path, ax=ax, points=points, normals=normals)

    def _quadrature(self, n: int) -> Quadrature:
        """About `n` nodes in the domain and positive weights, up to a common factor."""
        points = self.sample(n, np.random.default_rng(0), "low-discrepancy")
        return Quadrature(points, np.ones(len(points)))

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        """Where the line along `axis` through each point of the domain leaves it, below and above the point.

        Simple shapes march even if they know their `_spans`, so that the same seed keeps giving the same bits.
        """
        return march(self, points, axis)

    def _chord_ends_by_spans(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        """As `_chord_ends`, from spans where they are known."""
        spans = self._spans(points, axis)
        if spans is None:
            return march(self, points, axis)
        return spans.around(points[:, axis], rounding_slack(True, *np.ravel(self.bounding_box)))

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        """The spans of lines along `axis` through arbitrary points; None where they are unknown."""
        return None

    def __mul__(self, time: Time) -> SpaceTime:
        return _algebra().multiply(self, time) if isinstance(time, Domain) else NotImplemented


def _algebra() -> type[Algebra]:
    """The operations that need subclasses of `Domain`, whose modules import this one."""
    from fspielm.geometry.algebra import Algebra

    return Algebra
