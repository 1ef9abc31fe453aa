"""One solve, in a child process: what became of it, and each of its rounds."""

from __future__ import annotations

import resource
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from problems import EXAMPLES, Example

import fspielm as fs
from fspielm.expr import make_field
from sturdy.dimensions import FIVE_DIMENSIONS
from sturdy.heavy import HEAVY
from sturdy.plates import PLATES

COLUMNS = (
    "problem",
    "budget",
    "seed",
    "status",
    "message",
    "converged",
    "error",
    "estimate",
    "seconds",
    "cpu_seconds",
    "neurons",
    "rounds",
    "megabytes",
    "features",
    "reason",
)
ROUND_COLUMNS = ("part", "problem", "budget", "seed", "round", "neurons", "rows", "forecast", "seconds", "why")
BUDGETS = {"default": fs.Budget(), "seconds": fs.Budget(seconds=10), "memory": fs.Budget(memory=500e6)}
_CHECKS = 10_000


def _case(name: str) -> Callable[[], Example]:
    def make() -> Example:
        case = fs.cases.load(name)
        return Example(case.problem, case.exact)

    return make


CATALOGUE: dict[str, dict[str, Callable[[], Example]]] = {
    "seeds": {
        **{name: _case(name) for name in fs.cases.names()},
        **{name: make for name, (_, make) in EXAMPLES.items()},
        **PLATES,
    },
    "heavy": HEAVY,
    "five_dimensions": FIVE_DIMENSIONS,
}


@dataclass(frozen=True)
class Task:
    """A problem of a part, by name, to be solved within a budget from a seed."""

    part: str
    problem: str
    budget: str
    seed: int

    @property
    def key(self) -> dict[str, Any]:
        """The columns that tell it from others."""
        return {"problem": self.problem, "budget": self.budget, "seed": self.seed}


@dataclass(frozen=True)
class Result:
    """The columns of a row beside its key, and the rows of its rounds."""

    row: dict[str, Any]
    rounds: list[dict[str, Any]]


def perform(task: Task) -> Result:
    """Make the problem, solve it, and measure the answer where the solver has not looked."""
    rounds: list[fs.Round] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        row = _measure(task, rounds)
    row.setdefault("message", "; ".join(dict.fromkeys(_line(w.message) for w in caught)))
    return Result(row, [_round_row(task, done) for done in rounds])


def _keep(rounds: list[fs.Round], event: fs.Forecast | fs.Round) -> None:
    if isinstance(event, fs.Round):
        rounds.append(event)


def _measure(task: Task, rounds: list[fs.Round]) -> dict[str, Any]:
    example = CATALOGUE[task.part][task.problem]()
    before = _memory()
    begun, computed = perf_counter(), process_time()
    solution, failure = None, ""
    try:
        solution = fs.solve(
            example.problem,
            tol=example.tol,
            budget=BUDGETS[task.budget],
            rng=task.seed,
            progress=partial(_keep, rounds),
        )
    except Exception as error:  # whatever it is, it is what the user would see
        failure = _line(error)
    peak = _peak_memory()
    row: dict[str, Any] = {
        "status": "ok" if solution is not None else "exception",
        "seconds": f"{perf_counter() - begun:.3f}",
        "cpu_seconds": f"{process_time() - computed:.3f}",
        "rounds": len(rounds),
    }
    if task.budget != "default":  # otherwise the process may have solved others before
        row["megabytes"] = f"{(peak - before) / 1e6:.0f}"
    if solution is None:
        return row | {"message": failure}
    return row | {
        "converged": solution.converged,
        "error": f"{_error(example, solution, task.seed):.3e}",
        "estimate": f"{solution.error_estimate:.3e}",
        "neurons": solution.report.neurons,
        "features": solution.report.features.partition("(")[0],
        "reason": " ".join(solution.report.reason.split()),
    }


def _error(example: Example, solution: fs.Solution, seed: int) -> float:
    """Relative L2 at fresh points; never those of the solver, whose streams are children of the seed."""
    points = example.problem.domain.sample(_CHECKS, np.random.default_rng([seed, 1]))
    exact = make_field(example.exact, example.problem.coordinates)(points)
    return float(np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact))


def _round_row(task: Task, done: fs.Round) -> dict[str, Any]:
    forecast = getattr(done, "forecast", None)
    return task.key | {
        "part": task.part,
        "round": done.number,
        "neurons": done.neurons,
        "rows": done.rows,
        "forecast": "" if forecast is None else f"{forecast:.4g}",
        "seconds": f"{done.seconds:.4g}",
        "why": done.why,
    }


def _peak_memory() -> int:
    """The most bytes that this process has ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _memory() -> int:
    """The bytes that this process holds now; where the system does not tell, the most that it has held."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return _peak_memory()


def _line(error: Warning | Exception | str) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
