"""How many modes membranes have: what `fs.count_modes` counts beside what is known.

    python benchmarks/high_modes.py [NAME ...]   # writes docs/high_modes.csv, or these rows of it

Known numbers are those of rectangles and of zeros of Bessel's functions; of the stadium Weyl's law is known, which a
missing mode would be off from by one in the mean. Values of the stadium, for `eigenvalues.py`, are found here a second
time, by other functions and in another way: plane waves, and sources with dipoles on the normals of the four joints.
The square of the least that functions have on the boundary is a parabola in the wavenumber, close to a mode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
import sympy as sp
from kept_rows import markdown, measure_named, read_rows
from method_page import DOCS, put
from numpy.typing import NDArray
from scipy.special import j0, j1, jn_zeros, y0, y1

import fspielm as fs

TABLE = DOCS / "high_modes.csv"
COLUMNS = ("name", "below", "number", "known", "certain", "weyl", "deviation", "seconds")
SIDE = 1.1 * np.sqrt(2)
Array = NDArray[np.float64]

x, y, lam = sp.symbols("x y lam")
v = sp.Function("v")(x, y)


def stadium() -> fs.Domain:
    """Two half disks of radius 1, and a square of side 2 between them."""
    return fs.Disk((-1, 0), 1) | fs.Box((-1, -1), (1, 1)) | fs.Disk((1, 0), 1)


def rectangle_values(a: float, b: float, low: float, high: float) -> list[float]:
    """All between two numbers."""
    number = range(1, int(np.sqrt(high) * max(a, b)) + 1)
    every = sorted(np.pi**2 * ((i / a) ** 2 + (j / b) ** 2) for i in number for j in number)
    return [value for value in every if low < value < high]


def disk_number(below: float) -> int:
    """Zeros of Bessel's functions, those of all orders but zero twice."""
    k = np.sqrt(below)
    return sum(int(np.sum(jn_zeros(n, int(k)) < k)) * (1 + (n > 0)) for n in range(int(k) + 1))


@dataclass(frozen=True)
class Case:
    """A domain, up to where modes are counted, and what is known."""

    what: str
    make: Callable[[], fs.Domain]
    below: float
    known: Callable[[float], int] | None = None


CASES = {
    "rectangle": Case(
        "rectangle, sides 1 and 1.1 sqrt 2",
        lambda: fs.Box((0, 0), (1, SIDE)),
        900.0,
        lambda below: len(rectangle_values(1, SIDE, 0, below)),
    ),
    "square": Case(
        "unit square", lambda: fs.Box((0, 0), (1, 1)), 1500.0, lambda below: len(rectangle_values(1, 1, 0, below))
    ),
    "disk": Case("unit disk", lambda: fs.Disk((0.3, 0.2), 1), 900.0, disk_number),
    "stadium": Case("stadium, radius 1 and sides 2", stadium, 1822.0),
}


def measure(name: str, case: Case) -> list[dict[str, Any]]:
    """One row."""
    equation = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
    problem, began = fs.Problem(equation, case.make(), [fs.Dirichlet(0)], given={lam: ...}), process_time()
    counted = fs.count_modes(problem, lam, case.below)
    return [
        {
            "name": name,
            "below": f"{case.below:g}",
            "number": counted.number,
            "known": "" if case.known is None else case.known(case.below),
            "certain": counted.certain,
            "weyl": f"{counted.weyl:.2f}",
            "deviation": f"{counted.deviation:+.2f}",
            "seconds": f"{process_time() - began:.1f}",
        }
    ]


def independent(wavenumber: float) -> float:
    """The value of the stadium's mode that is closest to a wavenumber, by other functions."""
    k = wavenumber
    for step in (1e-4, 1e-6):
        squares = [_tension(k + shift * step) ** 2 for shift in (-1, 0, 1)]
        bend = squares[0] - 2 * squares[1] + squares[2]
        k += 0.5 * step * (squares[0] - squares[2]) / bend
    return float(k**2)


def _tension(k: float) -> float:
    """The least of what functions have on the boundary beside what they have there and inside."""
    rim, weights = _rim(k)
    inside = np.random.default_rng(0).uniform([-2, -1], [2, 1], (1500, 2))
    inside = inside[np.hypot(inside[:, 0] - np.clip(inside[:, 0], -1, 1), inside[:, 1]) < 1]
    on, within = _functions(k, rim) * np.sqrt(weights)[:, None], _functions(k, inside) / np.sqrt(len(inside))
    rows = np.concatenate([on, within])
    U, S, _ = np.linalg.svd(rows / np.linalg.norm(rows, axis=0), full_matrices=False)
    return float(np.linalg.svd(U[: len(on), 2e-14 * S[0] < S], compute_uv=False)[-1])


def _functions(k: float, points: Array) -> Array:
    count = int(2 * k + 9 * np.cbrt(2 * k)) + 12
    angles = np.pi * np.arange(count) / count
    phase = k * points @ np.array([np.cos(angles), np.sin(angles)])
    index = np.arange(1, 25)
    deep = np.tile(0.4 * np.exp(-2.5 * (np.sqrt(24) - np.sqrt(index))), 4)
    left, up = (np.repeat(sign, 24) for sign in ([-1, -1, 1, 1], [-1, 1, -1, 1]))
    along, across = points[:, :1] - left, points[:, 1:] - up * (1 + deep)
    r = np.hypot(along, across)
    sources = y0(k * r) / np.hypot(y0(k * deep), j0(k * deep))
    dipoles = y1(k * r) / (r * np.hypot(y1(k * deep), j1(k * deep)))
    return np.hstack([np.cos(phase), np.sin(phase), sources, along * dipoles, across * dipoles])


def _rim(k: float) -> tuple[Array, Array]:
    """Points of the boundary with weights: panels that halve toward the joints."""
    nodes, each = np.polynomial.legendre.leggauss(10)
    ends = np.concatenate([[0], 0.05 * 0.5 ** np.arange(13, -1, -1), np.linspace(0.05, 0.5, int(k / 4) + 4)[1:]])
    ends = np.concatenate([ends, 1 - ends[-2::-1]])
    shares = (ends[:-1, None] + np.diff(ends)[:, None] * 0.5 * (nodes + 1)).ravel()
    weights = (np.diff(ends)[:, None] * 0.5 * each).ravel()
    angle = np.pi * (shares - 0.5)
    sides = [np.column_stack([2 * shares - 1, np.full(len(shares), sign)]) for sign in (-1, 1)]
    arcs = [np.column_stack([sign * (1 + np.cos(angle)), np.sin(angle)]) for sign in (-1, 1)]
    return np.concatenate([*sides, *arcs]), np.concatenate([2 * weights, 2 * weights, np.pi * weights, np.pi * weights])


def report() -> str:
    """A Markdown table."""
    heads = ("membrane", "below", "counted", "known", "Weyl's law", "off in the mean", "seconds")
    fields = ("below", "number", "known", "weyl", "deviation", "seconds")
    rows = [(CASES[row["name"]].what, *(row[field] for field in fields)) for row in read_rows(TABLE)]
    return markdown(heads, rows)


def main() -> None:
    """Measure, and write what was measured."""
    measure_named(str(__doc__), TABLE, COLUMNS, CASES, lambda name: measure(name, CASES[name]))
    put("high modes", report(), DOCS / "eigenvalues.md")


if __name__ == "__main__":
    main()
