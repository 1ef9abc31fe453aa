"""``fspielm solve FILE --set``: solve a problem file for many values of its parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import sympy as sp
import typer
from rich.console import Console

from fspielm.cli.options import Options, file_settings, optional, refuse
from fspielm.cli.output import headed_table, print_json
from fspielm.cli.progress import completing, run_or_salvage, working
from fspielm.cli.report import Outputs, draw_pictures
from fspielm.disk import check_place, staged_file
from fspielm.errors import ProblemError
from fspielm.files.draft import ProblemFile
from fspielm.files.read import read_problem_file
from fspielm.jobs.sweep_picture import plot_sweep
from fspielm.jobs.sweep_plan import RESERVED, size
from fspielm.jobs.sweeping import sweep
from fspielm.numerics.tolerances import SAME
from fspielm.problem.problem import Problem
from fspielm.solution.solution import Solution
from fspielm.wording import did_you_mean, spoken

_SUFFIXES = (".csv", ".nc")
_FORM = "write --set f=500:2000:50 (from 500 to 2000 in steps of 50), --set f=1,2,5 or --set f=3"


@dataclass(frozen=True)
class SweepOptions:
    """The options of a sweep as typed."""

    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUES",
            help="Solve a problem file for many values of a parameter: f=500:2000:50 is from 500 to 2000 in steps of "
            "50, f=1,2,5 these three; again for more parameters, and every combination.",
        ),
    ] = None
    at: Annotated[
        str | None, optional("X,Y", "With --set: the solution at this point is shown.", "its root mean square")
    ] = None
    keep: Annotated[
        Path | None, optional("FILE", "With --set: keep rows as they end; the same command goes on.", "nothing")
    ] = None
    workers: Annotated[int | None, optional("N", "With --set: processes at once.", "one a core")] = None

    def check(self) -> None:
        """Refuse options of a sweep without ``--set``."""
        for each in fields(self):
            if each.name != "set" and getattr(self, each.name) is not None and not self.set:
                raise ProblemError(f"--{each.name} belongs to a sweep; add --set, as in --set f=500:2000:50")


def sweep_file(name: str, options: Options, outputs: Outputs, wanted: SweepOptions) -> None:
    """Solve the problem of a file for many values, print the rows, and write the outputs."""
    alone = "is for a single solve; leave it out with --set"
    refuse(options, ("method", "mu", "shift", "least_squares", "scaling", "approach"), alone)
    refuse(outputs, ("far_field",), alone)
    for path in outputs.out or []:
        if path.suffix.lower() not in _SUFFIXES:
            raise ProblemError(f"with --set, --out writes a table of all rows, to .csv or .nc; got {path.name!r}")
        check_place(path, _SUFFIXES)
    file = read_problem_file(Path(name))
    settings = file_settings(options, file.budget)
    values = dict(_read(text, file) for text in wanted.set or [])
    measure = size if wanted.at is None else _At(_point(wanted.at, file.problem))
    with working(f"solving {name}") as show:
        work = partial(
            sweep,
            file.problem,
            values,
            measure=measure,
            keep=wanted.keep,
            tol=settings.get("tol", file.tol),
            budget=settings["budget"],
            rng=options.rng if options.rng is not None else file.rng or 0,
            workers=wanted.workers,
            progress=lambda done, total, line: show(line),
        )
        kept = f"the rows that have ended are in {wanted.keep}, and the same command goes on" if wanted.keep else ""
        found, interrupt = run_or_salvage(work, here=True, note=kept)
    with completing(interrupt):
        if outputs.json:
            print_json(_as_json(found))
        else:
            _print(found, file.title or name)
        for path in outputs.out or []:
            _write(found, path)
        outputs.announce("Written", outputs.out or [])
        if outputs.plot:
            label, title = _words(found, wanted, file.problem)
            draw_pictures(partial(plot_sweep, found, label=label, title=title), outputs.plot)
            outputs.announce("Picture", outputs.plot)


@dataclass(frozen=True)
class _At:
    """Measures the solution at a point, for each unknown."""

    point: tuple[float, ...]

    def __call__(self, solution: Solution) -> dict[str, Any]:
        values = np.ravel(solution(np.array([self.point])))
        return dict(zip(solution.problem.names, values, strict=True))


def _read(text: str, file: ProblemFile) -> tuple[sp.Symbol, list[float]]:
    """A parameter and its values from ``NAME=VALUES``."""
    name, equals, typed = (part.strip() for part in text.partition("="))
    if not (name and equals and typed):
        raise ProblemError(f"--set {text!r} has no values; {_FORM}")
    if name in file.fixed:
        raise ProblemError(
            f"--set: the domain is written with {name}, and stays as it is; write a file for each {name}"
        )
    known = {str(symbol): symbol for symbol in file.problem.parameters}
    if name not in known:
        have = f"its parameters are {', '.join(known)}" if known else "it has no parameters"
        raise ProblemError(
            f"--set: the file has no parameter {name!r}: {have}{did_you_mean(name, known)}; write {name} = 1 under "
            f"[parameters], and {name} into an equation or a condition"
        )
    try:
        numbers = [float(part) for part in typed.replace(",", ":").split(":")]
    except ValueError:
        raise ProblemError(f"--set {text!r} has values that are no numbers; {_FORM}") from None
    if ":" in typed:
        if len(numbers) != 3 or "," in typed:
            raise ProblemError(f"--set {text!r} must be FIRST:LAST:STEP; {_FORM}")
        numbers = _steps(text, *numbers)
    return known[name], numbers


def _steps(text: str, first: float, last: float, step: float) -> list[float]:
    if step == 0 or not all(map(math.isfinite, (first, last, step))) or (last - first) / step < 0:
        raise ProblemError(f"--set {text!r} never gets from its first value to its last; {_FORM}")
    # the last value may differ from a multiple of the step by rounding
    count = math.floor((last - first) / step * (1 + SAME) + SAME) + 1
    return [first + place * step for place in range(count)]


def _point(text: str, problem: Problem) -> tuple[float, ...]:
    try:
        point = tuple(float(part) for part in text.split(","))
    except ValueError:
        point = ()
    if len(point) != problem.dimension:
        names = ",".join(map(str, problem.coordinates))
        raise ProblemError(f"--at must be a number for each of the coordinates {names}; got {text!r}")
    if not problem.domain.contains(np.array([point]))[0]:
        raise ProblemError(f"--at {text} is outside of the domain")
    return point


def _words(found: Any, wanted: SweepOptions, problem: Problem) -> tuple[str | None, str | None]:
    """The label of the measured quantity in a picture, if it is not its name, and the title."""
    if wanted.at is None:
        return "root mean square" if _measured(found) == ["size"] else None, None
    places = zip(problem.coordinates, _point(wanted.at, problem), strict=True)
    return None, f"at {', '.join(f'{name} = {value:g}' for name, value in places)}"


def _measured(found: Any) -> list[str]:
    return [str(name) for name in found.data_vars if name not in RESERVED]


def _print(found: Any, title: str) -> None:
    """The rows, in at most 80 columns."""
    console = Console(highlight=False)
    console.print(f"{title}\n", style="bold", markup=False)
    table = headed_table(*found["error_estimate"].dims)
    names = _measured(found)
    for name in (*(f"|{name}|" if found[name].dtype.kind == "c" else name for name in names), "error estimate"):
        table.add_column(name, justify="right")
    table.add_column("")
    for place in np.ndindex(found["error_estimate"].shape):
        row = {name: found[name].values[place] for name in found.data_vars}
        at = [f"{found[name].values[i]:g}" for name, i in zip(found["error_estimate"].dims, place, strict=True)]
        shown = [f"{abs(row[name]) if found[name].dtype.kind == 'c' else row[name]:.6g}" for name in names]
        verdict = "" if row["converged"] else spoken(str(row["message"] or row["status"]))
        table.add_row(*at, *shown, f"{row['error_estimate']:.1e}", verdict)
    console.print(table)


def _as_json(found: Any) -> dict[str, Any]:
    """Every row with its values."""
    rows = []
    for place in np.ndindex(found["error_estimate"].shape):
        at = {name: found[name].values[i] for name, i in zip(found["error_estimate"].dims, place, strict=True)}
        rows.append({**at, **{str(name): found[name].values[place] for name in found.data_vars}})
    return {"tol": found.attrs["tol"], "rng": found.attrs["rng"], "rows": rows}


def _write(found: Any, path: Path) -> None:
    """Write a table of the rows, or a netCDF file; complex numbers as two columns."""
    names = [name for name in _measured(found) if found[name].dtype.kind == "c"]
    parts = {f"{name}_{part}": getattr(found[name], part) for name in names for part in ("real", "imag")}
    plain = found.drop_vars(names).assign(parts)
    with staged_file(path) as draft:
        if path.suffix.lower() == ".nc":
            plain.to_netcdf(draft)
        else:
            plain.to_dataframe().to_csv(draft)
