"""Solids within triangle surfaces: membership, repair, files, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from fspielm.errors import ProblemError
from fspielm.geometry import Surface, chord_ends

FORMATS = ["stl", "stl_ascii", "ply", "obj", "off"]


def sphere(subdivisions: int) -> tuple[np.ndarray, np.ndarray]:
    mesh = trimesh.creation.icosphere(subdivisions)
    return np.array(mesh.vertices), np.array(mesh.faces)


def potato(subdivisions: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A dented ball; three subdivisions have 1280 facets."""
    vertices, faces = sphere(subdivisions)
    x, y, z = vertices.T
    return vertices * (1 + 0.25 * np.sin(3 * x) * np.cos(2 * y) + 0.1 * z)[:, None], faces


def brick(per_side: int) -> tuple[np.ndarray, np.ndarray]:
    """The unit cube, its faces cut into a lattice of triangles: edges and vertices above each other."""
    ticks = np.linspace(0, 1, per_side + 1)
    soup = []
    for a, b in pairwise(ticks):
        for c, d in pairwise(ticks):
            flat = np.array([[[a, c], [b, c], [b, d]], [[a, c], [b, d], [a, d]]])
            soup += [
                np.insert(triangle, axis, level, axis=1) for axis in range(3) for level in (0, 1) for triangle in flat
            ]
    return np.concatenate(soup), np.arange(3 * len(soup)).reshape(-1, 3)


def winding(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How often a surface goes around points, by the solid angles of its facets (Van Oosterom and Strackee)."""
    a, b, c = np.moveaxis(vertices[faces][None] - points[:, None, None, :], 2, 0)
    la, lb, lc = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    volume = np.sum(a * np.cross(b, c), axis=-1)
    rest = la * lb * lc + np.sum(a * b, -1) * lc + np.sum(b * c, -1) * la + np.sum(c * a, -1) * lb
    return np.arctan2(volume, rest).sum(axis=1) / (2 * np.pi)


class TestMembership:
    def test_agrees_with_solid_angles(self, rng: np.random.Generator) -> None:
        vertices, faces = potato()
        points = rng.uniform(-1.3, 1.3, size=(150, 3))
        inside = winding(vertices, faces, points) > 0.5
        assert np.array_equal(Surface(vertices, faces).contains(points), inside)
        assert 0.1 < inside.mean() < 0.9

    @settings(max_examples=15)
    @given(seed=st.integers(0, 10**6))
    def test_of_ragged_surfaces(self, seed: int) -> None:
        """Star-shaped, with radii that jump from vertex to vertex, seen from any side."""
        rng = np.random.default_rng(seed)
        vertices, faces = sphere(1)
        vertices = vertices * rng.uniform(0.4, 1.5, size=(len(vertices), 1)) @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
        points = rng.uniform(-1.5, 1.5, size=(200, 3))
        surface = Surface(vertices, faces)
        assert np.array_equal(surface.contains(points), np.abs(winding(vertices, faces, points)) > 0.5)
        assert surface.contains(surface.vertices).all()

    @pytest.mark.parametrize("per_side", [1, 2, 5])
    def test_of_lines_through_edges_and_vertices(self, per_side: int) -> None:
        """Every line of the lattice meets edges, vertices or whole facets."""
        cube = Surface(*brick(per_side))
        ticks = np.arange(-2, 2 * per_side + 3) / (2 * per_side)
        points = np.stack(np.meshgrid(ticks, ticks, ticks), axis=-1).reshape(-1, 3)
        assert np.array_equal(cube.contains(points), ((points >= 0) & (points <= 1)).all(axis=1))
        assert np.array_equal(cube._contains(points, False), ((points > 0) & (points < 1)).all(axis=1))

    def test_of_points_near_the_surface(self, rng: np.random.Generator) -> None:
        surface = Surface(*potato())
        sites = surface.boundary()[0].sample(5000, rng)
        for points in (sites.points, surface.vertices):
            assert surface._contains(points, True).all()
            assert not surface._contains(points, False).any()
        assert not surface.contains(sites.points + 1e-9 * sites.normals).any()
        assert surface._contains(sites.points - 1e-9 * sites.normals, False).all()

    def test_of_a_ring(self) -> None:
        ring = Surface(*_arrays(trimesh.creation.annulus(0.3, 1, 1)))
        mixed = [[0, 0, 0], [0.5, 0, 0], [0, -0.9, 0.4], [0.5, 0, 0.6]]
        assert ring.contains(mixed).tolist() == [False, True, True, False]
        assert not ring.contains([[0, 0, 0], [0.2, 0.1, 0.3], [0.5, 0, 0.6], [1.1, 0, 0]]).any()
        assert ring.contains([[0.5, 0, 0], [0, -0.9, 0.4]]).all()

    def test_of_long_thin_facets(self, rng: np.random.Generator) -> None:
        mesh = trimesh.creation.cylinder(radius=1, height=40, sections=600)
        mesh.apply_transform(trimesh.transformations.rotation_matrix(0.7, (1, 2, 3)))
        surface = Surface(*_arrays(mesh))
        points = rng.normal(size=(60, 3))
        inside = winding(np.array(mesh.vertices), np.array(mesh.faces), points) > 0.5
        assert np.array_equal(surface.contains(points), inside)


class TestChords:
    def test_agree_with_those_of_a_ball(self, rng: np.random.Generator) -> None:
        ball = Surface(*sphere(4))
        points = ball.sample(300, rng)
        for axis in range(3):
            low, high = chord_ends(ball, points, axis)
            half = np.sqrt(1 - np.sum(np.delete(points, axis, axis=1) ** 2, axis=1))
            assert np.abs(high - half).max() < 0.05
            assert np.median(np.abs(low + half)) < 5e-3

    def test_stop_at_the_first_gap(self) -> None:
        ring = Surface(*_arrays(trimesh.creation.annulus(0.3, 1, 1)))
        low, high = chord_ends(ring, np.array([[0.5, 0.01, 0.0], [-0.5, 0.01, 0.0]]), 0)
        assert low == pytest.approx([0.3, -1], abs=2e-3)
        assert high == pytest.approx([1, -0.3], abs=2e-3)

    def test_make_clustered_sampling_fast(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """They are known from the facets; to march along them would ask for a hundred times as many points."""
        surface, contains, asked = Surface(*potato()), Surface._contains, [0]

        def counted(self: Surface, points: np.ndarray, closed: bool) -> np.ndarray:
            asked[0] += len(points)
            return contains(self, points, closed)

        monkeypatch.setattr(Surface, "_contains", counted)
        surface.sample(5000, np.random.default_rng(0), "clustered")
        assert asked[0] < 10 * 5000


class TestRepair:
    def test_facets_turned_either_way(self, rng: np.random.Generator) -> None:
        vertices, faces = potato(2)
        mixed = np.where(rng.random((len(faces), 1)) < 0.5, faces, faces[:, ::-1])
        whole = Surface(vertices, faces)
        for given_faces in (mixed, faces[:, ::-1]):
            assert Surface(vertices, given_faces).measure == pytest.approx(whole.measure, rel=1e-14)

    def test_vertices_merged(self, rng: np.random.Generator) -> None:
        vertices, faces = potato(2)
        soup = vertices[faces].reshape(-1, 3)
        soup = soup + 1e-12 * rng.normal(size=soup.shape)
        surface = Surface(soup, np.arange(len(soup)).reshape(-1, 3))
        assert len(surface.vertices) == len(vertices)
        assert surface.measure == pytest.approx(Surface(vertices, faces).measure, rel=1e-10)

    def test_facets_without_area_or_use_left_out(self) -> None:
        vertices, faces = sphere(1)
        stray = np.concatenate([vertices, [[9.0, 9.0, 9.0]]])
        surface = Surface(stray, np.concatenate([faces, [[0, 0, 1]]]))
        assert len(surface.faces) == len(faces)
        assert surface.bounding_box[1].max() < 2

    def test_cavities_and_bodies(self) -> None:
        vertices, faces = sphere(2)
        n, volume = len(vertices), Surface(vertices, faces).measure
        onion = Surface(
            np.concatenate([vertices, 0.5 * vertices, 0.25 * vertices]),
            np.concatenate([faces, faces + n, faces + 2 * n]),
        )
        assert onion.measure == pytest.approx(volume * (1 - 1 / 8 + 1 / 64))
        depths = onion.contains([[0.1, 0, 0], [0.4, 0, 0], [0.7, 0, 0], [1.1, 0, 0]])
        assert depths.tolist() == [True, False, True, False]
        apart = Surface(np.concatenate([vertices, vertices + 3]), np.concatenate([faces, faces + n]))
        assert apart.measure == pytest.approx(2 * volume)
        assert apart.contains([[0, 0, 0], [3, 3, 3], [1.5, 1.5, 1.5]]).tolist() == [True, True, False]


def test_part_is_spread_evenly(rng: np.random.Generator) -> None:
    """Low-discrepancy points keep apart: along a curve through all facets, neighbours stay neighbours."""
    (part,) = Surface(*sphere(3)).boundary()
    assert part.name == "surface"
    octants = [np.packbits(part.sample(800, rng, rule).points > 0, axis=1) for rule in ("low-discrepancy", "clustered")]
    for octant in octants:
        _, counts = np.unique(octant, return_counts=True)
        assert len(counts) == 8
        assert counts == pytest.approx(100, abs=8)


def test_quadrature_converges() -> None:
    k = np.array([2.0, 1.0, -1.5])
    surface = Surface(*potato())
    around = surface.boundary()[0].quadrature(20_000)
    exact = around.integrate(np.sin(around.points @ k) * (around.normals @ k) / (k @ k))
    errors = []
    for n in (1000, 100_000):
        rule = surface.quadrature(n)
        assert 0.8 * n < len(rule) < 1.3 * n
        errors.append(abs(rule.integrate(np.cos(rule.points @ k)) / exact - 1))
    assert errors[0] < 0.1
    assert errors[1] < 1e-3


def test_quadrature_of_a_prism_is_exact() -> None:
    rule = Surface(*brick(2)).quadrature(3000)
    assert rule.integrate(np.exp(rule.points.sum(axis=1))) == pytest.approx((np.e - 1) ** 3, rel=1e-12)


class TestFiles:
    @pytest.mark.parametrize("form", FORMATS)
    def test_every_format(self, form: str, tmp_path: Path) -> None:
        vertices, faces = potato()
        path = tmp_path / f"part.{form.removesuffix('_ascii')}"
        trimesh.Trimesh(vertices, faces).export(path, file_type=form)
        surface = Surface.load(path, name="part")
        assert (len(surface.vertices), len(surface.faces)) == (len(vertices), len(faces))
        assert surface.measure == pytest.approx(Surface(vertices, faces).measure, rel=1e-5)  # single precision
        assert [part.name for part in surface.boundary()] == ["part.surface"]
        assert Surface.load(str(path), name="part") == surface

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("part.step", b"", r"path.*\.stl, .*'part.step'"),
            ("part.stl", b"", "'part.stl' holds no triangles"),
            ("part.stl", b"solid nothing\nendsolid", "'part.stl' holds no triangles"),
            ("part.obj", b"garbage", "'part.obj' holds no triangles"),
            ("part.ply", b"garbage", r"'part.ply' is not.*PLY.* \("),
            ("part.off", b"OFF\n1 2\n", r"'part.off' is not.*OFF.* \("),
        ],
    )
    def test_unreadable(self, name: str, content: bytes, message: str, tmp_path: Path) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ProblemError, match=rf"Surface.load: .*{message}"):
            Surface.load(tmp_path / name)

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(ProblemError, match=r"read '.*none.stl'.*No such"):
            Surface.load(tmp_path / "none.stl")
        (tmp_path / "folder.stl").mkdir()
        with pytest.raises(ProblemError, match=r"read '.*folder.stl'.*a folder"):
            Surface.load(tmp_path / "folder.stl")

    def test_too_large(self, tmp_path: Path) -> None:
        path = tmp_path / "huge.stl"
        with path.open("wb") as file:
            file.truncate(150_000_000)
        with pytest.raises(ProblemError, match=r"'huge.stl'.*150 MB.*100 MB"):
            Surface.load(path)

    def test_without_trimesh(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fspielm.geometry.shapes.surface.find_spec", lambda name: None)
        with pytest.raises(ProblemError, match=r"trimesh.*fspielm\[geometry\]"):
            Surface.load("part.stl")


def _without(faces: np.ndarray, *gone: int) -> np.ndarray:
    return np.delete(faces, gone, axis=0)


BALL, FACES = sphere(2)
# the projective plane: closed, every edge between two facets, but with one side only
ONE_SIDED = np.array([[0, i, i % 5 + 1] for i in range(1, 6)] + [[i, i % 5 + 1, (i + 2) % 5 + 1] for i in range(1, 6)])


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (BALL, _without(FACES, 0), r"open.*1 hole \(3 edges"),
        (BALL, _without(FACES, 0, 100, 200), r"open.*3 holes \(9 edges"),
        (BALL, np.concatenate([FACES, FACES[:1]]), r"join two facets; 3.*join more"),
        (BALL[:6], ONE_SIDED, r"inside and.*outside.*one side"),
        (BALL[:3], [(0, 1, 2), (0, 2, 1)], "enclose a volume"),
        (np.concatenate([BALL, BALL + 0.5]), np.concatenate([FACES, FACES + len(BALL)]), r"not cross.*near \[.*unite"),
        (BALL, np.empty((0, 3), dtype=int), r"faces.*four facets.*none"),
        (BALL, FACES[:, [0, 0, 1]], r"faces.*three different corners"),
        (BALL, FACES + 1, r"faces.*162 vertices.*1 to 162"),
        (BALL, FACES.astype(float), r"faces.*whole numbers.*float64"),
        (BALL, FACES[:, :2], r"faces.*whole.*\(320, 2\)"),
        (BALL[:, :2], FACES, r"vertices.*shape \(n, 3\)"),
        (np.where(BALL > 0.9, np.nan, BALL), FACES, "vertices must be finite"),
    ],
    ids=[
        "hole",
        "holes",
        "doubled",
        "one-sided",
        "flat",
        "overlap",
        "empty",
        "points",
        "range",
        "float",
        "shape",
        "plane",
        "nan",
    ],
)
def test_refused(vertices: Any, faces: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Surface(vertices, faces)


def test_is_a_value_that_cannot_be_changed() -> None:
    surface, twin, other = Surface(BALL, FACES), Surface(BALL, FACES), Surface(BALL, FACES, name="other")
    assert surface == twin
    assert hash(surface) == hash(twin)
    assert surface != other
    assert surface != "surface"
    assert repr(other) == "Surface(162 vertices, 320 faces, name='other')"
    with pytest.raises(ValueError, match="read-only"):
        surface.vertices[0] = 7


def _arrays(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.array(mesh.vertices), np.array(mesh.faces)
