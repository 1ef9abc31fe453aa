"""Polygons: parts and their names, shapely and GeoJSON, bad input."""

from __future__ import annotations

import builtins
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from fspielm.errors import ProblemError
from fspielm.geometry import Polygon

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (2, 1), (2, 2), (1, 2)]
OTHER = [(2.5, 2.5), (3, 2.5), (3, 3)]


def feature(geometry: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"name": "lake"}, "geometry": geometry}


def geometry(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [[*map(list, ring), list(ring[0])] for ring in rings]}


def write(folder: Path, content: Any) -> Path:
    path = folder / "shape.geojson"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_parts_and_measures() -> None:
    polygon = Polygon(SQUARE, [HOLE, OTHER])
    parts = {part.name: part.measure for part in polygon.boundary()}
    assert parts == pytest.approx({"outline": 16, "hole 1": 4, "hole 2": 1 + 0.5**0.5})
    assert polygon.measure == 16 - 1 - 0.125
    assert polygon.boundary()[0].breaks == (0, 0.25, 0.5, 0.75, 1)
    assert polygon.contains([[0.5, 0.5], [1.5, 1.5], [1, 1], [5, 5]]).tolist() == [True, False, True, False]
    assert len(polygon.corners()) == 11
    assert [corner.opening > np.pi for corner in polygon.corners()] == [False] * 4 + [True] * 7


@pytest.mark.parametrize("closed", [False, True])
def test_either_direction_closed_or_not(closed: bool) -> None:
    """Only the order in which parts are placed depends on the statement."""
    polygon = Polygon(SQUARE, [HOLE])
    outline = SQUARE[::-1] + ([SQUARE[-1]] if closed else [])
    twin = Polygon(np.array(outline), [HOLE[::-1]])
    assert twin.measure == polygon.measure
    points = np.random.default_rng(0).uniform(-1, 5, (1000, 2))
    assert np.array_equal(twin.contains(points), polygon.contains(points))
    assert Polygon([*SQUARE, SQUARE[0]]) == Polygon(SQUARE)


@pytest.mark.parametrize("reverse", [False, True])
def test_names_belong_to_edges(reverse: bool) -> None:
    """The first name is that of the edge from the first vertex to the second, whichever way the outline runs."""
    vertices, names = SQUARE, ["floor", "wall", "roof", "wall"]
    if reverse:
        vertices, names = SQUARE[::-1], ["roof", "wall", "floor", "wall"]
    parts = {part.name: part for part in Polygon(vertices, names=names).boundary()}
    unit = np.linspace(0, 1, 11)[:, None]
    assert (parts["floor"].place(unit).points[:, 1] == 0).all()
    assert (parts["roof"].place(unit).points[:, 1] == 4).all()
    assert parts["wall"].measure == 8
    assert set(parts["wall"].place(unit).points[:, 0]) == {0.0, 4.0}


def test_repr() -> None:
    assert repr(Polygon(SQUARE[:3])) == "Polygon([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)])"
    named = Polygon(SQUARE[:3], [[(2, 1), (3, 1), (3, 2)]], ["a", "b", "b"], name="plate")
    assert repr(named).endswith("holes=[[(2.0, 1.0), (3.0, 1.0), (3.0, 2.0)]], names=['a', 'b', 'b'], name='plate')")
    angles = np.linspace(0, 6, 100)
    assert repr(Polygon(np.column_stack([np.cos(angles), np.sin(angles)]))) == "Polygon(<100 vertices>)"


BAD: list[tuple[Any, Any, Any, str]] = [
    ([(0, 0), (1, 1), (1, 0), (0, 1)], (), None, r"vertices.*cross.*\(0\.5, 0\.5\).*Self"),
    ([(0, 0), (1, 1), (2, 2)], (), None, r"vertices.*area.*one line"),
    ([(0, 0), (4, 0), (4, 4), (4, 6), (4, 4.5), (0, 4)], (), None, r"vertices.*ring.*not cross"),
    ([(0, 0), (1, 0)], (), None, r"vertices.*at least three.*got 2"),
    ([(0, 0), (1, 0), (1, 0), (0, 1)], (), None, r"vertices\[2\].*differ.*twice"),
    ([(0, 0), (1, 0), (1, np.nan)], (), None, r"vertices\[2\]\[1\].*finite.*nan"),
    ([(0, 0), (1, 0), (1, 1, 1)], (), None, r"vertices\[2\].*two coordinates"),
    (5, (), None, r"vertices.*pairs; got 5"),
    ("abc", (), None, r"vertices.*pairs; got 'abc'"),
    ([1, 2, 3], (), None, r"vertices\[0\].*sequence"),
    (SQUARE, 5, None, r"holes.*rings.*got 5"),
    (SQUARE, HOLE, None, r"holes\[0\]\[0\].*sequence"),
    (SQUARE, [[(1, 1), (2, 2), (2, 1), (1, 2)]], None, r"holes\[0\].*ring.*\(1\.5, 1\.5\)"),
    (SQUARE, [[(5, 5), (6, 5), (6, 6)]], None, r"holes.*inside.*outside shell"),
    (SQUARE, [[(3, 3), (6, 5), (5, 6)]], None, r"holes.*not overlap.*\(4, "),
    (SQUARE, [HOLE, [(1.5, 1.5), (3, 1.5), (3, 3)]], None, r"holes.*inside.*not overlap"),
    (SQUARE, (), ["a"], r"names.*4 edges.*got 1"),
    (SQUARE, (), "abcd", r"names.*4 edges.*got 1"),
    (SQUARE, (), ["a", "", "b", "c"], r"names\[1\].*empty.*hole.*''"),
    (SQUARE, (), ["a", "a", "hole 1", "a"], r"names\[2\].*empty.*'hole 1'"),
    (SQUARE, (), ["a", 1, "b", "c"], r"names\[1\].*blanks.*got 1"),
]


@pytest.mark.parametrize(("vertices", "holes", "names", "message"), BAD)
def test_bad_polygons(vertices: Any, holes: Any, names: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Polygon(vertices, holes, names)


def test_from_shapely() -> None:
    source = shapely.Polygon([*SQUARE[:2], SQUARE[1], *SQUARE[2:]], [HOLE])  # with a repeated vertex
    polygon = Polygon.from_shapely(source, name="plate")
    assert polygon == Polygon(SQUARE, [HOLE], name="plate")
    assert Polygon.from_shapely(shapely.MultiPolygon([source])).measure == source.area
    raised = shapely.Polygon([(x, y, 7.0) for x, y in SQUARE])
    assert Polygon.from_shapely(raised) == Polygon(SQUARE)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (SQUARE, r"geometry.*shapely\.Polygon.*list"),
        (shapely.Point(0, 0), r"geometry.*shapely\.Polygon.*Point"),
        (shapely.MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(2, 2, 3, 3)]), r"MultiPolygon of 2.*geoms"),
        (shapely.Polygon(), r"from_shapely: geometry.*empty"),
        (shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), r"vertices.*ring.*\(0\.5, 0\.5\)"),
    ],
)
def test_bad_shapely_geometries(source: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Polygon.from_shapely(source)


@pytest.mark.parametrize(
    "content",
    [
        geometry(SQUARE, HOLE),
        feature(geometry(SQUARE, HOLE)),
        {"type": "FeatureCollection", "features": [feature(geometry(SQUARE, HOLE))]},
        {"type": "MultiPolygon", "coordinates": [geometry(SQUARE, HOLE)["coordinates"]]},
        geometry([(x, y, 12.5) for x, y in SQUARE], [*HOLE[:2], *HOLE[1:]]),
        "\ufeff" + json.dumps(geometry(SQUARE, HOLE)),
    ],
)
def test_from_geojson(tmp_path: Path, content: Any) -> None:
    path = write(tmp_path, content)
    assert Polygon.from_geojson(path) == Polygon.from_geojson(str(path)) == Polygon(SQUARE, [HOLE])


BAD_FILES: list[tuple[Any, str]] = [
    ("{", r"shape\.geojson.*not JSON.*line 1"),
    ("", r"is not JSON"),
    ("[" * 100_000, r"nested too deeply|not JSON"),
    ([1, 2], r"GeoJSON Polygon.*\[1, 2\]"),
    ({"type": "Point", "coordinates": [0, 0]}, r"GeoJSON Polygon.*type 'Point'"),
    ({"coordinates": []}, r"got the type None"),
    (feature(None), r"GeoJSON Polygon.*got None"),
    (feature(feature(geometry(SQUARE))), r"got the type 'Feature'"),
    ({"type": "FeatureCollection", "features": []}, r"must hold one polygon; got 0"),
    ({"type": "FeatureCollection", "features": [feature(geometry(SQUARE))] * 3}, r"must hold one polygon; got 3"),
    (
        {"type": "MultiPolygon", "coordinates": [geometry(SQUARE)["coordinates"], geometry(HOLE)["coordinates"]]},
        r"one polygon; got 2.*unite",
    ),
    ({"type": "Polygon", "coordinates": []}, r"coordinates must be.*rings"),
    ({"type": "Polygon", "coordinates": [3]}, r"coordinates\[0\].*positions.*got 3"),
    ({"type": "Polygon", "coordinates": [[[0, 0], [1]]]}, r"coordinates\[0\]\[1\].*a position"),
    ({"type": "Polygon", "coordinates": [[[0, "a"]]]}, r"coordinates\[0\]\[0\].*a position"),
    ('{"type": "Polygon", "coordinates": [[[0, 0], [1, NaN], [1, 1]]]}', r"coordinates\[0\]\[1\]\[1\].*nan"),
    (f'{{"type": "Polygon", "coordinates": [[[0, 1{"0" * 400}]]]}}', r"coordinates\[0\]\[0\]\[1\].*number.*1000"),
    (f'{{"type": "Polygon", "coordinates": [[[0, 1{"0" * 5000}]]]}}', r"is not JSON: Exceeds the limit"),
    (geometry([(0, 0), (1, 1), (1, 0), (0, 1)]), r"vertices.*ring.*\(0\.5, 0\.5\)"),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_bad_geojson(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Polygon.from_geojson(write(tmp_path, content))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=r"nowhere\.json.*No such file"):
        Polygon.from_geojson(tmp_path / "nowhere.json")
    with pytest.raises(ProblemError, match=r"read.*is a folder"):
        Polygon.from_geojson(tmp_path)
    with pytest.raises(ProblemError, match=r"from_geojson: path.*got 3"):
        Polygon.from_geojson(3)  # type: ignore[arg-type]
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(ProblemError, match=r"binary\.json.*UTF-8"):
        Polygon.from_geojson(binary)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(100_000_000)  # sparse: takes neither time nor space
    with pytest.raises(ProblemError, match=r"huge\.json.*100 MB.*20 MB"):
        Polygon.from_geojson(huge)


def test_without_shapely(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only shapely's own geometries need it."""
    real = builtins.__import__

    def fake(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "shapely":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    source, path = shapely.Polygon(SQUARE, [HOLE]), write(tmp_path, geometry(SQUARE, HOLE))
    monkeypatch.setattr(builtins, "__import__", fake)
    assert Polygon(SQUARE, [HOLE]) == Polygon.from_geojson(path)
    with pytest.raises(ProblemError, match=r"Polygon: vertices.*\(0\.5, 0\.5\)"):
        Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])
    with pytest.raises(ProblemError, match=r"needs shapely.*fspielm\[geometry\]"):
        Polygon.from_shapely(source)


def is_valid(rings: list[Any]) -> bool:
    try:
        Polygon(rings[0], rings[1:])
    except ProblemError as error:
        return not re.search("must form a ring|must lie inside|on one line", str(error))
    return True


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 40))])
def test_validity_as_shapely_sees_it(seed: int) -> None:
    """Vertices on a coarse grid meet, touch and lie on each other's edges in all ways there are."""
    rng = np.random.default_rng(seed)
    for _ in range(50):
        n = int(rng.integers(3, 8))
        vertices = rng.integers(0, 5, (n, 2)) / 10  # tenths: their sums are rounded
        if np.any(np.all(vertices == np.roll(vertices, 1, axis=0), axis=1)):
            continue
        assert is_valid([vertices]) == shapely.Polygon(vertices).is_valid
    for _ in range(50):
        outline = [(0, 0), (7, 0), (7, 7), (3, 6), (0, 7)]
        holes = [[tuple(p) for p in rng.integers(0, 8, (3, 2)).tolist()] for _ in range(int(rng.integers(1, 4)))]
        if any(len(set(hole)) < 3 or shapely.Polygon(hole).area == 0 for hole in holes):
            continue
        assert is_valid([outline, *holes]) == shapely.Polygon(outline, holes).is_valid


TOUCHING = [
    ([(0, 0), (1, 1), (1, 2)], True),  # a corner of the outline
    ([(0, 2), (1, 1), (1, 3)], True),  # a side
    ([(0, 2), (4, 2), (2, 3)], False),  # two sides: what is left is in two
    ([(0, 0), (2, 0), (1, 1)], False),  # along a side
    ([(0, 0), (4, 4), (2, 3)], False),  # two corners
    ([(-1, 0), (2, 2), (0, 0)], False),  # across a corner
]


@pytest.mark.parametrize(("hole", "valid"), TOUCHING)
def test_holes_that_touch_the_outline(hole: Any, valid: bool) -> None:
    assert is_valid([SQUARE, hole]) == valid == shapely.Polygon(SQUARE, [hole]).is_valid


def test_rings_that_touch_by_less_than_rounding() -> None:
    """A vertex on another edge but for its last bit: to the left of it, on it, and beyond."""
    tip = 0.1 + 0.2
    for x in (np.nextafter(tip, 0), tip, np.nextafter(tip, 1)):
        ring = [(0, 0), (3, 3), (3, 0), (x, tip)]
        assert is_valid([ring]) == shapely.Polygon(ring).is_valid == (x > tip)


def test_an_outline_of_four_thousand_vertices() -> None:
    angles = 2 * np.pi * np.arange(4000) / 4000
    radii = 1 + 0.1 * np.sin(120 * angles)
    polygon = Polygon(np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]))
    (outline,) = polygon.boundary()
    sites = outline.sample(2000, np.random.default_rng(0), "clustered")
    assert polygon.contains(sites.points).all()
    assert not polygon._contains(sites.points, False).any()
