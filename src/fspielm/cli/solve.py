"""``fspielm solve``."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated

import typer

from fspielm import cases
from fspielm.cli.names import choose
from fspielm.cli.options import OldSeed, with_options
from fspielm.cli.outputs import Outputs
from fspielm.cli.progress import completing, run_or_salvage, show_rounds, working
from fspielm.cli.report import as_json, print_report
from fspielm.cli.settings import Options, limit_blas, read_options
from fspielm.cli.solve_file import is_problem_file, solve_file
from fspielm.cli.sweeping import SweepOptions, sweep_file
from fspielm.demo import run_case
from fspielm.errors import ProblemError


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
            print(json.dumps(as_json(run, choice), indent=2, allow_nan=False))
        else:
            print_report(run, choice)
        outputs.write(run.solution, benchmark.title)
        outputs.draw(run, f"{benchmark.title}: {choice.method}, relative error {run.relative_error:.1e}")
