"""Solutions as arrays, tables and xarray datasets."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray, NumberArray, real_parts
from fspielm.disk import check_place, find_cause, staged_file
from fspielm.errors import ProblemError
from fspielm.solution.evaluation import default_count
from fspielm.solution.fields import Grid, make_grid
from fspielm.solution.integrals import region_column
from fspielm.solution.open_space import check_far_field, directions_around, far_field
from fspielm.version import versions

if TYPE_CHECKING:
    import xarray

    from fspielm.solution.solution import Solution


# Directions in a circle, or a multiple of them: one degree apart in the plane, five in space.
IN_PLANE, _IN_SPACE = 360, 72


def provenance(solution: Solution) -> dict[str, str | float | int]:
    """What was solved, how well, and by which versions; as text and numbers, which every format can hold."""
    problem, report = solution.problem, solution.report
    known = versions()
    facts: dict[str, str | float | int] = {
        "source": f"fspielm {known.pop('fspielm')}",
        "versions": ", ".join(f"{name} {version}" for name, version in known.items()),
        "unknown": ", ".join(str(unknown.symbol) for unknown in problem.stated.unknowns),
        "equation": "; ".join(map(str, problem.statement.equations)),
        "domain": repr(problem.domain),
        "conditions": "; ".join(map(repr, problem.conditions)),
        "tol": report.tol,
        "neurons": report.neurons,
        "features": report.features,
        # as text: a seed drawn from the system's entropy has more digits than formats hold
        "rng": str(report.rng),
    }
    if report.cells is not None:
        facts["cells"] = report.cells
    if report.error_estimate is not None and report.max_error_estimate is not None:
        facts["error_estimate"] = report.error_estimate
        facts["max_error_estimate"] = report.max_error_estimate
        facts["verdict"] = f"{'converged' if report.converged else 'NOT CONVERGED'}: {report.reason}"
    return facts


def to_numpy(solution: Solution, n: int | Iterable[int] | None = None) -> dict[str, NumberArray]:
    """Values on a regular grid over the bounding box, time included, as plain arrays by name.

    Parameters
    ----------
    n : int or sequence of int, optional
        Points along every axis, or along each of them; by default 10000 in one dimension, 100 in two, 41 in three and
        16 beyond.

    Returns
    -------
    dict
        The grid along each coordinate under its name, ``(n_1,)``, ..., and the values ``(n_1, ..., n_d)`` under
        that of each unknown, NaN outside of the domain; complex where the solution is.

    Examples
    --------
    For a solution in the plane, with coordinates x and y:

    >>> x, y, u = solution.to_numpy(50).values()
    >>> u.shape
    (50, 50)
    >>> solution.to_numpy((80, 20))["x"].shape
    (80,)
    """
    grid = _grid(solution, n)
    return dict(zip(grid.names, grid.axes, strict=True)) | by_name(solution, np.asarray(grid.values.filled(np.nan)))


def to_npz(solution: Solution, path: str | os.PathLike[str], n: int | Iterable[int] | None = None) -> None:
    """Write the arrays of `to_numpy` to a file that `numpy.load` reads; its name must end in ``.npz``."""
    check_place(path, (".npz",))
    arrays = to_numpy(solution, n)
    # numpy.savez does not accept a coordinate named "file"
    with staged_file(path) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def to_csv(solution: Solution, path: str | os.PathLike[str], n: int | Iterable[int] | None = None) -> None:
    """Write coordinates and values at the points of a grid that lie in the domain, as comma-separated values.

    After a line of names, one line for each point with a column for each unknown; the numbers are exact to the last
    bit. Complex values are two columns, ``u_real`` and ``u_imag``. Where the domain has regions, the column ``region``
    has the index of each point's region.

    Parameters
    ----------
    path : path
        Its name must end in ``.csv``.
    n : int or sequence of int, optional
        As for `to_numpy`.

    Examples
    --------
    >>> solution.to_csv("solution.csv", 50)
    >>> np.loadtxt("solution.csv", delimiter=",", skiprows=1).shape[1]
    3
    """
    check_place(path, (".csv",))
    grid = _grid(solution, n)
    outside = np.ma.getmaskarray(grid.values).reshape(*map(len, grid.axes), -1)[..., 0]
    index = np.nonzero(~outside)
    columns = dict(zip(grid.names, (axis[i] for axis, i in zip(grid.axes, index, strict=True)), strict=True))
    columns |= in_parts(by_name(solution, grid.values.data[index]))
    columns |= region_column(solution.problem, np.column_stack([columns[name] for name in grid.names]))
    _write_csv(path, columns)


def _write_csv(path: str | os.PathLike[str], columns: Mapping[str, FloatArray]) -> None:
    with staged_file(path) as draft:
        rows = np.column_stack(list(columns.values()))
        np.savetxt(draft, rows, fmt="%.17g", delimiter=",", header=",".join(columns), comments="", encoding="utf-8")


def by_name(solution: Solution, values: NumberArray) -> dict[str, NumberArray]:
    """Values ``(...)`` of one unknown, or ``(..., U)`` of several, by name."""
    names = solution.problem.names
    if len(names) == 1:
        return {names[0]: values}
    return {name: np.ascontiguousarray(values[..., place]) for place, name in enumerate(names)}


def in_parts(arrays: Mapping[str, NumberArray]) -> dict[str, FloatArray]:
    """Real arrays, with complex ones as ``u_real`` and ``u_imag``."""
    parts: dict[str, FloatArray] = {}
    for name, array in arrays.items():
        ends = ("_real", "_imag") if np.iscomplexobj(array) else ("",)
        parts |= {f"{name}{end}": part for end, part in zip(ends, real_parts(array), strict=True)}
    if len(parts) < sum(1 + np.iscomplexobj(array) for array in arrays.values()):
        raise ProblemError(f"the real and imaginary parts of {', '.join(arrays)} would share names; rename an unknown")
    return parts


def _grid(solution: Solution, n: int | Iterable[int] | None) -> Grid:
    """All unknowns on a grid."""
    width = len(solution.problem.names) * solution.dtype.itemsize
    return make_grid(partial(solution, outside="extend"), solution.problem, chosen_count(solution, n), width=width)


def chosen_count(solution: Solution, n: int | Iterable[int] | None) -> int | Iterable[int]:
    """The number of grid points along the axes, by default that of `default_count`."""
    return default_count(solution.problem.dimension) if n is None else n


def far_field_to_csv(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write the far field in all directions as comma-separated values, densely enough to resolve it.

    In the plane a line has ``angle_degrees``, from the first axis; in space ``theta_degrees``, from the last axis, and
    ``phi_degrees``, around it and from the first one. Then come ``real``, ``imag`` and ``abs``; for an elastic body
    those of displacements along and across the direction, ``real_along`` and so on.

    Parameters
    ----------
    path : path
        Its name must end in ``.csv``.
    """
    check_place(path, (".csv",))
    check_far_field(solution.problem)
    in_plane = solution.problem.dimension == 2
    _write_csv(path, _far_field_in_plane(solution) if in_plane else _far_field_in_space(solution))


def _far_field_in_plane(solution: Solution) -> dict[str, FloatArray]:
    count = IN_PLANE * -(-directions_around(solution.problem) // IN_PLANE)
    degrees = 360.0 * np.arange(count) / count
    values = far_field(solution, np.radians(degrees))
    columns = {"angle_degrees": degrees}
    if values.ndim == 1:
        return columns | _parts(values)
    along, across = values.T
    return columns | _parts(along, "_along") | _parts(across, "_across")


def _far_field_in_space(solution: Solution) -> dict[str, FloatArray]:
    count = _IN_SPACE * -(-directions_around(solution.problem) // _IN_SPACE)
    steps = 360.0 * np.arange(count) / count
    theta, phi = (each.ravel() for each in np.meshgrid([*steps[: count // 2], 180.0], steps, indexing="ij"))
    polar, azimuth = np.radians(theta), np.radians(phi)
    vectors = [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)]
    return {"theta_degrees": theta, "phi_degrees": phi} | _parts(far_field(solution, np.column_stack(vectors)))


def _parts(values: ComplexArray, of: str = "") -> dict[str, FloatArray]:
    return {f"real{of}": values.real, f"imag{of}": values.imag, f"abs{of}": np.abs(values)}


def to_xarray(
    solution: Solution, n: int | Iterable[int] | None = None, *, units: Mapping[str, str] | None = None
) -> xarray.Dataset:
    """Values on a regular grid over the bounding box as an xarray dataset, with the provenance as attributes.

    Needs xarray (``pip install "fspielm[export]"``).

    Parameters
    ----------
    n : int or sequence of int, optional
        As for `to_numpy`.
    units : mapping, optional
        Units of coordinates and of unknowns, by name: ``{"x": "m", "t": "s", "u": "Pa"}``.

    Returns
    -------
    xarray.Dataset
        One variable for each unknown, with its name; NaN outside of the domain, and complex where the solution is.

    Examples
    --------
    >>> dataset = solution.to_xarray(50, units={"x": "m", "y": "m"})
    >>> dataset.u.sel(x=0.5, method="nearest").dims
    ('y',)
    """
    check_xarray()
    import xarray

    arrays = to_numpy(solution, n)
    fields = {name: arrays.pop(name) for name in solution.problem.names}
    variables = {name: (tuple(arrays), values) for name, values in fields.items()}
    dataset = xarray.Dataset(variables, coords=arrays, attrs=provenance(solution))
    for what, unit in (units or {}).items():
        if what not in dataset.variables:
            raise ProblemError(f"units names {what!r}; the names are {', '.join(map(str, dataset.variables))}")
        dataset[what].attrs["units"] = unit
    return dataset


def to_netcdf(
    solution: Solution,
    path: str | os.PathLike[str],
    n: int | Iterable[int] | None = None,
    *,
    units: Mapping[str, str] | None = None,
) -> None:
    """Write the dataset of `to_xarray` to a netCDF file; its name must end in ``.nc``.

    The format has no complex numbers: complex values are two variables, ``u_real`` and ``u_imag``.

    Needs xarray and netCDF4 (``pip install "fspielm[export]"``).
    """
    check_place(path, (".nc",))
    check_xarray(files=True)
    dataset = _real_dataset(to_xarray(solution, n, units=units))
    with staged_file(path) as draft:
        try:
            dataset.to_netcdf(draft, engine="netcdf4", format="NETCDF4")
        except (RuntimeError, OSError) as error:
            # the library blames permissions, or itself, for a full disk
            find_cause(draft)
            raise ProblemError(f"cannot write {str(path)!r}: {error}") from error


def _real_dataset(dataset: xarray.Dataset) -> xarray.Dataset:
    """The dataset with complex variables replaced by their parts."""
    for name in [str(name) for name, variable in dataset.data_vars.items() if variable.dtype.kind == "c"]:
        variable = dataset[name]
        parts = in_parts({name: variable.values})
        dataset = dataset.drop_vars(name)
        for part, values in parts.items():
            if part in dataset.variables:
                raise ProblemError(f"the parts of {name} would be called as {part} is; rename an unknown")
            dataset[part] = (variable.dims, values, variable.attrs)
    return dataset


def check_xarray(*, files: bool = False) -> None:
    """Raise an error if xarray is not installed, or with `files`, netCDF4."""
    for package in ("xarray", "netCDF4") if files else ("xarray",):
        if find_spec(package) is None:
            raise ProblemError(f"this needs {package}; install it with: pip install 'fspielm[export]'")
