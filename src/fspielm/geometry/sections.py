"""Quadrature over plane regions by vertical chords that never leave them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.monotone import MonotonePiece, monotone_pieces
from fspielm.geometry.quadrature import Quadrature, gauss

_ROUNDING = 64 * float(np.finfo(np.float64).eps)
# Nodes that a panel or a chord has in any case; a panel with a rounded end needs more to see the root.
_FEWEST, _FEWEST_ROUND = 2, 6
_PROBES = 5


def section_rule(curves: Sequence[PlaneCurve], n: int) -> Quadrature:
    """About `n` nodes inside the region that these curves enclose, spectrally accurate.

    Between neighbouring corners and vertical tangents (a panel), the vertical chords of the region begin and end on
    the same smooth curves: Gauss-Legendre along each chord and, over x, in a variable that makes the square roots
    at vertical tangents smooth.

    Parameters
    ----------
    curves : sequence of PlaneCurve
        Closed loops that do not cross, in any order.
    n : int
        About how many nodes; each panel and chord has a few in any case.
    """
    panels = _panels(curves)
    spacing = _spacing(panels, n)
    rules = [panel.rule(spacing) for panel in panels]
    return Quadrature(np.concatenate([rule.points for rule in rules]), np.concatenate([rule.weights for rule in rules]))


@final
@dataclass(frozen=True, eq=False)
class _Panel:
    """A range of x over which the same pieces bound the region.

    `reach` is its width, or the height that a bounding piece gains over it where that is more; `lengths` are the
    greatest of each of its chords.
    """

    left: float
    right: float
    pieces: tuple[MonotonePiece, ...]
    rounded: tuple[bool, bool]
    reach: float
    lengths: FloatArray

    def nodes(self, spacing: float) -> int:
        """Nodes over x: more with a rounded end, since its variable stretches the middle or the other end."""
        fewest, stretch = {0: (_FEWEST, 1.0), 1: (_FEWEST_ROUND, 2.0), 2: (_FEWEST_ROUND, 0.5 * math.pi)}[
            sum(self.rounded)
        ]
        return fewest + math.ceil(stretch * self.reach / spacing)

    def chord_nodes(self, spacing: float) -> list[int]:
        """Nodes along each chord."""
        return [_FEWEST + math.ceil(length / spacing) for length in self.lengths]

    def rule(self, spacing: float) -> Quadrature:
        """The nodes of this panel, at about that spacing."""
        x, across = _abscissae(self.left, self.right, self.rounded, self.nodes(spacing))
        heights = _sorted_heights(self.pieces, x)
        points, weights = [], []
        for chord, count in enumerate(self.chord_nodes(spacing)):
            low, high = heights[2 * chord], heights[2 * chord + 1]
            unit, shares = gauss(count)
            y = low[:, None] + (high - low)[:, None] * unit
            weight = (across * (high - low))[:, None] * shares
            points.append(np.stack([np.broadcast_to(x[:, None], y.shape), y], axis=-1).reshape(-1, 2))
            weights.append(weight.ravel())
        joined, positive = np.concatenate(points), np.concatenate(weights)
        kept = positive > 0  # at a tip a chord may be no longer than rounding
        return Quadrature(joined[kept], positive[kept])


def _panels(curves: Sequence[PlaneCurve]) -> list[_Panel]:
    ends = np.concatenate([curve.point(np.array([curve.t0, curve.t1])) for curve in curves])
    tolerance = _ROUNDING * float(np.abs(ends).max())
    pieces = [piece for curve in curves for piece in monotone_pieces(curve, tolerance)]
    abscissae = np.sort(np.concatenate([piece.x for piece in pieces]))
    abscissae = abscissae[np.append(True, np.diff(abscissae) > tolerance)]
    panels = []
    for left, right in pairwise(float(x) for x in abscissae):
        over = tuple(p for p in pieces if p.x[0] <= left + tolerance and p.x[1] >= right - tolerance)
        if len(over) % 2:
            raise ProblemError(
                f"the curves around a region must close; a vertical line between x = {left:.6g} and {right:.6g} "
                f"crosses them {len(over)} times"
            )
        if over:
            upright = np.any([piece.bends_upright(np.array([left, right])) for piece in over], axis=0)
            rounded = (bool(upright[0]), bool(upright[1]))
            heights = _sorted_heights(over, _abscissae(left, right, rounded, _PROBES)[0])
            lengths = (heights[1::2] - heights[::2]).max(axis=1)
            reach = max(right - left, float(np.ptp(heights, axis=1).max()))
            panels.append(_Panel(left, right, over, rounded, reach, lengths))
    return panels


def _sorted_heights(pieces: Sequence[MonotonePiece], x: FloatArray) -> FloatArray:
    """Where vertical lines cross the pieces, ``(pieces, n)``, from below: the region begins, ends, begins ..."""
    return np.sort([piece.heights(x) for piece in pieces], axis=0)


def _abscissae(left: float, right: float, rounded: tuple[bool, bool], n: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights over x, in a variable s of which the square root of a distance to a rounded end is smooth."""
    s, weights = gauss(n)
    maps: dict[tuple[bool, bool], tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]] = {
        (False, False): (lambda s: s, np.ones_like),
        (True, False): (lambda s: s**2, lambda s: 2 * s),
        (False, True): (lambda s: s * (2 - s), lambda s: 2 * (1 - s)),
        (True, True): (lambda s: np.sin(0.5 * np.pi * s) ** 2, lambda s: 0.5 * np.pi * np.sin(np.pi * s)),
    }
    share, speed = maps[rounded]
    return left + (right - left) * share(s), (right - left) * speed(s) * weights


def _spacing(panels: Sequence[_Panel], n: int) -> float:
    """The distance between nodes at which they are about `n` in all, or the largest that makes sense."""

    def total(spacing: float) -> int:
        return sum(panel.nodes(spacing) * sum(panel.chord_nodes(spacing)) for panel in panels)

    largest = max(max(panel.reach, *panel.lengths) for panel in panels)
    low, high = math.log(largest / (n + 1)), math.log(largest)
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if total(math.exp(middle)) > n else (low, middle)
    return math.exp(high)
