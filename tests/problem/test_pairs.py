"""Unknowns that occur with their conjugates: pairs of real ones inside, complex outside."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from fspielm.problem import with_data

x, y, t = sp.symbols("x y t")
u, v = (sp.Function(name)(x, y) for name in "uv")
SQUARE, DISK = fs.Box((0, 0), (1, 1)), fs.Disk((0, 0), 1)
EXACT = sp.exp(sp.I * (2 * x + y)) * sp.cos(x * y) + sp.I * sp.sin(3 * x * y + 1)
REAL = {s: sp.Dummy(real=True) for s in (x, y)}


def laplace(w: sp.Expr) -> sp.Expr:
    return w.diff(x, 2) + w.diff(y, 2)


def conjugate(expression: sp.Expr) -> sp.Expr:
    """Of a function of real coordinates."""
    return sp.conjugate(expression.xreplace(REAL)).xreplace({new: old for old, new in REAL.items()})


def check(problem: fs.Problem, domain: Domain) -> fs.Solution:
    solution = fs.solve(problem)
    points = domain.sample(300, np.random.default_rng(5))
    values = solution(points)
    assert values.shape == (300,)
    assert values.dtype == np.complex128
    error = np.abs(values - sp.lambdify((x, y), EXACT)(*points.T)).max()
    assert error < 1e-8
    assert solution[u].error_estimate < 1e-8
    np.testing.assert_allclose(solution[u](points), values, rtol=0, atol=1e-13)
    np.testing.assert_allclose(solution["u"](points), values, rtol=0, atol=1e-13)
    return solution


class TestSolved:
    def test_beside_itself(self) -> None:
        a = sp.Rational(1, 3) + sp.I * x
        equation = sp.Eq(laplace(u) + 9 * u + a * sp.conjugate(u), laplace(EXACT) + 9 * EXACT + a * conjugate(EXACT))
        problem = fs.Problem(equation, SQUARE, fs.Dirichlet(EXACT))
        assert problem.dtype == np.float64
        solution = check(problem, SQUARE)
        assert solution[u].problem.dtype == np.complex128
        assert re.search(r"real and imaginary parts of u\(x, y\)", solution.problem.remarks[0])

    def test_beltrami(self) -> None:
        """``u_zbar = mu conj(u_z) + f`` with the real part on the rim, and the imaginary part at the center."""

        def along(w: sp.Expr) -> sp.Expr:
            return (w.diff(x) - sp.I * w.diff(y)) / 2

        def across(w: sp.Expr) -> sp.Expr:
            return (w.diff(x) + sp.I * w.diff(y)) / 2

        mu = (x + sp.I * y) / 5
        source = across(EXACT) - mu * conjugate(along(EXACT))
        rim = fs.Condition(sp.Eq(sp.re(u), (EXACT + conjugate(EXACT)) / 2))
        center = fs.Condition(sp.Eq(sp.im(u), sp.sin(1)), at=[[0, 0]])
        problem = fs.Problem(sp.Eq(across(u) - mu * sp.conjugate(along(u)), source), DISK, [rim, center])
        assert [c.name for c in problem.constraints] == ["condition circle real part", "condition points real part"]
        check(problem, DISK)

    def test_parts_and_callables(self) -> None:
        value = sp.lambdify((x, y), EXACT)
        slope = EXACT.diff(x)
        right = (
            laplace(EXACT) + 3 * (EXACT + conjugate(EXACT)) / 2 + (2 - sp.I) * (slope - conjugate(slope)) / (2 * sp.I)
        )
        equation = sp.Eq(laplace(u) + 3 * sp.re(u) + (2 - sp.I) * sp.im(u.diff(x)), right)
        check(fs.Problem(equation, SQUARE, fs.Dirichlet(lambda p: value(*p.T))), SQUARE)


class TestRelations:
    def state(self, *conditions: Any, equation: Any = None, **more: Any) -> fs.Problem:
        return fs.Problem(equation or laplace(u) + sp.conjugate(u), SQUARE, conditions, **more)

    def terms(self, problem: fs.Problem, name: str) -> set[tuple[int, tuple[int, ...], float]]:
        (relation,) = (r for r in problem.relations if r.name == name)
        sites = relation.sample(1, np.random.default_rng(0))
        sums: dict[tuple[int, tuple[int, ...]], float] = {}
        for term in relation.operator.terms:
            sums[term.unknown, term.orders] = sums.get((term.unknown, term.orders), 0.0) + float(term.at(sites)[0])
        return {(*key, value) for key, value in sums.items()}

    def test_both_parts(self) -> None:
        problem = self.state(fs.Dirichlet(1 + 2j))
        assert [one.symbol.func.__name__ for one in problem.unknowns] == ["re u", "im u"]
        assert self.terms(problem, "equation real part") == {(0, (2, 0), 1.0), (0, (0, 2), 1.0), (0, (0, 0), 1.0)}
        assert self.terms(problem, "equation imaginary part") == {(1, (2, 0), 1.0), (1, (0, 2), 1.0), (1, (0, 0), -1.0)}
        assert [c.value.constant for c in problem.constraints[:2]] == [1.0, 2.0]

    def test_what_cancels_is_left_out(self) -> None:
        fixed = [fs.Condition(sp.Eq(sp.re(u), x)), fs.Condition(sp.Eq(x * sp.im(u), 0))]
        with pytest.raises(fs.ProblemError, match="'x-' has 1 of the 2 conditions"):
            self.state(*fixed)  # where x = 0, the second one says nothing
        problem = self.state(fixed[0], fs.Condition(sp.Eq((1 + x) * sp.im(u), y)))
        assert {c.name for c in problem.constraints if "x+" in c.part_names} == {
            "condition x+ real part",
            "condition x+ (2) real part",
        }

    def test_what_says_nothing_has_no_value(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"imaginary part.*nothing.*z"):
            self.state(fs.Condition(sp.Eq(sp.re(u), sp.I * x)), fs.Condition(sp.im(u)))

    def test_impedance(self) -> None:
        problem = self.state(fs.Robin(sp.I * 3, 2, 0))
        assert self.terms(problem, "robin x- real part") == {(1, (0, 0), -3.0), (0, (1, 0), -2.0)}
        assert self.terms(problem, "robin x- imaginary part") == {(0, (0, 0), 3.0), (1, (1, 0), -2.0)}
        normal = self.state(fs.Condition(sp.re(fs.normal_derivative(u))), fs.Condition(sp.im(u)))
        assert {r.name for r in normal.constraints if "x-" in r.part_names} == {
            "condition x- real part",
            "condition x- (2) real part",
        }

    def test_given_functions_may_be_complex(self) -> None:
        a = sp.Function("a")(x, y)
        equation = laplace(u) + sp.conjugate(a * u) + a * sp.conjugate(a) * u
        given = {a: lambda p: np.exp(1j * p[:, 0])}
        problem = self.state(fs.Dirichlet(0), equation=equation, given=given)
        sites = problem.relations[0].sample(3, np.random.default_rng(0))
        angle = sites.points[:, 0]
        parts = [r.operator for r in problem.equations]
        at = [[sum(t.at(sites) for t in o.part(j).terms if t.order == 0) for j in range(2)] for o in parts]
        np.testing.assert_allclose(at[0][0], 1 + np.cos(angle))  # conj(a u) + u of u = 1
        np.testing.assert_allclose(at[1][0], -np.sin(angle))
        np.testing.assert_allclose(at[0][1], -np.sin(angle))  # of u = i
        np.testing.assert_allclose(at[1][1], 1 - np.cos(angle))

    def test_derivatives_of_parts(self) -> None:
        equation = sp.re(u).diff(x, 2) + sp.I * sp.conjugate(u).diff(y, 2) + u.diff(y, 2) + sp.I * sp.im(u).diff(x, 2)
        problem = self.state(fs.Dirichlet(0), equation=equation)
        assert self.terms(problem, "equation real part") == {(0, (2, 0), 1.0), (0, (0, 2), 1.0), (1, (0, 2), 1.0)}

    def test_systems(self) -> None:
        problem = fs.Problem([laplace(u) + sp.conjugate(v), laplace(v) + u], SQUARE, fs.Dirichlet({u: 1, v: sp.I}))
        assert (problem.places(u), problem.places("v")) == ((0, 1), (2, 3))
        assert [one.symbol for one in problem.field(v).unknowns] == [v]
        assert len(problem.equations) == 4
        with pytest.raises(fs.ProblemError, match="there is no unknown 'w'"):
            problem.places("w")

    def test_in_time(self) -> None:
        w = sp.Function("w")(x, t)
        equation = sp.I * w.diff(t) + w.diff(x, 2) + sp.conjugate(w)
        problem = fs.Problem(
            equation, fs.Interval(0, 1) * fs.Time(0, 1), [fs.Periodic("x"), fs.Initial(sp.exp(sp.I * x))]
        )
        assert [c.name for c in problem.constraints][-2:] == ["initial real part", "initial imaginary part"]
        assert problem.missing == ""

    @pytest.mark.parametrize("term", [sp.Abs(u), sp.arg(u)], ids=str)
    def test_what_is_not_smooth(self, term: sp.Expr) -> None:
        with pytest.raises(fs.ProblemError, match="which is not smooth"):
            self.state(fs.Dirichlet(0), equation=laplace(u) + term)

    @pytest.mark.parametrize("term", [sp.I * sp.Abs(u) ** 2 * u, sp.conjugate(u) * u, sp.re(u**2)], ids=str)
    def test_what_is_not_linear(self, term: sp.Expr) -> None:
        problem = self.state(fs.Dirichlet(0), equation=laplace(u) + term)
        assert not problem.is_linear
        assert problem.whole is not None
        assert len(problem.linearised(1).equations) == 2


class TestKept:
    PROBLEM = fs.Problem(laplace(u) + sp.conjugate(u), SQUARE, fs.Dirichlet(sp.exp(sp.I * x)))

    def sources(self, problem: fs.Problem) -> list[Any]:
        return [relation.value.source for relation in problem.relations[:4]]

    def test_pickling(self) -> None:
        again = pickle.loads(pickle.dumps(self.PROBLEM))
        assert self.sources(again) == self.sources(self.PROBLEM) == [0.0, 0.0, sp.cos(x), sp.sin(x)]
        assert again.statement.equations == self.PROBLEM.statement.equations

    def test_other_data(self) -> None:
        renewed = with_data(self.PROBLEM, sp.I * x, {"dirichlet": y})
        assert self.sources(renewed) == [0, x, y, 0]
        assert self.sources(pickle.loads(pickle.dumps(renewed))) == self.sources(renewed)
        twice = with_data(renewed, values={"dirichlet x-": 1j})
        assert self.sources(twice)[2:] == [0.0, 1.0]
