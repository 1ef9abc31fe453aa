"""Everyday problems to three, five and eight digits, beside finite elements at their fastest.

    python benchmarks/everyday.py run [--only NAME ...] [--tol 1e-3 ...] [--runs 3] [--peer] [--label now]
    python benchmarks/everyday.py run --src FOLDER --label today     # another version, from its folder src
    python benchmarks/everyday.py run --peer-only                    # NGSolve alone
    python benchmarks/everyday.py search [--patience 150]            # NGSolve's fastest settings, kept for runs
    python benchmarks/everyday.py report             # docs/everyday.csv -> the tables of docs/everyday.md
    python benchmarks/everyday.py figure             # docs/images/everyday.png: seconds over digits
    python benchmarks/everyday.py summary            # medians: seconds, ratios, estimates, errors over tolerances
    python benchmarks/everyday.py reference [--only NAME ...]        # what errors are measured against
    python benchmarks/everyday.py check [--only NAME ...] [--tol 1e-9]   # the library beside these references
    python benchmarks/everyday.py relations          # solutions by elements put into what is stated, elastic ones
    python benchmarks/everyday.py list

Every problem and tolerance has a process of its own, warmed up by another small problem. Seconds are the least of
all runs: ours from `fs.Problem` to the solution with its estimate, NGSolve's (``--peer``, ``pip install
'fspielm[bench]'``) from the shape to the solution, with the order, mesh, grading, solver and number of threads that
reach the tolerance soonest, as a search has found them before. A row of docs/everyday.csv is replaced when its problem,
tolerance and label are measured again. Without other options all of it is one run:

    python benchmarks/everyday.py run --peer
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from children import in_children
from everyday_problems import EVERYDAY
from everyday_problems.catalogue import REFERENCES
from everyday_problems.table import HEAD, PEER, figure, keep, keep_agreement, summary, write_page

_SEED = 1
# A solve that takes longer is given up; a second run follows only where one takes less than the other.
_LIMIT, _REPEATED = 120.0, 15.0
_STARTING = 60.0
_CHECKED = 1e-9
_ELASTIC = ("cantilever", "elastic L")


@dataclass(frozen=True)
class Task:
    """What to measure of one problem."""

    name: str
    tol: float
    runs: int


@dataclass(frozen=True)
class Answer:
    """What a solve of ours gives to be measured: values or eigenvalues, the estimate and the verdict."""

    values: Any
    estimate: float
    verdict: str
    functions: Any = ""
    cells: Any = ""


def solve_ours(name: str, tol: float) -> tuple[float, Answer]:
    """Seconds from the statement to the estimate, and what to measure."""
    import fspielm as fs

    chosen = EVERYDAY[name]
    start = perf_counter()
    problem = chosen.state()
    if chosen.is_modes:
        from everyday_problems.statements import LAM

        modes = fs.eigenmodes(problem, LAM, count=6, tol=tol, rng=_SEED)
        seconds = perf_counter() - start
        values = np.array([[mode.value] for mode in modes])
        estimate = max(mode.estimate / abs(mode.value) for mode in modes)
        return seconds, Answer(values, estimate, "converged" if estimate <= tol and modes.complete else "no")
    solution = fs.solve(problem, tol=tol, rng=_SEED)
    seconds = perf_counter() - start
    report = solution.report
    verdict = "converged" if solution.converged else f"no: {report.reason[:120]}"
    values = np.asarray(solution(chosen.points()))
    cells = getattr(report, "cells", None) or ""
    return seconds, Answer(values, solution.error_estimate, verdict, report.neurons, cells)


def warm_up() -> None:
    """Import everything and fill caches by another problem."""
    import sympy as sp

    import fspielm as fs

    warnings.simplefilter("ignore", fs.AccuracyWarning)
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2) + (1 + x) * u, x)
    fs.solve(fs.Problem(equation, fs.Box((0, 0), (1, 0.8)), [fs.Dirichlet(0)]), tol=1e-2, rng=_SEED)


def measure(task: Task) -> dict[str, Any]:
    """Our columns of a row; what is refused has a verdict that says so."""
    warm_up()
    import fspielm as fs

    row: dict[str, Any] = {"version": fs.__version__}
    seconds = math.inf
    for _ in range(task.runs):
        try:
            spent, answer = solve_ours(task.name, task.tol)
        except Exception as refusal:  # whatever a version fails with, its row says so and the others follow
            return row | {"verdict": f"{type(refusal).__name__}: {' '.join(str(refusal).split())[:120]}"}
        seconds = min(seconds, spent)
        if seconds > _REPEATED:
            break
    memory = peak_bytes()  # before the error is measured
    if seconds > _LIMIT:
        return row | {"verdict": f"given up after {_LIMIT:g} s"}
    error, pressure = EVERYDAY[task.name].errors(answer.values)
    return row | {
        "error": f"{error:.2e}",
        "pressure_error": "" if math.isnan(pressure) else f"{pressure:.2e}",
        "estimate": f"{answer.estimate:.2e}",
        "verdict": answer.verdict,
        "seconds": f"{seconds:.3g}",
        "functions": answer.functions,
        "cells": answer.cells,
        "memory_gb": f"{memory / 1e9:.2f}",
    }


def peak_bytes() -> int:
    """Peak resident memory of this process (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def search_peer(patience: float, name: str) -> dict[float, Any]:
    """The fastest settings of finite elements."""
    from everyday_problems.oracle import fastest

    warnings.simplefilter("ignore")
    return fastest(EVERYDAY[name], EVERYDAY[name].tols, 1, patience)


def search(names: list[str], patience: float) -> None:
    """Search and keep the settings with which finite elements are timed."""
    from everyday_problems.oracle import keep_settings

    for ended in in_children(partial(search_peer, patience), names, fresh=True, limit=4 * patience + _LIMIT):
        keep_settings(ended.task, ended.result or {})
        print(ended.task, *(f"{tol:.0e} {best.setting}" for tol, best in (ended.result or {}).items()), sep="\n  ")


def measure_peer(tols: tuple[float, ...], runs: int, name: str) -> list[dict[str, Any]]:
    """Rows of finite elements."""
    import ngsolve as ng
    from everyday_problems.oracle import time_kept

    warnings.simplefilter("ignore")
    found = time_kept(EVERYDAY[name], name, tols, runs)
    return [
        {
            "tol": tol,
            "version": ng.__version__,
            "error": f"{best.error:.2e}",
            "pressure_error": "" if math.isnan(best.pressure) else f"{best.pressure:.2e}",
            "verdict": str(best.setting),
            "seconds": f"{best.seconds:.3g}",
            "functions": best.unknowns,
        }
        for tol, best in found.items()
    ]


def run(names: list[str], options: argparse.Namespace) -> None:
    """Measure and keep, one problem after the other; then write the page and draw the figure."""
    for name in names:
        tols = tuple(tol for tol in EVERYDAY[name].tols if not options.tol or tol in options.tol)
        # what a child may need to start, and for its runs
        limit = _STARTING + _LIMIT + options.runs * _REPEATED
        tasks = [Task(name, tol, options.runs) for tol in tols if not options.peer_only]
        for ended in in_children(measure, tasks, fresh=True, limit=limit):
            lost = {"hung": f"given up after {_LIMIT:g} s", "died": "the process died"}
            row = ended.result if ended.how == "done" else {"verdict": lost[ended.how]}
            _keep(name, ended.task.tol, options.label, row)
        if tols and (options.peer or options.peer_only):
            work = partial(measure_peer, tols, options.runs)
            for ended in in_children(work, [name], fresh=True, limit=limit):
                rows = {row.pop("tol"): row for row in ended.result or []}
                for tol in tols:
                    if tol in rows:
                        _keep(name, tol, PEER, rows[tol])
                    else:
                        print(f"{name} | {tol:.0e} | {PEER} | nothing found: search with more --patience?", flush=True)
    write_page()
    figure()


def _keep(name: str, tol: float, label: str, row: dict[str, Any]) -> None:
    row = dict.fromkeys(HEAD, "") | {"name": name, "tol": f"{tol:.0e}", "label": label} | row
    keep(row)
    print(*(f"{row[key]}" for key in HEAD if row[key] != ""), sep=" | ", flush=True)


def make_reference(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Values by two meshes and orders, the finer ones first."""
    return EVERYDAY[name].reference(True), EVERYDAY[name].reference(False)


def write_references(names: list[str]) -> None:
    """Two solves by finite elements: the finer is kept, the other tells how good it is; so do closed forms."""
    for ended in in_children(make_reference, names, fresh=True):
        name, (fine, coarse) = ended.task, ended.result
        chosen = EVERYDAY[name]
        exact = chosen.exact is not None
        known = chosen.known() if exact else fine
        columns = [slice(0, chosen.fields), slice(chosen.fields, None)]
        apart = [_apart((coarse, fine)[exact][:, part], known[:, part]) for part in columns]
        against = "its closed form" if exact else "a coarser one"
        pressure = f", pressure {apart[1]:.1e}" if known[:, columns[1]].size else ""
        print(f"{name}: {apart[0]:.1e} from {against}{pressure}", flush=True)
        keep_agreement({"name": name, "elements": f"{apart[0]:.0e}{pressure}", "against": against})
        if not exact:
            kept = dict(np.load(REFERENCES)) if REFERENCES.exists() else {}
            np.savez(REFERENCES, **dict(sorted((kept | {name: fine}).items())))


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    inside = np.isfinite(one).all(axis=1) & np.isfinite(other).all(axis=1)
    return float(np.linalg.norm((one - other)[inside]) / max(np.linalg.norm(other[inside]), 1e-300))


def check_one(task: Task) -> str:
    """How far the library is from a reference."""
    warm_up()
    seconds, answer = solve_ours(task.name, task.tol)
    error, pressure = EVERYDAY[task.name].errors(answer.values)
    other = "" if math.isnan(pressure) else f", pressure {pressure:.1e}"
    return f"{error:.1e}{other} apart, estimate {answer.estimate:.1e}, {answer.verdict}, {seconds:.0f} s"


def check(names: list[str], tol: float, limit: float) -> None:
    """Statements and references by the library at a tight tolerance."""
    tasks = [Task(name, tol, 1) for name in names]
    for ended in in_children(check_one, tasks, fresh=True, limit=limit):
        said = ended.result if ended.how == "done" else f"{ended.how} after {limit:g} s"
        print(f"{ended.task.name}: {said}", flush=True)
        keep_agreement({"name": ended.task.name, "library": f"{said.partition(' apart')[0]} (asked for {tol:g})"})


def check_relations(name: str) -> tuple[str, float]:
    """How well the solution by elements satisfies what is stated."""
    from everyday_problems.relations import worst_relation

    return worst_relation(EVERYDAY[name])


def check_elastic(names: list[str]) -> None:
    """Statements by the relations that elements satisfy."""
    for ended in in_children(check_relations, names, fresh=True):
        worst, residual = ended.result
        print(f"{ended.task}: relations hold but for {residual:.1e} ({worst})", flush=True)
        keep_agreement({"name": ended.task, "library": f"its relations hold but for {residual:.0e}"})


def _only_without_closed_form(names: list[str]) -> list[str]:
    return [name for name in names if EVERYDAY[name].exact is None or not name.startswith("medium")]


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "command", choices=["run", "search", "report", "figure", "summary", "reference", "check", "relations", "list"]
    )
    parser.add_argument("--only", nargs="+", choices=list(EVERYDAY), default=list(EVERYDAY), metavar="NAME")
    parser.add_argument("--tol", type=float, nargs="+", help="some of each problem's own; of check the one it has")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--label", default="now", help='of the rows of the library, "now" or "today"')
    parser.add_argument("--src", type=Path, help="the folder src of another version")
    parser.add_argument("--peer", action="store_true", help="NGSolve too")
    parser.add_argument("--peer-only", action="store_true", help="NGSolve alone")
    parser.add_argument("--patience", type=float, default=150.0, help="seconds of the search for NGSolve's fastest")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which a check is given up")
    options = parser.parse_args()
    if options.src:
        # children start with the path of their parent
        sys.path.insert(0, str(options.src.resolve()))
    commands: dict[str, Callable[[], Any]] = {
        "run": lambda: run(options.only, options),
        "search": lambda: search(options.only, options.patience),
        "report": write_page,
        "figure": figure,
        "summary": lambda: print(summary()),
        "reference": lambda: write_references(_only_without_closed_form(options.only)),
        "check": lambda: check(options.only, (options.tol or [_CHECKED])[0], options.limit),
        "relations": lambda: check_elastic([name for name in options.only if name in _ELASTIC]),
        "list": lambda: print(*(f"{name:<14} {one.what}" for name, one in EVERYDAY.items()), sep="\n"),
    }
    commands[options.command]()


if __name__ == "__main__":
    main()
