"""Hundreds of wavelengths across: features that satisfy the equation, the filled band, and finite elements.

    python benchmarks/wavelengths.py run [--quick]     # measure; all of it makes docs/wavelengths.csv
    python benchmarks/wavelengths.py report            # docs/images/wavelengths.png, and a table in docs/method.md

The Helmholtz equation with the data of a point source outside: in the plane on the Panda of radius one, source at
(2, 1), and in space in the unit ball, source at (2, 1, 0.5). Errors are relative, in L2 over the domain, against the
exact solution; seconds are those of the whole solve, from the problem to the solution with its error estimate, and
for the elements from the outline to the values. Each solve has a process of its own, and memory is its peak. A method
goes on to higher wavenumbers until a solve takes more than 60 seconds or 8 GB; features that satisfy the equation go
all the way. The finite elements are those of NGSolve (``pip install 'fspielm[bench]'``), and are left out without it.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp
from method_page import DOCS, put

import fspielm as fs
from fspielm.resources import available_threads

TABLE = DOCS / "wavelengths.csv"
PICTURE = DOCS / "images" / "wavelengths.png"
COLUMNS = ("domain", "method", "wavenumber", "wavelengths", "unknowns", "error", "estimate", "seconds", "memory_gb")

SECONDS, BYTES = 60.0, 8e9
TOLERANCE = 1e-8
WAVENUMBERS = {
    "panda": (20, 40, 60, 100, 200, 400, 700, 1000, 1400, 2000),
    "ball": (5, 10, 15, 20, 25, 30, 40),
}
QUICK = {"panda": (20, 40, 80), "ball": (5, 8)}
EXACT, BAND, ELEMENTS = "characteristic", "filled band", "finite elements"
_POINTS = 4000
_SEED = 1
# Seconds for a process to start and warm up.
_START = 15.0


@dataclass(frozen=True)
class Scene:
    """A point source outside of a domain; `wave` is the solution as a function of the distance from it."""

    domain: fs.Domain
    source: tuple[float, ...]
    wave: Callable[[Any, float], sp.Expr]
    methods: tuple[str, ...]


SCENES = {
    "panda": Scene(fs.Panda(1.0), (2, 1), lambda r, k: sp.bessely(0, k * r), (EXACT, BAND, ELEMENTS)),
    "ball": Scene(fs.Ball((0, 0, 0), 1), (2, 1, 0.5), lambda r, k: sp.cos(k * r) / r, (EXACT,)),
}


def point_source(name: str, k: float) -> tuple[fs.Problem, sp.Expr]:
    """The problem, and its exact solution."""
    scene = SCENES[name]
    coordinates = sp.symbols("x y z")[: scene.domain.dimension]
    u = sp.Function("u")(*coordinates)
    exact = scene.wave(sp.sqrt(sum((x - s) ** 2 for x, s in zip(coordinates, scene.source, strict=True))), k)
    equation = sp.Eq(sum(u.diff(x, 2) for x in coordinates) + k**2 * u, 0)
    return fs.Problem(equation, scene.domain, [fs.Dirichlet(exact)]), exact


def solve_automatic(problem: fs.Problem) -> fs.Solution:
    """With what the solver takes by itself: features that satisfy the equation."""
    return fs.solve(problem, rng=_SEED)


def solve_band(problem: fs.Problem) -> fs.Solution:
    """With a filled band."""
    return fs.solve(problem, approach="band", budget=fs.Budget(memory=BYTES, seconds=SECONDS), rng=_SEED)


def measure(name: str, method: str, k: float) -> dict[str, Any]:
    """One row of the table."""
    points = SCENES[name].domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy")
    if method == ELEMENTS:
        from finite_elements import solve_panda

        values, unknowns, seconds = solve_panda(k, SCENES[name].source, points, available_threads())
        estimate = float("nan")
        _, exact = point_source(name, k)
    else:
        solver = {EXACT: solve_automatic, BAND: solve_band}[method]
        solver(point_source(name, 2)[0])  # warm up
        start = perf_counter()
        problem, exact = point_source(name, k)
        solution = solver(problem)
        seconds = perf_counter() - start
        values, unknowns, estimate = solution(points), solution.report.neurons, solution.error_estimate
    inside = np.isfinite(values)
    true = sp.lambdify(sp.symbols("x y z")[: points.shape[1]], exact, "scipy")(*points[inside].T)
    return {
        "unknowns": unknowns,
        "error": float(np.linalg.norm(values[inside] - true) / np.linalg.norm(true)),
        "estimate": estimate,
        "seconds": seconds,
        "memory_gb": peak_bytes() / 1e9,
    }


def peak_bytes() -> int:
    """Peak resident memory of this process (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def measure_apart(name: str, method: str, k: float) -> dict[str, Any] | str:
    """One row, measured in a process of its own; or why there is none."""
    command = [sys.executable, __file__, "one", "--one", name, method, str(k)]
    limit = None if method == EXACT else SECONDS + _START
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS:g} s"
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else f"ended with exit code {done.returncode}"
    row = json.loads(done.stdout.splitlines()[-1])
    if method == BAND and not row["estimate"] <= TOLERANCE:
        return "not converged"
    if method != EXACT and (row["seconds"] > SECONDS or row["memory_gb"] > BYTES / 1e9):
        return f"takes {row['seconds']:.0f} s and {row['memory_gb']:.1f} GB"
    lower, upper = SCENES[name].domain.bounding_box
    across = k * float(np.max(upper - lower)) / (2 * np.pi)
    return {"domain": name, "method": method, "wavenumber": k, "wavelengths": across, **row}


def run(wavenumbers: dict[str, tuple[int, ...]], methods: list[str]) -> Iterator[dict[str, Any]]:
    """Measure everything, one line each."""
    for name, scene in SCENES.items():
        for method in [method for method in scene.methods if method in methods]:
            if method == ELEMENTS and find_spec("ngsolve") is None:
                print(f"{name} {method}: left out, NGSolve is missing (pip install 'fspielm[bench]')")
                continue
            for k in wavenumbers[name]:
                row = measure_apart(name, method, k)
                if isinstance(row, str):
                    print(f"{name:<5} {method:<15} {k:5d}  the end: {row}", flush=True)
                    break
                print(
                    f"{name:<5} {method:<15} {k:5d} {row['wavelengths']:6.0f} wavelengths {row['unknowns']:8d} unknowns"
                    f"  error {row['error']:.1e}  estimate {row['estimate']:.1e}  {row['seconds']:6.1f} s "
                    f"{row['memory_gb']:5.2f} GB",
                    flush=True,
                )
                yield row


def write_table(rows: list[dict[str, Any]]) -> None:
    """Keep the rows."""
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            formats = {"wavenumber": ".0f", "unknowns": ".0f", "error": ".2e", "estimate": ".2e"}
            formats |= {"wavelengths": ".1f", "seconds": ".2f", "memory_gb": ".2f"}
            writer.writerow(row | {key: format(row[key], form) for key, form in formats.items()})


def read_table() -> list[dict[str, Any]]:
    """The rows kept, numbers as numbers."""
    with TABLE.open(encoding="utf-8") as file:
        return [
            {key: value if key in ("domain", "method") else float(value) for key, value in row.items()}
            for row in csv.DictReader(file)
        ]


def slope(rows: list[dict[str, Any]], name: str, method: str, what: str = "unknowns") -> float:
    """The exponent of a fit ``what ~ wavenumber^exponent``."""
    chosen = [row for row in rows if row["domain"] == name and row["method"] == method]
    if len(chosen) < 2:
        return float("nan")
    return float(np.polyfit(*(np.log([row[key] for row in chosen]) for key in ("wavenumber", what)), 1)[0])


def print_slopes(rows: list[dict[str, Any]]) -> None:
    """How fast unknowns grow with the wavenumber."""
    for name, scene in SCENES.items():
        for method in [method for method in scene.methods if np.isfinite(slope(rows, name, method))]:
            print(f"{name:<5} {method:<15} unknowns ~ wavenumber^{slope(rows, name, method):.2f}")


def write_page(rows: list[dict[str, Any]]) -> None:
    """The picture and a table of the features that satisfy the equation, between their marks."""
    exact = [row for row in rows if row["method"] == EXACT]
    lines = [
        f"| {row['domain']} | {row['wavenumber']:.0f} | {row['wavelengths']:.0f} | {row['unknowns']:.0f} "
        f"| {row['error']:.1e} | {row['estimate']:.1e} | {row['seconds']:.1f} | {row['memory_gb']:.2f} |"
        for row in exact
    ]
    slopes = " and ".join(f"{slope(rows, name, EXACT):.2f} ({name})" for name in SCENES)
    text = f"""Made by `python benchmarks/wavelengths.py`: Helmholtz' equation with the data of a point source outside,
on the Panda of radius one and in the unit ball, `fs.solve(problem)` without hints; beside it a filled band, and finite
elements of order 10 (NGSolve), each as far as 60 seconds go. The number of functions grows with the wavenumber to the
power {slopes}.

![Seconds, error and unknowns over the wavenumber](images/wavelengths.png)

| domain | wavenumber | wavelengths across | functions | error | estimate | seconds | GB |
| --- | --: | --: | --: | --: | --: | --: | --: |
"""
    put("wavelengths", text + "\n".join(lines))


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "report", "one"])
    parser.add_argument("--quick", action="store_true", help="low wavenumbers alone; nothing is written")
    parser.add_argument("--methods", nargs="+", choices=(EXACT, BAND, ELEMENTS), default=[EXACT, BAND, ELEMENTS])
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    if options.command == "one":
        name, method, k = options.one
        print(json.dumps(measure(name, method, float(k))))
    elif options.command == "report":
        from wavelengths_figure import draw

        draw(read_table(), PICTURE)
        write_page(read_table())
    else:
        kept = [row for row in read_table() if row["method"] not in options.methods] if TABLE.exists() else []
        rows = []
        for row in run(QUICK if options.quick else WAVENUMBERS, options.methods):
            rows.append(row)
            if not options.quick:
                write_table(kept + rows)  # what was measured stays, whatever comes next
        print_slopes(rows)


if __name__ == "__main__":
    main()
