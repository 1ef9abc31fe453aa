"""The problem as a value: what it holds, how it prints, what it leaves alone."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, along_normal, derivative, identity

x, y, z, t = sp.symbols("x y z t")
U = sp.Function("u")
u = U(x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))


def test_a_problem_holds_its_statement() -> None:
    conditions = [fs.Dirichlet(0)]
    problem = fs.Problem(equation=LAPLACE, domain=SQUARE, conditions=conditions, given=None)
    conditions.clear()
    assert problem.equation == LAPLACE
    assert problem.domain is SQUARE
    assert problem.conditions == (fs.Dirichlet(0),)
    assert problem.unknown == u
    assert problem.coordinates == (x, y)
    assert problem.dimension == 2
    assert problem.right_hand_side.constant == 0.0
    assert problem.operator.is_constant


@pytest.mark.parametrize(
    "attribute", ["equation", "domain", "conditions", "operator", "right_hand_side", "constraints", "new"]
)
def test_a_problem_does_not_change(attribute: str) -> None:
    problem = fs.Problem(LAPLACE, SQUARE, [fs.Dirichlet(0)])
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(problem, attribute, None)
    for part in (
        problem.operator,
        problem.operator.terms[0],
        problem.constraints[0],
        problem.right_hand_side,
    ):
        name = dataclasses.fields(part)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, name, None)


def test_a_problem_prints_as_it_was_stated() -> None:
    problem = fs.Problem(
        sp.Eq(LAPLACE, x),
        SQUARE,
        [
            fs.Dirichlet(0),
        ],
    )
    text = repr(problem)
    assert text.startswith("Problem(Eq(Derivative(u(x, y), (x, 2)) + Derivative(u(x, y), (y, 2)), x), domain=Box(")
    assert "Dirichlet(value=0" in text
    long = fs.Problem(sp.Eq(LAPLACE, sum(sp.sin(n * x) for n in range(1, 60))), SQUARE, [fs.Dirichlet(0)])
    assert len(repr(long)) < 400


@pytest.mark.parametrize(
    ("incident", "shown"),
    [
        (fs.plane_wave(3, (0, 2)), "plane_wave(3, (0.0, 1.0))"),
        (fs.point_source(3.0, (4, 0)), "point_source(3.0, (4.0, 0.0))"),
        (fs.beam(3, (1, 0), (0, 0), 2), "beam(3, (1.0, 0.0), (0.0, 0.0), 2.0)"),
        (sp.exp(3 * sp.I * x), "exp(3*I*x)"),
        ({u: sp.exp(3 * sp.I * x)}, "{u(x, y): exp(3*I*x)}"),
    ],
)
def test_a_problem_prints_what_comes_in(incident: Any, shown: str) -> None:
    problem = fs.Problem(LAPLACE + 9 * u, fs.Exterior(fs.Disk((0, 0), 1)), [fs.Dirichlet(0)], incident=incident)
    assert repr(problem).endswith(f", incident={shown})")


def test_problems_are_compared_by_identity() -> None:
    first, second = (fs.Problem(LAPLACE, SQUARE, [fs.Dirichlet(0)]) for _ in range(2))
    assert first == first
    assert first != second
    assert len({first, second}) == 2


def test_the_same_statement_gives_the_same_terms() -> None:
    def terms() -> Any:
        problem = fs.Problem(3 * LAPLACE + u.diff(x, y) - u + u.diff(x), SQUARE, [fs.Dirichlet(0)])
        return problem.operator.terms

    assert terms() == terms()


@pytest.mark.parametrize("domain", [None, "square", (0, 1), fs.Time, fs.Box, 1.0, sp.Interval(0, 1)])
def test_a_domain_is_a_shape(domain: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"^domain.*a shape.*fs\.Box"):
        fs.Problem(LAPLACE, domain, [fs.Dirichlet(0)])


@pytest.mark.parametrize(
    ("unknown", "domain", "message"),
    [
        (U(x), SQUARE, r"u\(x\) has 1 coord.*Box.*has 2;"),
        (U(x, y, z), fs.Interval(0, 1), r"3 coordinates, .*\(0\.0, 1\.0\) has 1"),
        (U(x, t), fs.Interval(0, 1), r"2 coordinates, .* has 1.*fs\.Time"),
        (U(x), fs.Interval(0, 1) * fs.Time(0, 1), r"1 coordinate, .* has 2, time"),
        (U(t, x), fs.Interval(0, 1) * fs.Time(0, 1), r"last.*time.*u\(t, x\).*move t"),
    ],
    ids=str,
)
def test_coordinates_match_the_domain(unknown: Any, domain: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.Problem(unknown.diff(x, 2), domain, [fs.Dirichlet(0)])


def test_two_coordinates_of_one_name_are_refused() -> None:
    other = sp.Symbol("x", real=True)
    with pytest.raises(fs.ProblemError, match="different names"):
        fs.Problem(U(x, other).diff(x, 2) + U(x, other).diff(other, 2), SQUARE, [fs.Dirichlet(0)])


def test_time_may_have_any_name_and_parts_are_lateral() -> None:
    tau = sp.Symbol("tau")
    v = U(x, y, tau)
    problem = fs.Problem(
        v.diff(tau) - v.diff(x, 2) - v.diff(y, 2),
        SQUARE * fs.Time(1, 3),
        [fs.Dirichlet(x * tau), fs.Initial(x + tau)],
    )
    assert [c.name for c in problem.constraints] == [
        *(f"dirichlet {p}" for p in ("x-", "x+", "y-", "y+")),
        "initial",
    ]
    assert [c.measure for c in problem.constraints] == [2, 2, 2, 2, 1]
    rng = np.random.default_rng(0)
    start = problem.constraints[-1].sample(20, rng)
    assert np.all(start.points[:, 2] == 1)
    np.testing.assert_array_equal(problem.constraints[-1].value(start.points), start.points[:, 0] + 1)
    lateral = problem.constraints[1].sample(20, rng).points
    assert np.all(lateral[:, 0] == 1)
    assert 1 <= lateral[:, 2].min() < lateral[:, 2].max() <= 3


def test_measures_are_those_of_the_parts() -> None:
    problem = fs.Problem(
        U(x, y, z).diff(x, 2) + U(x, y, z).diff(y, 2) + U(x, y, z).diff(z, 2),
        fs.Box((0, 0, 0), (1, 2, 3)),
        [fs.Dirichlet(0, on=y < 1), fs.Dirichlet(1, on=y >= 1)],
    )
    got = {c.name: c.measure for c in problem.constraints}
    expected = {"x-": 6, "x+": 6, "y-": 3, "y+": 3, "z-": 2, "z+": 2}
    for name, measure in expected.items():
        pieces = [m for n, m in got.items() if n.split()[1] == name]
        assert sum(pieces) == pytest.approx(measure, rel=1e-12)
        assert pieces == pytest.approx([measure / len(pieces)] * len(pieces), rel=0.01)


def test_stating_a_problem_changes_no_global_state() -> None:
    def snapshot() -> Any:
        state = np.random.get_state(legacy=False)  # noqa: NPY002 (it is this that must not change)
        return (
            str(state),
            np.geterr(),
            np.get_printoptions(),
            mpmath.mp.prec,
            list(warnings.filters),
            sp.Symbol("x").assumptions0,
        )

    before = snapshot()
    problem = fs.Problem(
        LAPLACE + sp.polylog(2, x) * u - 1 / x,
        SQUARE,
        [fs.Dirichlet(0, on=x < 0.5), fs.Neumann(1, on=x >= 0.5)],
    )
    problem.right_hand_side(np.zeros((2, 2)))
    problem.operator.terms[0].at(Sites(np.full((2, 2), 0.5)))
    for constraint in problem.constraints:
        constraint.sample(3, np.random.default_rng(0))
    assert snapshot() == before


class TestOperators:
    def test_order(self) -> None:
        operator = Operator(2, (Term(1.0, (2, 1)), Term(2.0, (0, 2))))
        assert operator.order == 3
        assert operator.order_along(range(1)) == 2
        assert operator.order_along(range(1, 2)) == 2
        assert operator.is_constant
        assert Operator(2, ()).order == 0

    def test_values(self) -> None:
        sites = Sites(np.zeros((3, 2)), np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]))
        np.testing.assert_array_equal(Term(2.5, (0, 0)).at(sites), [2.5] * 3)
        assert identity(3) == derivative((0, 0, 0))
        normal = along_normal(2)
        assert not normal.is_constant
        np.testing.assert_array_equal(np.column_stack([term.at(sites) for term in normal.terms]), sites.normals)
