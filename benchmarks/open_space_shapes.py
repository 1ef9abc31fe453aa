"""Long and flat ellipsoids, and other indices of refraction, in a plane wave: estimates, reciprocity and times.

    python benchmarks/open_space_shapes.py [SHAPE ...]   # writes docs/open_shapes.csv, and docs/waves.md
    python benchmarks/open_space_shapes.py --page        # the table of docs/waves.md alone

With names, these shapes are measured again, and the rows of others stay.
"""

from __future__ import annotations

import argparse
import csv
from time import process_time

import numpy as np
from method_page import DOCS, put
from open_space import quietly
from open_space_bodies import SpaceCase

import fspielm as fs

TABLE = DOCS / "open_shapes.csv"
COLUMNS = ("semi_axes", "condition", "functions", "estimate", "reciprocity", "optical_theorem", "seconds")
K = 5.0
SHAPES = {
    "1 : 0.2 : 0.2": (1, 0.2, 0.2),
    "1 : 0.1 : 0.1": (1, 0.1, 0.1),
    "1 : 0.5 : 0.25": (1, 0.5, 0.25),
    "1 : 1 : 0.2": (1, 1, 0.2),
}
CONDITIONS = {
    "soft": fs.Dirichlet(0),
    "hard": fs.Neumann(0),
    "n = 1.5": fs.Transparent(1.5 * K),
    "n = 1.33 + 0.01 i": fs.Transparent((1.33 + 0.01j) * K),
    "n = 0.2 + 3.4 i": fs.Transparent((0.2 + 3.4j) * K),
}


def measure(shape: str, kind: str) -> dict[str, str]:
    """One row of the table."""
    body = fs.Ellipsoid((0.3, 0.2, -0.1), SHAPES[shape]).rotated(0.4, axis="y")
    case = SpaceCase((body,), CONDITIONS[kind], k=K)
    began = process_time()
    solution = quietly(case.problem(), case.tol, 0)
    seconds = process_time() - began
    reverse = quietly(case.problem(case.opposite(case.other)), case.tol, 0)
    size = np.abs(solution.far_field(case.angles)).max()
    off = abs(solution.far_field([case.other])[0] - reverse.far_field([case.opposite(case.direction)])[0])
    sections = solution.cross_sections()
    lossless = "i" not in kind
    row = {
        "semi_axes": shape,
        "condition": kind,
        "functions": f"{solution.report.neurons}",
        "estimate": f"{solution.error_estimate:.1e}",
        "reciprocity": f"{off / size:.1e}",
        "optical_theorem": f"{abs(sections.extinction / sections.scattering - 1):.1e}" if lossless else "",
        "seconds": f"{seconds:.1f}",
    }
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def main() -> None:
    """Measure all shapes, or those named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SHAPE", help=f"one of: {'; '.join(SHAPES)}")
    parser.add_argument("--page", action="store_true", help="write the table into the page, and measure nothing")
    arguments, rows = parser.parse_args(), {}
    if TABLE.exists():
        with TABLE.open() as file:
            rows = {(row["semi_axes"], row["condition"]): row for row in csv.DictReader(file)}
    names = [] if arguments.page else arguments.names or list(SHAPES)
    for one in [(shape, kind) for shape in names for kind in CONDITIONS]:
        rows[one] = measure(*one)
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows[shape, kind] for shape in SHAPES for kind in CONDITIONS if (shape, kind) in rows)
    titles = [column.replace("_", "-" if column == "semi_axes" else " ") for column in COLUMNS]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(row[column] for column in COLUMNS) + " |" for row in rows.values()]
    put("shapes", "\n".join(lines), DOCS / "waves.md")


if __name__ == "__main__":
    main()
