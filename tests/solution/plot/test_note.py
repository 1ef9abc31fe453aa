"""Pictures of solutions that have not converged say so."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import sympy as sp
from matplotlib.figure import Figure
from PIL import Image

import fspielm as fs
from fspielm.solution import plot_comparison
from fspielm.solution.plot.card import _thumbnail
from fspielm.solution.plot.style import as_plain

x, y = sp.symbols("x y")
CERTAIN_OF_NOTHING = "not converged: no digits are reliable"

PICTURES: dict[str, tuple[str, Callable[[fs.Solution], Any]]] = {
    "line": ("line", lambda s: s.plot()),
    "map": ("square", lambda s: s.plot(resolution=20, title="a title")),
    "space and time": ("string", lambda s: s.plot(resolution=20)),
    "lines over time": ("string", lambda s: s.plot(time=[0, 1])),
    "snapshots": ("pacman", lambda s: s.plot(resolution=20)),
    "moving line": ("string", lambda s: s.plot(animate=True)),
    "moving map": ("pacman", lambda s: s.plot(animate=True, resolution=20)),
    "slices": ("cube", lambda s: s.plot(resolution=10)),
    "isosurface": ("cube", lambda s: s.plot_isosurface(resolution=10)),
    "residual": ("square", lambda s: s.plot_residual(resolution=20)),
    "spectrum": ("square", lambda s: s.plot_spectrum()),
    "spectrum of a line": ("line", lambda s: s.plot_spectrum()),
    "comparison": ("square", lambda s: plot_comparison(s, sp.sin(2 * x) * sp.cos(y), resolution=20)),
}


def doubtful(solution: fs.Solution, estimate: float | None = math.inf, converged: bool = False) -> fs.Solution:
    report = replace(solution.report, error_estimate=estimate, max_error_estimate=estimate, converged=converged)
    return replace(solution, report=report)


def foot(figure: Any) -> str | None:
    """What stands at the foot of a figure."""
    return figure.get_supxlabel() or None


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_carries_the_note(name: str, request: pytest.FixtureRequest) -> None:
    fixture, draw = PICTURES[name]
    solution = request.getfixturevalue(fixture)
    assert foot(draw(doubtful(solution))) == CERTAIN_OF_NOTHING
    assert foot(draw(doubtful(solution, 1e-12, converged=True))) is None


# one of each layout: a panel, several, panels in space, curves above each other
LAYOUTS = ("map", "snapshots", "isosurface", "spectrum of a line")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in LAYOUTS else [pytest.mark.slow]) for name in PICTURES]
)
@pytest.mark.usefixtures("laid_out")
def test_the_note_is_in_the_picture_and_on_top_of_nothing(name: str, request: pytest.FixtureRequest) -> None:
    fixture, draw = PICTURES[name]
    figure = draw(doubtful(request.getfixturevalue(fixture)))
    figure.canvas.draw()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 > -0.01
    assert box.y0 > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01
    note = figure._supxlabel.get_window_extent()
    assert not any(note.overlaps(panel.get_tightbbox()) for panel in figure.axes if panel.name != "3d")


@pytest.mark.parametrize(
    ("estimate", "note"),
    [
        (math.inf, CERTAIN_OF_NOTHING),
        (math.nan, CERTAIN_OF_NOTHING),
        (0.5, CERTAIN_OF_NOTHING),
        (0.03, r"not converged: estimated relative error $3.0 \times 10^{-2}$"),
        (3e-4, None),  # right to the eye
        (None, None),  # solved by hand, without an estimate
    ],
)
def test_the_note_says_how_much_is_certain(square: fs.Solution, estimate: float, note: str | None) -> None:
    assert foot(doubtful(square, estimate).plot(resolution=10)) == note


def test_no_digit_is_certain_even_where_so_much_was_asked_for(square: fs.Solution) -> None:
    assert foot(doubtful(square, 0.8, converged=True).plot(resolution=10)) == CERTAIN_OF_NOTHING


def test_in_axes_of_the_user_the_note_stands_within(square: fs.Solution) -> None:
    for solution, expected in ((doubtful(square), [CERTAIN_OF_NOTHING]), (square, [])):
        figure = Figure()
        solution.plot(ax=figure.subplots(), resolution=10)
        assert [text.get_text() for text in figure.axes[0].texts] == expected
        assert foot(figure) is None


def test_the_thumbnail_of_a_card_carries_it(square: fs.Solution) -> None:
    with Image.open(BytesIO(_thumbnail(square))) as plain, Image.open(BytesIO(_thumbnail(doubtful(square)))) as noted:
        rows = [np.asarray(image.convert("RGB"))[-20:].astype(int) for image in (plain, noted)]
    orange = [(np.abs(foot_rows - (213, 94, 0)).sum(axis=-1) < 90).sum() for foot_rows in rows]
    assert orange[0] == 0
    assert orange[1] > 20


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (0.5, "0.5"), (2 / 3, "0.667"), (-1.0, "-1"), (99.96, "100"), (999.6, "1000"), (1234.0, "1234"),
        (12345.0, "12345"), (1e6, r"$1 \times 10^{6}$"), (-2.5e-4, r"$-2.5 \times 10^{-4}$"),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(value: float, text: str) -> None:
    assert as_plain(value) == text


def test_late_times_are_written_out(solve: Callable[..., fs.Solution]) -> None:
    s, t = sp.symbols("s t")
    late = solve(fs.Interval(0, 1) * fs.Time(0, 1500), (s, t), s * t / 1500)
    assert [text.get_text() for text in late.plot(time=[0, 1500]).axes[0].get_legend().texts] == [
        "$t$ = 0",
        "$t$ = 1500",
    ]
