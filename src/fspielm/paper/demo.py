"""The demonstration: solve every benchmark of the paper, and show the results on one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, final

import numpy as np

from fspielm.disk import check_replaceable, staged_folder
from fspielm.files.draft import ProblemFile
from fspielm.paper.cases import catalogue as cases
from fspielm.paper.cases.case import Case
from fspielm.paper.templates import fill, require_pages
from fspielm.resources import run_interruptibly
from fspielm.solution.plot.errors import plot_comparison
from fspielm.solution.plot.style import save_picture
from fspielm.solution.solution import Solution
from fspielm.solvers.request import offering
from fspielm.solvers.solve import solve
from fspielm.wording import duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# ---- Solve and measure a benchmark or a problem file


Run = TypeVar("Run")


class _Run:
    """A solution with the time that it took."""

    solution: Solution
    seconds: float

    @property
    def phases(self) -> dict[str, float]:
        """Seconds of each phase of the round that gave the solution, and of all the rest together."""
        phases = dict(self.solution.report.seconds)
        return phases | {"other": self.seconds - sum(phases.values())}


@final
@dataclass(frozen=True, eq=False)
class CaseRun(_Run):
    """A benchmark with a solution of it and its errors."""

    case: Case
    solution: Solution
    # in the paper's metric
    relative_error: float
    # over the whole domain, if the paper's metric is a time slice
    space_time_error: float | None
    # of the solve with all of its rounds, without measuring and drawing
    seconds: float


@final
@dataclass(frozen=True, eq=False)
class FileRun(_Run):
    """A problem file with a solution of it, and its error if the file has the exact solution."""

    file: ProblemFile
    solution: Solution
    # the largest of several unknowns; None if the file has no exact solution
    relative_error: float | None
    seconds: float


def run_case(case: Case, settings: Mapping[str, Any], *, rng: int | np.random.Generator | None = None) -> CaseRun:
    """Solve a benchmark with `settings` (keyword arguments of `fspielm.solve`) and measure the error."""

    def measured(solution: Solution, seconds: float) -> CaseRun:
        return CaseRun(
            case,
            solution,
            relative_error=case.relative_error(solution),
            space_time_error=None if case.time_slice is None else case.space_time_error(solution),
            seconds=seconds,
        )

    return _run(lambda: solve(case.problem, **settings, rng=rng), measured)


def run_file(file: ProblemFile, settings: Mapping[str, Any]) -> FileRun:
    """Solve the problem of a file, with `settings` added to its own, and measure the error."""

    def measured(solution: Solution, seconds: float) -> FileRun:
        return FileRun(file, solution, None if file.exact is None else file.relative_error(solution), seconds)

    return _run(lambda: file.solve(**settings), measured)


def _run(solving: Callable[[], Solution], measured: Callable[[Solution, float], Run]) -> Run:
    """Solve and measure; an interrupt finds the best solution so far."""
    begun = perf_counter()
    with offering(lambda found: None if found is None else measured(found, perf_counter() - begun)):
        solution = solving()
    return measured(solution, perf_counter() - begun)


def draw_run(run: CaseRun | FileRun, title: str | None = None) -> Figure:
    """Draw the solution and its pointwise error; a benchmark at the time of the paper's metric, if it has one."""
    if isinstance(run, CaseRun):
        return plot_comparison(run.solution, run.case.exact, time=run.case.time_slice, title=title)
    if run.file.exact is None:
        return run.solution.plot(title=title)
    exact = run.file.exact if isinstance(run.file.exact, Mapping) else run.file.exact_values
    return plot_comparison(run.solution, exact, title=title)


# ---- The page, which needs only the pictures beside it


# Marks a page of ours, which a newer one may replace.
GENERATOR = '<meta name="generator" content="fspielm demo">'


def gallery_page(runs: Sequence[tuple[CaseRun, str]], *, rng: int) -> str:
    """The page for `runs`, each with the file name of its picture."""
    return fill("gallery.html", generator=GENERATOR, summary=_summary([run for run, _ in runs]), runs=runs, rng=rng)


def _summary(runs: Sequence[CaseRun]) -> str:
    better = sum(run.relative_error < run.case.paper.best[1].best for run in runs)
    count = f"All {len(runs)}" if better == len(runs) else f"{better} of the {len(runs)}"
    seconds = sum(run.seconds for run in runs)
    return f"{count} beat the best error the paper prints; the solves took {duration(seconds)} together."


# ---- The demonstration


def run_demo(
    out: Path,
    *,
    rng: int = 0,
    starts: Callable[[Case], None] = lambda case: None,
    ends: Callable[[CaseRun], None] = lambda run: None,
) -> list[CaseRun]:
    """Solve the seven benchmarks; write a picture of each and an ``index.html`` with all of them to `out`.

    Parameters
    ----------
    out : Path
        A folder for the demonstration alone. It appears, or is replaced, once everything is finished.
    rng : int
    starts, ends : callable
        Called before and after each case, to show the progress.
    """
    require_pages()
    names = cases.names()
    check_replaceable(out, {"index.html", *(f"{name}.png" for name in names)}, mark=GENERATOR)
    runs = []
    with staged_folder(out) as folder:
        for name in names:
            case = cases.load(name)
            starts(case)
            run = run_interruptibly(partial(run_case, case, {}, rng=rng))
            figure = run_interruptibly(partial(draw_run, run))
            save_picture(figure, folder / f"{name}.png")
            runs.append(run)
            ends(run)
        page = gallery_page([(run, f"{run.case.name}.png") for run in runs], rng=rng)
        (folder / "index.html").write_text(page, encoding="utf-8")
    return runs
