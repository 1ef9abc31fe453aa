"""The table of what was measured, as Markdown and as a picture."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[2] / "docs" / "patches.csv"
HEAD = (
    "name",
    "tol",
    "error",
    "estimate",
    "verdict",
    "functions",
    "cells",
    "seconds",
    "memory_gb",
    "peer_order",
    "peer_unknowns",
    "peer_error",
    "peer_seconds",
)
_SHOWN = (
    ("problem", "name"),
    ("error", "error"),
    ("estimate", "estimate"),
    ("verdict", "verdict"),
    ("functions", "functions"),
    ("cells", "cells"),
    ("seconds", "seconds"),
    ("GB", "memory_gb"),
    ("order", "peer_order"),
    ("error", "peer_error"),
    ("seconds", "peer_seconds"),
)


def rows() -> list[dict[str, str]]:
    """What is kept."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keep(row: dict[str, Any]) -> None:
    """Put a row in the place of an older one of its problem and tolerance; its peer stays if there is no new one."""
    kept = rows()
    for place, old in enumerate(kept):
        if (old["name"], old["tol"]) == (row["name"], row["tol"]):
            peer = {key: row[key] or old[key] for key in HEAD if key.startswith("peer_")}
            kept[place] = {key: str(value) for key, value in (row | peer).items()}
            break
    else:
        kept.append({key: str(value) for key, value in row.items()})
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def report() -> str:
    """A Markdown table for each tolerance asked for, the last columns those of finite elements."""
    texts = []
    for tol in dict.fromkeys(row["tol"] for row in rows()):
        lines = [f"Tolerance {tol}; order, error and seconds at the end are those of NGSolve.", ""]
        lines.append("| " + " | ".join(head for head, _ in _SHOWN) + " |")
        lines.append("|---|" + "--:|" * (len(_SHOWN) - 1))
        lines += ["| " + " | ".join(row[key] for _, key in _SHOWN) + " |" for row in rows() if row["tol"] == tol]
        texts.append("\n".join(lines))
    return "\n\n".join(texts)


def figure(path: Path) -> None:
    """Time against error, ours and that of finite elements, a thin line between the two of a problem."""
    import matplotlib.pyplot as plt

    from fspielm.solution.pictures.style import BLUE, GRID, INK, VERMILION, style

    measured = [row for row in rows() if row["error"] and row["seconds"]]
    with style():
        drawing, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
        for row in measured:
            ours = float(row["error"]), float(row["seconds"])
            axis.plot(*ours, "o", color=BLUE, markersize=4)
            axis.annotate(row["name"], ours, (3, 2), textcoords="offset points", size=5.5, color=INK)
            if row["peer_error"]:
                peer = float(row["peer_error"]), float(row["peer_seconds"])
                axis.plot(*peer, "^", color=VERMILION, markersize=4)
                axis.plot(*zip(ours, peer, strict=True), color=GRID, linewidth=0.7, zorder=0)
        axis.set(xscale="log", yscale="log", xlabel="relative error", ylabel="seconds")
        axis.plot([], [], "o", color=BLUE, label="fspielm")
        axis.plot([], [], "^", color=VERMILION, label="NGSolve")
        axis.legend()
        drawing.savefig(path)
        plt.close(drawing)
