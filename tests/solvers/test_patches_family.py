"""The random problems made for patches: their solutions are exact, also where materials meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.expressions import make_field
from fspielm.geometry import Sites

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks come with the repository, not with the package"
)

# Beside a border, in halves of the domain's extent.
ASIDE = 1e-10


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def values(expression: Any, stated: Any, points: Any) -> Any:
    return make_field(sp.sympify(expression), stated.unknowns[0].args)(points)


def put_in(expression: Any, stated: Any) -> Any:
    known = dict(zip(stated.unknowns, stated.exact, strict=True))
    return expression.subs(known).doit()


def satisfies_equations(stated: Any) -> None:
    """Branch by branch, which is how SymPy differentiates what is piecewise."""
    points = stated.domain.sample(30, np.random.default_rng(0))
    for equation in stated.equations:
        terms = [put_in(term, stated) for term in sp.Add.make_args(equation.lhs)]
        size = max(np.abs(values(term, stated, points)).max() for term in terms)
        left = sum(values(term, stated, points) for term in terms)
        difference = left - values(equation.rhs, stated, points)
        assert np.abs(difference).max() <= 1e-10 * max(size, 1e-300), stated.name


def continues(stated: Any) -> None:
    """Value and flux on either side of each border."""
    x, space = stated.unknowns[0].args, stated.domain.dimension - (stated.domain.time is not None)
    exact = stated.exact[0]
    lower, upper = stated.domain.bounding_box
    aside = ASIDE * 0.5 * float((upper - lower)[:space].max())
    for border in stated.borders:
        slopes = [border.diff(v) for v in x[:space]]
        points = stated.domain.sample(400, np.random.default_rng(0))
        for _ in range(60):  # Newton's steps
            normal = np.stack([values(s, stated, points) for s in slopes], axis=1)
            step = values(border, stated, points) / np.sum(normal**2, axis=1)
            points[:, :space] -= step[:, None] * normal
        points = points[stated.domain.contains(points)]
        assert len(points), stated.name
        normal = np.stack([values(s, stated, points) for s in slopes], axis=1)
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, rtol=1e-9)
        sides = []
        for sign in (-1, 1):
            at = points.copy()
            at[:, :space] += sign * aside * normal
            flux = sum(values(exact.diff(v), stated, at) * normal[:, i] for i, v in enumerate(x[:space]))
            sides.append((values(exact, stated, at), values(stated.material, stated, at) * flux))
        for one, other in zip(*sides, strict=True):
            assert np.abs(one - other).max() <= 1e-5 * max(np.abs(one).max(), np.abs(other).max(), 1e-300), stated.name


def satisfies_conditions(stated: Any) -> bool:
    """Whether the problem is accepted; if so, its conditions hold."""
    try:
        problem = stated.problem()
    except fs.ProblemError:
        assert stated.borders  # only materials may be unknown to a version
        return False
    rng = np.random.default_rng(0)
    for constraint in problem.constraints:
        sites: Sites = constraint.sample(20, rng, "uniform")
        total, size = 0.0, 1e-300
        for term in constraint.operator.terms:
            derivative = stated.exact[term.unknown]
            for symbol, order in zip(problem.coordinates, term.orders, strict=True):
                derivative = derivative.diff(symbol, order) if order else derivative
            image = term.at(sites) * values(derivative, stated, sites.points)
            total, size = total + image, size + np.abs(image).max()
        value = constraint.value
        known = value(sites.points, sites.normals) if value.needs_normals else value(sites.points)
        assert np.abs(total - known).max() <= 1e-9 * size, stated.name
    return True


def check(seed: int) -> None:
    from random_families.patches import state_patches

    stated = state_patches(seed)
    satisfies_equations(stated)
    continues(stated)
    satisfies_conditions(stated)


@pytest.mark.parametrize("seed", range(20))
def test_the_solution_satisfies_equations_and_conditions(seed: int) -> None:
    check(seed)


@pytest.mark.slow
def test_so_do_those_of_all_other_seeds() -> None:
    for seed in range(20, 200):
        check(seed)
