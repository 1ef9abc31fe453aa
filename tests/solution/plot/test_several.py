"""Pictures of several unknowns: a panel, or a row of panels, for each; arrows and streamlines."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import Each
from fspielm.errors import ProblemError
from fspielm.geometry import Domain
from fspielm.solution import plot_comparison
from fspielm.solution.plot.quantity import Sampling

x, y, z, t = sp.symbols("x y z t")

pytestmark = pytest.mark.usefixtures("placed")


def draw(figure: Any) -> list[Any]:
    """The panels of the figure, drawn once; nothing of them is cut."""
    figure.canvas.draw()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01
    return list(figure.axes)


def pair(domain: Domain, coordinates: tuple[sp.Symbol, ...], exact: tuple[sp.Expr, sp.Expr]) -> fs.Solution:
    """Two coupled equations with this solution, solved by hand in no time."""
    unknowns = tuple(sp.Function(name)(*coordinates) for name in "uv")
    space = coordinates if domain.time is None else coordinates[:-1]

    def left(one: int, fields: tuple[sp.Expr, ...]) -> sp.Expr:
        decay = fields[one] if domain.time is None else fields[one].diff(coordinates[-1])
        return decay - sum(fields[one].diff(s, 2) for s in space) + fields[1 - one] / 4

    conditions: list[Any] = [fs.Dirichlet(dict(zip(unknowns, exact, strict=True)))]
    if domain.time is not None:
        start = [e.subs(coordinates[-1], domain.time.start) for e in exact]
        conditions.append(fs.Initial(dict(zip(unknowns, start, strict=True))))
    equations = [sp.Eq(left(one, unknowns), left(one, exact)) for one in (0, 1)]
    problem = fs.Problem(equations, domain, conditions)
    points = fs.Points(interior=300, boundary_total=120, initial=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        return fs.solve(problem, features=Each(fs.FrequencyShift(60, mu=(0, 6)), (1.0, 1.0)), points=points, rng=0)


@pytest.fixture(scope="module")
def lines() -> fs.Solution:
    """Two functions of one coordinate."""
    return pair(fs.Interval(0, 2), (x,), (sp.sin(3 * x), sp.cos(2 * x)))


@pytest.fixture(scope="module")
def swirl() -> fs.Solution:
    """A rotation, as components of a vector, on a disk."""
    return pair(fs.Disk((0, 0), 1), (x, y), (-sp.sin(y), sp.sin(x)))


@pytest.fixture(scope="module")
def moving() -> fs.Solution:
    """Two functions of the plane and time."""
    return pair(fs.Box((0, 0), (2, 1)) * fs.Time(0, 1), (x, y, t), (x * (1 + t), y * (2 - t)))


@pytest.fixture(scope="module")
def solid() -> fs.Solution:
    """Two functions in space."""
    return pair(fs.Box((0, 0, 0), (1, 2, 1)), (x, y, z), (x + y, y - z))


def test_lines_are_below_one_another(lines: fs.Solution) -> None:
    above, below = draw(lines.plot(title="two"))
    assert (above.get_ylabel(), below.get_ylabel()) == ("$u$", "$v$")
    assert (above.get_xlabel(), below.get_xlabel()) == ("", "$x$")
    for panel, function in ((above, lambda s: np.sin(3 * s)), (below, lambda s: np.cos(2 * s))):
        across, values = panel.lines[0].get_data()
        np.testing.assert_allclose(values, function(across), atol=1e-4)


def test_maps_are_beside_one_another_with_scales_of_their_own(swirl: fs.Solution) -> None:
    left, right = draw(swirl.plot(resolution=40))
    assert [panel.child_axes[0].get_title() for panel in (left, right)] == ["$u$", "$v$"]
    assert (left.get_ylabel(), right.get_ylabel()) == ("$y$", "")
    one = draw(swirl["v"].plot(resolution=40))[0]
    np.testing.assert_allclose(right.images[0].get_array(), one.images[0].get_array(), rtol=0, atol=1e-13)
    (above, below) = draw(swirl.plot(width="single", resolution=40))
    assert above.get_position().y0 > below.get_position().y1


@pytest.mark.slow
def test_snapshots_and_slices_have_a_row_for_each(moving: fs.Solution, solid: fs.Solution) -> None:
    panels = draw(moving.plot(time=[0, 0.5, 1], resolution=30))
    assert [panel.get_title() for panel in panels] == ["$t$ = 0", "$t$ = 0.5", "$t$ = 1", "", "", ""]
    assert [len(panel.child_axes) for panel in panels] == [0, 0, 1, 0, 0, 1]
    first, last = (panel.images[0].norm.vmax for panel in (panels[0], panels[-1]))
    assert first == pytest.approx(4, rel=0.1)
    assert last == pytest.approx(2, rel=0.1)
    assert len(draw(solid.plot(resolution=30))) == 6


def test_arrows_point_along_the_vector(swirl: fs.Solution) -> None:
    (panel,) = draw(swirl.plot(vectors=("u", "v"), resolution=40))
    (arrows,) = [c for c in panel.collections if type(c).__name__ == "Quiver"]
    shown = ~(arrows.Umask | np.isnan(arrows.U)) if np.ndim(arrows.Umask) else ~np.isnan(arrows.U)
    places = np.column_stack([arrows.X, arrows.Y])[shown]
    steps = np.column_stack([arrows.U, arrows.V])[shown]
    vectors = swirl(places)
    sizes = np.linalg.norm(vectors, axis=1)
    cosines = np.sum(steps * vectors, axis=1) / sizes / np.linalg.norm(steps, axis=1)
    np.testing.assert_allclose(cosines, 1, atol=1e-9)
    ratios = np.linalg.norm(steps, axis=1) / np.sqrt(sizes)
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-9)
    assert panel.child_axes[0].get_title() == "$|(u,v)|$"
    assert panel.images[0].get_array().max() == pytest.approx(np.hypot(*swirl([[0.7, 0.7]])[0]), rel=0.05)


def test_streamlines_stay_within_the_outline(swirl: fs.Solution, moving: fs.Solution) -> None:
    from matplotlib.patches import FancyArrowPatch

    u, v = (unknown.symbol for unknown in swirl.problem.unknowns)
    (panel,) = draw(swirl.plot(vectors=(u, v), style="stream", resolution=40))
    (curves,) = [c for c in panel.collections if type(c).__name__ == "LineCollection"]
    ends = np.concatenate(curves.get_segments())
    assert np.linalg.norm(ends, axis=1).max() < 1.05
    small = moving.plot(vectors=("u", "v"), style="stream", resolution=20).axes
    assert len(small) == 4
    heads, smaller = (
        [p.get_mutation_scale() for p in each.patches if isinstance(p, FancyArrowPatch)] for each in (panel, small[0])
    )
    assert max(smaller) < max(heads) <= 4.5  # points: a few widths of the lines


def test_streamlines_across_a_channel_are_as_far_apart_as_along_it() -> None:
    channel = pair(fs.Box((0, 0), (4, 1)), (x, y), (1 + y, x / 50))
    (panel,) = draw(channel.plot(vectors=("u", "v"), style="stream", resolution=40))
    (curves,) = [c for c in panel.collections if type(c).__name__ == "LineCollection"]
    across = sum(min(line[:, 0]) < 2 <= max(line[:, 0]) for line in curves.get_segments())
    assert 3 <= across <= 10  # in a square up to 27, by matplotlib's rule, whatever the sides


def test_into_axes_of_the_user(swirl: fs.Solution) -> None:
    from matplotlib.figure import Figure

    panel = Figure().subplots()
    assert swirl.plot(vectors=("u", "v"), ax=panel, resolution=30).axes == [panel]
    with pytest.raises(ProblemError, match=r"ax holds one panel.*has 2; draw"):
        swirl.plot(ax=panel)


@pytest.mark.slow
def test_errors_and_residuals(swirl: fs.Solution, lines: fs.Solution) -> None:
    figure = swirl.plot_error({"u": -sp.sin(y), "v": 0}, resolution=40)
    labels = [panel.child_axes[0].get_ylabel() for panel in draw(figure)]
    assert labels == ["|$u$ − exact|", "|$v$ − exact|"]
    assert figure.get_suptitle().startswith("$u$: relative $L^2$ error $")
    assert "$v$: root mean square error $" in figure.get_suptitle()
    assert len(swirl.plot_error(swirl, resolution=10).axes) == 2
    assert len(swirl.plot_error({"v": sp.sin(x)}, resolution=10).axes) == 1
    figure = swirl.plot_residual(resolution=40)
    assert figure.get_suptitle().startswith("root mean square residuals: $")
    assert [panel.child_axes[0].get_ylabel() for panel in draw(figure)] == [
        "|residual| of equation 1",
        "|residual| of equation 2",
    ]
    assert len(draw(plot_comparison(swirl, {"u": -sp.sin(y), "v": sp.sin(x)}, title="both", resolution=40))) == 4
    assert len(draw(plot_comparison(lines, {"u": sp.sin(3 * x), "v": sp.cos(2 * x)}))) == 4


def test_the_card_has_every_unknown(swirl: fs.Solution, lines: fs.Solution) -> None:
    for solution in (swirl, lines):
        card = solution._repr_html_()
        assert solution.report.error_estimate is None or "u: " in card
        names = ", ".join(str(unknown.symbol) for unknown in solution.problem.unknowns)
        assert f'<img alt="{names}" width="400"' in card
        assert len(card) < 90_000


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        (lambda s: s.plot(animate=True), r"animation.*one unknown.*choose"),
        (lambda s: s.plot_spectrum(), r"spectrum.*one unknown.*\['u'\]"),
        (lambda s: s.plot_isosurface(), r"isosurface.*one unknown"),
        (lambda s: s["u"].plot_residual(), r"unknowns of a system.*all of them"),
        (lambda s: s.plot_error(0), r"exact.*dictionary.*\{u:"),
        (lambda s: s.plot_error({"w": 0}), "there is no unknown 'w'"),
        (lambda s: s.plot(vectors="uv"), r"vectors.*two.*u, v.*got 'uv'"),
        (lambda s: s.plot(vectors=("u", "w")), "there is no unknown 'w'"),
        (lambda s: s.plot(vectors=("u", "v"), style="lines"), r"style.*'stream'; got 'lines'"),
        (lambda s: s.plot(vectors=("u", "v"), part="phase"), r'vector, part.*"real" or "imag"'),
        (lambda s: s.plot(vectors=("u", "v"), animate=True), "vectors are not animated"),
    ],
)
def test_refused(swirl: fs.Solution, picture: Callable[[fs.Solution], Any], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        picture(swirl)


def test_vectors_need_a_plane(lines: fs.Solution) -> None:
    with pytest.raises(ProblemError, match=r"vectors.*two coord.*of x$"):
        lines.plot(vectors=("u", "v"))


def test_one_field_is_animated(moving: fs.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.solution.plot.plot._FRAMES", Sampling(10.0, 4, 90))
    moving["u"].plot(tmp_path / "u.gif", resolution=10)
    assert (tmp_path / "u.gif").read_bytes().startswith(b"GIF")
