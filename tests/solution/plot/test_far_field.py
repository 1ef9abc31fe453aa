"""The far field as a polar picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

x, y, z = sp.symbols("x y z")


def scattered_by(shape: Any, k: complex, coordinates: tuple[sp.Symbol, ...]) -> fs.Solution:
    u = sp.Function("u")(*coordinates)
    equation = sp.Eq(sum(u.diff(c, 2) for c in coordinates) + sp.sympify(k) ** 2 * u, 0)
    direction = (1, *[0] * (len(coordinates) - 1))
    incident = None if isinstance(k, complex) else fs.plane_wave(k, direction)
    value = 1 if incident is None else 0
    return fs.solve(fs.Problem(equation, fs.Exterior(shape), [fs.Dirichlet(value)], incident=incident), tol=1e-4, rng=0)


@pytest.fixture(scope="module")
def disk() -> fs.Solution:
    return scattered_by(fs.Disk((0, 0), 1), 2, (x, y))


def test_in_the_plane_one_curve(disk: fs.Solution, tmp_path: Path) -> None:
    figure = disk.plot_far_field(tmp_path / "far.png", title="Costs $2")
    (axes,) = figure.axes
    (curve,) = axes.lines
    angles, sizes = (np.asarray(data, dtype=float) for data in curve.get_data())
    np.testing.assert_allclose(sizes, np.abs(disk.far_field(angles)), rtol=1e-12)
    assert axes.name == "polar"
    assert axes.get_title() == r"Costs \$2"
    assert axes.get_xlabel() == "|far field|"
    assert (tmp_path / "far.png").stat().st_size > 5000


def test_in_decibels_the_largest_is_zero(disk: fs.Solution) -> None:
    (axes,) = disk.plot_far_field(decibels=True).axes
    (curve,) = axes.lines
    angles, sizes = (np.asarray(data, dtype=float) for data in curve.get_data())
    values = np.abs(disk.far_field(angles))
    np.testing.assert_allclose(sizes, 20 * np.log10(values / values.max()), atol=1e-9)
    assert axes.get_ylim() == (-40, 0)


def test_in_space_a_curve_for_each_plane_of_two_axes() -> None:
    ball = scattered_by(fs.Ball((0, 0, 0), 1), 1, (x, y, z))
    figure = ball.plot_far_field()
    curves = figure.axes[0].lines
    assert [curve.get_label() for curve in curves] == ["$x$, $y$", "$x$, $z$", "$y$, $z$"]
    ahead = np.abs(ball.far_field([[1, 0, 0]]))[0]
    assert [float(np.asarray(curve.get_ydata())[0]) == pytest.approx(ahead) for curve in curves] == [True, True, False]
    assert figure.legends[0].get_title().get_text() == "|far field|"


def test_what_has_no_far_field_says_so(square: fs.Solution, disk: fs.Solution) -> None:
    with pytest.raises(fs.ProblemError, match=r"far_field.*open domains"):
        square.plot_far_field()
    damped = scattered_by(fs.Disk((0, 0), 1), 2 + 0.5j, (x, y))
    with pytest.raises(fs.ProblemError, match=r"far_field.*undamped waves"):
        damped.plot_far_field()
    with pytest.raises(fs.ProblemError, match=r"picture.*end in \.png"):
        disk.plot_far_field("far.txt")
