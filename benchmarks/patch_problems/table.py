"""The table of what was measured, as Markdown and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kept_rows import markdown, read_rows, write_rows
from method_page import put

TABLE = Path(__file__).resolve().parents[2] / "docs" / "patches.csv"
PAGE, PICTURE = TABLE.with_suffix(".md"), TABLE.parent / "images" / "patches.png"
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
_LOOSE = "1e-03"
_SHOWN = (
    ("problem", "name"),
    ("tolerance", "tol"),
    ("error", "error"),
    ("estimate", "estimate"),
    ("verdict", "verdict"),
    ("functions", "functions"),
    ("cells", "cells"),
    ("seconds", "seconds"),
    ("GB", "memory_gb"),
)
_SHOWN_LOOSE = (("error", "error"), ("seconds", "seconds"))
_PEER = {"NGSolve: order": "peer_order", "error": "peer_error", "seconds": "peer_seconds"}


def rows() -> list[dict[str, str]]:
    """What is kept."""
    return read_rows(TABLE)


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
    write_rows(TABLE, HEAD, kept)


def _measured() -> list[tuple[dict[str, str], dict[str, str]]]:
    """Rows with each problem's own tolerance, in the order of the problems, and what was measured with a loose one."""
    from patch_problems import PATCH_PROBLEMS

    loosely = {row["name"]: row for row in rows() if row["tol"] == _LOOSE}
    own = {row["name"]: row for row in rows() if row["tol"] != _LOOSE}
    return [(own[name], loosely.get(name, {})) for name in PATCH_PROBLEMS if name in own]


def report() -> str:
    """A Markdown table: with each problem's tolerance, with a loose one, and of finite elements."""
    from patch_problems import PATCH_PROBLEMS

    name, *rest = (head for head, _ in _SHOWN)
    heads = [name, "which is", *rest, *(f"{head} at {_LOOSE}" for head, _ in _SHOWN_LOOSE), *_PEER]
    cells = []
    for row, loose in _measured():
        own = [row[key].removeprefix("None") for _, key in _SHOWN]
        own.insert(1, PATCH_PROBLEMS[row["name"]][0])
        cells.append([*own, *(loose.get(key, "") for _, key in _SHOWN_LOOSE), *(row[key] for key in _PEER.values())])
    return markdown(heads, cells)


def write_page() -> None:
    """The table between its marks on its page."""
    put("patches", report(), PAGE)


def figure() -> None:
    """Seconds of each problem, ours and those of finite elements."""
    import matplotlib.pyplot as plt

    from fspielm.solution.plot.style import BLUE, GRID, VERMILION, style

    measured = [(row, loose) for row, loose in _measured() if row["seconds"]][::-1]
    with style():
        drawing, axis = plt.subplots(figsize=(6.4, 0.19 * len(measured) + 0.9), layout="constrained")
        for place, (row, loose) in enumerate(measured):
            ours = float(row["seconds"])
            axis.plot(ours, place, "o", color=BLUE, markersize=4)
            if loose.get("seconds"):
                axis.plot(float(loose["seconds"]), place, "o", color=BLUE, markersize=4, fillstyle="none")
            if row["peer_seconds"]:
                peer = float(row["peer_seconds"])
                axis.plot(peer, place, "^", color=VERMILION, markersize=4)
                axis.plot([ours, peer], [place, place], color=GRID, linewidth=0.7, zorder=0)
        names = [f"{row['name']}  ({float(row['error']):.0e})" for row, _ in measured]
        axis.set_yticks(range(len(names)), names, size=6.5)
        axis.set(xscale="log", xlabel="seconds; the relative error reached is in brackets")
        axis.margins(y=0.02)
        axis.plot([], [], "o", color=BLUE, label="fspielm")
        axis.plot([], [], "o", color=BLUE, fillstyle="none", label=f"fspielm, tolerance {float(_LOOSE):g}")
        axis.plot([], [], "^", color=VERMILION, label="NGSolve, orders 8 to 16")
        axis.legend(loc="lower left")
        drawing.savefig(PICTURE)
        plt.close(drawing)
