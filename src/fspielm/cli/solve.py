"""``fspielm solve``."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from fspielm import cases
from fspielm.cases import METHODS, Case
from fspielm.cli import blas
from fspielm.cli.names import choose
from fspielm.cli.progress import working
from fspielm.cli.report import as_json, print_report
from fspielm.errors import ProblemError
from fspielm.features import Family, FrequencyShift
from fspielm.linalg import QR, LeastSquares, TruncatedSVD
from fspielm.solution.pictures import check_picture_path, save_picture
from fspielm.solvers import Budget
from fspielm.study import CaseRun, draw_run, run_case, run_interruptibly


def solve_case(
    case: Annotated[str, typer.Argument(metavar="CASE", help="A name that 'fspielm cases' lists.")],
    method: Annotated[str, typer.Option(metavar="NAME", help=f"Features: {', '.join(METHODS)}.")] = "fs-l",
    mu: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="LOW HIGH", help="Range of frequencies.", show_default="the paper's best"),
    ] = None,
    neurons: Annotated[
        int | None, typer.Option(metavar="N", help="Number of features.", show_default="the paper's")
    ] = None,
    shift: Annotated[
        str, typer.Option(metavar="NAME", help="What fs-l and fs-g shift: isotropic, or space but not time.")
    ] = "isotropic",
    least_squares: Annotated[
        str, typer.Option(metavar="NAME", help="svd truncates at 1e-12, as the paper; qr does not truncate.")
    ] = "svd",
    scaling: Annotated[
        str, typer.Option(metavar="NAME", help="Rows: none, or rms to give every block the same size.")
    ] = "none",
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of features and points.")] = 0,
    threads: Annotated[int | None, typer.Option(metavar="N", help="Threads to use.", show_default="all cores")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the report.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw solution and error: .png, .pdf, .svg or .jpg.")
    ] = None,
) -> None:
    """Solve a benchmark of the FS-PIELM paper and measure the error.

    What is not given is as in the paper: the best range of frequencies for the case and method, the neurons,
    the points, the least-squares solve.
    """
    benchmark = cases.load(choose("case", case, cases.names()))
    features = _features(benchmark, method, mu, neurons, shift)
    settings = {
        "features": features,
        "points": benchmark.paper.points,
        "least_squares": _least_squares(benchmark, least_squares),
        "scaling": choose("scaling", scaling, ("none", "rms")),
        "budget": Budget(threads=threads),
    }
    if plot is not None:
        check_picture_path(plot)
    if threads is not None:
        _limit_blas(threads)
    with working(f"solving {benchmark.name} with {features.neurons} neurons"):
        run = run_interruptibly(partial(run_case, benchmark, settings, rng=seed))
    if json_:
        print(json.dumps(as_json(run, method, settings), indent=2, allow_nan=False))
    else:
        print_report(run, method)
    if plot is not None:
        _write_picture(run, method, plot, announce=not json_)


def _features(case: Case, method: str, mu: tuple[float, float] | None, neurons: int | None, shift: str) -> Family:
    if neurons is not None and neurons < 1:
        raise ProblemError(f"neurons must be at least 1; got {neurons}")
    features = case.paper.features(choose("method", method, METHODS), mu=mu, neurons=neurons)
    shift = choose("shift", shift, ("isotropic", "space"))
    if shift == "isotropic":
        return features
    if not isinstance(features, FrequencyShift):
        raise ProblemError(f"--shift goes with the methods fs-l and fs-g; the method is {method}")
    return replace(features, shift="space")


def _least_squares(case: Case, name: str) -> LeastSquares:
    name = choose("least-squares method", name, ("svd", "qr"))
    return QR() if name == "qr" else TruncatedSVD(case.paper.svd_tolerance)


def _limit_blas(threads: int) -> None:
    if not blas.set_threads(threads):
        typer.echo(
            "fspielm: note: the linear algebra library keeps its own number of threads; "
            "set OMP_NUM_THREADS before starting",
            err=True,
        )


def _write_picture(run: CaseRun, method: str, path: Path, *, announce: bool) -> None:
    title = (
        f"{run.case.title}: {method}, {run.solution.report.neurons} neurons, relative error {run.relative_error:.1e}"
    )
    with working("drawing"):
        figure = run_interruptibly(partial(draw_run, run, title))
        save_picture(figure, path)
    if announce:
        print(f"\nPicture: {path}")
