"""Sources outside of a domain: where they are placed, what they bring, and that the estimate covers the error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import special

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.basis import SourceBasis, neurons_needed, satisfies
from fspielm.collocation import allot_conditions
from fspielm.geometry import Domain, Sites
from fspielm.problem import identity
from fspielm.solvers.request import Request, Streams
from fspielm.solvers.round import FeaturePlan, RoundResult, run_round
from fspielm.solvers.strategies.exact import Limits, SourceCorners, crowded, resolve, source_columns

X, Y = sp.symbols("x y")
U = sp.Function("u")(X, Y)
DISK, PANDA, SQUARE = fs.Disk((0, 0), 1), fs.Panda(1.0), fs.Box((0, 0), (1, 1))
NOTCH = (0.13, 1.50)
Function = Callable[[FloatArray], FloatArray]


def stated(domain: Domain, ratio: float, *conditions: Any) -> fs.Problem:
    return fs.Problem(sp.Eq(U.diff(X, 2) + U.diff(Y, 2) + sp.Float(ratio) * U, 0), domain, list(conditions))


def field(ratio: float, source: tuple[float, float]) -> Function:
    k = np.sqrt(abs(ratio))
    function = {0: np.log, 1: lambda r: special.y0(k * r), -1: lambda r: special.k0(k * r)}[int(np.sign(ratio))]
    return lambda points: np.asarray(function(np.linalg.norm(points - np.array(source), axis=1)))


def outside(domain: Domain, unit: float, distance: float) -> tuple[float, float]:
    sites = domain.boundary()[0].place(np.array([[unit]]))
    assert sites.normals is not None
    x, y = (sites.points + distance * sites.normals)[0]
    return float(x), float(y)


def solved(problem: fs.Problem, columns: Sequence[SourceBasis] = (), seed: int = 0) -> RoundResult:
    neurons = max(neurons_needed(problem) + 80, 100)
    points = allot_conditions(problem, int(0.67 * neurons))
    for sources in columns:
        points = crowded(points, sources)
    streams = Streams(*np.random.default_rng(seed).spawn(3))
    request = Request(problem, 1e-8, fs.Budget(threads=1), streams, seed)
    return run_round(request, FeaturePlan(fs.Characteristic(neurons), points, tuple(columns), "tried"))


def improved(problem: fs.Problem, done: RoundResult, **options: Any) -> RoundResult:
    arguments = {"tol": 1e-8, "most": 1500, "threads": 1} | options
    sources = source_columns(problem, done.basis, done.coefficients, **arguments)
    assert sources is not None
    return solved(problem, [sources])


def error_of(done: RoundResult, exact: Function, domain: Domain) -> float:
    points = domain.sample(3000, np.random.default_rng(9), "low-discrepancy")
    values = done.basis.matrix(identity(2), Sites(points)) @ done.coefficients
    return float(np.linalg.norm(values - exact(points)) / np.linalg.norm(exact(points)))


@pytest.mark.parametrize(
    ("domain", "ratio", "source", "most"),
    [
        (DISK, 0.0, (1.05, 0.0), 250),
        pytest.param(DISK, 0.0, (0.6003, 0.8004), 400, marks=pytest.mark.slow),
        (DISK, 100.0, (0.0, 1.01), 350),
        pytest.param(DISK, 3600.0, (-1.02, 0.0), 450, marks=pytest.mark.slow),
        pytest.param(DISK, -400.0, (1.01, 0.0), 350, marks=pytest.mark.slow),
        (fs.Annulus((0, 0), 0.5, 1), 0.0, (0.45, 0.0), 350),
        pytest.param(PANDA, 0.0, NOTCH, 700, marks=pytest.mark.slow),
        pytest.param(PANDA, 100.0, outside(PANDA, 0.3, 0.01), 700, marks=pytest.mark.slow),
    ],
    ids=["0.05", "0.0005", "0.01", "high frequency", "decay", "in a hole", "in a notch", "panda"],
)
def test_a_source_close_to_the_boundary_is_held(
    domain: Domain, ratio: float, source: tuple[float, float], most: int
) -> None:
    exact = field(ratio, source)
    problem = stated(domain, ratio, fs.Dirichlet(exact))
    plain = solved(problem)
    assert error_of(plain, exact, domain) > 1e-6
    better = improved(problem, plain)
    assert better.estimate is not None
    assert error_of(better, exact, domain) <= min(better.estimate.relative, 1e-9)
    assert better.estimate.relative <= 1e-8
    assert better.outcome.growth < 1e5
    assert better.basis.size <= most


def test_slopes_do_as_well_as_values() -> None:
    def slope(points: FloatArray) -> FloatArray:
        away = points - np.array((1.03, 0.0))
        r = np.linalg.norm(away, axis=1)
        return np.asarray(-10 * special.y1(10 * r) * np.sum(away * points, axis=1) / r)

    problem = stated(DISK, 100.0, fs.Neumann(slope))
    better = improved(problem, solved(problem))
    assert better.estimate is not None
    assert error_of(better, field(100.0, (1.03, 0.0)), DISK) <= better.estimate.relative <= 1e-7


@pytest.mark.parametrize("k", [0, pytest.param(10, marks=pytest.mark.slow)])
def test_a_singular_corner_is_held_to_many_digits(k: int) -> None:
    domain = fs.LShape()

    def exact(points: FloatArray) -> FloatArray:
        r, angle = np.hypot(*points.T), np.arctan2(points[:, 1], points[:, 0]) % (2 * np.pi)
        angle = np.where(angle > 1.75 * np.pi, 0.0, angle)
        return np.asarray((special.jv(2 / 3, k * r) if k else r ** (2 / 3)) * np.sin(2 * angle / 3))

    problem = stated(domain, k**2, fs.Dirichlet(exact))
    plain = solved(problem)
    better = improved(problem, plain)
    assert better.estimate is not None
    assert error_of(better, exact, domain) <= min(better.estimate.relative, 2e-8)
    assert better.estimate.relative <= 1e-5
    assert better.basis.size <= 700


def test_corners_that_stand_out_are_chosen() -> None:
    # the second derivatives of the data disagree at x = 1
    problem = stated(SQUARE, 0.0, fs.Dirichlet(X**4 + Y))
    better = improved(problem, improved(problem, solved(problem)))
    assert better.estimate is not None
    assert better.estimate.relative < 1e-8
    (sources,) = (part for part in better.basis.parts if isinstance(part, SourceBasis))  # type: ignore[attr-defined]
    for corner in ((1.0, 0.0), (1.0, 1.0)):
        assert np.linalg.norm(sources.points - np.array(corner), axis=1).min() < 1e-3


def test_where_values_give_way_to_slopes_sources_crowd() -> None:
    problem = stated(DISK, 0.0, fs.Dirichlet(X, on=Y >= 0), fs.Neumann(0, on=Y < 0))
    done = solved(problem)
    sources = source_columns(problem, done.basis, done.coefficients, tol=1e-4, most=1500, threads=1)
    assert sources is not None
    for place in ((1.0, 0.0), (-1.0, 0.0)):
        assert np.linalg.norm(sources.points - np.array(place), axis=1).min() < 1e-6


def test_sources_are_outside_and_satisfy_the_equation() -> None:
    problem = stated(PANDA, 100.0, fs.Dirichlet(field(100.0, NOTCH)))
    plain = solved(problem)
    sources = source_columns(problem, plain.basis, plain.coefficients, tol=1e-8, most=1500, threads=1)
    assert sources is not None
    assert satisfies(problem, sources)
    assert not PANDA.contains(sources.points).any()
    outline = PANDA.boundary()[0].place(np.linspace(0, 1, 5000)[:, None]).points
    distances = np.linalg.norm(sources.points[:, None] - outline, axis=2).min(axis=1)
    np.testing.assert_allclose(sources.clearances, distances, rtol=0.05)


def test_fewer_sources_are_for_fewer_digits() -> None:
    problem = stated(DISK, 0.0, fs.Dirichlet(field(0.0, (1.01, 0.0))))
    plain = solved(problem)
    few = source_columns(problem, plain.basis, plain.coefficients, tol=1e-8, most=110, threads=1)
    assert few is not None
    assert few.size <= 110


WAVE = sp.Eq(U.diff(Y, 2), U.diff(X, 2))
SPACE = sp.Function("v")(X, Y, sp.Symbol("z"))


@pytest.mark.parametrize(
    "problem",
    [
        stated(DISK, 0.0, fs.Dirichlet(X)),
        fs.Problem(sp.Eq(U.diff(X, 2) + 2 * U.diff(Y, 2), 0), DISK, [fs.Dirichlet(X)]),
        fs.Problem(sp.Eq(U.diff(X, 2) + U.diff(Y, 2) + X * U, 0), DISK, [fs.Dirichlet(X)]),
        fs.Problem(WAVE, fs.Interval(0, 1) * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(X), fs.Initial(0, 1)]),
        fs.Problem(sp.Eq(sum(SPACE.diff(s, 2) for s in SPACE.args), 0), fs.Ball((0, 0, 0), 1), [fs.Dirichlet(X)]),
    ],
    ids=["smooth", "anisotropic", "variable", "in time", "in space"],
)
def test_none_where_there_is_nothing_to_place(problem: fs.Problem) -> None:
    basis = fs.Siren(20, mu=(1, 3)).draw(problem.dimension, np.random.default_rng(0))
    assert source_columns(problem, basis, np.ones(20), tol=1e-8, most=1500, threads=1) is None


def test_none_for_data_that_are_noise() -> None:
    problem = stated(DISK, 0.0, fs.Dirichlet(lambda p: np.sin(1e7 * p[:, 0])))
    basis = fs.Siren(20, mu=(1, 3)).draw(2, np.random.default_rng(0))
    assert source_columns(problem, basis, np.ones(20), tol=1e-8, most=1500, threads=1) is None


@pytest.mark.parametrize("distance", [0.3, 0.03, 0.003])
def test_panels_are_as_long_as_a_singularity_is_far(distance: float) -> None:
    problem = stated(DISK, 0.0, fs.Dirichlet(0))
    exact = field(0.0, (1 + distance, 0.0))
    nowhere = SourceCorners(np.empty((0, 2)), np.empty(0))
    limits = Limits(longest=1.0, shortest=1e-9, closest=1e-9, wavenumber=0.0, most=500)
    panels = resolve(problem.constraints[0], lambda s: exact(s.points)[None] / 1e-11, nowhere, limits)
    assert panels is not None
    assert 0.2 * distance < panels.lengths.min() < distance
    assert panels.lengths.sum() == pytest.approx(2 * np.pi)
    middles = panels.along(1).points
    far = np.linalg.norm(middles - np.array((1 + distance, 0.0)), axis=1)
    assert np.all(panels.lengths <= 2 * far)
