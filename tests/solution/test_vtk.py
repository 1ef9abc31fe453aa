"""VTK files read back by VTK itself: the same numbers, bit for bit where they are those of one evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain

pyvista = pytest.importorskip("pyvista")

Make = Callable[..., fs.Solution]


def read(path: Path) -> Any:
    return pyvista.read(path)


def same(found: Any, values: np.ndarray) -> None:
    """To rounding: points that are evaluated with others, or in another order, are not the same computation."""
    np.testing.assert_allclose(found, values, rtol=0, atol=1e-13 * max(1.0, float(np.abs(values).max())))


@pytest.mark.parametrize("suffix", [".vtr", ".vti"])
@pytest.mark.parametrize("name", ["1d", "1d+time", "2d", "disk", "2d+time", "3d", "ball"])
def test_grids(make_solution: Make, tmp_path: Path, name: str, suffix: str) -> None:
    solution = make_solution(name, "joined")
    n = tuple(range(4, 4 + solution.problem.dimension))
    path = tmp_path / f"it{suffix}"
    solution.to_vtk(path, n)
    back = read(path)
    grid = solution.grid(n)
    shape = n + (1,) * (3 - len(n))
    assert back.dimensions == shape
    same(np.nan_to_num(back["u"].reshape(n, order="F"), nan=9.0), grid.values.filled(9.0))
    hidden = back["vtkGhostType"].reshape(n, order="F") == 2
    np.testing.assert_array_equal(hidden, np.ma.getmaskarray(grid.values))
    for axis, places in zip(grid.axes, (back.x, back.y, back.z), strict=False):
        if suffix == ".vtr":
            np.testing.assert_array_equal(np.unique(places), axis)
        else:
            np.testing.assert_allclose(places.reshape(shape, order="F").ravel()[[0, -1]], axis[[0, -1]], rtol=1e-15)


def _rim(mesh: Any) -> Any:
    return mesh.extract_feature_edges(feature_edges=False, manifold_edges=False, non_manifold_edges=False)


@pytest.mark.parametrize("suffix", [".vtu", ".vtk"])
@pytest.mark.parametrize("name", ["2d", "disk", "cut"])
def test_triangles_up_to_the_boundary(make_solution: Make, tmp_path: Path, name: str, suffix: str) -> None:
    solution = make_solution(name, "joined")
    domain = solution.problem.domain
    solution.to_vtk(tmp_path / f"it{suffix}", 40)
    back = read(tmp_path / f"it{suffix}")
    assert set(back.celltypes.tolist()) == {5}
    points = np.asarray(back.points)[:, :2]
    same(back["u"], solution(points))
    assert domain.contains(points).all()
    rim = np.asarray(_rim(back).points)[:, :2]
    assert len(rim) > 30
    assert not domain._contains(rim, False).any()  # on the boundary, to rounding
    for corner in domain.corners():
        assert (points == corner.point).all(axis=1).any()
    assert back.area == pytest.approx(domain.measure, rel=2e-3)


@pytest.mark.parametrize("suffix", [".vtu", ".vtk"])
def test_lines_and_boxes(make_solution: Make, tmp_path: Path, suffix: str) -> None:
    for name, kind, cells in (("1d", 3, 8), ("3d", 11, 512)):
        solution = make_solution(name)
        solution.to_vtk(tmp_path / f"it{suffix}", 9)
        back = read(tmp_path / f"it{suffix}")
        assert set(back.celltypes.tolist()) == {kind}
        assert back.n_cells == cells
        same(back["u"], solution(np.asarray(back.points)[:, : solution.problem.dimension]))
    assert back.volume == pytest.approx(6)


def test_boxes_inside_of_a_ball(make_solution: Make, tmp_path: Path) -> None:
    solution = make_solution("ball")
    solution.to_vtk(tmp_path / "it.vtu", 25)
    back = read(tmp_path / "it.vtu")
    assert solution.contains(np.asarray(back.points)).all()
    assert 0.7 < back.volume / solution.problem.domain.measure < 1


@pytest.mark.parametrize(("name", "suffix"), [("1d+time", ".vtr"), ("2d+time", ".vtu"), ("3d+time", ".vtr")])
def test_a_series_in_time(make_solution: Make, tmp_path: Path, name: str, suffix: str) -> None:
    solution = make_solution(name, "tanh")
    solution.to_vtk(tmp_path / "it.pvd", 9, times=[0.1, 0.3])
    reader = pyvista.get_reader(tmp_path / "it.pvd")
    assert reader.time_values == [0.1, 0.3]
    assert sorted(p.name for p in (tmp_path / "it").iterdir()) == [f"it_0000{suffix}", f"it_0001{suffix}"]
    reader.set_active_time_value(0.3)
    (back,) = reader.read()
    points = np.asarray(back.points)[:, : solution.problem.dimension - 1]
    values = solution(np.column_stack([points, np.full(len(points), 0.3)]), outside="extend")
    shown = ~np.isnan(back["u"])
    same(back["u"][shown], values[shown])
    assert shown.mean() > 0.2


def test_as_many_times_as_points_along_the_axis_of_time(make_solution: Make, tmp_path: Path) -> None:
    make_solution("1d+time").to_vtk(tmp_path / "it.pvd", (5, 7))
    times = pyvista.get_reader(tmp_path / "it.pvd").time_values
    np.testing.assert_array_equal(times, np.linspace(0, 1 / 3, 7))


def test_one_time(make_solution: Make, tmp_path: Path) -> None:
    solution = make_solution("2d+time")
    solution.to_vtk(tmp_path / "it.vtu", 9, times=[0.5])
    back = read(tmp_path / "it.vtu")
    points = np.asarray(back.points)[:, :2]
    same(back["u"], solution(np.column_stack([points, np.full(len(points), 0.5)])))


def test_the_provenance_goes_along(make_solution: Make, tmp_path: Path) -> None:
    for suffix in (".vtu", ".vtr", ".vti"):
        make_solution("2d").to_vtk(tmp_path / f"it{suffix}", 4)
        facts = read(tmp_path / f"it{suffix}").field_data
        assert facts["unknown"][0] == "u(x, y)"
        assert facts["source"][0] == f"fspielm {fs.__version__}"


class Sector(Domain):
    """A plane shape whose edges nobody knows."""

    dimension = 2
    measure = 0.5
    bounding_box = (np.zeros(2), np.ones(2))

    def _contains(self, points: np.ndarray, closed: bool) -> np.ndarray:
        return points.sum(axis=1) <= 1

    def _boundary(self, axes: Any) -> Any:
        return fs.Box((0, 0), (1, 1)).boundary()


def test_a_plane_shape_without_edges_is_small_boxes(make_solution: Make, tmp_path: Path) -> None:
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    problem = fs.Problem(u.diff(x, 2) + u.diff(y, 2), Sector(), [fs.Dirichlet(0)])
    replace(make_solution("2d"), problem=problem).to_vtk(tmp_path / "it.vtu", 6)
    back = read(tmp_path / "it.vtu")
    assert set(back.celltypes.tolist()) == {8}
    assert back.n_cells == 4 + 3 + 2 + 1


@pytest.mark.parametrize(
    ("name", "file", "times", "message"),
    [
        ("2d", "it.pvd", None, r"\.pvd.*in time.*none"),
        ("2d", "it.vtu", [0], r"times=.*in time.*none"),
        ("2d+time", "it.vtu", None, r"\.vtu.*at all times.*\.pvd"),
        ("3d+time", "it.vtr", None, r"\.vtr.*at all times"),
        ("2d+time", "it.vtu", [0, 1], r"one \.vtu.*one time.*\.pvd"),
        ("2d+time", "it.pvd", [0, 3], r"times.*from 0 to 2; got \[0, 3\]"),
        ("2d+time", "it.pvd", [], r"times.*from 0 to 2; got \[\]"),
        ("2d+time", "it.pvd", "now", r"times.*from 0 to 2; got 'now'"),
    ],
)
def test_refused(make_solution: Make, tmp_path: Path, name: str, file: str, times: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make_solution(name).to_vtk(tmp_path / file, 5, times=times)
    assert list(tmp_path.iterdir()) == []


def test_a_series_whose_folder_is_a_file(make_solution: Make, tmp_path: Path) -> None:
    (tmp_path / "it").touch()
    with pytest.raises(fs.ProblemError, match=r"folder .*it': File exists"):
        make_solution("1d+time").to_vtk(tmp_path / "it.pvd", 5)
