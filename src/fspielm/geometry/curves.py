"""Pieces of plane curves: exact points, normals, walks and splits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, apply_matrix, positions_in_runs
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.numerics.roots import Antiderivative, antiderivative, bisect, halves, newton_between
from fspielm.numerics.tolerances import BISECTIONS, CLOSE, ROUNDED, TINY


@final
@dataclass(frozen=True, eq=False)
class PlaneCurve:
    """A smooth piece of a plane curve, ``gamma(t)`` for t from `t0` to `t1`, with the interior on its left.

    Attributes
    ----------
    point, tangent : callable
        ``gamma`` and its derivative: map parameters ``(n,)`` to ``(n, 2)``; the tangent never vanishes.
    t0, t1 : float
        The parameter's range, ``t0 < t1``.
    constant_speed : float or None
        ``|gamma'|`` where it does not depend on t; arc length then is a product, not a quadrature.
    straight : bool
        Whether the curve is a straight segment at constant speed.
    """

    point: Callable[[FloatArray], FloatArray]
    tangent: Callable[[FloatArray], FloatArray]
    t0: float
    t1: float
    constant_speed: float | None = None
    straight: bool = False

    def __post_init__(self) -> None:
        if not self.t0 < self.t1:
            raise ProblemError(f"PlaneCurve: t1 must be greater than t0; got t0 = {self.t0}, t1 = {self.t1}")

    @property
    def length(self) -> float:
        """Arc length."""
        if self.constant_speed is not None:
            return self.constant_speed * (self.t1 - self.t0)
        return self._arc_length.total

    def parameter(self, s: FloatArray) -> FloatArray:
        """The parameters t ``(n,)`` at the fractions `s` of the arc length, ``0 <= s <= 1``."""
        if self.constant_speed is not None:
            return self.t0 + (self.t1 - self.t0) * s
        return self._arc_length.inverse(s * self._arc_length.total)

    def normals(self, t: FloatArray) -> FloatArray:
        """The outward unit normals ``(n, 2)``, to the right of the curve."""
        tangents = self.tangent(t)
        speeds = np.hypot(tangents[:, 0], tangents[:, 1])
        return np.column_stack([tangents[:, 1], -tangents[:, 0]]) / speeds[:, None]

    def grid(self) -> FloatArray:
        """Parameters from `t0` to `t1`, dense enough to resolve every bend."""
        if self.constant_speed is not None:  # a segment or an arc
            return np.linspace(self.t0, self.t1, 65)
        # 16 times as dense as the panels of the arc length
        edges = self._arc_length.edges
        return np.interp(np.arange(16 * len(edges) - 15) / 16, np.arange(len(edges)), edges)

    def clip(self, t0: float, t1: float) -> PlaneCurve:
        """The piece between two parameters of this curve."""
        if not self.t0 <= t0 < t1 <= self.t1:
            raise ProblemError(f"PlaneCurve.clip: t0 < t1 must lie between {self.t0} and {self.t1}; got {t0} and {t1}")
        return replace(self, t0=t0, t1=t1)

    def reversed(self) -> PlaneCurve:
        """The curve in the opposite direction, with its parameter negated."""
        point, tangent = self.point, self.tangent
        return replace(self, point=lambda t: point(-t), tangent=lambda t: -tangent(-t), t0=-self.t1, t1=-self.t0)

    def swapped(self) -> PlaneCurve:
        """The curve with its coordinates swapped."""
        point, tangent = self.point, self.tangent
        return replace(self, point=lambda t: point(t)[:, ::-1], tangent=lambda t: tangent(t)[:, ::-1])

    @property
    def ends(self) -> FloatArray:
        """The first and the last point ``(2, 2)``."""
        return self.point(np.array([self.t0, self.t1]))

    def mapped(self, matrix: FloatArray, offset: FloatArray, factor: float) -> PlaneCurve:
        """The image under ``x -> matrix x + offset``, where the matrix is a rotation times `factor`."""
        point, tangent = self.point, self.tangent
        return replace(
            self,
            point=lambda t: apply_matrix(matrix, point(t)) + offset,
            tangent=lambda t: apply_matrix(matrix, tangent(t)),
            constant_speed=None if self.constant_speed is None else factor * self.constant_speed,
        )

    def as_part(self, name: str) -> BoundaryPart:
        """The curve as a boundary part: its unit coordinate is proportional to arc length."""

        def place(unit: FloatArray) -> Sites:
            t = self.parameter(unit[:, 0])
            return Sites(self.point(t), self.normals(t))

        return BoundaryPart(name, self.length, 1, place)

    @cached_property
    def _arc_length(self) -> Antiderivative:
        def speed(t: FloatArray) -> FloatArray:
            tangents = self.tangent(t)
            return np.hypot(tangents[:, 0], tangents[:, 1])

        return antiderivative(speed, self.t0, self.t1, what="the speed |gamma'| of a PlaneCurve")


@final
@dataclass(frozen=True, eq=False)
class Edge:
    """A smooth piece of a plane boundary, with the interior on its left, and the name of the part it belongs to.

    A `side` has its own name within that part.
    """

    name: str
    curve: PlaneCurve
    side: str = ""


def polyline_part(name: str, segments: Sequence[PlaneCurve]) -> BoundaryPart:
    """Join straight curves into one boundary part."""
    ends = np.array([curve.ends for curve in segments])
    lengths = np.array([curve.length for curve in segments])
    normals = np.concatenate([curve.normals(np.array([curve.t0])) for curve in segments])
    breaks = np.append(0.0, np.cumsum(lengths) / lengths.sum())
    breaks[-1] = 1.0

    def place(unit: FloatArray) -> Sites:
        which = np.clip(np.searchsorted(breaks, unit[:, 0], side="right") - 1, 0, len(lengths) - 1)
        share = (unit[:, 0] - breaks[which]) / (breaks[which + 1] - breaks[which])
        s = np.clip(share, 0.0, 1.0)[:, None]
        return Sites((1.0 - s) * ends[which, 0] + s * ends[which, 1], normals[which])

    return BoundaryPart(name, float(lengths.sum()), 1, place, tuple(breaks.tolist()))


def segment(start: tuple[float, float], end: tuple[float, float]) -> PlaneCurve:
    """Build the straight segment between two different points, with parameter 0 to 1."""
    a, b = np.array(start, dtype=np.float64), np.array(end, dtype=np.float64)
    if np.array_equal(a, b):
        raise ProblemError(f"segment: start and end must differ; got {tuple(start)} twice")

    def point(t: FloatArray) -> FloatArray:
        # weighted ends, which are exact, unlike those of a + t (b - a)
        return (1.0 - t)[:, None] * a + t[:, None] * b

    def tangent(t: FloatArray) -> FloatArray:
        return np.tile(b - a, (len(t), 1))

    return PlaneCurve(point, tangent, 0.0, 1.0, constant_speed=math.dist(start, end), straight=True)


def arc(center: tuple[float, float], radius: float, angle0: float, angle1: float) -> PlaneCurve:
    """Build the circular arc from `angle0` to `angle1`, in radians from the x axis.

    Parameters
    ----------
    center : (float, float)
    radius : float
    angle0, angle1 : float
        If ``angle0 < angle1`` the arc is counterclockwise, and its normals point away from the center; otherwise it is
        clockwise (the rim of a hole), and they point to the center.

    Returns
    -------
    PlaneCurve
        Its parameter is the angle, negated on a clockwise arc so that it ascends.
    """
    if angle0 == angle1:
        raise ProblemError(f"arc: angle0 and angle1 must differ; got {angle0} twice")
    turn = math.copysign(1.0, angle1 - angle0)
    middle = np.array(center, dtype=np.float64)

    def point(t: FloatArray) -> FloatArray:
        return middle + radius * np.column_stack([np.cos(t), turn * np.sin(t)])

    def tangent(t: FloatArray) -> FloatArray:
        return radius * np.column_stack([-np.sin(t), turn * np.cos(t)])

    return PlaneCurve(point, tangent, turn * angle0, turn * angle1, constant_speed=float(radius))


# ---- Short pieces, each the graph of a near-cubic over its chord

# Where along its parameter a piece is compared with its cubic; not in the middle, where symmetry hides errors.
_PROBES = np.array([0.07, 0.22, 0.41, 0.62, 0.8, 0.95])
_STEEPEST = 0.8  # slope against the chord, so that each piece is clearly a graph over it


@final
@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of curves, in the frames of their chords: u along the chord, v to its left."""

    curve: NDArray[np.intp]  # (m,): the curve of each piece
    t0: FloatArray  # (m,): its parameters on that curve
    t1: FloatArray
    start: FloatArray  # (m, 2): it starts where the one before it ends, to the last bit
    end: FloatArray
    along: FloatArray  # (m, 2): unit vector of the chord
    length: FloatArray  # (m,): of the chord
    slopes: FloatArray  # (2, m): dv/du at the ends
    rates: FloatArray  # (2, m): dt/du at the ends
    doubt: FloatArray  # (m,): bound of its distance from the cubic with these ends and slopes
    bulge: FloatArray  # (m,): bound of its distance from the chord; zero for straight pieces

    def __len__(self) -> int:
        return len(self.t0)


def cubic_breaks(curve: PlaneCurve, grid: FloatArray, size: float, noise: float) -> FloatArray:
    """Parameters that cut a curve into pieces which are graphs over their chords and close to cubics.

    The `grid` ``(m,)`` from end to end resolves every turn; `size` of the curve scales the tolerance; `noise` is the
    rounding error of points.
    """
    low, high = grid[:-1], grid[1:]
    found = [np.empty(0)]
    for _ in range(BISECTIONS):
        start, end = np.split(curve.point(np.append(low, high)), 2)
        doubt, steepest, _, _ = _measure(curve, low, high, start, end)
        done = (doubt <= max(CLOSE * size, 64 * noise)) & (steepest <= _STEEPEST)
        # pieces at a corner end at the length of rounding
        done |= np.hypot(*(end - start).T) <= 64 * noise
        found.append(low[done])
        low, high = halves(low[~done], high[~done])
        if len(low) == 0:
            break
    return np.append(np.sort(np.concatenate([*found, low])), grid[-1])


def pieces_of(curve: PlaneCurve, number: int, breaks: FloatArray, ends: FloatArray) -> Pieces:
    """The pieces of one curve between `breaks`; its first and last point are replaced by `ends` ``(2, 2)``."""
    points = curve.point(breaks)
    points[[0, -1]] = ends
    start, end, t0, t1 = points[:-1], points[1:], breaks[:-1], breaks[1:]
    along, length = _chord(start, end)
    doubt, steepest, slopes, rates = _measure(curve, t0, t1, start, end)
    # a shortest piece at a corner is no graph: its chord replaces it
    corner = ~(steepest <= 2 * _STEEPEST)
    slopes[:, corner], rates[:, corner], doubt[corner] = 0.0, ((t1 - t0) / length)[corner], 0.0
    bulge = np.where(corner, length, 0.5 * length * np.abs(slopes).max(axis=0) + doubt)
    which = np.full(len(t0), number, dtype=np.intp)
    return Pieces(which, t0, t1, start, end, along, length, slopes, rates, doubt, bulge)


def straight_pieces(numbers: NDArray[np.intp], t0: FloatArray, t1: FloatArray, ends: FloatArray) -> Pieces:
    """One piece for each straight curve, from their numbers, parameters ``(m,)`` and ends ``(m, 2, 2)``."""
    start, end = ends[:, 0], ends[:, 1]
    along, length = _chord(start, end)
    zeros = np.zeros(len(numbers))
    rates = np.tile((t1 - t0) / length, (2, 1))
    return Pieces(numbers, t0, t1, start, end, along, length, np.tile(zeros, (2, 1)), rates, zeros, zeros)


def join_pieces(pieces: Sequence[Pieces]) -> Pieces:
    """Concatenate pieces, along the last axis of slopes and rates and the first axis of all others."""
    return Pieces(
        **{
            field.name: np.concatenate(
                [getattr(piece, field.name) for piece in pieces], axis=int(field.name in ("slopes", "rates"))
            )
            for field in fields(Pieces)
        }
    )


def cubic(s: FloatArray, first: FloatArray, last: FloatArray) -> FloatArray:
    """The cubic on [0, 1] that vanishes at both ends, with slopes `first` and `last` there."""
    return np.asarray(s * (1 - s) * (first * (1 - s) - last * s), dtype=np.float64)


def _measure(
    curve: PlaneCurve, t0: FloatArray, t1: FloatArray, start: FloatArray, end: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Distance of each piece from its cubic, its steepest slope, and the slopes and rates at its ends."""
    along, length = _chord(start, end)
    t = np.column_stack([t0, t0[:, None] + (t1 - t0)[:, None] * _PROBES, t1])
    off = curve.point(t.ravel()).reshape(*t.shape, 2) - start[:, None, :]
    tangent = curve.tangent(t.ravel()).reshape(*t.shape, 2)
    u, v = _in_frame(along, off)
    forward, aside = _in_frame(along, tangent)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = aside / forward
        rates = (1 / forward[:, [0, -1]]).T
    slopes = slope[:, [0, -1]].T
    s = u / length[:, None]
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(v - length[:, None] * cubic(s, slopes[0][:, None], slopes[1][:, None]))[:, 1:-1]
    ahead: BoolArray = np.all(forward > 0, axis=1)
    steepest = np.where(ahead, np.max(np.abs(slope), axis=1), np.inf)
    # doubled, since the probes may miss the worst place
    return 2 * np.max(error, axis=1), steepest, slopes, rates


def _chord(start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Unit vectors and lengths of chords."""
    chord = end - start
    length = np.maximum(np.hypot(chord[:, 0], chord[:, 1]), np.finfo(np.float64).tiny)
    return chord / length[:, None], length


def _in_frame(along: FloatArray, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Components ``(n, k)`` of vectors ``(n, k, 2)`` along unit vectors ``(n, 2)`` and to their left."""
    ex, ey = along[:, 0, None], along[:, 1, None]
    x, y = vectors[..., 0], vectors[..., 1]
    return ex * x + ey * y, ex * y - ey * x


# ---- Nearly straight pieces, and the nearest points on them

# Points along a line or a curve, or directions from a point, that tell where they lie in a domain.
LOOKS = 48
# Curves are cut until no piece turns by more than this (radians); what is as close to vertical is upright.
_FLAT = 0.3
_FIRST_PIECES = 32
# More pieces, pairs of them, or steps along a curve do not help; nor do more pairs in memory at once.
MOST_PIECES = 20_000
_WITHIN = np.linspace(0.0, 1.0, 5)


@final
@dataclass(frozen=True, eq=False)
class FlatCurve:
    """A curve with the parameters that cut it into nearly straight pieces."""

    curve: PlaneCurve

    @cached_property
    def cuts(self) -> FloatArray:
        """Ascending parameters, the ends included; two for a straight curve."""
        curve = self.curve
        cuts = np.linspace(curve.t0, curve.t1, 2 if curve.straight else _FIRST_PIECES + 1)
        while len(cuts) < MOST_PIECES:
            bent = np.flatnonzero(_largest_angle(curve, cuts[:-1], cuts[1:]) > _FLAT)
            if not bent.size:
                break
            cuts = np.insert(cuts, bent + 1, 0.5 * (cuts[bent] + cuts[bent + 1]))
        return cuts

    @cached_property
    def boxes(self) -> tuple[FloatArray, FloatArray]:
        """Boxes around the pieces, ``(lower, upper)``, slightly too large for bent pieces."""
        if self.curve.straight:
            return self.curve.ends.min(axis=0)[None], self.curve.ends.max(axis=0)[None]
        return boxes(*chords(self.curve, self.cuts[:-1], self.cuts[1:])[:3])

    @property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """A box around the curve, ``(lower, upper)``."""
        return self.boxes[0].min(axis=0), self.boxes[1].max(axis=0)

    def near(self, other: FlatCurve, reach: float) -> bool:
        """Whether the box of a piece is within `reach` of that of a piece of another curve."""
        (low, high), (other_low, other_high) = self.boxes, other.boxes
        apart = (low[:, None] > other_high + reach) | (other_low > high[:, None] + reach)
        return not bool(np.all(np.any(apart, axis=2)))

    def nearest(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Parameters of the nearest points of the curve to `points` ``(n, 2)``, and their distances.

        Exact to rounding for points closer to the curve than its center of curvature.
        """
        ends = self.curve.point(self.cuts)
        along, gaps = nearest_on_chords(points, ends[:-1], np.diff(ends, axis=0))
        piece = np.argmin(gaps, axis=1)
        share = along[np.arange(len(points)), piece]
        t = self.cuts[piece] + share * (self.cuts[piece + 1] - self.cuts[piece])
        low, high = self.cuts[np.maximum(piece - 1, 0)], self.cuts[np.minimum(piece + 2, len(self.cuts) - 1)]
        for _ in range(0 if self.curve.straight else 20):  # Gauss-Newton: fast where the distance is small
            tangent = self.curve.tangent(t)
            step = dot(points - self.curve.point(t), tangent) / dot(tangent, tangent)
            t = np.clip(t + step, low, high)
        return t, np.linalg.norm(self.curve.point(t) - points, axis=1)


def chords(
    curve: PlaneCurve, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Start and chord of each piece, and bounds of its distance and of its angle from the chord."""
    start = curve.point(low)
    chord = curve.point(high) - start
    angle = _largest_angle(curve, low, high, chord)
    return start, chord, np.linalg.norm(chord, axis=1) * np.tan(np.minimum(angle, 1.4)), angle


def boxes(start: FloatArray, chord: FloatArray, fat: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Boxes around pieces within a distance `fat` of their chords."""
    end, pad = start + chord, fat[..., None]
    return np.minimum(start, end) - pad, np.maximum(start, end) + pad


def _largest_angle(
    curve: PlaneCurve, low: FloatArray, high: FloatArray, reference: FloatArray | None = None
) -> FloatArray:
    """The largest angle between the tangents of each piece and a direction, that of the first tangent by default."""
    t = low[:, None] + (high - low)[:, None] * _WITHIN
    tangents = curve.tangent(t.ravel()).reshape(len(low), len(_WITHIN), 2)
    direction = tangents[:, :1] if reference is None else reference[:, None, :]
    angles = np.arctan2(np.abs(cross(direction, tangents)), dot(direction, tangents))
    # rounding turns the chord of a segment slightly; that is no bend
    return np.asarray(np.where(angles < ROUNDED, 0.0, angles).max(axis=1, initial=0.0), dtype=np.float64)


def nearest_on_chords(points: FloatArray, start: FloatArray, chord: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares ``(n, m)`` of chords that are nearest to points ``(n, 2)``, and their distances."""
    offsets = points[:, None, :] - start
    share = np.clip(dot(offsets, chord) / np.maximum(dot(chord, chord), TINY), 0.0, 1.0)
    return share, np.linalg.norm(offsets - share[:, :, None] * chord, axis=2)


def dot(u: FloatArray, v: FloatArray) -> FloatArray:
    """Inner products of vectors ``(..., 2)``."""
    return np.asarray(u[..., 0] * v[..., 0] + u[..., 1] * v[..., 1], dtype=np.float64)


def sine(u: FloatArray, v: FloatArray) -> FloatArray:
    """Sines of the angles between lines along the vectors ``(..., 2)``, from 0 to 1."""
    return np.abs(cross(u, v)) / np.sqrt(dot(u, u) * dot(v, v))


def cross(u: FloatArray, v: FloatArray) -> FloatArray:
    """Signed areas spanned by vectors ``(..., 2)``, positive if the second is to the left of the first."""
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0], dtype=np.float64)


# ---- Pieces along which x is monotone


@final
@dataclass(frozen=True, eq=False)
class MonotonePiece:
    """The part of a curve between two parameters, along which x only grows or only falls."""

    curve: PlaneCurve
    t: tuple[float, float]  # at the left and the right end: descending where x falls along the curve
    x: tuple[float, float]  # of the two ends

    def heights(self, x: FloatArray) -> FloatArray:
        """The ordinates ``(n,)`` at which vertical lines at `x`, all between the ends, cross the piece."""
        return self.curve.point(self._parameters(x))[:, 1]

    def bends_upright(self, x: FloatArray) -> BoolArray:
        """Whether the piece is curved and steep at these vertical lines: y behaves like a square root nearby."""
        if self.curve.straight:
            return np.zeros(len(x), dtype=np.bool_)
        tangents = self.curve.tangent(self._parameters(x))
        return np.asarray(np.abs(tangents[:, 0]) < _FLAT * np.hypot(*tangents.T))

    def _parameters(self, x: FloatArray) -> FloatArray:
        """The curve's parameters ``(n,)`` at given abscissae."""
        left, right = np.full(len(x), self.t[0]), np.full(len(x), self.t[1])
        share = (x - self.x[0]) / (self.x[1] - self.x[0])
        guess: FloatArray = left + np.clip(share, 0.0, 1.0) * (right - left)
        if self.curve.straight:
            return guess
        return newton_between(
            left,
            right,
            guess,
            lambda t, which: self.curve.point(t)[:, 0] - x[which],
            lambda t, _: self.curve.tangent(t)[:, 0],
            still=4 * np.finfo(np.float64).eps * (abs(self.t[0]) + abs(self.t[1])),
        )


def monotone_pieces(curve: PlaneCurve, tolerance: float) -> list[MonotonePiece]:
    """The pieces between the vertical tangents of a curve, without pieces narrower than `tolerance`."""
    ends = np.array([curve.t0, *([] if curve.straight else _vertical_tangents(curve)), curve.t1])
    x = curve.point(ends)[:, 0]
    pieces = []
    for i, j in pairwise(range(len(ends))):
        if abs(x[j] - x[i]) > tolerance:
            a, b = (i, j) if x[i] < x[j] else (j, i)
            pieces.append(MonotonePiece(curve, (float(ends[a]), float(ends[b])), (float(x[a]), float(x[b]))))
    return pieces


@final
@dataclass(frozen=True, eq=False)
class Crossings:
    """Where lines ``x = const`` cross closed curves.

    Attributes
    ----------
    left, right : (m, 2) arrays
        The ends of all straight curves that are not upright.
    bent : sequence of MonotonePiece
        The pieces of all others.
    """

    left: FloatArray
    right: FloatArray
    bent: Sequence[MonotonePiece]

    @classmethod
    def of(cls, curves: Sequence[PlaneCurve]) -> Crossings:
        """Those of some curves."""
        straight = [curve.ends for curve in curves if curve.straight]
        ends = np.array([*straight, np.zeros((2, 2))])
        ends = np.take_along_axis(ends, np.argsort(ends[:, :, :1], axis=1), axis=1)
        ends = ends[ends[:, 0, 0] < ends[:, 1, 0]]
        bent = [piece for curve in curves if not curve.straight for piece in monotone_pieces(curve, 0.0)]
        return cls(ends[:, 0], ends[:, 1], bent)

    def at(self, x: FloatArray) -> FloatArray | None:
        """The ordinates ``(n, k)`` of the crossings of lines at `x`, ascending and padded with infinity.

        None where a line has an odd number of them, as rounding may leave at an end of two curves.
        """
        step = max(1, MOST_PIECES // max(len(self.left), 1))
        which, where = [np.empty(0, dtype=np.intp)], [np.empty(0)]
        for first in range(0, len(x) if len(self.left) else 0, step):
            some = x[first : first + step, None]
            line, edge = np.nonzero((self.left[:, 0] <= some) & (some < self.right[:, 0]))
            (x0, y0), (x1, y1) = self.left[edge].T, self.right[edge].T
            which.append(first + line)
            where.append(y0 + (x[first + line] - x0) / (x1 - x0) * (y1 - y0))
        for piece in self.bent:
            here = np.flatnonzero((piece.x[0] <= x) & (x < piece.x[1]))
            which.append(here)
            where.append(piece.heights(x[here]))
        lines, ordinates = np.concatenate(which), np.concatenate(where)
        counts = np.bincount(lines, minlength=len(x))
        if np.any(counts % 2):
            return None
        order = np.lexsort((ordinates, lines))
        found = np.full((len(x), int(counts.max(initial=0))), np.inf)
        found[lines[order], positions_in_runs(counts)] = ordinates[order]
        return found


def _vertical_tangents(curve: PlaneCurve) -> FloatArray:
    """Ascending parameters at which the tangent is vertical and x turns back."""

    def direction(t: FloatArray) -> FloatArray:
        tangents = curve.tangent(t)
        flat = np.abs(tangents[:, 0]) <= ROUNDED * np.hypot(*tangents.T)
        return np.where(flat, 0.0, np.sign(tangents[:, 0]))

    grid = curve.grid()
    signs = direction(grid)
    grid, signs = grid[signs != 0], signs[signs != 0]
    turned = signs[:-1] != signs[1:]
    before = signs[:-1][turned]

    def onward(t: FloatArray) -> BoolArray:
        return np.asarray(np.sign(curve.tangent(t)[:, 0]) == before)

    return bisect(grid[:-1][turned], grid[1:][turned], onward)[0]
