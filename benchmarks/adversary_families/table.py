"""The table of what was measured."""

from __future__ import annotations

import csv
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from children import in_children

import fspielm as fs
from adversary_families import FAMILIES, make_challenge

Task: TypeAlias = tuple[str, int, bool]

COLUMNS = (
    "family",
    "kind",
    "seed",
    "deceptive",
    "stated",
    "width",
    "beyond",
    "determined",
    "effect",
    "dimension",
    "tol",
    "converged",
    "error",
    "estimate",
    "seconds",
    "neurons",
    "reason",
)
# Far more than the budget of a solve: what takes longer hangs.
_HANGS = 240.0
# Some take seconds to make, and a row asks for both of a pair.
_challenge = lru_cache(4)(make_challenge)


def rows(table: Path) -> list[dict[str, str]]:
    """What has been measured so far."""
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tasks(table: Path, count: int, families: list[str], seeds_of: Path | None = None) -> list[Task]:
    """What is left to solve: twins that are missing, then seeds drawn now, or taken from another table."""
    done = {(row["family"], int(row["seed"]), row["deceptive"] == "True") for row in rows(table)}
    wanted = {(family, seed) for family, seed, _ in done}
    if seeds_of is not None:
        wanted |= {(row["family"], int(row["seed"])) for row in rows(seeds_of)}
    else:
        share = sum(FAMILIES[family] for family in families)
        entropy = np.random.default_rng()
        for family in families:
            missing = round(count * FAMILIES[family] / share) - sum(f == family for f, _ in wanted)
            wanted |= {(family, int(entropy.integers(2**31))) for _ in range(missing)}
    every = [(f, s, deceptive) for f, s in sorted(wanted) if f in families for deceptive in (True, False)]
    left = [task for task in every if task not in done]
    print("seeds:", *(f"{f} {s}" for f, s in sorted({(f, s) for f, s, _ in left})), sep="\n  ", flush=True)
    # families in turn, so that a run that is stopped has something of each
    return sorted(left, key=lambda task: (task[1], task[0], not task[2]))


def run(table: Path, left: list[Task], workers: int) -> None:
    """Solve in child processes, appending rows as solves end."""
    if not table.exists():
        table.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for ended in in_children(make_row, left, workers, limit=_HANGS):
        row = ended.result
        if ended.how != "done":
            row = _row(ended.task, {"converged": False, "error": "nan", "estimate": "inf", "reason": ended.how})
        with table.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(row)
        print(*row[:-1], sep=" | ", flush=True)


def make_row(task: Task) -> tuple[Any, ...]:
    """The row of one problem."""
    warnings.simplefilter("ignore")
    return _row(task, _measure(_challenge(*task), task[1]))


def _row(task: Task, measured: dict[str, Any]) -> tuple[Any, ...]:
    """A row from what was measured, and what is known of the problem."""
    family, seed, deceptive = task
    both = {which: _challenge(family, seed, which) for which in (True, False)}
    challenge = both[deceptive]
    columns = measured | {
        "family": family,
        "kind": challenge.kind,
        "seed": seed,
        "deceptive": deceptive,
        "stated": challenge.stated,
        "width": f"{challenge.width:.2g}",
        "beyond": challenge.beyond,
        "determined": challenge.determined,
        "effect": f"{both[True].difference(both[False]):.1e}",
        "dimension": challenge.problem.dimension,
        "tol": f"{challenge.tol:.1e}",
    }
    return tuple(columns.get(column, "") for column in COLUMNS)


def _measure(challenge: Any, seed: int) -> dict[str, Any]:
    """What the solver makes of it; a refusal counts as not converged."""
    try:
        solution, seconds = challenge.solve(seed)
    except (fs.ProblemError, fs.SolveError, fs.MemoryBudgetError) as refusal:
        reason = f"{type(refusal).__name__}: {refusal}"
        return {"converged": False, "error": "nan", "estimate": "inf", "seconds": "nan", "reason": reason}
    return {
        "converged": solution.converged,
        "error": f"{challenge.error(solution):.2e}",
        "estimate": f"{solution.error_estimate:.2e}",
        "seconds": f"{seconds:.2f}",
        "neurons": solution.report.neurons,
        "reason": solution.report.reason,
    }
