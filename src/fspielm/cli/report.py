"""Reports of a solution on the terminal, as JSON and in files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fspielm.cli.options import Choice
from fspielm.cli.output import facts_table, headed_table, page_console
from fspielm.cli.progress import completing, working
from fspielm.disk import check_place
from fspielm.errors import ProblemError
from fspielm.files.draft import ProblemFile
from fspielm.files.saved import SUFFIX, Stored, load, read_stored, save
from fspielm.paper.cases.case import PaperResult
from fspielm.paper.demo import CaseRun, FileRun, draw_run
from fspielm.problem.problem import Problem
from fspielm.resources import run_interruptibly
from fspielm.solution.export.arrays import check_xarray, far_field_to_csv
from fspielm.solution.export.vtk import VTK_SUFFIXES, check_vtk
from fspielm.solution.open_space import check_far_field
from fspielm.solution.plot.style import FORMATS, check_picture_path, save_picture
from fspielm.solution.report import Report
from fspielm.solution.solution import Solution
from fspielm.wording import duration, spoken

# ---- Cross sections


_DIGITS = 6


def cross_sections_of(solution: Solution) -> dict[str, float] | None:
    """The cross sections by name; None if the solution has none, as on a bounded domain."""
    if not solution.problem.domain.is_unbounded:
        return None
    try:
        # slow in three dimensions, which have many directions
        with working("cross sections"):
            found = run_interruptibly(solution.cross_sections)
    except ProblemError:
        return None
    return {"scattering": found.scattering, "absorption": found.absorption, "extinction": found.extinction}


def cross_sections_fact(solution: Solution) -> dict[str, str]:
    """The line of a report with the cross sections, if there are any."""
    found = cross_sections_of(solution)
    return {} if found is None else {"cross sections": _in_words(found, solution.report.error_estimate)}


def _in_words(sections: Mapping[str, float], estimate: float | None) -> str:
    """All rounded to the last decimal place that the error estimate leaves reliable; smaller values become zero."""
    digits = _DIGITS if not estimate else max(1, min(_DIGITS, math.floor(-math.log10(min(estimate, 1.0)))))
    largest = max(map(abs, sections.values()))
    place = digits - 1 - (math.floor(math.log10(largest)) if 0 < largest < math.inf else 0)
    return ", ".join(f"{name} {_up_to(value, place)}" for name, value in sections.items())


def _up_to(value: float, place: int) -> str:
    """A number with so many decimal places, including trailing zeros."""
    rounded = round(value, place)
    if not rounded or not math.isfinite(rounded):
        return f"{rounded + 0.0:g}"
    digits = place + 1 + math.floor(math.log10(abs(rounded)))
    return f"{rounded:#.{max(digits, 1)}g}".replace(".e", "e").rstrip(".")


# ---- Output files, whose suffix names the format


# In the order of writing. The solution itself comes first: the other files can be made from it.
_WRITERS: dict[str, Callable[..., None]] = {
    SUFFIX: save,
    ".nc": Solution.to_netcdf,
    ".npz": Solution.to_npz,
    ".csv": Solution.to_csv,
    **dict.fromkeys(VTK_SUFFIXES, Solution.to_vtk),
}

PICTURES_HELP = ", to .png, .pdf, .svg or .jpg; again for more."
Out = Annotated[
    list[Path] | None,
    typer.Option("--out", metavar="FILE", help=f"Write the solution; again for more: {', '.join(_WRITERS)}."),
]
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
    """The outputs beside the report; JSON replaces the report."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the report.")] = False
    plot: Annotated[
        list[Path] | None,
        typer.Option(
            "--plot", metavar="FILE", help=f"Draw the solution, and its error where a reference is known{PICTURES_HELP}"
        ),
    ] = None
    out: Out = None
    far_field: FarField = None

    def check(self, problem: Problem) -> None:
        """Raise an error before the computation if one of the files cannot be written."""
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
        """The same for pictures alone, before the problem is known."""
        for path in self.plot or []:
            check_picture_path(path)

    def write(self, solution: Solution, title: str = "") -> None:
        """Write the files, each complete or not at all; the saved solution includes the title."""
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
        """Draw a run if pictures are asked for, and save the picture under every name."""
        if self.plot:
            draw_pictures(partial(draw_run, run, title), self.plot)
            self.announce("Picture", self.plot)

    def announce(self, what: str, paths: Sequence[Path]) -> None:
        """Print what was written, unless JSON is printed."""
        if paths and not self.json:
            announce(what, paths)


def draw_pictures(draw: Callable[[], Any], paths: Sequence[Path]) -> None:
    """Draw a figure, and save it under every name."""
    with working("drawing"):
        figure = run_interruptibly(draw)
        for path in paths:
            save_picture(figure, path)


def announce(what: str, paths: Sequence[Path]) -> None:
    """Print what was written."""
    print("\n" + "\n".join(f"{what}: {path}" for path in paths))


# ---- Reports of benchmarks and problem files


def print_report(run: CaseRun, choice: Choice) -> None:
    """Print the errors, what was done, the rounds, and the residual of every block, in at most 80 columns."""
    _print(f"{run.case.name}: {run.case.title}", _case_facts(run, choice), run.solution.report)


def print_file_report(run: FileRun, name: str) -> None:
    """Print the same for the problem file `name`."""
    title = run.file.title
    known = {} if run.relative_error is None else {"relative error": f"{run.relative_error:.2e} (reference)"}
    facts = known | _found(run.solution) | _facts(run.solution.report, _time(run))
    _print(f"{name}: {title}" if title else name, facts, run.solution.report)


def print_saved_report(solution: Solution, versions: str) -> None:
    """Print the same for a saved solution, without a heading."""
    report = solution.report
    _print_facts(_found(solution) | _facts(report, _phases(report.seconds)) | {"saved by": versions}, report)


def _print(heading: str, facts: Mapping[str, str], report: Report) -> None:
    Console(highlight=False).print(f"{heading}\n", style="bold", markup=False)
    _print_facts(facts, report)


def _print_facts(facts: Mapping[str, str], report: Report) -> None:
    console = Console(highlight=False)
    console.print(facts_table(facts))
    if report.rounds:
        console.print()
        console.print(_rounds_table(report))
    console.print()
    console.print(_blocks_table(report))


def _case_facts(run: CaseRun, choice: Choice) -> dict[str, str]:
    method, paper = _compared_with(run, choice)
    at = "" if run.case.time_slice is None else f" at time {run.case.time_slice:g}"
    facts = {"relative error": f"{run.relative_error:.2e}{at}"}
    if run.space_time_error is not None:
        facts["space-time error"] = f"{run.space_time_error:.2e}"
    compared = {
        "the paper's error": f"best {paper.best:.2e}, mean {paper.mean:.2e} "
        f"({method}, mu {paper.mu[0]:g} to {paper.mu[1]:g})",
        "method": choice.method,
    }
    return facts | _verdict(run.solution.report) | compared | _facts(run.solution.report, _time(run))


def _time(run: CaseRun | FileRun) -> str:
    return f"{duration(run.seconds)} ({_phases(run.phases)})"


def _phases(seconds: Mapping[str, float]) -> str:
    return ", ".join(f"{phase} {duration(spent)}" for phase, spent in seconds.items())


def _facts(report: Report, time: str) -> dict[str, str]:
    """The bands, functions and system of a solve."""
    return {f"band {axis}": f"{band.frequency:.4g}, set by {band.source}" for axis, band in report.bands.items()} | {
        "functions": _features(report),
        **({"cells": report.tiling} if report.tiling else {}),
        **({"chosen": report.choice} if report.choice else {}),
        "least squares": f"{report.least_squares}, row scaling {report.scaling}",
        "system": f"{report.rows} rows x {report.neurons} {report.noun}, rank {report.rank}, "
        f"condition {report.condition:.1e}",
        "coefficients": f"norm {report.coefficient_norm:.2e}",
        "rng": str(report.rng),
        "time": time,
    }


def _verdict(report: Report) -> dict[str, str]:
    if report.error_estimate is None:
        return {}
    return {
        "error estimate": f"{report.error_estimate:.2e} relative L2, {report.max_error_estimate:.2e} maximum",
        "verdict": f"{'converged' if report.converged else 'NOT CONVERGED'}: {spoken(report.reason)}",
    }


def _found(solution: Solution) -> dict[str, str]:
    """The verdict, which has the largest estimate; the estimates of several unknowns; and the cross sections."""
    fields = solution.report.fields
    of_each = ", ".join(f"{name}: {own.error_estimate:.2e}" for name, own in fields.items())
    return _verdict(solution.report) | ({"of each": of_each} if fields else {}) | cross_sections_fact(solution)


def _features(report: Report) -> str:
    """The functions as they would be typed, or the automatic ones with rounded digits."""
    if report.widths is None or report.cells is not None:
        return report.features
    reach = ", ".join(f"{width:.4g} in {axis}" for axis, width in report.widths.items())
    return f"{report.kind}, frequencies up to {reach}"


def _rounds_table(report: Report) -> Table:
    table = headed_table()
    for heading in ("round", report.noun, "rows", "estimate", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("what it changed")
    for done in report.rounds:
        sizes = str(done.number), str(done.neurons), str(done.rows)
        table.add_row(*sizes, f"{done.error_estimate:.2e}", duration(done.seconds), done.why)
    return table


def _blocks_table(report: Report) -> Table:
    table = headed_table("block")
    residual = "held-out residual (rms)" if report.rounds else "residual (rms)"
    for heading in ("rows", residual, "largest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, block in report.residuals.items():
        table.add_row(name, str(report.points.get(name, 0)), f"{block.rms:.2e}", f"{block.largest:.2e}")
    return table


def as_json(run: CaseRun, choice: Choice) -> dict[str, Any]:
    """Everything about the run in plain values."""
    method, paper = _compared_with(run, choice)
    return {
        "case": run.case.name,
        "method": choice.method,
        "relative_error": run.relative_error,
        "space_time_error": run.space_time_error,
        "paper": {"method": method, "best": paper.best, "mean": paper.mean, "mu": list(paper.mu)},
        "mu": None if choice.mu is None else list(choice.mu),
        **_plain_facts(run),
        "least_squares": choice.least_squares,
    }


def file_as_json(run: FileRun, name: str) -> dict[str, Any]:
    """The same for the problem file `name`."""
    content = {"file": name, "title": run.file.title, "relative_error": run.relative_error, **_plain_facts(run)}
    return content | {"cross_sections": cross_sections_of(run.solution)}


def _plain_facts(run: CaseRun | FileRun) -> dict[str, Any]:
    return {**run.solution.report.as_dict(), "seconds": run.seconds, "phases": run.phases}


def _compared_with(run: CaseRun, choice: Choice) -> tuple[str, PaperResult]:
    """The paper's result for the same method; for the automatic solver, its best one."""
    paper = run.case.paper
    return paper.best if choice.is_automatic else (choice.method, paper.results[choice.method])


# ---- ``fspielm show``


def show_saved(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A solution that was saved, .fspielm.")],
    plot: Annotated[list[Path] | None, typer.Option("--plot", metavar="FILE", help=f"Draw it{PICTURES_HELP}")] = None,
    out: Out = None,
    far_field: FarField = None,
) -> None:
    """Print what a saved solution solves, how it came about and how good it is; draw or export it."""
    stored = read_stored(path)
    solution = load(path)
    outputs = Outputs(plot=plot, out=out, far_field=far_field)
    outputs.check(solution.problem)
    console = page_console()
    versions = ", ".join(f"{name} {version}" for name, version in stored.versions.items())
    names = ", ".join(str(unknown.symbol) for unknown in solution.problem.stated.unknowns)
    console.print(Text(f"{path}: {stored.title or names}\n", style="bold"))
    console.print(Padding(Text(_statement(stored)), (0, 0, 1, 2)))
    print_saved_report(solution, versions)
    run = FileRun(ProblemFile(solution.problem), solution, None, sum(stored.report.seconds.values()))
    with completing():
        outputs.draw(run, stored.title or path.name)
        outputs.write(solution, stored.title)


def _statement(stored: Stored) -> str:
    """The problem file or, without one, what is known of the problem."""
    stated = stored.statement
    if stated["problem"] is not None:
        return str(stated["problem"]).rstrip()
    # files of version 0.1 have a single equation
    equations = stated["equations"] if "equations" in stated else [stated["equation"]]
    return "\n".join(
        [
            *(f"equation    {left} = {right}" for left, right in equations),
            f"domain      {stated['shape']}",
            *(f"condition   {condition}" for condition in stated["conditions"]),
            f"not stored  {stated['missing']}",
        ]
    )
