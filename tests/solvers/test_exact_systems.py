"""Systems and complex equations without right-hand sides: solved by functions that satisfy them, unasked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
U, V, P = (sp.Function(name)(x, y) for name in "uvp")
HOLES = ((-0.5, 0.1), (0.45, -0.2))


def laplacian(f: Any) -> Any:
    return f.diff(x, 2) + f.diff(y, 2)


def potentials(centers: Sequence[tuple[float, float]]) -> tuple[Any, Any, Any]:
    """Three harmonic functions, singular outside and in the centers of holes."""

    def logarithm(a: float, b: float) -> Any:
        return sp.log((x - a) ** 2 + (y - b) ** 2) / 2

    first = logarithm(1.7, 0.3) + sp.exp(x) * sp.cos(y) / 2
    second = logarithm(-1.6, 0.7).diff(x) + sp.sin(x) * sp.cosh(y) / 3
    third = logarithm(0.3, 1.9).diff(x, y) + sp.exp(-y) * sp.sin(x)
    for place, center in enumerate(centers):
        first += 0.3 * logarithm(*center) + 0.05 * logarithm(*center).diff(y)
        second -= 0.2 * logarithm(*center)
        third += 0.1 * (1 + place) * logarithm(*center)
    return first, second, third


def stokes(domain: fs.Domain, centers: Sequence[tuple[float, float]] = ()) -> tuple[fs.Problem, list[Any]]:
    a, b, c = potentials(centers)
    total = x * a + y * b + c
    exact = [total.diff(x) - 2 * a, total.diff(y) - 2 * b, 2 * (a.diff(x) + b.diff(y))]
    equations = [-laplacian(U) + P.diff(x), -laplacian(V) + P.diff(y), U.diff(x) + V.diff(y)]
    conditions = [fs.Dirichlet({U: exact[0], V: exact[1]})]
    return fs.Problem(equations, domain, conditions, unknowns=[U, V, P]), exact


def elastic(domain: fs.Domain, shear: float) -> tuple[fs.Problem, list[Any]]:
    pressure = 0.55 * shear
    bulk = (shear / pressure) ** 2 - 1

    def wave(k: float, a: float, b: float) -> Any:
        return sp.besselj(0, k * sp.sqrt((x - a) ** 2 + (y - b) ** 2)) / k

    phi, psi = wave(pressure, 2.1, 0.4), wave(shear, -1.2, 1.9)
    exact = [phi.diff(x) + psi.diff(y), phi.diff(y) - psi.diff(x)]
    dilation = bulk * (U.diff(x) + V.diff(y))
    equations = [
        dilation.diff(x) + laplacian(U) + shear**2 * U,
        dilation.diff(y) + laplacian(V) + shear**2 * V,
    ]
    return fs.Problem(equations, domain, [fs.Dirichlet({U: exact[0], V: exact[1]})], unknowns=[U, V]), exact


def errors(solution: fs.Solution, exact: Sequence[Any]) -> list[float]:
    """Of each unknown, the mean of the last one apart where it is free."""
    problem = solution.problem
    points = problem.domain.sample(500, np.random.default_rng(9))
    values = np.asarray(solution(points)).reshape(len(points), -1)
    found = []
    for place, one in enumerate(exact):
        true = np.asarray(sp.lambdify(problem.coordinates, one, "scipy")(*points.T))
        difference = values[:, place] - true
        if len(exact) == 3:
            difference, true = difference - difference.mean(), true - true.mean()
        found.append(float(np.linalg.norm(difference) / np.linalg.norm(true)))
    return found


def check(problem: fs.Problem, exact: Sequence[Any], *, most: int, tol: float = 1e-9) -> None:
    solution = fs.solve(problem, tol=tol, rng=1)
    assert solution.converged
    worst = max(errors(solution, exact))
    assert worst <= 10 * solution.error_estimate + 1e-13
    assert worst <= tol
    assert len(solution.coefficients) <= most


def test_a_slow_flow_in_a_box() -> None:
    check(*stokes(fs.Box((-1, -0.5), (1, 0.5))), most=500)


@pytest.mark.slow
def test_a_slow_flow_around_holes() -> None:
    domain: Any = fs.Box((-1, -1), (1, 1))
    for center, radius in zip(HOLES, (0.2, 0.25), strict=True):
        domain = domain - fs.Disk(center, radius)
    check(*stokes(domain, HOLES), most=1200)


def test_a_slow_flow_around_a_hole() -> None:
    check(*stokes(fs.Disk((0, 0), 1) - fs.Disk(HOLES[0], 0.2), HOLES[:1]), most=600, tol=1e-5)


def test_elastic_waves_of_both_kinds() -> None:
    check(*elastic(fs.Disk((0, 0), 1), 25.0), most=320)


def test_waves_in_a_lossy_medium_around_a_hole() -> None:
    k2 = 100.0 + 8.0j
    k = np.sqrt(k2)

    def exact(points: np.ndarray) -> np.ndarray:
        near, far = (np.hypot(points[:, 0] - a, points[:, 1] - b) for a, b in ((0.1, 0.02), (2.0, 0.3)))
        return np.asarray(scipy.special.hankel1(0, k * near) + scipy.special.jv(0, k * far))

    domain = fs.Disk((0, 0), 1) - fs.Disk((0.1, 0), 0.25)
    solution = fs.solve(fs.Problem(laplacian(U) + complex(k2) * U, domain, [fs.Dirichlet(exact)]), tol=1e-9, rng=1)
    points = domain.sample(500, np.random.default_rng(9))
    assert solution.converged
    assert len(solution.coefficients) < 300
    assert np.abs(solution(points) - exact(points)).max() < 1e-9 * np.abs(exact(points)).max()


@pytest.mark.parametrize("wavenumber", [pytest.param(40.0, marks=pytest.mark.slow), -40.0])
def test_a_packet_of_schroedingers_goes_either_way(wavenumber: float) -> None:
    u = sp.Function("u")(x, t)
    width = sp.Rational(1, 100) + 2 * sp.I * t
    exact = sp.exp(
        -((x - sp.Rational(1, 2) - 2 * wavenumber * t) ** 2) / (2 * width) + sp.I * wavenumber * (x - wavenumber * t)
    ) / sp.sqrt(width)
    conditions = [fs.Initial(exact.subs(t, 0)), fs.Dirichlet(exact)]
    domain = fs.Interval(0, 1) * fs.Time(0, 0.005)
    check(fs.Problem(sp.I * u.diff(t) + u.diff(x, 2), domain, conditions), [exact], most=200)


def test_sources_stand_outside_for_complex_data() -> None:
    def exact(points: np.ndarray) -> np.ndarray:
        return np.asarray(scipy.special.hankel1(0, 10 * np.hypot(points[:, 0] - 1.04, points[:, 1] - 0.02)))

    domain = fs.Disk((0, 0), 1)
    solution = fs.solve(fs.Problem(laplacian(U) + 100 * U, domain, [fs.Dirichlet(exact)]), tol=1e-9, rng=1)
    points = domain.sample(500, np.random.default_rng(9))
    assert solution.converged
    assert len(solution.coefficients) < 500
    assert np.abs(solution(points) - exact(points)).max() < 1e-8 * np.abs(exact(points)).max()


def test_singular_functions_at_corners_are_refused_for_systems() -> None:
    problem, _ = stokes(fs.Box((-1, -0.5), (1, 0.5)))
    with pytest.raises(fs.ProblemError, match=r"one equation.*real coefficients"):
        fs.solve(problem, singular=fs.Singular((1, 0.5)))


def test_equations_of_which_one_has_its_waves_alone() -> None:
    """At a zero that one equation has by itself its terms cancel, and what is left of them is rounding."""
    exact = [sp.cos(2 * y) + sp.cos(3 * x) / 5, sp.cos(3 * x)]
    equations = [laplacian(U) + 4 * U + V, laplacian(V) + 9 * V]
    condition = fs.Dirichlet({U: exact[0], V: exact[1]})
    check(fs.Problem(equations, fs.Box((0, 0), (1, 1)), [condition], unknowns=[U, V]), exact, most=400)


@pytest.mark.parametrize(
    ("equations", "value"),
    [
        ([laplacian(U), U.diff(x)], x + y),
        pytest.param(
            [laplacian(U), laplacian(V), U.diff(x) + V.diff(y)],
            {U: x**2 - y**2, V: x * y},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_every_one_of_more_equations_than_unknowns_counts(equations: list[Any], value: Any) -> None:
    problem = fs.Problem(equations, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(value)])
    with pytest.warns(fs.AccuracyWarning, match="not converged"):
        solution = fs.solve(problem, rng=1, budget=fs.Budget(neurons=600))
    assert solution.error_estimate > 0.1
    with pytest.raises(fs.ProblemError, match="do not satisfy the others"):
        fs.solve(problem, features=fs.Characteristic(100))


def test_functions_that_satisfy_more_equations_than_unknowns() -> None:
    """The third follows from the others."""
    equations = [U.diff(x) + V.diff(y), U.diff(y) - V.diff(x), laplacian(U)]
    exact = [sp.exp(x) * sp.cos(y), -sp.exp(x) * sp.sin(y)]
    problem = fs.Problem(equations, fs.Box((0, 0), (1, 1)), [fs.Dirichlet({U: exact[0]}), fs.Dirichlet({V: exact[1]})])
    check(problem, exact, most=400)
