"""What a solution has, on cells: integrals, fluxes, pictures, and the words of its report."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.solution.plot.plot import CellLook

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)


@pytest.fixture(scope="module")
def layer() -> fs.Solution:
    """``1 - cosh(s (x - 1/2)) / cosh(s / 2)`` with a layer of width 1 / s at either end."""
    w = sp.Function("u")(x)
    problem = fs.Problem(sp.Eq(w - w.diff(x, 2) / 1000, 1), fs.Interval(0, 1), [fs.Dirichlet(0)])
    return fs.solve(problem, approach="patches", rng=0, tol=1e-8)


@pytest.fixture(scope="module")
def disk() -> fs.Solution:
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 4 * u, sp.exp(x))
    return fs.solve(fs.Problem(equation, fs.Disk((0, 0), 1), [fs.Dirichlet(x * y)]), approach="patches", rng=0)


@pytest.fixture(scope="module")
def heat() -> fs.Solution:
    w = sp.Function("u")(x, t)
    conditions = [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x))]
    problem = fs.Problem(sp.Eq(w.diff(t), w.diff(x, 2)), fs.Interval(0, 1) * fs.Time(0, 0.1), conditions)
    return fs.solve(problem, approach="patches", rng=0)


def test_integrals_with_layers(layer: fs.Solution) -> None:
    steep = np.sqrt(1000)
    assert layer.integrate() == pytest.approx(1 - 2 / steep * np.tanh(steep / 2), rel=1e-9)
    assert layer.flux("x+") == pytest.approx(-steep * np.tanh(steep / 2), rel=1e-6)


def test_integrals_hold_the_theorem_of_gauss(disk: fs.Solution) -> None:
    source = 2 * np.pi * 0.565159103992485  # the integral of exp(x) over the unit disk, by Bessel's function
    assert disk.flux("circle") + 4 * disk.integrate() == pytest.approx(source, rel=1e-8)
    ends = disk([[-0.6, 0.1], [0.7, 0.3]])
    along = disk.integrate(1.3 * u.diff(x) + 0.2 * u.diff(y), along=[(-0.6, 0.1), (0.7, 0.3)])
    assert along == pytest.approx(float(ends[1] - ends[0]) * np.hypot(1.3, 0.2), rel=1e-7)


def test_integrals_at_a_time(heat: fs.Solution) -> None:
    fall = np.exp(-(np.pi**2) * 0.05)
    assert heat.integrate(at=0.05) == pytest.approx(2 / np.pi * fall, rel=1e-7)
    half = heat.integrate(along=[(0.0,), (0.5,)], at=0.05)
    assert half == pytest.approx(1 / np.pi * fall, rel=1e-7)


def test_the_report_tells_the_cells(layer: fs.Solution) -> None:
    report = layer.report
    assert report.cells == len(layer.basis.on_cells[0].frames)
    assert f"cells          {report.cells}, degree " in str(report)
    assert "unknowns, rank" in str(report)
    assert f"{report.cells} cells" in repr(layer)
    assert report.as_dict()["cells"] == report.cells


@pytest.mark.parametrize("name", ["layer", "disk", "heat"])
def test_cells_are_drawn(name: str, request: pytest.FixtureRequest) -> None:
    solution: fs.Solution = request.getfixturevalue(name)
    figure = solution.plot(cells=True, resolution=40)
    plain = solution.plot(resolution=40)
    degrees = {text.get_text() for text in figure.axes[0].texts}
    basis = solution.basis.on_cells[0]
    assert degrees <= {"×".join(map(str, dict.fromkeys(own))) for own in basis.degrees.tolist()}
    assert degrees
    more = len(figure.axes[0].collections) - len(plain.axes[0].collections)
    assert more == (1 if solution.problem.dimension == 1 else 2)


def test_many_cells_have_colours(disk: fs.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.solution.plot.plot._CELLS", CellLook(most_written=1))
    axes = disk.plot(cells=True, resolution=40).axes[0]
    assert not axes.texts
    assert axes.get_legend().get_texts()[0].get_text().startswith("degree ")


def test_lines_at_a_time_have_ticks(heat: fs.Solution) -> None:
    assert len(heat.plot(time=0.05, cells=True).axes[0].collections) == 1
    assert not heat.plot(time=[0.02, 0.05], cells=True).axes[0].collections


def test_refuses_what_has_no_cells_and_what_cells_have_not(layer: fs.Solution, heat: fs.Solution) -> None:
    w = sp.Function("u")(x)
    other = fs.solve(fs.Problem(sp.Eq(w.diff(x, 2), 1), fs.Interval(0, 1), [fs.Dirichlet(0)]), rng=0)
    with pytest.raises(fs.ProblemError, match="this one has none"):
        other.plot(cells=True)
    with pytest.raises(fs.ProblemError, match="cells are not animated"):
        heat.plot(cells=True, animate=True)
    for show in (layer.spectrum, layer.plot_spectrum):
        with pytest.raises(fs.ProblemError, match=r"frequencies.*polynomials in cells"):
            show()


def test_pictures_show_where_materials_meet() -> None:
    c = sp.Piecewise((1, x < sp.Rational(1, 3)), (4, True))
    flux = sp.Derivative(c * u.diff(x), x) + sp.Derivative(c * u.diff(y), y)
    solution = fs.solve(
        fs.Problem(
            sp.Eq(flux, 0), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(y, on=["y-", "y+"]), fs.Neumann(0, on=["x-", "x+"])]
        ),
        tol=1e-4,
        rng=0,
    )
    (axes, *_) = solution.plot(cells=True).axes
    (border,) = [line for line in axes.lines if len(line.get_xdata()) == 2]
    assert border.get_xdata() == pytest.approx([1 / 3, 1 / 3])
    assert sorted(border.get_ydata()) == pytest.approx([0, 1])
