"""`Solution.plot_error` and `Solution.plot_residual`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.solution.plot.style import error_range

x, y, t = sp.symbols("x y t")
EXACT = sp.sin(2 * x) * sp.cos(y)


def number_in(title: str) -> float:
    mantissa, exponent = re.findall(r"\$([\d.]+) \\times 10\^\{(-?\d+)\}\$", title)[0]
    return float(mantissa) * 10.0 ** int(exponent)


def test_the_error_is_a_map_in_decades_with_the_norm_above(square: fs.Solution) -> None:
    figure = square.plot_error(EXACT, resolution=24)
    figure.canvas.draw()
    (panel,) = figure.axes
    assert type(panel.images[0].norm).__name__ == "LogNorm"
    points = np.random.default_rng(1).random((4000, 2)) * (2, 1)
    exact = np.sin(2 * points[:, 0]) * np.cos(points[:, 1])
    relative = np.linalg.norm(square(points) - exact) / np.linalg.norm(exact)
    assert panel.get_title().startswith("relative $L^2$ error")
    assert number_in(panel.get_title()) == pytest.approx(relative, rel=0.2)
    assert panel.child_axes[0].get_ylabel() == "|$u$ \N{MINUS SIGN} exact|"


def test_expression_callable_and_solution_say_the_same(square: fs.Solution, line: fs.Solution) -> None:
    def double(points: Any) -> Any:
        return 2 * square(points)

    by_callable = square.plot_error(double, resolution=16).axes[0]
    assert number_in(by_callable.get_title()) == pytest.approx(0.5)
    same = square.plot_error(square, resolution=16).axes[0]
    assert same.get_title() == "relative $L^2$ error 0"
    figure = line.plot_error(sp.sin(3 * x))
    assert figure.axes[0].get_yscale() == "log"
    assert figure.axes[0].lines[0].get_ydata().max() < 1e-6
    assert "root mean square error" in square.plot_error(0, resolution=16).axes[0].get_title()


def test_the_error_over_time(pacman: fs.Solution) -> None:
    figure = pacman.plot_error((x + y) * t, resolution=16)
    figure.canvas.draw()
    assert len(figure.axes) == 4
    assert "relative" in figure.get_suptitle()
    assert len(pacman.plot_error((x + y) * t, time=1.0, resolution=16).axes) == 1


@pytest.mark.parametrize(
    ("exact", "message"),
    [
        ("sin(x)", "exact must be a number"),
        (sp.Symbol("q"), "exact contains the symbol q"),
        (sp.Function("u")(x, y), r"exact.*known.*unknown"),
        (lambda points: np.zeros(3), r"exact:.*one value per point"),
        (1 / sp.Symbol("x") * 0 + sp.log(x - 5), "exact is .* at x="),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_wrong_exact_is_refused(square: fs.Solution, exact: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        square.plot_error(exact, resolution=16)


def test_a_solution_with_other_coordinates_is_refused(square: fs.Solution, line: fs.Solution) -> None:
    with pytest.raises(ProblemError, match=r"exact.*1 coordinates.*has 2"):
        square.plot_error(line)


def test_the_residual_is_that_of_the_equation(square: fs.Solution, tmp_path: Path) -> None:
    figure = square.plot_residual(tmp_path / "a.pdf", resolution=24)
    (panel,) = figure.axes
    problem = square.problem
    points = np.array([[(0.5 + 3) / 12, (0.5 + 5) / 12]])
    expected = abs(square.evaluate(problem.operator, points) - problem.right_hand_side(points))[0]
    assert panel.images[0].get_array()[5, 3] == pytest.approx(expected, rel=1e-6)
    assert panel.child_axes[0].get_ylabel() == "|residual|"
    assert " ".join(panel.get_title().split()).startswith("equation: root mean square residual")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["plot_residual", "plot_error"])
def test_a_path_is_checked_first(square: fs.Solution, kind: str, tmp_path: Path) -> None:
    exact = () if kind == "plot_residual" else ("not even looked at",)
    with pytest.raises(ProblemError, match=r"end in .png, .*.jpg; got 'a.gif'"):
        getattr(square, kind)(*exact, tmp_path / "a.gif")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (np.geomspace(1e-9, 1e-7, 1000), (1e-9, 1e-7)),
        (np.array([0.0, 3e-4]), (1e-5, 1e-3)),
        (np.geomspace(1e-30, 1e-2, 1000), (1e-8, 1e-2)),
        (np.zeros(5), (1e-17, 1e-15)),
        (np.array([np.nan, np.inf, 2e3]), (1e2, 1e4)),
    ],
)
def test_the_range_of_an_error_is_whole_decades(error: np.ndarray, expected: tuple[float, float]) -> None:
    assert error_range(error) == pytest.approx(expected)
