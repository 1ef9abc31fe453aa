"""Nonlinear problems with known solutions, solved automatically; FastLSQ beside them where it has the problem.

    python benchmarks/nonlinear.py run [--only NAME …] [--limit 900] [--peer OTHER/bin/python]
    python benchmarks/nonlinear.py report             # docs/nonlinear.csv -> the table in docs/nonlinear.md
    python benchmarks/nonlinear.py show --only NAME        # one problem, step by step
    python benchmarks/nonlinear.py list

A problem is solved in a process of its own, from zero unless its description names a guess; seconds are from the
problem to the solution with its estimate. ``--peer`` names a Python that has FastLSQ 0.7.1 (``pip install
fastlsq==0.7.1``), which then solves its five problems in the same run, at its own defaults. A row of
docs/nonlinear.csv is replaced when its problem is measured again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import warnings
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from children import in_children
from method_page import DOCS, put
from nonlinear_problems import NONLINEAR_PROBLEMS, NonlinearProblem
from nonlinear_problems.fastlsq_five import PEER
from nonlinear_problems.table import HEAD, keep, report

import fspielm as fs

_SEED = 1
_PEER = Path(__file__).parent / "nonlinear_problems" / "peer.py"


@dataclass(frozen=True)
class Task:
    """What to measure of one problem."""

    name: str
    seconds: float


def make(name: str) -> NonlinearProblem:
    """The problem of a name."""
    return NONLINEAR_PROBLEMS[name][1]()


def solve(task: Task, *, progress: bool = False) -> tuple[NonlinearProblem, fs.Solution, float]:
    """The problem, its solution, and the seconds that it took."""
    chosen = make(task.name)
    start = perf_counter()
    solution = fs.solve(
        chosen.problem,
        tol=chosen.tol,
        rng=_SEED,
        guess=chosen.guess,
        budget=fs.Budget(seconds=task.seconds),
        progress=progress,
    )
    return chosen, solution, perf_counter() - start


def measure(task: Task) -> dict[str, Any]:
    """A row; what is refused has a verdict that says so."""
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    row = _empty(task.name)
    try:
        chosen, solution, seconds = solve(task)
    except (fs.ProblemError, fs.SolveError, fs.MemoryBudgetError) as refusal:
        return row | {"verdict": f"{type(refusal).__name__}: {str(refusal)[:200]}"}
    told = solution.report
    return row | {
        "error": f"{chosen.error(solution):.2e}",
        "estimate": f"{solution.error_estimate:.2e}",
        "verdict": "converged" if solution.converged else f"no: {told.reason[:200]}",
        "functions": told.neurons,
        "rounds": len(told.rounds),
        "steps": len(told.newton),
        "seconds": f"{seconds:.3g}",
    }


def _empty(name: str) -> dict[str, Any]:
    chosen = make(name)
    return dict.fromkeys(HEAD, "") | {"name": name, "tol": f"{chosen.tol:.0e}", "goal": f"{chosen.goal:.0e}"}


def measure_peer(python: str, name: str, seconds: float) -> dict[str, Any]:
    """Columns of FastLSQ; nothing where it does not have the problem, nor an error where it takes longer than given."""
    if name not in PEER:
        return {}
    command = [python, str(_PEER), name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"peer_error": "", "peer_seconds": f"> {seconds:.3g}"}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(names: list[str], seconds: float, peer: str | None) -> None:
    """Measure and keep, one row after the other."""
    # the budget ends rounds, and what is in one is ended later
    for ended in in_children(measure, [Task(name, seconds) for name in names], fresh=True, limit=2 * seconds):
        row = ended.result if ended.how == "done" else _empty(ended.task.name) | {"verdict": f"no: {ended.how}"}
        if peer:
            row |= measure_peer(peer, row["name"], seconds)
        keep(row, list(NONLINEAR_PROBLEMS))
        print(*(f"{row[key]}" for key in HEAD), sep=" | ", flush=True)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "report", "show", "list"])
    parser.add_argument("--only", nargs="+", choices=list(NONLINEAR_PROBLEMS), metavar="NAME")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds of each problem's budget, and of the peer")
    parser.add_argument("--peer", help="a Python that has FastLSQ 0.7.1")
    options = parser.parse_args()
    names = options.only or list(NONLINEAR_PROBLEMS)
    match options.command:
        case "run":
            run(names, options.limit, options.peer)
        case "report":
            print(report())
            put("nonlinear", report(), DOCS / "nonlinear.md")
        case "show":
            for name in names:
                chosen, solution, seconds = solve(Task(name, options.limit), progress=True)
                print(solution.report, f"error {chosen.error(solution):.2e}, {seconds:.2f} s", sep="\n")
        case _:
            for name, (what, _) in NONLINEAR_PROBLEMS.items():
                print(f"{name:<24} {what}")


if __name__ == "__main__":
    main()
