"""Values that depend on the outward normal: derivatives of known functions along it, and callables that take it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.geometry import Sites, segment
from fspielm.problem import with_data

x, y, t = sp.symbols("x y t")
U, G = sp.Function("u"), sp.Function("g")
u, w = U(x, y), U(x, t)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
DISK, SQUARE = fs.Disk((1, 0), 2), fs.Box((0, 0), (1, 1))
dn = fs.normal_derivative
KNOWN = sp.exp(x) * sp.sin(y)


def slope(points: FloatArray, normals: FloatArray) -> FloatArray:
    """The normal derivative of KNOWN, written out by hand."""
    gradient = np.exp(points[:, :1]) * np.column_stack([np.sin(points[:, 1]), np.cos(points[:, 1])])
    return np.asarray(np.sum(gradient * normals, axis=1))


# Every condition on the boundary, with a value.
KINDS: dict[str, Callable[[Any], Any]] = {
    "dirichlet": fs.Dirichlet,
    "neumann": fs.Neumann,
    "robin": lambda value: fs.Robin(1, 2, value),
    "condition": lambda value: fs.Condition(sp.Eq(3 * u + dn(u), value)),
}


def sites_of(problem: fs.Problem, n: int = 20) -> Sites:
    return problem.constraints[0].sample(n, np.random.default_rng(1))


def prescribed(problem: fs.Problem, sites: Sites) -> FloatArray:
    return problem.constraints[0].value(sites.points, sites.normals)


class TestKnownExpressions:
    @pytest.mark.parametrize("kind", KINDS)
    def test_values(self, kind: str) -> None:
        problem = fs.Problem(LAPLACE, DISK, KINDS[kind](dn(KNOWN) + x))
        sites = sites_of(problem)
        assert sites.normals is not None
        expected = slope(sites.points, sites.normals) + sites.points[:, 0]
        np.testing.assert_allclose(prescribed(problem, sites), expected, rtol=1e-13)

    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_on_a_face_it_is_a_partial_derivative(self, order: int, values: Any) -> None:
        problem = fs.Problem(LAPLACE, SQUARE, [fs.Neumann(dn(KNOWN, order), on="y-"), fs.Dirichlet(0, on="rest")])
        sites = sites_of(problem)
        expected = (-1) ** order * values(KNOWN.diff(y, order), (x, y), sites.points)
        np.testing.assert_allclose(prescribed(problem, sites), expected, rtol=1e-13)

    def test_never_along_time(self) -> None:
        rod = fs.Interval(0, 1) * fs.Time(0, 1)
        conditions = [fs.Neumann(dn(x**2 * sp.exp(t))), fs.Initial(0)]
        problem = fs.Problem(w.diff(t) - w.diff(x, 2), rod, conditions)
        right = problem.constraints[1]
        sites = right.sample(9, np.random.default_rng(0))
        np.testing.assert_allclose(right.value(sites.points, sites.normals), 2 * np.exp(sites.points[:, 1]), rtol=1e-14)

    def test_with_what_is_given(self) -> None:
        k, g = sp.Symbol("k"), sp.Function("g")(x, y)
        given = {k: 3.0, g.diff(x): lambda p: p[:, 1], g.diff(y): lambda p: p[:, 0]}  # of g = x y
        problem = fs.Problem(LAPLACE, DISK, fs.Robin(1, 1, k * dn(k * x) + dn(g)), given=given)
        sites = sites_of(problem)
        assert sites.normals is not None
        expected = 9 * sites.normals[:, 0] + np.sum(sites.points[:, ::-1] * sites.normals, axis=1)
        np.testing.assert_allclose(prescribed(problem, sites), expected, rtol=1e-13)

    def test_as_coefficients(self) -> None:
        for condition in (fs.Robin(dn(x), 1, 0), fs.Condition(dn(x) * u + dn(u))):
            problem = fs.Problem(LAPLACE, DISK, condition)
            sites = sites_of(problem)
            assert sites.normals is not None
            (term,) = (t for t in problem.constraints[0].operator.terms if t.order == 0)
            np.testing.assert_allclose(term.at(sites), sites.normals[:, 0], rtol=1e-14)

    def test_along_a_curve_inside(self) -> None:
        across = fs.Condition(sp.Eq(dn(u), dn(x * y)), at=segment((0, 0.5), (1, 0.5)))
        problem = fs.Problem(LAPLACE, SQUARE, [across, fs.Dirichlet(0)])
        sites = sites_of(problem)
        np.testing.assert_allclose(prescribed(problem, sites), -sites.points[:, 0], rtol=1e-14)

    def test_as_it_is_shown(self) -> None:
        assert str(dn(sp.sin(x) * y)) == "normal_derivative(y*sin(x))"
        assert sp.latex(dn(x + y)) == r"\partial_n \left(x + y\right)"
        assert r"\partial_n \left(x y\right)" in fs.Problem(LAPLACE, DISK, fs.Robin(1, 1, dn(x * y)))._repr_latex_()
        assert dn(x**2 * y).diff(x) == dn(2 * x * y)

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            (
                lambda: fs.Problem(w.diff(t), fs.Interval(0, 1) * fs.Time(0, 1), fs.Initial(dn(x))),
                r"Initial is normal_derivative\(x\)",
            ),
            (
                lambda: fs.Problem(LAPLACE, DISK, [fs.Dirichlet(0), fs.Measured([[0, 0]], dn(x))]),
                r"Measured.*normal_der.*coordinates",
            ),
            (
                lambda: fs.Problem(LAPLACE, DISK, [fs.Dirichlet(0), fs.Condition(u - dn(x), at=[[0, 0]])]),
                r"^Condition:.*no normal.*inside",
            ),
            (lambda: fs.Problem(LAPLACE - dn(x), DISK, fs.Dirichlet(0)), "contains a normal_derivative"),
        ],
    )
    def test_refused(self, statement: Any, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            statement()


class TestCallables:
    @pytest.mark.parametrize("kind", ["dirichlet", "neumann", "robin"])
    def test_values(self, kind: str) -> None:
        problem = fs.Problem(LAPLACE, DISK, KINDS[kind](slope))
        sites = sites_of(problem)
        assert sites.normals is not None
        np.testing.assert_array_equal(prescribed(problem, sites), slope(sites.points, sites.normals))

    @pytest.mark.parametrize("kind", KINDS)
    def test_given_and_named(self, kind: str) -> None:
        g = sp.Function("g")
        problem = fs.Problem(LAPLACE, DISK, KINDS[kind](2 * g(x, y)), given={g: slope})
        sites = sites_of(problem)
        assert sites.normals is not None
        np.testing.assert_allclose(prescribed(problem, sites), 2 * slope(sites.points, sites.normals), rtol=1e-14)

    @pytest.mark.parametrize("kind", KINDS)
    def test_as_other_data(self, kind: str) -> None:
        problem = with_data(fs.Problem(LAPLACE, DISK, KINDS[kind](0)), values={kind: slope})
        sites = sites_of(problem)
        assert sites.normals is not None
        np.testing.assert_array_equal(prescribed(problem, sites), slope(sites.points, sites.normals))

    @pytest.mark.parametrize("which", [0, 1])
    def test_as_coefficients_of_robin(self, which: int) -> None:
        mixture: list[Any] = [1, 1, 0]
        mixture[which] = lambda points, normals: 2 + normals[:, 1]
        operator = fs.Problem(LAPLACE, DISK, fs.Robin(*mixture)).constraints[0].operator
        sites = DISK.boundary()[0].sample(9, np.random.default_rng(0))
        assert sites.normals is not None
        coefficient = 2 + sites.normals[:, 1]
        expected = coefficient * (sites.normals[:, 0] if which else 1.0)
        np.testing.assert_allclose(operator.terms[which].at(sites), expected, rtol=1e-14)

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            (
                lambda: fs.Problem(w.diff(t), fs.Interval(0, 1) * fs.Time(0, 1), fs.Initial(slope)),
                r"Initial.*slope.*two arguments",
            ),
            (
                lambda: fs.Problem(LAPLACE, DISK, [fs.Dirichlet(0), fs.Measured([[0, 0]], slope)]),
                r"Measured.*slope.*of the points",
            ),
            (
                lambda: with_data(fs.Problem(LAPLACE, DISK, fs.Dirichlet(0)), right_hand_side=slope),
                r"^right_hand_side.*two arguments",
            ),
            (
                lambda: fs.Problem(
                    LAPLACE,
                    DISK,
                    [fs.Dirichlet(0), fs.Condition(u - sp.Function("g")(x, y), at=[[0, 0]])],
                    given={sp.Function("g"): slope},
                ),
                r"g\(x, y\).*two arguments",
            ),
            (
                lambda: fs.Problem(LAPLACE + G(x, y) * u, DISK, fs.Dirichlet(0), {G: slope}),
                r"^the equation's coefficient g.*two",
            ),
        ],
    )  # fmt: skip
    def test_refused_where_there_are_no_normals(self, statement: Any, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            statement()


@pytest.mark.parametrize(
    "condition",
    [
        fs.Robin(1, 2, lambda p, n: np.exp(p[:, 0]) * np.sin(p[:, 1]) + 2 * slope(p, n)),
        fs.Condition(sp.Eq(dn(u) + 3 * u, dn(KNOWN) + 3 * KNOWN)),
    ],
    ids=["callable", "expression"],
)
def test_solved(condition: Any) -> None:
    solution = fs.solve(fs.Problem(LAPLACE, DISK, condition), rng=0)
    points = DISK.sample(100, np.random.default_rng(0))
    assert solution.converged
    exact = np.exp(points[:, 0]) * np.sin(points[:, 1])
    assert np.abs(solution(points) - exact).max() < 1e-8 * np.abs(exact).max()


def test_other_data_of_a_plan() -> None:
    plan = fs.prepare(fs.Problem(LAPLACE, DISK, fs.Robin(3, 1, 0)), rng=0)
    points = DISK.sample(100, np.random.default_rng(0))
    first = plan.solve(values={"robin": 3 * KNOWN + dn(KNOWN)})
    second = plan.solve(values={"robin": lambda p, n: 3 * np.exp(p[:, 0]) * np.sin(p[:, 1]) + slope(p, n)})
    exact = np.exp(points[:, 0]) * np.sin(points[:, 1])
    for solution in (first, second):
        assert np.abs(solution(points) - exact).max() < 1e-8 * np.abs(exact).max()
