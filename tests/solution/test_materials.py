"""Integrals over interfaces, and exports by region."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import triangulate
from fspielm.solution.integrals import region_mesh

x, y, t = sp.symbols("x y t")
u, a = (sp.Function(name)(x, y) for name in "ua")
BOXES = fs.Regions(left=fs.Box((0, 0), (1, 1)), right=fs.Box((1, 0), (2, 1)))


@pytest.fixture(scope="module")
def solution() -> fs.Solution:
    """With a jump of one: x on the left, 2 + (x - 1)/2 on the right, where conduction is twice as good."""
    exact = fs.ByRegion(left=x, right=2 + (x - 1) / 2)
    flux = (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)
    problem = fs.Problem(
        flux,
        BOXES,
        [fs.Dirichlet(exact), fs.Interface(jump=-1)],
        given={a: fs.ByRegion(left=1.0, right=2.0)},
    )
    return fs.solve(problem, approach="patches", rng=0, tol=1e-6)


def test_integrals_over_an_interface(solution: fs.Solution) -> None:
    assert solution.flux("left | right", a) == pytest.approx(1)
    assert solution.flux("left | right") == pytest.approx(1)
    assert solution.integrate(u * y, on="left | right") == pytest.approx(0.5)
    assert solution.integrate(a * u.diff(x), on=["left | right", "x+"]) == pytest.approx(2)
    with pytest.raises(fs.ProblemError, match=r"'left \| rihgt'.*'left \| right'"):
        solution.flux("left | rihgt")


def test_at_a_time() -> None:
    w, b = (sp.Function(name)(x, t) for name in "ub")
    domain = fs.Regions(left=fs.Interval(0, 1), right=fs.Interval(1, 2)) * fs.Time(0, 1)
    exact = fs.ByRegion(left=x, right=(x + 1) / 2)
    conditions = [fs.Dirichlet(exact), fs.Initial(exact)]
    given = {b: fs.ByRegion(left=1.0, right=2.0)}
    problem = fs.Problem(sp.Eq(w.diff(t), (b * w.diff(x)).diff(x)), domain, conditions, given=given)
    solution = fs.solve(problem, approach="patches", rng=0, tol=1e-6)
    assert solution.flux("left | right", b, at=0.5) == pytest.approx(1)
    assert solution.flux("left | right", b) == pytest.approx(1)


def test_files_tell_regions(solution: fs.Solution, tmp_path: Path) -> None:
    solution.to_csv(tmp_path / "it.csv", 9)
    table = np.genfromtxt(tmp_path / "it.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(table["region"], table["x"] > 1)
    solution.to_vtk(tmp_path / "it.vtu", 9)
    assert re.search(rb'Name="region"', (tmp_path / "it.vtu").read_bytes())


def test_triangles_end_at_interfaces(solution: fs.Solution) -> None:
    mesh = region_mesh(BOXES, 0.2, triangulate)
    assert mesh is not None
    sides = BOXES.region_of(mesh.inner)[mesh.triangles]
    assert np.all(sides == sides[:, :1])
    at_border = np.abs(mesh.points[:, 0] - 1) < 1e-12
    assert sorted(set(np.round(solution(mesh.inner[at_border]), 6))) == [1.0, 2.0]
    corners = mesh.points[mesh.triangles]
    (ax, ay), (bx, by) = ((corners[:, k] - corners[:, 0]).T for k in (1, 2))
    assert np.abs(ax * by - ay * bx).sum() / 2 == pytest.approx(2)
