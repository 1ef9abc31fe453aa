"""Derivatives, expressions, residuals and grids of solutions, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, t, k = sp.symbols("x y t k")
u = sp.Function("u")(x, y)
EXACT = sp.sin(3 * x) * sp.exp(y) + x


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.6, 0.6, (50, 2))


def exact(expression: sp.Expr, points: np.ndarray) -> np.ndarray:
    return np.broadcast_to(sp.lambdify((x, y), expression)(*points.T), len(points))


def close(values: np.ndarray, expression: sp.Expr, points: np.ndarray) -> bool:
    return np.allclose(values, exact(expression, points), rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "along", [(x,), ("x",), (x, 2), (x, 1, y, 1), (x, y), ("x", "y", 2), (y, 0), (y, sp.Integer(3)), (x, np.int64(1))]
)
def test_differentiates_as_sympy_does(on_disk: fs.Solution, points: np.ndarray, along: tuple[Any, ...]) -> None:
    steps = [sp.Symbol(a) if isinstance(a, str) else int(a) if isinstance(a, np.integer) else a for a in along]
    assert close(on_disk.diff(*along)(points), EXACT.diff(*steps), points)


def test_derivatives_are_differentiated_again(on_disk: fs.Solution, points: np.ndarray) -> None:
    field = on_disk.diff(x).diff(y)
    assert close(field(points), EXACT.diff(x, y), points)
    assert repr(field) == "Derived(Derivative(u(x, y), x, y))"


@pytest.mark.parametrize(
    ("along", "message"),
    [
        ((), r"diff.*one coordinate.*got none"),
        (("q",), r"diff.*coordinates.*got 'q'"),
        ((2,), "got 2"),
        ((x, 1, 2), "got 2"),
        ((x, -1), "got -1"),
        ((x, True), "got True"),
        ((sp.Symbol("x", real=True),), "got x"),
    ],
)
def test_refuses_other_derivatives(on_disk: fs.Solution, along: tuple[Any, ...], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        on_disk.diff(*along)


def test_gradient_and_laplacian(on_disk: fs.Solution, points: np.ndarray) -> None:
    gradient = on_disk.gradient(points)
    assert gradient.shape == (50, 2)
    assert close(gradient[:, 0], EXACT.diff(x), points)
    assert close(gradient[:, 1], EXACT.diff(y), points)
    assert close(on_disk.laplacian(points), EXACT.diff(x, 2) + EXACT.diff(y, 2), points)


def test_gradient_and_laplacian_leave_out_time(in_time: fs.Solution) -> None:
    points = np.array([[0.2, 0.5], [0.7, 1.5]])
    expected = np.exp(-points[:, 1]) * np.array([2, -4])[:, None] * [np.cos(2 * points[:, 0]), np.sin(2 * points[:, 0])]
    assert np.allclose(in_time.gradient(points), expected[0][:, None], rtol=0, atol=1e-6)
    assert np.allclose(in_time.laplacian(points), expected[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "expression",
    [
        u**2,
        -k * u.diff(x),
        x * u * u.diff(y, 2) + sp.cos(y),
        sp.sqrt(1 + u**2),
        sp.Derivative(x * u**2, x),
        x + y,
        3,
        u,
    ],
)
def test_applies_any_expression(on_disk: fs.Solution, points: np.ndarray, expression: Any) -> None:
    expected = sp.sympify(expression).subs({u: EXACT, k: 2}).doit()
    assert close(on_disk.apply(expression)(points), expected, points)


def test_applies_vectors(on_disk: fs.Solution, points: np.ndarray) -> None:
    for vector in ([-u * u.diff(x), u.diff(y)], sp.Matrix([-u * u.diff(x), u.diff(y)])):
        field = on_disk.apply(vector)
        values = field(points)
        assert values.shape == (50, 2)
        assert close(values[:, 0], -EXACT * EXACT.diff(x), points)
        assert close(field.diff(x)(points)[:, 1], EXACT.diff(x, y), points)
    assert repr(field).startswith("Derived([-u(x, y)*")


def test_more_can_be_given(on_disk: fs.Solution, points: np.ndarray) -> None:
    q, f = sp.Symbol("q"), sp.Function("f")
    values = on_disk.apply(q * f(x, y) * u, given={q: 3, f: lambda p: p[:, 0] + p.shape[1]})(points)
    assert close(values, 3 * (x + 2) * EXACT, points)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("u**2", r"expression.*SymPy.*'u\*\*2'"),
        (None, "got None"),
        (True, "got True"),
        (sp.Eq(u, 0), r"expression must.*SymPy"),
        ([], "at least one component"),
        (sp.Symbol("q") * u, r"symbol q.*neither.*\{q: 1.0"),
        (sp.Symbol("x", real=True) * u, r"one name.*assumptions"),
        (u.subs(y, 0), r"u\(x, 0\).*unknown is u\(x, y\)"),
        (sp.Integral(u, (x, 0, 1)), "at other places than the point"),
        (sp.Function("f")(x, y) * u, r"f\(x, y\), which is not given"),
        (fs.normal_derivative(sp.Function("v")(x, y)), r"only.*u\(x, y\).*normal_derivative"),
    ],
)
def test_refuses_other_expressions(on_disk: fs.Solution, expression: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        on_disk.apply(expression)


def test_normal_derivatives_need_a_boundary(on_disk: fs.Solution, points: np.ndarray) -> None:
    field = on_disk.apply(fs.normal_derivative(u))
    with pytest.raises(fs.ProblemError, match=r"boundary alone; integrate.*on="):
        field(points)


def test_residual_is_that_of_the_equation(on_disk: fs.Solution, points: np.ndarray) -> None:
    residual = on_disk.residual(points)
    right = EXACT.diff(x, 2) + EXACT.diff(y, 2) + 2 * EXACT
    assert np.allclose(residual, on_disk.apply(u.diff(x, 2) + u.diff(y, 2) + k * u - right)(points), rtol=0, atol=1e-9)
    assert 0 < np.abs(residual).max() < 1e-7


def test_many_points_in_slabs(on_disk: fs.Solution, points: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, residual = on_disk.apply(u**2)(points), on_disk.residual(points)
    monkeypatch.setattr("fspielm.solution.fields.SLAB", 7)
    monkeypatch.setattr("fspielm.solution.fields.SLAB", 7)
    rounding = 1e-13 * on_disk.report.coefficient_norm
    assert np.allclose(on_disk.apply(u**2)(points), whole, rtol=0, atol=10 * rounding)
    assert np.allclose(on_disk.residual(points), residual, rtol=0, atol=100 * rounding)


# --- points -------------------------------------------------------------------------------------

METHODS = ["__call__", "gradient", "laplacian", "residual", "contains"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[0.0, 0.0], [np.nan, 0.5]], r"points.*finite.*\[nan, 0.5\].*1"),
        ([[np.inf, 0.0]], r"points.*finite.*\[inf, 0.0\].*0"),
        ([[0.0]], r"points.*shape \(n, 2\)"),
        ([[0j, 1j]], r"points.*real.*complex128"),
        ([[None, 0.0]], r"points.*real.*object"),
        ([["a", "b"]], "points must be real numbers"),
        ([[0.0, 0.0], [0.0]], "got rows of different lengths"),
    ],
)
def test_bad_points_are_refused(on_disk: fs.Solution, method: str, bad: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        getattr(on_disk, method)(bad)


@pytest.mark.parametrize("method", METHODS)
def test_no_points_give_no_values(on_disk: fs.Solution, method: str) -> None:
    assert len(getattr(on_disk, method)(np.empty((0, 2)))) == 0
    assert on_disk.gradient([]).shape == (0, 2)


def test_points_outside_are_told(on_disk: fs.Solution) -> None:
    points = [[0.0, 0.0], [1.0, 0.0], [1.01, 0.0]]
    assert on_disk.contains(points).tolist() == [True, True, False]


# --- grids --------------------------------------------------------------------------------------


def test_grid_masks_what_is_outside(on_disk: fs.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = on_disk.grid((21, 11))
    assert grid.names == ("x", "y")
    assert [len(axis) for axis in grid.axes] == [21, 11]
    assert grid.values.shape == (21, 11)
    across, up = np.meshgrid(*grid.axes, indexing="ij")
    points = np.column_stack([across.ravel(), up.ravel()])
    assert np.array_equal(grid.values.mask.ravel(), ~on_disk.contains(points))
    inside = ~grid.values.mask
    assert np.allclose(grid.values[inside], exact(EXACT, points)[inside.ravel()], rtol=0, atol=1e-8)
    assert np.isnan(grid.values.data[~inside]).all()
    monkeypatch.setattr("fspielm.solution.fields.SLAB", 10)
    assert np.allclose(on_disk.grid((21, 11)).values, grid.values, rtol=0, atol=1e-13)


def test_grid_of_a_derivative_and_with_time(on_disk: fs.Solution, in_time: fs.Solution) -> None:
    assert on_disk.diff(x).grid(5).values.shape == (5, 5)
    grid = in_time.grid([4, 3])
    assert grid.names == ("x", "t")
    assert grid.axes[1].tolist() == [0, 1, 2]
    assert not grid.values.mask.any()


@pytest.mark.parametrize("n", [1, 0, 2.5, True, (3,), (3, 3, 3), "33", None])
def test_refuses_other_grids(on_disk: fs.Solution, n: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"\bn must be.*every axis, 2 or more"):
        on_disk.grid(n)


def test_a_vector_has_no_grid(on_disk: fs.Solution) -> None:
    with pytest.raises(fs.ProblemError, match=r"grid.*one value at a point"):
        on_disk.apply([u, u]).grid(3)


def test_spectrum_has_its_energy_where_the_solution_has(on_disk: fs.Solution, in_time: fs.Solution) -> None:
    energy = on_disk.spectrum()
    assert energy.values.shape == tuple(len(axis) for axis in energy.axes)
    assert energy.values.max() == 1.0
    peak = np.unravel_index(energy.values.argmax(), energy.values.shape)
    assert abs(energy.axes[0][peak[0]]) == pytest.approx(3, abs=2)
    assert in_time.spectrum().values.ndim == 2


def test_a_spectrum_needs_frequencies() -> None:
    v = sp.Function("v")(x)
    problem = fs.Problem(sp.Eq(v.diff(x, 2), 0), fs.Interval(0, 1), [fs.Dirichlet(x)])
    assert fs.solve(problem, rng=0).spectrum().values.ndim == 1
    with pytest.raises(fs.ProblemError, match=r"spectrum.*have frequencies"):
        fs.solve(problem, features=fs.Tanh(20, mu=(1, 3)), rng=0).spectrum()


def test_a_grid_beyond_memory_is_refused(make_solution: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"points.*fit into memory"):
        make_solution().grid(10**7)
