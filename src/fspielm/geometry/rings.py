"""Rings of vertices, and where shapely has them."""

from __future__ import annotations

from types import ModuleType
from typing import Any, TypeAlias

from fspielm.errors import ProblemError

Ring: TypeAlias = tuple[tuple[float, float], ...]


def shapely_module() -> ModuleType:
    """Import shapely, or say how to get it."""
    try:
        import shapely
    except ImportError:
        raise ProblemError(
            "Polygon.from_shapely needs shapely; install it with: pip install 'fspielm[geometry]'"
        ) from None
    module: ModuleType = shapely
    return module


def open_ring(points: Ring) -> Ring:
    """A ring without the repetition of its first vertex at the end."""
    return points[:-1] if len(points) > 1 and points[0] == points[-1] else points


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
