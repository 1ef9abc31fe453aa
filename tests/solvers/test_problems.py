"""Problems that are no benchmarks, at default settings: converged, and the true error within the tolerance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, z, t = sp.symbols("x y z t")
SQUARE, CUBE = fs.Box((0, 0), (1, 1)), fs.Box((0, 0, 0), (1, 1, 1))
pi = sp.pi
Make = Callable[..., Any]
slow = pytest.mark.slow


def laplace(u: sp.Expr, *coordinates: sp.Symbol) -> sp.Expr:
    return sum(u.diff(s, 2) for s in coordinates or (x, y))


def plane_wave(make: Make, side: Any = 1) -> Any:
    """Homogeneous, driven from the boundary alone."""
    k = sp.Rational(30) / side
    exact = sp.cos(k * (sp.Rational(3, 5) * x + sp.Rational(4, 5) * y))
    return make(lambda u: laplace(u) + k**2 * u, exact, fs.Box((0, 0), (side, side)), (x, y), source=0)


def plane_wave_with_residue(make: Make) -> Any:
    """The same with a source that is zero but for rounding, as programs make it."""
    k = 30.0
    exact = sp.cos(18.0 * x + 24.0 * y)
    f = sp.Function("f")
    u = sp.Function("u")(x, y)

    def source(points: Any) -> Any:
        phase = 18.0 * points[:, 0] + 24.0 * points[:, 1]
        return -324.0 * np.cos(phase) - 576.0 * np.cos(phase + 1e-14) + k**2 * np.cos(phase)

    made = make(lambda w: laplace(w) + k**2 * w, exact, SQUARE, (x, y), source=0)
    problem = fs.Problem(sp.Eq(laplace(u) + k**2 * u, f(x, y)), SQUARE, [fs.Dirichlet(exact)], given={f: source})
    return replace(made, problem=problem)


def non_separable(make: Make) -> Any:
    """Amplitude and direction change along the way."""
    return make(laplace, sp.exp(x) * sp.sin(20 * (x + y**2 / 2)), SQUARE, (x, y))


def non_separable_helmholtz(make: Make) -> Any:
    """The same under an indefinite operator."""
    return make(lambda u: laplace(u) + 400 * u, sp.exp(x) * sp.sin(20 * (x + y**2 / 2)), SQUARE, (x, y))


def chirp(make: Make) -> Any:
    """From no frequency in one corner to sixteen pi along each axis in the other."""
    return make(laplace, sp.sin(8 * pi * (x**2 + y**2)), SQUARE, (x, y))


def heterogeneous(make: Make) -> Any:
    """The wavenumber varies by a factor three, and the solution follows it."""
    kappa = 20 * pi * (1 + sp.sin(2 * pi * x) / 2)
    phase = 20 * pi * x - 5 * sp.cos(2 * pi * x)  # its derivative is kappa
    return make(lambda u: laplace(u) + kappa**2 * u, sp.sin(phase) * sp.cos(3 * y), SQUARE, (x, y))


def long_wave(make: Make, periods: int = 40) -> Any:
    """A standing wave and one that runs, for many periods."""
    exact = sp.sin(2 * pi * x) * sp.cos(2 * pi * t) + sp.sin(3 * (x - t))
    domain = fs.Interval(0, 1) * fs.Time(0, periods)
    return make(lambda u: u.diff(t, 2) - u.diff(x, 2), exact, domain, (x, t), orders=2)


def layer(make: Make) -> Any:
    """Convection against a wall; the data are constant, nothing in them tells of the layer."""
    exact = x - (sp.exp(50 * (x - 1)) - sp.exp(-50)) / (1 - sp.exp(-50))
    return make(
        lambda u: -sp.Rational(1, 50) * u.diff(x, 2) + u.diff(x),
        exact,
        fs.Interval(0, 1),
        (x,),
        [fs.Dirichlet(0)],
        source=1,
    )


def layer_2d(make: Make) -> Any:
    """The same in the plane."""
    exact = (x - (sp.exp(50 * (x - 1)) - sp.exp(-50)) / (1 - sp.exp(-50))) * sp.sin(pi * y)
    return make(lambda u: -sp.Rational(1, 50) * laplace(u) + u.diff(x), exact, SQUARE, (x, y))


def pacman(make: Make) -> Any:
    """Indefinite, on a domain with a re-entrant corner (the solution is smooth)."""
    return make(lambda u: laplace(u) + 900 * u, sp.sin(20 * x) * sp.cos(25 * y) + x * y, fs.Pacman(), (x, y))


def panda(make: Make) -> Any:
    """With a first-order term, on an outline known by its radius alone."""
    return make(lambda u: laplace(u) - u.diff(x), sp.sin(12 * x + 6 * y**2), fs.Panda(0.4), (x, y))


def cube(make: Make) -> Any:
    """Three space dimensions."""
    exact = sp.sin(4 * x + 2 * y) * sp.cos(3 * z)
    return make(lambda u: laplace(u, x, y, z) + 30 * u, exact, CUBE, (x, y, z))


def heat_on_a_disk(make: Make) -> Any:
    """Two space dimensions and time."""
    exact = sp.exp(-t) * sp.sin(3 * x + 2 * y)
    domain = fs.Disk((0, 0), 1) * fs.Time(0, 1)
    return make(lambda u: u.diff(t) - laplace(u) / 10, exact, domain, (x, y, t))


def heat_in_space(make: Make) -> Any:
    """Three space dimensions and time, at low frequency."""
    exact = sp.exp(-t) * sp.sin(2 * x + y * z) + x * y * t
    return make(lambda u: u.diff(t) - laplace(u, x, y, z), exact, CUBE * fs.Time(0, 1), (x, y, z, t))


def clamped_plate(make: Make) -> Any:
    """Fourth order: value and normal derivative on every side."""
    exact = sp.sin(6 * x) * sp.exp(y)
    conditions: list[Any] = [fs.Dirichlet(exact)]
    for part, outward in {"x-": -exact.diff(x), "x+": exact.diff(x), "y-": -exact.diff(y), "y+": exact.diff(y)}.items():
        conditions.append(fs.Neumann(outward, on=part))
    return make(lambda u: laplace(laplace(u)), exact, SQUARE, (x, y), conditions)


def variable_diffusion(make: Make) -> Any:
    """Divergence form with a coefficient, and a flux prescribed on one side."""
    exact = sp.sin(9 * x * y) + x
    conditions = [fs.Dirichlet(exact, on=["x-", "y-", "y+"]), fs.Neumann(exact.diff(x).subs(x, 1), on="x+")]
    a = 1 + x**2 / 2 + y / 3
    return make(lambda u: (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y), exact, SQUARE, (x, y), conditions)


def plane_wave_in_metres(make: Make) -> Any:
    """A kilometre-sized copy."""
    return plane_wave(make, 1000)


def short_wave(make: Make) -> Any:
    """Eight periods."""
    return long_wave(make, 8)


@pytest.mark.parametrize(
    "statement",
    [
        plane_wave,
        pytest.param(plane_wave_with_residue, marks=slow),
        non_separable_helmholtz,
        layer,
        pacman,
        short_wave,
        variable_diffusion,
        pytest.param(plane_wave_in_metres, marks=slow),
        pytest.param(non_separable, marks=slow),
        pytest.param(panda, marks=slow),
        pytest.param(clamped_plate, marks=slow),
        pytest.param(chirp, marks=slow),
        pytest.param(heterogeneous, marks=slow),
        pytest.param(long_wave, marks=slow),
        pytest.param(layer_2d, marks=slow),
        pytest.param(cube, marks=slow),
        pytest.param(heat_in_space, marks=slow),
        pytest.param(heat_on_a_disk, marks=slow),
    ],
)
def test_converges_to_the_truth(statement: Callable[[Make], Any], manufacture: Make) -> None:
    made = statement(manufacture)
    solution = fs.solve(made.problem, rng=0)
    error = made.error(solution)
    assert solution.converged, solution.report.reason
    assert error <= solution.report.tol == 1e-8
    assert error <= solution.error_estimate
    if made.problem.dimension < 3:  # a cube's is some thousand times too large
        assert solution.error_estimate <= 1000 * max(error, 1e-13)


@pytest.mark.parametrize("statement", [pytest.param(cube, marks=slow), heat_on_a_disk])
def test_three_dimensions_to_five_digits(statement: Callable[[Make], Any], manufacture: Make) -> None:
    made = statement(manufacture)
    solution = fs.solve(made.problem, tol=1e-5, rng=0)
    assert solution.converged, solution.report.reason
    assert made.error(solution) <= 1e-5


@slow  # other seeds of something smaller in test_loop.py
@pytest.mark.parametrize("seed", [1, 2])
def test_luck_has_no_part_in_it(seed: int, manufacture: Make) -> None:
    for statement in (non_separable, layer):
        made = statement(manufacture)
        solution = fs.solve(made.problem, rng=seed)
        assert solution.converged, solution.report.reason
        assert made.error(solution) <= 1e-8


def test_data_are_asked_only_where_they_are_defined() -> None:
    """The source inside a pacman, the boundary values on its parts; two rounds, so that residuals are looked at too."""
    domain = fs.Pacman()
    u, f = sp.Function("u")(x, y), sp.Function("f")

    def exact(points: Any) -> Any:
        return np.exp(points[:, 0]) * np.sin(15 * (points[:, 0] + points[:, 1] ** 2))

    def source(points: Any) -> Any:
        assert domain.contains(points).all(), "asked outside"
        a, b = points.T
        phase = 15 * (a + b**2)
        return np.exp(a) * (np.sin(phase) * (1 - 225 - (30 * b) ** 2) + np.cos(phase) * (30 + 30))

    def on_the_arc(points: Any) -> Any:
        assert np.hypot(*(points - 0.5).T) == pytest.approx(0.4, abs=1e-12)
        return exact(points)

    def on_the_lips(points: Any) -> Any:
        assert np.abs(points[:, 1] - 0.5) == pytest.approx(points[:, 0] - 0.5, abs=1e-12)
        return exact(points)

    problem = fs.Problem(
        sp.Eq(laplace(u), f(x, y)),
        domain,
        [fs.Dirichlet(on_the_arc, on="arc"), fs.Dirichlet(on_the_lips, on=["upper", "lower"])],
        given={f: source},
    )
    solution = fs.solve(problem, rng=0)
    points = domain.sample(3000, np.random.default_rng(1))
    error = np.linalg.norm(solution(points) - exact(points)) / np.linalg.norm(exact(points))
    assert solution.converged, solution.report.reason
    assert error <= 1e-8
