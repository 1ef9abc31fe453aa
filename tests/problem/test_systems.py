"""Lists of equations: what is accepted, and what is refused with which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.collocation import make_blocks

x, y, t, k = sp.symbols("x y t k")
u, v, w = (sp.Function(name)(x, y) for name in "uvw")
SQUARE = fs.Box((0, 0), (1, 1))
BOTH = fs.Dirichlet({u: 0, v: 0})


def laplace(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def state(*equations: Any, conditions: Any = BOTH, **more: Any) -> fs.Problem:
    return fs.Problem(list(equations), SQUARE, conditions, **more)


class TestAccepted:
    @pytest.mark.parametrize(
        "make",
        [
            list,
            tuple,
            iter,
            sp.Matrix,
            sp.Array,
            lambda both: sp.Tuple(*both),
            lambda both: np.array(both, dtype=object),
            lambda both: [both],
            lambda both: [sp.Eq(sp.Matrix(both), sp.Matrix([0, 0]), evaluate=False)],
            lambda both: sp.Eq(sp.Matrix(both), 0, evaluate=False),
        ],
    )
    def test_equations_in_any_order(self, make: Callable[[Any], Any]) -> None:
        problem = fs.Problem(make([laplace(u) + v, laplace(v)]), SQUARE, BOTH)
        assert [relation.name for relation in problem.equations] == ["equation 1", "equation 2"]
        assert [sorted(relation.operator.unknowns) for relation in problem.equations] == [[0, 1], [1]]
        assert problem.remarks == ()

    def test_a_list_of_one(self) -> None:
        assert fs.Problem([laplace(u)], SQUARE, fs.Dirichlet(0)).equations[0].name == "equation"

    def test_more_equations_are_said(self) -> None:
        problem = state(laplace(u), laplace(v), u.diff(x) + v.diff(y))
        (remark,) = problem.remarks
        assert "3 equations for 2 unknowns" in remark

    def test_the_order_of_unknowns(self) -> None:
        conditions = [fs.Dirichlet({u: 0, v: 0, w: 0})]
        problem = state(laplace(v) + w, laplace(u), laplace(w) - v, conditions=conditions)
        assert [one.symbol for one in problem.unknowns] == [u, v, w]
        declared = state(laplace(v), laplace(u), unknowns=[u, v])
        assert [one.symbol for one in declared.unknowns] == [u, v]
        assert (declared.place(v), declared.place("u"), declared.places("v")) == (1, 0, (1,))
        with pytest.raises(fs.ProblemError, match=r"no unknown 'q'.*u\(x, y\), v"):
            declared.place("q")


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: state(laplace(u) + v), r"1 equation for 2.*u\(x, y\), v\(x, y\)"),
    (lambda: state(laplace(u) + w, laplace(v)), r"2 equations for 3.*given=\{f"),
    (lambda: fs.Problem([], SQUARE, BOTH), "equation is an empty list"),
    (lambda: fs.Problem({laplace(u)}, SQUARE, BOTH), r"equation must be one.*in their or"),
    (lambda: fs.Problem({u: laplace(u)}, SQUARE, BOTH), r"equation must be one.*a list"),
    (lambda: state(laplace(u), "v"), r"equation\[1\].*Eq\(left.*got 'v'"),
    (lambda: state(laplace(u), sp.Eq(v, v)), r"equation\[1\].*truth value True"),
    (lambda: state(sp.Eq(sp.Matrix([u, v]), sp.Matrix([0, 0, 0]), evaluate=False)), r"equation.*sides.*components"),
    (lambda: fs.Condition([u, v]), r"Condition: equation.*list of 2"),
    (lambda: state(laplace(u), laplace(v), unknowns=[u, v, w]), r"unknowns names w\(x, y\)"),
    (lambda: state(laplace(u), laplace(v), unknowns=[u]), r"unknowns=\[u.*leaves out v"),
    (lambda: state(laplace(u), laplace(v), unknowns=[u, v, u]), r"names one of them twice"),
    (lambda: state(laplace(u), laplace(v), unknowns=u), "unknowns must be a list"),
    (lambda: state(laplace(u), laplace(v), unknowns=[u, k]), r"got k; fs\.eigenmodes\(problem, k"),
    (
        lambda: state(laplace(u), laplace(v), conditions=[fs.Dirichlet({u: 0, v: 0, w: 0})]),
        r"Dirichlet:.*w\(x, y\).*no unknown",
    ),
    (lambda: state(laplace(u), laplace(v), conditions=[fs.Neumann({"q": 0})]), r"Neumann:.*names q, "),
    (lambda: state(laplace(u), laplace(v), conditions=[fs.Dirichlet({u: 0, "u": 1})]), r"names u\(x, y\) twice"),
    (
        lambda: state(laplace(u), laplace(v), conditions=[fs.Dirichlet({sp.Function("u", real=True)(x, y): 0})]),
        r"one name.*assumptions",
    ),
    (lambda: fs.Dirichlet({}), r"Dirichlet: value.*empty"),
    (lambda: fs.Dirichlet({1: 0}), r"Dirichlet: value.*the key 1"),
    (lambda: fs.Dirichlet({u.func: 0}), r"got the key u; write u\(x, y\)"),
    (lambda: fs.Dirichlet({u: {v: 1}}), r"value\[u\(x, y\)\] must be a number"),
    (lambda: fs.Dirichlet([0, 1]), r"got \[0, 1\].*\{u: 0, v: 1"),
    (lambda: state(laplace(u), laplace(v), conditions=[fs.Dirichlet(0)]), r"Dirichlet: .*2 unknowns.*\{u: 0"),
    (lambda: state(laplace(u), laplace(v), conditions=[fs.Robin(1, 1, np.sin)]), r"say which one.*\{u: f\}"),
    (lambda: state(laplace(u), laplace(v), conditions=[fs.Dirichlet({u: 0})]), r"v\(x, y\) has none.*only equation 2"),
    (
        lambda: state(laplace(u) + v.diff(x), laplace(v) - u, conditions=[fs.Dirichlet({u: 0})]),
        r"'x-' has 1 of the 2.*v.*has none",
    ),
    (lambda: state(laplace(u), laplace(v), conditions=[]), r"conditions is empty.*equations"),
    (lambda: state(laplace(u), laplace(v.func(y, x))), r"u\(x, y\) and v\(y, x\).*arguments"),
    (lambda: state(laplace(u), v.func(x).diff(x)), r"u\(x, y\) and v\(x\).*arguments"),
    (lambda: state(laplace(u) + v.func(y, x), laplace(v)), r"appears.*\(v\(x, y\), v\(y, x\)"),
    (lambda: state(u - v, u + v - 1), r"no differential.*u\(x, y\), v"),
    (lambda: state(laplace(u) + sp.Max(u, v), laplace(v)), r"^equation 1 contains Max\(u"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message[:60] for _, message in REFUSED])
def test_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        make()


@pytest.mark.parametrize(
    "second",
    [
        2 * laplace(u + v),
        (laplace(u + v)).diff(x),
        x * laplace(u + v),
        sp.Function("a")(x, y) * laplace(u + v),
    ],
    ids=["multiple", "derivative", "varying", "callable"],
)
def test_equations_that_say_the_same(second: sp.Expr) -> None:
    given = {sp.Function("a"): lambda p: np.exp(p[:, 0])} if second.has(sp.Function("a")) else {}
    with pytest.raises(fs.ProblemError, match=r"do not determine u.*determinant"):
        state(laplace(u + v), second.doit(), given=given)


class TestWhatIsNotSolvedFor:
    def test_an_integral_over_a_range(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"v\(x, y\) at other places.*solved$"):
            state(laplace(u) + sp.Integral(v, (x, 0, 1)), laplace(v))

    def test_an_integral_up_to_a_coordinate_has_a_remedy(self) -> None:
        s = sp.Symbol("s")
        with pytest.raises(fs.ProblemError, match=r"Integral\(u.*sp\.Eq\(U\.diff\(y\), u\(x, y\)\).*0 at y = 0$"):
            state(laplace(u) + sp.Integral(u.func(x, s), (s, 0, y)), conditions=[fs.Dirichlet(0)])

    def test_what_remembers_with_a_kernel_has_none(self) -> None:
        s = sp.Symbol("s")
        memory = sp.Integral(u.func(x, s) * sp.exp(s - y), (s, 0, y))
        with pytest.raises(fs.ProblemError, match=r"only differential.*solved$"):
            state(laplace(u) + memory, conditions=[fs.Dirichlet(0)])

    @pytest.mark.parametrize("order", [sp.Rational(1, 2), 1.5])
    def test_a_fractional_derivative(self, order: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"whole number.*fractional"):
            state(laplace(u) + sp.Derivative(u, (x, order)), conditions=[fs.Dirichlet(0)])

    @pytest.mark.parametrize("where", ["equation", "right-hand side", "value"])
    def test_a_number_is_left_open(self, where: str) -> None:
        equation = {"equation": laplace(u) + k * u, "right-hand side": laplace(u) - k}.get(where, laplace(u))
        problem = state(equation, conditions=[fs.Dirichlet(k if where == "value" else 0)])
        assert problem.open_symbols == (k,)
        with pytest.raises(fs.ProblemError, match=r"^k has no value.*\{k: 1\.0\}"):
            fs.solve(problem)


class TestWhatHasToBeReal:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: fs.Box((0, 0), (1j, 1)),
            lambda: fs.Interval(0, sp.I),
            lambda: fs.Disk((0, np.complex128(1j)), 1),
            lambda: fs.Disk((0, 0), np.array(1j)),
            lambda: fs.Time(0, 1j),
        ],
    )
    def test_a_domain(self, make: Callable[[], Any]) -> None:
        with pytest.raises(fs.ProblemError, match=r"must be a real number; got"):
            make()

    @pytest.mark.parametrize("points", [[[1j, 0]], np.array([[1j, 0]])])
    def test_a_place(self, points: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"^Measured: points.*real numbers"):
            fs.Measured(points, [1])
        with pytest.raises(fs.ProblemError, match=r"^Condition: at.*real numbers"):
            fs.Condition(u, at=points)

    def test_a_weight(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"^Dirichlet: weight.*positive.*1j"):
            fs.Dirichlet(0, weight=1j)

    def test_on(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"boolean.*complex128"):
            state(laplace(u), conditions=[fs.Dirichlet(0, on=lambda p: 1j * p[:, 0])])
        with pytest.raises(fs.ProblemError, match=r"on=Eq\(x, I\).*imaginary unit"):
            state(laplace(u), conditions=[fs.Dirichlet(0, on=sp.Eq(x, sp.I))])
        with pytest.raises(fs.ProblemError, match=r"on=x < k.*real.*with what is given"):
            state(laplace(u), conditions=[fs.Dirichlet(0, on=x < k)], given={k: 1j})


def test_values_of_several_unknowns_are_no_table() -> None:
    problem = state(laplace(u), laplace(v), conditions=[fs.Dirichlet({u: lambda p: np.zeros((len(p), 2)), v: 0})])
    sites = fs.Points(interior=5, boundary=5).draw(problem, np.random.default_rng(0))
    with pytest.raises(fs.ProblemError, match=r"\(5,\).*got shape \(5, 2\).*\{u: f"):
        make_blocks(problem, sites)
    with pytest.raises(fs.ProblemError, match=r"values\[u\(x, y\)\].*1 points"):
        fs.Measured([[0.5, 0.5]], {u: [[1, 2]]})


class TestOrder:
    """Of the unknowns, and so of the columns of a solution."""

    p, u, v = (sp.Function(name)(x, y) for name in "puv")
    stokes = (
        sp.Eq(-u.diff(x, 2) - u.diff(y, 2) + p.diff(x), 0),
        sp.Eq(-v.diff(x, 2) - v.diff(y, 2) + p.diff(y), 0),
        sp.Eq(u.diff(x) + v.diff(y), 0),
    )

    def names(self, *conditions: Any, unknowns: Any = None) -> tuple[str, ...]:
        return fs.Problem(self.stokes, fs.Box((0, 0), (1, 1)), conditions, unknowns=unknowns).names

    def test_that_of_the_keys_of_conditions(self) -> None:
        assert self.names(fs.Dirichlet({self.u: y, self.v: 0})) == ("u", "v", "p")
        assert self.names(fs.Dirichlet({"v": 0, "u": y})) == ("v", "u", "p")
        parts = [fs.Dirichlet({self.v: 0}), fs.Dirichlet({self.u: y})]
        assert self.names(*parts) == ("v", "u", "p")

    def test_that_of_unknowns_goes_first(self) -> None:
        chosen = [self.p, self.v, self.u]
        assert self.names(fs.Dirichlet({self.u: y, self.v: 0}), unknowns=chosen) == ("p", "v", "u")

    def test_without_keys_as_they_appear(self) -> None:
        conditions = [fs.Condition(sp.Eq(self.u, y)), fs.Condition(sp.Eq(self.v, 0))]
        assert self.names(*conditions) == ("p", "u", "v")

    def test_of_nonlinear_equations_too(self) -> None:
        equations = [sp.Eq(self.v.diff(x, 2) + self.v.diff(y, 2), self.u**2), sp.Eq(laplace(self.u), self.v)]
        problem = fs.Problem(equations, fs.Box((0, 0), (1, 1)), [fs.Dirichlet({self.v: 0, self.u: 1})])
        assert problem.names == ("v", "u")
        assert problem.linearised({self.u: 1}).names == ("v", "u")
