"""`Solution.plot`: what is drawn for each number of coordinates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.solution import plot_comparison
from fspielm.solution.plot.style import as_math, as_number

x, y, t = sp.symbols("x y t")

pytestmark = pytest.mark.usefixtures("placed")


def draw(figure: Any) -> list[Any]:
    """The panels of the figure, drawn once."""
    figure.canvas.draw()
    return list(figure.axes)


def check_nothing_is_cut(figure: Any) -> None:
    """Everything lies within the figure, to a hundredth of an inch."""
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 > -0.01
    assert box.y0 > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01


def test_one_coordinate_gives_a_line(line: fs.Solution) -> None:
    figure = line.plot(title="costs $5 or 100 %")
    (panel,) = draw(figure)
    points, values = panel.lines[0].get_data()
    np.testing.assert_allclose(values, np.sin(3 * points), atol=1e-6)
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("$x$", "$u$")
    assert panel.get_xlim() == (0, 2)
    assert panel.get_title() == r"costs \$5 or 100 %"
    check_nothing_is_cut(figure)


def test_two_coordinates_give_a_map(square: fs.Solution) -> None:
    figure = square.plot(resolution=40)
    (panel,) = draw(figure)
    image = panel.images[0]
    assert image.get_array().shape == (20, 40)
    # rows run along y from below, columns along x
    across, up = (np.arange(40) + 0.5) / 20, (np.arange(20) + 0.5) / 20
    np.testing.assert_allclose(image.get_array(), np.sin(2 * across) * np.cos(up)[:, None], atol=1e-3)
    assert image.get_extent() == [0, 2, 0, 1]
    assert panel.get_aspect() == 1
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("$x$", "$y$")
    assert panel.child_axes[0].get_title() == "$u$"
    assert panel.patches[:] == []  # the frame is the outline
    check_nothing_is_cut(figure)


def test_white_is_zero_where_the_sign_changes(square: fs.Solution, cube: fs.Solution) -> None:
    signed = square.plot(resolution=20).axes[0].images[0]
    assert signed.norm.vmin == -signed.norm.vmax
    assert signed.get_cmap().name == "RdBu_r"
    positive = cube.plot(resolution=20).axes[0].images[0]
    assert positive.norm.vmin > 0
    assert positive.get_cmap().name == "cividis"


def test_a_map_is_clipped_by_the_true_outline(solve: Any) -> None:
    figure = solve(fs.Disk((1, 0), 0.5), (x, y), x * y).plot(resolution=40)
    (panel,) = draw(figure)
    outline = panel.patches[0].get_path().to_polygons()[0]
    np.testing.assert_allclose(np.hypot(outline[:, 0] - 1, outline[:, 1]), 0.5)
    clip = panel.images[0].get_clip_path()
    assert clip is not None
    assert panel.get_xlim()[0] < 0.5  # the outline is off the frame
    # what lies outside has the values beside it, not those of the features there
    assert np.abs(panel.images[0].get_array()).max() < 0.6
    check_nothing_is_cut(figure)


def test_a_hole_is_not_filled(solve: Any) -> None:
    figure = solve(fs.Annulus((0, 0), 0.5, 1), (x, y), x * y).plot(resolution=40)
    draw(figure)
    path = figure.axes[0].patches[0].get_path()
    outer, inner = sorted(path.to_polygons(), key=lambda loop: -np.abs(loop).max())

    def turn(loop: Any) -> float:
        return float(np.sum(loop[:-1, 0] * loop[1:, 1] - loop[1:, 0] * loop[:-1, 1]))

    assert turn(outer) > 0 > turn(inner)


def test_space_and_time_give_a_map_with_the_users_symbols(string: fs.Solution) -> None:
    figure = string.plot(resolution=30)
    (panel,) = draw(figure)
    assert panel.images[0].get_array().shape == (30, 30)
    assert panel.images[0].get_extent() == [-3, 3, 0, 1]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("$s$", r"$\tau$")
    assert panel.child_axes[0].get_title() == r"$\theta$"
    check_nothing_is_cut(figure)


def test_space_and_time_at_some_times_give_lines(string: fs.Solution) -> None:
    (panel,) = draw(string.plot(time=[0.0, 0.5, 1.0], resolution=30))
    assert [line.get_label() for line in panel.lines] == [rf"$\tau$ = {value}" for value in ("0", "0.5", "1")]
    points, values = panel.lines[1].get_data()
    np.testing.assert_allclose(values, 0.5 * points, atol=1e-2)
    (panel,) = string.plot(time=0.5, resolution=30).axes
    assert panel.get_title() == r"$\tau$ = 0.5"


@pytest.mark.usefixtures("laid_out")
def test_two_coordinates_and_time_give_snapshots(pacman: fs.Solution) -> None:
    figure = pacman.plot(resolution=24)
    panels = draw(figure)
    assert [panel.get_title() for panel in panels] == [f"$t$ = {v}" for v in ("0", "0.667", "1.33", "2")]
    assert len({(p.images[0].norm.vmin, p.images[0].norm.vmax) for p in panels}) == 1
    assert [len(panel.child_axes) for panel in panels] == [0, 0, 0, 1]
    assert figure.get_size_inches()[0] == 7.0
    check_nothing_is_cut(figure)


@pytest.mark.usefixtures("laid_out")
@pytest.mark.slow
def test_many_times_take_several_rows(pacman: fs.Solution) -> None:
    figure = pacman.plot(time=[0, 0.4, 0.8, 1.2, 1.6], resolution=16)
    assert len(draw(figure)) == 5
    check_nothing_is_cut(figure)


def test_one_time_gives_one_map(pacman: fs.Solution) -> None:
    figure = pacman.plot(time=0.5, resolution=40)
    (panel,) = draw(figure)
    assert panel.get_title() == "$t$ = 0.5"
    assert panel.images[0].get_array().max() == pytest.approx(0.5 * (1 + 0.4 * np.sqrt(2)), rel=0.05)
    assert figure.get_size_inches()[0] == 3.5


@pytest.mark.usefixtures("laid_out")
@pytest.mark.slow
def test_three_coordinates_give_slices(cube: fs.Solution) -> None:
    figure = cube.plot(resolution=16)
    panels = draw(figure)
    assert [panel.get_title() for panel in panels] == ["$z$ = 2", "$y$ = 0.5", "$x$ = 0.5"]
    assert [(p.get_xlabel(), p.get_ylabel()) for p in panels] == [("$x$", "$y$"), ("$x$", "$z$"), ("$y$", "$z$")]
    check_nothing_is_cut(figure)
    moved = cube.plot(at=(0.25, 0.5, 1), resolution=16).axes
    assert moved[2].get_title() == "$x$ = 0.25"
    assert float(moved[2].images[0].get_array()[0, 0]) == pytest.approx(0.25 + 0.125, abs=0.05)


def test_is_drawn_into_the_users_axes(square: fs.Solution, pacman: fs.Solution, cube: fs.Solution) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    panels = figure.subplots(1, 3)
    for solution, panel in zip((square, pacman, cube), panels, strict=True):
        assert solution.plot(ax=panel, resolution=16) is figure
        assert len(panel.images) == 1
    assert panels[1].get_title() == "$t$ = 2"
    with pytest.raises(ProblemError, match=r"ax holds one panel.*has 2"):
        pacman.plot(ax=panels[1], time=[0, 1], resolution=16)


def test_a_fast_solution_is_drawn_finely(automatic: fs.Solution) -> None:
    (panel,) = draw(automatic.plot())
    points, values = panel.lines[0].get_data()
    assert len(points) >= 16 * 40 * 2 / (2 * np.pi)
    np.testing.assert_allclose(values, np.sin(40 * points), atol=1e-3)


def test_a_constant_can_be_drawn(solve: Any) -> None:
    for domain, coordinates in ((fs.Interval(0, 1), (x,)), (fs.Box((0, 0), (1, 1)), (x, y))):
        for value in (0, 1):
            draw(solve(domain, coordinates, sp.Integer(value) + 0 * x).plot(resolution=16))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resolution": 1}, r"resolution.*2 or more; got 1"),
        ({"resolution": 2.5}, r"resolution.*whole number"),
        ({"width": "triple"}, r"width.*'double'; got 'triple'"),
        ({"time": 3}, r"time must be.*0 to 2; got 3"),
        ({"time": []}, r"time must be.*numbers"),
        ({"time": "now"}, r"time must be.*numbers"),
        ({"at": (0.5,)}, r"at must give.*x, y; got \(0.5,\)"),
        ({"at": "middle"}, r"at must give.*x, y"),
    ],
)
def test_bad_arguments_are_refused(pacman: fs.Solution, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        pacman.plot(**arguments)


def test_times_of_a_problem_without_time_are_refused(square: fs.Solution, cube: fs.Solution) -> None:
    with pytest.raises(ProblemError, match=r"time=1.*with time.*Box"):
        square.plot(time=1)
    with pytest.raises(ProblemError, match=r"section at \[7.0\].*not meet"):
        cube.plot(at=(0.5, 0.5, 7))


def test_a_symbol_that_matplotlib_cannot_set_is_written_plainly() -> None:
    assert as_math(sp.Symbol("x_1")) == "$x_{1}$"
    assert as_math(sp.Symbol(r"\unknowncommand{x}")) == r"\unknowncommand{x}"


def test_numbers_are_powers_of_ten() -> None:
    assert as_number(1.24e-9) == r"$1.2 \times 10^{-9}$"
    assert as_number(0.0) == "0"
    assert as_number(float("inf")) == "beyond all digits"


def test_the_users_settings_stay(square: fs.Solution) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    figure = square.plot(resolution=16)
    figure.canvas.draw()
    assert dict(matplotlib.rcParams) == before


@pytest.mark.usefixtures("laid_out")
def test_a_comparison_shows_solution_and_error(line: fs.Solution, square: fs.Solution, pacman: fs.Solution) -> None:
    above, below = plot_comparison(line, sp.sin(3 * x), title="a $ b").axes
    assert below.get_yscale() == "log"
    assert (above.get_xlabel(), below.get_ylabel()) == ("", "absolute error")
    figure = plot_comparison(square, sp.sin(2 * x) * sp.cos(y), resolution=16)
    values, error = draw(figure)
    assert type(error.images[0].norm).__name__ == "LogNorm"
    assert error.images[0].norm.vmax < 1e-3
    check_nothing_is_cut(figure)
    values = plot_comparison(pacman, (x + y) * t, time=0.5, resolution=16).axes[0]
    assert values.get_title() == "$t$ = 0.5"


def test_pyplot_is_never_imported() -> None:
    program = """
import sys, fspielm as fs, sympy as sp
import fspielm.geometry.pictures, fspielm.solution.plot
assert "matplotlib" not in sys.modules
fs.Disk((0, 0), 1).plot()
x = sp.Symbol("x")
u = sp.Function("u")(x)
problem = fs.Problem(sp.Eq(u.diff(x, 2), 0), fs.Interval(0, 1), [fs.Dirichlet(x)])
solution = fs.solve(problem, features=fs.FrequencyShift(5, mu=(0, 3)), points=fs.Points(interior=9, boundary=1), rng=0)
solution.plot().canvas.draw()
solution.plot_spectrum().canvas.draw()
solution._repr_html_()
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_a_scattered_field_says_so(tmp_path: Path) -> None:
    u = sp.Function("u")(x, y)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u, 0)
    outside, wave = fs.Exterior(fs.Disk((0, 0), 1)), fs.plane_wave(1, (1, 0))
    for condition in (fs.Dirichlet(0), fs.Transparent(2)):
        solution = fs.solve(fs.Problem(equation, outside, [condition], incident=wave), tol=1e-3, rng=0)
        assert solution.plot(resolution=20).axes[0].get_title() == ""
        # the window is no wall: the picture ends there
        assert solution.plot(resolution=20).axes[0].get_xlim() == (-2.0, 2.0)
        scattered = solution.scattered
        assert scattered.plot(resolution=20).axes[0].get_title() == "scattered field"
        assert scattered.scattered.plot(resolution=20).axes[0].get_title() == "scattered field"
        assert scattered.plot(resolution=20, title="mine").axes[0].get_title() == "mine"
        assert repr(scattered).startswith("Solution(scattered field u(x, y), ")
        assert scattered[u].caption == "scattered field"
        scattered.save(tmp_path / "scattered.fspielm")
        assert repr(fs.load(tmp_path / "scattered.fspielm")) == repr(scattered)
    radiating = fs.solve(fs.Problem(equation, outside, [fs.Dirichlet(1)]), tol=1e-3, rng=0)
    assert radiating.scattered.plot(resolution=20).axes[0].get_title() == ""
