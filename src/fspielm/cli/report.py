"""A solved benchmark on the terminal, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from fspielm.study import CaseRun


def print_report(run: CaseRun, method: str) -> None:
    """Print the errors, what was done, and the residual of every block, in at most 80 columns."""
    console = Console(highlight=False)
    report = run.solution.report
    console.print(f"{run.case.name}: {run.case.title}\n", style="bold", markup=False)
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(no_wrap=True)
    facts.add_column()
    for name, fact in _facts(run, method).items():
        facts.add_row(name, fact)
    console.print(facts)
    blocks = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    blocks.add_column("block")
    for heading in ("rows", "residual (rms)", "largest"):
        blocks.add_column(heading, justify="right", no_wrap=True)
    for name, residual in report.residuals.items():
        blocks.add_row(name, str(report.points[name]), f"{residual.rms:.2e}", f"{residual.largest:.2e}")
    console.print()
    console.print(blocks)


def _facts(run: CaseRun, method: str) -> dict[str, str]:
    report, paper = run.solution.report, run.case.paper.results[method]
    at = "" if run.case.time_slice is None else f" at time {run.case.time_slice:g}"
    phases = ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in report.seconds.items())
    facts = {"relative error": f"{run.relative_error:.2e}{at}"}
    if run.space_time_error is not None:
        facts["space-time error"] = f"{run.space_time_error:.2e}"
    return facts | {
        "the paper's error": f"best {paper.best:.2e}, mean {paper.mean:.2e} "
        f"({method}, mu {paper.mu[0]:g} to {paper.mu[1]:g})",
        "features": report.features,
        "least squares": f"{report.least_squares}, row scaling {report.scaling}",
        "system": f"{report.rows} rows x {report.neurons} neurons, rank {report.rank}, "
        f"condition {report.condition:.1e}",
        "coefficients": f"norm {report.coefficient_norm:.2e}",
        "seed": str(report.seed),
        "seconds": f"{run.seconds:.2f} ({phases})",
    }


def as_json(run: CaseRun, method: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Everything about the run in plain values; a number that is not finite becomes null."""
    report, paper = run.solution.report, run.case.paper.results[method]
    features = settings["features"]
    content = {
        "case": run.case.name,
        "method": method,
        "relative_error": run.relative_error,
        "space_time_error": run.space_time_error,
        "paper": {"best": paper.best, "mean": paper.mean, "mu": list(paper.mu)},
        "neurons": report.neurons,
        "rows": report.rows,
        "mu": list(features.mu),
        "features": report.features,
        "least_squares": settings["least_squares"].name,
        "scaling": report.scaling,
        "seed": report.seed,
        "seconds": run.seconds,
        "phases": dict(report.seconds),
        "rank": report.rank,
        "condition": report.condition,
        "coefficient_norm": report.coefficient_norm,
        "points": dict(report.points),
        "residuals": {name: residual.rms for name, residual in report.residuals.items()},
    }
    return {name: _finite(value) for name, value in content.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
