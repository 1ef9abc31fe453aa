"""Solutions for xarray, and as netCDF files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fspielm.errors import ProblemError
from fspielm.solution.export.arrays import in_parts, to_numpy
from fspielm.solution.export.provenance import provenance
from fspielm.writing import check_place, find_cause, staged_file

if TYPE_CHECKING:
    import xarray

    from fspielm.solution.solution import Solution


def to_xarray(
    solution: Solution, n: int | Iterable[int] | None = None, *, units: Mapping[str, str] | None = None
) -> xarray.Dataset:
    """Values on a regular grid over the bounding box, with named coordinates and the provenance as attributes.

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
        One variable for each unknown, named as it; NaN outside of the domain, and complex where the solution is.

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
    dataset = _in_parts(to_xarray(solution, n, units=units))
    with staged_file(path) as draft:
        try:
            dataset.to_netcdf(draft, engine="netcdf4", format="NETCDF4")
        except (RuntimeError, OSError) as error:
            # the library blames permissions, or itself, for a full disk
            find_cause(draft)
            raise ProblemError(f"cannot write {str(path)!r}: {error}") from error


def _in_parts(dataset: xarray.Dataset) -> xarray.Dataset:
    """The dataset with the parts of complex variables in their places."""
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
    """Say at once if xarray is not installed, or with `files` what it writes netCDF files with."""
    for package in ("xarray", "netCDF4") if files else ("xarray",):
        if find_spec(package) is None:
            raise ProblemError(f"this needs {package}; install it with: pip install 'fspielm[export]'")
