"""The benchmarks solved: cheap ones always, the paper's whole table on request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.paper.cases import METHODS


@pytest.mark.parametrize("seed", range(3))
def test_poisson_at_the_papers_setting(seed: int) -> None:
    case = fs.cases.load("poisson-1d")
    solution = fs.solve(case.problem, **case.paper.settings("fs-l"), rng=seed)
    assert case.relative_error(solution) < 1e-9
    assert solution.report.rows == 402


def test_tanh_fails_on_poisson_as_in_the_paper() -> None:
    case = fs.cases.load("poisson-1d")
    errors = [case.relative_error(fs.solve(case.problem, **case.paper.settings("tanh"), rng=s)) for s in range(3)]
    assert min(errors) > 1e-2


def test_shifting_beats_scaling_on_poisson() -> None:
    case = fs.cases.load("poisson-1d")
    error = {
        method: np.median(
            [case.relative_error(fs.solve(case.problem, **case.paper.settings(method), rng=s)) for s in range(3)]
        )
        for method in ("gff", "fs-l", "fs-g")
    }
    assert error["fs-l"] < error["fs-g"] < error["gff"]


def test_heat_with_the_shift_in_space_alone() -> None:
    case = fs.cases.load("heat")
    features = replace(case.paper.features("fs-l"), shift="space")  # type: ignore[type-var, call-arg]
    # a third of the paper's points: the same error, in a third of the time
    points = fs.Points(interior=2600, boundary=130, initial=330)
    settings: dict[str, Any] = {"features": features, "points": points, "rng": 0}
    solution = fs.solve(case.problem, **settings, least_squares=fs.QR(), scaling="none")
    assert solution.report.neurons == 1200
    assert case.relative_error(solution) < 1e-9


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_heat_shifted_in_all_directions_is_too_sparse() -> None:
    # as the paper's text has it: far from its printed 2.5e-8
    case = fs.cases.load("heat")
    points = fs.Points(interior=1000, boundary=60, initial=150)
    features = case.paper.features("fs-l", neurons=600)
    assert case.relative_error(fs.solve(case.problem, features=features, points=points, rng=0)) > 1e-3


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_a_small_panda() -> None:
    case = fs.cases.load("helmholtz-panda")
    solution = fs.solve(case.problem, features=fs.FrequencyShift(500, mu=(0, 105)), rng=0)
    assert case.relative_error(solution) < 1e-2


# Heat and the panda are left out: the paper's text about them is incomplete.
REPRODUCED = ["helmholtz-2d", "wave-1d", "poisson-1d", "klein-gordon", "advection-diffusion-pacman"]
# Two of the five that `make paper` takes: errors spread over a decade, and the paper prints a mean.
SEEDS = (0, 1)


@pytest.mark.paper
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", REPRODUCED)
def test_reproduces_the_papers_table(name: str, method: str) -> None:
    """The mean is within a factor 10 of the paper's, or better; tanh fails as in the paper."""
    case = fs.cases.load(name)
    settings = case.paper.settings(method)
    errors = [case.relative_error(fs.solve(case.problem, **settings, rng=seed)) for seed in SEEDS]
    if method == "tanh":
        assert min(errors) > 1e-2
    else:
        assert np.mean(errors) < 10 * case.paper.results[method].mean
