"""What the table says about each family."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from method_page import put
from numpy.typing import NDArray

from random_families.others import OTHER
from random_families.table import rows

_FLOOR = 1e-13


@dataclass(frozen=True, eq=False)
class Summary:
    """The rows of one family as arrays."""

    rows: list[dict[str, str]]
    tol: NDArray[np.float64]
    error: NDArray[np.float64]
    estimate: NDArray[np.float64]
    seconds: NDArray[np.float64]
    converged: NDArray[np.bool_]
    ample: NDArray[np.bool_]

    @property
    def ratio(self) -> NDArray[np.float64]:
        """Estimate over true error, where the latter is more than rounding."""
        measurable = self.error > _FLOOR
        return self.estimate[measurable] / self.error[measurable]

    @property
    def is_below(self) -> NDArray[np.bool_]:
        """Where the estimate is too small, by more than rounding."""
        return np.asarray((self.estimate < self.error) & (self.error > _FLOOR))

    def lines(self) -> dict[str, str]:
        """The summary, by what each number is."""
        wrong = [int(np.count_nonzero(self.converged & (self.error > factor * self.tol))) for factor in (10, 1)]
        ratio = self.ratio
        return {
            "problems": f"{len(self.rows)}",
            "with an ample budget": f"{np.count_nonzero(self.ample)}",
            "functions of the solution: characteristic / thin / band / patches": self._kinds(),
            "converged with an error above 10 tol": f"{wrong[0]}",
            "converged with an error above tol": f"{wrong[1]}",
            "converged to another solution, verified": f"{sum(row['reason'].startswith(OTHER) for row in self.rows)}",
            "converged among the amply budgeted": f"{np.mean(self.converged[self.ample]):.1%}",
            "not converged, error below tol": f"{np.count_nonzero(~self.converged & (self.error <= self.tol))}",
            "estimate below the error": f"{np.count_nonzero(self.is_below)}",
            "estimate over error, least / median / largest": _three(ratio),
            "the same where the error is below 0.1": _three(self._ratio_of_resolved()),
        }

    def _kinds(self) -> str:
        kinds = [row["approach"] for row in self.rows]
        return " / ".join(f"{kinds.count(kind)}" for kind in ("characteristic", "thin", "band", "patches"))

    def _ratio_of_resolved(self) -> NDArray[np.float64]:
        resolved = (self.error > _FLOOR) & (self.error < 0.1)
        return self.estimate[resolved] / self.error[resolved]


def _three(values: NDArray[np.float64]) -> str:
    return f"{values.min():.2g} / {np.median(values):.2g} / {values.max():.2g}"


def summarise(family: str) -> Summary:
    """What `TABLE` has of a family."""
    here = [row for row in rows() if row["family"] == family]
    numbers = {name: np.array([float(row[name]) for row in here]) for name in ("tol", "error", "estimate", "seconds")}
    flags = {name: np.array([row[name] == "True" for row in here], dtype=bool) for name in ("converged", "ample")}
    return Summary(here, **numbers, **flags)


def report(summaries: dict[str, Summary]) -> None:
    """Print the summaries, every wrong yes and every failure with an ample budget; the former also on the page."""
    lines = {family: summary.lines() for family, summary in summaries.items()}
    heads = list(lines)
    table = ["| | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    table += [f"| {name} | " + " | ".join(lines[head][name] for head in heads) + " |" for name in lines[heads[0]]]
    text = "\n".join(table)
    print(text)
    put("random", f"Made by `python benchmarks/random_problems.py` from `random_problems.csv`.\n\n{text}")
    for family, s in summaries.items():
        for title, chosen in (
            ("wrong yes", s.converged & (s.error > s.tol)),
            ("failure, ample budget", ~s.converged & s.ample),
            ("estimate below error", s.is_below),
        ):
            for index in np.flatnonzero(chosen):
                row = s.rows[index]
                print(f"{title}: {family} {row['seed']}, {row['description']}")
                print(
                    f"    tol {row['tol']}, error {row['error']}, estimate {row['estimate']}, "
                    f"{row['neurons']} neurons, {row['rounds']} rounds, {row['seconds']} s: {row['reason']}"
                )
