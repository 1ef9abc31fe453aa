"""Solutions of several materials come back to the last bit."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.files.saved_bases import describe_cells, read_cells

x, y = sp.symbols("x y")
u, a = (sp.Function(name)(x, y) for name in "ua")
BOXES = fs.Regions(left=fs.Box((0, 0), (1, 1)), right=fs.Box((1, 0), (2, 1)))


def flux(of: sp.Expr) -> sp.Expr:
    return (of * u.diff(x)).diff(x) + (of * u.diff(y)).diff(y)


def medium(points: np.ndarray) -> np.ndarray:
    return np.full(len(points), 2.0)


@cache
def solved(problem: fs.Problem) -> fs.Solution:
    return fs.solve(problem, approach="patches", tol=0.05, rng=0)


def regions() -> fs.Problem:
    exact = fs.ByRegion(left=x, right=1 + (x - 1) / 2)
    return fs.Problem(sp.Eq(flux(a), 0), BOXES, [fs.Dirichlet(exact)], given={a: fs.ByRegion(left=1.0, right=2.0)})


def piecewise() -> fs.Problem:
    layers = sp.Piecewise((1, x < 1), (2, True))
    exact = sp.Piecewise((x, x < 1), ((x + 1) / 2, True))
    return fs.Problem(flux(layers), fs.Box((0, 0), (2, 1)), [fs.Dirichlet(exact)])


@cache
def crossing() -> fs.Problem:
    upper, right = y > sp.Rational(1, 2), x > 1
    board = sp.Piecewise((10, sp.Or(sp.And(upper, right), sp.And(y < sp.Rational(1, 2), x < 1))), (1, True))
    return fs.Problem(flux(board), fs.Box((0, 0), (2, 1)), [fs.Dirichlet(x + y**2)])


@pytest.mark.parametrize("make", [regions, piecewise, crossing])
def test_loaded_evaluates_bit_for_bit(make: Callable[[], fs.Problem], tmp_path: Path) -> None:
    solution = solved(make())
    solution.save(tmp_path / "it.fspielm")
    loaded = fs.load(tmp_path / "it.fspielm")
    points = np.random.default_rng(1).uniform((-0.1, -0.1), (2.1, 1.1), (1000, 2))
    for other in (loaded, pickle.loads(pickle.dumps(loaded)), pickle.loads(pickle.dumps(solution))):
        np.testing.assert_array_equal(other(points, outside="extend"), solution(points, outside="extend"))
        assert other.report == solution.report
    assert [line.name for line in loaded.problem.interfaces] == [line.name for line in solution.problem.interfaces]
    np.testing.assert_array_equal(loaded.residual(points[:9] * 0.5 + 0.2), solution.residual(points[:9] * 0.5 + 0.2))


def test_regions_are_known_without_the_statement(tmp_path: Path) -> None:
    given = {a: fs.ByRegion(left=1.0, right=medium), a.diff(x): fs.ByRegion(left=0, right=0)}
    given |= {a.diff(y): fs.ByRegion(left=0, right=0)}
    exact = fs.ByRegion(left=x, right=1 + (x - 1) / 2)
    solution = solved(fs.Problem(sp.Eq(flux(a), 0), BOXES, [fs.Dirichlet(exact)], given=given))
    with pytest.warns(fs.StorageWarning, match="saved without its statement"):
        solution.save(tmp_path / "it.fspielm")
    points = BOXES.sample(200, np.random.default_rng(0))
    np.testing.assert_array_equal(fs.load(tmp_path / "it.fspielm")(points), solution(points))


def test_borders_are_not(tmp_path: Path) -> None:
    layers = sp.Piecewise((1, x < 1), (2, True))
    exact = sp.Piecewise((x, x < 1), ((x + 1) / 2, True))
    problem = fs.Problem(
        flux(layers) + a, fs.Box((0, 0), (2, 1)), [fs.Dirichlet(exact)], given={a: lambda p: 0 * p[:, 0]}
    )
    with pytest.raises(fs.ProblemError, match=r"several materials.*callable"):
        solved(problem).save(tmp_path / "it.fspielm")


def test_functions_where_materials_meet_are_checked() -> None:
    solution = solved(crossing())
    (basis,) = solution.basis.on_cells
    assert len(basis.meeting)
    arrays: dict[str, np.ndarray] = {}
    content = describe_cells(basis, arrays, "it")
    known = arrays["it.meeting"]
    for wrong in (known[:, :-1], np.where(known == known, np.nan, known), known[::-1], known + 99 * np.eye(1, 14)):
        with pytest.raises(ValueError, match="where materials meet"):
            read_cells(content, arrays | {"it.meeting": wrong}, "it", solution.problem.material_of)
    gaps = known.copy()
    gaps[:, 2] += 1
    with pytest.raises(ValueError, match="have gaps"):
        read_cells(content, arrays | {"it.meeting": gaps}, "it", solution.problem.material_of)
