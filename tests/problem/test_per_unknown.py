"""Conditions by unknown, of every kind; other data, pickling, and the type of numbers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites
from fspielm.problem import with_data

x, y, t = sp.symbols("x y t")
u, v = (sp.Function(name)(x, y) for name in "uv")
f, g = (sp.Function(name)(x, t) for name in "fg")
SQUARE = fs.Box((0, 0), (1, 1))
ROD = fs.Interval(0, 1) * fs.Time(0, 1)
ROUND = fs.Dirichlet({u: 0, v: 0})


def laplace(w: sp.Expr) -> sp.Expr:
    return w.diff(x, 2) + w.diff(y, 2)


def state(*conditions: Any, first: Any = None, second: Any = None) -> fs.Problem:
    one = laplace(u) + v if first is None else first
    return fs.Problem([one, laplace(v) - u if second is None else second], SQUARE, conditions)


def said(problem: fs.Problem, part: str) -> dict[str, tuple[Any, ...]]:
    """Name, unknowns, orders and value of what holds on a part."""
    sites = Sites(np.array([[0.25, 0.5]]), np.array([[1.0, 0.0]]))
    return {
        c.name: (sorted(c.operator.unknowns), [t.orders for t in c.operator.terms], c.values(sites)[0])
        for c in problem.constraints
        if part in c.part_names
    }


class TestKinds:
    def test_dirichlet(self) -> None:
        problem = state(fs.Dirichlet({"v": y, u: lambda p: p[:, 0]}))
        assert said(problem, "x+") == {
            "dirichlet x+ v": ([0], [(0, 0)], 0.5),
            "dirichlet x+ u": ([1], [(0, 0)], 0.25),
        }

    def test_different_sides(self) -> None:
        problem = state(fs.Dirichlet({u: 1}, on="x-"), fs.Neumann({u: 2}, on="rest"), fs.Dirichlet({v: 3}))
        assert list(said(problem, "x-")) == ["dirichlet x- u", "dirichlet x- v"]
        assert list(said(problem, "y+")) == ["neumann y+ u", "dirichlet y+ v"]

    def test_neumann(self) -> None:
        assert said(state(fs.Neumann({u: x, v: sp.I})), "y-") == {
            "neumann y- u": ([0], [(1, 0), (0, 1)], 0.25),
            "neumann y- v": ([1], [(1, 0), (0, 1)], 1j),
        }

    def test_robin(self) -> None:
        problem = state(fs.Robin(2, sp.I, {u: 1, v: 5}))
        assert {name: entry[0] for name, entry in said(problem, "x-").items()} == {"robin x- u": [0], "robin x- v": [1]}
        operator = problem.constraints[0].operator
        normal = Sites(np.zeros((1, 2)), np.array([[0.6, 0.8]]))
        assert [complex(term.at(normal)[0]) for term in operator.terms] == [2.0, 0.6j, 0.8j]

    def test_initial(self) -> None:
        equations = [f.diff(t, 2) - g.diff(x, 2), g.diff(t) - f.diff(x, 2)]
        start = [fs.Initial({f: x, g: 1}), fs.Initial({f: 2}, order=1)]
        problem = fs.Problem(equations, ROD, [fs.Dirichlet({f: 0, g: 0}), *start])
        names = [c.name for c in problem.constraints if c.region.kind == "start"]
        assert names == ["initial f", "initial g", "initial f order 1"]
        assert problem.constraints[-1].operator.terms[0].orders == (0, 1)

    @pytest.mark.parametrize(
        ("start", "message"),
        [
            ([fs.Initial({f: 0}), fs.Initial({f: 0}, order=1)], r"g\(x, t\).*order 1.*misses.*\{g:"),
            ([fs.Initial({f: 0, g: 0})], r"f\(x, t\).*order 2.*misses.*order=1"),
            ([fs.Initial({f: 0, g: 0}), fs.Initial({f: 0, g: 0}, order=1)], r"Initial of order 1 for g.*remove"),
        ],
    )
    def test_the_start_of_each(self, start: Any, message: str) -> None:
        equations = [f.diff(t, 2) - g.diff(x, 2), g.diff(t) - f.diff(x, 2)]
        with pytest.raises(fs.ProblemError, match=message):
            fs.Problem(equations, ROD, [fs.Dirichlet({f: 0, g: 0}), *start])

    def test_periodic_is_for_all(self) -> None:
        problem = state(fs.Periodic("x"), fs.Dirichlet({u: 0, v: 0}, on=["y-", "y+"]))
        tied = {c.name: sorted(c.operator.unknowns) for c in problem.constraints if c.region.shift is not None}
        assert tied == {
            "periodic x u": [0],
            "periodic x u order 1": [0],
            "periodic x v": [1],
            "periodic x v order 1": [1],
        }

    def test_periods_go_with_the_order_of_each(self) -> None:
        """Of a pressure, which has first derivatives alone, the values agree."""
        p = sp.Function("p")(x, y)
        equations = [-laplace(u) + p.diff(x), -laplace(v) + p.diff(y), u.diff(x) + v.diff(y)]
        walls = fs.Dirichlet({u: 0, v: 0}, on=["y-", "y+"])
        problem = fs.Problem(equations, SQUARE, [fs.Periodic("x"), walls], unknowns=[u, v, p])
        names = [c.name for c in problem.constraints if c.region.shift is not None]
        assert names == ["periodic x u", "periodic x u order 1", "periodic x v", "periodic x v order 1", "periodic x p"]

    def test_measured(self) -> None:
        problem = state(ROUND, fs.Measured([[0.5, 0.5], [0.2, 0.1]], {u: [1, 2j], "v": x}))
        first, second = problem.constraints[-2:]
        assert (first.name, second.name) == ("measured u", "measured v")
        sites = first.sample(2, np.random.default_rng(0))
        np.testing.assert_array_equal(first.values(sites), [1, 2j])
        np.testing.assert_array_equal(second.values(sites), [0.5, 0.2])

    def test_condition(self) -> None:
        problem = state(fs.Condition(sp.Eq(u.diff(x) + sp.I * x * v, y)), fs.Dirichlet({v: 0}))
        (_, entry), _ = said(problem, "x-").items()
        assert entry == ([0, 1], [(0, 0), (1, 0)], 0.5)

    def test_a_condition_needs_an_unknown(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"not contain.*unknowns u\(x, y\), v"):
            state(ROUND, fs.Condition(sp.Eq(x, y)))

    def test_a_value_may_contain_no_unknown(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"value.*for u is v\(x, y\)"):
            state(fs.Dirichlet({u: v, v: 0}))


class TestOtherData:
    def test_of_each_block(self) -> None:
        problem = state(fs.Dirichlet({u: 0, v: 1}))
        renewed = with_data(problem, [x, sp.I], {"dirichlet x- u": 5})
        assert [r.value.source for r in renewed.equations] == [x, sp.I]
        values = {c.name: c.value.constant for c in renewed.constraints}
        assert values["dirichlet x- u"] == 5
        assert values["dirichlet x- v"] == 1
        assert renewed.dtype == np.complex128
        again = pickle.loads(pickle.dumps(renewed))
        assert {c.name: c.value.constant for c in again.constraints} == values

    @pytest.mark.parametrize("sides", [x, [x], [x, y, 0]])
    def test_one_right_hand_side_for_each_equation(self, sides: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"right_hand_side.*list of 2"):
            with_data(state(ROUND), sides)

    def test_what_was_added_stays(self) -> None:
        problem = state(fs.Neumann({u: 0, v: 0}), first=laplace(u), second=laplace(v))
        renewed = with_data(problem, [x, y])
        assert [r.name for r in renewed.relations] == [r.name for r in problem.relations]
        assert renewed.remarks == problem.remarks
        assert len(problem.remarks) == 2


class TestPickling:
    @pytest.mark.parametrize("copied", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy])
    def test_a_system_travels(self, copied: Any) -> None:
        problem = fs.Problem(
            [laplace(v) + u, laplace(u)], SQUARE, [fs.Robin(sp.I, 1, {u: x, "v": 2j})], unknowns=[u, v]
        )
        again = copied(problem)
        assert [one.symbol for one in again.unknowns] == [u, v]
        assert [r.name for r in again.relations] == [r.name for r in problem.relations]
        assert again.statement.conditions == problem.statement.conditions
        assert again.dtype == np.complex128


class TestNumbers:
    @pytest.mark.parametrize(
        ("problem", "kind"),
        [
            (lambda: state(ROUND), "f"),
            (lambda: state(fs.Dirichlet({u: 0, v: 1j})), "c"),
            (lambda: state(fs.Dirichlet({u: 0, v: lambda p: p[:, 0] * 1j})), "c"),
            (lambda: state(fs.Dirichlet({u: 0, v: lambda p: p[:, 0] + 0j})), "f"),
            (lambda: state(fs.Robin(1, sp.I, {u: 0, v: 0})), "c"),
            (lambda: state(fs.Robin(1, lambda p: 1j * p[:, 0], {u: 0, v: 0})), "c"),
            (lambda: state(fs.Dirichlet({u: 0, v: sp.hankel1(0, x + 1)})), "c"),
            (lambda: state(ROUND, first=laplace(u) + sp.I * v), "c"),
            (lambda: state(ROUND, first=sp.Eq(laplace(u) + v, sp.exp(sp.I * x))), "c"),
            (lambda: state(ROUND, fs.Measured([[0.5, 0.5]], {u: [1j]})), "c"),
            (lambda: state(ROUND, fs.Condition(sp.I * fs.normal_derivative(u), on="x-")), "c"),
        ],
    )
    def test_complex_where_something_is(self, problem: Any, kind: str) -> None:
        made = problem()
        assert made.dtype.kind == kind
        assert made.field(u).dtype.kind == kind
