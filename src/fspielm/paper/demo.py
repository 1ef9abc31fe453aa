"""The demonstration: solve every benchmark of the paper, and show the results on one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, final

import numpy as np

from fspielm.disk import check_replaceable, staged_folder
from fspielm.files.draft import ProblemFile
from fspielm.geometry.pictures import require_matplotlib
from fspielm.paper.cases import catalogue as cases
from fspielm.paper.cases.case import Case
from fspielm.paper.report.markup import number, typeset
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

    @property
    def paper_best(self) -> tuple[str, float]:
        """The paper's best method for this case, and its error."""
        return paper_best(self.case)


@final
@dataclass(frozen=True, eq=False)
class FileRun(_Run):
    """A problem file with a solution of it, and its error if the file has the exact solution."""

    file: ProblemFile
    solution: Solution
    # the largest of several unknowns; None if the file has no exact solution
    relative_error: float | None
    seconds: float


def paper_best(case: Case) -> tuple[str, float]:
    """The method with the smallest error that the paper prints for a case, and that error."""
    return min(((method, result.best) for method, result in case.paper.results.items()), key=lambda r: r[1])


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

_ROW = """\
<tr><th scope="row"><a href="#{name}">{name}</a></th><td>{neurons}</td><td><strong>{error}</strong></td>\
<td>{estimate}</td>\
<td>{best} <span class="method">{method}</span></td><td>{time}</td></tr>"""

_FIGURE = """\
<figure id="{name}">
<figcaption><h2>{title}</h2></figcaption>
<img src="{picture}" alt="{alt}">
<dl>
{facts}
</dl>{notes}
</figure>"""


def gallery_page(runs: Sequence[tuple[CaseRun, str]], *, rng: int) -> str:
    """The page for `runs`, each with the file name of its picture."""
    return _resource("gallery.html").format(
        generator=GENERATOR,
        style=_resource("gallery.css"),
        summary=_summary([run for run, _ in runs]),
        rows="\n".join(_row(run) for run, _ in runs),
        figures="\n".join(_figure(run, picture) for run, picture in runs),
        rng=rng,
    )


def _resource(name: str) -> str:
    return files("fspielm.paper").joinpath(name).read_text(encoding="utf-8")


def _summary(runs: Sequence[CaseRun]) -> str:
    better = sum(run.relative_error < run.paper_best[1] for run in runs)
    count = f"All {len(runs)}" if better == len(runs) else f"{better} of the {len(runs)}"
    seconds = sum(run.seconds for run in runs)
    return f"{count} beat the best error the paper prints; the solves took {duration(seconds)} together."


def _row(run: CaseRun) -> str:
    method, best = run.paper_best
    return _ROW.format(
        name=escape(run.case.name),
        neurons=run.solution.report.neurons,
        error=number(run.relative_error),
        estimate=number(run.solution.report.error_estimate),
        best=number(best),
        method=escape(method),
        time=duration(run.seconds),
    )


def _figure(run: CaseRun, picture: str) -> str:
    report = run.solution.report
    at = "" if run.case.time_slice is None else f" at time {run.case.time_slice:g}"
    facts: dict[str, str] = {"Relative error": number(run.relative_error) + at}
    if run.space_time_error is not None:
        facts["Over all times"] = number(run.space_time_error)
    facts |= _verdict(run) | {
        "Features": _features(run),
        "System": f"{report.rows} rows &times; {report.neurons} {report.noun}, solved by "
        f"<code>{escape(report.least_squares)}</code> with row scaling {escape(report.scaling)}",
    }
    notes = f'\n<p class="notes">{escape(typeset(run.case.notes))}</p>' if run.case.notes else ""
    title = escape(typeset(run.case.title))
    return _FIGURE.format(
        name=escape(run.case.name),
        title=title,
        picture=escape(picture),
        alt=f"{title}: the solution and its pointwise error",
        facts="\n".join(f"<dt>{term}</dt><dd>{fact}</dd>" for term, fact in facts.items()),
        notes=notes,
    )


def _verdict(run: CaseRun) -> dict[str, str]:
    """The solver's error estimate and verdict; empty if it made none."""
    report = run.solution.report
    if report.error_estimate is None:
        return {}
    over = " over all of space and time" if run.case.problem.domain.time is not None else ""
    verdict = "converged" if report.converged else "not converged"
    return {
        "Error estimate": number(report.error_estimate) + over,
        "Verdict": f"{verdict}: {escape(report.reason)}",
    }


def _features(run: CaseRun) -> str:
    """The band that was found and the frequencies of the functions; or the functions chosen by hand."""
    report, widths = run.solution.report, run.solution.report.widths
    if widths is None:
        return f"<code>{escape(report.features)}</code>"
    bands = "; ".join(
        f"{band.frequency:.4g} in <i>{escape(axis)}</i> ({escape(band.source)})" for axis, band in report.bands.items()
    )
    reach = ", ".join(f"{width:.4g}" for width in widths.values())
    kind = escape(report.kind[0].upper() + report.kind[1:])
    return f"{kind}, frequencies up to {reach}. Band found: {bands}."


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
    require_matplotlib()
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
