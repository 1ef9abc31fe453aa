"""Patches on the problems that they are for, beside finite elements of high order.

    python benchmarks/patches.py run [--only NAME …] [--tol 1e-9] [--runs 3] [--approach patches] [--peer]
    python benchmarks/patches.py report              # docs/patches.csv -> a table in Markdown
    python benchmarks/patches.py figure              # docs/images/patches.png: time against error
    python benchmarks/patches.py reference [--only NAME …]     # values of finite elements where nothing else is known
    python benchmarks/patches.py list

A problem is solved in a process of its own; seconds are the least of all runs, from the problem to the solution with
its estimate, and memory is the peak of the process. With ``--peer`` finite elements of orders 8 to 16 follow (NGSolve,
``pip install 'fspielm[bench]'``): the cheapest mesh and order with an error as small, or else the most exact. A row of
docs/patches.csv is replaced when its problem and tolerance are measured again.
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from children import in_children
from numpy.typing import NDArray
from patch_problems import PATCH_PROBLEMS, PatchProblem
from patch_problems.example import REFERENCES
from patch_problems.table import HEAD, figure, keep, report, write_page

import fspielm as fs

_SEED = 1
_REFERENCE_POINTS = 60
# Where ours is far better than was asked for, the elements need not follow further than this share of it.
_BEYOND = 1e-2


@dataclass(frozen=True)
class Task:
    """What to measure of one problem."""

    name: str
    tol: float | None
    runs: int
    approach: str | None


@dataclass(frozen=True, eq=False)
class SolverAnswer:
    """A solution of ours, to be measured."""

    solution: Any

    def __call__(self, points: NDArray[np.float64]) -> NDArray[Any]:
        """Values."""
        return np.asarray(self.solution(points))

    def slope(self, points: NDArray[np.float64]) -> NDArray[Any]:
        """The derivative along x."""
        return np.asarray(self.solution.diff("x")(points))


def make(name: str) -> PatchProblem:
    """The problem of a name."""
    return PATCH_PROBLEMS[name][1]()


def measure(task: Task) -> dict[str, Any]:
    """Our columns of a row; what is refused has a verdict that says so."""
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    chosen = make(task.name)
    tol = task.tol or chosen.tol
    row: dict[str, Any] = dict.fromkeys(HEAD, "") | {"name": task.name, "tol": f"{tol:.0e}"}
    seconds = math.inf
    for _ in range(task.runs):
        start = perf_counter()
        try:
            solution = fs.solve(chosen.stated.problem(), tol=tol, rng=_SEED, approach=task.approach)  # type: ignore[arg-type]
        except (fs.ProblemError, fs.SolveError, fs.MemoryBudgetError) as refusal:
            return row | {"verdict": f"{type(refusal).__name__}: {str(refusal)[:120]}"}
        seconds = min(seconds, perf_counter() - start)
    memory = peak_bytes()  # before the error is measured
    return row | {
        "error": f"{chosen.error(SolverAnswer(solution), task.name):.2e}",
        "estimate": f"{solution.error_estimate:.2e}",
        "verdict": "converged" if solution.converged else f"no: {solution.report.reason[:120]}",
        "functions": solution.report.neurons,
        "cells": getattr(solution.report, "cells", ""),
        "seconds": f"{seconds:.3g}",
        "memory_gb": f"{memory / 1e9:.2f}",
    }


def peak_bytes() -> int:
    """Peak resident memory of this process (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def measure_peer(goal: float, name: str) -> dict[str, Any]:
    """Columns of finite elements: the cheapest that are as exact as `goal`, or the most exact."""
    from patch_problems.by_elements import best_elements

    chosen = make(name)
    if chosen.elements is None:
        return {}
    error, answer = best_elements(chosen.elements, lambda found: chosen.error(found, name), goal)
    return {
        "peer_order": answer.order,
        "peer_unknowns": answer.unknowns,
        "peer_error": f"{error:.2e}",
        "peer_seconds": f"{answer.seconds:.3g}",
    }


def run(names: list[str], options: argparse.Namespace) -> None:
    """Measure and keep, one row after the other."""
    tasks = [Task(name, options.tol, options.runs, options.approach) for name in names]
    for ended in in_children(measure, tasks, fresh=True, limit=options.limit):
        how = f"given up after {options.limit:g} s" if ended.how == "hung" else ended.how
        row = dict.fromkeys(HEAD, "") | {"name": ended.task.name, "verdict": how}
        row["tol"] = f"{ended.task.tol or make(ended.task.name).tol:.0e}"
        row = ended.result if ended.how == "done" else row
        if options.peer:
            goal = max(float(row["error"] or row["tol"]), _BEYOND * float(row["tol"]))
            peers = list(in_children(partial(measure_peer, goal), [row["name"]], fresh=True, limit=options.limit))
            row |= peers[0].result or {}
        keep(row)
        print(*(f"{row[key]}" for key in HEAD), sep=" | ", flush=True)


def write_references(names: list[str]) -> None:
    """Two solves by finite elements where nothing else is known: the finer is kept, the other tells how good it is."""
    from patch_problems.by_elements import solve_elements

    kept: list[list[str]] = []
    if REFERENCES.exists():
        with REFERENCES.open(encoding="utf-8", newline="") as file:
            kept = list(csv.reader(file))
    for name in names:
        chosen = make(name)
        if chosen.elements is None or not chosen.has_reference:
            continue
        points = chosen.stated.domain.sample(_REFERENCE_POINTS, np.random.default_rng(0))
        size = chosen.elements.size
        coarse, fine = (solve_elements(chosen.elements, p, h * size)(points) for p, h in ((12, 0.5), (14, 0.4)))
        print(f"{name}: {np.linalg.norm(fine - coarse) / np.linalg.norm(fine):.1e} apart", flush=True)
        kept = [row for row in kept if row[0] != name]
        kept += [
            [name, *map(repr, map(float, p)), *(f"{v:.15g}" for v in w)] for p, w in zip(points, fine, strict=True)
        ]
        with REFERENCES.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(kept)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "report", "figure", "reference", "list"])
    parser.add_argument("--only", nargs="+", choices=list(PATCH_PROBLEMS), default=list(PATCH_PROBLEMS), metavar="NAME")
    parser.add_argument("--tol", type=float, help="in the place of each problem's own")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--approach", help='as in fs.solve, for instance "patches"; by itself if left out')
    parser.add_argument("--peer", action="store_true", help="finite elements too")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds after which a problem is given up")
    options = parser.parse_args()
    match options.command:
        case "run":
            run(options.only, options)
        case "report":
            write_page()
            print(report())
        case "figure":
            figure()
        case "reference":
            write_references(options.only)
        case _:
            for name, (what, _) in PATCH_PROBLEMS.items():
                print(f"{name:<22} {what}")


if __name__ == "__main__":
    main()
