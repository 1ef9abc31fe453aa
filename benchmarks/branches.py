"""Folds and bifurcations: what `fs.follow` finds beside what is known of them.

    python benchmarks/branches.py [NAME ...]   # writes docs/branches.csv, or these rows of it

Bratu's problem, ``lap u + lam exp(u) = 0`` with zero on the rim, has a fold: at 2 on the unit disk, at 6.80812442259 on
the unit square, and on a quarter of it by symmetry; on the panda's head two kinds of functions are compared.
Bifurcations of ``lap u + lam (u - u^3) = 0`` from zero are at the eigenvalues of the Laplacian. Errors and estimates
are absolute, those of the parameter; the median is that of the error estimates of all points; seconds are those of
processors, for everything: all points with their estimates, on all branches.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
import sympy as sp
from kept_rows import measure_named
from method_page import DOCS

import fspielm as fs

TABLE = DOCS / "branches.csv"
COLUMNS = ("name", "approach", "tol", "event", "value", "known", "error", "estimate", "points", "median", "seconds")

x, y, lam = sp.symbols("x y lam")


@dataclass(frozen=True)
class Case:
    """A problem, how it is followed, and what is known of its folds or bifurcations, in their order."""

    make: Callable[[], fs.Problem]
    interval: tuple[float, float]
    known: tuple[float, ...]
    tol: float = 1e-10
    points: int = 16
    approach: Any = None


def _bratu(domain: Callable[[], fs.Domain]) -> Callable[[], fs.Problem]:
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + lam * sp.exp(u), 0)
    return lambda: fs.Problem(equation, domain(), [fs.Dirichlet(0)], given={lam: 1.0})


def _bratu_quarter() -> fs.Problem:
    """On a quarter of the square: what is symmetric, with one corner in the place of four."""
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + lam * sp.exp(u), 0)
    conditions = [fs.Dirichlet(0, on=("x-", "y-")), fs.Neumann(0, on=("x+", "y+"))]
    return fs.Problem(equation, fs.Box((0, 0), (0.5, 0.5)), conditions, given={lam: 1.0})


def _cubic_line() -> fs.Problem:
    u = sp.Function("u")(x)
    equation = sp.Eq(u.diff(x, 2) + lam * (u - u**3), 0)
    return fs.Problem(equation, fs.Interval(0, sp.pi), [fs.Dirichlet(0)], given={lam: 1.0})


def _cubic_square() -> fs.Problem:
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + lam * (u - u**3), 0)
    return fs.Problem(equation, fs.Box((0, 0), (sp.pi, sp.pi)), [fs.Dirichlet(0)], given={lam: 1.0})


CASES = {
    "bratu-disk": Case(_bratu(lambda: fs.Disk((0, 0), 1)), (0, 2.5), (2.0,), points=10),
    "bratu-square": Case(
        _bratu(lambda: fs.Box((0, 0), (1, 1))), (6.7, 7.5), (6.80812442259,), tol=1e-6, points=4, approach="patches"
    ),
    "bratu-quarter": Case(_bratu_quarter, (6.7, 7.5), (6.80812442259,), tol=1e-8, points=4, approach="patches"),
    "bratu-panda": Case(_bratu(lambda: fs.Panda()), (34, 38), (), tol=1e-6, points=6, approach="band"),
    "bratu-panda-patches": Case(_bratu(lambda: fs.Panda()), (34, 38), (), tol=1e-6, points=6, approach="patches"),
    "cubic-line": Case(_cubic_line, (0.5, 10), (1.0, 4.0, 9.0)),
    "cubic-square": Case(_cubic_square, (1, 4), (2.0,), tol=1e-8, points=8),
}


def measure(name: str, case: Case) -> list[dict[str, Any]]:
    """One row for each fold and bifurcation."""
    began = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        branch = fs.follow(
            case.make(), lam, case.interval, tol=case.tol, points=case.points, approach=case.approach, rng=0
        )
    seconds = process_time() - began
    every = [point for one in (branch, *branch.branches) for point in one.points]
    rows = []
    found = [("fold", one) for one in branch.folds] + [(one.kind, one) for one in branch.bifurcations]
    for place, (kind, event) in enumerate(found):
        known = case.known[place] if place < len(case.known) else None
        rows.append(
            {
                "name": name,
                "approach": case.approach or "by itself",
                "tol": f"{case.tol:.0e}",
                "event": kind,
                "value": f"{event.value:.14g}",
                "known": "" if known is None else f"{known:.12g}",
                "error": "" if known is None else f"{abs(event.value - known):.1e}",
                "estimate": f"{event.estimate:.1e}",
                "points": len(every),
                "median": f"{np.median([point.solution.error_estimate for point in every]):.1e}",
                "seconds": f"{seconds:.1f}",
            }
        )
    return rows


def main() -> None:
    """Measure, and write what was measured."""
    measure_named(str(__doc__), TABLE, COLUMNS, CASES, lambda name: measure(name, CASES[name]))


if __name__ == "__main__":
    main()
