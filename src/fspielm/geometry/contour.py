"""The whole boundary of a plane shape: closed loops of curves, and the area they enclose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.antiderivative import Antiderivative, Function, antiderivative
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import rounding_slack
from fspielm.geometry.extremes import least, refine
from fspielm.geometry.pieces import Pieces, join, pieces_of, resolve, straight_pieces
from fspielm.geometry.winding import Winding

_EPS = float(np.finfo(np.float64).eps)
_CLOSED = 1e-9  # a gap between curves, relative to the size of the whole, that counts as none


@final
@dataclass(frozen=True, eq=False)
class Contour:
    """Closed loops of curves with the interior on their left.

    Attributes
    ----------
    curves : tuple of PlaneCurve
        Loop by loop, each beginning where the one before it ends.
    what : str
        What they bound, for messages.
    """

    curves: tuple[PlaneCurve, ...]
    what: str

    @cached_property
    def area(self) -> float:
        """The enclosed area, by Green's theorem; negative if the interior is on the right."""
        ends = self._ends - self._middle
        straight = np.array([curve.straight for curve in self.curves])
        (x0, y0), (x1, y1) = ends[straight, 0].T, ends[straight, 1].T
        return math.fsum([*(0.5 * (x0 * y1 - x1 * y0)).tolist(), *(green.total for green in self._green.values())])

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """The smallest box around the curves, ``(lower, upper)``."""
        corners = self._ends.reshape(-1, 2)
        lower, upper = corners.min(axis=0), corners.max(axis=0)
        grids = {number: refine(green.edges, 16) for number, green in self._green.items()}
        points = {number: self.curves[number].point(grid) for number, grid in grids.items()}
        for seen in points.values():
            lower, upper = np.minimum(lower, seen.min(axis=0)), np.maximum(upper, seen.max(axis=0))
        for number, grid in grids.items():
            curve, seen = self.curves[number], points[number]
            # a curve strays no farther from two neighbouring points than about half their distance
            beyond = np.hypot(*np.diff(seen, axis=0).T).max()
            for axis in range(2):
                if seen[:, axis].min() - beyond < lower[axis]:
                    lower[axis] = min(lower[axis], _extreme(curve, axis, 1.0, grid))
                if seen[:, axis].max() + beyond > upper[axis]:
                    upper[axis] = max(upper[axis], -_extreme(curve, axis, -1.0, grid))
        return lower, upper

    @cached_property
    def loops(self) -> tuple[tuple[int, ...], ...]:
        """The loops, as the numbers of their curves."""
        loops: list[tuple[int, ...]] = []
        first = 0
        for number, (_, end) in enumerate(self._ends):
            if math.dist(end, self._ends[first, 0]) <= self._tolerance:
                loops.append(tuple(range(first, number + 1)))
                first = number + 1
                continue
            following = self._ends[number + 1, 0] if number + 1 < len(self.curves) else self._ends[first, 0]
            gap = math.dist(end, following)
            if gap > self._tolerance or number + 1 == len(self.curves):
                raise ProblemError(
                    f"{self.what}: the curves of its boundary must form closed loops; curve {number} ends at "
                    f"({end[0]:.6g}, {end[1]:.6g}), which is {gap:.3g} from where the next one begins"
                )
        return tuple(loops)

    @property
    def grids(self) -> tuple[FloatArray, ...]:
        """Parameters along each curve, so dense that no turn of it lies hidden between two of them."""
        ends = [np.array([curve.t0, curve.t1]) for curve in self.curves]
        return tuple(self._green[i].edges if i in self._green else ends[i] for i in range(len(ends)))

    @cached_property
    def winding(self) -> Winding:
        """Winding numbers of all loops together."""
        return Winding(self.curves, self.pieces, rounding_slack(True, *self.box[0], *self.box[1]))

    @cached_property
    def pieces(self) -> Pieces:
        """The loops in short pieces, each piece beginning exactly where the one before it ends."""
        ends = self._ends.copy()
        for loop in self.loops:
            ends[loop[:-1], 1] = ends[loop[1:], 0]
            ends[loop[-1], 1] = ends[loop[0], 0]
        straight = np.array([number for number, curve in enumerate(self.curves) if curve.straight], dtype=np.intp)
        t0, t1 = (np.array([getattr(self.curves[i], name) for i in straight]) for name in ("t0", "t1"))
        curved = [pieces_of(self.curves[i], i, self._breaks(i), ends[i]) for i in self._green]
        return join([straight_pieces(straight, t0, t1, ends[straight]), *curved])

    def _breaks(self, number: int) -> FloatArray:
        return resolve(self.curves[number], self.grids[number], self.size, self.noise)

    @cached_property
    def _ends(self) -> FloatArray:
        """First and last point of every curve ``(m, 2, 2)``."""
        return np.array([curve.ends for curve in self.curves])

    @cached_property
    def _green(self) -> dict[int, Antiderivative]:
        """By curve, unless straight: the area between it and the middle of the whole, as it is walked along."""
        greens: dict[int, Antiderivative] = {}
        for number, curve in enumerate(self.curves):
            if not curve.straight:
                speed = float(np.abs(curve.tangent(_coarse(curve))).max())
                greens[number] = antiderivative(
                    _green_integrand(curve, self._middle),
                    curve.t0,
                    curve.t1,
                    what=f"{self.what}: curve",
                    noise=4 * self.noise * speed,
                )
        return greens

    @cached_property
    def _rough_box(self) -> tuple[FloatArray, FloatArray]:
        points = [curve.point(_coarse(curve)) for curve in self.curves if not curve.straight]
        every = np.concatenate([self._ends.reshape(-1, 2), *points])
        return every.min(axis=0), every.max(axis=0)

    @cached_property
    def _middle(self) -> FloatArray:
        return 0.5 * (self._rough_box[0] + self._rough_box[1])

    @cached_property
    def size(self) -> float:
        """The greater of the extents along the axes, roughly."""
        return float(np.max(self._rough_box[1] - self._rough_box[0]))

    @cached_property
    def noise(self) -> float:
        """How far rounding carries points off."""
        return _EPS * float(np.max(np.abs(self._rough_box)))

    @cached_property
    def _tolerance(self) -> float:
        return _CLOSED * self.size + 64 * self.noise


def contour_of(curves: Sequence[PlaneCurve], what: str) -> Contour:
    """The contour of some curves; refuses those that do not form closed loops."""
    contour = Contour(tuple(curves), what)
    _ = contour.loops
    return contour


def _coarse(curve: PlaneCurve) -> FloatArray:
    return np.linspace(curve.t0, curve.t1, 33)


def _green_integrand(curve: PlaneCurve, middle: FloatArray) -> Function:
    def integrand(t: FloatArray) -> FloatArray:
        x, y = (curve.point(t) - middle).T
        dx, dy = curve.tangent(t).T
        return np.asarray(0.5 * (x * dy - y * dx), dtype=np.float64)

    return integrand


def _extreme(curve: PlaneCurve, axis: int, sign: float, grid: FloatArray) -> float:
    return least(lambda t: sign * curve.point(t)[:, axis], lambda t: sign * curve.tangent(t)[:, axis], grid)
