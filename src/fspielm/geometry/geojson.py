"""The polygon of a GeoJSON file."""

from __future__ import annotations

import json
import os
from typing import Any

from fspielm.errors import ProblemError
from fspielm.geometry.inputs import as_plane_point
from fspielm.geometry.rings import Ring
from fspielm.reading import open_file

_LARGEST = 20_000_000  # bytes; an outline for a mesh-free solver has thousands of vertices, not millions


def read_polygon(path: str | os.PathLike[str]) -> tuple[Ring, tuple[Ring, ...]]:
    """Outline and holes of the one polygon in a GeoJSON file, heights and repeated vertices left out."""
    if not isinstance(path, str | os.PathLike):
        raise ProblemError(f"Polygon.from_geojson: path must be that of a file; got {path!r}")
    where = f"Polygon.from_geojson: {os.fspath(path)}"
    polygon = _only_polygon(_load(path, where), where)
    rings = polygon.get("coordinates")
    if not isinstance(rings, list) or not rings:
        raise ProblemError(f"{where}: coordinates must be a list of rings, the outline first")
    outline, *holes = (_ring(ring, f"{where}: coordinates[{i}]") for i, ring in enumerate(rings))
    return outline, tuple(holes)


def _load(path: str | os.PathLike[str], where: str) -> Any:
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LARGEST:
                raise ProblemError(
                    f"{where} has {size / 1e6:.0f} MB; at most {_LARGEST / 1e6:.0f} MB are read: "
                    "simplify the outline first"
                )
            return json.loads(file.read().decode("utf-8-sig"))
    except OSError as error:
        raise ProblemError(f"{where} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ProblemError(f"{where} is not text in UTF-8") from None
    except ValueError as error:  # JSON's own, and that of a number with thousands of digits
        raise ProblemError(f"{where} is not JSON: {error}") from None
    except RecursionError:
        raise ProblemError(f"{where} is nested too deeply for GeoJSON") from None


def _only_polygon(value: Any, where: str) -> dict[str, Any]:
    """The one polygon in a GeoJSON object."""
    polygons = list(_geometries(value, where, 0))
    if len(polygons) != 1:
        raise ProblemError(
            f"{where} must hold one polygon; got {len(polygons)}: take one, or unite the shapes of several with |"
        )
    return polygons[0]


def _geometries(value: Any, where: str, depth: int) -> list[dict[str, Any]]:
    """All polygons in a GeoJSON object; anything else in it is refused."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "Polygon":
        return [value]
    if kind == "MultiPolygon" and isinstance(value.get("coordinates"), list):
        return [{"coordinates": rings} for rings in value["coordinates"]]
    if kind == "Feature" and depth < 2:
        return _geometries(value.get("geometry"), where, 2)
    if kind == "FeatureCollection" and depth < 1 and isinstance(value.get("features"), list):
        return [polygon for feature in value["features"] for polygon in _geometries(feature, where, 1)]
    got = f"the type {kind!r}" if isinstance(value, dict) else f"{value!r:.40}"
    raise ProblemError(f"{where} must hold a GeoJSON Polygon, a Feature or a FeatureCollection of one; got {got}")


def _ring(ring: Any, where: str) -> Ring:
    if not isinstance(ring, list):
        raise ProblemError(f"{where} must be a list of positions [x, y]; got {ring!r:.40}")
    points: list[tuple[float, float]] = []
    for i, position in enumerate(ring):
        if not isinstance(position, list) or len(position) < 2 or not all(_is_number(c) for c in position[:2]):
            raise ProblemError(f"{where}[{i}] must be a position [x, y]; got {position!r:.40}")
        point = as_plane_point(position[:2], f"{where}[{i}]")
        if not points or point != points[-1]:
            points.append(point)
    return tuple(points)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
