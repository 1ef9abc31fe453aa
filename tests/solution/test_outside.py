"""Points outside of the domain: nan and one warning, or the functions of the solution as they go on there."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem import as_iterate

x, y, t = sp.symbols("x y t")
u, v = (sp.Function(name)(x, y) for name in "uv")
HARMONIC = x**2 - y**2 + 3 * x
L = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
OUT = np.array([[0.1, 0.2], [3.0, 0.0], [0.3, -0.2], [0.0, 1.01]])


def laplacian(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


@pytest.fixture(scope="module")
def on_disk() -> fs.Solution:
    problem = fs.Problem(sp.Eq(laplacian(u), 0), fs.Disk((0, 0), 1), [fs.Dirichlet(HARMONIC)])
    return fs.solve(problem, tol=1e-6, rng=0)


def value(points: np.ndarray, f: sp.Expr = HARMONIC) -> np.ndarray:
    return np.asarray(sp.lambdify((x, y), f)(*points.T))


def test_nan_and_one_warning(on_disk: fs.Solution) -> None:
    with pytest.warns(fs.OutsideWarning, match=r'2 of 4.*\(3, 0\).*outside="extend"') as caught:
        values = on_disk(OUT)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert np.isnan(values).tolist() == [False, True, False, True]
    inside = [0, 2]
    np.testing.assert_allclose(values[inside], value(OUT[inside]), rtol=0, atol=1e-5)


def test_a_warning_is_one_of_the_user(on_disk: fs.Solution) -> None:
    assert issubclass(fs.OutsideWarning, UserWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.OutsideWarning)
        assert np.isnan(on_disk([[2.0, 0.0]])).all()
    assert on_disk([]).shape == (0,)


def test_the_extension(on_disk: fs.Solution) -> None:
    values = on_disk(OUT, outside="extend")
    assert np.isfinite(values).all()
    assert values[-1] == pytest.approx(value(OUT)[-1], abs=1e-4)
    with pytest.raises(fs.ProblemError, match=r"outside.*'extend'\]; got 'zero'"):
        on_disk(OUT, outside="zero")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "shape"),
    [
        (lambda s, **o: s.gradient(OUT, **o), (4, 2)),
        (lambda s, **o: s.laplacian(OUT, **o), (4,)),
        (lambda s, **o: s.diff(x)(OUT, **o), (4,)),
        (lambda s, **o: s.apply([u**2, u.diff(y)])(OUT, **o), (4, 2)),
        (lambda s, **o: s.abs(OUT, **o), (4,)),
        (lambda s, **o: s.residual(OUT, **o), (4,)),
    ],
)
def test_functions_of_a_solution(on_disk: fs.Solution, ask: Callable[..., np.ndarray], shape: tuple[int, ...]) -> None:
    with pytest.warns(fs.OutsideWarning) as caught:
        values = ask(on_disk)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert values.shape == shape
    assert np.isnan(values).reshape(4, -1).all(axis=1).tolist() == [False, True, False, True]
    assert np.isfinite(ask(on_disk, outside="extend")).all()


@pytest.mark.parametrize(
    "domain",
    [
        fs.Box((0, 0), (0.3, 0.7)),
        fs.Disk((0.1, 0.2), 0.3),
        fs.Ellipse((1, 2), (3, 0.1), angle=0.4),
        fs.Polygon(L, holes=[[(0.3, 0.3), (0.6, 0.3), (0.6, 0.6)]]).rotated(0.7).moved((0.1, 300)),
        fs.LShape((0, 0), 1) - fs.Disk((-0.5, 0.5), 0.2),
        fs.Exterior(fs.Disk((0, 0), 1)),
    ],
    ids=["box", "disk", "ellipse", "polygon", "combination", "exterior"],
)
def test_points_on_the_boundary_are_inside(domain: fs.Domain) -> None:
    from fspielm.solution.evaluation import at_points

    rng = np.random.default_rng(0)
    points = np.concatenate([part.place(rng.random((300, part.parameters))).points for part in domain.boundary()])
    size = float(np.max(np.ptp(np.array(domain.bounding_box), axis=0)))
    for moved in (points, points + 1e-12 * size, points - 1e-12 * size):
        assert np.isfinite(at_points(lambda p: p[:, 0], domain, moved, "nan")).all()


def test_single_precision_is_rounding(on_disk: fs.Solution) -> None:
    angles = np.linspace(0, 2 * np.pi, 1001)
    circle = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    assert np.isfinite(on_disk(circle)).all()


def test_a_system_and_complex_values() -> None:
    problem = fs.Problem(
        [sp.Eq(laplacian(u), v), sp.Eq(laplacian(v), 0)],
        fs.Box((0, 0), (1, 1)),
        [fs.Dirichlet({u: x, v: sp.I * y})],
    )
    solution = fs.solve(problem, tol=1e-3, rng=0)
    with pytest.warns(fs.OutsideWarning) as caught:
        values = solution([[0.5, 0.5], [1.5, 0.5]])
    assert len(caught) == 1
    assert np.isnan(values).tolist() == [[False, False], [True, True]]


def test_time_has_an_end() -> None:
    w = sp.Function("w")(x, t)
    problem = fs.Problem(
        sp.Eq(w.diff(t), w.diff(x, 2)),
        fs.Interval(0, 1) * fs.Time(0, 1),
        [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x))],
    )
    solution = fs.solve(problem, tol=1e-3, rng=0)
    with pytest.warns(fs.OutsideWarning):
        values = solution([[0.5, 1.0], [0.5, 1.1], [0.5, -0.1], [0.5, 0.0]])
    assert np.isnan(values).tolist() == [False, True, True, False]


def test_open_domains_end_at_their_objects() -> None:
    problem = fs.Problem(
        sp.Eq(laplacian(u) + 4 * u, 0),
        fs.Exterior(fs.Disk((0, 0), 1)),
        [fs.Dirichlet(0)],
        incident=fs.plane_wave(2, (1, 0)),
    )
    solution = fs.solve(problem, tol=1e-3, rng=0)
    with pytest.warns(fs.OutsideWarning, match="1 of 3"):
        values = solution([[0.2, 0.0], [40.0, 3.0], [1.0, 0.0]])
    assert np.isnan(values).tolist() == [True, False, False]
    assert np.isfinite(solution.far_field([0.0, 1.0])).all()


def test_what_was_saved(on_disk: fs.Solution, tmp_path: Path) -> None:
    on_disk.save(tmp_path / "it.fspielm")
    again = fs.load(tmp_path / "it.fspielm")
    with pytest.warns(fs.OutsideWarning, match="2 of 4"):
        values = again(OUT)
    assert np.isnan(values).tolist() == [False, True, False, True]
    assert np.isfinite(again(OUT, outside="extend")).all()


def test_pictures_and_files_do_not_warn(on_disk: fs.Solution, tmp_path: Path) -> None:
    on_disk.plot(tmp_path / "it.png", resolution=40)
    on_disk.plot_error(on_disk, tmp_path / "error.png", resolution=40)
    on_disk.to_csv(tmp_path / "it.csv", 11)
    on_disk.to_vtk(tmp_path / "it.vtu", 11)
    assert on_disk.grid(11).values.mask.any()


@pytest.mark.parametrize("wrap", [lambda s: s, lambda s: lambda p: s(p)], ids=["itself", "in a function"])
def test_in_another_problem_a_solution_goes_on(on_disk: fs.Solution, wrap: Callable[[fs.Solution], Any]) -> None:
    f = sp.Function("f")(x, y)
    larger = fs.Problem(sp.Eq(laplacian(u), f), fs.Box((-1, -1), (1, 1)), [fs.Dirichlet(0)], given={f: wrap(on_disk)})
    solution = fs.solve(larger, tol=1e-2, rng=0)
    assert np.isfinite(solution([[0.9, 0.9]])).all()


def test_a_guess_goes_on(on_disk: fs.Solution) -> None:
    problem = fs.Problem(sp.Eq(laplacian(u), u**2 / 50), fs.Disk((0, 0), 1), [fs.Dirichlet(HARMONIC)])
    rim = 0.999 * np.array([[0.6, 0.8], [0.8, -0.6]])
    # differences of a callable reach beyond the circle
    left = problem.residual(as_iterate(problem, lambda points: on_disk(points)), rim)
    np.testing.assert_allclose(left, -(value(rim) ** 2) / 50, rtol=0, atol=1e-2)
