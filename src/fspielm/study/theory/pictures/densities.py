"""How effective frequencies are distributed: drawn by scaling and by shift, with the same mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solution.pictures import require_matplotlib
from fspielm.solution.pictures.style import WIDTHS, style
from fspielm.solvers.randomness import spawn
from fspielm.study.theory.comparison import DIMENSIONS, SAMPLES
from fspielm.study.theory.densities import scaling_density, shift_density
from fspielm.study.theory.monte_carlo import Scheme, draw_frequencies
from fspielm.study.theory.pictures.panels import COLOURS, CURVE_POINTS, tidy
from fspielm.study.theory.targets import scale_for_mean, shift_for_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TARGETS = (10.0, 80.0)

_PANEL_HEIGHT = 1.9
_BINS = 40
# Standard deviations of either distribution that are shown, and the smallest density.
_REACH = 4.0
_FLOOR = 3e-4
# Means along the horizontal axis.
_ACROSS = 3.4


def draw_densities(
    *,
    dimensions: Sequence[int] = DIMENSIONS,
    targets: Sequence[float] = TARGETS,
    samples: int = SAMPLES,
    rng: Any = 0,
) -> Figure:
    """Draw histograms of both schemes at the same mean, with the closed-form densities.

    Parameters
    ----------
    dimensions : sequence of int
        One column for each.
    targets : sequence of float
        Mean effective frequencies, one row for each.
    samples : int
    rng : int or Generator
    """
    require_matplotlib()
    from fspielm.solution.pictures.figure import new_picture

    streams, _ = spawn(rng, len(targets) * len(dimensions))
    with style():
        figure = new_picture(WIDTHS["double"], 0.5 + _PANEL_HEIGHT * len(targets))
        panels = figure.subplots(len(targets), len(dimensions), sharex="row", sharey="row", squeeze=False)
        cells = (
            (panel, mean, d)
            for line, mean in zip(panels, targets, strict=True)
            for panel, d in zip(line, dimensions, strict=True)
        )
        for (panel, mean, dimension), stream in zip(cells, streams, strict=True):
            _draw_panel(panel, dimension, mean, samples, stream)
        for panel, dimension in zip(panels[0], dimensions, strict=True):
            panel.set_title(f"$d = {dimension}$")
        for panel, mean in zip(panels[:, 0], targets, strict=True):
            panel.set_ylabel(rf"density, mean $\nu^* = {mean:g}$")
        figure.supxlabel(r"effective frequency $\nu$", fontsize="medium")
        figure.legend(handles=_key(), loc="outside upper center", ncols=4)
    return figure


def _draw_panel(axes: Axes, dimension: int, mean: float, samples: int, rng: np.random.Generator) -> None:
    laws: dict[Scheme, Any] = {"scaling": (scale_for_mean, scaling_density), "shift": (shift_for_mean, shift_density)}
    for scheme, (magnitude_for, density) in laws.items():
        magnitude = magnitude_for(dimension, mean)
        values = draw_frequencies(scheme, dimension, magnitude, samples, rng)
        axes.hist(values, _BINS, density=True, color=COLOURS[scheme], alpha=0.35, linewidth=0)
        x = _abscissae(values)
        axes.plot(x, density(dimension, magnitude, x), color=COLOURS[scheme])
    axes.set_yscale("log")
    axes.set_ylim(_FLOOR, 1.0)
    axes.set_xlim(0.0, _ACROSS * mean)
    axes.locator_params(axis="x", nbins=4)
    tidy(axes)


def _abscissae(values: FloatArray) -> FloatArray:
    spread = _REACH * float(values.std())
    return np.linspace(max(float(values.mean()) - spread, 0.0), float(values.mean()) + spread, CURVE_POINTS)


def _key() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Patch(color=COLOURS["scaling"], alpha=0.35, linewidth=0, label="scaling, drawn"),
        Line2D([], [], color=COLOURS["scaling"], label="scaling, chi density"),
        Patch(color=COLOURS["shift"], alpha=0.35, linewidth=0, label="shift, drawn"),
        Line2D([], [], color=COLOURS["shift"], label="shift, noncentral chi density"),
    ]
