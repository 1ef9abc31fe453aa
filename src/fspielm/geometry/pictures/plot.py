"""plot_domain(): a shape, its parts by colour and name, normals and points."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Domain, default_axes
from fspielm.geometry.pictures.flat import draw_line, draw_plane
from fspielm.geometry.pictures.solid import draw_solid
from fspielm.geometry.pictures.style import INK, PALETTE, require_matplotlib
from fspielm.geometry.sampling import check_count
from fspielm.geometry.time import SpaceTime, Time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZES = {1: (7.0, 1.8), 2: (7.0, 4.8), 3: (7.5, 5.4)}
_MOST_NAMES = 16


def plot_domain(
    domain: Domain,
    path: str | os.PathLike[str] | None = None,
    *,
    ax: Axes | None = None,
    points: int = 0,
    normals: bool = True,
) -> Axes:
    """Draw a domain of one, two or three space dimensions; see `Domain.plot`."""
    require_matplotlib()
    if path is not None and not isinstance(path, str | os.PathLike):
        raise ProblemError(f"plot: path must name a file to write; got {path!r}: axes are given as ax=...")
    check_count(points)
    space = domain.space if isinstance(domain, SpaceTime) else domain
    if space.dimension > 3:
        raise ProblemError(f"plot draws domains of up to three space dimensions; {domain!r} has {space.dimension}")
    axes: Any = _new_axes(space.dimension) if ax is None else ax
    if space.dimension == 3 and axes.name != "3d":
        raise ProblemError('plot: ax must be three-dimensional for a solid: figure.add_subplot(projection="3d")')
    colours = {part.name: PALETTE[i % len(PALETTE)] for i, part in enumerate(space.boundary())}
    dots = space.sample(points, np.random.default_rng(0), "low-discrepancy")
    draw = {1: draw_line, 2: draw_plane, 3: draw_solid}[space.dimension]
    draw(axes, space, colours, dots, normals)
    names = ("t",) if isinstance(domain, Time) else default_axes(space.dimension)
    for axis, name in zip("xyz", names, strict=False):
        getattr(axes, f"set_{axis}label")(f"${name}$")
    _name_parts(axes, space.boundary(), colours, own=ax is None)
    if isinstance(domain, SpaceTime):
        axes.set_title(f"at $t$ = {domain.time.start:g}, until {domain.time.end:g}", color=INK, fontsize="medium")
    if path is not None:
        _save(axes.figure, path)
    shown: Axes = axes
    return shown


def _save(figure: Any, path: str | os.PathLike[str]) -> None:
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:  # matplotlib names the formats it knows
        raise ProblemError(f"cannot write a picture to {os.fspath(path)!r}: {error}") from error


def _new_axes(dimension: int) -> Any:
    """Axes in a figure of their own, free of pyplot and its global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZES[dimension], layout="constrained", facecolor="white", dpi=150)
    FigureCanvasAgg(figure)
    return figure.add_subplot(projection="3d" if dimension == 3 else None)


def _name_parts(axes: Any, parts: tuple[BoundaryPart, ...], colours: dict[str, str], *, own: bool) -> None:
    """A legend beside the axes: the parts' names, as far as there is room for them.

    The layout of our `own` figure makes room for it; beside the axes of others it stands where they end.
    """
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=colours[part.name], linewidth=4, solid_capstyle="butt") for part in parts]
    # a dollar sign would begin a formula
    names = [part.name.replace("$", r"\$") for part in parts]
    if len(parts) > _MOST_NAMES:
        rest = len(parts) - _MOST_NAMES + 1
        handles = [*handles[:-rest], Line2D([], [], linestyle="none")]
        names = [*names[:-rest], f"and {rest} more"]
    style = {"frameon": False, "labelcolor": INK, "handlelength": 1.4}
    if own:
        axes.figure.legend(handles, names, loc="outside right center", **style)
    else:
        axes.legend(handles, names, loc="center left", bbox_to_anchor=(1.02, 0.5), **style)
