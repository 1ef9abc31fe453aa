"""Eigenvalues: what `fs.eigenmodes` finds beside what is known of them.

    python benchmarks/eigenvalues.py [NAME ...]   # writes docs/eigenvalues.csv, or these rows of it

Known values are zeros of Bessel's and Mathieu's functions, those of oscillators, and published digits: the L-shape of
three unit squares and the clamped plate, the isospectral drums (Driscoll, twelve digits; the ninth and the 21st are
exact), the anharmonic oscillator. The cabin and the elastic body are compared with finite elements (NGSolve, optional),
the stadium with other functions (`high_modes.py`). Differences and bounds are absolute; seconds are those of
processors, for all modes of a problem.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from guides_and_bodies import (
    CABIN,
    body,
    body_values,
    cabin_values,
    column,
    column_values,
    crystal,
    crystal_values,
    fibre,
    fibre_values,
    sloshing,
)
from high_modes import SIDE, independent, rectangle_values, stadium
from kept_rows import markdown, measure_named, read_rows
from method_page import DOCS, put
from scipy.special import jn_zeros, spherical_jn

import fspielm as fs

TABLE = DOCS / "eigenvalues.csv"
COLUMNS = ("name", "mode", "value", "bound", "known", "difference", "fold", "tol", "seconds", "estimate")

# Ample, for a machine with other work.
BUDGET = fs.Budget(seconds=3600)

_ROWS = 24

x, y, z, lam = sp.symbols("x y z lam")
u, v, w = sp.Function("u")(x), sp.Function("v")(x, y), sp.Function("w")(x, y, z)
REST = [fs.Dirichlet(0)]
DRUMS = (
    [(0, 0), (2, 0), (2, 2), (4, 2), (6, 4), (4, 4), (4, 6), (0, 2)],
    [(2, 0), (2, 2), (4, 2), (6, 4), (4, 6), (4, 4), (0, 4), (0, 2)],
)
DRISCOLL = (2.53794399980, 3.65550971352, 5.17555935622, 6.53755744376, 7.24807786256)


@dataclass(frozen=True)
class Case:
    """A problem, which modes of it are wanted, and what is known of their values, by place."""

    make: Callable[[], fs.Problem]
    known: Callable[[], dict[int, float]] = dict
    tol: float = 1e-11
    wish: dict[str, Any] = field(default_factory=lambda: {"count": 5})


def membrane(domain: Callable[[], fs.Domain], conditions: Sequence[Any] = tuple(REST)) -> Callable[[], fs.Problem]:
    """The Laplacian on a plane domain."""
    equation = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
    return lambda: fs.Problem(equation, domain(), list(conditions), given={lam: 1.0})


def well(potential: sp.Expr, reach: float) -> Callable[[], fs.Problem]:
    """A potential on a line that is long enough for what is beyond it to be nothing."""
    equation = sp.Eq(-u.diff(x, 2) + potential * u, lam * u)
    return lambda: fs.Problem(equation, fs.Interval(-reach, reach), REST, given={lam: 1.0})


def _plane_well() -> fs.Problem:
    equation = sp.Eq(-v.diff(x, 2) - v.diff(y, 2) + (x**2 + y**2) * v, lam * v)
    return fs.Problem(equation, fs.Box((-8, -8), (8, 8)), REST, given={lam: 1.0})


def _plate() -> fs.Problem:
    equation = sp.Eq(v.diff(x, 4) + 2 * v.diff(x, 2, y, 2) + v.diff(y, 4), lam * v)
    return fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0), fs.Neumann(0)], given={lam: 1.0})


def _ball() -> fs.Problem:
    equation = sp.Eq(-w.diff(x, 2) - w.diff(y, 2) - w.diff(z, 2), lam * w)
    return fs.Problem(equation, fs.Ball((0, 0, 0), 1), REST, given={lam: 1.0})


def in_order(values: Sequence[float]) -> dict[int, float]:
    """By place."""
    return dict(enumerate(values))


def disk_values(count: int) -> dict[int, float]:
    """Squares of the zeros of Bessel's functions, those of all orders but zero twice."""
    every = [zero**2 for order in range(count) for zero in jn_zeros(order, count) for _ in range(1 + (order > 0))]
    return in_order(sorted(every)[:count])


def mathieu(order: int, guess: float) -> float:
    """A value of the ellipse with half-axes 2 and 1: a zero of the radial function that is even, of order 0 or 1."""
    with mp.workdps(30):

        def at(value: Any) -> Any:
            matrix = mp.diag([(2 * row + order) ** 2 for row in range(_ROWS)])
            for row in range(_ROWS - 1):
                matrix[row, row + 1] = matrix[row + 1, row] = 0.75 * value * (mp.sqrt(2) if row + order == 0 else 1)
            matrix[0, 0] += 0.75 * value * order
            series = mp.eigsy(matrix)[1][:, 0]
            series[0] /= 1 if order else mp.sqrt(2)
            return mp.fsum(own * mp.cosh((2 * row + order) * mp.atanh(0.5)) for row, own in enumerate(series))

        return float(mp.findroot(at, (guess, guess + 1e-6)))


def ball_values() -> dict[int, float]:
    """The first three orders."""
    zeros = [np.pi, _zero(1, 4.4934), _zero(2, 5.7634)]
    return in_order([zero**2 for order, zero in enumerate(zeros) for _ in range(2 * order + 1)])


def drum_values() -> dict[int, float]:
    """The five that are published, and two that both drums have from the triangles they are made of."""
    return in_order(DRISCOLL) | {8: 5 * np.pi**2 / 4, 20: 5 * np.pi**2 / 2}


def _zero(order: int, guess: float) -> float:
    for _ in range(5):
        guess -= spherical_jn(order, guess) / spherical_jn(order, guess, derivative=True)
    return guess


CASES = {
    "oscillator": Case(well(x**2, 10), lambda: in_order([1, 3, 5, 7, 9])),
    "anharmonic": Case(
        well(x**4, 6), lambda: in_order([1.060362090484183, 3.799673029801394, 7.455697937986739]), wish={"count": 3}
    ),
    "oscillator-plane": Case(_plane_well, lambda: in_order([2, 4, 4, 6, 6, 6]), wish={"count": 6}),
    "disk": Case(membrane(lambda: fs.Disk((0, 0), 1)), lambda: disk_values(10), wish={"count": 10}),
    "ball": Case(_ball, ball_values, tol=1e-4, wish={"count": 9}),
    "ellipse": Case(
        membrane(lambda: fs.Ellipse((0, 0), (2, 1))),
        lambda: in_order([mathieu(0, 3.5667266), mathieu(1, 6.2754306)]),
        wish={"count": 5},
    ),
    "l-shape": Case(
        membrane(fs.LShape),
        lambda: in_order([9.6397238440219, 15.1972519264543, 2 * np.pi**2, 29.5214811141448, 31.9126359571378]),
    ),
    "drum-1": Case(
        membrane(lambda: fs.Polygon(DRUMS[0])),
        drum_values,
        tol=1e-10,
        wish={"count": 25},
    ),
    "drum-2": Case(
        membrane(lambda: fs.Polygon(DRUMS[1])),
        drum_values,
        tol=1e-10,
        wish={"count": 25},
    ),
    "plate": Case(_plate, lambda: in_order([1294.93397959]), tol=1e-9, wish={"count": 1}),
    "panda": Case(membrane(lambda: fs.Panda(1.0)), tol=1e-10),
    "cabin": Case(membrane(lambda: fs.Polygon(CABIN), [fs.Neumann(0)]), cabin_values, tol=1e-10, wish={"count": 8}),
    "body": Case(body, lambda: body_values(6), tol=1e-10, wish={"count": 6}),
    "column": Case(column, column_values, tol=1e-9, wish={"count": 3}),
    "sloshing": Case(sloshing, lambda: in_order([0, 1, 1, 2, 2]), tol=1e-10),
    "fibre": Case(fibre, lambda: fibre_values(6), tol=1e-11, wish={"count": 6}),
    "crystal": Case(crystal, lambda: crystal_values(6), tol=1e-10, wish={"count": 6}),
    "rectangle": Case(
        membrane(lambda: fs.Box((0, 0), (1, SIDE))),
        lambda: in_order(rectangle_values(1, SIDE, 400, 900)),
        tol=1e-10,
        wish={"within": (400.0, 900.0)},
    ),
    "stadium-1000": Case(
        membrane(stadium), lambda: in_order([independent(42.656316)]), tol=1e-10, wish={"within": (1818.0, 1822.0)}
    ),
    "stadium-100": Case(
        membrane(stadium), lambda: in_order([independent(100.002855)]), tol=1e-10, wish={"within": (9998.0, 10002.0)}
    ),
}


# What they are, and what is known of them, in words.
WORDS = {
    "oscillator": ("-u'' + x^2 u on (-10, 10)", "1, 3, 5, ..."),
    "anharmonic": ("-u'' + x^4 u on (-6, 6)", "published, 15 digits"),
    "oscillator-plane": ("-lap u + (x^2 + y^2) u on a square", "2, 4, 4, 6, 6, 6"),
    "disk": ("membrane, unit disk", "zeros of Bessel's functions"),
    "ball": ("unit ball, by a filled band", "zeros of Bessel's functions"),
    "ellipse": ("membrane, half-axes 2 and 1", "two zeros of Mathieu's functions"),
    "l-shape": ("membrane, three unit squares", "published, 14 digits"),
    "drum-1": ("first isospectral drum", "published, 12 digits"),
    "drum-2": ("second isospectral drum", "published, 12 digits"),
    "plate": ("clamped plate, unit square", "published, 12 digits"),
    "panda": ("membrane, the Panda", ""),
    "cabin": ("sound in a cabin, hard walls", "finite elements"),
    "body": ("elastic ellipse, held at its rim", "finite elements"),
    "column": ("column that buckles, clamped", "zeros of sines and tangents"),
    "sloshing": ("Steklov's problem, unit disk", "0, 1, 1, 2, 2"),
    "fibre": ("step-index fibre, squares of propagation constants", "characteristic equation"),
    "crystal": ("Bloch's waves in a plane crystal", "Hill's matrices"),
    "rectangle": ("membrane, rectangle, 400 to 900", "exact"),
    "stadium-1000": ("membrane, stadium, the 1000th", "other functions"),
    "stadium-100": ("membrane, stadium, about k = 100", "other functions"),
}


def measure(name: str, case: Case) -> list[dict[str, Any]]:
    """One row for each mode."""
    problem, began = case.make(), process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        modes = fs.eigenmodes(problem, lam, tol=case.tol, budget=BUDGET, rng=0, progress=True, **case.wish)
    seconds = process_time() - began
    known = case.known()
    print("\n".join([f"{name}: complete {modes.complete}", *modes.remarks]), flush=True)
    return [
        {
            "name": name,
            "mode": place + 1,
            "value": f"{mode.value:.15g}",
            "bound": "" if mode.bound is None else f"{mode.bound:.1e}",
            "known": f"{known[place]:.15g}" if place in known else "",
            "difference": f"{abs(mode.value - known[place]):.1e}" if place in known else "",
            "fold": mode.multiplicity,
            "tol": f"{case.tol:.0e}",
            "seconds": f"{seconds:.1f}",
            "estimate": f"{mode.estimate:.1e}" if mode.bound is None else "",
        }
        for place, mode in enumerate(modes)
    ]


def report() -> str:
    """A Markdown table of the problems that were measured, from their rows."""
    every = read_rows(TABLE)
    lines = []
    for name, (what, source) in WORDS.items():
        own = [row for row in every if row["name"] == name]
        if own:
            off = max((float(row["difference"]) for row in own if row["difference"]), default=float("nan"))
            bound = max(float(row["bound"] or row["estimate"]) for row in own)
            shown = f"{bound:.1e}" + " (estimate)" * (not own[0]["bound"])
            lines.append((what, source, str(len(own)), f"{off:.1e}".replace("nan", ""), shown, own[0]["seconds"]))
    return markdown(("problem", "what is known", "modes", "farthest from it", "largest bound", "seconds"), lines)


def main() -> None:
    """Measure, and write what was measured."""
    measure_named(str(__doc__), TABLE, COLUMNS, CASES, lambda name: measure(name, CASES[name]))
    put("eigenvalues", report(), DOCS / "eigenvalues.md")


if __name__ == "__main__":
    main()
