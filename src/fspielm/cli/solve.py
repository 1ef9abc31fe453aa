"""``fspielm solve``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from fspielm import cases
from fspielm.cases import METHODS, Case
from fspielm.cli import outputs
from fspielm.cli.names import choose
from fspielm.cli.old_seed import OldSeed
from fspielm.cli.progress import show_rounds, working
from fspielm.cli.report import as_json, print_report
from fspielm.cli.settings import Choice, Options, read_options
from fspielm.cli.solve_file import is_problem_file, solve_file
from fspielm.cli.steps import limit_blas, write_pictures
from fspielm.demo import CaseRun, run_case, run_interruptibly
from fspielm.solvers import APPROACHES


def solve_case(
    case: Annotated[
        str, typer.Argument(metavar="CASE_OR_FILE", help="A name that 'fspielm cases' lists, or a problem file.")
    ],
    tol: Annotated[
        float | None, typer.Option(metavar="X", help="Relative L2 error to reach.", show_default="1e-8")
    ] = None,
    neurons: Annotated[
        int | None,
        typer.Option(metavar="N", help="At most so many features; with --method, so many.", show_default="as needed"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Begin no round that would end later.", show_default="600")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"As the paper: {', '.join(METHODS)}.", show_default="automatic"),
    ] = None,
    mu: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="LOW HIGH", help="With --method: range of frequencies.", show_default="the paper's best"),
    ] = None,
    shift: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With --method fs-l or fs-g: shift isotropic, or space but not time.",
            show_default="isotropic",
        ),
    ] = None,
    least_squares: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="svd truncates at 1e-12, as the paper; qr does not truncate.",
            show_default="qr, or svd with --method",
        ),
    ] = None,
    scaling: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Rows: none, or rms to give every block the same size.",
            show_default="rms, or none with --method",
        ),
    ] = None,
    approach: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Kind of features: {', '.join(APPROACHES)}.", show_default="the smallest"),
    ] = None,
    rng: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Seed of features and points.", show_default="0")
    ] = None,
    seed: OldSeed = None,
    threads: Annotated[int | None, typer.Option(metavar="N", help="Threads to use.", show_default="all cores")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the report.")] = False,
    plot: Annotated[
        list[Path] | None,
        typer.Option("--plot", metavar="FILE", help=f"Draw solution and error{outputs.PICTURES_HELP}"),
    ] = None,
    out: Annotated[list[Path] | None, typer.Option("--out", metavar="FILE", help=outputs.HELP)] = None,
) -> None:
    """Solve a problem file, or a benchmark of the FS-PIELM paper.

    Frequencies, sizes and points are chosen from the equation and its data, in rounds, until the error estimate
    meets the tolerance. With --method, what is not given is as in the paper: the best range of frequencies for
    the case and method, the neurons, the points, the least-squares solve. Options count more than what a problem
    file says.
    """
    options = Options(method, tol, mu, neurons, seconds, shift, least_squares, scaling, threads, approach)
    pictures = plot or []
    outputs.check_pictures(pictures)
    if is_problem_file(case):
        solve_file(case, options, rng=rng, json_=json_, pictures=pictures, out=out or [])
        return
    benchmark = cases.load(choose("case", case, cases.names()))
    choice = read_options(benchmark, options)
    outputs.check_outputs(out or [], benchmark.problem.domain)
    if threads is not None:
        limit_blas(threads)
    run = _run(benchmark, choice, rng or 0)
    if json_:
        print(json.dumps(as_json(run, choice), indent=2, allow_nan=False))
    else:
        print_report(run, choice)
    outputs.write_outputs(run.solution, out or [], announce=not json_)
    _write_pictures(run, choice.method, pictures, announce=not json_)


def _run(case: Case, choice: Choice, rng: int) -> CaseRun:
    size = "" if choice.is_automatic else f" with {choice.settings['features'].neurons} neurons"
    with working(f"solving {case.name}{size}") as show:
        seconds = choice.settings["budget"].seconds
        settings = choice.settings | {"progress": show_rounds(case.name, show, seconds)}
        return run_interruptibly(partial(run_case, case, settings, rng=rng))


def _write_pictures(run: CaseRun, method: str, paths: Sequence[Path], *, announce: bool) -> None:
    title = (
        f"{run.case.title}: {method}, {run.solution.report.neurons} neurons, relative error {run.relative_error:.1e}"
    )
    write_pictures(run, title, paths, announce=announce)
