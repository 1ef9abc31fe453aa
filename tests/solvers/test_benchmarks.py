"""The seven benchmarks at default settings: the true error, the verdict, and the estimate between the two."""

from __future__ import annotations

import pytest

import fspielm as fs
from fspielm.paper.cases import Case
from fspielm.paper.cases.catalogue import helmholtz_panda

FAST = ("poisson-1d", "heat", "helmholtz-panda")


def check(case: Case) -> fs.Solution:
    solution = fs.solve(case.problem, rng=0)
    error = case.space_time_error(solution)
    assert solution.converged, solution.report.reason
    assert error <= 1e-8
    assert error <= solution.error_estimate <= 1000 * max(error, 1e-13)
    return solution


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in FAST else pytest.mark.slow) for name in fs.cases.names()]
)
def test_benchmark(name: str) -> None:
    case = fs.cases.load(name)
    solution = check(case)
    # by its own metric better than the paper's best, which was tuned with the exact solution
    assert case.relative_error(solution) < min(result.best for result in case.paper.results.values())


@pytest.mark.slow
def test_a_larger_panda() -> None:
    check(helmholtz_panda(0.45))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["poisson-1d", "heat", "helmholtz-panda"])
def test_best_effort(name: str) -> None:
    """Median of three seeds with a tolerance that double precision hardly meets."""
    case = fs.cases.load(name)
    errors = sorted(case.space_time_error(fs.solve(case.problem, tol=1e-12, rng=seed)) for seed in range(3))
    assert errors[1] <= 1e-11
