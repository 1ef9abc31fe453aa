"""Tables that grow by a row as each solve ends."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Table:
    """A CSV file with named columns."""

    path: Path
    columns: Sequence[str]

    def rows(self) -> list[dict[str, str]]:
        """What has been measured so far."""
        if not self.path.exists():
            return []
        with self.path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows; what they lack is left empty."""
        new = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.columns, restval="", lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerows(rows)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table whose first column is words and whose others are numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def number(text: str) -> float:
    """What a cell holds; not a number if it is empty."""
    return float(text) if text else float("nan")
