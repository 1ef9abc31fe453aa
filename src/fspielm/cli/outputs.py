"""Files of a solution in the format that the suffix names; refused before the solve where they cannot be written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from fspielm.cli.progress import working
from fspielm.demo import run_interruptibly
from fspielm.geometry import Domain
from fspielm.solution import Solution
from fspielm.solution.export import VTK_SUFFIXES, check_vtk, check_xarray
from fspielm.solution.pictures import check_picture_path
from fspielm.store import SUFFIX
from fspielm.writing import check_place

# The solution itself comes first: whatever goes wrong with the others, they can be made from it.
_WRITERS: dict[str, Callable[[Solution, Path], None]] = {
    SUFFIX: Solution.save,
    ".nc": Solution.to_netcdf,
    ".npz": Solution.to_npz,
    ".csv": Solution.to_csv,
    **dict.fromkeys(VTK_SUFFIXES, Solution.to_vtk),
}

PICTURES_HELP = ", to .png, .pdf, .svg or .jpg; again for more."
HELP = f"Write the solution; again for more: {', '.join(_WRITERS)}."


def check_outputs(paths: Sequence[Path], domain: Domain) -> None:
    """Say at once, before any long computation, if one of the files could not be written."""
    for path in paths:
        check_place(path, tuple(_WRITERS))
        if path.suffix.lower() == ".nc":
            check_xarray(files=True)
        if path.suffix.lower() in VTK_SUFFIXES:
            check_vtk(domain, path)


def check_pictures(paths: Sequence[Path]) -> None:
    """The same for pictures."""
    for path in paths:
        check_picture_path(path)


def write_outputs(solution: Solution, paths: Sequence[Path], *, announce: bool) -> None:
    """Write the files, each complete or not at all."""
    suffixes = list(_WRITERS)
    ordered = sorted(paths, key=lambda path: suffixes.index(path.suffix.lower()))
    for path in ordered:
        with working(f"writing {path}"):
            run_interruptibly(partial(_WRITERS[path.suffix.lower()], solution, path))
    if announce and ordered:
        print("\n" + "\n".join(f"Written: {path}" for path in ordered))
