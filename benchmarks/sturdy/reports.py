"""The tables told: what was promised, what was met."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from sturdy.running import constants_in, rounds_in, solves_of, statements_in
from sturdy.statements import STEPS
from sturdy.table import markdown, number

Rows = list[dict[str, str]]

_FLOOR = 1e-13
_SECONDS = 12.0
# The 500 MB of the budget, and what Python and its libraries take besides.
_MEGABYTES = 550.0


def _by(column: str, rows: Rows) -> dict[str, Rows]:
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def _answered(rows: Rows) -> Rows:
    return [row for row in rows if row["status"] == "ok"]


def _ratio(row: dict[str, str]) -> float:
    """Estimate over error; not a number where the error is rounding."""
    error = number(row["error"])
    return number(row["estimate"]) / error if error > _FLOOR else float("nan")


def _honest(row: dict[str, str]) -> bool:
    """Whether there is an answer whose estimate is not below its error, rounding apart."""
    return row["status"] == "ok" and number(row["error"]) <= max(number(row["estimate"]), _FLOOR)


def _form(value: float, form: str) -> str:
    return "" if np.isnan(value) else format(value, form)


def _worst(rows: Rows, value: Callable[[dict[str, str]], float], pick: Callable[..., float], form: str) -> str:
    found = [v for v in map(value, _answered(rows)) if not np.isnan(v)]
    return _form(pick(found), form) if found else ""


def seeds(folder: Path, part: str = "seeds") -> str:
    """Problem by problem, over all seeds."""
    groups = _by("problem", solves_of(part, folder).rows())
    heads = ("problem", "seeds", "exceptions", "hung", "converged", "largest error", "least estimate/error", "median s")
    table = markdown([*heads, "largest s"], [_over_seeds(name, rows) for name, rows in groups.items()])
    whole = [row for rows in groups.values() for row in rows]
    total = _over_seeds("all", whole)
    wrong = sum(row["converged"] == "True" and number(row["error"]) > 1e-8 for row in whole)
    return (
        f"{table}\n\n{total[1]} solves: {total[2]} exceptions, {total[3]} hung or dead, {total[4]} converged, "
        f"{wrong} of them with an error above 1e-8; least estimate/error {total[6]}"
    )


def _over_seeds(name: str, rows: Rows) -> tuple[str, ...]:
    taken = [number(row["seconds"]) for row in rows]
    return (
        name,
        f"{len(rows)}",
        f"{sum(row['status'] == 'exception' for row in rows)}",
        f"{sum(row['status'] in ('hung', 'died') for row in rows)}",
        f"{sum(row['converged'] == 'True' for row in rows)} of {len(rows)}",
        _worst(rows, lambda row: number(row["error"]), max, ".1e"),
        _worst(rows, _ratio, min, ".2g"),
        f"{median(taken):.2f}",
        f"{max(taken):.2f}",
    )


def heavy(folder: Path) -> str:
    """Solve by solve, with what was kept and what was not."""
    rows = solves_of("heavy", folder).rows()
    heads = ("problem", "budget", "status", "s", "CPU s", "MB", "error", "estimate", "neurons", "rounds", "kept", "why")
    told = [
        (
            row["problem"],
            row["budget"],
            row["status"],
            *(_form(number(row[name]), form) for name, form in (("seconds", ".1f"), ("cpu_seconds", ".1f"))),
            row["megabytes"],
            *(_form(number(row[name]), ".1e") for name in ("error", "estimate")),
            row["neurons"],
            row["rounds"],
            "yes" if _kept(row) else "NO",
            (row["reason"] or row["message"]).replace("|", "/"),
        )
        for row in rows
    ]
    counts = [
        f"{budget}: {sum(map(_kept, group))} of {len(group)} kept" for budget, group in _by("budget", rows).items()
    ]
    honest = sum(map(_honest, rows))
    digits = sum(number(row["estimate"]) < 0.1 for row in rows)
    counts += [f"estimates not below the error: {honest} of {len(rows)}", f"with a digit: {digits}"]
    return f"{markdown(heads, told)}\n\n{'; '.join(counts)}"


def _kept(row: dict[str, str]) -> bool:
    """Whether there is an answer, its estimate is none too small, and the budget was a budget."""
    if not _honest(row):
        return False
    if row["budget"] == "seconds":
        return number(row["seconds"]) <= _SECONDS
    return number(row["megabytes"]) <= _MEGABYTES


def statements(folder: Path) -> str:
    """Seconds of each statement, and of the solve that it begins."""
    rows = statements_in(folder).rows()
    told = []
    for name, of in _by("statement", rows).items():
        steps = {row["step"]: f"{number(row['seconds']):.2f} {row['status']}".removesuffix(" ok") for row in of}
        told.append((name, *(steps.get(step, "") for step in STEPS)))
    hung = sum(row["status"] in ("hung", "died") for row in rows)
    return f"{markdown(('a in div(a grad u)', *(f's of {step}' for step in STEPS)), told)}\n\n{hung} hung or dead"


def constant_data(folder: Path) -> str:
    """The default beside the best of the kinds that converge."""
    heads = ("problem", "default s", "characteristic s", "thin s", "band s", "default / best")
    told = []
    for name, rows in _by("problem", constants_in(folder).rows()).items():
        kinds = _by("approach", rows)
        best = min((_typical(of) for kind, of in kinds.items() if kind != "default" and _good(of)), default=np.nan)
        ratio = _typical(kinds["default"]) / best
        cells = [_cell(kinds.get(kind, [])) for kind in ("default", "characteristic", "thin", "band")]
        told.append((name, *cells, _form(ratio, ".2f")))
    return f"{markdown(heads, told)}\n\nIn brackets: not converged; a dash: refused, as that kind does not suit."


def _typical(rows: Rows) -> float:
    return median(number(row["seconds"]) for row in rows)


def _good(rows: Rows) -> bool:
    return all(row["converged"] == "True" for row in rows)


def _cell(rows: Rows) -> str:
    if not rows or rows[0]["status"] == "refused":
        return "–"
    seconds = f"{_typical(rows):.2f}"
    if rows[0]["status"] != "ok":
        return f"{rows[0]['status']} ({seconds})"
    return seconds if _good(rows) else f"({seconds})"


def forecasts(folder: Path) -> str:
    """How well the seconds of a round were known before it."""
    rows = rounds_in(folder).rows()
    told = []
    for name, of in {**_by("part", rows), "all": rows}.items():
        for kind, least in (("all rounds", 0.0), ("longer than 0.1 s", 0.1)):
            long = [row for row in of if number(row["seconds"]) > least]
            ratios = np.array([number(row["forecast"]) / number(row["seconds"]) for row in long if row["forecast"]])
            if not len(ratios):
                told.append((f"{name}, {kind}", len(long), 0, *[""] * 4))
                continue
            share = np.mean((ratios >= 1 / 3) & (ratios <= 3))
            numbers = (f"{share:.1%}", *(f"{v:.2g}" for v in (ratios.min(), np.median(ratios), ratios.max())))
            told.append((f"{name}, {kind}", len(long), len(ratios), *numbers))
    heads = ("rounds", "number", "with a forecast", "from 1/3 to 3", "least ratio", "median", "largest")
    return f"{markdown(heads, told)}\n\nRatios are forecast over true seconds."


REPORTS: dict[str, Callable[[Path], str]] = {
    "seeds": seeds,
    "heavy": heavy,
    "statements": statements,
    "five_dimensions": lambda folder: seeds(folder, "five_dimensions"),
    "constant_data": constant_data,
    "forecasts": forecasts,
}


def report(folder: Path, part: str | None = None) -> None:
    """Print the table of a part, or all for which there is something to tell."""
    for name, tell in REPORTS.items():
        path = folder / ("rounds.csv" if name == "forecasts" else f"{name}.csv")
        if path.exists() and part in (None, name):
            print(f"## {name}\n\n{tell(folder)}\n")
