"""Solves of a moment, one for every kind of features, condition and method at least."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import fspielm as fs

Solutions = Mapping[str, fs.Solution]

# Nothing that a clock or the machine's memory decides.
BUDGET = fs.Budget(seconds=None, memory=4e9, threads=1)

QUICK: dict[str, Callable[[], Solutions]] = {}

x, y, t = sp.symbols("x y t", real=True)
u, v, w = (sp.Function("u")(*coordinates) for coordinates in ((x, y), (x,), (x, t)))
SQUARE, DISK, LINE = fs.Box((0, 0), (1, 1)), fs.Disk((0, 0), 1), fs.Interval(0, 1)
BENT = sp.sin(2 * x + y**2)


def quick(make: Callable[[], Solutions]) -> Callable[[], Solutions]:
    """Register a function by its name, in words."""
    QUICK[make.__name__.replace("_", " ")] = make
    return make


def solved(problem: fs.Problem, **settings: Any) -> fs.Solution:
    """The solution from a fixed seed."""
    return fs.solve(problem, rng=7, **{"budget": BUDGET, **settings})


def laplacian(f: Any) -> Any:
    """In the plane."""
    return f.diff(x, 2) + f.diff(y, 2)


def slope(f: sp.Expr) -> sp.Expr:
    """The derivative along the normal of the unit circle."""
    return x * f.diff(x) + y * f.diff(y)


@quick
def band() -> Solutions:
    """A medium that varies, one coefficient a function of the user's."""
    a = sp.Function("a")
    problem = fs.Problem(
        sp.Eq(laplacian(u) - a(x, y) * u, laplacian(BENT) - (2 + x * y) * BENT),
        DISK,
        [fs.Dirichlet(BENT, on=x < 0), fs.Robin(2 + x, 1, (2 + x) * BENT + slope(BENT), on="rest")],
        given={a: lambda p: 2 + p[:, 0] * p[:, 1]},
    )
    return {"": solved(problem, tol=1e-6)}


@quick
def characteristic() -> Solutions:
    """Waves and exponentials for Helmholtz' equation."""
    problem = fs.Problem(sp.Eq(laplacian(u) + 144 * u, 0), DISK, [fs.Dirichlet(sp.cos(12 * (0.6 * x + 0.8 * y)))])
    return {"": solved(problem)}


@quick
def thin() -> Solutions:
    """A right-hand side of one frequency."""
    exact = sp.sin(20 * x) * sp.sin(20 * y)
    problem = fs.Problem(sp.Eq(laplacian(u) + 400 * u, -400 * exact), DISK, [fs.Dirichlet(exact)])
    return {"": solved(problem)}


@quick
def corner() -> Solutions:
    """Singular functions where the L turns in."""

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        angle = np.arctan2(points[:, 1], points[:, 0])
        angle = np.where(angle < -1e-12, angle + 2 * np.pi, np.maximum(angle, 0.0))
        return np.asarray(np.hypot(*points.T) ** (2 / 3) * np.sin(2 / 3 * angle))

    problem = fs.Problem(sp.Eq(laplacian(u), 0), fs.LShape(), [fs.Dirichlet(exact)])
    return {"": solved(problem, singular=True)}


@quick
def jump() -> Solutions:
    """A lid that moves over a box at rest."""
    lid = [fs.Dirichlet(1, on="y+"), fs.Dirichlet(0, on="rest")]
    problem = fs.Problem(sp.Eq(laplacian(u) - 4 * u, 0), SQUARE, lid)
    return {"": solved(problem)}


@quick
def hole() -> Solutions:
    """Multipoles in the hole of a ring, slopes on one of its sides."""
    conditions = [fs.Neumann(1, on="inner"), fs.Dirichlet(x, on="outer")]
    problem = fs.Problem(sp.Eq(laplacian(u), 0), fs.Annulus((0, 0), 0.4, 1), conditions)
    return {"": solved(problem)}


@quick
def sources() -> Solutions:
    """A charge close to the circle outside."""
    charge = sp.log((x - sp.Rational(21, 20)) ** 2 + y**2)
    return {"": solved(fs.Problem(sp.Eq(laplacian(u), 0), DISK, [fs.Dirichlet(charge)]))}


@quick
def waves_in_time() -> Solutions:
    """Modes of a string, one end of it driven."""
    conditions = [
        fs.Dirichlet(sp.sin(5 * t) ** 3, on="x-"),
        fs.Dirichlet(0, on="x+"),
        fs.Initial(sp.sin(3 * sp.pi * x)),
        fs.Initial(0, order=1),
    ]
    problem = fs.Problem(sp.Eq(w.diff(t, 2), w.diff(x, 2)), LINE * fs.Time(0, 1), conditions)
    return {"": solved(problem, tol=1e-2)}


@quick
def heat_with_a_source() -> Solutions:
    """A filled band in space and time."""
    exact = sp.exp(-t) * sp.sin(5 * (x + t**2 / 2))
    problem = fs.Problem(
        sp.Eq(w.diff(t) - w.diff(x, 2), exact.diff(t) - exact.diff(x, 2)),
        LINE * fs.Time(0, 1),
        [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0))],
    )
    return {"": solved(problem, tol=1e-6)}


@quick
def periodic() -> Solutions:
    """Values and slopes that come back in space."""
    exact = sp.exp(sp.sin(2 * sp.pi * x + t) / 2)
    problem = fs.Problem(
        sp.Eq(w.diff(t) - w.diff(x, 2) / 5, exact.diff(t) - exact.diff(x, 2) / 5),
        LINE * fs.Time(0, 1),
        [fs.Periodic("x"), fs.Initial(exact.subs(t, 0))],
    )
    return {"": solved(problem, tol=1e-4)}


@quick
def measured() -> Solutions:
    """Slopes all around, and one value inside."""
    at = np.array([[0.3, -0.2]])
    value = float(BENT.subs({x: 0.3, y: -0.2}))
    conditions = [fs.Neumann(slope(BENT)), fs.Measured(at, [value])]
    return {"": solved(fs.Problem(sp.Eq(laplacian(u), laplacian(BENT)), DISK, conditions), tol=1e-6)}


@quick
def plate() -> Solutions:
    """Fourth order: value and slope on the rim."""
    source = laplacian(laplacian(BENT))
    conditions = [fs.Dirichlet(BENT), fs.Neumann(slope(BENT))]
    return {"": solved(fs.Problem(sp.Eq(laplacian(laplacian(u)), source), DISK, conditions), tol=1e-4)}


def _line() -> fs.Problem:
    exact = sp.sin(9 * x) + x**2
    return fs.Problem(sp.Eq(v.diff(x, 2), exact.diff(x, 2)), LINE, [fs.Dirichlet(exact)])


@quick
def by_hand() -> Solutions:
    """The paper's families on a line, by either method, scaled or not."""
    points = fs.Points(interior=160, boundary=1)
    svd: dict[str, Any] = {"least_squares": fs.TruncatedSVD(1e-12), "scaling": "none"}
    return {
        "fs-l": solved(_line(), features=fs.FrequencyShift(80, (1, 12)), points=points),
        "fs-g by SVD": solved(_line(), features=fs.FrequencyShift(80, (1, 12), groups=8), points=points, **svd),
        "siren by SVD": solved(_line(), features=fs.Siren(80, (1, 12)), **svd),
        "gff": solved(_line(), features=fs.GFF(80, (1, 12))),
        "tanh by SVD": solved(_line(), features=fs.Tanh(80, (1, 12)), points=points, **svd),
    }


@quick
def joined_by_hand() -> Solutions:
    """Functions that satisfy the equation and ones that do not, with those of a corner."""
    problem = fs.Problem(sp.Eq(laplacian(u) + 9 * u, sp.sin(3 * x)), fs.Pacman(), [fs.Dirichlet(y)])
    features = fs.Joined([fs.Characteristic(60), fs.FrequencyShift(60, (1, 6))])
    return {"": solved(problem, features=features, singular=True, tol=1e-2)}


@quick
def automatic_by_svd() -> Solutions:
    """Another method, which leaves nothing for the error estimate, within a filled band."""
    return {"": solved(_line(), least_squares=fs.TruncatedSVD(1e-13), scaling="none", approach="band", tol=1e-5)}


@quick
def prepared() -> Solutions:
    """Other data through a plan, and right-hand sides that its functions cannot have."""
    stated = fs.Problem(sp.Eq(laplacian(u) + 9 * u, 0), DISK, [fs.Dirichlet(sp.cos(3 * x + y))])
    plan = fs.prepare(stated, rng=7, budget=BUDGET)
    exact = sp.sin(2 * x + y)
    return {
        "as prepared": plan.solution,
        "other values": plan.solve(values={"dirichlet": x * y + sp.cos(3 * x)}),
        "a source": plan.solve(right_hand_side=laplacian(exact) + 9 * exact, values={"dirichlet": exact}),
        "another source": plan.solve(right_hand_side=lambda p: np.sin(p[:, 0]), values={"dirichlet circle": y}),
    }
