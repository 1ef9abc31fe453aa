"""Branch and bound: the boxes in which a function that can be narrow is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.expressions import Enclosure, Intervals, enclose
from fspielm.scrutiny.atoms import Atom
from fspielm.scrutiny.charts import Boxes, Chart
from fspielm.scrutiny.lines import Line

# A function is narrow where it would change so often over the whole extent; and of a wave, where it is so much faster
# than at most places.
_NARROW = 15.0
_FASTER = 4.0
# A box in which a function changes so often at most is as small as what is in it.
_SMALL = 4.0
# Boxes at most: a layer along a curve or a surface fills them at some level, and is then known well enough.
_MOST_BOXES = 2048
# What has no width at all is followed so far, relative to the extent.
_FLOOR = 1e-12
# Boxes at the centers of which the largest value of an argument is looked for.
_TOPS = 256
# First boxes along each parameter, by their number.
_FIRST = {1: 16, 2: 8, 3: 4}


@final
@dataclass(frozen=True, eq=False)
class Found:
    """Boxes in which an atom is narrow.

    Attributes
    ----------
    boxes : Boxes
    rates : (n, p) array
        How often it changes over a unit of each parameter, at most; infinite where it jumps.
    small : (n,) array of bool
        Whether a box is as small as what is in it; otherwise that is a layer, or a point, somewhere in the box.
    top : float
        The largest value of the argument.
    """

    boxes: Boxes
    rates: FloatArray
    small: BoolArray
    top: float

    @property
    def widths(self) -> FloatArray:
        """The distance over which it changes, in each box, ``(n,)``; zero where it jumps."""
        speeds = np.linalg.norm(self.boxes.rates, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.rates > 0, speeds / self.rates, np.inf).min(axis=1))


def find_narrow(atom: Atom, chart: Chart, coordinates: tuple[sp.Symbol, ...]) -> Found | None:
    """Where an atom is narrow; None where its argument cannot be enclosed."""
    enclosure = _with_slopes(atom.argument, coordinates)
    return None if enclosure is None else _Search(atom, chart, enclosure).run()


@lru_cache(maxsize=256)  # the data of a polygon's sides are often the same
def _with_slopes(argument: sp.Expr, coordinates: tuple[sp.Symbol, ...]) -> Enclosure | None:
    return enclose([argument, *(sp.diff(argument, x) for x in coordinates)], coordinates)


@dataclass(eq=False)
class _Search:
    atom: Atom
    chart: Chart
    enclosure: Enclosure
    top: float = -np.inf

    def run(self) -> Found:
        boxes, kept, threshold = self._first(), [], None
        while True:
            argument, slopes = self._enclosed(boxes)
            self._raise_top(boxes, argument)
            if threshold is None:
                threshold = self._threshold(slopes)
            factors = self.atom.law(argument, self.top)[:, None]
            with np.errstate(invalid="ignore"):
                rates = np.where((factors == 0) | (slopes == 0), 0.0, factors * slopes)
            narrow = np.any(rates * self.chart.extent > threshold, axis=1)
            boxes, rates, slopes = boxes.select(narrow), rates[narrow], slopes[narrow]
            changes = rates * boxes.widths
            small = np.all(changes <= _SMALL, axis=1)
            done = small | np.all((boxes.widths <= _FLOOR * self.chart.extent) | (slopes == 0), axis=1)
            kept.append((boxes.select(done), rates[done], small[done]))
            boxes, rates, slopes = boxes.select(~done), rates[~done], slopes[~done]
            if len(boxes) == 0 or len(boxes) + sum(len(one[0]) for one in kept) > _MOST_BOXES:
                kept.append((boxes, rates, np.zeros(len(boxes), dtype=np.bool_)))
                return self._found(kept)
            boxes = boxes.halved(self._axes(boxes, rates, slopes))

    def _first(self) -> Boxes:
        boxes = self.chart.whole
        parameters = boxes.lower.shape[1]
        for axis in range(parameters):
            for _ in range(int(np.log2(_FIRST.get(parameters, 2)))):
                boxes = boxes.halved(np.full(len(boxes), axis))
        return boxes

    def _enclosed(self, boxes: Boxes) -> tuple[Intervals, FloatArray]:
        """The argument over each box, and by how much it changes over a unit of each parameter, ``(n, p)``."""
        argument, *slopes = self.enclosure(*self.chart.coordinates(boxes))
        steepest = np.stack([np.maximum(np.abs(one.lower), np.abs(one.upper)) for one in slopes], axis=1)
        with np.errstate(invalid="ignore"):
            along = steepest[:, :, None] * boxes.rates
        return argument, np.nan_to_num(along, nan=0.0, posinf=np.inf).sum(axis=1)

    def _raise_top(self, boxes: Boxes, argument: Intervals) -> None:
        """Look for larger values of the argument, at the centers of those boxes that may have them."""
        if not self.atom.from_top:
            return
        high = np.argsort(-argument.upper, kind="stable")[:_TOPS]
        centers = 0.5 * (boxes.lower[high] + boxes.upper[high])
        _, held = self.chart.place(centers)
        if held.any():
            self.top = max(self.top, float(self._values(centers[held]).max()))

    def _raise_top_within(self, boxes: Boxes, rates: FloatArray) -> None:
        """The same along a line through each box, which may be far larger than what is in it."""
        unit = 0.5 * (boxes.lower + boxes.upper)
        line = Line(boxes, unit, np.argmax(np.where(np.isinf(rates), 1e300, rates) * boxes.widths, axis=1))
        peaks = line.moved(line.peaks(self._values))
        _, held = self.chart.place(peaks)
        if held.any():
            self.top = max(self.top, float(self._values(peaks[held]).max()))

    def _values(self, unit: FloatArray) -> FloatArray:
        """The argument at parameters, less than anything where it is not known."""
        points = self.chart.points(unit)
        found = self.enclosure(points, points)[0]
        return np.where(np.isfinite(found.lower), found.lower, -np.inf)

    def _threshold(self, slopes: FloatArray) -> float:
        if not self.atom.everywhere:
            return _NARROW
        usual = float(np.median((slopes * self.chart.extent).max(axis=1)))
        return max(_NARROW, _FASTER * usual)

    def _axes(self, boxes: Boxes, rates: FloatArray, slopes: FloatArray) -> NDArray[np.intp]:
        """Across which parameter each box is to be halved: that along which it changes most."""
        endless = np.isinf(rates).any(axis=1, keepdims=True)
        along = np.where(np.isinf(slopes), 1e300, slopes) * boxes.widths
        along = np.where(np.isinf(slopes).any(axis=1, keepdims=True), boxes.widths / self.chart.extent, along)
        return np.asarray(np.argmax(np.where(endless, along, rates * boxes.widths), axis=1))

    def _found(self, kept: list[tuple[Boxes, FloatArray, BoolArray]]) -> Found:
        boxes = Boxes(
            np.concatenate([one.lower for one, _, _ in kept]),
            np.concatenate([one.upper for one, _, _ in kept]),
            np.concatenate([one.rates for one, _, _ in kept]),
        )
        rates = np.concatenate([one for _, one, _ in kept])
        small = np.concatenate([one for _, _, one in kept])
        if self.atom.from_top:  # what was kept before the largest value was known
            layers = boxes.select(~small)
            if len(layers):
                self._raise_top_within(layers, rates[~small])
            argument, _ = self._enclosed(boxes)
            there = self.atom.law(argument, self.top) > 0
            boxes, rates, small = boxes.select(there), rates[there], small[there]
        return Found(boxes, rates, small, self.top)
