"""Rings of vertices: whether they bound a polygon, and where shapely has them."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, TypeAlias

from fspielm.errors import ProblemError

Ring: TypeAlias = tuple[tuple[float, float], ...]


def shapely_module() -> ModuleType:
    """Import shapely, or say how to get it."""
    try:
        import shapely
    except ImportError:
        raise ProblemError("Polygon needs shapely; install it with: pip install 'fspielm[geometry]'") from None
    module: ModuleType = shapely
    return module


def open_ring(points: Ring) -> Ring:
    """A ring without the repetition of its first vertex at the end."""
    return points[:-1] if len(points) > 1 and points[0] == points[-1] else points


def check_rings(outline: Ring, holes: tuple[Ring, ...]) -> None:
    """Refuse an outline and holes that do not bound a polygon, naming what is wrong and where."""
    shapely = shapely_module()
    for what, ring in [("vertices", outline), *((f"holes[{i}]", hole) for i, hole in enumerate(holes))]:
        ring_only = shapely.Polygon(ring)
        if ring_only.is_valid and ring_only.area > 0:
            continue
        if ring_only.convex_hull.area == 0:
            raise ProblemError(f"Polygon: {what} must enclose an area; its vertices lie on one line")
        reason, place = _reason(shapely, ring_only)
        raise ProblemError(
            f"Polygon: {what} must form a ring that does not cross or touch itself; this one does at {place} "
            f"(shapely: {reason}): list the vertices in the order in which they follow one another"
        )
    whole = shapely.Polygon(outline, holes)
    if not whole.is_valid:
        reason, place = _reason(shapely, whole)
        raise ProblemError(
            "Polygon: holes must lie inside the outline and must not overlap or cut it in two; "
            f"they fail to at {place} (shapely: {reason})"
        )


def rings_of(geometry: Any) -> tuple[Ring, tuple[Ring, ...]]:
    """Outline and holes of a shapely polygon, repeated vertices and heights left out."""
    shapely = shapely_module()
    if not isinstance(geometry, shapely.Geometry):
        raise ProblemError(f"Polygon.from_shapely: geometry must be a shapely.Polygon; got {type(geometry).__name__}")
    if geometry.geom_type == "MultiPolygon" and len(geometry.geoms) == 1:
        geometry = geometry.geoms[0]
    if geometry.geom_type != "Polygon":
        count = f" of {len(geometry.geoms)}: take one of its geoms" if hasattr(geometry, "geoms") else ""
        raise ProblemError(
            f"Polygon.from_shapely: geometry must be a shapely.Polygon; got a {geometry.geom_type}{count}"
        )
    if geometry.is_empty:
        raise ProblemError("Polygon.from_shapely: geometry must not be empty")
    plain = shapely.force_2d(shapely.remove_repeated_points(geometry))
    return tuple(plain.exterior.coords), tuple(tuple(hole.coords) for hole in plain.interiors)


def _reason(shapely: ModuleType, polygon: Any) -> tuple[str, str]:
    """What shapely finds wrong, and where."""
    text = str(shapely.is_valid_reason(polygon))
    found = re.fullmatch(r"(.*?)\[(\S+) (\S+)\]", text)
    return (found[1], f"({float(found[2]):.6g}, {float(found[3]):.6g})") if found else (text, "an unknown place")
