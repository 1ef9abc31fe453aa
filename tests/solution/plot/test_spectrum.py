"""`Solution.plot_spectrum`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import COSINE, JoinedBasis, RidgeBasis
from fspielm.errors import ProblemError

x, y, t = sp.symbols("x y t")
Solve = Callable[..., fs.Solution]


def solve_automatically(domain: Any, coordinates: tuple[sp.Symbol, ...], exact: sp.Expr) -> fs.Solution:
    """An automatic solve of a Helmholtz equation with the solution `exact`."""
    u = sp.Function("u")(*coordinates)
    laplacian = sum(u.diff(c, 2) for c in coordinates)
    data = (laplacian - u).subs(u, exact).doit()
    problem = fs.Problem(sp.Eq(laplacian - u, data), domain, [fs.Dirichlet(exact)])
    return fs.solve(problem, tol=1e-3, rng=0, approach="band")


def test_one_coordinate_by_hand(solve: Solve) -> None:
    s = sp.Symbol("sigma")
    solution = solve(fs.Interval(0, 2), (s,), sp.sin(30 * s))
    figure = solution.plot_spectrum()
    figure.canvas.draw()
    above, below = figure.axes
    assert above.get_title() == "60 chosen frequencies"
    np.testing.assert_array_equal(above.lines[0].get_xdata(), solution.basis.W[:, 0])  # type: ignore[attr-defined]
    assert below.get_xlabel() == r"frequency along $\sigma$"
    assert len(below.lines) == 1  # no band
    assert figure.legends == []


def test_one_coordinate_automatic() -> None:
    solution = solve_automatically(fs.Interval(0, 2), (x,), sp.sin(40 * x))
    figure = solution.plot_spectrum()
    figure.canvas.draw()
    _, below = figure.axes
    energy, *edges = below.lines
    frequencies, values = energy.get_data()
    assert abs(frequencies[np.argmax(values)]) == pytest.approx(40, abs=1)
    assert values.max() == 1
    band = solution.report.bands["x"].frequency
    assert [edge.get_xdata()[0] for edge in edges] == [-band, band]
    assert figure.legends[0].get_texts()[0].get_text() == f"band found: \u00b1{band:.4g} in $x$"


def test_two_coordinates_automatic() -> None:
    solution = solve_automatically(fs.Box((0, 0), (1, 2)), (x, y), sp.sin(25 * x) * sp.cos(5 * y))
    figure = solution.plot_spectrum()
    figure.canvas.draw()
    chosen, energy = figure.axes[:2]
    assert len(chosen.collections[0].get_offsets()) == solution.report.neurons
    bands = [solution.report.bands[name].frequency for name in "xy"]
    for panel in (chosen, energy):
        (box,) = panel.patches
        np.testing.assert_allclose(box.get_bbox().get_points(), [[-b for b in bands], bands])
    assert (chosen.get_xlabel(), chosen.get_ylabel()) == ("frequency along $x$", "frequency along $y$")
    mesh = energy.collections[0]
    values = np.asarray(mesh.get_array()).reshape(301, 301)
    row, column = np.unravel_index(np.argmax(values), values.shape)
    reach = [panel_limits[1] for panel_limits in (energy.get_xlim(), energy.get_ylim())]
    at = [abs(np.linspace(-1, 1, 301)[index]) * r for index, r in zip((column, row), reach, strict=True)]
    np.testing.assert_allclose(at, (25, 5), atol=1)


def test_two_coordinates_and_time_by_hand(solve: Solve) -> None:
    solution = solve(fs.Pacman() * fs.Time(0, 2), (x, y, t), (x + y) * t)
    figure = solution.plot_spectrum()
    figure.canvas.draw()
    chosen, energy = figure.axes[:2]
    np.testing.assert_allclose(
        np.sort(np.asarray(chosen.collections[0].get_offsets()), axis=0),
        np.sort(solution.basis.W[:, :2], axis=0),  # type: ignore[attr-defined]
    )
    assert energy.get_title().endswith("at $t$ = 1")
    assert list(energy.patches) == []


def test_space_and_time_automatic() -> None:
    u = sp.Function("u")(x, t)
    exact = sp.sin(6 * x) * sp.exp(-t)
    problem = fs.Problem(
        sp.Eq(u.diff(t) - u.diff(x, 2), exact.diff(t) - exact.diff(x, 2)),
        fs.Interval(0, 1) * fs.Time(0, 1),
        [fs.Dirichlet(exact), fs.Initial(sp.sin(6 * x))],
    )
    figure = fs.solve(problem, tol=1e-3, rng=0).plot_spectrum()
    figure.canvas.draw()
    assert figure.axes[0].get_ylabel() == "frequency along $t$"
    assert "in $t$" in figure.legends[0].get_texts()[0].get_text()


def test_joined_features_show_those_with_a_frequency(solve: Solve) -> None:
    solution = solve(fs.Interval(0, 1), (x,), x)
    half = RidgeBasis(solution.basis.W[:30], solution.basis.b[:30], COSINE)  # type: ignore[attr-defined]
    joined = replace(solution, basis=JoinedBasis([half, half]))
    assert joined.plot_spectrum().axes[0].get_title() == "60 chosen frequencies"


def test_a_zero_solution_can_be_drawn(solve: Solve) -> None:
    for solution in (
        solve(fs.Interval(0, 1), (x,), sp.Integer(0) * x),
        solve(fs.Box((0, 0), (1, 1)), (x, y), sp.Integer(0) * x),
    ):
        zero = replace(solution, coefficients=np.zeros_like(solution.coefficients))
        zero.plot_spectrum().canvas.draw()


def test_is_saved_where_a_path_is_given(solve: Solve, tmp_path: Path) -> None:
    solution = solve(fs.Interval(0, 1), (x,), x)
    solution.plot_spectrum(tmp_path / "a.png")
    assert os.listdir(tmp_path) == ["a.png"]
    with pytest.raises(ProblemError, match="must end in"):
        solution.plot_spectrum(tmp_path / "a.xyz")


def test_without_matplotlib_the_remedy_is_named(solve: Solve, monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solve(fs.Interval(0, 1), (x,), x)
    monkeypatch.setattr("fspielm.geometry.pictures.find_spec", lambda name: None)
    with pytest.raises(ProblemError, match=r"fspielm\[plot\]"):
        solution.plot_spectrum()
