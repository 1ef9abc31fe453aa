"""What cannot be enclosed is sampled: many points, and more of them where values stand out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray, real_parts, spread_out
from fspielm.geometry import Sites, kronecker
from fspielm.scrutiny.charts import Chart
from fspielm.scrutiny.points import Looked

# Points in all, and along curves; on each piece at least.
_POINTS = 2**17
_MOST_ALONG = 2**14
_FEWEST = 16
# The time that functions of the user's may take for it, in seconds.
_SECONDS = 0.5
# Points that are tried first, and how often: the machine may be busy with something else.
_TRIED = 512
_TIMES = 3
# Places that are looked at more closely, how often, and the points along each parameter then.
_STANDING_OUT = 24
_ZOOMS = 3
_ALONG = {1: 17, 2: 7, 3: 5}
# Places that stand out by this share of the one that does most are like it.
_ALIKE = 0.2
# Points kept of each place.
_KEPT = 8

Values = Callable[[Sites], NumberArray]


@final
@dataclass(frozen=True, eq=False)
class Sampled:
    """What sampling found.

    Attributes
    ----------
    looked : Looked or None
        Points where values stand out.
    resolution : float
        The distance between neighbours, as a share of the extent: what is narrower may have been missed.
    places : int
        How many points were looked at.
    """

    looked: Looked | None
    resolution: float
    places: int


def look_at_samples(values: Values, chart: Chart) -> Sampled:
    """Sample values over a chart, and zoom in where they are not what their neighbours suggest."""
    parameters = chart.whole.lower.shape[1]
    each = _affordable(values, chart)
    # what was read from a grid is the same at every call; no data are periodic with it by chance
    along = max(round(each ** (1.0 / parameters)), 4)
    grids = [_grid(low, high, along) for low, high in zip(chart.whole.lower, chart.whole.upper, strict=True)]
    shape = (along,) * parameters
    asked = [_ask(values, chart, grid) for grid in grids]
    deviations = np.concatenate([_deviation(found.reshape(shape)).ravel() for found in asked])
    centers = np.concatenate(grids)
    steps = np.repeat((chart.whole.widths / along), along**parameters, axis=0)
    order = _apart(centers, steps, deviations)
    known = np.concatenate(asked)
    known = known[np.isfinite(known)]
    looked = None
    if order.size:
        # of a layer, a few places stand for all the others that are like them
        alike = np.count_nonzero(deviations > _ALIKE * deviations[order[0]])
        others = max(alike / (3**parameters * np.count_nonzero(deviations[order] > _ALIKE * deviations[order[0]])), 1.0)
        looked = _zoom(values, chart, centers[order], steps[order], _variation(known))
        if looked is not None:
            shares = others * looked.shares
            looked = replace(looked, shares=shares / max(float(shares.sum()), 1.0))
    return Sampled(looked, 1.0 / along, len(known))


def _affordable(values: Values, chart: Chart) -> int:
    """How many points each smooth piece gets: fewer where functions of the user's are slow."""
    pieces = len(chart.whole)
    low, high = chart.whole.lower[0], chart.whole.upper[0]
    unit = low + (high - low) * kronecker(_TRIED, len(low))
    seconds = min(_timed(lambda: _ask(values, chart, unit)) for _ in range(_TIMES)) / _TRIED
    most = min(_MOST_ALONG if unit.shape[1] == 1 else _POINTS, int(_SECONDS / max(seconds, 1e-9)))
    return max(int(chart.share * most) // pieces, _FEWEST)


def _timed(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def _grid(lower: FloatArray, upper: FloatArray, along: int) -> FloatArray:
    """Centers of the cells of a grid over a box, ``(along**p, p)``."""
    axes = [low + (high - low) * (np.arange(along) + 0.5) / along for low, high in zip(lower, upper, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(lower))


def _ask(values: Values, chart: Chart, unit: FloatArray) -> NumberArray:
    """Values at parameters; NaN where those do not belong to the region."""
    sites, held = chart.place(unit)
    return spread_out(values(sites.select(held)), held)


def _deviation(values: NumberArray) -> FloatArray:
    """How far each value is from the mean of its neighbours along any axis; zero where those are not known."""
    largest = np.zeros(values.shape)
    for axis in range(values.ndim):
        moved = np.moveaxis(values, axis, 0)
        bent = np.abs(moved[1:-1] - 0.5 * (moved[:-2] + moved[2:]))
        view = np.moveaxis(largest, axis, 0)
        view[1:-1] = np.fmax(view[1:-1], bent)
    return np.nan_to_num(largest, nan=0.0)


def _variation(values: NumberArray) -> float:
    """The difference of the largest and the least value: of real or of imaginary parts, whichever is larger."""
    return max(float(np.ptp(part)) for part in real_parts(values))


def _apart(centers: FloatArray, steps: FloatArray, deviations: FloatArray) -> NDArray[np.intp]:
    """The places that stand out most, no two of them neighbours."""
    few = np.argpartition(-deviations, min(64 * _STANDING_OUT, len(deviations) - 1))[: 64 * _STANDING_OUT]
    left = few[np.argsort(-deviations[few], kind="stable")]
    left = left[deviations[left] > 0]
    chosen: list[int] = []
    while left.size and len(chosen) < _STANDING_OUT:
        best = left[0]
        chosen.append(int(best))
        left = left[np.any(np.abs(centers[left] - centers[best]) > 3.5 * steps[best], axis=1)]
    return np.asarray(chosen, dtype=np.intp)


def _zoom(values: Values, chart: Chart, centers: FloatArray, steps: FloatArray, varied: float) -> Looked | None:
    """Points about each of these places, and about where values stand out most there.

    All of the values differ by as much as `varied`.
    """
    parameters = centers.shape[1]
    along = _ALONG.get(parameters, 3)
    offsets = _grid(np.full(parameters, -1.5), np.full(parameters, 1.5), along)
    spread = np.linspace(0, len(offsets) - 1, min(_KEPT, len(offsets))).astype(int)
    kept, shares, widths = [], [], []
    for _ in range(_ZOOMS):
        unit = np.clip(centers[:, None] + offsets * steps[:, None], *chart.bounds)
        found = _ask(values, chart, unit.reshape(-1, parameters)).reshape(len(centers), *(along,) * parameters)
        bent = np.stack([_deviation(one) for one in found]).reshape(len(centers), -1)
        best = np.argmax(bent, axis=1)
        inner = 3.0 * steps / along
        with np.errstate(divide="ignore"):
            width = np.sqrt(varied / (2 * bent.max(axis=1)))
        for which in (spread, best):
            picked = unit[:, which] if which is spread else unit[np.arange(len(unit)), which][:, None]
            kept.append(picked.reshape(-1, parameters))
            volume = np.prod(3.0 * steps, axis=1) / (len(spread) + 1)
            shares.append(np.repeat(volume, picked.shape[1]) / chart.volume)
            widths.append(np.repeat(width * _length(chart, inner), picked.shape[1]))
        centers, steps = unit[np.arange(len(unit)), best], inner
    sites, held = chart.place(np.concatenate(kept))
    if not held.any():
        return None
    return Looked(sites.select(held), np.concatenate(shares)[held], np.concatenate(widths)[held])


def _length(chart: Chart, steps: FloatArray) -> FloatArray:
    """How long steps of the parameters are in coordinates, ``(n,)``."""
    speeds = np.linalg.norm(chart.whole.rates.max(axis=0), axis=0)
    return np.asarray((steps * speeds).max(axis=1))
