"""A sweep beside as many solves: the sound in a car's cabin over 200 frequencies.

    python benchmarks/sweep.py [--every N]   # writes docs/sweeps.csv and docs/images/sweep.png

A wall of the cabin vibrates (the firewall), another absorbs (the roof, a Robin condition with i k), the others are
rigid; measured is the pressure at a driver's ear, from 100 to 2000 Hz with 343 m/s. First `fs.sweep` with one process
for each processor, then `fs.solve` in one warm process with all of them, and with a single thread, for every N-th
frequency; then a sweep that is killed after some rows and resumed. Seconds are those of the clock and of processors;
those of `fs.solve` are for 200 frequencies, N times what was measured. What the clock says has a meaning on a machine
with nothing else to do; where it has, the processor seconds of one thread are the work there is. The last column is the
largest difference of pressures from those of the sweep, over what both error estimates allow.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

import numpy as np
import sympy as sp
from method_page import DOCS
from patch_problems.sources import CABIN, WALLS

import fspielm as fs
from fspielm.jobs import Store

TABLE = DOCS / "sweeps.csv"
PICTURE = DOCS / "images" / "sweep.png"
COLUMNS = ("what", "rows", "measured", "seconds", "processor seconds", "converged", "largest estimate", "difference")

FREQUENCIES = np.linspace(100, 2000, 200)
EAR = np.array([[1.3, 1.0]])
# Of the sweep that is killed: its rows, and after how many.
SOME, KILLED_AFTER = 40, 15

x, y = sp.symbols("x y")
f = sp.Symbol("f", positive=True)


def cabin() -> fs.Problem:
    """The cabin at an open frequency."""
    u, k = sp.Function("u")(x, y), 2 * sp.pi * f / 343
    conditions = [fs.Robin(-0.4 * sp.I * k, 1, 0, on="roof"), fs.Neumann(1, on="firewall"), fs.Neumann(0, on="rest")]
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0)
    return fs.Problem(equation, fs.Polygon(CABIN, names=WALLS), conditions, given={f: ...})


def pressure(solution: fs.Solution) -> dict[str, Any]:
    """At the ear, and the largest value the solution may be wrong by."""
    return {"pressure": solution(EAR)[0], "within": solution.report.max_error_estimate}


def swept(frequencies: Any, keep: Path) -> Any:
    """A sweep over some frequencies."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        return fs.sweep(cabin(), {f: frequencies}, measure=pressure, keep=keep)


def _spent() -> float:
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def by_sweep(folder: Path) -> tuple[Any, dict[str, Any]]:
    """All frequencies by one sweep."""
    began, spent = perf_counter(), _spent()
    found = swept(FREQUENCIES, folder / "sweep.db")
    row = _row("fs.sweep", len(FREQUENCIES), perf_counter() - began, _spent() - spent, found)
    return found, row


def by_solves(every: int, known: Any, threads: int | None = None) -> dict[str, Any]:
    """Every so manieth frequency by a solve, one after the other; the first solve of the process does not count."""
    problem, budget = cabin(), fs.Budget(threads=threads)
    frequencies = FREQUENCIES[::every]
    seconds = spent = 0.0
    estimates, off = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        fs.solve(problem.at({f: 95.0}), rng=0, budget=budget)
        for frequency in frequencies.tolist():
            began, before = perf_counter(), _spent()
            solution = fs.solve(problem.at({f: frequency}), rng=0, budget=budget)
            value = pressure(solution)
            seconds, spent = seconds + perf_counter() - began, spent + _spent() - before
            same = known.sel(f=frequency)
            estimates.append(solution.error_estimate)
            off.append(abs(value["pressure"] - complex(same["pressure"])) / (value["within"] + float(same["within"])))
    scale = len(FREQUENCIES) / len(frequencies)
    return {
        "what": "fs.solve" if threads is None else "fs.solve, one thread",
        "rows": len(FREQUENCIES),
        "measured": len(frequencies),
        "seconds": f"{seconds * scale:.1f}",
        "processor seconds": f"{spent * scale:.1f}",
        "converged": sum(estimate <= 1e-8 for estimate in estimates),
        "largest estimate": f"{max(estimates):.1e}",
        "difference": f"{max(off):.2g}",
    }


def killed_and_resumed(folder: Path, known: Any) -> dict[str, Any]:
    """A sweep whose process is killed without notice, and then made again: no row that had ended is solved twice."""
    keep = folder / "killed.db"
    began, spent = perf_counter(), _spent()
    process = subprocess.Popen([sys.executable, __file__, "--kept", str(keep)])
    while process.poll() is None and len(_ended(keep)) < KILLED_AFTER:
        sleep(0.2)
    process.kill()
    process.wait()
    before = _ended(keep)
    found = swept(FREQUENCIES[:SOME], keep)
    after = _ended(keep)
    if not KILLED_AFTER <= len(before) < SOME or any(after[label] != when for label, when in before.items()):
        raise SystemExit("the sweep was not resumed as it should have been")
    row = _row("killed after some rows, resumed", SOME, perf_counter() - began, _spent() - spent, found)
    same = known.sel(f=FREQUENCIES[:SOME])
    off = np.abs(found["pressure"] - same["pressure"]) / (found["within"] + same["within"])
    return row | {"what": f"fs.sweep, killed after {len(before)} rows and resumed", "difference": f"{off.max():.2g}"}


def _ended(keep: Path) -> dict[str, str]:
    """When each row ended."""
    if not keep.exists():
        return {}
    with Store.open(keep, read_only=True) as store:
        return {row.job.subject: row.ended for row in store.rows()}


def _row(what: str, rows: int, seconds: float, spent: float, found: Any) -> dict[str, Any]:
    return {
        "what": what,
        "rows": rows,
        "measured": rows,
        "seconds": f"{seconds:.1f}",
        "processor seconds": f"{spent:.1f}",
        "converged": int(found["converged"].sum()),
        "largest estimate": f"{float(found['error_estimate'].max()):.1e}",
    }


def draw(found: Any) -> None:
    """The level at the ear, with the error estimates."""
    level = 20 * np.log10(np.abs(found["pressure"]))
    fs.plot_sweep(found.assign(level=level), PICTURE, quantity="level", label="level at the ear (dB)", width="double")


def main() -> None:
    """Measure, and write the table and the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="of the frequencies, those that fs.solve is measured with")
    parser.add_argument("--kept", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.kept:
        swept(FREQUENCIES[:SOME], arguments.kept)
        return
    with TemporaryDirectory() as folder, TABLE.open("w", newline="", encoding="utf-8") as table:
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
        writer.writeheader()
        found, row = by_sweep(Path(folder))
        draw(found)
        every = arguments.every
        for measured in (
            lambda: row,
            lambda: by_solves(every, found, threads=1),
            lambda: by_solves(every, found),
            lambda: killed_and_resumed(Path(folder), found),
        ):
            each = measured()
            print(each, flush=True)
            writer.writerow(each)
            table.flush()


if __name__ == "__main__":
    main()
