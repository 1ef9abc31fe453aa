"""What is saved comes back to the last bit: every kind of column, any number of coordinates."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import Activation, Basis, CornerFunction, RidgeBasis, SingularBasis, Siren
from fspielm.files import load
from fspielm.files import saved as store
from fspielm.files.saved import stored_form

Make = Callable[..., fs.Solution]
EVERYWHERE = ["1d", "1d+time", "2d", "disk", "cut", "2d+time", "3d", "ball", "3d+time"]


def points_of(solution: fs.Solution, count: int = 3000) -> np.ndarray:
    """Random points of the bounding box."""
    lower, upper = solution.problem.domain.bounding_box
    return np.random.default_rng(1).uniform(lower, upper, (count, len(lower)))


def there_and_back(solution: fs.Solution, folder: Path) -> fs.Solution:
    path = folder / "it.fspielm"
    solution.save(path)
    return fs.load(path)


@pytest.mark.parametrize("domain", EVERYWHERE)
@pytest.mark.parametrize("kind", ["cosine", "sine", "tanh", "joined"])
def test_loaded_evaluates_bit_for_bit(make_solution: Make, tmp_path: Path, domain: str, kind: str) -> None:
    solution = make_solution(domain, kind)
    loaded = there_and_back(solution, tmp_path)
    points = points_of(solution)
    np.testing.assert_array_equal(loaded(points, outside="extend"), solution(points, outside="extend"))
    np.testing.assert_array_equal(loaded.contains(points), solution.contains(points))
    np.testing.assert_array_equal(
        loaded.diff("x")(points[:9], outside="extend"), solution.diff("x")(points[:9], outside="extend")
    )


@pytest.mark.parametrize("kind", ["powers", "waves", "sources -", "sources 0", "sources +"])
def test_corner_functions_and_sources_too(make_solution: Make, tmp_path: Path, kind: str) -> None:
    solution = make_solution("2d", kind)
    np.testing.assert_array_equal(
        there_and_back(solution, tmp_path)(points_of(solution)), solution(points_of(solution))
    )


@pytest.mark.parametrize("squared", [-4, 0, 9])
def test_values_that_jump_too(tmp_path: Path, squared: int) -> None:
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    lid = [fs.Dirichlet(1, on="y+"), fs.Dirichlet(0, on=["x-", "x+", "y-"])]
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + squared * u, 0), fs.Box((0, 0), (1, 1)), lid)
    solution = fs.solve(problem, features=fs.Characteristic(40), singular=True, rng=0)
    points = points_of(solution)
    np.testing.assert_array_equal(
        there_and_back(solution, tmp_path)(points, outside="extend"), solution(points, outside="extend")
    )


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
@pytest.mark.parametrize("squared", [-9, 0, 9])
@pytest.mark.parametrize("order", [1, 2])
def test_exponentials_with_polynomial_factors_too(tmp_path: Path, squared: int, order: int) -> None:
    x, y = sp.symbols("x y")
    image = sp.Function("u")(x, y)
    for _ in range(order):
        image = image.diff(x, 2) + image.diff(y, 2) + squared * image
    conditions = [fs.Dirichlet(sp.exp(x)), fs.Neumann(0)][:order]
    problem = fs.Problem(sp.Eq(image, 0), fs.Disk((0, 0), 1), conditions)
    solution = fs.solve(problem, features=fs.Characteristic(60), rng=0)
    loaded = there_and_back(solution, tmp_path)
    points = points_of(solution)
    np.testing.assert_array_equal(loaded(points, outside="extend"), solution(points, outside="extend"))
    np.testing.assert_array_equal(
        loaded.diff(x, 2)(points[:9], outside="extend"), solution.diff(x, 2)(points[:9], outside="extend")
    )


def test_report_and_estimate_come_back_whole(make_solution: Make, tmp_path: Path) -> None:
    solution = make_solution()
    loaded = there_and_back(solution, tmp_path)
    assert loaded.report == solution.report
    assert str(loaded.report) == str(solution.report)
    assert repr(loaded) == repr(solution)
    assert loaded.error_estimate == solution.error_estimate
    assert loaded.max_error_estimate == np.inf
    assert not loaded.converged
    assert loaded.estimate.residuals == solution.estimate.residuals
    np.testing.assert_array_equal(loaded.estimate.null_function, solution.estimate.null_function)
    np.testing.assert_array_equal(loaded.estimate.null, solution.estimate.null)


def test_the_statement_comes_back_and_is_solved_to_the_same_bits(tmp_path: Path) -> None:
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + 400 * u, 0), fs.Interval(0, 1), [fs.Dirichlet(sp.cos(3 * x))])
    solution = fs.solve(problem, rng=3)
    loaded = there_and_back(solution, tmp_path)
    again = fs.solve(loaded.problem, tol=loaded.report.tol, rng=loaded.report.rng)
    np.testing.assert_array_equal(again.coefficients, solution.coefficients)
    points = np.linspace(0, 1, 5)[:, None]
    np.testing.assert_array_equal(loaded.residual(points), solution.residual(points))


def test_saving_what_was_loaded_gives_the_same_bytes(make_solution: Make, tmp_path: Path) -> None:
    first, second = tmp_path / "a.fspielm", tmp_path / "b.fspielm"
    make_solution("cut", "joined").save(first)
    fs.load(first).save(second)
    assert first.read_bytes() == second.read_bytes()


def test_versions_and_seed_are_in_the_file(make_solution: Make, tmp_path: Path) -> None:
    make_solution().save(tmp_path / "it.fspielm")
    stored = store.read_stored(tmp_path / "it.fspielm")
    assert stored.versions["fspielm"] == fs.__version__
    assert stored.versions["numpy"] == np.__version__
    assert stored.report.rng == 2**127 + 1
    assert stored.fields == ("u",)
    assert 'shape = "Box"' in stored.statement["problem"]


@pytest.mark.parametrize("dtype", [np.complex128, np.float32, np.complex64])
def test_complex_coefficients_of_several_fields(make_solution: Make, tmp_path: Path, dtype: Any) -> None:
    rng = np.random.default_rng(2)
    solution = make_solution("2d", "joined")
    real, imaginary = rng.standard_normal((2, 2, solution.basis.size))
    coefficients = (real + 1j * imaginary if np.iscomplexobj(dtype()) else real).astype(dtype)
    stored = replace(stored_form(solution), fields=("E", "H"), coefficients=coefficients)
    store.write_stored(stored, tmp_path / "it.fspielm")
    back = store.read_stored(tmp_path / "it.fspielm")
    assert back.fields == ("E", "H")
    assert back.coefficients.dtype == dtype
    np.testing.assert_array_equal(back.coefficients, coefficients)
    if dtype is np.complex128:
        points = points_of(solution, 20)
        both = fs.Solution(solution.problem, solution.basis, coefficients, solution.report, lambda: solution.estimate)
        assert both(points).shape == (2, 20)
        np.testing.assert_array_equal(back.solution()(points), both(points))


def test_several_fields_need_as_many_names(make_solution: Make) -> None:
    stored = stored_form(make_solution())
    with pytest.raises(ValueError, match=r"\(7,\) where \(2, 7\)"):
        replace(stored, fields=("E", "H"))


def test_an_estimate_that_was_not_made_is_not_there(tmp_path: Path) -> None:
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    problem = fs.Problem(u.diff(x, 2) + u, fs.Interval(0, 1), [fs.Dirichlet(1)])
    settings = {"features": Siren(30, mu=(2, 9)), "points": fs.Points(interior=60, boundary=1), "rng": 1}
    solution = fs.solve(problem, least_squares=fs.TruncatedSVD(1e-12), **settings)
    loaded = there_and_back(solution, tmp_path)
    assert loaded([[0.5]]) == solution([[0.5]])
    assert loaded.report.error_estimate is None
    with pytest.raises(fs.ProblemError, match=r"error was not estimated.*again"):
        _ = loaded.error_estimate
    known = solution.error_estimate
    assert there_and_back(solution, tmp_path).error_estimate == known


class OtherActivation(Activation):
    def shape(self, order: int) -> tuple[int, float]:
        return order, 1.0

    def derivative(self, z: np.ndarray, order: int) -> np.ndarray:
        return z


class OtherFunction(CornerFunction):
    def derivative(self, polar: Any, order: int, conjugate_order: int) -> Any:
        return polar.zeta


class OtherBasis(Basis):
    size = 7
    dimension = 2

    def fill(self, *arguments: Any) -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("basis", "message"),
    [
        (OtherBasis(), "basis of type OtherBasis"),
        (RidgeBasis(np.ones((7, 2)), np.ones(7), OtherActivation()), "type OtherActivation"),
        (SingularBasis((0, 0), 0, 1, [OtherFunction()]), "type OtherFunction"),
    ],
)
def test_columns_without_a_word_are_refused_and_the_old_file_stays(
    make_solution: Make, tmp_path: Path, basis: Basis, message: str
) -> None:
    solution = make_solution()
    path = tmp_path / "it.fspielm"
    solution.save(path)
    before = path.read_bytes()
    other = replace(solution, basis=basis, coefficients=np.ones(basis.size))
    with pytest.raises(fs.ProblemError, match=message):
        other.save(path)
    assert path.read_bytes() == before


def test_the_example_in_the_documentation() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(load, "load", globs={})
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0
