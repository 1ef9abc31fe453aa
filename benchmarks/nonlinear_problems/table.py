"""The table of what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kept_rows import markdown, read_rows, write_rows

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
    return read_rows(TABLE)


def keep(row: dict[str, Any], order: list[str]) -> None:
    """Put a row in the place of an older one of its problem."""
    kept = {old["name"]: old for old in rows()} | {row["name"]: {key: str(row[key]) for key in HEAD}}
    write_rows(TABLE, HEAD, [kept[name] for name in order if name in kept])


def report() -> str:
    """A Markdown table."""
    cells = ([row[key].partition(":")[0] for _, key in _SHOWN] for row in rows())
    return markdown([head for head, _ in _SHOWN], cells)
