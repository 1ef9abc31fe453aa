"""Pictures in one, two, and more dimensions."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.features import COSINE, JoinedBasis, RidgeBasis
from fspielm.solution import Solution
from fspielm.solution.pictures import check_picture_path, plot_solution, save_picture
from fspielm.solution.pictures.labels import as_math
from fspielm.solution.pictures.plot import error_range

pytest.importorskip("matplotlib")

x, y, z, t = sp.symbols("x y z t")


def solve(domain: Any, coordinates: tuple[sp.Symbol, ...], exact: sp.Expr, name: str = "u") -> Solution:
    """A diffusion equation (in time, if the domain has it) whose solution is `exact`."""
    u = sp.Function(name)(*coordinates)
    space = coordinates if domain.time is None else coordinates[:-1]

    def operator(v: sp.Expr) -> sp.Expr:
        decay = v if domain.time is None else v.diff(coordinates[-1])
        return decay - sum(v.diff(s, 2) for s in space)

    conditions: list[Any] = [fs.Dirichlet(exact)]
    if domain.time is not None:
        conditions.append(fs.Initial(exact.subs(coordinates[-1], domain.time.start)))
    problem = fs.Problem(sp.Eq(operator(u), operator(exact)), domain, conditions)
    points = fs.Points(interior=200, boundary_total=60, initial=40)
    return fs.solve(problem, features=fs.FrequencyShift(60, mu=(0, 6)), points=points, rng=0)


def exact_values(expression: sp.Expr, coordinates: tuple[sp.Symbol, ...]) -> Any:
    function = sp.lambdify(coordinates, expression)
    return lambda points: function(*points.T) * np.ones(len(points))


def draw(solution: Solution) -> tuple[Any, list[Any]]:
    """The figure, drawn once, with its panels."""
    figure = plot_solution(solution, lambda points: np.zeros(len(points)), resolution=40)
    figure.canvas.draw()
    return figure, list(figure.axes)


def test_one_coordinate_gives_lines() -> None:
    exact = sp.sin(3 * x)
    solution = solve(fs.Interval(0, 2), (x,), exact)
    figure = plot_solution(solution, exact_values(exact, (x,)), title="costs $5 or 100 %")
    figure.canvas.draw()
    above, below = figure.axes
    points, values = above.lines[0].get_data()
    np.testing.assert_allclose(values, np.sin(3 * points), atol=1e-6)
    assert below.get_yscale() == "log"
    assert below.lines[0].get_ydata().max() < 1e-6
    assert (above.get_ylabel(), below.get_xlabel()) == (r"$u{\left(x \right)}$", "$x$")
    assert below.get_xlim() == (0, 2)


def test_two_coordinates_give_maps() -> None:
    exact = sp.sin(2 * x) * sp.cos(y)
    solution = solve(fs.Box((0, 0), (2, 1)), (x, y), exact)
    figure = plot_solution(solution, exact_values(exact, (x, y)), resolution=40)
    figure.canvas.draw()
    values, error = figure.axes[:2]
    image = values.images[0].get_array()
    assert image.shape == (60, 120)
    assert not np.ma.is_masked(image)
    # rows run along y from below, columns along x
    across, up = (np.arange(120) + 0.5) / 60, (np.arange(60) + 0.5) / 60
    np.testing.assert_allclose(image, np.sin(2 * across) * np.cos(up)[:, None], atol=0.05)
    assert values.images[0].get_extent() == [0, 2, 0, 1]
    assert values.get_aspect() == 1
    assert (values.get_xlabel(), values.get_ylabel()) == ("$x$", "$y$")
    assert type(error.images[0].norm).__name__ == "LogNorm"
    assert error.images[0].norm.vmax < 1e-4


def test_a_map_is_cut_to_the_domain() -> None:
    solution = solve(fs.Disk((1, 0), 0.5), (x, y), x * y)
    _, panels = draw(solution)
    image = panels[0].images[0].get_array()
    assert 1 - image.mask.mean() == pytest.approx(np.pi / 4, abs=0.01)
    outline = panels[0].lines[0].get_xydata()
    np.testing.assert_allclose(np.hypot(outline[:, 0] - 1, outline[:, 1]), 0.5)


def test_space_and_time_give_a_square_map_with_the_users_symbols() -> None:
    s, tau = sp.symbols("s tau")
    solution = solve(fs.Interval(-3, 3) * fs.Time(0, 1), (s, tau), s * tau, name="theta")
    _, (values, *_) = draw(solution)
    assert values.images[0].get_array().shape == (120, 120)
    assert values.images[0].get_extent() == [-3, 3, 0, 1]
    assert values.get_box_aspect() == 1
    assert (values.get_xlabel(), values.get_ylabel()) == ("$s$", r"$\tau$")
    assert r"\theta" in values.get_title()


def test_two_coordinates_and_time_give_a_slice() -> None:
    exact = (x + y) * t
    solution = solve(fs.Pacman() * fs.Time(0, 2), (x, y, t), exact)
    for at, time in ((None, 1.0), ([0.5], 0.5)):
        figure = plot_solution(solution, exact_values(exact, (x, y, t)), at=at, resolution=40)
        figure.canvas.draw()
        values, error = figure.axes[:2]
        assert values.get_title().endswith(f"at $t$ = {time:g}")
        image = values.images[0].get_array()
        assert image.mask.any()
        assert image.max() == pytest.approx(time * (1 + 0.4 * np.sqrt(2)), rel=0.02)
        assert error.images[0].norm.vmax < 0.1


def test_three_coordinates_are_cut_in_the_middle() -> None:
    solution = solve(fs.Box((0, 0, 0), (1, 1, 4)), (x, y, z), x + z)
    _, panels = draw(solution)
    assert panels[0].get_title().endswith("at $z$ = 2")


def test_without_the_exact_solution_there_is_one_panel() -> None:
    for solution in (
        solve(fs.Interval(0, 1), (x,), x),
        solve(fs.Box((0, 0), (1, 1)), (x, y), x + y),
    ):
        figure = plot_solution(solution, resolution=20)
        figure.canvas.draw()
        assert len(figure.axes) == 1


@pytest.mark.parametrize("at", [[], [0.5, 0.5], [7.0]])
def test_a_slice_that_does_not_exist_is_refused(at: list[float]) -> None:
    solution = solve(fs.Pacman() * fs.Time(0, 1), (x, y, t), x * t)
    with pytest.raises(ProblemError, match="at"):
        plot_solution(solution, at=at)


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


def test_a_symbol_that_matplotlib_cannot_set_is_written_plainly() -> None:
    assert as_math(sp.Symbol("x_1")) == "$x_{1}$"
    assert as_math(sp.Symbol(r"\unknowncommand{x}")) == r"\unknowncommand{x}"


class TestSpectrum:
    """`Solution.plot_spectrum`."""

    @staticmethod
    def automatic(domain: Any, coordinates: tuple[sp.Symbol, ...], exact: sp.Expr) -> Solution:
        """An automatic solve of a Helmholtz equation with the solution `exact`."""
        u = sp.Function("u")(*coordinates)
        laplacian = sum(u.diff(c, 2) for c in coordinates)
        data = (laplacian - u).subs(u, exact).doit()
        problem = fs.Problem(sp.Eq(laplacian - u, data), domain, [fs.Dirichlet(exact)])
        return fs.solve(problem, tol=1e-3, rng=0)

    def test_one_coordinate_by_hand(self) -> None:
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

    def test_one_coordinate_automatic(self) -> None:
        solution = self.automatic(fs.Interval(0, 2), (x,), sp.sin(40 * x))
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

    def test_two_coordinates_automatic(self) -> None:
        solution = self.automatic(fs.Box((0, 0), (1, 2)), (x, y), sp.sin(25 * x) * sp.cos(5 * y))
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

    def test_two_coordinates_and_time_by_hand(self) -> None:
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

    def test_space_and_time_automatic(self) -> None:
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

    def test_joined_features_show_those_with_a_frequency(self) -> None:
        solution = solve(fs.Interval(0, 1), (x,), x)
        half = RidgeBasis(solution.basis.W[:30], solution.basis.b[:30], COSINE)  # type: ignore[attr-defined]
        joined = replace(solution, basis=JoinedBasis([half, half]))
        assert joined.plot_spectrum().axes[0].get_title() == "60 chosen frequencies"

    def test_a_zero_solution_can_be_drawn(self) -> None:
        for solution in (
            solve(fs.Interval(0, 1), (x,), sp.Integer(0) * x),
            solve(fs.Box((0, 0), (1, 1)), (x, y), sp.Integer(0) * x),
        ):
            zero = replace(solution, coefficients=np.zeros_like(solution.coefficients))
            zero.plot_spectrum().canvas.draw()

    def test_is_saved_where_a_path_is_given(self, tmp_path: Path) -> None:
        solution = solve(fs.Interval(0, 1), (x,), x)
        solution.plot_spectrum(tmp_path / "a.png")
        assert os.listdir(tmp_path) == ["a.png"]
        with pytest.raises(ProblemError, match="must end in"):
            solution.plot_spectrum(tmp_path / "a.xyz")

    def test_without_matplotlib_the_remedy_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        solution = solve(fs.Interval(0, 1), (x,), x)
        monkeypatch.setattr("fspielm.geometry.pictures.style.find_spec", lambda name: None)
        with pytest.raises(ProblemError, match=r"pip install \"fspielm\[plot\]\""):
            solution.plot_spectrum()


@pytest.fixture(scope="module")
def figure() -> Any:
    return plot_solution(solve(fs.Interval(0, 1), (x,), x))


class TestSaving:
    @pytest.mark.parametrize(
        ("suffix", "start"), [("png", b"\x89PNG"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
    )
    def test_the_suffix_names_the_format(self, figure: Any, tmp_path: Path, suffix: str, start: bytes) -> None:
        save_picture(figure, tmp_path / f"a.{suffix}")
        assert os.listdir(tmp_path) == [f"a.{suffix}"]
        assert (tmp_path / f"a.{suffix}").read_bytes().startswith(start)

    def test_a_failure_leaves_the_older_file(
        self, figure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a.png").write_text("old")

        def fail(path: Path, **options: Any) -> None:
            path.write_text("half")
            raise KeyboardInterrupt

        monkeypatch.setattr(figure, "savefig", fail)
        with pytest.raises(KeyboardInterrupt):
            save_picture(figure, tmp_path / "a.png")
        assert os.listdir(tmp_path) == ["a.png"]
        assert (tmp_path / "a.png").read_text() == "old"

    def test_the_check_leaves_nothing_behind(self, tmp_path: Path) -> None:
        check_picture_path(tmp_path / "a.png")
        assert os.listdir(tmp_path) == []


def test_pyplot_is_never_imported() -> None:
    program = """
import sys, fspielm as fs, sympy as sp
import fspielm.solution.pictures as pictures
assert "matplotlib" not in sys.modules
x = sp.Symbol("x")
u = sp.Function("u")(x)
problem = fs.Problem(sp.Eq(u.diff(x, 2), 0), fs.Interval(0, 1), [fs.Dirichlet(x)])
solution = fs.solve(problem, features=fs.FrequencyShift(5, mu=(0, 3)), points=fs.Points(interior=9, boundary=1), rng=0)
pictures.plot_solution(solution).canvas.draw()
solution.plot_spectrum().canvas.draw()
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
