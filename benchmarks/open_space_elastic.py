"""Waves in elastic bodies outside of objects: errors and estimates, beside series and fields that are known.

    python benchmarks/open_space_elastic.py   # a table and a picture in docs/waves.md, docs/open_space_elastic.csv

A disk that does not move, or that is a cavity, in a longitudinal wave is compared with its series. Of other objects,
the conditions are those of the field of two sources inside, one of each kind, which is then known everywhere outside.
Errors are relative to the largest displacement, at random points of the window.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np
import scipy.special as special
import sympy as sp
from method_page import DOCS, put
from numpy.typing import NDArray

import fspielm as fs

sys.path.insert(0, str(DOCS))
from make_pictures import shrink

TABLE = DOCS / "open_space_elastic.csv"
LAMBDA, MU, STIFFNESS = 2.0, 1.0, 100.0
LONGITUDINAL, TRANSVERSE = (STIFFNESS / (LAMBDA + 2 * MU)) ** 0.5, (STIFFNESS / MU) ** 0.5
x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
_PLACES = ((0.2, 0.1), (-0.1, 0.3))

Points = NDArray[np.float64]
Displacements = NDArray[np.complex128]


def _traction(first: sp.Expr, second: sp.Expr) -> list[sp.Expr]:
    return list(fs.traction(fs.stress((first, second), LAMBDA, MU, (x, y)), (x, y)))


def _equations(stiffness: float = STIFFNESS) -> list[sp.Eq]:
    spread = u.diff(x) + v.diff(y)
    return [
        sp.Eq(MU * (f.diff(x, 2) + f.diff(y, 2)) + (LAMBDA + MU) * spread.diff(s) + stiffness * f, 0)
        for f, s in ((u, x), (v, y))
    ]


def _from_sources() -> tuple[sp.Expr, sp.Expr]:
    """Displacements by a longitudinal and by a transverse source."""
    (a, b), (c, d) = _PLACES
    one = sp.hankel1(0, LONGITUDINAL * sp.sqrt((x - a) ** 2 + (y - b) ** 2))
    other = sp.hankel1(0, TRANSVERSE * sp.sqrt((x - c) ** 2 + (y - d) ** 2))
    return one.diff(x) + other.diff(y), one.diff(y) - other.diff(x)


@dataclass(frozen=True)
class Series:
    """What a disk of radius one around the origin adds to a longitudinal wave along the first axis."""

    is_cavity: bool
    orders: int = 50

    def __call__(self, points: Points) -> Displacements:
        """The displacements ``(n, 2)`` at points outside."""
        r, theta = np.hypot(*points.T), np.arctan2(points[:, 1], points[:, 0])
        radial, around = np.zeros((2, len(points)), dtype=complex)
        for n in range(-self.orders, self.orders + 1):
            # exp(i k x) / (i k) is the potential of what comes in
            comes = 1j**n / (1j * LONGITUDINAL) * self._conditions(special.jv, special.jvp, n)[:, 0]
            a, b = np.linalg.solve(self._conditions(special.hankel1, special.h1vp, n), -comes)
            phi, d_phi = _radial(special.hankel1, special.h1vp, n, LONGITUDINAL, r)[:2]
            psi, d_psi = _radial(special.hankel1, special.h1vp, n, TRANSVERSE, r)[:2]
            turn = np.exp(1j * n * theta)
            radial += (a * d_phi + b * 1j * n / r * psi) * turn
            around += (a * 1j * n / r * phi - b * d_psi) * turn
        cos, sin = np.cos(theta), np.sin(theta)
        return np.column_stack([cos * radial - sin * around, sin * radial + cos * around])

    def _conditions(self, value: Callable[..., complex], slope: Callable[..., complex], n: int) -> Displacements:
        """What both conditions make of both potentials of order n, at r = 1."""
        columns = []
        for k, is_phi in ((LONGITUDINAL, True), (TRANSVERSE, False)):
            f, d, dd = _radial(value, slope, n, k, 1.0)
            # displacements and their slopes, along the radius and around
            out, out_slope = (d, dd) if is_phi else (1j * n * f, 1j * n * (d - f))
            turn, turn_slope = (1j * n * f, 1j * n * (d - f)) if is_phi else (-d, -dd)
            if self.is_cavity:
                columns.append(
                    [
                        (-LAMBDA * k**2 * f if is_phi else 0) + 2 * MU * out_slope,
                        MU * (1j * n * out + turn_slope - turn),
                    ]
                )
            else:
                columns.append([out, turn])
        return np.array(columns, dtype=complex).T


def _radial(value: Callable[..., complex], slope: Callable[..., complex], n: int, k: float, r: float | Points) -> tuple:
    return value(n, k * r), k * slope(n, k * r, 1), k**2 * slope(n, k * r, 2)


def _scattering(is_cavity: bool) -> tuple[fs.Problem, Callable[[Points], Displacements]]:
    free = [fs.Condition(sp.Eq(t, 0)) for t in _traction(u, v)]
    conditions = free if is_cavity else [fs.Dirichlet({u: 0, v: 0})]
    incident = {u: sp.exp(sp.I * LONGITUDINAL * x), v: sp.S.Zero}
    problem = fs.Problem(_equations(), fs.Exterior(fs.Disk((0, 0), 1)), conditions, incident=incident)
    return problem, Series(is_cavity)


def _known(objects: tuple[fs.Domain, ...], is_cavity: bool) -> tuple[fs.Problem, Callable[[Points], Displacements]]:
    exact = _from_sources()
    told = zip(_traction(u, v), _traction(*exact), strict=True)
    free = [fs.Condition(sp.Eq(left, right)) for left, right in told]
    conditions = free if is_cavity else [fs.Dirichlet(dict(zip((u, v), exact, strict=True)))]
    each = [sp.lambdify((x, y), field, "scipy") for field in exact]
    problem = fs.Problem(_equations(), fs.Exterior(*objects), conditions)
    return problem, lambda points: np.column_stack([field(*points.T) for field in each])


_ELLIPSE, _SQUARE = fs.Ellipse((0, 0), (1.0, 0.6)), fs.Box((-1, -1), (1, 1))
_PAIR = (fs.Disk((0, 0), 1), fs.Disk((2.6, 0), 1, name="other"))
CASES = {
    "disk that does not move, in a wave": (1e-10, lambda: _scattering(False)),
    "cavity, a disk, in a wave": (1e-10, lambda: _scattering(True)),
    "ellipse that moves as told": (1e-10, lambda: _known((_ELLIPSE,), False)),
    "cavity, an ellipse": (1e-10, lambda: _known((_ELLIPSE,), True)),
    "two cavities": (1e-10, lambda: _known(_PAIR, True)),
    "square that moves as told": (1e-8, lambda: _known((_SQUARE,), False)),
}


def measure(name: str) -> dict[str, str]:
    """One row of the table."""
    tol, make = CASES[name]
    problem, known = make()
    began = process_time()
    solution = fs.solve(problem, tol=tol, rng=0)
    seconds = process_time() - began
    points = problem.domain.sample(500, np.random.default_rng(7))
    error = np.abs(solution.scattered(points) - known(points)).max() / np.abs(known(points)).max()
    row = {
        "problem": name,
        "tol": f"{tol:.0e}",
        "functions": f"{solution.report.neurons}",
        "estimate": f"{solution.error_estimate:.1e}",
        "error": f"{error:.1e}",
        "seconds": f"{seconds:.1f}",
    }
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def draw() -> None:
    """Displacements along and across a longitudinal wave that meets two cavities."""
    objects = fs.Disk((0, 0), 1), fs.Ellipse((2.5, 1.2), (0.8, 0.4), name="other")
    domain = fs.Exterior(*objects, window=((-2.5, -2.5), (4.5, 3.5)))
    free = [fs.Condition(sp.Eq(t, 0)) for t in _traction(u, v)]
    k = 2 * LONGITUDINAL
    problem = fs.Problem(_equations(4 * STIFFNESS), domain, free, incident={u: sp.exp(sp.I * k * x), v: sp.S.Zero})
    path = DOCS / "images" / "waves-elastic.png"
    fs.solve(problem, tol=1e-6, rng=0).plot(path, width="double")
    shrink(path)


def main() -> None:
    """Measure all cases, write the table and draw."""
    draw()
    rows = [measure(name) for name in CASES]
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    lines += ["| " + " | ".join(row.values()) + " |" for row in rows]
    put("elastic", "\n".join(lines), DOCS / "waves.md")


if __name__ == "__main__":
    main()
