"""Rows of what was measured: kept in a file, shown as a table."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> list[dict[str, str]]:
    """What is kept; nothing where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, head: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """In the place of what was kept."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, head, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def measure_named(
    about: str,
    path: Path,
    head: Sequence[str],
    cases: Mapping[str, Any],
    measure: Callable[[str], list[dict[str, Any]]],
) -> None:
    """Rows of the cases that the command line names, or of all, in the place of what is kept of them."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(cases)}")
    wanted = parser.parse_args().names or list(cases)
    if unknown := [name for name in wanted if name not in cases]:
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(cases)}")
    for name in wanted:
        rows = measure(name)
        for row in rows:
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        every = [*(row for row in read_rows(path) if row["name"] != name), *rows]
        write_rows(path, head, sorted(every, key=lambda row: list(cases).index(row["name"])))


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, its first column to the left and the others to the right."""
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
