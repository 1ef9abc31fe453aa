"""The picture of `wavelengths.py`: seconds, error and unknowns over the wavenumber, one line for each method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fspielm.solution.plot.style import BLUE, GRID, INK, VERMILION, style

GREEN = "#009e73"
LINES = {
    "characteristic": ("features that satisfy the equation", BLUE, "o"),
    "filled band": ("filled band", VERMILION, "s"),
    "finite elements": ("finite elements of order 10", GREEN, "^"),
}
PANELS = (("seconds", "seconds"), ("error", "relative error"), ("unknowns", "unknowns"))


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the picture of the solves on the Panda."""
    import matplotlib.pyplot as plt

    with style():
        figure, axes = plt.subplots(1, 3, figsize=(7.4, 2.8), layout="constrained")
        for axis, (key, label) in zip(axes, PANELS, strict=True):
            _panel(axis, rows, key, label)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(LINES))
        figure.savefig(path)
        plt.close(figure)


def _panel(axis: Any, rows: list[dict[str, Any]], key: str, label: str) -> None:
    for method, (name, colour, marker) in LINES.items():
        chosen = _of(rows, method)
        axis.plot(
            [row["wavenumber"] for row in chosen],
            [row[key] for row in chosen],
            label=name,
            color=colour,
            marker=marker,
            markersize=3.5,
            markeredgecolor="white",
            markeredgewidth=0.4,
        )
    axis.set(xscale="log", yscale="log", xlabel=r"wavenumber $\kappa$", title=label)
    axis.set_xticks([20, 100, 500, 2000], ["20", "100", "500", "2000"])
    axis.grid(color=GRID)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    if key == "error":
        axis.set_ylim(1e-14, 1e-5)
        axis.axhline(1e-8, color=INK, linewidth=0.6, dashes=(4, 3))
        axis.annotate("tolerance", (2000, 1e-8), (0, 2), textcoords="offset points", ha="right", va="bottom", size=7)
    if key == "unknowns":
        _slope_mark(axis, rows)


def _slope_mark(axis: Any, rows: list[dict[str, Any]]) -> None:
    """A dashed line of the slope one."""
    chosen = _of(rows, "characteristic")
    ends = np.array([chosen[0]["wavenumber"], chosen[-1]["wavenumber"]])
    line = 0.55 * chosen[-1]["unknowns"] * ends / ends[-1]
    axis.plot(ends, line, color=INK, linewidth=0.6, dashes=(4, 3))
    axis.annotate(r"$\sim \kappa$", (ends[-1], line[-1]), (-4, -12), textcoords="offset points", ha="right", size=7.5)


def _of(rows: list[dict[str, Any]], method: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["domain"] == "panda" and row["method"] == method]
