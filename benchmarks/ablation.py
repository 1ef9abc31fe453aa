"""What each change to the published recipe is worth: error and time, one step added after the other.

    python benchmarks/ablation.py run      # some minutes; continues where it stopped
    python benchmarks/ablation.py report   # docs/ablation.csv -> the table in docs/method.md

All steps of a case have the same neurons and, but for the last row, the same numbers of points. None of them knows
the exact solution, except the published recipe and the two steps after it: they use the frequency range that the
paper's search found best.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from method_page import DOCS, put

import fspielm as fs
from fspielm.basis.random.families import layout, least_core
from fspielm.estimate import infer_bands
from fspielm.paper.cases import Case

TABLE = DOCS / "ablation.csv"
COLUMNS = ("case", "neurons", "step", "seed", "error", "coefficient_norm", "seconds")
STEPS = (
    "published recipe",
    "+ QR",
    "+ even density",
    "+ anisotropic bands",
    "+ clustered points",
    "+ block scaling",
    "automatic, tol=1e-12",
)
SEEDS = (0, 1, 2)


@dataclass(frozen=True, eq=False)
class Subject:
    """A case at the size all its steps share."""

    title: str
    case: Case
    neurons: int


def subjects() -> list[Subject]:
    """The cases of the table."""
    return [
        Subject("heat", fs.cases.load("heat"), 1500),
        Subject("klein-gordon", fs.cases.load("klein-gordon"), 2500),
        Subject("helmholtz-panda, radius 0.45", fs.cases.load("helmholtz-panda", radius=0.45), 2000),
    ]


def steps(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and settings of every step; each keeps what the ones before it changed."""
    case, neurons = subject.case, subject.neurons
    paper = case.paper
    settings = paper.settings("fs-l") | {
        "features": paper.features("fs-l", neurons=neurons),
        "points": _resized(paper.points, min(neurons / paper.neurons, 1.0)),
    }
    yield STEPS[0], settings
    settings = settings | {"least_squares": fs.QR()}
    yield STEPS[1], settings
    # the ball that the paper's frequencies lie in, with the perturbation's standard deviation as its rim
    radius = paper.results["fs-l"].mu[1] + 1.0
    dimension = case.problem.dimension
    settings = settings | {"features": fs.Band(neurons, (radius,) * dimension, core=(0.0,) * dimension)}
    yield STEPS[2], settings
    settings = settings | {"features": _inferred(case, neurons)}
    yield STEPS[3], settings
    settings = settings | {"points": replace(settings["points"], sampling="clustered")}
    yield STEPS[4], settings
    settings = settings | {"scaling": "rms"}
    yield STEPS[5], settings
    yield STEPS[6], {"tol": 1e-12, "approach": "band"}


def _resized(points: fs.Points, factor: float) -> fs.Points:
    """The paper's points, fewer in proportion to the neurons."""

    def scaled(count: int | None) -> int | None:
        return None if count is None else round(factor * count)

    assert not isinstance(points.boundary, dict)
    return replace(
        points,
        interior=round(factor * points.interior),
        boundary=scaled(points.boundary),  # type: ignore[arg-type]
        boundary_total=scaled(points.boundary_total),
        initial=scaled(points.initial),
    )


def _inferred(case: Case, neurons: int) -> fs.Band:
    """The band of the equation and its data, padded as far as `neurons` fill it."""
    lower, upper = case.problem.domain.bounding_box
    lengths = upper - lower
    core = least_core(infer_bands(case.problem, np.random.default_rng(0)).frequencies, lengths)
    digits = np.linspace(2.0, 14.0, 121)
    fitting = [d for d in digits if layout(core, lengths, d).family.neurons <= neurons]
    return replace(layout(core, lengths, max(fitting)).family, neurons=neurons)


def run() -> None:
    """Solve whatever `TABLE` does not have yet, appending row by row."""
    done = {(row["case"], row["step"], int(row["seed"])) for row in rows()}
    if not TABLE.exists():
        TABLE.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for subject in subjects():
        for step, settings in steps(subject):
            for seed in SEEDS:
                if (subject.title, step, seed) in done:
                    continue
                solution = fs.solve(subject.case.problem, **settings, rng=seed)
                report = solution.report
                spent = sum(part.seconds for part in report.rounds) or sum(report.seconds.values())
                row = (
                    subject.title,
                    report.neurons,
                    step,
                    seed,
                    f"{subject.case.space_time_error(solution):.2e}",
                    f"{report.coefficient_norm:.2e}",
                    f"{spent:.2f}",
                )
                with TABLE.open("a", encoding="utf-8", newline="") as file:
                    csv.writer(file, lineterminator="\n").writerow(row)
                print(*row, sep=" | ", flush=True)


def rows() -> list[dict[str, str]]:
    """What has been measured so far."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table() -> str:
    """The table in Markdown: medians over the seeds."""
    measured = rows()
    titles = [subject.title for subject in subjects() if any(row["case"] == subject.title for row in measured)]
    sizes = {row["case"]: row["neurons"] for row in measured if row["step"] == STEPS[0]}
    heads = [f"{title}, {sizes[title]} functions" for title in titles]
    lines = [_cells(["step", *(part for head in heads for part in (head, "s"))])]
    lines.append(_cells(["---"] + ["--:"] * (2 * len(titles))))
    for step in STEPS:
        cells = [step]
        for title in titles:
            here = [row for row in measured if row["case"] == title and row["step"] == step]
            size = "" if step != STEPS[-1] else f" ({int(np.median([int(row['neurons']) for row in here]))})"
            cells += [
                f"{np.median([float(row['error']) for row in here]):.1e}{size}",
                f"{np.median([float(row['seconds']) for row in here]):.1f}",
            ]
        lines.append(_cells(cells))
    return "\n".join(lines)


def report() -> None:
    """Put the table into docs/method.md."""
    note = (
        "Made by `python benchmarks/ablation.py`: relative error over the whole domain, and seconds, medians of "
        f"{len(SEEDS)} seeds.\nEach step adds to the one before it; the last row also chooses its number of functions "
        "(in brackets)."
    )
    put("ablation", f"{note}\n\n{table()}")


def _cells(texts: Iterable[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def main() -> None:
    """Run, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("run", "report"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    if options.command == "run":
        run()
    else:
        report()


if __name__ == "__main__":
    main()
