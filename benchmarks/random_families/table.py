"""The table of what was measured."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from children import in_children

import fspielm as fs
from random_families.modes import RandomModes
from random_families.others import distance_to_other
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


# Families whose seeds are drawn when a run begins.
_DRAWN = ("open", "modes")

Random: TypeAlias = RandomProblem | RandomModes


def run(family: str, count: int, make: Callable[[int, str], Random], workers: int = 1) -> None:
    """Solve the problems of a family that `TABLE` does not have yet, appending rows as solves end."""
    done = {int(row["seed"]) for row in rows() if row["family"] == family}
    if not TABLE.exists():
        TABLE.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    todo = [seed for seed in range(count) if seed not in done]
    if family in _DRAWN:
        todo = np.random.default_rng().integers(2**31, size=max(count - len(done), 0)).tolist()
        print(f"seeds of {family}:", *todo, flush=True)
    for ended in in_children(partial(make_row, family, make), todo, workers):
        if ended.how != "done":
            raise SystemExit(f"{family} {ended.task}: its process died; solve it alone: show {family} {ended.task}")
        with TABLE.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(ended.result)
        print(*ended.result[:-1], sep=" | ", flush=True)


def make_row(family: str, make: Callable[[int, str], Random], seed: int) -> tuple[Any, ...]:
    """The row of one problem."""
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    try:
        random = make(seed, family)
    except fs.ProblemError as refusal:
        return family, seed, "refused when stated", True, "nan", *_refused(refusal)
    return (family, seed, random.description, random.ample, f"{random.tol:.1e}", *measure(random))


def measure(random: Random) -> tuple[Any, ...]:
    """The columns of `TABLE` from the neurons on; a refusal counts as not converged."""
    try:
        if isinstance(random, RandomModes):
            return _measure_modes(random)
        solution, seconds = solve(random)
    except (fs.ProblemError, fs.SolveError, fs.MemoryBudgetError) as refusal:
        return _refused(refusal)
    report, reason = solution.report, solution.report.reason
    error = random.true_error(solution)
    if random.several and error > solution.error_estimate:
        distance, told = distance_to_other(random, solution)
        if distance < error:
            error, reason = distance, f"{told}; {reason}"
    return (
        report.neurons,
        len(report.rounds),
        f"{error:.2e}",
        f"{solution.error_estimate:.2e}",
        solution.converged,
        f"{seconds:.2f}",
        _approach(report.features),
        "another kind came next" in report.choice,
        reason,
    )


def _measure_modes(random: RandomModes) -> tuple[Any, ...]:
    modes, seconds = random.asked.solve(random.seed)
    judged = random.asked.judge(modes)
    report = modes[0].field.report if len(modes) else None
    return (
        report.neurons if report else 0,
        len(report.rounds) if report else 0,
        f"{judged.error:.2e}",
        f"{judged.estimate:.2e}",
        judged.converged,
        f"{seconds:.2f}",
        _approach(report.features) if report else "",
        False,
        judged.words,
    )


def _refused(refusal: Exception) -> tuple[Any, ...]:
    return 0, 0, "nan", "inf", False, "nan", "", False, f"{type(refusal).__name__}: {refusal}"


def _approach(features: str) -> str:
    """The kind of features of the best round, as the `approach` of `fs.solve`."""
    if features.startswith("polynomials"):
        return "patches"
    name = features.removeprefix("Each(family=").partition("(")[0]
    return {"Joined": "thin", "Outward": "characteristic"}.get(name, name.lower())


def rows() -> list[dict[str, str]]:
    """What has been measured so far."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
