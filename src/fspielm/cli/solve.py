"""``fspielm solve``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from fspielm.cli.options import OldSeed, Options, choose, file_settings, limit_blas, read_options, with_options
from fspielm.cli.output import print_json
from fspielm.cli.progress import completing, run_or_salvage, show_rounds, working
from fspielm.cli.report import Outputs, as_json, file_as_json, print_file_report, print_report
from fspielm.cli.sweeping import SweepOptions, sweep_file
from fspielm.disk import check_place
from fspielm.errors import ProblemError
from fspielm.files.read import read_problem_file
from fspielm.paper.cases import catalogue as cases
from fspielm.paper.demo import run_case, run_file

# ---- ``fspielm solve`` for problem files


def is_problem_file(name: str) -> bool:
    """Whether `name` is meant as the path of a problem file, existing or not, and not as the name of a benchmark."""
    path = Path(name)
    looks_like_path = bool(path.suffix) or path.name != name
    return name not in cases.names() and (looks_like_path or path.exists() or Path(f"{name}.toml").exists())


def solve_file(name: str, options: Options, outputs: Outputs) -> None:
    """Solve the problem of a file, print the report, and write the outputs that the file or the options ask for."""
    file = read_problem_file(Path(name))
    settings = file_settings(options, file.budget)
    # a fixed seed by default, for the same digits every time
    settings["rng"] = options.rng if options.rng is not None else file.rng or 0
    if file.plot is not None and not outputs.plot:
        outputs = replace(outputs, plot=[file.plot])
    if file.table is not None:
        check_place(file.table, (".csv",))
    outputs.check(file.problem)
    limit_blas(settings["budget"].threads)
    with working(f"solving {name}") as show:
        shown = show_rounds(name, show, settings["budget"].seconds)
        run, interrupt = run_or_salvage(partial(run_file, file, settings | {"progress": shown}))
    with completing(interrupt):
        if outputs.json:
            print_json(file_as_json(run, name))
        else:
            print_file_report(run, name)
        outputs.write(run.solution, file.title)
        error = "" if run.relative_error is None else f": relative error {run.relative_error:.1e}"
        outputs.draw(run, f"{file.title or name}{error}")
        if file.table is not None:
            run.solution.to_csv(file.table)
            if not outputs.json:
                print(f"\nTable: {file.table}")


# ---- ``fspielm solve``


@with_options
def solve_case(
    case: Annotated[
        str, typer.Argument(metavar="CASE_OR_FILE", help="A name that 'fspielm cases' lists, or a problem file.")
    ],
    options: Options,
    outputs: Outputs,
    sweep: SweepOptions,
    seed: OldSeed = None,
) -> None:
    """Solve a problem file, or a benchmark of the FS-PIELM paper.

    Frequencies, sizes and points are chosen from the equation and its data, in rounds, until the error estimate
    meets the tolerance. With --method, what is not given is as in the paper: the best range of frequencies for
    the case and method, the functions, the points, the least-squares solve. Options count more than what a problem
    file says. With --set, a problem file is solved for many values of its parameters, on all cores.
    """
    outputs.check_pictures()
    sweep.check()
    if is_problem_file(case):
        if sweep.set:
            sweep_file(case, options, outputs, sweep)
        else:
            solve_file(case, options, outputs)
        return
    if sweep.set:
        raise ProblemError("--set is for problem files, whose parameters it sets; a benchmark has none")
    benchmark = cases.load(choose("case", case, cases.names()))
    choice = read_options(benchmark, options)
    outputs.check(benchmark.problem)
    limit_blas(options.threads)
    size = "" if choice.is_automatic else f" with {choice.settings['features'].neurons} functions"
    with working(f"solving {case}{size}") as show:
        shown = show_rounds(case, show, choice.settings["budget"].seconds)
        work = partial(run_case, benchmark, choice.settings | {"progress": shown}, rng=options.rng or 0)
        run, interrupt = run_or_salvage(work)
    with completing(interrupt):
        if outputs.json:
            print_json(as_json(run, choice))
        else:
            print_report(run, choice)
        outputs.write(run.solution, benchmark.title)
        outputs.draw(run, f"{benchmark.title}: {choice.method}, relative error {run.relative_error:.1e}")
