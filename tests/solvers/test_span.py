"""A solution that lies in the span of the features is recovered to rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import Family

SEED, INDEX = 12, 7
x, y, z, t = sp.symbols("x y z t")
Statement = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True)
class Case:
    """An operator (in plain SymPy, of any function), a domain, and conditions that follow from a solution."""

    coordinates: tuple[sp.Symbol, ...]
    operator: Statement
    domain: fs.Box | Any
    conditions: Callable[[sp.Expr], Sequence[Any]]


def normal_on_circle(u: sp.Expr, center: tuple[float, float], radius: float) -> sp.Expr:
    return ((x - center[0]) * u.diff(x) + (y - center[1]) * u.diff(y)) / radius


CASES = {
    "helmholtz on a square": Case(
        (x, y),
        lambda u: u.diff(x, 2) + u.diff(y, 2) + 30 * u,
        fs.Box((0, 0), (1, 1)),
        lambda u: [fs.Dirichlet(u)],
    ),
    "mixed derivatives, Neumann on two sides": Case(
        (x, y),
        lambda u: 2 * u.diff(x, 2) + u.diff(x, y) + u.diff(y, 2) - u.diff(x),
        fs.Box((-1, 0), (1, 0.5)),
        lambda u: [
            fs.Dirichlet(u, on=["y-", "y+"]),
            fs.Neumann(-u.diff(x), on="x-"),
            fs.Neumann(u.diff(x), on="x+"),
        ],
    ),
    "variable coefficients on a disk, Neumann": Case(
        (x, y),
        lambda u: ((2 + sp.sin(x)) * u.diff(x)).diff(x) + (sp.exp(y) * u.diff(y)).diff(y) - (1 + x**2) * u,
        fs.Disk((0.2, -0.1), 0.7),
        lambda u: [fs.Neumann(normal_on_circle(u, (0.2, -0.1), 0.7))],
    ),
    "half Dirichlet, half Neumann on a disk": Case(
        (x, y),
        lambda u: u.diff(x, 2) + u.diff(y, 2),
        fs.Disk((0, 0), 1),
        lambda u: [
            fs.Dirichlet(u, on=x >= 0),
            fs.Neumann(normal_on_circle(u, (0, 0), 1), on=x < 0),
        ],
    ),
    "biharmonic plate, clamped": Case(
        (x, y),
        lambda u: u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4),
        fs.Disk((0, 0), 1),
        lambda u: [fs.Dirichlet(u), fs.Neumann(normal_on_circle(u, (0, 0), 1))],
    ),
    "panda": Case(
        (x, y),
        lambda u: u.diff(x, 2) + u.diff(y, 2) + u,
        fs.Panda(0.5),
        lambda u: [fs.Dirichlet(u)],
    ),
    "ordinary, value and slope": Case(
        (x,),
        lambda u: u.diff(x, 2) + sp.cos(x) * u.diff(x) + 4 * u,
        fs.Interval(0, 3),
        lambda u: [fs.Dirichlet(u, on="x-"), fs.Neumann(u.diff(x), on="x+")],
    ),
    "three dimensions": Case(
        (x, y, z),
        lambda u: u.diff(x, 2) + u.diff(y, 2) + 3 * u.diff(z, 2) + u.diff(x, z) - u,
        fs.Box((0, 0, 0), (1, 1, 1)),
        lambda u: [fs.Dirichlet(u)],
    ),
    "heat": Case(
        (x, t),
        lambda u: u.diff(t) - u.diff(x, 2) / 5,
        fs.Interval(-1, 1) * fs.Time(0, 1),
        lambda u: [fs.Dirichlet(u), fs.Initial(u.subs(t, 0))],
    ),
    "wave, starting late, with a Neumann end": Case(
        (x, t),
        lambda u: u.diff(t, 2) - ((1 + x) * u.diff(x)).diff(x),
        fs.Interval(0, 1) * fs.Time(2, 3),
        lambda u: [
            fs.Dirichlet(u.subs(x, 0), on="x-"),
            fs.Neumann(u.diff(x).subs(x, 1), on="x+"),
            fs.Initial(u.subs(t, 2)),
            fs.Initial(u.diff(t).subs(t, 2), order=1),
        ],
    ),
    "advection-diffusion on a Pacman in time": Case(
        (x, y, t),
        lambda u: u.diff(t) + 4 * u.diff(x) + 4 * u.diff(y) - u.diff(x, 2) - u.diff(y, 2),
        fs.Pacman() * fs.Time(0, 1),
        lambda u: [fs.Dirichlet(u), fs.Initial(u.subs(t, 0))],
    ),
}
# few features of spread frequencies: well conditioned, so that "to rounding" means what it says
FAMILIES: dict[str, Family] = {
    "fs-l": fs.FrequencyShift(25, mu=(2, 25)),
    "fs-g": fs.FrequencyShift(25, mu=(2, 25), groups=4),
    "siren": fs.Siren(25, mu=(2, 15)),
    "gff": fs.GFF(25, mu=(2, 15)),
    "tanh": fs.Tanh(25, mu=(1, 4)),
}


def build(case: Case, exact: sp.Expr) -> fs.Problem:
    u = sp.Function("u")(*case.coordinates)
    return fs.Problem(sp.Eq(case.operator(u), case.operator(exact)), case.domain, case.conditions(exact))


def check(problem: fs.Problem, exact: sp.Expr, solution: fs.Solution, tolerance: float) -> None:
    unit = np.zeros(solution.report.neurons)
    unit[INDEX] = 1.0
    assert np.abs(solution.coefficients - unit).max() < tolerance
    points = problem.domain.sample(300, np.random.default_rng(99))
    expected = sp.lambdify(problem.coordinates, exact)(*points.T)
    assert np.abs(solution(points) - expected).max() < tolerance
    for name, residual in solution.report.residuals.items():
        # rows have entries of up to frequency^order, rounded
        assert residual.largest < 1e3 * tolerance, name


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_problem(name: str, feature: Callable[..., sp.Expr]) -> None:
    case, family = CASES[name], FAMILIES["fs-l"]
    exact = feature(family, case.coordinates, SEED, INDEX, t in case.coordinates)
    problem = build(case, exact)
    points = fs.Points(300, boundary_total=160, initial=60)
    for method in (fs.QR(), fs.TruncatedSVD(1e-12)):
        for scaling in ("none", "rms"):
            solution = fs.solve(
                problem,
                features=family,
                points=points,
                least_squares=method,
                scaling=scaling,  # type: ignore[arg-type]
                rng=SEED,
            )
            assert solution.report.rank == 25
            check(problem, exact, solution, 1e-11)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family(name: str, feature: Callable[..., sp.Expr]) -> None:
    case, family = CASES["helmholtz on a square"], FAMILIES[name]
    exact = feature(family, case.coordinates, SEED, INDEX, False)
    problem = build(case, exact)
    solution = fs.solve(problem, features=family, points=fs.Points(300, boundary=40), rng=SEED)
    condition = max(solution.report.condition, 1e2)
    check(problem, exact, solution, 1e-14 * condition)


def test_space_shift(feature: Callable[..., sp.Expr]) -> None:
    case, family = CASES["heat"], fs.FrequencyShift(12, mu=(2, 25), shift="space")
    exact = feature(family, case.coordinates, SEED, INDEX, True)
    problem = build(case, exact)
    solution = fs.solve(problem, features=family, points=fs.Points(300, boundary=40, initial=40), rng=SEED)
    check(problem, exact, solution, 1e-14 * max(solution.report.condition, 1e2))


def test_several_features_at_once(feature: Callable[..., sp.Expr]) -> None:
    case, family = CASES["helmholtz on a square"], FAMILIES["fs-l"]
    parts = [feature(family, case.coordinates, SEED, index, False) for index in (0, 11, 24)]
    exact = 3 * parts[0] - 2 * parts[1] + parts[2] / 7
    solution = fs.solve(build(case, exact), features=family, points=fs.Points(300, boundary=40), rng=SEED)
    expected = np.zeros(25)
    expected[[0, 11, 24]] = 3, -2, 1 / 7
    assert np.abs(solution.coefficients - expected).max() < 1e-11
