"""The random problems made for patches: their solutions are exact, also where materials meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.expr import make_field
from fspielm.geometry import Sites

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks come with the repository, not with the package"
)

# Beside a border, in halves of the domain's extent.
ASIDE = 1e-10
# Problems of every kind whose expressions are short.
FAST = (17, 18, 19, 33, 44, 51, 53, 67, 68, 97, 106)


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
    # what is said of interfaces is for functions that are smooth across them; `continues` looks at these
    constraints = [constraint for constraint in problem.constraints if constraint.region.kind != "interface"]
    for constraint in constraints if stated.exact else ():
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


def check_named(name: str) -> None:
    from patch_problems import PATCH_PROBLEMS

    stated = PATCH_PROBLEMS[name][1]().stated
    if stated.exact:
        satisfies_equations(stated)
        continues(stated)
    satisfies_conditions(stated)


def check(seed: int) -> None:
    from random_families.patches import state_patches

    stated = state_patches(seed)
    satisfies_equations(stated)
    continues(stated)
    satisfies_conditions(stated)


@pytest.mark.parametrize("seed", FAST)
def test_the_solution_satisfies_equations_and_conditions(seed: int) -> None:
    check(seed)


@pytest.mark.slow
def test_so_do_those_of_all_other_seeds() -> None:
    for seed in set(range(200)) - set(FAST):
        check(seed)


@pytest.mark.parametrize("name", ["straight border", "layer along a side", "moving source"])
def test_so_do_those_of_named_problems(name: str) -> None:
    check_named(name)


@pytest.mark.slow
def test_so_do_those_of_all_other_named_problems() -> None:
    from patch_problems import PATCH_PROBLEMS

    for name in PATCH_PROBLEMS:
        check_named(name)


def test_the_clamped_plate_is_the_known_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from patch_problems import plate

    points = np.array([[0.5, 0.5], [0.2, 0.7], [0.05, 0.05]])
    fine = plate.clamped_plate(points)
    assert fine[0] == pytest.approx(1.26532e-3, rel=1e-5)  # Timoshenko's table: 0.00126
    monkeypatch.setattr(plate, "FUNCTIONS", 24)
    np.testing.assert_allclose(plate.clamped_plate(points), fine, rtol=0, atol=1e-10 * fine[0])


def test_errors_are_told_by_values_by_numbers_and_by_elements() -> None:
    from patch_problems import PATCH_PROBLEMS
    from patch_problems.example import references

    def answer(points: Any) -> Any:
        return np.full(len(points), 1.0267919261073 * (1 + 1e-6))

    made = PATCH_PROBLEMS["L-shape, x^2"][1]()
    assert made.error(answer, "L-shape, x^2") == pytest.approx(1e-6, rel=1e-3)
    made = PATCH_PROBLEMS["gaussian, 1/100"][1]()
    assert made.error(made.values, "gaussian, 1/100") == 0
    made = PATCH_PROBLEMS["ten holes, elastic"][1]()
    points, known = references("ten holes, elastic")
    assert made.stated.domain.contains(points).all()
    assert known.shape == (60, 2)
    assert made.error(lambda _: known * (1 + 1e-6), "ten holes, elastic") == pytest.approx(1e-6)


def test_a_row_takes_the_place_of_an_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from patch_problems import PATCH_PROBLEMS, table

    monkeypatch.setattr(table, "TABLE", tmp_path / "patches.csv")
    row = dict.fromkeys(table.HEAD, "") | {"name": "lens, 10", "tol": "1e-09", "error": "2e-9", "peer_order": "12"}
    table.keep(row)
    table.keep(row | {"error": "3e-9", "peer_order": ""})
    assert [(kept["error"], kept["peer_order"]) for kept in table.rows()] == [("3e-9", "12")]
    assert f"| lens, 10 | {PATCH_PROBLEMS['lens, 10'][0]} | 1e-09 | 3e-9 |" in table.report()
