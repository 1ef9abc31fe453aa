"""Both sides of a slab are found, however thin it is and however its condition is written."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.problem.substitutions import in_sheets

x, y = sp.symbols("x y")


def borders_of(inside: sp.Basic, left: float) -> list[float]:
    """Where an equation on [left, 2] that has a coefficient within a slab finds the slab's sides."""
    u = sp.Function("u")(x)
    slab = sp.Piecewise((10, inside), (0, True))
    problem = fs.Problem(sp.Eq(u.diff(x, 2) - slab * u, 0), fs.Interval(left, 2), [fs.Dirichlet(1)])
    return sorted(float(line.part.place(np.empty((1, 0))).points[0, 0]) for line in problem.interfaces)


@pytest.mark.parametrize("half", [1e-2, 1e-6, 1e-7])
@pytest.mark.parametrize(("center", "left"), [(1.4944, 0.5), (1e-4, -1)])
def test_both_sides_of_a_slab_are_where_they_should_be(center: float, left: float, half: float) -> None:
    places = borders_of((x - center) ** 2 < half**2, left)
    np.testing.assert_allclose(places, [center - half, center + half], rtol=0, atol=1e-15)


def test_a_polynomial_whose_zeros_cannot_be_worked_out_is_searched() -> None:
    places = borders_of(sp.Float("1e50") * (x - 1) ** 2 + x**4 < sp.Float("1e48"), 0.5)
    np.testing.assert_allclose(places, [0.9, 1.1], rtol=0, atol=1e-9)


# ---- In the plane


def slab_in_square(inside: sp.Basic) -> fs.Problem:
    """A source on a slab across the unit square, of the form of sin(pi y) along it."""
    u = sp.Function("u")(x, y)
    source = sp.Piecewise((sp.sin(sp.pi * y), inside), (0, True))
    return fs.Problem(sp.Eq(u - u.diff(x, 2) - u.diff(y, 2), source), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])


def series_of_slab(points: np.ndarray, low: float, high: float) -> np.ndarray:
    """Its exact solution: Green's function of ``m**2 - d2/dx2`` integrated over the slab."""
    m, at = np.sqrt(np.pi**2 + 1), points[:, 0]
    left, right = np.clip(at, low, high) - low, np.clip(at, low, high)
    below = np.sinh(m * (1 - at)) * (np.cosh(m * (low + left)) - np.cosh(m * low))
    above = np.sinh(m * at) * (np.cosh(m * (1 - right)) - np.cosh(m * (1 - high)))
    return np.asarray(np.sin(np.pi * points[:, 1]) * (below + above) / (m**2 * np.sinh(m)))


SLABS = {
    "absolute value": sp.Abs(x - 0.37) < 0.004,
    "square": (x - 0.37) ** 2 < 1.6e-5,
    "multiplied out": x**2 - 0.74 * x + 0.136884 < 0,
    "root": sp.sqrt((x - 0.37) ** 2) < 0.004,
    "largest": sp.Max(x - 0.374, 0.366 - x) < 0,
    "above": sp.Not(sp.Abs(x - 0.37) > 0.004),
}


@pytest.mark.parametrize("inside", SLABS.values(), ids=SLABS)
def test_both_sides_of_a_slab_are_different_materials(inside: sp.Basic) -> None:
    problem = slab_in_square(inside)
    assert len(problem.interfaces) == 2
    left, within, right = problem.material_of(np.array([[0.3, 0.5], [0.37, 0.5], [0.4, 0.5]])).tolist()
    assert left != within != right != left


@pytest.mark.parametrize("half", [4e-3, 3.5e-4])
def test_a_thin_source_between_two_sheets_counts(half: float) -> None:
    solution = fs.solve(slab_in_square(sp.Abs(x - 0.37) < half), tol=1e-2, rng=0)
    points = np.random.default_rng(0).random((500, 2))
    exact = series_of_slab(points, 0.37 - half, 0.37 + half)
    assert solution.converged
    assert np.linalg.norm(solution(points) - exact) < 1e-2 * np.linalg.norm(exact)


@pytest.mark.parametrize(
    "condition",
    [
        sp.Abs(x) + sp.Abs(y) < 0.3,
        sp.Max(sp.Abs(x), sp.Abs(y - 0.1)) < 0.3,
        sp.Min(x, 2 * y) >= 0.2,
        0.2 - sp.Abs(x**2 + y**2 - 0.5) > 0,
        (x - y) * (x**2 + y**2 - 1) > 0,
        x**3 - 2 * x + 0.1 < 0,
        x**4 > 0.1,
        -(x**2) * (x - 0.5) > 0,
        sp.Abs(sp.sin(3 * x)) < 0.5,
        sp.Abs(x - y) < sp.Abs(x + y),
        x**2 < -1,
        x**2 + x < sp.pi,
        x**2 - x < sp.sqrt(2),
    ],
    ids=str,
)
def test_conditions_in_sheets_hold_where_they_held(condition: sp.Basic) -> None:
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (2000, 2))
    held = [
        np.broadcast_to(sp.lambdify((x, y), each, "numpy")(*points.T), 2000)
        for each in (condition, in_sheets(condition))
    ]
    np.testing.assert_array_equal(*held)


@pytest.mark.parametrize("half", [1e-2, 2e-4, 1e-6])
@pytest.mark.parametrize("across", [x - 0.37, x - y / 3 - 0.2, sp.sqrt((x - 0.5) ** 2 + 2 * (y - 0.4) ** 2) - 0.3])
def test_the_sheets_of_a_wave_are_found_however_close(across: sp.Expr, half: float) -> None:
    problem = slab_in_square(sp.cos(across) > sp.cos(half))
    (line,) = problem.interfaces[:1]
    assert len(line.curves) == 2


def test_slabs_beside_simple_numbers_keep_their_width() -> None:
    slab = sp.And(x > 0.5, x < 0.5 + 2e-9)
    places = sorted(float(line.part.place(np.zeros((1, 1))).points[0, 0]) for line in slab_in_square(slab).interfaces)
    np.testing.assert_allclose(np.diff(places), 2e-9, rtol=1e-6)
