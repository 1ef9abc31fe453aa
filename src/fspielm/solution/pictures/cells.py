"""The cells of a solution over its picture, with the degrees of their polynomials."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.features import Basis, CellBasis
from fspielm.solution.pictures.outline import as_path, smooth_pieces
from fspielm.solution.pictures.quantity import Quantity
from fspielm.solution.pictures.section import Section
from fspielm.solution.pictures.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Degrees are written into so many cells at most, each of this share of the picture at least; colours tell others.
_MOST_WRITTEN = 100
_SHARE = 0.045
_SHARE_OF_LINE = 0.02
# How far apart they are along the axes at least, as a share of the picture.
_APART = (0.11, 0.035)
_COLOURS = "plasma"
_BRIGHTEST = 0.85
_MOST_NAMED = 4
_THIN, _HALO, _FAINT = 0.5, 1.0, 0.6
_SMALL = 5.5
# Ticks of a line reach up so much of the picture.
_TICK = 0.035


def show_cells(quantity: Quantity, basis: Basis) -> Quantity:
    """The quantity with the cells drawn over its pictures."""
    if not basis.on_cells:
        raise ProblemError('cells=True draws the cells of a solution with approach="patches"; this one has none')
    functions, before = basis.on_cells[0], quantity.overlay

    def overlay(axes: Axes, section: Section) -> None:
        if before is not None:
            before(axes, section)
        _draw_boxes(axes, section, functions)
        borders = [line.part for line in quantity.problem.interfaces if line.part.parameters == 1]
        for piece in (piece for part in borders for piece in smooth_pieces(part)):
            axes.plot(*piece.T, color=INK, linewidth=2 * _THIN, scalex=False, scaley=False)

    return replace(quantity, overlay=overlay, line_overlay=lambda axes, at: _draw_ticks(axes, at, functions))


def _draw_boxes(axes: Axes, section: Section, basis: CellBasis) -> None:
    """The edges of cells, cut to the outline, and their degrees: as numbers, or as colours if cells are many."""
    from matplotlib.collections import LineCollection

    ends, cells = basis.frames.borders
    highest = basis.degrees.max(axis=1)
    written = len(highest) <= _MOST_WRITTEN
    # the edge of two cells has the higher degree of both
    degree = highest[cells].max(axis=1)
    colours = INK if written else _colours(degree, highest)
    halo = LineCollection(list(ends), colors="white", linewidths=_HALO, alpha=_FAINT)
    for edges in (halo, LineCollection(list(ends), colors=colours, linewidths=_THIN)):
        axes.add_collection(edges, autolim=False)
        if section.loops:
            edges.set_clip_path(as_path(section.loops), axes.transData)
    if not written:
        _name_colours(axes, highest)
    else:
        left, right, bottom, top = section.extent
        shares = basis.frames.lengths / [right - left, top - bottom]
        taken: list[FloatArray] = []
        # the largest first: frames of cells that curves cut overlap, and so may what is written into them
        for cell in np.argsort(-shares.min(axis=1), kind="stable").tolist():
            middle = 0.5 * (basis.frames.lower[cell] + basis.frames.upper[cell])
            apart = [np.abs(middle - other) / [right - left, top - bottom] for other in taken]
            if shares[cell].min() >= _SHARE and all(np.any(each > _APART) for each in apart):
                taken.append(middle)
                _write(axes, middle[0], middle[1], _degree(basis, cell))


def _draw_ticks(axes: Axes, at: FloatArray, basis: CellBasis) -> None:
    """Ticks where a line along the first coordinate enters another cell, and degrees between them."""
    ends = basis.frames.ticks(at)
    bottom = axes.get_xaxis_transform()
    axes.vlines(ends, 0.0, _TICK, color=INK, linewidth=2 * _THIN, transform=bottom)
    middles = np.tile(at, (len(ends) - 1, 1))
    middles[:, 0] = 0.5 * (ends[1:] + ends[:-1])
    wide = np.diff(ends) >= _SHARE_OF_LINE * (ends[-1] - ends[0])
    for place, cell in zip(middles[wide], basis.frames.locate(middles[wide]), strict=True):
        _write(axes, place[0], 0.5 * _TICK, _degree(basis, cell), transform=bottom)


def _write(axes: Axes, x: float, y: float, text: str, **place: Any) -> None:
    """Small, with a halo that keeps it legible on any colour."""
    from matplotlib.patheffects import withStroke

    halo = withStroke(linewidth=2 * _HALO, foreground="white", alpha=_FAINT)
    settings: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "fontsize": _SMALL,
        "color": INK,
        "path_effects": [halo],
    }
    axes.text(x, y, text, **settings, **place)


def _degree(basis: CellBasis, cell: int) -> str:
    """The degree of a cell's polynomials, along each axis where they differ."""
    return "\N{MULTIPLICATION SIGN}".join(map(str, dict.fromkeys(basis.degrees[cell].tolist())))


def _colours(degree: NDArray[np.int_], of: NDArray[np.int_]) -> FloatArray:
    from matplotlib import colormaps

    return np.asarray(colormaps[_COLOURS](_BRIGHTEST * (degree - of.min()) / max(np.ptp(of), 1)))


def _name_colours(axes: Axes, highest: NDArray[np.int_]) -> None:
    """Some of the degrees with their colours, below the picture."""
    from matplotlib.lines import Line2D

    named = np.unique(np.linspace(highest.min(), highest.max(), _MOST_NAMED).round().astype(int))
    lines = [
        Line2D([], [], color=colour, label=f"degree {degree}" if degree == named[0] else str(degree))
        for degree, colour in zip(named, _colours(named, highest), strict=True)
    ]
    axes.legend(handles=lines, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(lines), handlelength=1.0)
