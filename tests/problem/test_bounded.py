"""Statements with awkward coefficients are read without anything that may take for ever."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import UnsuitableError
from fspielm.geometry import Sites
from fspielm.problem import constant_operator

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
HALF = sp.Rational(1, 2)
SQUARE = fs.Box((0, 0), (1, 1))
LAPLACE = u.diff(x, 2) + u.diff(y, 2)

TANHS = sp.Add(
    6,
    *(
        sp.tanh(slope * (along - sp.Rational(1, n)))
        for n, (slope, along) in enumerate([(100, x), (200, y), (150, x + y), (70, x - y), (500, x * y)], 2)
    ),
)
GAUSSIANS = sp.Add(
    *(
        sp.exp(-((x - a) ** 2 + (y - b) ** 2) / s**2)
        for a, b, s in [(0.3, 0.2, 0.02), (0.6, 0.5, 0.01), (0.2, 0.8, 0.025)]
    ),
    sp.exp(-2500 * ((x - HALF) ** 2 + y**2)),
)
NESTED = sp.sqrt(1 + sp.sqrt(1 + sp.sqrt(x**2 + y**2 + 1)))
STEEP = sp.tanh(10**6 * (x - HALF))
COEFFICIENTS = {
    "tanh": TANHS,
    "gaussians": GAUSSIANS,
    "radicals": NESTED,
    "steep": 1 + STEEP,
    "steep float": 1 + sp.tanh(1e4 * (x - HALF)),
    "products": TANHS * (1 + GAUSSIANS) * NESTED,
    "quotient": TANHS / (1 + GAUSSIANS),
    "piecewise": sp.Piecewise((TANHS + (x - HALF) ** 3 * NESTED, x < HALF), (TANHS, True)),
    "in a circle": sp.Piecewise((1 + TANHS * (x**2 + y**2 - HALF) ** 3, x**2 + y**2 < HALF), (1, True)),
    "special functions": 3 + sp.besselj(0, 5 * x) + sp.erf(30 * y - 10) + sp.besselj(2, x * y),
}
UNBOUNDED = [
    "simplify",
    "solve",
    "solveset",
    "factor",
    "cancel",
    "together",
    "trigsimp",
    "radsimp",
    "limit",
    "integrate",
]


def diffusion(a: sp.Expr) -> sp.Expr:
    return (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)


@pytest.fixture
def nothing_unbounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever of SymPy may take for ever on what a user writes."""

    def refused(*arguments: Any, **options: Any) -> None:
        raise AssertionError("SymPy was asked for something that may take for ever")

    for name in UNBOUNDED:
        monkeypatch.setattr(sp, name, refused)
        if hasattr(sp.Expr, name):
            monkeypatch.setattr(sp.Expr, name, refused)


@pytest.mark.usefixtures("nothing_unbounded")
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_coefficients_under_a_divergence(name: str) -> None:
    a = COEFFICIENTS[name]
    problem = fs.Problem(sp.Eq(diffusion(a), 1, evaluate=False), SQUARE, [fs.Dirichlet(0)])
    assert {term.orders for term in problem.operator.terms} >= {(2, 0), (0, 2), (1, 0)}
    points = np.random.default_rng(0).random((7, 2))
    values = {term.orders: term.at(Sites(points)) for term in problem.operator.terms}
    for place, *got in zip(points, values[2, 0], values[1, 0], strict=True):
        at = dict(zip((x, y), map(sp.Float, place), strict=True))
        for expression, value in zip((a, a.diff(x)), got, strict=True):
            exact = expression.subs(at).evalf(30)
            # the derivative of a tanh is 1 - tanh^2, whose rounding is of the slope's size
            assert value == pytest.approx(float(exact), rel=1e-9, abs=1e-9)
    with pytest.raises(UnsuitableError, match="must be constant"):
        constant_operator(problem.operator)


@pytest.mark.usefixtures("nothing_unbounded")
@pytest.mark.parametrize("name", ["tanh", "piecewise", "special functions"])
def test_they_can_be_solved_with(name: str) -> None:
    problem = fs.Problem(diffusion(COEFFICIENTS[name]), SQUARE, [fs.Dirichlet(x)])
    with pytest.warns(fs.AccuracyWarning):
        solution = fs.solve(problem, budget=fs.Budget(neurons=100, seconds=5), rng=0)
    assert np.isfinite(solution([[0.5, 0.5]])).all()


def test_a_coefficient_that_is_zero_to_every_double_but_in_a_layer_stays() -> None:
    problem = fs.Problem(LAPLACE + (1 - STEEP**2) * u, SQUARE, [fs.Dirichlet(0)])
    reaction = next(term for term in problem.operator.terms if term.orders == (0, 0))
    assert reaction.at(Sites(np.array([[0.1, 0.5], [0.5, 0.5]]))) == pytest.approx([0, 1])


class TestProductsOfTheUnknown:
    @pytest.mark.parametrize(
        ("form", "expected"),
        [
            (sp.sin(u) ** 2 + sp.cos(u) ** 2 + u, {(0, 0): 1.0}),
            (sp.cosh(u.diff(x)) ** 2 - sp.sinh(u.diff(x)) ** 2, {}),
            (sp.exp(u) * sp.exp(x - u + 1) - sp.exp(x) * sp.E + 2 * u, {(0, 0): 2.0}),
            # too many products to write out
            ((u + x + y + 2) ** 500 - (2 + u + x + y) ** 499 * (u + x + y + 2) + 3 * u, {(0, 0): 3.0}),
        ],
        ids=str,
    )
    def test_what_cancels_is_not_refused(self, form: sp.Expr, expected: dict[tuple[int, int], float]) -> None:
        operator = fs.Problem(LAPLACE + form, SQUARE, [fs.Dirichlet(0)]).operator
        assert {t.orders: t.coefficient for t in operator.terms} == {(0, 2): 1.0, (2, 0): 1.0} | expected

    def test_a_sum_that_is_linear_where_it_is_defined(self) -> None:
        terms = ((u + x + y + 2) ** 300 * u + (u + x + y + 2) ** 301) / (u + x + y + 2) ** 300
        problem = fs.Problem(LAPLACE + sp.Add(terms), SQUARE, [fs.Dirichlet(0)])
        points = np.random.default_rng(0).random((5, 2))
        np.testing.assert_allclose(problem.right_hand_side(points), -2 - points.sum(axis=1), rtol=1e-12)
        (reaction,) = (term for term in problem.operator.terms if term.orders == (0, 0))
        np.testing.assert_allclose(reaction.at(Sites(points)), 2.0, rtol=1e-12)

    @pytest.mark.parametrize(
        "term", [(u + x + y + 2) ** 500, sp.sin(u) ** 2 - sp.cos(u) ** 2, (u + TANHS) ** 40 * (u + GAUSSIANS) ** 40]
    )
    def test_what_does_not_is_named(self, term: sp.Expr) -> None:
        first = str(sp.Add.make_args(term)[0])
        problem = fs.Problem(LAPLACE + term, SQUARE, [fs.Dirichlet(0)])
        assert problem.nonlinear is not None
        assert f"not linear: the term {first} is not" in problem.nonlinear.reason


def test_a_right_hand_side_that_cancels_is_zero() -> None:
    rest = (x + y + 1) ** 300 * (x - 1) - x * (x + y + 1) ** 300 + (1 + y + x) ** 300
    problem = fs.Problem(sp.Eq(LAPLACE, rest, evaluate=False), SQUARE, [fs.Dirichlet(x)])
    assert problem.right_hand_side.constant == 0.0


@pytest.mark.parametrize("factor", [TANHS, 2 + STEEP, NESTED * TANHS])
@pytest.mark.parametrize("ratio", [sp.Rational(1, 3), sp.pi, sp.Float(0.1), sp.Integer(-7)])
def test_a_common_factor_of_any_kind_is_divided_out(factor: sp.Expr, ratio: sp.Expr) -> None:
    other = sp.Add(*(ratio * term for term in sp.Add.make_args(factor)))
    problem = fs.Problem(factor * u.diff(x, 2) + other * u.diff(y, 2), SQUARE, [fs.Dirichlet(0)])
    found = constant_operator(problem.operator)
    got = {term.orders: term.coefficient for term in found.operator.terms}
    assert got[0, 2] == 1.0
    assert got[2, 0] == float(1 / ratio)


@pytest.mark.parametrize(
    "term",
    [
        sp.sqrt(u**2 + 2 * u + 1),
        sp.sqrt(u**2 + 2 * u * x + x**2),
        (u**4 + 4 * u**3 + 6 * u**2 + 4 * u + 1) ** sp.Rational(1, 4),
        u * sp.sqrt(1 - sp.sin(u) ** 2) / sp.cos(u),
    ],
)
def test_the_root_of_a_square_is_not_linear(term: sp.Expr) -> None:
    assert not fs.Problem(u.diff(x, 2) + u.diff(y, 2) + term, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)]).is_linear
