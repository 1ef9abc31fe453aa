"""Pictures of domains, by matplotlib."""

from __future__ import annotations

import os
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.curves import LOOKS, MOST_PIECES
from fspielm.geometry.domain import SURFACE_POINTS, Domain, default_axes
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.shapes.surface import Surface
from fspielm.geometry.time import SpaceTime, Time
from fspielm.numerics.sampling import check_count
from fspielm.numerics.tolerances import ROUNDED, TINY

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# The colours of Okabe and Ito, which colour-blind readers can distinguish, without yellow.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#666666")
INK = "#222222"
INTERIOR = "#e8eef4"
DOTS = "#5b6b7b"


def require_matplotlib() -> None:
    """Refuse, with a remedy, if matplotlib is not installed."""
    if not has_matplotlib():
        raise ProblemError('pictures need matplotlib: pip install "fspielm[plot]"')


def has_matplotlib() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def spread_sites(part: BoundaryPart, n: int) -> Sites:
    """About `n` sites of a part, evenly spread."""
    if part.parameters == 1:
        return part.at(((np.arange(n) + 0.5) / n)[:, None])
    return part.sample(n, np.random.default_rng(0), "low-discrepancy")


# ---- Objects in open domains

# Share of a colour of the palette in its light tint; the rest is white.
_TINT = 0.2


def layer_numbers(domain: Domain, points: FloatArray) -> NDArray[np.int_]:
    """Numbers of points ``(n, 2)``: 0 outside of the domain, 1 in the domain, 2 and more in a layer."""
    numbers = domain.contains(points).astype(int)
    if isinstance(domain, Exterior):
        for place in _layers(domain):
            numbers[domain.shapes[place].contains(points)] = 2 + place
        for place in domain.solid if domain._filled else ():
            numbers[domain.shapes[place].contains(points)] = 0
    return numbers


def layer_colours(domain: Domain) -> list[str]:
    """Colours of the layer numbers from 1 on: light tints of the outlines of objects."""
    count = len(domain.shapes) if isinstance(domain, Exterior) else 0
    return [INTERIOR, *(_light(PALETTE[place % len(PALETTE)]) for place in range(count))]


def _layers(domain: Exterior) -> list[int]:
    """Indices of the objects with a field inside, outer ones first; by default all nested objects."""
    nested = {place for pair in enumerate(domain.around) if pair[1] >= 0 for place in pair}
    return sorted(domain._filled or nested, key=lambda place: _depth(domain, place))


def _depth(domain: Exterior, place: int) -> int:
    outer = domain.around[place]
    return 0 if outer < 0 else 1 + _depth(domain, outer)


def _light(colour: str) -> str:
    parts = (int(colour[begin : begin + 2], 16) for begin in (1, 3, 5))
    return "#" + "".join(f"{round(255 - _TINT * (255 - part)):02x}" for part in parts)


# ---- Intervals and plane shapes

RESOLUTION = 800  # points along the longer side, or along a part
_ARROW = 0.07  # share of the size, or of the length of a part: arrows must not fill a small object
_INSIDE_PIECE = ROUNDED  # distance from the ends of a piece, which may belong to the next one


def draw_line(axes: Any, domain: Domain, colours: dict[str, str], dots: FloatArray, normals: bool) -> None:
    """An interval, or several: the line, its ends and their outward directions."""
    (lower,), (upper,) = domain.bounding_box
    size = upper - lower
    cells = lower + size * (np.arange(RESOLUTION) + 0.5) / RESOLUTION
    inside = np.where(domain.contains(cells[:, None]), 0.0, np.nan)
    axes.plot(cells, inside, color="#9fb3c8", linewidth=5, solid_capstyle="butt", zorder=1)
    axes.scatter(dots[:, 0], np.zeros(len(dots)), s=9, color=DOTS, linewidths=0, zorder=2)
    for part in domain.boundary():
        sites = spread_sites(part, 1)
        at, outward = sites.points[0, 0], sites.outward[0, 0]
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
            sites = spread_sites(part, max(2, round(LOOKS * part.measure / total)))
            axes.quiver(
                *sites.points.T,
                *(_ARROW * min(size, part.measure) * sites.outward).T,
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
    columns, rows = (max(round(RESOLUTION * side / size), 2) for side in upper - lower)
    x, y = (a + (b - a) * (np.arange(n) + 0.5) / n for a, b, n in zip(lower, upper, (columns, rows), strict=True))
    numbers = layer_numbers(domain, np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)).reshape(rows, columns)
    colours = layer_colours(domain)
    extent = (lower[0], upper[0], lower[1], upper[1])
    # the outline hides the jagged rim
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
        inset = _INSIDE_PIECE * (high - low)
        unit = np.linspace(low + inset, high - inset, 2 + round(RESOLUTION * (high - low)))
        points = part.place(unit[:, None]).points
        if part.keep is not None:
            points[~part.keep(points)] = np.nan
        lines.append(points)
    axes.add_collection(LineCollection(lines, colors=colour, linewidths=2.0, capstyle="round", zorder=3))


# ---- Solids

_VIEW = {"elev": 22.0, "azim": -56.0}
_LIGHT = np.array([0.35, -0.55, 0.76])


def draw_solid(axes: Any, domain: Domain, colours: dict[str, str], dots: FloatArray, normals: bool) -> None:
    """A solid: its surface in shaded patches by part, arrows along the normals; transparent if points are shown."""
    from matplotlib.colors import to_rgb
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    alpha = 0.16 if len(dots) else 1.0
    patches, shades = [np.empty((0, 4, 3))], [np.empty((0, 3))]
    for part in domain.boundary():
        colour = np.array(to_rgb(colours[part.name]))
        corners, outward = _patches(domain, part)
        if len(corners):
            patches.append(corners)
            shades.append(_shaded(colour, outward))
        else:
            sites = spread_sites(part, SURFACE_POINTS)
            axes.scatter(*sites.points.T, s=4, c=_shaded(colour, sites.outward), linewidths=0, alpha=alpha)
    # one collection, so that matplotlib sorts the patches of all parts by depth
    faces = Poly3DCollection(np.concatenate(patches), facecolors=np.concatenate(shades), alpha=alpha)
    faces.set_edgecolor(np.concatenate(shades) if alpha == 1.0 else "none")
    faces.set_linewidth(0.3)
    axes.add_collection3d(faces)
    axes.scatter(*dots.T, s=float(np.clip(3000 / max(len(dots), 1), 1.5, 9.0)), color=DOTS, linewidths=0)
    axes.view_init(**_VIEW)
    if normals:
        _draw_normals(axes, domain, colours)
    _frame(axes, domain)


def _patches(domain: Domain, part: BoundaryPart) -> tuple[FloatArray, FloatArray]:
    """Corners ``(n, 4, 3)`` and normals ``(n, 3)`` of patches that cover a part; none if its map is rough."""
    if isinstance(domain, Surface) and len(domain.faces) <= MOST_PIECES:
        triangles = domain.vertices[domain.faces]
        crosses = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        return triangles[:, [0, 1, 2, 2]], crosses / np.maximum(np.linalg.norm(crosses, axis=1, keepdims=True), TINY)
    ticks = np.linspace(0.0, 1.0, LOOKS + 1)
    middles = 0.5 * (ticks[1:] + ticks[:-1])
    grid, centers = (np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2) for t in (ticks, middles))
    points = part.place(grid).points.reshape(LOOKS + 1, LOOKS + 1, 3)
    corners = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2).reshape(-1, 4, 3)
    sites = part.place(centers)
    kept = np.ones(len(corners), dtype=np.bool_) if part.keep is None else part.keep(sites.points)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]), axis=1)
    if abs(areas[kept].sum() / part.measure - 1) > 0.1:
        return np.empty((0, 4, 3)), np.empty((0, 3))
    return corners[kept], sites.outward[kept]


def _shaded(colour: FloatArray, normals: FloatArray) -> FloatArray:
    """The colour of a part, lighter where it faces the light."""
    light = 0.62 + 0.38 * np.clip(normals @ _LIGHT, -1, 1)
    return np.asarray(np.clip(colour * light[:, None] + 0.22 * light[:, None], 0, 1), dtype=np.float64)


def _draw_normals(axes: Any, domain: Domain, colours: dict[str, str]) -> None:
    lower, upper = domain.bounding_box
    elevation, azimuth = np.radians([_VIEW["elev"], _VIEW["azim"]])
    viewer = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    parts = domain.boundary()
    total = sum(part.measure for part in parts)
    for part in parts:
        sites = spread_sites(part, max(6, round(LOOKS * part.measure / total)))
        front = sites.outward @ viewer > 0.15  # arrows behind the solid are hidden
        if front.any():
            axes.quiver(
                *sites.points[front].T,
                *(_ARROW * float((upper - lower).max()) * sites.outward[front]).T,
                color=INK,
                linewidth=0.9,
                arrow_length_ratio=0.3,
                zorder=10,
            )


def _frame(axes: Any, domain: Domain) -> None:
    lower, upper = domain.bounding_box
    margin = 0.06 * float((upper - lower).max())
    for axis, low, high in zip("xyz", lower, upper, strict=True):
        getattr(axes, f"set_{axis}lim")(low - margin, high + margin)
        getattr(axes, f"{axis}axis").set_pane_color((1.0, 1.0, 1.0, 0.0))
        getattr(axes, f"{axis}axis")._axinfo["grid"].update(color="#dddddd", linewidth=0.6)
    axes.set_box_aspect(upper - lower + 2 * margin, zoom=0.92)
    axes.locator_params(nbins=5)
    axes.computed_zorder = False


# ---- plot_domain

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
        try:
            axes.figure.savefig(path)
        except (OSError, ValueError) as error:  # matplotlib names the formats it knows
            raise ProblemError(f"cannot write a picture to {os.fspath(path)!r}: {error}") from error
    shown: Axes = axes
    return shown


def _new_axes(dimension: int) -> Any:
    """Axes in a new figure, without pyplot and its global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZES[dimension], layout="constrained", facecolor="white", dpi=150)
    FigureCanvasAgg(figure)
    return figure.add_subplot(projection="3d" if dimension == 3 else None)


def _name_parts(axes: Any, parts: tuple[BoundaryPart, ...], colours: dict[str, str], *, own: bool) -> None:
    """A legend of part names next to the axes, shortened if there are many.

    The layout of our `own` figure makes room for it; next to the axes of others it begins where they end.
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
