"""What the table says about each family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from adversary_families import FAMILIES
from adversary_families.table import rows

Row: TypeAlias = dict[str, str]

# Below this, an error is rounding, which no estimate has to be above.
_FLOOR = 1e-13
_A_DIGIT = 0.1
_HEAD = (
    "family",
    "problems",
    "wrong yes, expressions",
    "wrong yes, callables",
    "wrong yes, beyond",
    "wrong yes, twins",
    "twins converged",
    "deceptive ones converged",
    "estimate at least the error",
    "median of estimate / error",
    "infinite with a digit right",
    "seconds",
)


def is_wrong(row: Row) -> bool:
    """Whether it was called converged and is not, or cannot be."""
    return row["converged"] == "True" and (row["determined"] != "True" or not float(row["error"]) <= float(row["tol"]))


def is_below(row: Row) -> bool:
    """Whether the estimate is below the error."""
    error = float(row["error"])
    return error > _FLOOR and not float(row["estimate"]) >= error


def report(table: Path) -> str:
    """The summary as a table in Markdown, then every wrong yes, estimate below the error and twin not converged."""
    every = rows(table)
    lines = ["| " + " | ".join(_HEAD) + " |", "|---|" + "--:|" * (len(_HEAD) - 1)]
    for family in FAMILIES:
        chosen = [row for row in every if row["family"] == family]
        if chosen:
            lines.append(_line(family, chosen))
    if every:
        lines.append(_line("all", every))
    lines.append("")
    twins_left = [row for row in every if row["deceptive"] != "True" and row["converged"] != "True"]
    for title, chosen in (
        ("wrong yes", [row for row in every if is_wrong(row)]),
        ("estimate below the error", [row for row in every if is_below(row) and not is_wrong(row)]),
        ("twin not converged", twins_left),
    ):
        lines += [f"{title}: {_told(row)}" for row in chosen]
    return "\n".join(lines)


def _told(row: Row) -> str:
    which = "deceptive" if row["deceptive"] == "True" else "twin"
    beyond = ", beyond" * (row["beyond"] == "True")
    return (
        f"{row['family']} {row['seed']} ({which}, {row['stated']}, width {row['width']}{beyond}): {row['kind']}; "
        f"tol {row['tol']}, error {row['error']}, estimate {row['estimate']}, effect {row['effect']}, "
        f"{row['seconds']} s: {row['reason']}"
    )


def _line(family: str, here: Sequence[Row]) -> str:
    deceptive = [row for row in here if row["deceptive"] == "True"]
    twins = [row for row in here if row["deceptive"] != "True"]
    promised = [row for row in deceptive if row["beyond"] != "True"]
    measured = [row for row in here if math.isfinite(float(row["error"]))]
    finite = [
        float(row["estimate"]) / float(row["error"])
        for row in measured
        if math.isfinite(float(row["estimate"])) and float(row["error"]) > _FLOOR
    ]
    # where there is no one solution, no estimate is too large
    blunt = [
        row
        for row in measured
        if math.isinf(float(row["estimate"])) and float(row["error"]) < _A_DIGIT and row["determined"] == "True"
    ]
    seconds = [float(row["seconds"]) for row in here if row["seconds"] not in ("", "nan")]
    cells = [
        family,
        f"{len(deceptive)} + {len(twins)}",
        *(_wrong([row for row in promised if row["stated"] == stated]) for stated in ("expression", "callable")),
        _wrong([row for row in deceptive if row["beyond"] == "True"]),
        _wrong(twins),
        _share([row["converged"] == "True" for row in twins]),
        _share([row["converged"] == "True" for row in deceptive]),
        _share([not is_below(row) for row in measured]),
        f"{np.median(finite):.2g}" if finite else "",
        f"{len(blunt)}",
        f"{sum(seconds):.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def _wrong(chosen: Sequence[Row]) -> str:
    return f"{sum(map(is_wrong, chosen))} of {len(chosen)}"


def _share(flags: Sequence[bool]) -> str:
    return f"{np.mean(flags):.1%}" if flags else ""
