"""A solved benchmark on the terminal, and as JSON."""

from __future__ import annotations

import math
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from fspielm.cases import PaperResult
from fspielm.cli.settings import Choice
from fspielm.solution import Report
from fspielm.study import CaseRun


def print_report(run: CaseRun, choice: Choice) -> None:
    """Print the errors, what was done, the rounds, and the residual of every block, in at most 80 columns."""
    console = Console(highlight=False)
    report = run.solution.report
    console.print(f"{run.case.name}: {run.case.title}\n", style="bold", markup=False)
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(no_wrap=True)
    facts.add_column()
    for name, fact in _facts(run, choice).items():
        facts.add_row(name, fact)
    console.print(facts)
    if report.rounds:
        console.print()
        console.print(_rounds_table(report))
    console.print()
    console.print(_blocks_table(report))


def _facts(run: CaseRun, choice: Choice) -> dict[str, str]:
    report = run.solution.report
    method, paper = _compared_with(run, choice)
    at = "" if run.case.time_slice is None else f" at time {run.case.time_slice:g}"
    phases = ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in run.phases.items())
    facts = {"relative error": f"{run.relative_error:.2e}{at}"}
    if run.space_time_error is not None:
        facts["space-time error"] = f"{run.space_time_error:.2e}"
    return (
        facts
        | _verdict(report)
        | {
            "the paper's error": f"best {paper.best:.2e}, mean {paper.mean:.2e} "
            f"({method}, mu {paper.mu[0]:g} to {paper.mu[1]:g})",
            "method": choice.method,
        }
        | {f"band {axis}": f"{band.frequency:.4g}, set by {band.source}" for axis, band in report.bands.items()}
        | {
            "features": _features(run),
            "least squares": f"{report.least_squares}, row scaling {report.scaling}",
            "system": f"{report.rows} rows x {report.neurons} neurons, rank {report.rank}, "
            f"condition {report.condition:.1e}",
            "coefficients": f"norm {report.coefficient_norm:.2e}",
            "seed": str(report.seed),
            "seconds": f"{run.seconds:.2f} ({phases})",
        }
    )


def _verdict(report: Report) -> dict[str, str]:
    if report.error_estimate is None:
        return {}
    return {
        "error estimate": f"{report.error_estimate:.2e} relative L2, {report.max_error_estimate:.2e} maximum",
        "verdict": f"{'converged' if report.converged else 'NOT CONVERGED'}: {report.reason}",
    }


def _features(run: CaseRun) -> str:
    """The features as they would be typed, or the automatic ones with their digits rounded."""
    widths = run.widths
    if widths is None:
        return run.solution.report.features
    return "cosines, frequencies up to " + ", ".join(f"{width:.4g} in {axis}" for axis, width in widths.items())


def _rounds_table(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("round", "neurons", "rows", "estimate", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("what it changed")
    for done in report.rounds:
        sizes = str(done.number), str(done.neurons), str(done.rows)
        table.add_row(*sizes, f"{done.error_estimate:.2e}", f"{done.seconds:.2f}", done.why)
    return table


def _blocks_table(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("block")
    residual = "held-out residual (rms)" if report.rounds else "residual (rms)"
    for heading in ("rows", residual, "largest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, block in report.residuals.items():
        table.add_row(name, str(report.points[name]), f"{block.rms:.2e}", f"{block.largest:.2e}")
    return table


def as_json(run: CaseRun, choice: Choice) -> dict[str, Any]:
    """Everything about the run in plain values; a number that is not finite becomes null."""
    report = run.solution.report
    plain = report.as_dict()
    method, paper = _compared_with(run, choice)
    content = {
        "case": run.case.name,
        "method": choice.method,
        "relative_error": run.relative_error,
        "space_time_error": run.space_time_error,
        **{name: plain[name] for name in ("error_estimate", "max_error_estimate", "tol", "converged", "reason")},
        "paper": {"method": method, "best": paper.best, "mean": paper.mean, "mu": list(paper.mu)},
        "neurons": report.neurons,
        "rows": report.rows,
        "bands": plain["bands"],
        "rounds": plain["rounds"],
        "mu": None if choice.mu is None else list(choice.mu),
        "features": report.features,
        "least_squares": choice.least_squares,
        "scaling": report.scaling,
        "seed": report.seed,
        "seconds": run.seconds,
        "phases": run.phases,
        "rank": report.rank,
        "condition": report.condition,
        "coefficient_norm": report.coefficient_norm,
        "points": plain["points"],
        "residuals": plain["residuals"],
    }
    return {name: _finite(value) for name, value in content.items()}


def _compared_with(run: CaseRun, choice: Choice) -> tuple[str, PaperResult]:
    """The paper's result for the same method; for the automatic solver, its best one."""
    method = run.paper_best[0] if choice.is_automatic else choice.method
    return method, run.case.paper.results[method]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
