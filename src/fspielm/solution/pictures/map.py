"""Maps: a quantity over a plane section, cut cleanly to the outline of the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.solution.pictures.labels import as_math, label_upright
from fspielm.solution.pictures.outline import as_path
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.scale import Scale
from fspielm.solution.pictures.section import Section, is_spatial
from fspielm.solution.pictures.style import INK, PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.image import AxesImage

# Height over width of a panel whose axes do not compare.
_SPACE_TIME_ASPECT = 0.85
# Inches beside and around the panels: labels at the left, the colour bar at the right, title and labels.
_LEFT, _RIGHT, _ABOVE_AND_BELOW, _BETWEEN = 0.5, 0.7, 0.6, 0.3
_NARROW_BAR = 0.5
_TALLEST, _TALLEST_PAGE = 6.0, 9.0
_TICKS = 5


def draw_map(axes: Axes, quantity: Quantity, section: Section, values: FloatArray, scale: Scale) -> AxesImage:
    """The values at the points of a section as an image, clipped by the outline itself: no steps at any size."""
    problem = quantity.problem
    shown = axes.imshow(
        section.image(values),
        origin="lower",
        extent=section.extent,
        norm=scale.norm,
        cmap=scale.colours,
        aspect="auto",
        # a smooth field is smoothed; an error jumps by decades, a phase by a turn: they are shown cell by cell
        interpolation="nearest" if quantity.logarithmic or quantity.cyclic else "bicubic",
    )
    if is_spatial(problem.domain, section.axes):
        axes.set_aspect("equal")
    else:
        axes.set_box_aspect(_SPACE_TIME_ASPECT)
    if section.loops:
        _cut(axes, shown, section)
    _draw_lines(axes, section)
    if quantity.overlay is not None:
        quantity.overlay(axes, section)
    axes.locator_params(nbins=_TICKS)
    across, up = (problem.coordinates[axis] for axis in section.axes)
    axes.set_xlabel(as_math(across))
    label_upright(axes, up)
    return shown


def add_colour_bar(
    axes: Axes, shown: ScalarMappable, label: str | sp.Basic, ticks: Mapping[float, str] | None = None
) -> None:
    """A colour bar as tall as the panel itself, whatever its aspect; a symbol stands above it, words beside it."""
    figure = axes.get_figure(root=True)
    assert figure is not None  # these axes are drawn in
    bar = figure.colorbar(shown, cax=axes.inset_axes((1.04, 0.0, 0.045, 1.0)))
    if isinstance(label, sp.Basic):
        bar.ax.set_title(as_math(label))
    else:
        bar.set_label(label)
    if ticks:
        bar.set_ticks(list(ticks), labels=list(ticks.values()))
    bar.outline.set_linewidth(0.5)
    bar.ax.minorticks_off()


def height_of(quantity: Quantity, sections: Sequence[Section], width: float, columns: int, bars: int = 1) -> float:
    """Inches that such maps in rows of `columns`, with so many colour bars in each, are tall in a figure so wide."""
    sides = [(s.extent[1] - s.extent[0], s.extent[3] - s.extent[2]) for s in sections]
    rows = -(-len(sections) // columns)
    across = width - _LEFT - (_RIGHT if bars == 1 else bars * _NARROW_BAR) - (columns - 1) * _BETWEEN
    if is_spatial(quantity.problem.domain, sections[0].axes):
        panel = across * max(up for _, up in sides) / sum(along for along, _ in sides[:columns])
    else:
        panel = across / columns * _SPACE_TIME_ASPECT
    return min(rows * (panel + _ABOVE_AND_BELOW), _TALLEST if bars == 1 else _TALLEST_PAGE)


def _cut(axes: Axes, shown: AxesImage, section: Section) -> None:
    """Clip the image, draw the outline, and keep it off the frame; unless the frame is where the picture ends."""
    from matplotlib.patches import PathPatch

    path = as_path(section.loops)
    shown.set_clip_path(path, axes.transData)
    axes.add_patch(PathPatch(path, fill=False, edgecolor=INK, linewidth=0.8))
    left, right, bottom, top = section.extent
    if section.goes_on:
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        return
    margin = 0.03 * max(right - left, top - bottom)
    axes.set_xlim(left - margin, right + margin)
    axes.set_ylim(bottom - margin, top + margin)
    for spine in axes.spines.values():
        spine.set_color(PALE)


def _draw_lines(axes: Axes, section: Section) -> None:
    """Where regions meet, or objects begin that let waves through, seen on dark and on light colours."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=1.4, foreground="white")]
    for line in section.lines:
        axes.plot(*line.T, color=INK, linewidth=0.6, path_effects=halo, scalex=False, scaley=False)
