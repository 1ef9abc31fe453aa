"""Robin, periodic, symmetric, measured and freely stated conditions: statements, names, and what is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites, segment
from fspielm.problem import corner_conflicts, with_data

x, y, z, t = sp.symbols("x y z t")
U = sp.Function("u")
u, v, w = U(x, y), U(x), U(x, t)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE, INTERVAL, DISK = fs.Box((0, 0), (1, 1)), fs.Interval(0, 1), fs.Disk((0, 0), 1)
ROD = INTERVAL * fs.Time(0, 1)
BIHARMONIC = u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4)
HEAT, ADVECTION = w.diff(t) - w.diff(x, 2), w.diff(t) + w.diff(x)
dn = fs.normal_derivative


def state(*conditions: Any, equation: Any = LAPLACE, domain: Any = SQUARE, **more: Any) -> fs.Problem:
    return fs.Problem(equation, domain, conditions, **more)


def names(problem: fs.Problem) -> list[str]:
    return [c.name for c in problem.constraints]


def line(s: Any) -> Any:
    return np.column_stack([s, np.full(len(s), 0.5)])


class TestNames:
    @pytest.mark.parametrize(
        ("equation", "domain", "conditions", "expected"),
        [
            (LAPLACE, DISK, [fs.Robin(1, 1, 0)], ["robin circle"]),
            (
                LAPLACE,
                SQUARE,
                [fs.Periodic("x"), fs.Dirichlet(0, on=["y-", "y+"])],
                ["periodic x", "periodic x order 1"],
            ),
            (LAPLACE, SQUARE, [fs.Periodic(["x+", "x-"]), fs.Neumann(0, on=["y-", "y+"])], ["periodic x"]),
            (ADVECTION, ROD, [fs.Periodic("x"), fs.Initial(0)], ["periodic x", "initial"]),
            (HEAT, ROD, [fs.Periodic("x"), fs.Initial(0)], ["periodic x", "periodic x order 1", "initial"]),
            (
                BIHARMONIC,
                SQUARE,
                [fs.Periodic("x"), fs.Periodic("y")],
                ["periodic x", *(f"periodic x order {k}" for k in (1, 2, 3))],
            ),
            (
                LAPLACE,
                SQUARE,
                [fs.Symmetry("x-"), fs.Dirichlet(0, on=["x+", "y-", "y+"])],
                ["symmetry x-", "dirichlet x+"],
            ),
            (BIHARMONIC, SQUARE, [fs.Symmetry()], ["symmetry x-", "symmetry x- order 3", "symmetry x+"]),
            (LAPLACE, SQUARE, [fs.Condition(u)], ["condition x-", "condition x+"]),
            (LAPLACE, SQUARE, [fs.Measured([[0, 0]], 1), fs.Neumann(0)], ["measured", "neumann x-"]),
            (LAPLACE, SQUARE, [fs.Condition(u, at=[[0, 0]]), fs.Neumann(0)], ["condition points", "neumann x-"]),
            (LAPLACE, SQUARE, [fs.Condition(u, at=line), fs.Neumann(0)], ["condition curve", "neumann x-"]),
            (BIHARMONIC, SQUARE, [fs.Condition(u), fs.Condition(LAPLACE)], ["condition x-", "condition x+"]),
        ],
    )
    def test_blocks(self, equation: Any, domain: Any, conditions: Any, expected: list[str]) -> None:
        assert names(state(*conditions, equation=equation, domain=domain))[: len(expected)] == expected

    def test_two_of_a_kind(self) -> None:
        problem = state(fs.Condition(u), fs.Condition(LAPLACE), equation=BIHARMONIC)
        assert len(set(names(problem))) == 8
        assert "condition x- (2)" in names(problem)

    def test_by_the_user_s_own_coordinates(self) -> None:
        r = sp.Symbol("r")
        problem = fs.Problem(U(r).diff(r, 2) + U(r), INTERVAL, [fs.Periodic("r")])
        assert names(problem) == ["periodic r", "periodic r order 1"]


class TestOrders:
    """How many derivatives agree follows from the equation, across the very faces."""

    @pytest.mark.parametrize(
        ("equation", "x_orders", "y_orders"),
        [
            (LAPLACE, 2, 2),
            (u.diff(x) - u.diff(y, 2), 1, 2),
            (u.diff(x, 2) + u.diff(y, 4), 2, 4),
            (u.diff(x, y) + u, 1, 1),
        ],
    )
    def test_periodic(self, equation: Any, x_orders: int, y_orders: int) -> None:
        found = names(state(fs.Periodic("x"), fs.Periodic("y"), equation=equation))
        assert [sum(n.startswith(f"periodic {a}") for n in found) for a in "xy"] == [x_orders, y_orders]


ACCEPTED = {
    "Robin all around": (LAPLACE, SQUARE, [fs.Robin(1, 2, 0)]),
    "periodic in all directions": (LAPLACE - u, SQUARE, [fs.Periodic("x"), fs.Periodic("y")]),
    "periodic ordinary": (v.diff(x, 2) + v, INTERVAL, [fs.Periodic("x")]),
    "periodic, first order": (v.diff(x) + v, INTERVAL, [fs.Periodic("x")]),
    "periodic, pinned at one end": (v.diff(x, 2), INTERVAL, [fs.Periodic("x"), fs.Dirichlet(0, on="x-")]),
    "periodic, pinned at the other": (
        (2 + x * (1 - x)) * v.diff(x, 2) + v.diff(x),
        INTERVAL,
        [fs.Periodic("x"), fs.Robin(1, 1, 0, on="x+")],
    ),
    "periodic at a resonance": (
        v.diff(x, 2) + 4 * sp.pi**2 * v,
        INTERVAL,
        [fs.Periodic("x"), fs.Dirichlet(1, on="x-"), fs.Neumann(1, on="x-")],
    ),
    "clamped": (BIHARMONIC, SQUARE, [fs.Dirichlet(0), fs.Neumann(0)]),
    "simply supported": (BIHARMONIC, SQUARE, [fs.Dirichlet(0), fs.Condition(dn(u, 2))]),
    "simply supported, Laplacian": (BIHARMONIC, DISK, [fs.Dirichlet(0), fs.Condition(LAPLACE)]),
    "half a plate": (
        BIHARMONIC,
        SQUARE,
        [fs.Symmetry("x-"), *(c(0, on=["x+", "y-", "y+"]) for c in (fs.Dirichlet, fs.Neumann))],
    ),
    "beam": (v.diff(x, 4), INTERVAL, [fs.Dirichlet(0), fs.Condition(v.diff(x, 2))]),
    "beam with a spring": (v.diff(x, 4), INTERVAL, [fs.Robin(3, 1, 0), fs.Condition(dn(v, 3) - 2 * v)]),
    "two Robin": (BIHARMONIC, SQUARE, [fs.Robin(1, 0, 0), fs.Robin(0, 1, 0)]),
    "a point for the constant": (LAPLACE, SQUARE, [fs.Neumann(0), fs.Measured([[0, 0]], 0)]),
    "three points of an ordinary one": (v.diff(x, 2), INTERVAL, [fs.Measured([[0.1], [0.2], [0.9]], x)]),
    "an end and a point": (v.diff(x, 2), INTERVAL, [fs.Dirichlet(0, on="x-"), fs.Measured([[0.5]], 1)]),
    "a curve for a side": (LAPLACE, SQUARE, [fs.Dirichlet(0, on=["x-", "x+", "y-"]), fs.Condition(u, at=line)]),
    "a curve of an ordinary one": (v.diff(x, 2), INTERVAL, [fs.Condition(v - x, at=lambda s: s[:, None])]),
    "more points than needed": (
        LAPLACE,
        SQUARE,
        [fs.Dirichlet(0), fs.Measured(np.random.default_rng(0).random((9, 2)), 0)],
    ),
    "points for the start": (HEAT, ROD, [fs.Dirichlet(0), fs.Measured([[0.5, 0.5]], 1)]),
    "a plane curve at all times": (
        U(x, y, t).diff(t) - U(x, y, t).diff(x, 2) - U(x, y, t).diff(y, 2),
        SQUARE * fs.Time(0, 1),
        [fs.Dirichlet(0), fs.Initial(0), fs.Condition(U(x, y, t), at=segment((0, 0), (1, 1)))],
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case: str) -> None:
    equation, domain, conditions = ACCEPTED[case]
    assert fs.Problem(equation, domain, conditions).constraints


REFUSED: list[tuple[Any, str]] = [
    # by themselves
    (lambda: fs.Robin("1", 1, 0), r"^Robin: alpha.*callable"),
    (lambda: fs.Robin(1, None, 0), r"^Robin: beta must be a number"),
    (lambda: fs.Robin(1, 1, [0]), r"^Robin: value must be a number"),
    (lambda: fs.Robin(1, 1, 0, on=x == 0), r"^Robin: on=False.*truth value"),
    (lambda: fs.Robin(1, 1, 0, weight=0), r"^Robin: weight.*positive.*got 0"),
    (lambda: fs.Symmetry(3), r"^Symmetry: on must be a part's"),
    (lambda: fs.Symmetry(weight=-1), r"^Symmetry: weight must be"),
    (lambda: fs.Periodic("x", weight=None), r"^Periodic: weight must be"),
    (lambda: fs.Periodic(3), r'^Periodic: faces.*"x".*got 3'),
    (lambda: fs.Periodic(("x-",)), r"^Periodic: faces must be"),
    (lambda: fs.Periodic(("x-", "x-")), r"^Periodic: faces.*'x-', 'x-'"),
    (lambda: fs.Periodic(""), r"^Periodic: faces must be"),
    (lambda: state(fs.Periodic("x", factor="-1"), fs.Neumann(0, on="rest")), r"^Periodic: factor.*a number"),
    (lambda: state(fs.Periodic("x", factor=y), fs.Neumann(0, on="rest")), r"^Periodic: factor.*number.*got y"),
    (lambda: state(fs.Periodic("x", factor=0), fs.Neumann(0, on="rest")), r"^Periodic: factor.*not be zero"),
    (
        lambda: state(fs.Periodic("x", factor=sp.I), fs.Neumann(0, on="rest"), equation=LAPLACE - sp.conjugate(u)),
        r"^periodic x:.*0\+1j.*real.*conj",
    ),
    (lambda: fs.Condition(True), r"^Condition: equation.*value True"),
    (lambda: fs.Condition(sp.Eq(u, u)), r"^Condition: equation.*truth value"),
    (lambda: fs.Condition("u = 0"), r"^Condition: equation must.*Eq\("),
    (lambda: fs.Condition(u, weight=True), r"^Condition: weight must be"),
    (lambda: fs.Condition(u, 3), r"^Condition: on must be a part's"),
    (lambda: fs.Condition(u, on="x-", at=[[0, 0]]), r"^Condition: give on=.*or at="),
    (lambda: fs.Condition(u, at="x-"), r"^Condition: at.*rows.*got 'x-'"),
    (lambda: fs.Condition(u, at=[]), r"^Condition: at.*rows.*at least one"),
    (lambda: fs.Condition(u, at=[[0, 1], [np.nan, 0]]), r"^Condition: at.*finite.*number 1"),
    (lambda: fs.Measured([0, 1], 0), r"^Measured: points.*rows"),
    (lambda: fs.Measured([[0, 1]], [1, 2]), r"^Measured: values.*1 points.*\(2,\)"),
    (lambda: fs.Measured([[0, 1]], ["a"]), r"^Measured: values.*numbers, one"),
    (lambda: fs.Measured([[0, 1]], [np.inf]), r"^Measured: values.*finite.*number 0"),
    (lambda: fs.Measured([[0, 1]], "a"), r"^Measured: values.*be a number"),
    (lambda: fs.Measured([[0, 1]], 0, weight=0), r"^Measured: weight must be"),
    (lambda: dn(u, 0), r"^normal_derivative: order.*got 0"),
    (lambda: dn(u, 1.5), r"^normal_derivative: order"),
    (lambda: dn(2 * u), r"^normal_derivative.*got 2\*u"),
    (lambda: dn(x * u), r"^normal_derivative.*known.*alone"),
    (lambda: dn("x"), r"^normal_derivative.*got 'x'"),
    # with an equation and a domain
    (lambda: state(fs.Robin(u, 1, 0)), r"^the alpha of Robin.*unknown"),
    (lambda: state(fs.Robin(0, 0.0, 1)), r"^Robin: alpha and beta.*zero"),
    (lambda: state(fs.Robin(1, 1, dn(u))), r"^the value of Robin.*unknown"),
    (lambda: state(fs.Neumann(dn(U(y)))), r"^the value of Neumann.*unknown"),
    (lambda: state(fs.Neumann(dn(sp.Function("g")(x, y)))), r"^the value of Neumann needs"),
    (lambda: state(fs.Robin(1, 1, 0, on="circle")), r"^Robin:.*no part 'circle'"),
    (lambda: state(fs.Symmetry("X-")), r"^Symmetry:.*'X-'.*'x-'\?"),
    (lambda: state(fs.Periodic("z")), r"^Periodic:.*no part 'z-'"),
    (lambda: state(fs.Periodic("x"), domain=DISK), r"^Periodic: 'x'.*opposite.*circle"),
    (lambda: state(fs.Periodic("t"), equation=HEAT, domain=ROD), r"no part 't-'.*fs\.Init"),
    (lambda: state(fs.Periodic(("x-", "y-"))), r"^Periodic:.*'y-' is not.*'x-' moved"),
    (lambda: state(fs.Condition(u, on="t-"), equation=HEAT, domain=ROD), r"^Condition:.*start of time"),
    (lambda: state(fs.Condition(sp.sin(x))), r"^the condition sin\(x\).*unknown"),
    (lambda: state(fs.Condition(U(0, y))), r"^the condition.*u\(0, y\).*on=.*at="),
    (lambda: state(fs.Condition(u - u + x)), r"^the condition x does.*the unknown"),
    (lambda: state(fs.Condition(sp.sign(dn(u)) - u)), r"^the condition.*sign\(normal_der"),
    (lambda: state(fs.Condition(sp.oo * u)), r"^the condition.*oo of u.*finite"),
    (lambda: state(fs.Condition(u - sp.Function("g")(x, y))), r"g\(x, y\), which is not given"),
    (lambda: state(fs.Condition(u - dn(sp.Function("g")(x, y)))), r"^the value of.*Derivative\(g"),
    (lambda: state(fs.Condition(sp.Derivative(u, (x, sp.Symbol("n"))))), r"order n of.*whole number"),
    (lambda: state(equation=LAPLACE + dn(u)), r"normal_derivative.*it in an fs\."),
    (lambda: state(fs.Condition(dn(u), at=[[0, 0]])), r"^Condition: .*no normal.*u\.diff"),
    (lambda: state(fs.Condition(dn(u), at=line)), r"^Condition: .*no normal.*inside"),
    (lambda: state(fs.Dirichlet(0), fs.Measured([[0, 1], [0.5, 2], [3, 3]], 0)), r"points.*lie in.*y=2.*2 of 3"),
    (lambda: state(fs.Measured([[0, 1, 2]], 0)), r"^Measured: points.*\(1, 3\)"),
    (lambda: state(fs.Condition(u, at=[[2, 2]])), r"^Condition: at.*lie in.*x=2, y=2"),
    (lambda: state(fs.Condition(u, at=lambda s: 2 * line(s))), r"^Condition: at.*lie in.*does not"),
    (lambda: state(fs.Condition(u, at=lambda s: s)), r"^Condition: at:.*points, which"),
    (lambda: state(fs.Condition(u, at=lambda s: line(s)[:5])), r"one point for each.*got 5"),
    (lambda: state(fs.Condition(u, at=lambda s: 0 * line(s))), r"curve.*positive.*length; got 0"),
    (
        lambda: state(fs.Condition(v, at=segment((0, 0), (1, 0))), equation=v.diff(x), domain=INTERVAL),
        r"at is a plane curve.*1 coord.*\[0, 1\]",
    ),
    # their number
    (lambda: state(fs.Robin(1, 1, 0, on="x-")), r"'x\+' has 0 of the 1 condition"),
    (lambda: state(fs.Periodic("x")), "'y-' has 0 of the 1 condition"),
    (lambda: state(fs.Periodic("x"), fs.Dirichlet(0)), r"'x-'.*contradicting.*periodic takes"),
    (
        lambda: state(fs.Periodic("x"), fs.Dirichlet(0, on="x-"), fs.Initial(0), equation=ADVECTION, domain=ROD),
        r"'x-'.*contradicting.*dirichlet x-",
    ),
    (lambda: state(fs.Periodic("x"), fs.Periodic(("x+", "x-"))), "'x-' has two Periodic"),
    (lambda: state(fs.Symmetry(), fs.Symmetry("x-")), "'x-' has two Symmetry"),
    (lambda: state(fs.Symmetry(), fs.Neumann(0)), "'x-' has contradicting"),
    (lambda: state(fs.Robin(1, 1, 0), fs.Robin(1, 2, 0)), "'x-' has contradicting"),
    (lambda: state(fs.Condition(u), fs.Condition(dn(u), on="y+")), r"'y\+'.*contradicting.*y\+ \(2\)"),
    (lambda: state(fs.Dirichlet(0), fs.Condition(dn(u), on="y+"), equation=BIHARMONIC), r"part 'x-' has 1 of the 2"),
    (
        lambda: state(fs.Measured([[0.5]], 0), equation=v.diff(x, 2), domain=INTERVAL),
        r"order 2 takes 2.*1 \(measured\)",
    ),
    (
        lambda: state(fs.Periodic("x"), fs.Dirichlet(0, on="x-"), equation=v.diff(x, 2) + v, domain=INTERVAL),
        r"2 takes 2.*3 \(periodic x, periodic",
    ),
    (
        lambda: state(fs.Periodic("x"), fs.Dirichlet(0), equation=v.diff(x, 2), domain=INTERVAL),
        r"2 takes 2.*1 more.*4 \(periodic x,",
    ),
    (lambda: state(fs.Periodic("x"), fs.Dirichlet(0, on="x-"), fs.Periodic("y")), r"no other.*write fs\.Measured"),
]


@pytest.mark.parametrize(("statement", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_refused(statement: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        statement()


@pytest.mark.parametrize("condition", [fs.Robin(1, t, 0), fs.Condition(t * dn(u, 2)), fs.Condition(sp.Eq(u, t))])
def test_symbols_of_conditions_may_be_open(condition: fs.AnyCondition) -> None:
    assert state(condition).open_symbols == (t,)


class TestNormalDerivative:
    def test_is_a_sympy_expression(self) -> None:
        assert str(3 * dn(u) + u) == "u(x, y) + 3*normal_derivative(u(x, y))"
        assert dn(u) == dn(u, 1) != dn(u, 2)
        assert dn(dn(u), 2) == dn(u, 3)
        assert dn(u).diff(x) == dn(u.diff(x))
        assert dn(w).diff(t, 2) == dn(w.diff(t, 2))
        assert dn(u).diff(z) == 0
        assert (x * dn(u)).diff(x) == dn(u) + x * dn(u.diff(x))
        assert sp.Derivative(dn(u), y).doit() == dn(u.diff(y))
        assert sp.latex(dn(u, 2)) == r"\partial_n^{2} u{\left(x,y \right)}"
        assert sp.latex(dn(u)).startswith(r"\partial_n u")

    def test_mixed_orders(self) -> None:
        """The gradient's change along the normal: n_x u_xx + n_y u_xy."""
        problem = state(fs.Condition(dn(u.diff(x)) - 1), domain=DISK)
        (constraint,) = problem.constraints
        sites = Sites(np.array([[0.6, 0.8]]), np.array([[0.6, 0.8]]))
        assert {term.orders: float(term.at(sites)[0]) for term in constraint.operator.terms} == {
            (2, 0): 0.6,
            (1, 1): 0.8,
        }
        assert constraint.value.constant == 1.0

    def test_never_along_time(self) -> None:
        problem = state(fs.Condition(dn(w, 2)), fs.Initial(0), equation=HEAT, domain=ROD)
        assert [term.orders for term in problem.constraints[0].operator.terms] == [(2, 0)]


class TestGiven:
    def test_in_conditions(self) -> None:
        g, k = sp.Function("g"), sp.Symbol("k")
        problem = state(
            fs.Condition(sp.Eq(dn(u) + k * u, g(x, y)), on=x < k / 6),
            fs.Robin(g(x, y), k, 0, on=x >= k / 6),
            given={g: lambda p: p[:, 0] + 2, k: 3},
        )
        first = problem.constraints[0]
        points = np.array([[0.25, 0.0]])
        assert first.value(points)[0] == 2.25
        assert [t.coefficient for t in first.operator.terms if t.orders == (0, 0)] == [3.0]
        robin = next(c for c in problem.constraints if c.condition.kind == "robin")
        (alpha,) = (t for t in robin.operator.terms if t.orders == (0, 0))
        assert alpha.at(Sites(points))[0] == 2.25

    def test_in_measured_values(self) -> None:
        k = sp.Symbol("k")
        problem = state(fs.Neumann(0), fs.Measured([[0.5, 0.25]], k * y), given={k: 8})
        assert problem.constraints[-1].value(np.array([[0.5, 0.25]])).tolist() == [2.0]

    def test_one_that_nothing_uses(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"given names k.*no equation"):
            state(fs.Condition(dn(u)), given={sp.Symbol("k"): 1})


class TestAsValues:
    def test_what_is_given_cannot_change_them(self) -> None:
        points, values = np.array([[0.1, 0.2]]), np.array([1.0])
        measured = fs.Measured(points, values)
        points[:], values[:] = 0.9, 9
        assert measured == fs.Measured([[0.1, 0.2]], [1.0])
        with pytest.raises(dataclasses.FrozenInstanceError):
            measured.weight = 2.0  # type: ignore[misc]

    def test_a_measurement_prints_short(self) -> None:
        many = fs.Measured(np.random.default_rng(0).random((5000, 2)), np.zeros(5000), weight=2)
        assert repr(many) == "Measured((5000 points), (5000 values), weight=2)"
        assert repr(fs.Measured([[0, 0]], x)) == "Measured((1 point), x)"

    def test_weights(self) -> None:
        for condition in (fs.Robin(1, 1, 0, weight=3), fs.Symmetry(weight=3), fs.Condition(u, weight=3)):
            assert {c.condition.weight for c in state(condition).constraints} == {3}


class TestOtherData:
    def problem(self) -> fs.Problem:
        return state(
            fs.Robin(1, x, 0, on="x-"),
            fs.Condition(sp.Eq(dn(u) + x * u, 5), on="x+"),
            fs.Periodic("y"),
            fs.Measured([[0.5, 0.5], [0.1, 0.2]], [1, 2]),
        )

    def test_of_every_kind(self) -> None:
        new = with_data(self.problem(), x * y, {"robin": y, "condition x+": x**2, "measured": [3, 4]})
        points = np.array([[0.5, 0.5], [0.1, 0.2]])
        values = {c.name: c.value(points).tolist() for c in new.constraints}
        assert values["robin x-"] == [0.5, 0.2]
        assert values["condition x+"] == pytest.approx([0.25, 0.01])
        assert values["measured"] == [3, 4]
        assert new.conditions[1] == fs.Condition(sp.Eq(x * u + dn(u), x**2), on="x+")
        assert [type(c).__name__ for c in new.conditions] == ["Robin", "Condition", "Periodic", "Measured"]
        shown = with_data(self.problem(), values={"condition": np.sin}).conditions[1]
        assert isinstance(shown, fs.Condition)
        assert "g(x, y)" in str(shown.equation)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"periodic y": 1}, r"value of Periodic.*zero"),
            ({"symmetry": 1}, r"'symmetry'.*are \['robin x-'"),
            ({"measured": [1, 2, 3]}, r"values\['measured'\].*2 points"),
            ({"robin": [1, 2]}, r"values\['robin'\].*a number"),
        ],
    )
    def test_refused(self, values: Any, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            with_data(self.problem(), values=values)


class TestCorners:
    def test_a_stated_value_counts_like_dirichlet(self) -> None:
        problem = state(fs.Dirichlet(0, on=["x-", "x+", "y-"]), fs.Condition(u - 1, on="y+"))
        assert "'dirichlet x-' and 'condition y+' disagree at x=0, y=1" in corner_conflicts(problem)[0]

    def test_of_periodic_faces(self) -> None:
        start = state(fs.Periodic("x"), fs.Initial(x), equation=HEAT, domain=ROD)
        assert corner_conflicts(start) == [
            "the values of 'initial' at x=0, t=0 and at x=1, t=0 (0 and 1) disagree, which 'periodic x' makes one place"
        ]
        assert not corner_conflicts(
            state(fs.Periodic("x"), fs.Initial(sp.sin(2 * sp.pi * x)), equation=HEAT, domain=ROD)
        )
        sides = state(fs.Periodic("x"), fs.Dirichlet(x * y, on=["y-", "y+"]))
        assert "'dirichlet y+' at x=0, y=1 and at x=1, y=1 (0 and 1)" in corner_conflicts(sides)[0]
        assert len(corner_conflicts(sides)) == 1

    def test_none_elsewhere(self) -> None:
        assert not corner_conflicts(state(fs.Robin(1, 1, 0, on=["x-", "x+"]), fs.Symmetry(["y-", "y+"])))
        assert not corner_conflicts(state(fs.Dirichlet(0), fs.Measured([[0, 0]], 5)))


@pytest.mark.parametrize(("alpha", "beta", "orders"), [(1, 0, {0}), (0, 1, {1}), (1, 1, {0, 1}), (x, 0, {0})])
def test_a_robin_condition_has_no_vanishing_terms(alpha: Any, beta: Any, orders: set[int]) -> None:
    problem = state(fs.Robin(alpha, beta, 0))
    assert all({term.order for term in c.operator.terms} == orders for c in problem.constraints)


def test_a_line_with_a_gap_takes_conditions_on_both_sides_of_it() -> None:
    line = INTERVAL - fs.Interval(0.25, 0.5)
    assert len(state(fs.Dirichlet(x), equation=v.diff(x, 2), domain=line).constraints) == 4
    with pytest.raises(fs.ProblemError, match=r"on 2 intervals takes 4.*got 2"):
        state(fs.Dirichlet(x, on=["x- (1)", "x+ (1)"]), equation=v.diff(x, 2), domain=line)
