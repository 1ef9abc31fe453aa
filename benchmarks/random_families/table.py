"""The table of what was measured."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fspielm as fs
from random_families.problem import RandomProblem, solve

DOCS = Path(__file__).resolve().parents[2] / "docs"
TABLE = DOCS / "random_problems.csv"
COLUMNS = (
    "family",
    "seed",
    "description",
    "ample",
    "tol",
    "neurons",
    "rounds",
    "error",
    "estimate",
    "converged",
    "seconds",
    "approach",
    "fell_back",
    "reason",
)


def run(family: str, count: int, make: Callable[[int, str], RandomProblem]) -> None:
    """Solve the problems of a family that `TABLE` does not have yet, appending row by row."""
    done = {int(row["seed"]) for row in rows() if row["family"] == family}
    if not TABLE.exists():
        TABLE.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for seed in range(count):
        if seed in done:
            continue
        random = make(seed, family)
        row = (family, seed, random.description, random.ample, f"{random.tol:.1e}", *measure(random))
        with TABLE.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(row)
        print(*row[:-1], sep=" | ", flush=True)


def measure(random: RandomProblem) -> tuple[Any, ...]:
    """The columns of `TABLE` from the neurons on; a refusal counts as not converged."""
    try:
        solution, seconds = solve(random)
    except (fs.ProblemError, fs.SolveError, fs.MemoryBudgetError) as refusal:
        return 0, 0, "nan", "inf", False, "nan", "", False, f"{type(refusal).__name__}: {refusal}"
    report = solution.report
    return (
        report.neurons,
        len(report.rounds),
        f"{random.true_error(solution):.2e}",
        f"{solution.error_estimate:.2e}",
        solution.converged,
        f"{seconds:.2f}",
        _approach(report.features),
        "another kind came next" in report.choice,
        report.reason,
    )


def _approach(features: str) -> str:
    """The kind of features of the best round, as the `approach` of `fs.solve`."""
    return {"Characteristic": "characteristic", "Joined": "thin", "Band": "band"}[features.partition("(")[0]]


def rows() -> list[dict[str, str]]:
    """What has been measured so far."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
