"""Sides of a polygon that nobody named: conditions and integrals take them one by one."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
SQUARE = [(0, 0), (0, 1), (1, 1), (1, 0)]  # clockwise: the first side is the left one
LAPLACE = sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0)


def problem(domain: fs.Domain, **where: object) -> fs.Problem:
    given = fs.Dirichlet(x, on=where["dirichlet"])
    return fs.Problem(LAPLACE, domain, [given, fs.Neumann(0, on=where["neumann"])])


def test_a_side_is_a_piece_of_the_outline() -> None:
    stated = problem(fs.Polygon(SQUARE), dirichlet=["side 1", "side 3"], neumann="rest")
    assert [part.name for part in stated.domain.boundary()] == ["outline"]
    names = [relation.name for relation in stated.constraints]
    assert names[:2] == ["dirichlet side 1", "dirichlet side 3"]
    left = stated.constraints[0].region.sample(50, np.random.default_rng(0)).points
    assert np.allclose(left[:, 0], 0.0)
    assert np.ptp(left[:, 1]) > 0.8
    assert stated.constraints[0].region.measure == pytest.approx(1.0)


@pytest.mark.parametrize("neumann", ["rest", ["side 2", "side 4"], "side [24]"])
def test_a_problem_by_sides_is_solved(neumann: object) -> None:
    solution = fs.solve(problem(fs.Polygon(SQUARE), dirichlet=["side 1", "side 3"], neumann=neumann), tol=1e-6)
    assert solution.converged
    points = np.array([[0.3, 0.2], [0.7, 0.9]])
    assert solution(points) == pytest.approx(points[:, 0], abs=1e-6)
    assert solution.integrate(u, on="side 3") == pytest.approx(1.0, abs=1e-6)
    assert solution.flux(["side 1"]) == pytest.approx(-1.0, abs=1e-5)
    assert solution.integrate(1, on="outline") == pytest.approx(4.0)


def test_the_outline_is_all_sides() -> None:
    whole = fs.Problem(LAPLACE, fs.Polygon(SQUARE), [fs.Dirichlet(x, on="outline")])
    assert [relation.name for relation in whole.constraints] == ["dirichlet outline"]
    assert whole.constraints[0].mask is None
    for form in ("outline*", "*", "*line"):
        same = fs.Problem(LAPLACE, fs.Polygon(SQUARE), [fs.Dirichlet(x, on=form)])
        assert same.constraints[0].mask is None
    covered = [fs.Dirichlet(x, on=["side 1", "side 2", "side 3", "side 4"])]
    assert len(fs.Problem(LAPLACE, fs.Polygon(SQUARE), covered).constraints) == 4


def test_sides_keep_their_names_in_other_shapes() -> None:
    frame = fs.Polygon(SQUARE, name="frame").rotated(0.3).moved((2, 0)) - fs.Disk((2.5, 0.5), 0.2)
    stated = problem(frame, dirichlet=["circle", "frame.side 1"], neumann="rest")
    assert [relation.name for relation in stated.constraints][:2] == ["dirichlet circle", "dirichlet frame.side 1"]
    cut = fs.Polygon(SQUARE) - fs.Box((-0.5, 0.4), (0.5, 0.6))
    region = problem(cut, dirichlet="side 1", neumann="rest").constraints[0].region
    points = region.sample(200, np.random.default_rng(0)).points
    assert region.measure == pytest.approx(0.8)
    assert np.allclose(points[:, 0], 0.0)
    assert not np.any((points[:, 1] > 0.4 + 1e-9) & (points[:, 1] < 0.6 - 1e-9))
    assert region.mask is not None
    assert region.mask(points).all()


def test_sides_at_all_times() -> None:
    v = sp.Function("v")(x, y, t)
    heat = sp.Eq(v.diff(t), v.diff(x, 2) + v.diff(y, 2))
    domain = fs.Polygon(SQUARE) * fs.Time(0, 2)
    conditions = [fs.Initial(0), fs.Dirichlet(1, on="side 3"), fs.Neumann(0, on="rest")]
    region = fs.Problem(heat, domain, conditions).constraints[1].region
    points = region.sample(50, np.random.default_rng(0)).points
    assert region.measure == pytest.approx(2.0)
    assert np.allclose(points[:, 0], 1.0)
    assert points[:, 2].max() > 1.5


def test_a_wrong_name_lists_the_sides() -> None:
    with pytest.raises(fs.ProblemError, match=r"'outline'.*side 1, side 2.*mean"):
        problem(fs.Polygon(SQUARE), dirichlet="side 5", neumann="rest")
    round_one = [(np.cos(a), np.sin(a)) for a in np.linspace(0, 6, 40)]
    with pytest.raises(fs.ProblemError, match=r"side 1, side 2.*\.\.\., side 40"):
        problem(fs.Polygon(round_one), dirichlet="top", neumann="rest")
    with pytest.raises(fs.ProblemError, match="a whole part is needed"):
        fs.Problem(LAPLACE, fs.Polygon(SQUARE), [fs.Periodic(("side 1", "side 3"))])
    named = fs.Polygon(SQUARE, names=["a", "b", "c", "d"])
    with pytest.raises(fs.ProblemError, match=r"parts are \['d', 'c', 'b', 'a'\]$"):
        problem(named, dirichlet="side 1", neumann="rest")


def test_problem_files_name_sides(tmp_path: object) -> None:
    stated = problem(fs.Polygon(SQUARE), dirichlet=["side 1", "side 3"], neumann="rest")
    path = f"{tmp_path}/square.toml"
    fs.write_problem(stated, path)
    names = [relation.name for relation in fs.read_problem(path).constraints]
    assert names == [relation.name for relation in stated.constraints]
