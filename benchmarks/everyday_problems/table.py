"""What was measured: a file of rows, the tables of the page, the medians, the figure."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import median
from typing import Any

from kept_rows import markdown, read_rows, write_rows
from method_page import put

from everyday_problems.catalogue import EVERYDAY, MEDIA

TABLE = Path(__file__).resolve().parents[2] / "docs" / "everyday.csv"
PAGE, PICTURE = TABLE.with_suffix(".md"), TABLE.parent / "images" / "everyday.png"
HEAD = (
    "name",
    "tol",
    "label",
    "error",
    "pressure_error",
    "estimate",
    "verdict",
    "seconds",
    "functions",
    "cells",
    "memory_gb",
    "version",
)
# How well references agree with one another and with the library.
AGREEMENT = Path(__file__).with_name("agreement.csv")
_AGREEMENT_HEAD = ("name", "against", "elements", "library")
PEER = "NGSolve"
# Versions of the library, in the order of the table.
OURS = ("today", "now")
_KEY = ("name", "tol", "label")
_SINGLE = ("medium, 40", "medium, star", "medium, holes")
_COLUMNS, _ROWS = 6, 3
_TICKS = (3, 6, 9, 12)

Row = dict[str, str]


def keep(row: dict[str, Any]) -> None:
    """Put a row in the place of an older one of its problem, tolerance and label; in the order of the problems."""
    new = {key: str(row[key]) for key in HEAD}
    rows = [old for old in read_rows(TABLE) if any(old[key] != new[key] for key in _KEY)] + [new]
    names, labels = list(EVERYDAY), [*OURS, PEER]

    def place(one: Row) -> tuple[int, float, int]:
        label = one["label"]
        return names.index(one["name"]), -float(one["tol"]), labels.index(label) if label in labels else len(labels)

    write_rows(TABLE, HEAD, sorted(rows, key=place))


def measured() -> dict[tuple[str, float, str], Row]:
    """Rows by problem, tolerance and label."""
    return {(row["name"], float(row["tol"]), row["label"]): row for row in read_rows(TABLE)}


def _labels(rows: dict[tuple[str, float, str], Row]) -> list[str]:
    found = dict.fromkeys(label for _, _, label in rows if label != PEER)
    return sorted(found, key=lambda label: OURS.index(label) if label in OURS else len(OURS))


def _short(number: str) -> str:
    return f"{float(number):.0e}" if number else ""


def keep_agreement(row: dict[str, str]) -> None:
    """Put what is new of a reference to what is known of it."""
    kept = {old["name"]: old for old in read_rows(AGREEMENT)}
    kept[row["name"]] = dict.fromkeys(_AGREEMENT_HEAD, "") | kept.get(row["name"], {}) | row
    write_rows(AGREEMENT, _AGREEMENT_HEAD, [kept[name] for name in EVERYDAY if name in kept])


def report(tol: float) -> str:
    """A Markdown table of one tolerance: each version, NGSolve, and the ratio of the last version to it."""
    rows = measured()
    labels = _labels(rows)
    heads = ["problem"]
    for label in labels:
        heads += [f"{label}: seconds", "error", "estimate"]
    heads += ["NGSolve: seconds", "error", "ratio", "NGSolve's fastest"]
    cells = []
    for name, problem in EVERYDAY.items():
        ours = [rows.get((name, tol, label), {}) for label in labels]
        peer = rows.get((name, tol, PEER), {})
        if tol not in problem.tols or not any([*ours, peer]):
            continue
        line = [name]
        for row in ours:
            said = row.get("seconds", "") or row.get("verdict", "").partition(":")[0]
            line += [said, _short(row.get("error", "")), _short(row.get("estimate", ""))]
        line += [peer.get("seconds", ""), _short(peer.get("error", "")), _ratio(ours[-1] if ours else {}, peer)]
        cells.append([*line, peer.get("verdict", "")])
    return markdown(heads, cells)


def _ratio(ours: Row, peer: Row) -> str:
    found = ratio(ours, peer)
    return f"{found:.3g}" if math.isfinite(found) else ""


def ratio(ours: Row, peer: Row) -> float:
    """Of the seconds; infinite where one has none."""
    if not ours.get("seconds") or not peer.get("seconds"):
        return math.inf
    return float(ours["seconds"]) / float(peer["seconds"])


def write_page() -> None:
    """The tables between their marks on the page."""
    heads = ["problem", "elements of order 17 beside", "relative difference", "difference of the library"]
    agreement = [[row[key] for key in _AGREEMENT_HEAD] for row in read_rows(AGREEMENT)]
    put("references", markdown(heads, agreement), PAGE)
    if not measured():
        return
    text = "\n\n".join(f"At {_exponent(tol)}:\n\n{report(tol)}" for tol in (1e-3, 1e-5, 1e-8))
    put("everyday", text, PAGE)
    put("summary", summary(), PAGE)


def summary() -> str:
    """A Markdown table of the medians, for each version; a problem without an answer counts as infinitely slow."""
    rows = measured()
    labels = _labels(rows)
    lines: dict[str, list[str]] = {}
    for label in labels:
        for what, value in _medians(rows, label).items():
            lines.setdefault(what, []).append(value)
    return markdown(["", *labels], [[what, *values] for what, values in lines.items()])


def _medians(rows: dict[tuple[str, float, str], Row], label: str) -> dict[str, str]:
    def of(tol: float) -> dict[str, Row]:
        group = {name: rows.get((name, tol, label)) for name in EVERYDAY}
        return {name: row for name, row in group.items() if row is not None and name not in _SINGLE}

    def ratios(tol: float) -> list[float]:
        return [ratio(row, rows[name, tol, PEER]) for name, row in of(tol).items() if (name, tol, PEER) in rows]

    loose = of(1e-3)
    solved = [row for row in loose.values() if row["seconds"]]
    seconds = [float(row["seconds"]) if row["seconds"] else math.inf for row in loose.values()]
    trust = [float(row["estimate"]) / max(float(row["error"]), 1e-16) for row in solved]
    waste = {
        _exponent(tol): [float(row["error"]) / tol for row in of(tol).values() if row["error"]]
        for tol in (1e-3, 1e-5, 1e-8)
    }
    media = [
        ratio(rows[name, 1e-8, label], rows[name, 1e-8, PEER])
        for name in MEDIA
        if (name, 1e-8, label) in rows and (name, 1e-8, PEER) in rows
    ]
    return {
        "tol 1e-3: problems": f"{len(loose)}",
        "tol 1e-3: error within the tolerance": f"{sum(float(row['error']) <= 1e-3 for row in solved)}",
        "tol 1e-3: median of seconds": _number(seconds, median),
        "tol 1e-3: largest of seconds": _number(seconds, max),
        "tol 1e-3: median of ratios to NGSolve": _number(ratios(1e-3), median),
        "tol 1e-5: median of ratios to NGSolve": _number(ratios(1e-5), median),
        "tol 1e-8: median of ratios to NGSolve": _number(ratios(1e-8), median),
        "tol 1e-8, media: ratios to NGSolve": ", ".join(f"{one:.2g}" for one in media),
        "tol 1e-3: median of estimate over error": _number(trust, median),
        "tol 1e-3: share of estimates below the error": f"{sum(t < 1 for t in trust) / max(len(trust), 1):.2g}",
        **{f"tol {tol}: median of error over tolerance": _number(some, median) for tol, some in waste.items()},
    }


def _exponent(tol: float) -> str:
    return f"{tol:.0e}".replace("-0", "-")


def _number(values: list[float], of: Any) -> str:
    return f"{of(values):.2g}" if values else ""


def figure() -> None:
    """A panel for each problem: seconds over the digits reached."""
    import matplotlib.pyplot as plt

    from fspielm.solution.plot.style import BLUE, PALE, VERMILION, style

    rows = measured()
    looks = {"today": (PALE, "o"), "now": (BLUE, "o"), PEER: (VERMILION, "^")}
    names = {"today": "fspielm before", "now": "fspielm", PEER: "NGSolve, fastest setting"}
    shown = [name for name in EVERYDAY if name not in _SINGLE]
    with style():
        size = {"figsize": (7.0, 3.9), "layout": "constrained"}
        drawing, axes = plt.subplots(_ROWS, _COLUMNS, sharex=True, sharey=True, **size)
        for axis, name in zip(axes.flat, shown, strict=False):
            for label, (colour, marker) in looks.items():
                line = [row for (n, _, its), row in sorted(rows.items(), key=_looser) if n == name and its == label]
                points = [(_digits(row), float(row["seconds"])) for row in line if row["seconds"] and row["error"]]
                if points:
                    axis.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=3.2, linewidth=0.9)
            axis.set_title(name, fontsize=7.5, pad=2)
            axis.set(yscale="log")
            axis.grid(True)
        axes.flat[0].set_xticks(_TICKS)
        drawing.supxlabel("digits: minus the decimal logarithm of the relative error", fontsize=8)
        drawing.supylabel("seconds", fontsize=8)
        present = [label for label in looks if any(its == label for _, _, its in rows)]
        lines = [plt.Line2D([], [], color=looks[its][0], marker=looks[its][1], markersize=3.2) for its in present]
        drawing.legend(lines, [names[label] for label in present], loc="outside upper center", ncols=len(looks))
        drawing.savefig(PICTURE)
        plt.close(drawing)


def _looser(item: tuple[tuple[str, float, str], Row]) -> float:
    return -item[0][1]


def _digits(row: Row) -> float:
    return -math.log10(max(float(row["error"]), 1e-16))
