"""The far field in directions all around, as a table of numbers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.solution.open_space import check_far_field, directions_around, far_field
from fspielm.writing import check_place, staged_file

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution

# At least so many directions in a circle, and otherwise some times as many: a degree in the plane, five in space.
_IN_PLANE, _IN_SPACE = 360, 72


def far_field_to_csv(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write the far field in directions all around as comma-separated values, with as many of them as tell all of it.

    In the plane a line has ``angle_degrees``, from the first axis, in space ``theta_degrees``, from the last axis, and
    ``phi_degrees``, around it and from the first one; then ``real``, ``imag`` and ``abs``. Of an elastic body these are
    there for displacements along the direction and across it, ``real_along`` and so on.

    Parameters
    ----------
    path : path
        Its name must end in ``.csv``.
    """
    check_place(path, (".csv",))
    check_far_field(solution.problem)
    columns = _around(solution) if solution.problem.dimension == 2 else _everywhere(solution)
    with staged_file(path) as draft:
        rows = np.column_stack(list(columns.values()))
        np.savetxt(draft, rows, fmt="%.17g", delimiter=",", header=",".join(columns), comments="", encoding="utf-8")


def _around(solution: Solution) -> dict[str, FloatArray]:
    count = _IN_PLANE * -(-directions_around(solution.problem) // _IN_PLANE)
    degrees = 360.0 * np.arange(count) / count
    values = far_field(solution, np.radians(degrees))
    columns = {"angle_degrees": degrees}
    if values.ndim == 1:
        return columns | _parts(values)
    along, across = values.T
    return columns | _parts(along, "_along") | _parts(across, "_across")


def _everywhere(solution: Solution) -> dict[str, FloatArray]:
    count = _IN_SPACE * -(-directions_around(solution.problem) // _IN_SPACE)
    steps = 360.0 * np.arange(count) / count
    theta, phi = (each.ravel() for each in np.meshgrid([*steps[: count // 2], 180.0], steps, indexing="ij"))
    polar, azimuth = np.radians(theta), np.radians(phi)
    vectors = [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)]
    return {"theta_degrees": theta, "phi_degrees": phi} | _parts(far_field(solution, np.column_stack(vectors)))


def _parts(values: ComplexArray, of: str = "") -> dict[str, FloatArray]:
    return {f"real{of}": values.real, f"imag{of}": values.imag, f"abs{of}": np.abs(values)}
