"""Conditions by themselves, and where on a boundary they hold."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Sites

x, y, r, z, t = sp.symbols("x y r z t")
u = sp.Function("u")(x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
RNG = np.random.default_rng


def state(*conditions: Any, domain: Any = SQUARE) -> fs.Problem:
    return fs.Problem(LAPLACE, domain, conditions)


def names(problem: fs.Problem) -> list[str]:
    return [c.name for c in problem.constraints]


def readable(value: object) -> str:
    """Its text without addresses, which differ from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


class TestStatements:
    @pytest.mark.parametrize(
        "value",
        [0, 1.5, Fraction(1, 3), np.float64(2), np.array(1.0), sp.pi, 1j, sp.I, sp.sin(x), lambda p: p[:, 0], np.sin],
    )
    @pytest.mark.parametrize("kind", [fs.Dirichlet, fs.Neumann, fs.Initial])
    def test_values(self, kind: Any, value: Any) -> None:
        assert kind(value).value is value

    @pytest.mark.parametrize("value", ["0", None, True, [0], (0, 1), np.zeros(3), sp.Eq(x, 0), sp.Matrix([0])])
    @pytest.mark.parametrize("kind", [fs.Dirichlet, fs.Neumann, fs.Initial])
    def test_what_is_no_value(self, kind: Any, value: Any) -> None:
        with pytest.raises(fs.ProblemError, match=rf"^{kind.__name__}: value.*a number"):
            kind(value)

    def test_a_bare_function_is_no_value(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"^Dirichlet: value.*written with"):
            fs.Dirichlet(sp.Function("f"))

    @pytest.mark.parametrize("on", [True, False, np.bool_(0), sp.true, x == 0, sp.Eq(sp.Symbol("p", positive=True), 0)])
    @pytest.mark.parametrize("kind", [fs.Dirichlet, fs.Neumann])
    def test_a_truth_value_says_nothing_about_where(self, kind: Any, on: Any) -> None:
        with pytest.raises(fs.ProblemError, match=rf"^{kind.__name__}: on=.*truth value.*sp\.Eq\(x, 0\)"):
            kind(0, on=on)

    @pytest.mark.parametrize("on", [0, 1.5, [], (), ["x-", 1], [None], {"x-"}, x + 1, b"x-"], ids=repr)
    def test_what_does_not_say_where(self, on: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"^Dirichlet: on must be a part's"):
            fs.Dirichlet(0, on=on)

    @pytest.mark.parametrize("order", [-1, 1.0, "1", None, True])
    def test_initial_orders(self, order: Any) -> None:
        with pytest.raises(fs.ProblemError, match=r"^Initial: order.*whole number"):
            fs.Initial(0, order=order)
        assert fs.Initial(0, order=np.int64(2)).order == 2

    def test_conditions_do_not_change(self) -> None:
        chosen = ["x-", "y-"]
        condition = fs.Dirichlet(0, on=chosen)
        chosen.append("y+")
        assert condition.on == ("x-", "y-")
        assert condition == fs.Dirichlet(0, on=("x-", "y-"))
        with pytest.raises(dataclasses.FrozenInstanceError):
            condition.value = 1  # type: ignore[misc]


class TestNames:
    def test_the_whole_boundary(self) -> None:
        assert names(state(fs.Dirichlet(0))) == [f"dirichlet {part}" for part in ("x-", "x+", "y-", "y+")]

    def test_names_and_lists_of_names(self) -> None:
        problem = state(fs.Dirichlet(0, on=["x-", "x+", "x-"]), fs.Neumann(1, on="y-"), fs.Dirichlet(2, on=("y+",)))
        assert names(problem) == ["dirichlet x-", "dirichlet x+", "neumann y-", "dirichlet y+"]

    def test_faces_are_called_after_the_user_s_own_symbols(self) -> None:
        w = sp.Function("w")(r, z)
        problem = fs.Problem(
            w.diff(r, 2) + w.diff(z, 2),
            SQUARE,
            [fs.Dirichlet(0, on=["r-", "r+"]), fs.Neumann(r, on=["z-", "z+"])],
        )
        assert names(problem) == ["dirichlet r-", "dirichlet r+", "neumann z-", "neumann z+"]
        with pytest.raises(fs.ProblemError, match=r"no part 'x-'.*'r\+'.*'z\+'\]"):
            fs.Problem(w.diff(r, 2) + w.diff(z, 2), SQUARE, [fs.Dirichlet(0, on="x-")])

    def test_shapes_name_their_own_parts(self) -> None:
        assert names(state(fs.Dirichlet(0), domain=fs.Disk((0, 0), 1))) == ["dirichlet circle"]
        assert len(names(state(fs.Dirichlet(0), domain=fs.Pacman()))) == 3

    @pytest.mark.parametrize(
        ("wrong", "near"),
        [("x", "x-"), ("X-", "x-"), ("Y+", "y+"), ("x--", "x-"), (" y-", "y-"), ("x_-", "x-")],
    )
    def test_a_wrong_name_gets_the_right_ones_and_the_nearest(self, wrong: str, near: str) -> None:
        with pytest.raises(fs.ProblemError) as caught:
            state(fs.Neumann(0, on=wrong))
        message = str(caught.value)
        assert re.match(rf"Neumann: .*no part {re.escape(repr(wrong))}.*'x-', 'x\+', 'y-', 'y\+'", message)
        assert message.endswith(f"did you mean {near!r}?")

    def test_nothing_near_no_suggestion(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"no part 'left'.*'y\+'\]$"):
            state(fs.Dirichlet(0, on=["x-", "left"]))


class TestRelations:
    @pytest.mark.parametrize(
        ("on", "expected"),
        [
            (sp.Eq(x, 0), {"x-": 1}),
            (sp.Or(sp.Eq(x, 0), sp.Eq(y, 1)), {"x-": 1, "y+": 1}),
            (x < 0.5, {"x-": 1, "y-": 0.5, "y+": 0.5}),
            (sp.And(x < 0.5, y < 0.25), {"x-": 0.25, "y-": 0.5}),
            (sp.And(sp.Eq(y, 0), x > 0.2, x <= 0.3), {"y-": 0.1}),
            (sp.Ne(x, 0), {"x+": 1, "y-": 1, "y+": 1}),
            (lambda p: p[:, 0] + p[:, 1] < 0.5, {"x-": 0.5, "y-": 0.5}),
            (lambda p: np.abs(p[:, 1] - 1) < 1e-12, {"y+": 1}),
        ],
        ids=readable,
    )
    def test_cover_pieces_of_parts(self, on: Any, expected: dict[str, float]) -> None:
        rest = (lambda p: ~on(p)) if callable(on) else sp.Not(on)
        problem = state(fs.Dirichlet(1, on=on), fs.Neumann(0, on=rest))
        got = {c.part.name: c.measure for c in problem.constraints if c.part and c.condition.kind == "dirichlet"}
        assert got == pytest.approx(expected, abs=2e-3)

    @pytest.mark.parametrize("sampling", ["uniform", "low-discrepancy"])
    def test_samples_lie_in_the_piece_on_the_true_boundary(self, sampling: Any) -> None:
        problem = state(fs.Dirichlet(1, on=sp.And(x < 0.3, y < 0.5)), fs.Neumann(0, on=sp.Or(x >= 0.3, y >= 0.5)))
        for constraint in problem.constraints:
            sites = constraint.sample(200, RNG(0), sampling)
            inside = (sites.points[:, 0] < 0.3) & (sites.points[:, 1] < 0.5)
            assert len(sites) == 200
            assert np.all(inside == (constraint.condition.kind == "dirichlet"))
            assert constraint.part is not None
            assert sites.normals is not None
            axis, side = "xy".index(constraint.part.name[0]), constraint.part.name[1]
            assert np.all(sites.points[:, axis] == (side == "+"))
            assert np.all(sites.normals[:, axis] == (1 if side == "+" else -1))

    def test_the_same_seed_draws_the_same_sites(self) -> None:
        constraint = state(fs.Dirichlet(1, on=x <= 0.3), fs.Dirichlet(0, on=x > 0.3)).constraints[1]
        np.testing.assert_array_equal(constraint.sample(9, RNG(3)).points, constraint.sample(9, RNG(3)).points)

    def test_on_a_curve(self) -> None:
        problem = state(fs.Dirichlet(1, on=y > 0), fs.Neumann(0, on=y <= 0), domain=fs.Disk((0, 0), 2))
        assert names(problem) == ["dirichlet circle", "neumann circle"]
        assert [c.measure for c in problem.constraints] == pytest.approx([2 * np.pi] * 2, rel=2e-3)

    def test_two_on_one_part_get_names_of_their_own(self) -> None:
        problem = state(fs.Dirichlet(1, on=x <= 0.5), fs.Dirichlet(0, on=x >= 0.5))
        assert names(problem).count("dirichlet y-") == 1
        assert "dirichlet y- (2)" in names(problem)
        assert len(set(names(problem))) == len(names(problem))

    def test_at_the_end_of_an_interval(self) -> None:
        v = sp.Function("v")(x)
        problem = fs.Problem(
            v.diff(x, 2), fs.Interval(0, 1), [fs.Dirichlet(0, on=sp.Eq(x, 0)), fs.Neumann(0, on=x > 0.5)]
        )
        assert names(problem) == ["dirichlet x-", "neumann x+"]
        assert problem.constraints[0].sample(10, RNG(0)).points.tolist() == [[0.0]]

    def test_in_time(self) -> None:
        v = sp.Function("v")(x, t)
        problem = fs.Problem(
            v.diff(t) - v.diff(x, 2),
            fs.Interval(0, 1) * fs.Time(0, 2),
            [
                fs.Dirichlet(0, on="x-"),
                fs.Dirichlet(1, on=sp.And(sp.Eq(x, 1), t < 1)),
                fs.Neumann(0, on=(x > 0.5) & (t >= 1)),
                fs.Initial(0),
            ],
        )
        assert {c.name: c.measure for c in problem.constraints} == pytest.approx(
            {"dirichlet x-": 2, "dirichlet x+": 1, "neumann x+": 1, "initial": 1}, rel=2e-3
        )
        assert np.all(problem.constraints[1].sample(50, RNG(0)).points[:, 1] < 1)

    @pytest.mark.parametrize(
        ("on", "message"),
        [
            (x > 2, "on=x > 2 holds nowhere"),
            (sp.Eq(x, 0.5), r"holds nowhere.*less.*'y\+'"),
            (lambda p: p[:, 0] > 5, "<lambda> holds nowhere"),
            (sp.Symbol("q") < 1, r"on=q < 1 contains q.*neither"),
            (sp.Symbol("x", real=True) < 1, r"different assumptions"),
            (x, r"on=x must compare expressions"),
            (lambda p: p[:, 0], r"<lambda>.*boolean.*float64"),
            (lambda p: p < 1, r"boolean.*\(2000,\).*\(2000, 2\)"),
            (lambda p: True, r"boolean.*bool of shape \(\)"),
            (lambda p: p[:5, 0] < 1, "one boolean per point"),
            (lambda p: None, "one boolean per point"),
        ],
        ids=readable,
    )
    def test_what_is_refused(self, on: Any, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            state(fs.Dirichlet(0, on=on))

    def test_a_mask_cannot_move_the_points(self) -> None:
        def careless(points: Any) -> Any:
            points[:] = 0.25
            return np.ones(len(points), dtype=bool)

        problem = state(fs.Dirichlet(0, on=careless))
        assert len(problem.constraints) == 4
        assert problem.constraints[1].sample(5, RNG(0)).points[:, 0].tolist() == [1.0] * 5


class TestOperators:
    def test_dirichlet_is_the_value(self) -> None:
        (term,) = state(fs.Dirichlet(0)).constraints[0].operator.terms
        assert (term.coefficient, term.orders) == (1.0, (0, 0))

    def test_neumann_is_the_derivative_along_the_normal(self) -> None:
        problem = state(fs.Neumann(0), domain=fs.Disk((0, 0), 1))
        sites = problem.constraints[0].sample(20, RNG(0))
        terms = problem.constraints[0].operator.terms
        # the gradient of x*y is (y, x)
        gradient = sites.points[:, ::-1]
        got = sum(term.at(sites) * gradient[:, term.orders.index(1)] for term in terms)
        np.testing.assert_allclose(got, 2 * sites.points[:, 0] * sites.points[:, 1], atol=1e-15)

    def test_neumann_needs_a_boundary(self) -> None:
        with pytest.raises(ValueError, match="needs sites on a boundary"):
            state(fs.Neumann(0)).constraints[0].operator.terms[0].at(Sites(np.zeros((1, 2))))

    def test_initial_is_a_time_derivative(self) -> None:
        v = sp.Function("v")(x, t)
        start = [fs.Initial(0, order=k) for k in range(3)]
        problem = fs.Problem(v.diff(t, 3) + v.diff(x, 2), fs.Interval(0, 1) * fs.Time(0, 1), [fs.Dirichlet(0), *start])
        assert [c.operator.terms[0].orders for c in problem.constraints[2:]] == [(0, k) for k in range(3)]

    def test_the_value_of_a_condition_cannot_contain_the_unknown(self) -> None:
        for value in (u, u.diff(x), sp.Function("u")(0, y)):
            with pytest.raises(fs.ProblemError, match=r"^the value of Neumann.*unknown"):
                state(fs.Neumann(value))

    def test_the_symbols_of_a_value_are_coordinates_or_open(self) -> None:
        assert state(fs.Dirichlet(sp.sin(t))).open_symbols == (t,)
        with pytest.raises(fs.ProblemError, match=r"^the value.*symbol x.*different"):
            state(fs.Dirichlet(sp.sin(sp.Symbol("x", real=True))))
        with pytest.raises(fs.ProblemError, match=r"^the value of Dirichlet.*oo is inf"):
            state(fs.Dirichlet(sp.oo))
