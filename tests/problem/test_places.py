"""Where conditions hold: thresholds close to a face, the rest of the boundary, names with wildcards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem import with_data

x, y, t = sp.symbols("x y t")
U = sp.Function("u")
u, w = U(x, y), U(x, y, t)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
HEAT = w.diff(t) - w.diff(x, 2) - w.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
HOLES = SQUARE.scaled(4) - fs.Disk((0.1, 0.1), 0.2) - fs.Disk((1, 1), 0.2)

# Every condition that takes `on`, zero there.
KINDS = {
    "dirichlet": lambda on: fs.Dirichlet(0, on=on),
    "neumann": lambda on: fs.Neumann(0, on=on),
    "robin": lambda on: fs.Robin(1, 1, 0, on=on),
    "symmetry": lambda on: fs.Symmetry(on=on),
    "condition": lambda on: fs.Condition(u + u.diff(x), on=on),
}


def state(*conditions: Any, domain: Any = SQUARE, equation: Any = LAPLACE) -> fs.Problem:
    return fs.Problem(equation, domain, conditions)


def names(problem: fs.Problem) -> list[str]:
    return [c.name for c in problem.constraints]


class TestThresholds:
    @pytest.mark.parametrize("width", [1e-4, 1e-6, 1e-9, 1e-12])
    @pytest.mark.parametrize("make", [lambda e: x < e, lambda e: x <= e, lambda e: sp.Abs(x) < e])
    def test_close_to_a_face(self, width: float, make: Any) -> None:
        problem = state(fs.Dirichlet(1, on=make(width)), fs.Neumann(0, on=["x+", "y-", "y+"]))
        assert names(problem)[0] == "dirichlet x-"
        assert problem.constraints[0].measure == 1.0

    @pytest.mark.parametrize("width", [1e-6, 1e-9, 1e-12])
    def test_at_the_far_end_and_between(self, width: float) -> None:
        at_ends = sp.Or(x < width, x > 1 - width)
        problem = state(fs.Dirichlet(1, on=at_ends), fs.Neumann(0, on=~at_ends))
        assert names(problem) == ["dirichlet x-", "dirichlet x+", "neumann y-", "neumann y+"]

    def test_rounding_is_no_threshold(self) -> None:
        turned = SQUARE.rotated(0.3, center=(0, 0)).rotated(-0.3, center=(0, 0))
        found = names(state(fs.Dirichlet(1, on=x <= 0), fs.Neumann(0, on=x > 0), domain=turned))
        assert sorted(found) == ["dirichlet x-", "neumann x+", "neumann y+", "neumann y-"]
        with pytest.raises(fs.ProblemError, match=r"on=x < 0 holds nowhere.*write"):
            state(fs.Dirichlet(1, on=x < 0), domain=turned)

    def test_of_large_numbers(self) -> None:
        ring = fs.Annulus((0, 0), 1e5, 3e5)
        inner = x**2 + y**2 <= 10**10
        problem = state(fs.Dirichlet(1, on=inner), fs.Neumann(0, on=~inner), domain=ring)
        assert names(problem) == ["dirichlet inner", "neumann outer"]


class TestRest:
    @pytest.mark.parametrize("kind", KINDS)
    def test_the_parts_that_no_other_covers(self, kind: str) -> None:
        problem = state(KINDS[kind]("rest"), fs.Dirichlet(1, on=["x-", "y+"]))
        assert names(problem) == [f"{kind} x+", f"{kind} y-", "dirichlet x-", "dirichlet y+"]

    @pytest.mark.parametrize("cut", [x < 0.5, lambda p: p[:, 0] < 0.5], ids=["relation", "callable"])
    def test_beside_masks(self, cut: Any) -> None:
        problem = state(fs.Dirichlet(1, on=cut), fs.Neumann(0, on="rest"))
        rest = [c for c in problem.constraints if c.condition.kind == "neumann"]
        assert [c.name for c in rest] == ["neumann x+", "neumann y-", "neumann y+"]
        assert [c.measure for c in rest] == pytest.approx([1, 0.5, 0.5], abs=1e-3)
        for constraint in rest:
            assert constraint.sample(50, np.random.default_rng(0)).points[:, 0].min() >= 0.5

    def test_beside_periodic_faces_and_at_all_times(self) -> None:
        problem = state(
            fs.Periodic("x"), fs.Dirichlet(0, on="rest"), fs.Initial(0), domain=SQUARE * fs.Time(0, 1), equation=HEAT
        )
        assert [n for n in names(problem) if "dirichlet" in n] == ["dirichlet y-", "dirichlet y+"]

    def test_two_on_the_rest(self) -> None:
        plate = u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4)
        free = [fs.Condition(u.diff(x, 2), on="x-"), fs.Condition(u.diff(x, 3), on="x-")]
        problem = state(fs.Dirichlet(0, on="rest"), fs.Neumann(0, on="rest"), *free, equation=plate)
        assert names(problem)[:6] == [f"{kind} {p}" for kind in ("dirichlet", "neumann") for p in ("x+", "y-", "y+")]

    def test_alone_it_is_all(self) -> None:
        assert names(state(fs.Dirichlet(0, on="rest"))) == names(state(fs.Dirichlet(0)))

    def test_a_part_of_that_name_counts_more(self) -> None:
        triangle = fs.Polygon([(0, 0), (1, 0), (0, 1)], names=["bottom", "rest", "left"])
        problem = state(fs.Dirichlet(0, on="rest"), fs.Neumann(0, on=["bottom", "left"]), domain=triangle)
        assert names(problem)[0] == "dirichlet rest"
        with pytest.raises(fs.ProblemError, match="part 'bottom' has 0 of the 1"):
            state(fs.Dirichlet(0, on="rest"), domain=triangle)

    def test_other_data_keep_the_place(self) -> None:
        problem = state(fs.Dirichlet(1, on=x < 0.5), fs.Neumann(0, on="rest"))
        renewed = with_data(problem, values={"neumann": 2})
        again = fs.read_problem(fs.write_problem(renewed))
        assert sorted(names(again)) == sorted(names(problem))

    @pytest.mark.parametrize(
        ("conditions", "message"),
        [
            ([fs.Dirichlet(0), fs.Neumann(0, on="rest")], r'^Neumann: on="rest".*every part'),
            ([fs.Robin(1, 1, 0, on=x >= 0), fs.Neumann(0, on="rest")], r"^Neumann:.*\['x-', 'x\+'.*'y\+'\]"),
            ([fs.Dirichlet(0, on=["x-", "rest"])], r"^Dirichlet: 'rest' stands alone"),
        ],
    )
    def test_refused(self, conditions: Any, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            state(*conditions)


class TestWildcards:
    @pytest.mark.parametrize("kind", KINDS)
    def test_names_of_one_form(self, kind: str) -> None:
        problem = state(KINDS[kind]("circle*"), fs.Dirichlet(0, on=["x?", "y-", "y*"]), domain=HOLES)
        assert names(problem)[:2] == [f"{kind} circle (1)", f"{kind} circle (2)"]
        assert sorted(names(problem)[2:]) == [f"dirichlet {part}" for part in ("x+", "x-", "y+", "y-")]

    def test_the_order_in_which_parts_are_named(self) -> None:
        problem = state(fs.Dirichlet(0, on=["y+", "[xy]-", "*"]))
        assert names(problem) == [f"dirichlet {part}" for part in ("y+", "x-", "y-", "x+")]

    def test_a_name_of_its_own_counts_more(self) -> None:
        triangle = fs.Polygon([(0, 0), (1, 0), (0, 1)], names=["a*", "ab", "c"])
        problem = state(fs.Dirichlet(0, on="a*"), fs.Neumann(0, on=["ab", "c"]), domain=triangle)
        assert names(problem)[0] == "dirichlet a*"

    @pytest.mark.parametrize("kind", KINDS)
    def test_nothing_of_the_form(self, kind: str) -> None:
        with pytest.raises(fs.ProblemError, match=rf"^{kind.capitalize()}: .*no part.*'z\*'.*'x-', 'x\+'"):
            state(KINDS[kind](["x-", "z*"]))
