"""What systems leave open, and how it is fixed."""

from __future__ import annotations

import re

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.collocation import make_blocks

x, y, z, t = sp.symbols("x y z t")
RNG = np.random.default_rng


def stokes(*, time: bool = False, traction: bool = False) -> fs.Problem:
    coordinates = (x, y, t) if time else (x, y)
    u, v, p = (sp.Function(name)(*coordinates) for name in "uvp")
    equations = [(f.diff(t) if time else 0) - f.diff(x, 2) - f.diff(y, 2) + p.diff(s) for f, s in ((u, x), (v, y))]
    square = fs.Box((0, 0), (1, 1))
    conditions: list[object] = [fs.Dirichlet({u: 0, v: 0}, on=["x-", "y-", "y+"] if traction else None)]
    if traction:
        conditions += [fs.Condition(sp.Eq(u.diff(x), p), on="x+"), fs.Condition(v.diff(x), on="x+")]
    if time:
        conditions.append(fs.Initial({u: 0, v: 0}))
    domain = square * fs.Time(0, 2) if time else square
    return fs.Problem([*equations, u.diff(x) + v.diff(y)], domain, conditions, unknowns=[u, v, p])


def loose_body(dimension: int, held: str = "") -> fs.Problem:
    """An elastic body under traction all round, or held at one side."""
    X = (x, y, z)[:dimension]
    body = [sp.Function(name)(*X) for name in "uvw"[:dimension]]
    dilation = sum(f.diff(s) for f, s in zip(body, X, strict=True))
    equations = [sum(f.diff(r, 2) for r in X) + dilation.diff(s) for f, s in zip(body, X, strict=True)]
    conditions: list[object] = []
    for i, name in enumerate("xyz"[:dimension]):
        for side in (f"{name}-", f"{name}+"):
            if side == held:
                conditions.append(fs.Dirichlet(dict.fromkeys(body, 0), on=side))
                continue
            conditions += [fs.Condition(f.diff(X[i]) + body[i].diff(s), on=side) for f, s in zip(body, X, strict=True)]
    return fs.Problem(equations, fs.Box((0,) * dimension, (1,) * dimension), conditions, unknowns=body)


def added(problem: fs.Problem) -> list[str]:
    return [r.name for r in problem.relations if r.condition is None and r.region.kind != "domain"]


class TestPressure:
    def test_its_mean_is_zero(self) -> None:
        problem = stokes()
        assert added(problem) == ["mean of p"]
        (remark,) = problem.remarks
        assert re.search(r"mean of p.*zero was chosen", remark)

    def test_a_traction_fixes_it(self) -> None:
        assert added(stokes(traction=True)) == []
        assert stokes(traction=True).remarks == ()

    def test_at_all_times(self) -> None:
        problem = stokes(time=True)
        assert added(problem) == ["mean of p"]
        assert "the mean of p at all times" in problem.remarks[0]
        block = make_blocks(problem, fs.Points(interior=9, boundary=9, initial=9).draw(problem, RNG(0)))[-1]
        assert len(block) == 100
        assert block.sites % 100 == 0
        times = block.pieces[0][1].points[:, -1].reshape(100, -1)
        np.testing.assert_array_equal(times[:, 0], times[:, -1])
        assert 0 < times.min() < 0.01
        assert 1.99 < times.max() < 2

    def test_rows_are_means(self) -> None:
        problem = stokes(time=True)
        block = make_blocks(problem, fs.Points(interior=9, boundary=9, initial=9).draw(problem, RNG(0)))[-1]
        ((operator, sites),) = block.pieces
        assert operator.unknowns == {2}
        X, _, T = sites.points.T
        np.testing.assert_allclose(operator.terms[0].at(sites), 1.0)
        np.testing.assert_allclose(block.summed(X**2 * T), T.reshape(100, -1)[:, 0] / 3, rtol=1e-12)
        assert len(block.first(3)) == 3
        assert len(block.first(3).pieces[0][1]) == 3 * len(block.sum_weights)  # type: ignore[arg-type]


class TestBodies:
    def test_three_motions_in_the_plane(self) -> None:
        problem = loose_body(2)
        assert added(problem) == ["mean of u", "mean of v", "motion of u and v"]
        turning = problem.relations[-1].operator
        points = fs.Box((0, 0), (1, 1)).quadrature(9).sites
        along = [sum(t.at(points) for t in turning.part(i).terms) for i in range(2)]
        slope = np.polyfit(points.points[:, 1] - 0.5, along[0], 1)[0]
        np.testing.assert_allclose(along[0], slope * (points.points[:, 1] - 0.5), atol=1e-12)
        np.testing.assert_allclose(along[1], -slope * (points.points[:, 0] - 0.5), atol=1e-12)

    def test_six_in_space(self) -> None:
        names = added(loose_body(3))
        assert names[:3] == ["mean of u", "mean of v", "mean of w"]
        assert sorted(names[3:]) == ["motion of u and v", "motion of u and w", "motion of v and w"]

    def test_none_where_it_is_held(self) -> None:
        assert added(loose_body(2, held="x-")) == []

    def test_names_are_different(self) -> None:
        """Two bodies that do not touch, in one list."""
        f, g = (sp.Function(name)(x, y) for name in "fg")
        conditions = [fs.Neumann({f: 0, g: 0})]
        problem = fs.Problem([f.diff(x, 2) + f.diff(y, 2), g.diff(x, 2) + g.diff(y, 2)], fs.Disk((0, 0), 1), conditions)
        assert added(problem) == ["mean of f", "mean of g"]
        assert len({relation.name for relation in problem.relations}) == len(problem.relations)


def test_one_unknown_is_left_to_the_user() -> None:
    f = sp.Function("f")(x, y)
    assert added(fs.Problem(f.diff(x, 2) + f.diff(y, 2), fs.Disk((0, 0), 1), fs.Neumann(0))) == []


def test_complex_fields_that_nothing_sees() -> None:
    """Of ``grad(u + i v) = 0`` the constants with ``u + i v = 0`` are left, beside a condition on u - i v."""
    f, g = (sp.Function(name)(x, y) for name in "fg")
    equations = [
        (f + sp.I * g).diff(x, 2) + (f + sp.I * g).diff(y, 2),
        (f - sp.I * g).diff(x, 2) + (f - sp.I * g).diff(y, 2),
    ]
    normal = fs.normal_derivative
    conditions = [
        fs.Condition(normal(f) + sp.I * normal(g)),
        fs.Condition(f - sp.I * g),
    ]
    problem = fs.Problem(equations, fs.Box((0, 0), (1, 1)), conditions)
    assert added(problem) == ["mean of f and g"]
    first, second = (problem.relations[-1].operator.part(i).terms[0] for i in range(2))
    sites = fs.Box((0, 0), (1, 1)).quadrature(4).sites
    np.testing.assert_allclose(np.conj(second.at(sites) / first.at(sites)), -1j, atol=1e-12)


def test_a_pressure_in_time_is_found() -> None:
    """With exact data, and only its mean at every time left open."""
    u, p = (sp.Function(name)(x, t) for name in "up")
    exact, pressure = sp.sin(3 * t), sp.cos(2 * x + 5 * t)
    equations = [
        sp.Eq(u.diff(t) - u.diff(x, 2) + p.diff(x), exact.diff(t) + pressure.diff(x)),
        u.diff(x),
    ]
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    problem = fs.Problem(equations, domain, [fs.Dirichlet({u: exact}), fs.Initial({u: 0})])
    assert added(problem) == ["mean of p"]
    solution = fs.solve(problem)
    assert solution.converged
    points = domain.sample(200, RNG(2))
    X, T = points.T
    mean = (np.sin(2 + 5 * T) - np.sin(5 * T)) / 2
    np.testing.assert_allclose(solution[u](points), np.sin(3 * T), atol=1e-8)
    np.testing.assert_allclose(solution[p](points), np.cos(2 * X + 5 * T) - mean, atol=1e-7)
