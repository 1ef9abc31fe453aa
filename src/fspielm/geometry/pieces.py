"""A plane boundary cut into short pieces, each the graph of a near-cubic over its chord."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.intervals import halves

# Where along its parameter a piece is compared with its cubic; off the middle, where symmetry hides errors.
_PROBES = np.array([0.07, 0.22, 0.41, 0.62, 0.8, 0.95])
_STEEPEST = 0.8  # slope against the chord: each piece is a graph over it, with room to spare
_DOUBT = 1e-8  # distance from the cubic, relative to the curve's size, at which a piece is cut no further
_MOST_HALVINGS = 45


@final
@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces ``k = 0, ..., m - 1`` of curves, in the frames of their chords: u along the chord, v to its left.

    Attributes
    ----------
    curve : (m,) array of int
        Which curve each piece belongs to.
    t0, t1 : (m,) arrays
        The piece's parameters on that curve.
    start, end : (m, 2) arrays
        Its ends: where a piece follows another, the end of one and the start of the other are the same bits.
    along : (m, 2) array
        Unit vector of the chord.
    length : (m,) array
        Of the chord.
    slopes : (2, m) array
        ``dv/du`` at the ends.
    rates : (2, m) array
        ``dt/du`` at the ends.
    doubt : (m,) array
        How far the piece may be from the cubic with these ends and slopes.
    bulge : (m,) array
        How far the piece may be from its chord; zero for straight pieces.
    """

    curve: NDArray[np.intp]
    t0: FloatArray
    t1: FloatArray
    start: FloatArray
    end: FloatArray
    along: FloatArray
    length: FloatArray
    slopes: FloatArray
    rates: FloatArray
    doubt: FloatArray
    bulge: FloatArray

    def __len__(self) -> int:
        return len(self.t0)


def resolve(curve: PlaneCurve, grid: FloatArray, size: float, noise: float) -> FloatArray:
    """Parameters that cut a curve into pieces which are graphs over their chords and close to cubics.

    Parameters
    ----------
    curve : PlaneCurve
    grid : (m,) array
        From ``curve.t0`` to ``curve.t1``: a first division, so dense that no turn of the curve is overlooked.
    size : float
        Of the curve, which sets how close is close.
    noise : float
        How far rounding carries points off.

    Returns
    -------
    (k,) array
    """
    low, high = grid[:-1], grid[1:]
    found = [np.empty(0)]
    for _ in range(_MOST_HALVINGS):
        start, end = np.split(curve.point(np.append(low, high)), 2)
        doubt, steepest, _, _ = _measure(curve, low, high, start, end)
        done = (doubt <= max(_DOUBT * size, 64 * noise)) & (steepest <= _STEEPEST)
        # A corner is cut no shorter than rounding can tell.
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
    # A corner that was cut as short as can be is no graph: its chord stands for it.
    corner = ~(steepest <= 2 * _STEEPEST)
    slopes[:, corner], rates[:, corner], doubt[corner] = 0.0, ((t1 - t0) / length)[corner], 0.0
    bulge = np.where(corner, length, 0.5 * length * np.abs(slopes).max(axis=0) + doubt)
    which = np.full(len(t0), number, dtype=np.intp)
    return Pieces(which, t0, t1, start, end, along, length, slopes, rates, doubt, bulge)


def straight_pieces(numbers: NDArray[np.intp], t0: FloatArray, t1: FloatArray, ends: FloatArray) -> Pieces:
    """Straight curves as one piece each: their numbers, parameters ``(m,)`` and ends ``(m, 2, 2)``."""
    start, end = ends[:, 0], ends[:, 1]
    along, length = _chord(start, end)
    nil = np.zeros(len(numbers))
    rates = np.tile((t1 - t0) / length, (2, 1))
    return Pieces(numbers, t0, t1, start, end, along, length, np.tile(nil, (2, 1)), rates, nil, nil)


def join(pieces: Sequence[Pieces]) -> Pieces:
    """All of several sets of pieces as one."""
    # Pieces are counted along the last axis of slopes and rates, along the first of all else.
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
    """How far each piece is from its cubic, its steepest slope, and the slopes and rates at its ends."""
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
    # Twice what was seen: the probes need not hit the worst place.
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
