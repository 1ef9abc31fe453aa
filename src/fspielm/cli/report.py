"""A solved benchmark, or problem file, on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from fspielm.cases import PaperResult
from fspielm.cli.cross_sections import cross_sections_fact, cross_sections_of
from fspielm.cli.phrases import in_options
from fspielm.cli.plain import finite
from fspielm.cli.settings import Choice
from fspielm.cli.tables import facts_table, headed_table
from fspielm.demo import CaseRun, FileRun
from fspielm.solution import Report, Solution
from fspielm.wording import duration


def print_report(run: CaseRun, choice: Choice) -> None:
    """Print the errors, what was done, the rounds, and the residual of every block, in at most 80 columns."""
    _print(f"{run.case.name}: {run.case.title}", _case_facts(run, choice), run.solution.report)


def print_file_report(run: FileRun, name: str) -> None:
    """Print the same for the problem of the file `name`."""
    title = run.file.title
    known = {} if run.relative_error is None else {"relative error": f"{run.relative_error:.2e} (reference)"}
    facts = known | _found(run.solution) | _facts(run.solution.report, _time(run))
    _print(f"{name}: {title}" if title else name, facts, run.solution.report)


def print_saved_report(solution: Solution, versions: str) -> None:
    """Print the same for a saved solution, under an account of what it solves."""
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
    """What was found, and what was done."""
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
        "verdict": f"{'converged' if report.converged else 'NOT CONVERGED'}: {in_options(report.reason)}",
    }


def _found(solution: Solution) -> dict[str, str]:
    """How good it is, and what objects do to what comes in."""
    return _verdict(solution.report) | _each_unknown(solution.report) | cross_sections_fact(solution)


def _each_unknown(report: Report) -> dict[str, str]:
    """The estimates of several unknowns, which the verdict has only the largest of."""
    if not report.fields:
        return {}
    return {"of each": ", ".join(f"{name}: {own.error_estimate:.2e}" for name, own in report.fields.items())}


def _features(report: Report) -> str:
    """The features as they would be typed, or the automatic ones with their digits rounded."""
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
    """Everything about the run in plain values; a number that is not finite becomes null."""
    method, paper = _compared_with(run, choice)
    content = {
        "case": run.case.name,
        "method": choice.method,
        "relative_error": run.relative_error,
        "space_time_error": run.space_time_error,
        "paper": {"method": method, "best": paper.best, "mean": paper.mean, "mu": list(paper.mu)},
        "mu": None if choice.mu is None else list(choice.mu),
        **_plain_facts(run),
        "least_squares": choice.least_squares,
    }
    plain: dict[str, Any] = finite(content)
    return plain


def file_as_json(run: FileRun, name: str) -> dict[str, Any]:
    """The same for the problem of the file `name`."""
    content = {"file": name, "title": run.file.title, "relative_error": run.relative_error, **_plain_facts(run)}
    content["cross_sections"] = cross_sections_of(run.solution)
    plain: dict[str, Any] = finite(content)
    return plain


def _plain_facts(run: CaseRun | FileRun) -> dict[str, Any]:
    facts = run.solution.report.as_dict()
    return facts | {"seconds": run.seconds, "phases": run.phases}


def _compared_with(run: CaseRun, choice: Choice) -> tuple[str, PaperResult]:
    """The paper's result for the same method; for the automatic solver, its best one."""
    method = run.paper_best[0] if choice.is_automatic else choice.method
    return method, run.case.paper.results[method]
