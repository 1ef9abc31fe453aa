"""Lines: a quantity along one coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.solution.pictures.labels import as_math, held_label, label_upright
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.scale import Scale
from fspielm.solution.pictures.style import BLUE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_ROOM = 0.06


def draw_lines(axes: Axes, quantity: Quantity, places: list[FloatArray]) -> list[Line2D]:
    """One line through each of `places`, such as several times; a legend tells them apart."""
    from matplotlib import colormaps

    problem = quantity.problem
    curves = [(points[:, 0], quantity.values(points)) for points in map(quantity.line, places)]
    values = np.concatenate([curve for _, curve in curves])
    scale = quantity.scale(values)
    single = VERMILION if quantity.logarithmic else BLUE
    colours = [single] if len(places) == 1 else colormaps["viridis"](np.linspace(0.0, 0.85, len(places)))
    lines = []
    for (across, curve), place, colour in zip(curves, places, colours, strict=True):
        shown = np.maximum(curve, scale.low) if quantity.logarithmic else unjoined(curve) if quantity.cyclic else curve
        lines += axes.plot(across, shown, color=colour, label=held_label(problem, place, {0}))
    set_line_axes(axes, quantity, scale, values)
    # lines at several times would each have others
    if quantity.line_overlay is not None and len(places) == 1:
        quantity.line_overlay(axes, places[0])
    if len(places) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    elif problem.dimension > 1:
        axes.set_title(held_label(problem, places[0], {0}))
    return lines


def unjoined(phase: FloatArray) -> FloatArray:
    """The values with a gap wherever they jump by about a turn."""
    shown = phase.copy()
    shown[1:][np.abs(np.diff(phase)) > np.pi] = np.nan
    return shown


def set_line_axes(axes: Axes, quantity: Quantity, scale: Scale, values: FloatArray) -> None:
    """Labels, limits and a light grid."""
    lower, upper = quantity.problem.domain.bounding_box
    if quantity.logarithmic:
        axes.set_yscale("log")
        axes.set_ylim(scale.low, scale.high)
    elif quantity.cyclic:
        axes.set_ylim(scale.low, scale.high)
        axes.set_yticks(list(scale.ticks), labels=list(scale.ticks.values()))
    else:
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        room = _ROOM * (high - low) or 0.5 * abs(high) or 1.0
        axes.set_ylim(low - room, high + room)
        axes.locator_params(axis="y", nbins=5)
    axes.set_xlim(lower[0], upper[0])
    axes.locator_params(axis="x", nbins=6)
    axes.grid(True)
    axes.set_xlabel(as_math(quantity.problem.coordinates[0]))
    if isinstance(quantity.label, sp.Basic):
        label_upright(axes, quantity.label)
    else:
        axes.set_ylabel(quantity.label)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
