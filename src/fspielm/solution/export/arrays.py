"""Solutions as arrays, and as files of nothing but numbers."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, real_parts
from fspielm.errors import ProblemError
from fspielm.solution.grid import Grid, make_grid
from fspielm.solution.materials import region_column
from fspielm.solution.measure import default_count
from fspielm.writing import check_place, staged_file

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


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
        The places along each coordinate under its name, ``(n_1,)``, ..., and the values ``(n_1, ..., n_d)`` under
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
    # not by numpy.savez, to which a coordinate could not be called "file"
    with staged_file(path) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def to_csv(solution: Solution, path: str | os.PathLike[str], n: int | Iterable[int] | None = None) -> None:
    """Write coordinates and values at the points of a grid that lie in the domain, as comma-separated values.

    One line for each point, under a line of names, with a column for each unknown; the numbers are exact to the last
    bit. Complex values are two columns, ``u_real`` and ``u_imag``. Where the domain has regions, the column ``region``
    has the place of each point's among their names.

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
    rows = np.column_stack(list(columns.values()))
    names = list(columns)
    with staged_file(path) as draft:
        np.savetxt(draft, rows, fmt="%.17g", delimiter=",", header=",".join(names), comments="", encoding="utf-8")


def by_name(solution: Solution, values: NumberArray) -> dict[str, NumberArray]:
    """Values ``(...)`` of one unknown, or ``(..., U)`` of several, each under its name."""
    names = solution.problem.names
    if len(names) == 1:
        return {names[0]: values}
    return {name: np.ascontiguousarray(values[..., place]) for place, name in enumerate(names)}


def in_parts(arrays: Mapping[str, NumberArray]) -> dict[str, FloatArray]:
    """Arrays of real numbers: complex ones as ``u_real`` and ``u_imag``, for what knows no others."""
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
    """The number of points along the axes that is meant."""
    return default_count(solution.problem.dimension) if n is None else n
