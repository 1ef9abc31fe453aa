"""Solutions as arrays, and as files of nothing but numbers."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solution.measure import default_count
from fspielm.writing import check_place, staged_file

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def to_numpy(solution: Solution, n: int | Iterable[int] | None = None) -> dict[str, FloatArray]:
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
        that of the unknown, NaN outside of the domain.

    Examples
    --------
    For a solution in the plane, with coordinates x and y:

    >>> x, y, u = solution.to_numpy(50).values()
    >>> u.shape
    (50, 50)
    >>> solution.to_numpy((80, 20))["x"].shape
    (80,)
    """
    grid = solution.grid(chosen_count(solution, n))
    name = solution.problem.unknown.func.__name__
    return dict(zip(grid.names, grid.axes, strict=True)) | {name: np.asarray(grid.values.filled(np.nan))}


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

    One line for each point, under a line of names; the numbers are exact to the last bit.

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
    grid = solution.grid(chosen_count(solution, n))
    index = np.nonzero(~np.ma.getmaskarray(grid.values))
    columns = [axis[i] for axis, i in zip(grid.axes, index, strict=True)]
    rows = np.column_stack([*columns, grid.values.data[index]])
    names = [*grid.names, solution.problem.unknown.func.__name__]
    with staged_file(path) as draft:
        np.savetxt(draft, rows, fmt="%.17g", delimiter=",", header=",".join(names), comments="", encoding="utf-8")


def chosen_count(solution: Solution, n: int | Iterable[int] | None) -> int | Iterable[int]:
    """The number of points along the axes that is meant."""
    return default_count(solution.problem.dimension) if n is None else n
