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
from fspielm.scrutiny.search import Found

# Points for each atom, at most.
_POINTS = 192
# On a line across a box, to see between which of them a layer is; and halvings from there.
_ON_LINE = 17
_HALVINGS = 45
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
    layers = np.flatnonzero(~small)
    if layers.size:
        unit[layers], parts = _onto_layer(found, atom, argument, chart, chosen[layers], unit[layers], rng)
        shares[layers] *= parts
    sites, held = chart.place(unit)
    held &= shares > 0.0
    if not held.any():
        return None
    return Looked(sites.select(held), shares[held], found.widths[chosen][held])


def _onto_layer(
    found: Found,
    atom: Atom,
    argument: Field,
    chart: Chart,
    which: NDArray[np.intp],
    unit: FloatArray,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Points moved along one parameter of their box to where the argument is such that something happens.

    Along with the share of the box that this is.
    """
    boxes, rates = found.boxes.select(which), found.rates[which]
    rows = np.arange(len(unit))
    changes = np.where(np.isinf(rates), 1e300, rates) * boxes.widths
    axes = np.argmax(changes, axis=1)
    low, high = boxes.lower[rows, axes], boxes.upper[rows, axes]
    span = atom.targets[1] - atom.targets[0]
    targets = atom.targets[0] + span * rng.random(len(unit)) + (found.top if atom.from_top else 0.0)

    def signs(along: FloatArray) -> NDArray[np.bool_]:
        moved = unit.copy()
        moved[rows, axes] = along
        return np.asarray(argument(chart.points(moved)) < targets)

    line = np.linspace(low, high, _ON_LINE)
    below = np.stack([signs(along) for along in line])
    changed = below[:-1] != below[1:]
    first = np.argmax(changed, axis=0)
    crossed = changed.any(axis=0)
    left, right, before = line[first, rows], line[first + 1, rows], below[first, rows]
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        same = signs(middle) == before
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    arrived = np.where(crossed, left, unit[rows, axes])
    if span == 0.0:
        arrived, parts = _beside(arrived, chart.extent[axes], rng)
        parts /= high - low
    else:
        parts = np.minimum(1.0, span / np.maximum(changes[rows, axes], 1e-300))
    result = unit.copy()
    result[rows, axes] = np.clip(arrived, *chart.bounds[:, axes])
    # where the layer passes by the line, other points meet it
    return result, np.where(crossed, parts, 0.0 if crossed.any() else 1.0)


def _beside(border: FloatArray, extent: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Places at either side of borders, as many at each scale of their distance, and the lengths they stand for.

    What has no width may be the border of something small, or of something large.
    """
    farthest = _FARTHEST * extent
    distances = farthest * 10.0 ** (-_DECADES * rng.random(len(border)))
    return border + rng.choice([-1.0, 1.0], len(border)) * distances, 2 * np.log(10.0) * _DECADES * distances
