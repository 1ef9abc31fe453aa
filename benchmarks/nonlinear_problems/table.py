"""The table of what was measured."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[2] / "docs" / "nonlinear.csv"
HEAD = (
    "name",
    "tol",
    "goal",
    "error",
    "estimate",
    "verdict",
    "functions",
    "rounds",
    "steps",
    "seconds",
    "peer_error",
    "peer_seconds",
)
_SHOWN = (
    ("problem", "name"),
    ("to reach", "goal"),
    ("error", "error"),
    ("estimate", "estimate"),
    ("verdict", "verdict"),
    ("functions", "functions"),
    ("rounds", "rounds"),
    ("Newton steps", "steps"),
    ("seconds", "seconds"),
    ("FastLSQ: error", "peer_error"),
    ("seconds", "peer_seconds"),
)


def rows() -> list[dict[str, str]]:
    """What is kept."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keep(row: dict[str, Any], order: list[str]) -> None:
    """Put a row in the place of an older one of its problem."""
    kept = {old["name"]: old for old in rows()} | {row["name"]: {key: str(row[key]) for key in HEAD}}
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[name] for name in order if name in kept)


def report() -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head for head, _ in _SHOWN) + " |", "|---|" + "--:|" * (len(_SHOWN) - 1)]
    lines += ["| " + " | ".join(row[key].partition(":")[0] for _, key in _SHOWN) + " |" for row in rows()]
    return "\n".join(lines)
