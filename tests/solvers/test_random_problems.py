"""Some of the random problems of the benchmarks: made right, and never called converged when they are not."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.expr import make_field
from fspielm.geometry import Sites

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks come with the repository, not with the package"
)


def made(seed: int, family: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from random_families import make_problem

    return make_problem(seed, family)


def image(operator: Any, exact: Any, coordinates: Any, sites: Sites) -> tuple[Any, Any]:
    """What an operator makes of the exact solution, and the size of its terms."""
    terms = []
    for term in operator.terms:
        derivative = exact[term.unknown] if isinstance(exact, tuple) else exact
        for symbol, order in zip(coordinates, term.orders, strict=True):
            derivative = derivative.diff(symbol, order) if order else derivative
        terms.append(term.at(sites) * make_field(derivative, coordinates)(sites.points))
    return np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0).max()


@pytest.mark.parametrize(
    ("family", "seed"),
    [
        *(("stages", seed) for seed in (5, 7, 11, 21)),
        *(pytest.param("stages", seed, marks=pytest.mark.slow) for seed in (2, 6, 8, 12, 31)),
        ("test", 1),
        ("systems", 17),
        *(pytest.param("systems", seed, marks=pytest.mark.slow) for seed in (3, 6, 7, 11, 15, 24, 30, 36)),
        ("complex", 4),
        *(pytest.param("complex", seed, marks=pytest.mark.slow) for seed in (1, 2, 7, 13)),
    ],
)
def test_the_solution_satisfies_equation_and_conditions(
    family: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = made(seed, family, monkeypatch)
    problem, rng = random.problem, np.random.default_rng(0)
    sites = Sites(problem.domain.sample(20, rng))
    for equation in problem.equations:
        found, size = image(equation.operator, random.exact, problem.coordinates, sites)
        np.testing.assert_allclose(found, equation.value(sites.points), rtol=0, atol=1e-12 * size)
    for constraint in problem.constraints:
        sites = constraint.sample(20, rng, "uniform")
        found, size = image(constraint.operator, random.exact, problem.coordinates, sites)
        np.testing.assert_allclose(found, constraint.value(sites.points), rtol=0, atol=1e-10 * size)


@pytest.mark.parametrize(
    ("family", "seed"),
    [
        *(("stages", seed) for seed in (5, 7, 12, 31)),
        *(pytest.param("stages", seed, marks=pytest.mark.slow) for seed in (6, 8, 21)),
        ("systems", 5),
        ("complex", 9),
        *(pytest.param("systems", seed, marks=pytest.mark.slow) for seed in (0, 3, 7, 9, 11)),
        *(pytest.param("complex", seed, marks=pytest.mark.slow) for seed in (2, 6, 8)),
    ],
)
def test_a_yes_is_never_wrong(family: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = made(seed, family, monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        solution = fs.solve(random.problem, tol=random.tol, budget=fs.Budget(neurons=500), rng=0)
    error = random.true_error(solution)
    assert error <= max(solution.error_estimate, 1e-13)
    assert error <= random.tol or not solution.converged
