"""Solutions of several unknowns and of complex values, saved and loaded: to the same bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import ComplexPairs, Component, DerivedBasis, JoinedBasis, ModeBasis
from fspielm.files import archive
from fspielm.files import saved as store

x, y = sp.symbols("x y")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
DISK = fs.Disk((0, 0), 1)
SWIRL = {u: -y * sp.exp(x * y), v: x * sp.exp(x * y)}


def laplacian(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def stokes(*forces: sp.Expr) -> fs.Problem:
    balance = [sp.Eq(-laplacian(f) + p.diff(s), g) for f, s, g in zip((u, v), (x, y), forces, strict=True)]
    # that nothing flows out of the disk: u n_x + v n_y = 0
    return fs.Problem([*balance, sp.Eq(u.diff(x) + v.diff(y), 0)], DISK, [fs.Dirichlet(SWIRL)], unknowns=[v, u, p])


def lossy() -> fs.Problem:
    return fs.Problem(laplacian(u) + (9 + sp.I) * u, DISK, [fs.Dirichlet(sp.exp(sp.I * x * y))])


def impedance() -> fs.Problem:
    wave = sp.exp(3 * sp.I * x) + sp.exp(sp.I * (2 * x - sp.sqrt(5) * y))
    return fs.Problem(
        laplacian(u) + 9 * u, DISK, [fs.Robin(-3 * sp.I, 1, fs.normal_derivative(wave) - 3 * sp.I * wave)]
    )


def damped() -> fs.Problem:
    field, index = sp.exp(sp.I * x * y) * sp.sin(2 * x + y), 9 + sp.I * (2 + x)
    return fs.Problem(sp.Eq(laplacian(u) + index * u, laplacian(field) + index * field), DISK, [fs.Dirichlet(field)])


@pytest.fixture(scope="module")
def slow_flow() -> fs.Solution:
    return fs.solve(stokes(sp.Integer(0), sp.Integer(0)), rng=1, tol=1e-4)


@pytest.fixture
def there_and_back(tmp_path: Path) -> Callable[[fs.Solution], fs.Solution]:
    def go(solution: fs.Solution) -> fs.Solution:
        solution.save(tmp_path / "it.fspielm")
        return fs.load(tmp_path / "it.fspielm")

    return go


@pytest.mark.parametrize(
    ("problem", "kind", "complex_basis"),
    [
        (stokes(sp.Integer(0), sp.Integer(0)), ModeBasis, False),
        (stokes(sp.sin(x * y), sp.cos(x + 2 * y)), Component, False),
        (lossy(), ModeBasis, True),
        (impedance(), None, False),
        (damped(), None, False),
    ],
    ids=["modes", "components", "complex modes", "complex coefficients", "complex band"],
)
def test_the_same_bits(
    there_and_back: Callable[[fs.Solution], fs.Solution],
    tmp_path: Path,
    problem: fs.Problem,
    kind: type | None,
    complex_basis: bool,
) -> None:
    solution = fs.solve(problem, tol=1e-6, rng=1)
    assert kind is None or any(isinstance(leaf, kind) for leaf in solution.basis.leaves)
    assert (solution.basis.dtype.kind == "c") == complex_basis
    loaded = there_and_back(solution)
    points = np.random.default_rng(0).uniform(-0.6, 0.6, (2000, 2))
    values = loaded(points)
    assert values.dtype == solution.dtype
    np.testing.assert_array_equal(values, solution(points))
    np.testing.assert_array_equal(loaded.residual(points[:9]), solution.residual(points[:9]))
    np.testing.assert_array_equal(loaded[u].diff(x)(points[:9]), solution[u].diff(x)(points[:9]))
    assert loaded.problem.names == solution.problem.names
    assert [r.name for r in loaded.problem.relations] == [r.name for r in problem.relations]
    assert loaded.report == solution.report
    assert str(loaded.report) == str(solution.report)
    assert loaded.estimate.fields == solution.estimate.fields
    assert loaded[u].error_estimate == solution[u].error_estimate
    first = (tmp_path / "it.fspielm").read_bytes()
    there_and_back(loaded)
    assert (tmp_path / "it.fspielm").read_bytes() == first


def test_solved_again_to_the_same_bits(there_and_back: Callable[[fs.Solution], fs.Solution]) -> None:
    solution = fs.solve(lossy(), rng=5)
    loaded = there_and_back(solution)
    again = fs.solve(loaded.problem, tol=loaded.report.tol, rng=loaded.report.rng)
    np.testing.assert_array_equal(again.coefficients, solution.coefficients)


def test_one_field_is_saved_without_the_equations(there_and_back: Callable[[fs.Solution], fs.Solution]) -> None:
    solution = fs.solve(stokes(sp.Integer(0), sp.Integer(0)), rng=1)[u]
    with pytest.warns(fs.StorageWarning, match=r"u is one.*unknowns of a system"):
        loaded = there_and_back(solution)
    points = np.random.default_rng(0).uniform(-0.6, 0.6, (20, 2))
    np.testing.assert_array_equal(loaded(points), solution(points))
    assert loaded.error_estimate == solution.error_estimate
    with pytest.raises(fs.ProblemError, match=r"statement.*not saved"):
        loaded.residual(points)


def test_a_system_with_a_callable_evaluates(there_and_back: Callable[[fs.Solution], fs.Solution]) -> None:
    wall = {
        u: lambda points: -points[:, 1] * np.exp(points[:, 0]),
        v: lambda points: points[:, 0] * np.exp(points[:, 0]),
    }
    problem = stokes(sp.Integer(0), sp.Integer(0))
    solution = fs.solve(fs.Problem(list(problem.statement.equations), DISK, [fs.Dirichlet(wall)]), rng=1, tol=1e-6)
    with pytest.warns(fs.StorageWarning, match="saved without its statement"):
        loaded = there_and_back(solution)
    points = np.random.default_rng(0).uniform(-0.6, 0.6, (20, 2))
    np.testing.assert_array_equal(loaded(points), solution(points))
    np.testing.assert_array_equal(loaded[v].laplacian(points), solution[v].laplacian(points))
    assert loaded.problem.names == solution.problem.names
    assert len(loaded.problem.statement.equations) == 3
    with pytest.raises(fs.ProblemError, match=r"statement.*not saved"):
        loaded.residual(points)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content["basis"].update(unknown=7), "unknown must be one of"),
        (lambda content: content["basis"].update(components=True), "is not of type int"),
        (lambda content: content["basis"].update(kind="modes"), "KeyError"),
        (lambda content: content.update(fields=["v"]), "coefficients of shape"),
        (lambda content: content.update(fields=["p", "u", "v"]), r"p, u, v.*unknowns are v, u, p"),
    ],
)
def test_content_that_was_never_written(
    tmp_path: Path, slow_flow: fs.Solution, change: Callable[..., None], message: str
) -> None:
    solution = slow_flow
    basis = Component(solution.basis.field(0, solution.coefficients)[0], 0, 3)
    made = fs.Solution(solution.problem, basis, np.ones(basis.size), solution.report, solution.estimate)
    path = tmp_path / "it.fspielm"
    made.save(path)
    content, arrays = archive.read_archive(path)
    change(content)
    path.write_bytes(archive.pack(content, arrays))
    with pytest.raises(fs.ProblemError, match=message):
        fs.load(path)


@pytest.mark.parametrize("complex_coefficient", [False, True])
def test_fields_in_holes(there_and_back: Callable[[fs.Solution], fs.Solution], complex_coefficient: bool) -> None:
    holed = DISK - fs.Disk((0.1, 0), 0.3)
    if complex_coefficient:
        problem = fs.Problem(laplacian(u) + (9 + sp.I) * u, holed, [fs.Dirichlet(sp.log(x**2 + y**2))])
    else:
        problem = fs.Problem([laplacian(u) + v, laplacian(v)], holed, [fs.Dirichlet({u: x, v: sp.log(x**2 + y**2)})])
    solution = fs.solve(problem, tol=1e-6, rng=1)
    leaves = [leaf for leaf in solution.basis.leaves if isinstance(leaf, DerivedBasis)]
    assert leaves
    assert all(isinstance(leaf.basis, ComplexPairs) == complex_coefficient for leaf in leaves)
    points = holed.sample(50, np.random.default_rng(0))
    np.testing.assert_array_equal(there_and_back(solution)(points), solution(points))


def test_bases_within_bases(tmp_path: Path, make_solution: Callable[..., fs.Solution]) -> None:
    plain = make_solution("2d", "joined").basis
    basis = JoinedBasis([Component(plain, 1, 3, 0.3), Component(plain, 0, 3)])
    problem = stokes(sp.Integer(0), sp.Integer(0))
    base = make_solution("2d")
    coefficients = np.random.default_rng(0).standard_normal(basis.size) * (1 + 1j)
    solution = fs.Solution(problem, basis, coefficients, base.report, base.estimate)
    solution.save(tmp_path / "it.fspielm")
    stored = store.read_stored(tmp_path / "it.fspielm")
    assert stored.fields == ("v", "u", "p")
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (9, 2))
    np.testing.assert_array_equal(stored.solution()(points), solution(points))


def test_the_order_of_unknowns_is_kept(tmp_path: Path) -> None:
    u, v = (sp.Function(name)(x, y) for name in "uv")
    equations = [sp.Eq(f.diff(x, 2) + f.diff(y, 2), 0) for f in (u, v)]
    first, conditions = [[0.2, 0.3]], [fs.Dirichlet({v: x, u: y})]
    for order in (None, [u, v]):
        problem = fs.Problem(equations, fs.Box((0, 0), (1, 1)), conditions, unknowns=order)
        solution = fs.solve(problem, tol=1e-6, rng=0)
        solution.save(tmp_path / "it.fspielm")
        loaded = fs.load(tmp_path / "it.fspielm")
        assert solution.names == loaded.names == (("v", "u") if order is None else ("u", "v"))
        np.testing.assert_allclose(solution(first), [[0.2, 0.3] if order is None else [0.3, 0.2]], atol=1e-5)
        np.testing.assert_array_equal(loaded(first), solution(first))
