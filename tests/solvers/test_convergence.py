"""More neurons give smaller errors, on a solution that no feature and no product of features equals."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import Family

x, y = sp.symbols("x y")
K = 10
EXACT = sp.exp(x) * sp.sin(K * (x + y**2 / 2))


@pytest.fixture(scope="module")
def problem() -> fs.Problem:
    u = sp.Function("u")(x, y)

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(x, 2) + v.diff(y, 2) + v * K**2 / 4

    return fs.Problem(sp.Eq(operator(u), operator(EXACT)), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(EXACT)])


def error(problem: fs.Problem, features: Family, rng: int, **settings: object) -> float:
    solution = fs.solve(problem, features=features, rng=rng, **settings)  # type: ignore[arg-type]
    points = np.random.default_rng(1).random((2000, 2))
    exact = sp.lambdify((x, y), EXACT)(*points.T)
    return float(np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact))


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
@pytest.mark.parametrize("groups", [None, pytest.param(8, marks=pytest.mark.slow)])
def test_error_falls_faster_than_any_power(problem: fs.Problem, groups: int | None) -> None:
    sizes = np.array([100, 200, 400, 800])
    errors = np.array(
        [
            np.median([error(problem, fs.FrequencyShift(int(m), (0, 30), groups), seed) for seed in (0, 1, 2)])
            for m in sizes
        ]
    )
    rates = -np.diff(np.log(errors)) / np.diff(np.log(sizes))
    assert np.all(rates[:2] > 6)  # spectral: far beyond any fixed order
    assert errors[0] > 1e-3
    assert errors[-1] < 1e-11


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
@pytest.mark.parametrize("family", [fs.Siren, fs.GFF])
def test_scaled_features_converge_too(problem: fs.Problem, family: type[fs.GFF]) -> None:
    coarse, fine = (error(problem, family(m, mu=(1, 15)), 0) for m in (100, 400))
    assert coarse > 1e-2
    assert fine < 1e-5


def test_truncation_costs_accuracy(problem: fs.Problem) -> None:
    features = fs.FrequencyShift(600, (0, 30))
    exact = error(problem, features, 0, least_squares=fs.QR())
    truncated = error(problem, features, 0, least_squares=fs.TruncatedSVD(1e-8))
    assert truncated > 20 * exact


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_scaling_rows_helps_the_boundary(problem: fs.Problem) -> None:
    # interior rows carry |w|^2: unscaled, they drown the boundary's
    features = fs.FrequencyShift(200, (0, 30))
    plain, scaled = (
        np.median([error(problem, features, seed, scaling=scaling) for seed in range(3)]) for scaling in ("none", "rms")
    )
    assert scaled < 2 * plain


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_evenly_spread_points_serve_as_well(problem: fs.Problem) -> None:
    points = fs.Points(640, boundary_total=128, sampling="low-discrepancy")
    assert error(problem, fs.FrequencyShift(400, (0, 30)), 0, points=points) < 1e-6
