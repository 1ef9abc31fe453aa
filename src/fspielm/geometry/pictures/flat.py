"""Intervals and plane shapes drawn on paper."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Domain
from fspielm.geometry.pictures.layers import layer_colours, layer_numbers
from fspielm.geometry.pictures.style import DOTS, INK, spread_sites

_MASK_CELLS = 700  # along the longer side
_OUTLINE_POINTS = 800
_ARROWS = 36  # in all
_ARROW = 0.07  # share of the size
_ARROW_ON_SHORT = 0.08  # share of the length of a part, where that is less: arrows into a small object do not fill it
_INSIDE_PIECE = 1e-12  # off its ends, which may belong to the next one


def draw_line(axes: Any, domain: Domain, colours: dict[str, str], dots: FloatArray, normals: bool) -> None:
    """An interval, or several: the line, its ends and which way is out."""
    (lower,), (upper,) = domain.bounding_box
    size = upper - lower
    cells = lower + size * (np.arange(_MASK_CELLS) + 0.5) / _MASK_CELLS
    inside = np.where(domain.contains(cells[:, None]), 0.0, np.nan)
    axes.plot(cells, inside, color="#9fb3c8", linewidth=5, solid_capstyle="butt", zorder=1)
    axes.scatter(dots[:, 0], np.zeros(len(dots)), s=9, color=DOTS, linewidths=0, zorder=2)
    for part in domain.boundary():
        sites = spread_sites(part, 1)
        assert sites.normals is not None  # every boundary part has them
        at, outward = sites.points[0, 0], sites.normals[0, 0]
        axes.plot([at], [0], "o", color=colours[part.name], markersize=9, zorder=3)
        if normals:
            tip = (at + 1.5 * _ARROW * size * outward, 0.0)
            axes.annotate("", tip, (at, 0.0), arrowprops={"arrowstyle": "-|>", "color": colours[part.name]})
    axes.set_xlim(lower - 0.15 * size, upper + 0.15 * size)
    axes.set_ylim(-1, 1)
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)


def draw_plane(axes: Any, domain: Domain, colours: dict[str, str], dots: FloatArray, normals: bool) -> None:
    """A plane shape: its interior, its outline part by part, arrows along the normals."""
    lower, upper = domain.bounding_box
    size = float((upper - lower).max())
    _shade(axes, domain, size)
    axes.scatter(*dots.T, s=float(np.clip(2500 / max(len(dots), 1), 1.0, 9.0)), color=DOTS, linewidths=0, zorder=2)
    parts = domain.boundary()
    total = sum(part.measure for part in parts)
    for part in parts:
        _draw_outline(axes, part, colours[part.name])
        if normals:
            sites = spread_sites(part, max(2, round(_ARROWS * part.measure / total)))
            assert sites.normals is not None  # every boundary part has them
            axes.quiver(
                *sites.points.T,
                *(min(_ARROW * size, _ARROW_ON_SHORT * part.measure) * sites.normals).T,
                color=colours[part.name],
                angles="xy",
                scale_units="xy",
                scale=1,
                width=0.0035,
                zorder=4,
            )
    margin = (1.4 * _ARROW if normals else 0.04) * size
    axes.set_xlim(lower[0] - margin, upper[0] + margin)
    axes.set_ylim(lower[1] - margin, upper[1] + margin)
    axes.set_aspect("equal")
    axes.tick_params(colors=INK)
    for spine in axes.spines.values():
        spine.set_color("#bbbbbb")


def _shade(axes: Any, domain: Domain, size: float) -> None:
    from matplotlib.colors import ListedColormap

    lower, upper = domain.bounding_box
    columns, rows = (max(round(_MASK_CELLS * side / size), 2) for side in upper - lower)
    x, y = (a + (b - a) * (np.arange(n) + 0.5) / n for a, b, n in zip(lower, upper, (columns, rows), strict=True))
    numbers = layer_numbers(domain, np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)).reshape(rows, columns)
    colours = layer_colours(domain)
    extent = (lower[0], upper[0], lower[1], upper[1])
    # its jagged rim hides under the outline
    axes.imshow(
        np.ma.masked_equal(numbers, 0),
        origin="lower",
        extent=extent,
        cmap=ListedColormap(colours),
        vmin=0.5,
        vmax=len(colours) + 0.5,
        interpolation="nearest",
    )


def _draw_outline(axes: Any, part: BoundaryPart, colour: str) -> None:
    from matplotlib.collections import LineCollection

    lines = []
    for low, high in pairwise(part.breaks):
        hair = _INSIDE_PIECE * (high - low)
        unit = np.linspace(low + hair, high - hair, 2 + round(_OUTLINE_POINTS * (high - low)))
        points = part.place(unit[:, None]).points
        if part.keep is not None:
            points[~part.keep(points)] = np.nan
        lines.append(points)
    axes.add_collection(LineCollection(lines, colors=colour, linewidths=2.0, capstyle="round", zorder=3))
