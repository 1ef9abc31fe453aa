"""What the choice of functions buys: `fs.solve(problem)` beside the same with a filled band, in the same run.

    python benchmarks/approaches.py run [--repeat 7] [NAME ...]   # writes docs/approaches.csv
    python benchmarks/approaches.py report                        # -> a table in docs/method.md

The paper's seven benchmarks, the problems of `problems.py`, and homogeneous ones over long times or with sources close
by. Solves of the two kinds alternate; seconds are medians, the ratio is that of the medians. Errors are relative, in L2
over the domain, and those of the first solve. A filled band gets 40 seconds.
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from homogeneous import HOMOGENEOUS
from method_page import DOCS, put
from numpy.typing import NDArray
from problems import EXAMPLES, Exact

import fspielm as fs
from fspielm.expr import make_field
from fspielm.paper.cases import catalogue as cases

TABLE = DOCS / "approaches.csv"
COLUMNS = (
    "name",
    "kind",
    "neurons",
    "error",
    "estimate",
    "seconds",
    "band_neurons",
    "band_error",
    "band_seconds",
    "ratio",
)
KINDS = {"Band": "band", "Characteristic": "characteristic", "Joined": "thin"}
_POINTS = 4000
# Beyond so many seconds no further solve is begun, nor a filled band that would take longer.
_PATIENCE = 40.0

Measure = Callable[[fs.Solution], float]


@dataclass(frozen=True)
class Subject:
    """A problem, its tolerance, and how its error is measured."""

    problem: fs.Problem
    tol: float
    error: Measure


def subjects(wanted: list[str]) -> Iterator[tuple[str, Subject]]:
    """All of them, or those whose names are given."""
    for name in cases.names():
        if not wanted or name in wanted:
            case = cases.load(name)
            yield name, Subject(case.problem, 1e-8, case.relative_error)
    for name, (_, make) in {**EXAMPLES, **HOMOGENEOUS}.items():
        if not wanted or name in wanted:
            example = make()
            yield name, Subject(example.problem, example.tol, _error_against(example.problem, example.exact))


def _error_against(problem: fs.Problem, exact: Exact) -> Measure:
    field = make_field(exact, problem.coordinates, {})

    def error(solution: fs.Solution) -> float:
        points: NDArray[np.float64] = problem.domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy")
        values = field(points)
        return float(np.linalg.norm(solution(points) - values) / np.linalg.norm(values))

    return error


def measure(subject: Subject, repeat: int) -> dict[str, Any]:
    """One row: solves of the two kinds in turn."""
    seconds: dict[str, list[float]] = {"": [], "band": []}
    first: dict[str, fs.Solution] = {}
    for _ in range(repeat):
        for approach, taken in seconds.items():
            if sum(taken) <= _PATIENCE:
                begun = perf_counter()
                solution = solve(subject, approach)
                taken.append(perf_counter() - begun)
                if solution is not None:
                    first.setdefault(approach, solution)
    chosen, band = first[""], first.get("band")
    medians = {approach: float(np.median(taken)) for approach, taken in seconds.items()}
    missing = {"band_neurons": "", "band_error": math.nan, "band_seconds": math.nan, "ratio": math.nan}
    return {
        "kind": KINDS[chosen.report.features.partition("(")[0]],
        "neurons": chosen.report.neurons,
        "error": subject.error(chosen),
        "estimate": chosen.error_estimate,
        "seconds": medians[""],
    } | (
        missing
        if band is None
        else {
            "band_neurons": band.report.neurons,
            "band_error": subject.error(band),
            "band_seconds": medians["band"],
            "ratio": medians["band"] / medians[""],
        }
    )


def solve(subject: Subject, approach: str) -> fs.Solution | None:
    """Solve by default, or with a filled band if that fits."""
    if not approach:
        return fs.solve(subject.problem, tol=subject.tol, rng=0)
    budget = fs.Budget(seconds=_PATIENCE)
    solution = fs.solve(subject.problem, tol=subject.tol, rng=0, approach="band", budget=budget)
    # beyond time and memory a token is solved for, which says nothing about the band
    return solution if np.isfinite(solution.error_estimate) else None


def run(wanted: list[str], repeat: int) -> None:
    """Measure, and keep what was measured before of the others."""
    rows = {row["name"]: row for row in read_table()}
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    for name, subject in subjects(wanted):
        row = measure(subject, repeat)
        print(
            f"{name:<28} {row['kind']:<15} {row['neurons']:6d} {row['error']:.1e} (estimate {row['estimate']:.1e}) "
            f"{row['seconds']:7.2f} s; band {row['band_neurons']:>6} {row['band_error']:.1e} "
            f"{row['band_seconds']:7.2f} s; {row['ratio']:.2f} times faster",
            flush=True,
        )
        precision = {"error": ".1e", "estimate": ".1e", "band_error": ".1e"}
        precision |= {"seconds": ".3f", "band_seconds": ".3f", "ratio": ".2f"}
        rows[name] = {"name": name} | row | {key: format(row[key], form) for key, form in precision.items()}
        write_table(list(rows.values()))


def read_table() -> list[dict[str, Any]]:
    """The rows kept."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_table(rows: list[dict[str, Any]]) -> None:
    """Keep the rows."""
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def report() -> None:
    """The table in the page, between its marks."""
    lines = [
        f"| {row['name']} | {row['kind']} | {row['neurons']} | {row['error']} | {row['seconds']} "
        f"| {row['band_neurons']} | {row['band_error']} | {row['band_seconds']} | {float(row['ratio']):.2g} |".replace(
            "nan", ""
        )
        for row in read_table()
    ]
    text = """Made by `python benchmarks/approaches.py`: medians of solves in turn, in the same run, by default and with
`approach="band"` (of seven for the paper's cases, of one for the others); one thread of the linear algebra library.

| problem | functions | number | error | seconds | band: number | error | seconds | times faster |
| --- | --- | --: | --: | --: | --: | --: | --: | --: |
"""
    put("approaches", text + "\n".join(lines))


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "report"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    if options.command == "report":
        report()
    else:
        run(options.names, options.repeat)


if __name__ == "__main__":
    main()
