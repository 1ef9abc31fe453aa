"""Callables cannot be stored: that is said, and evaluation works all the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain

Make = Callable[..., fs.Solution]
x, y = sp.symbols("x y")


def source(points: np.ndarray) -> np.ndarray:
    return points[:, 0]


def loaded_without(solution: fs.Solution, folder: Path, what: str) -> fs.Solution:
    path = folder / "it.fspielm"
    with pytest.warns(fs.StorageWarning, match=rf"^saved without.*: .*{what}") as caught:
        solution.save(path)
    assert caught[0].filename == __file__
    return fs.load(path)


def test_a_callable_is_named_and_evaluation_works(make_solution: Make, tmp_path: Path) -> None:
    f = sp.Function("f")
    solution = make_solution("disk", "sine", source=f(x, y), given={f: source})
    loaded = loaded_without(solution, tmp_path, r"given\[f\] is a callable")
    points = np.random.default_rng(0).uniform(-0.3, 0.7, (50, 2))
    np.testing.assert_array_equal(loaded(points), solution(points))
    np.testing.assert_array_equal(loaded.grid(9).values, solution.grid(9).values)
    np.testing.assert_array_equal(loaded.laplacian(points), solution.laplacian(points))
    assert loaded.problem.domain == solution.problem.domain
    assert loaded.integrate() == solution.integrate()
    assert loaded.report == solution.report
    assert repr(loaded.problem.equation) == repr(solution.problem.equation)


@pytest.mark.parametrize("needs", [lambda s: fs.solve(s.problem), lambda s: s.residual([[0.1, 0.1]])])
def test_what_needs_the_statement_says_what_is_missing(
    make_solution: Make, tmp_path: Path, needs: Callable[[fs.Solution], object]
) -> None:
    solution = make_solution("2d", conditions=[fs.Dirichlet(source)])
    loaded = loaded_without(solution, tmp_path, r"Dirichlet.*callable source")
    with pytest.raises(fs.ProblemError, match=r"not saved with.*callable source"):
        needs(loaded)


def test_solving_again_by_hand_says_it_too(make_solution: Make, tmp_path: Path) -> None:
    loaded = loaded_without(make_solution("2d", conditions=[fs.Dirichlet(source)]), tmp_path, "Dirichlet")
    with pytest.raises(fs.ProblemError, match=r"statement.*not saved"):
        fs.solve(loaded.problem, features=fs.Siren(9, mu=(1, 2)), points=fs.Points(interior=20, boundary=5))


def test_a_stand_in_can_be_saved_and_loaded_again(make_solution: Make, tmp_path: Path) -> None:
    solution = make_solution("2d", conditions=[fs.Dirichlet(source)])
    once = loaded_without(solution, tmp_path, "Dirichlet")
    again = tmp_path / "again.fspielm"
    with pytest.warns(fs.StorageWarning, match=r"saved without.*callable source"):
        once.save(again)
    twice = fs.load(again)
    assert twice([[0.5, 0.5]]) == solution([[0.5, 0.5]])
    assert repr(twice.problem.equation) == repr(solution.problem.equation)
    with pytest.raises(fs.ProblemError, match=r"\(Dirichlet.*callable source"):
        twice.residual([[0.5, 0.5]])


class Sector(Domain):
    """A shape of the user's own, which files have no word for."""

    dimension = 2
    measure = 0.5
    bounding_box = (np.zeros(2), np.ones(2))

    def _contains(self, points: np.ndarray, closed: bool) -> np.ndarray:
        return points.sum(axis=1) <= 1

    def _boundary(self, axes: object) -> tuple[fs.shapes.Box, ...]:
        return fs.Box((0, 0), (1, 1)).boundary()

    def __repr__(self) -> str:
        return "Sector()"


def test_a_domain_without_a_word_leaves_its_box(make_solution: Make, tmp_path: Path) -> None:
    made = make_solution("2d")
    u = sp.Function("u")(x, y)
    problem = fs.Problem(u.diff(x, 2) + u.diff(y, 2), Sector(), [fs.Dirichlet(0)])
    solution = replace(made, problem=problem)
    loaded = loaded_without(solution, tmp_path, r"no word.*Sector\(\)")
    assert loaded([[0.2, 0.2]]) == solution([[0.2, 0.2]])
    with pytest.warns(fs.OutsideWarning):
        assert np.isnan(loaded([[7.0, 0.2]])).all()
    assert repr(loaded.problem.domain) == "Sector()"
    np.testing.assert_array_equal(loaded.problem.domain.bounding_box, Sector.bounding_box)
    for needs in (
        lambda: loaded.contains([[0, 0]]),
        lambda: loaded.integrate(),
        lambda: loaded.problem.domain.boundary(),
    ):
        with pytest.raises(fs.ProblemError, match=r"statement.*not saved.*Sector"):
            needs()
