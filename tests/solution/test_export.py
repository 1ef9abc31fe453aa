"""Arrays, tables, xarray and netCDF: the same numbers bit for bit, in any number of dimensions."""

from __future__ import annotations

import builtins
import doctest
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.solution.export import arrays as dataset_module
from fspielm.solution.export import arrays as provenance_module

xarray = pytest.importorskip("xarray")

Make = Callable[..., fs.Solution]
EVERYWHERE = ["1d", "1d+time", "2d", "disk", "2d+time", "3d", "ball", "3d+time"]


def count(name: str) -> tuple[int, ...]:
    dimension = {"1d": 1, "1d+time": 2, "2d": 2, "disk": 2, "2d+time": 3, "3d": 3, "ball": 3, "3d+time": 4}[name]
    return tuple(range(5, 5 + dimension))


@pytest.fixture(params=EVERYWHERE)
def case(request: pytest.FixtureRequest, make_solution: Make) -> tuple[fs.Solution, tuple[int, ...]]:
    return make_solution(request.param, "joined"), count(request.param)


def test_numpy_is_the_grid(case: tuple[fs.Solution, tuple[int, ...]]) -> None:
    solution, n = case
    arrays = solution.to_numpy(n)
    grid = solution.grid(n)
    assert list(arrays) == [*grid.names, "u"]
    for name, axis in zip(grid.names, grid.axes, strict=True):
        np.testing.assert_array_equal(arrays[name], axis)
    assert arrays["u"].shape == n
    np.testing.assert_array_equal(np.isnan(arrays["u"]), np.ma.getmaskarray(grid.values))
    np.testing.assert_array_equal(arrays["u"], grid.values.filled(np.nan))


def test_npz_round_trip(case: tuple[fs.Solution, tuple[int, ...]], tmp_path: Path) -> None:
    solution, n = case
    solution.to_npz(tmp_path / "it.npz", n)
    with np.load(tmp_path / "it.npz", allow_pickle=False) as file:
        for name, array in solution.to_numpy(n).items():
            np.testing.assert_array_equal(file[name], array)


def test_csv_round_trip(case: tuple[fs.Solution, tuple[int, ...]], tmp_path: Path) -> None:
    solution, n = case
    solution.to_csv(tmp_path / "it.csv", n)
    table = np.genfromtxt(tmp_path / "it.csv", delimiter=",", names=True)
    assert table.dtype.names == (*map(str, solution.problem.coordinates), "u")
    rows = np.stack([table[name] for name in table.dtype.names], axis=1)
    np.testing.assert_array_equal(rows[:, -1], solution.grid(n).values.compressed())
    assert solution.contains(rows[:, :-1]).all()


def test_netcdf_round_trip(case: tuple[fs.Solution, tuple[int, ...]], tmp_path: Path) -> None:
    solution, n = case
    solution.to_netcdf(tmp_path / "it.nc", n)
    with xarray.open_dataset(tmp_path / "it.nc") as back:
        expected = solution.to_xarray(n)
        assert back.identical(expected)
        for name, array in solution.to_numpy(n).items():
            assert back[name].dtype == np.float64
            np.testing.assert_array_equal(back[name].values, array)


def test_the_dataset_has_names_units_and_provenance(make_solution: Make) -> None:
    solution = make_solution("1d+time")
    dataset = solution.to_xarray((4, 3), units={"x": "m", "t": "s", "u": "Pa"})
    assert dataset.u.dims == ("x", "t")
    assert dataset.x.attrs == {"units": "m"}
    assert dataset.u.attrs == {"units": "Pa"}
    facts = dataset.attrs
    assert facts["source"] == f"fspielm {fs.__version__}"
    assert f"numpy {np.__version__}" in facts["versions"]
    assert facts["unknown"] == "u(x, t)"
    assert "Derivative(u(x, t), (x, 2))" in facts["equation"]
    assert facts["domain"] == repr(solution.problem.domain)
    assert facts["conditions"].count(";") == 1
    assert facts["tol"] == 1e-8
    assert facts["error_estimate"] == solution.error_estimate
    assert facts["verdict"] == "NOT CONVERGED: nothing was solved"
    assert facts["rng"] == str(2**127 + 1)


def test_units_of_nothing(make_solution: Make) -> None:
    with pytest.raises(fs.ProblemError, match=r"units names 'z'.*x"):
        make_solution("1d").to_xarray(4, units={"z": "m"})


def test_without_an_estimate_the_attributes_do_not_speak_of_one() -> None:
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    problem = fs.Problem(u.diff(x, 2) + u, fs.Interval(0, 1), [fs.Dirichlet(1)])
    settings: dict[str, Any] = {"points": fs.Points(interior=60, boundary=1), "least_squares": fs.TruncatedSVD(1e-12)}
    solution = fs.solve(problem, features=fs.Siren(30, mu=(2, 9)), rng=1, **settings)
    assert not {"error_estimate", "verdict"} & set(provenance_module.provenance(solution))


def test_a_coordinate_may_have_any_name(tmp_path: Path) -> None:
    x = sp.Symbol("file")
    u = sp.Function("u")(x)
    problem = fs.Problem(u.diff(x, 2) + u, fs.Interval(0, 1), [fs.Dirichlet(1)])
    solution = fs.solve(problem, rng=0)
    solution.to_npz(tmp_path / "it.npz", 3)
    with np.load(tmp_path / "it.npz") as file:
        np.testing.assert_array_equal(file["file"], [0, 0.5, 1])


@pytest.mark.parametrize(
    "method", [fs.Solution.to_numpy, fs.Solution.to_csv, fs.Solution.to_xarray, fs.Solution.to_vtk]
)
def test_the_examples_in_the_documentation(
    make_solution: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = doctest.DocTestFinder(recurse=False).find(
        method, "method", globs={"solution": make_solution("disk"), "np": np}
    )
    assert example.examples
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_how_many_points_by_default(make_solution: Make) -> None:
    assert make_solution("1d").to_numpy()["u"].shape == (10_000,)
    assert make_solution("disk").to_xarray().u.shape == (100, 100)


@pytest.mark.parametrize(
    ("method", "suffix"), [("to_npz", r"\.npz"), ("to_csv", r"\.csv"), ("to_netcdf", r"\.nc"), ("to_vtk", r"\.vtu, ")]
)
def test_names_and_places_that_cannot_be_written(make_solution: Make, tmp_path: Path, method: str, suffix: str) -> None:
    write = getattr(make_solution("1d"), method)
    with pytest.raises(fs.ProblemError, match=rf"end in {suffix}.*'it\.pickle'"):
        write(tmp_path / "it.pickle", 4)
    name = "it" + suffix.replace("\\", "").strip(", ")
    with pytest.raises(fs.ProblemError, match=r"write .*folder does not exist"):
        write(tmp_path / "none" / name, 4)
    with pytest.raises(fs.ProblemError, match=r"n must be.*every axis.*got 1"):
        write(tmp_path / name, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("package", ["xarray", "netCDF4"])
def test_a_missing_package_names_the_extra(
    make_solution: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(dataset_module, "find_spec", lambda name: None if name == package else known(name))
    with pytest.raises(fs.ProblemError, match=rf"needs {package}.*fspielm\[export\]"):
        make_solution("1d").to_netcdf(tmp_path / "it.nc", 4)


def test_arrays_and_tables_need_no_package(
    make_solution: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = builtins.__import__

    def without(name: str, *arguments: Any) -> Any:
        assert name.partition(".")[0] not in ("xarray", "netCDF4", "pyvista", "vtk", "pandas")
        return known(name, *arguments)

    solution = make_solution("disk")
    monkeypatch.setattr(builtins, "__import__", without)
    solution.to_csv(tmp_path / "it.csv", 5)
    solution.to_npz(tmp_path / "it.npz", 5)
    solution.to_vtk(tmp_path / "it.vtu", 5)
