"""Several unknowns and complex values for other programs: the same numbers, under names that tell them apart."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.solution.evaluation import vectors_of

xarray = pytest.importorskip("xarray")


def grid_values(solution: fs.Solution, name: str, n: int) -> np.ndarray:
    return np.asarray(solution[name].grid(n).values.filled(np.nan))


def test_numpy_has_an_array_for_each(flow: fs.Solution, modes: fs.Solution) -> None:
    arrays = flow.to_numpy(7)
    assert list(arrays) == ["x", "y", "u", "v", "p"]
    for name in "uvp":
        np.testing.assert_allclose(arrays[name], grid_values(flow, name, 7), rtol=0, atol=1e-13)
    arrays = modes.to_numpy(7)
    assert arrays["v"].dtype == np.complex128
    np.testing.assert_allclose(arrays["v"], grid_values(modes, "v", 7), rtol=0, atol=1e-13)


def test_npz_round_trip(modes: fs.Solution, tmp_path: Path) -> None:
    modes.to_npz(tmp_path / "it.npz", 7)
    with np.load(tmp_path / "it.npz", allow_pickle=False) as file:
        for name, array in modes.to_numpy(7).items():
            np.testing.assert_array_equal(file[name], array)


def test_csv_has_columns_for_parts(flow: fs.Solution, lossy: fs.Solution, modes: fs.Solution, tmp_path: Path) -> None:
    path = tmp_path / "it.csv"
    flow.to_csv(path, 9)
    table = np.genfromtxt(path, delimiter=",", names=True)
    assert table.dtype.names == ("x", "y", "u", "v", "p")
    points = np.column_stack([table["x"], table["y"]])
    found = np.column_stack([table[name] for name in "uvp"])
    np.testing.assert_allclose(found, flow(points), rtol=0, atol=1e-13)
    lossy.to_csv(path, 9)
    table = np.genfromtxt(path, delimiter=",", names=True)
    assert table.dtype.names == ("x", "y", "u_real", "u_imag")
    np.testing.assert_allclose(table["u_real"] + 1j * table["u_imag"], lossy(points), rtol=0, atol=1e-13)
    modes.to_csv(path, 5)
    assert path.read_text().splitlines()[0] == "x,y,u_real,u_imag,v_real,v_imag"


def test_xarray_has_a_variable_for_each(flow: fs.Solution, modes: fs.Solution) -> None:
    dataset = flow.to_xarray(7, units={"x": "m", "p": "Pa"})
    assert list(dataset.data_vars) == ["u", "v", "p"]
    assert dataset.p.attrs["units"] == "Pa"
    assert dataset.attrs["unknown"] == "u(x, y), v(x, y), p(x, y)"
    assert dataset.attrs["equation"].count(";") == 2
    np.testing.assert_allclose(dataset.p.values, grid_values(flow, "p", 7), rtol=0, atol=1e-13)
    assert modes.to_xarray(5).u.dtype == np.complex128
    assert list(flow["p"].to_xarray(5).data_vars) == ["p"]


def test_netcdf_has_parts(flow: fs.Solution, modes: fs.Solution, tmp_path: Path) -> None:
    pytest.importorskip("netCDF4")
    flow.to_netcdf(tmp_path / "flow.nc", 7)
    with xarray.open_dataset(tmp_path / "flow.nc") as dataset:
        np.testing.assert_allclose(dataset.v.values, grid_values(flow, "v", 7), rtol=0, atol=1e-13)
    modes.to_netcdf(tmp_path / "modes.nc", 7, units={"u": "V"})
    with xarray.open_dataset(tmp_path / "modes.nc") as dataset:
        assert list(dataset.data_vars) == ["u_real", "u_imag", "v_real", "v_imag"]
        assert dataset.u_imag.attrs["units"] == "V"
        values = dataset.u_real.values + 1j * dataset.u_imag.values
    np.testing.assert_allclose(values, grid_values(modes, "u", 7), rtol=0, atol=1e-13)


def read_array(text: str, name: str) -> tuple[np.ndarray, int]:
    found = re.search(rf'Name="{name}" NumberOfComponents="(\d)" format="binary">([^<]*)<', text)
    assert found is not None
    return np.frombuffer(base64.b64decode(found[2])[8:], "<f8"), int(found[1])


@pytest.mark.parametrize("suffix", [".vtu", ".vtr", ".vti"])
def test_vtk_has_scalars_and_a_vector(flow: fs.Solution, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"flow{suffix}"
    flow.to_vtk(path, 9)
    text = path.read_text()
    assert '<PointData Scalars="u" Vectors="uv">' in text
    (u, one), (v, _), (vector, three) = (read_array(text, name) for name in ("u", "v", "uv"))
    assert (one, three) == (1, 3)
    np.testing.assert_array_equal(vector.reshape(-1, 3)[:, 0], u)
    np.testing.assert_array_equal(vector.reshape(-1, 3)[:, 1], v)
    inside = ~np.isnan(u)
    assert np.all(vector.reshape(-1, 3)[inside, 2] == 0)
    if suffix == ".vtr":
        np.testing.assert_allclose(u.reshape(9, 9, order="F"), grid_values(flow, "u", 9), rtol=0, atol=1e-13)


def test_vtk_has_parts_of_complex_fields(modes: fs.Solution, tmp_path: Path) -> None:
    modes.to_vtk(tmp_path / "modes.vtr", 9)
    text = (tmp_path / "modes.vtr").read_text()
    real, imaginary = (read_array(text, f"v_{part}")[0].reshape(9, 9, order="F") for part in ("real", "imag"))
    np.testing.assert_allclose(real + 1j * imaginary, grid_values(modes, "v", 9), rtol=0, atol=1e-13)
    assert read_array(text, "uv_imag")[1] == 3


def test_old_vtk_has_them_too(flow: fs.Solution, tmp_path: Path) -> None:
    flow.to_vtk(tmp_path / "flow.vtk", 5)
    data = (tmp_path / "flow.vtk").read_bytes()
    for head in (b"SCALARS u double 1", b"SCALARS p double 1", b"VECTORS uv double"):
        assert head in data


@pytest.mark.parametrize(
    ("names", "coordinates", "vectors"),
    [
        ("u v p", "x y", {"uv": (0, 1)}),
        ("p v u", "x y", {"uv": (2, 1)}),
        ("u v w", "x y z", {"uvw": (0, 1, 2)}),
        ("u v", "x y z", {}),
        ("Ex Ey Hz", "x y", {"E": (0, 1)}),
        ("E_x E_y", "x y", {"E": (0, 1)}),
        ("u1 u2", "x y", {"u": (0, 1)}),
        ("a b", "x y", {}),
        ("x1 q", "x", {}),
        ("E Ex Ey", "x y", {}),
    ],
)
def test_which_unknowns_are_a_vector(names: str, coordinates: str, vectors: dict[str, tuple[int, ...]]) -> None:
    symbols = sp.symbols(coordinates, seq=True)
    unknowns = [sp.Function(name)(*symbols) for name in names.split()]
    equations = [sum(unknown.diff(s, 2) for s in symbols) for unknown in unknowns]
    domain = fs.Interval(0, 1) if len(symbols) == 1 else fs.Box((0,) * len(symbols), (1,) * len(symbols))
    problem = fs.Problem(equations, domain, [fs.Dirichlet(dict.fromkeys(unknowns, 0))], unknowns=unknowns)
    assert vectors_of(problem) == vectors


def test_names_that_parts_would_share_are_refused(modes: fs.Solution) -> None:
    from fspielm.solution.export.arrays import in_parts

    with pytest.raises(fs.ProblemError, match="share names; rename"):
        in_parts({"u": np.ones(2, dtype=complex), "u_real": np.ones(2)})
