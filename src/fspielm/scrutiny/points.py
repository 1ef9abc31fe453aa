"""Points in the boxes in which something is narrow, and what each of them stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.expressions import Field
from fspielm.geometry import Sites
from fspielm.scrutiny.atoms import Atom
from fspielm.scrutiny.charts import Chart
from fspielm.scrutiny.lines import Line
from fspielm.scrutiny.search import Found

# Points for each atom, at most.
_POINTS = 192
# How many widths the range of an argument is in which most happens.
_WIDTHS_ACROSS = 5.0
# Beside what has no width, points at distances up to this share of the extent, and less by so many powers of ten.
_FARTHEST = 1.0 / 15.0
_DECADES = 9.0


@final
@dataclass(frozen=True, eq=False)
class Looked:
    """Points at which something is looked at.

    Attributes
    ----------
    sites : Sites
    shares : (n,) array
        Of the region, what each stands for.
    widths : (n,) array
        The distance over which it changes there.
    """

    sites: Sites
    shares: FloatArray
    widths: FloatArray


def points_in(found: Found, atom: Atom, argument: Field, chart: Chart, rng: np.random.Generator) -> Looked | None:
    """Points in the boxes that were found, more of them where that is a layer across a box; None if none belongs."""
    number = len(found.boxes)
    if number == 0:
        return None
    chosen = np.sort(rng.permutation(number)[:_POINTS])
    chosen = np.repeat(chosen, max(_POINTS // len(chosen), 1))
    boxes, small = found.boxes.select(chosen), found.small[chosen]
    unit = boxes.lower + rng.random(boxes.lower.shape) * boxes.widths
    # each box that was chosen stands for the others too
    shares = boxes.volumes * (found.boxes.volumes.sum() / boxes.volumes.sum()) / chart.volume
    widths = found.widths[chosen]
    layers = np.flatnonzero(~small)
    if layers.size:
        line = _line(found, chosen[layers], unit[layers])
        met = _meet(line, atom, found.top, argument, chart, rng)
        unit[layers], widths[layers] = line.moved(np.clip(met.places, *chart.bounds[:, line.axes])), met.widths
        shares[layers] *= met.parts
    sites, held = chart.place(unit)
    held &= shares > 0.0
    if not held.any():
        return None
    return Looked(sites.select(held), shares[held], widths[held])


def _line(found: Found, which: NDArray[np.intp], through: FloatArray) -> Line:
    """Across some of the boxes, along the parameter with which most changes."""
    boxes, rates = found.boxes.select(which), found.rates[which]
    return Line(boxes, through, np.argmax(np.where(np.isinf(rates), 1e300, rates) * boxes.widths, axis=1))


@dataclass(frozen=True, eq=False)
class _Met:
    """Points of lines in a layer, the share of the line that each stands for, and the widths of the layer there."""

    places: FloatArray
    parts: FloatArray
    widths: FloatArray


def _meet(line: Line, atom: Atom, top: float, argument: Field, chart: Chart, rng: np.random.Generator) -> _Met:
    """Points where the argument is such that something happens; none stands for lines that the layer passes by."""

    def values(unit: FloatArray) -> FloatArray:
        return np.nan_to_num(argument(chart.points(unit)), nan=-np.inf, posinf=np.inf, neginf=-np.inf)

    low, high = line.ends
    if atom.targets[0] == atom.targets[1]:
        border = line.crossings(values, atom.targets[0], low, high)
        places, lengths = _beside(border.places, chart.extent[line.axes], rng)
        found, widths = border.found, np.zeros(len(low))
        if not found.all():  # two borders may be so close to each other that no point lies between
            start, end, passed = line.excursions(values, atom.targets[0])
            inside = ~found & passed & (start != end)
            places = np.where(inside, start + (end - start) * rng.random(len(start)), places)
            lengths, found = np.where(inside, np.abs(end - start), lengths), found | inside
    else:
        if atom.from_top:
            start, end, found = line.tops(values, top + atom.targets[0])
        else:
            start, end, found = line.stretches(values, atom.targets)
        lengths = np.abs(end - start)
        places = start + (end - start) * rng.random(len(start))
        speeds = np.linalg.norm(line.boxes.rates, axis=1)[np.arange(len(low)), line.axes]
        widths = speeds * lengths / _WIDTHS_ACROSS
    parts = np.where(found, lengths / (high - low), 0.0 if found.any() else 1.0)
    return _Met(np.where(found, places, 0.5 * (low + high)), parts, widths)


def _beside(border: FloatArray, extent: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Places at either side of borders, as many at each scale of their distance, and the lengths they stand for.

    What has no width may be the border of something small, or of something large.
    """
    farthest = _FARTHEST * extent
    distances = farthest * 10.0 ** (-_DECADES * rng.random(len(border)))
    return border + rng.choice([-1.0, 1.0], len(border)) * distances, 2 * np.log(10.0) * _DECADES * distances
