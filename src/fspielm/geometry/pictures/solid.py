"""Solids drawn in perspective."""

from __future__ import annotations

from typing import Any

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Domain
from fspielm.geometry.pictures.style import DOTS, INK, spread_sites
from fspielm.geometry.surface import Surface

_GRID = 36  # patches along each side of a part
_MOST_FACETS = 30_000
_PROBES = 6000  # dots for a part that cannot be drawn in patches
_ARROWS = 60  # in all, of which those behind are left out
_ARROW = 0.11  # share of the size
_ELEVATION, _AZIMUTH = 22.0, -56.0
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
            sites = spread_sites(part, _PROBES)
            assert sites.normals is not None  # every boundary part has them
            axes.scatter(*sites.points.T, s=4, c=_shaded(colour, sites.normals), linewidths=0, alpha=alpha)
    # one collection: patches of different parts are sorted by depth among each other
    faces = Poly3DCollection(np.concatenate(patches), facecolors=np.concatenate(shades), alpha=alpha)
    faces.set_edgecolor(np.concatenate(shades) if alpha == 1.0 else "none")
    faces.set_linewidth(0.3)
    axes.add_collection3d(faces)
    axes.scatter(*dots.T, s=float(np.clip(3000 / max(len(dots), 1), 1.5, 9.0)), color=DOTS, linewidths=0)
    axes.view_init(_ELEVATION, _AZIMUTH)
    if normals:
        _draw_normals(axes, domain, colours)
    _frame(axes, domain)


def _patches(domain: Domain, part: BoundaryPart) -> tuple[FloatArray, FloatArray]:
    """Corners ``(n, 4, 3)`` and normals ``(n, 3)`` of patches that cover a part; none if its map is not smooth."""
    if isinstance(domain, Surface) and len(domain.faces) <= _MOST_FACETS:
        triangles = domain.vertices[domain.faces]
        crosses = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        return triangles[:, [0, 1, 2, 2]], crosses / np.maximum(np.linalg.norm(crosses, axis=1, keepdims=True), 1e-300)
    ticks = np.linspace(0.0, 1.0, _GRID + 1)
    middles = 0.5 * (ticks[1:] + ticks[:-1])
    grid, centers = (np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2) for t in (ticks, middles))
    points = part.place(grid).points.reshape(_GRID + 1, _GRID + 1, 3)
    corners = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2).reshape(-1, 4, 3)
    sites = part.place(centers)
    assert sites.normals is not None  # every boundary part has them
    kept = np.ones(len(corners), dtype=np.bool_) if part.keep is None else part.keep(sites.points)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]), axis=1)
    if abs(areas[kept].sum() / part.measure - 1) > 0.1:
        return np.empty((0, 4, 3)), np.empty((0, 3))
    return corners[kept], sites.normals[kept]


def _shaded(colour: FloatArray, normals: FloatArray) -> FloatArray:
    """The colour of a part, lighter where it faces the light."""
    light = 0.62 + 0.38 * np.clip(normals @ _LIGHT, -1, 1)
    return np.asarray(np.clip(colour * light[:, None] + 0.22 * light[:, None], 0, 1), dtype=np.float64)


def _draw_normals(axes: Any, domain: Domain, colours: dict[str, str]) -> None:
    lower, upper = domain.bounding_box
    azimuth, elevation = np.radians([_AZIMUTH, _ELEVATION])
    viewer = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    parts = domain.boundary()
    total = sum(part.measure for part in parts)
    for part in parts:
        sites = spread_sites(part, max(6, round(_ARROWS * part.measure / total)))
        assert sites.normals is not None  # every boundary part has them
        front = sites.normals @ viewer > 0.15  # what is behind the solid is not seen
        if front.any():
            axes.quiver(
                *sites.points[front].T,
                *(_ARROW * float((upper - lower).max()) * sites.normals[front]).T,
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
