"""Unknowns and the relations between them; what is said of one unknown alone is refused where there are several."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import Component, JoinedBasis
from fspielm.collocation import make_blocks
from fspielm.estimate import find_sensitivity
from fspielm.geometry import Sites
from fspielm.problem import (
    Operator,
    Relation,
    Statement,
    Term,
    Unknown,
    constant_operator,
    identity,
    leaves_constant_open,
)
from fspielm.problem.compiled import Compiled
from fspielm.problem.places import whole_domain
from fspielm.problem.problem import problem_of, problem_with
from fspielm.problem.setting import Setting
from fspielm.problem.substitutions import Substitutions

x, y, t = sp.symbols("x y t")
u, v = (sp.Function(name)(x, y) for name in "uv")
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
RNG = np.random.default_rng


@pytest.fixture
def poisson() -> fs.Problem:
    conditions = [
        fs.Dirichlet(y, on=["x-", "y-"], weight=3),
        fs.Neumann(0, on="rest"),
        fs.Measured([[0.5, 0.5]], [1.0]),
    ]
    return fs.Problem(sp.Eq(LAPLACE, sp.sin(x)), SQUARE, conditions)


@pytest.fixture
def pair(poisson: fs.Problem) -> fs.Problem:
    """Two equations, ``u_xx + u_yy - v = sin(x)`` and ``v + u = 0``, with the conditions for u."""
    first, *others = poisson.relations
    coupled = Operator(2, (*first.operator.terms, Term(-1.0, (0, 0), 1)))
    both = Operator(2, (Term(1.0, (0, 0), 1), Term(1.0, (0, 0))))
    zero = Setting(poisson.unknowns, Substitutions(), SQUARE).field(0, "zero")
    relations = (
        replace(first, name="equation 1", operator=coupled),
        Relation("equation 2", both, zero, whole_domain(SQUARE)),
        *others,
    )
    statement = Statement((sp.Eq(LAPLACE - v, sp.sin(x)), v + u), SQUARE, poisson.conditions)
    return problem_of(Compiled(statement, (*poisson.unknowns, Unknown(v, SQUARE)), relations, Substitutions()))


class TestOne:
    def test_the_unknown(self, poisson: fs.Problem) -> None:
        (unknown,) = poisson.unknowns
        assert unknown.symbol == poisson.unknown == u
        assert unknown.domain is poisson.domain
        assert unknown.coordinates == poisson.coordinates == (x, y)
        assert unknown.dtype == np.float64

    def test_the_equation_is_the_first_relation(self, poisson: fs.Problem) -> None:
        equation, *others = poisson.relations
        assert (equation.name, equation.weight, equation.condition) == ("equation", 1.0, None)
        assert equation.operator is poisson.operator
        assert equation.value is poisson.right_hand_side
        assert tuple(others) == poisson.constraints
        assert [r.weight for r in others] == [3.0, 3.0, 1.0, 1.0, 1.0]
        assert [r.condition for r in others] == [poisson.conditions[i] for i in (0, 0, 1, 1, 2)]
        assert {r.region.kind for r in poisson.relations} == {"domain", "boundary", "inside"}

    @pytest.mark.parametrize("sampling", ["uniform", "low-discrepancy", "clustered"])
    def test_sites_of_the_equation_are_those_of_the_domain(self, poisson: fs.Problem, sampling: str) -> None:
        sites = poisson.relations[0].sample(30, RNG(4), sampling)
        assert sites.normals is None
        np.testing.assert_array_equal(sites.points, SQUARE.sample(30, RNG(4), sampling))

    def test_values_that_are_not_finite_are_named(self) -> None:
        problem = fs.Problem(sp.Eq(LAPLACE, 1 / x), SQUARE, fs.Dirichlet(1 / y))
        sites = Sites(np.zeros((1, 2)), np.ones((1, 2)))
        with pytest.raises(fs.ProblemError, match="right-hand side is inf at x=0, y=0"):
            problem.relations[0].values(sites)
        with pytest.raises(fs.ProblemError, match="'dirichlet x-' is inf at x=0, y=0"):
            problem.relations[1].values(sites)

    def test_other_domains_are_not_measured(self) -> None:
        """Which takes long for some, and nothing asks for."""
        assert whole_domain(fs.Ball((0, 0, 0), 1) - fs.Box((0, 0, 0), (1, 1, 1))).measure is None


class TestSeveral:
    @pytest.mark.parametrize(
        ("attribute", "remedy"),
        [
            ("unknown", "unknowns"),
            ("equation", "statement.equations"),
            ("operator", "relations"),
            ("right_hand_side", "relations"),
        ],
    )
    def test_what_is_said_of_one_is_refused(self, pair: fs.Problem, attribute: str, remedy: str) -> None:
        with pytest.raises(fs.ProblemError, match=rf"problem\.{attribute} .*one unknown.*are 2.*problem\.{remedy}"):
            getattr(pair, attribute)

    def test_what_is_said_of_all_is_there(self, pair: fs.Problem) -> None:
        assert [unknown.symbol for unknown in pair.unknowns] == [u, v]
        assert (pair.coordinates, pair.dimension, pair.domain, pair.missing) == ((x, y), 2, SQUARE, "")
        assert len(pair.conditions) == 3
        assert repr(pair).startswith("Problem(Eq(")
        assert "u(x, y) + v(x, y), domain=Box(" in repr(pair)

    def test_a_datum_may_contain_neither(self, pair: fs.Problem) -> None:
        setting = Setting(pair.unknowns, pair.givens, pair.domain)
        with pytest.raises(fs.ProblemError, match=r"contains the unknown v\(x, y\)"):
            setting.field(2 * v, "value")
        with pytest.raises(fs.ProblemError, match=r"this is for one unknown.*are 2"):
            _ = setting.unknown

    def test_the_sensitivity_of_each(self, pair: fs.Problem) -> None:
        bases = [fs.Band(3, (2, 2)).draw(2, RNG(0)), fs.Band(4, (2, 2)).draw(2, RNG(1))]
        basis = JoinedBasis([Component(one, unknown, 2) for unknown, one in enumerate(bases)])
        matrix = RNG(0).standard_normal((20, 8))
        matrix[:, 3:7] *= 1e-3  # what is said of v is small, so that it is hardly determined
        found = find_sensitivity(pair, basis, fs.QR().factor(matrix), RNG(0), 1)
        assert found.amplification == found.each[1] > 100 * found.each[0]
        for values, columns in zip(found.values, (slice(3, None), slice(0, 3)), strict=True):
            np.testing.assert_array_equal(values[:, columns], 0.0)

    def test_a_constant_may_be_open_in_either(self, pair: fs.Problem) -> None:
        assert not leaves_constant_open(pair)
        slope = Operator(2, (Term(1.0, (0, 0)), Term(1.0, (1, 0), 1)))
        relations = tuple(replace(relation, operator=slope) for relation in pair.relations)
        assert leaves_constant_open(problem_with(pair, pair.statement, relations))

    def test_every_relation_has_its_rows(self, pair: fs.Problem) -> None:
        points = fs.Points(interior=20, boundary=7)
        names = [relation.name for relation in pair.relations]
        assert list(points.counts(pair)) == names
        sites = points.draw(pair, RNG(0))
        blocks = make_blocks(pair, sites)
        assert [(b.name, len(b), b.weight) for b in blocks] == [
            (r.name, points.counts(pair)[r.name], r.weight) for r in pair.relations
        ]
        assert [[term.unknown for term in block.pieces[0][0].terms] for block in blocks[:2]] == [[0, 0, 1], [1, 0]]
        exact = fs.Points(interior=0, boundary=7).draw(pair, RNG(0))
        assert [block.name for block in make_blocks(pair, exact)] == names[2:]


class TestTerms:
    OPERATOR = Operator(2, (Term(2.0, (1, 0)), Term(np.sin, (0, 1), 1)))

    def test_operators_carry_their_unknowns_along(self) -> None:
        scaled = self.OPERATOR.times(3.0)
        assert [term.unknown for term in scaled.terms] == [0, 1]
        assert [term.unknown for term in scaled.after((1, 1)).terms] == [0, 1]
        assert [term.orders for term in scaled.after((1, 1)).terms] == [(2, 1), (1, 2)]
        assert [term.unknown for term in (self.OPERATOR + scaled).terms] == [0, 1, 0, 1]
        assert [term.unknown for term in identity(2).terms] == [0]

    def test_terms_of_different_unknowns_are_not_added_up(self) -> None:
        terms = (Term(2.0, (1, 0)), Term(3.0, (1, 0), 1), Term(5.0, (1, 0)))
        assert constant_operator(Operator(2, terms)).operator.terms == (Term(7.0, (1, 0)), Term(3.0, (1, 0), 1))


class TestStatement:
    @pytest.mark.parametrize("copied", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy])
    def test_it_travels(self, copied: object) -> None:
        """Equations that SymPy would decide stay what they are."""
        equations = (sp.Eq(u, u + 1, evaluate=False), LAPLACE)
        statement = Statement(equations, SQUARE, (fs.Dirichlet(0),), {x: 3})
        again = copied(statement)  # type: ignore[operator]
        assert again is not statement
        assert again.equations == equations
        assert (again.domain, again.conditions, again.given) == (SQUARE, (fs.Dirichlet(0),), {x: 3})

    def test_it_is_what_was_written(self) -> None:
        k = sp.Symbol("k")
        equation, given = sp.Eq(LAPLACE + k * u, 0), {k: 2}
        statement = fs.Problem(equation, SQUARE, fs.Dirichlet(x * y), given).statement
        assert statement.equations == (equation,)
        assert (statement.domain, statement.conditions, statement.given) == (SQUARE, (fs.Dirichlet(x * y),), given)
        assert statement.expressions == [equation, x * y]
        assert statement.origin is None
