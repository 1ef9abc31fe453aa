"""A page of modes: panels with captions, in all numbers of coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.solution import plot_modes

pytestmark = pytest.mark.usefixtures("placed")


def shown(panel: Any) -> np.ndarray:
    (image,) = panel.images
    return np.asarray(image.get_array())


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 3), (4, 2), (5, 3)])
def test_panels_in_rows_with_their_captions(square: fs.Solution, count: int, columns: int) -> None:
    captions = [f"{number}: 9.87\n± 1e-9" for number in range(count)]
    figure = plot_modes([square] * count, captions, "Modes that cost $2")
    figure.canvas.draw()
    assert [panel.get_title() for panel in figure.axes] == captions
    assert figure.axes[0].get_subplotspec().get_gridspec().ncols == columns
    assert figure.get_suptitle() == r"Modes that cost \$2"
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(box.x0, box.y0) > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01


def test_a_map_is_shown_about_zero(square: fs.Solution) -> None:
    (panel,) = plot_modes([square], ["1"]).axes
    low, high = panel.images[0].get_clim()
    assert -low == high == pytest.approx(np.abs(shown(panel)).max())


def test_lines_have_a_zero(line: fs.Solution) -> None:
    (panel,) = plot_modes([line], ["1"]).axes
    zero, curve = panel.lines
    assert np.all(np.asarray(zero.get_ydata()) == 0.0)
    points = np.asarray(curve.get_xdata(), dtype=float)[:, None]
    np.testing.assert_allclose(curve.get_ydata(), line(points), rtol=0, atol=1e-13)


def test_slices_go_through_the_largest_value(cube: fs.Solution) -> None:
    """``x + z`` is largest at the top of a box that ends at four."""
    (panel,) = plot_modes([cube], ["1"]).axes
    caption, where = panel.get_title().split("\n")
    assert caption == "1"
    assert where.startswith("$z$ = 3.9") or where.startswith("$z$ = 4")
    assert np.abs(shown(panel)).max() > 4.8
