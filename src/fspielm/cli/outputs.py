"""Files of a solution in the format that the suffix names; refused before the solve where they cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from fspielm.cli.progress import working
from fspielm.demo import CaseRun, FileRun, draw_run, run_interruptibly
from fspielm.equations import Problem
from fspielm.solution import Solution
from fspielm.solution.export import VTK_SUFFIXES, check_vtk, check_xarray, far_field_to_csv
from fspielm.solution.open_space import check_far_field
from fspielm.solution.pictures import check_picture_path, save_picture
from fspielm.solution.pictures.save import FORMATS
from fspielm.store import SUFFIX, save
from fspielm.writing import check_place

# The solution itself comes first: whatever goes wrong with the others, they can be made from it.
_WRITERS: dict[str, Callable[..., None]] = {
    SUFFIX: save,
    ".nc": Solution.to_netcdf,
    ".npz": Solution.to_npz,
    ".csv": Solution.to_csv,
    **dict.fromkeys(VTK_SUFFIXES, Solution.to_vtk),
}

PICTURES_HELP = ", to .png, .pdf, .svg or .jpg; again for more."
HELP = f"Write the solution; again for more: {', '.join(_WRITERS)}."

FarField = Annotated[
    Path | None,
    typer.Option(
        "--far-field",
        metavar="FILE",
        help="Open domains: write the far field in all directions to .csv, or draw it to .png, .pdf, .svg or .jpg.",
    ),
]


@dataclass(frozen=True)
class Outputs:
    """What is asked for beside the report, or, as JSON, instead of it."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the report.")] = False
    plot: Annotated[
        list[Path] | None,
        typer.Option(
            "--plot", metavar="FILE", help=f"Draw the solution, and its error where a reference is known{PICTURES_HELP}"
        ),
    ] = None
    out: Annotated[list[Path] | None, typer.Option("--out", metavar="FILE", help=HELP)] = None

    far_field: FarField = None

    def check(self, problem: Problem) -> None:
        """Say at once, before any long computation, if one of the files could not be written."""
        self.check_pictures()
        if self.far_field is not None:
            check_far_field(problem)
            if self.far_field.suffix.lower() in FORMATS:
                check_picture_path(self.far_field)
            else:
                check_place(self.far_field, (".csv", *FORMATS))
        for path in self.out or []:
            check_place(path, tuple(_WRITERS))
            if path.suffix.lower() == ".nc":
                check_xarray(files=True)
            if path.suffix.lower() in VTK_SUFFIXES:
                check_vtk(problem.domain, path)

    def check_pictures(self) -> None:
        """The same for pictures, which need no domain."""
        for path in self.plot or []:
            check_picture_path(path)

    def write(self, solution: Solution, title: str = "") -> None:
        """Write the files, each complete or not at all; the solution itself keeps the title."""
        suffixes = list(_WRITERS)
        ordered = sorted(self.out or [], key=lambda path: suffixes.index(path.suffix.lower()))
        for path in ordered:
            suffix = path.suffix.lower()
            titled = {"title": title} if suffix == SUFFIX else {}
            with working(f"writing {path}"):
                run_interruptibly(partial(_WRITERS[suffix], solution, path, **titled))
        if self.far_field is not None:
            with working(f"writing {self.far_field}"):
                if self.far_field.suffix.lower() == ".csv":
                    run_interruptibly(partial(far_field_to_csv, solution, self.far_field))
                else:
                    run_interruptibly(partial(solution.plot_far_field, self.far_field, title=title or None))
            ordered.append(self.far_field)
        self.announce("Written", ordered)

    def draw(self, run: CaseRun | FileRun, title: str) -> None:
        """Draw a run, if anyone wants to see it, and save the picture under every name."""
        if not self.plot:
            return
        with working("drawing"):
            figure = run_interruptibly(partial(draw_run, run, title))
            for path in self.plot:
                save_picture(figure, path)
        self.announce("Picture", self.plot)

    def announce(self, what: str, paths: list[Path]) -> None:
        """Say what was written, where no script reads it."""
        if paths and not self.json:
            print("\n" + "\n".join(f"{what}: {path}" for path in paths))
