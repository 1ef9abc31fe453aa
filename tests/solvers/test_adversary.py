"""The problems of the benchmarks that are made to deceive: their solutions are exact, and are measured where narrow."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.special import erf, exp1, jv

import fspielm as fs

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks come with the repository, not with the package"
)

OLDER = ("inclusions", "sources", "electrodes", "hot spots", "plans", "hidden", "ill-posed", "systems", "complex")
NEWER = ("folds", "jumps", "degenerate", "vanishing", "one-sided", "negative", "varying", "zero data")
FAMILIES = (*OLDER, *NEWER)
OF_MODES = ("drifting",)
COLUMNS = ("family", "seed", "deceptive", "stated", "beyond", "determined", "converged", "tol", "error", "estimate")


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # exp and cosh of large numbers, far away from what is narrow
@pytest.mark.parametrize("deceptive", [True, False])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
@pytest.mark.parametrize("family", [*FAMILIES, *OF_MODES])
def test_solutions_satisfy_equation_and_conditions(family: str, seed: int, deceptive: bool) -> None:
    from adversary_families.checking import check

    finding = check(family, seed, deceptive)
    assert finding.wrong == ()


def test_a_wrong_solution_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from adversary_families import checking

    def spoilt(*task: Any) -> Any:
        challenge = make(*task)
        return replace(challenge, exact=lambda points: challenge.exact(points) + 1e-3 * np.sin(3 * points[:, 0]))

    make = checking.make_challenge
    monkeypatch.setattr(checking, "make_challenge", spoilt)
    assert checking.check("inclusions", 0, True).wrong


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_gives_one_problem_and_its_twin(family: str) -> None:
    from adversary_families import make_challenge

    first, again, twin = (make_challenge(family, 5, deceptive) for deceptive in (True, True, False))
    points, _ = first.check_points(50, 0)
    np.testing.assert_array_equal(first.exact(points), again.exact(points))
    assert first.problem.domain == twin.problem.domain
    assert first.tol == twin.tol
    # some deceive by a condition or a coefficient, and have the solution of their twin
    assert first.kind != twin.kind or np.abs(first.exact(points) - twin.exact(points)).max() > 0


@pytest.mark.parametrize("w", [0.03, 1e-4, 1e-7])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_reference_has_the_closed_form_of_a_gaussian_source(dimension: int, w: float) -> None:
    from adversary_families.along import Line, S, around

    line = Line(sp.Integer(1), sp.Integer(0), sp.exp(-((S / w) ** 2)) / w**dimension, [(0.0, w)])
    r = np.concatenate([w * np.array([0.3, 1.0, 3.0]), np.linspace(0.1, 1, 7)])
    found = around(line, dimension, 0, 1.0)(r)[:, 1]
    s = r / w
    if dimension == 1:
        expected = w * (math.sqrt(math.pi) / 2 * s * erf(s) + (np.exp(-(s**2)) - 1) / 2)
    elif dimension == 2:
        expected = (np.log(s**2) + exp1(s**2) + np.euler_gamma) / 4
    else:
        expected = (0.5 - math.sqrt(math.pi) / 4 * erf(s) / s) / w
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_reference_has_bessel_functions() -> None:
    from adversary_families.along import Line, around

    r = np.linspace(0.05, 2, 20)
    for order in (0, 1, 5):
        found = around(Line(sp.Integer(1), sp.Integer(-25), sp.Integer(0)), 2, order, 2.0)(r)[:, 0]
        expected = math.factorial(order) * (2 / 5) ** order * jv(order, 5 * r) / r**order
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_the_reference_has_the_closed_form_of_a_slab_that_jumps() -> None:
    from adversary_families.along import End, Line, S, between
    from adversary_families.profiles import JUMP

    w, c = 1e-3, 4e5
    line = Line(sp.Integer(1), c * JUMP.of(S, w), sp.Integer(0), [(0.0, w)], [-w, w])
    found, _ = between(line, (End(-1, 1, 0, 1.0), End(1, 1, 0, 1.0)))
    k = math.sqrt(c)
    inside = 1 / (math.cosh(k * w) + k * (1 - w) * math.sinh(k * w))
    x = np.array([-1.0, -0.4, 0.0, 0.5 * w, 0.7])
    outside = inside * (math.cosh(k * w) + k * (np.abs(x) - w) * math.sinh(k * w))
    expected = np.where(np.abs(x) < w, inside * np.cosh(k * x), outside)
    np.testing.assert_allclose(found(x), expected, rtol=1e-11)


@pytest.mark.parametrize("w", [0.02, 1e-6])
def test_weights_integrate_what_is_narrow(w: float) -> None:
    from adversary_families.narrow import Spot, weighted_points

    box, count, rng = fs.Box((0, 0), (1, 2)), 40000, np.random.default_rng(1)

    def mean(spot: Any, square: Any) -> float:
        points, weights = weighted_points(box, [spot], count, rng)
        return float(weights @ np.exp(-square(points) / w**2))

    root = math.sqrt(math.pi)
    line = mean(Spot((0,), (0.3,), w), lambda p: (p[:, 0] - 0.3) ** 2)
    point = mean(Spot((0, 1), (0.3, 1.1), w), lambda p: (p[:, 0] - 0.3) ** 2 + (p[:, 1] - 1.1) ** 2)
    moving = mean(Spot((0,), (0.2,), w, (0.2,)), lambda p: (p[:, 0] - 0.2 - 0.2 * p[:, 1]) ** 2)
    ring = mean(Spot((0, 1), (0.5, 1.0), w, ring=0.3), lambda p: (np.hypot(p[:, 0] - 0.5, p[:, 1] - 1.0) - 0.3) ** 2)
    found = [line / w, point / w**2, moving / w, ring / w]
    np.testing.assert_allclose(found, [root, math.pi / 2, root, root * 0.3 * math.pi], rtol=0.05)


def test_what_counts_as_wrong() -> None:
    from adversary_families.summary import is_below, is_wrong

    def row(**changes: str) -> dict[str, str]:
        right = ("sources", "1", "True", "expression", "False", "True", "True", "1e-6", "1e-8", "1e-7")
        return dict(zip(COLUMNS, right, strict=True)) | changes

    assert not is_wrong(row())
    assert is_wrong(row(error="1e-5"))
    assert is_wrong(row(error="nan"))
    assert is_wrong(row(determined="False"))
    assert not is_wrong(row(determined="False", converged="False"))
    assert is_below(row(error="1e-6"))
    assert not is_below(row(error="1e-6", estimate="inf"))
    assert not is_below(row(error="1e-14", estimate="1e-15"))
