"""Cells that are not too large for curves and for gaps between them."""

from __future__ import annotations

import numpy as np
import pytest

import fspielm as fs
from fspielm.cells import tile
from fspielm.geometry import Domain
from fspielm.solvers.cells.first import narrowest_gap, toward_curved

BOX = fs.Box((0, 0), (1, 0.4))
ONE = BOX - fs.Disk((0.3, 0.2), 0.09)
TWO = ONE - fs.Disk((0.49, 0.2), 0.09)
HOLE = fs.Polygon([(0.41, 0.43), (0.47, 0.44), (0.44, 0.49)])
WITH_HOLE = fs.Polygon([(0, 0), (1, 0.1), (0.9, 1), (0.1, 0.8)]) - HOLE


@pytest.mark.parametrize(
    ("domain", "width"),
    [
        (TWO, 0.01),
        (ONE, 0.11),
        # curves that meet are no gap, nor are straight ones
        (fs.Disk((0, 0), 1) & fs.Disk((1.5, 0), 1), np.inf),
        (fs.LShape((0, 0), 1), np.inf),
        (WITH_HOLE, np.inf),
        (fs.Disk((0, 0), 1), np.inf),
    ],
)
def test_the_narrowest_gap(domain: Domain, width: float) -> None:
    assert narrowest_gap(domain) == pytest.approx(width, rel=0.03)


def test_cells_in_a_gap_are_short_along_it() -> None:
    cells = toward_curved(tile(TWO, (3, 2)), 300)[0].cells
    neck = np.sqrt(0.01 * 0.09)
    within = [cell for cell in cells if cell.lower[0] < 0.395 < cell.upper[0] and abs(cell.lower[1] - 0.2) < 0.02]
    assert within
    assert all(cell.upper[1] - cell.lower[1] < 1.5 * neck for cell in within)


def test_corners_of_a_polygon_with_holes_are_no_bends() -> None:
    tiling = tile(WITH_HOLE, (3, 3))
    assert toward_curved(tiling, 300) == (tiling, 1.0)


def test_cells_at_a_small_circle_are_halved() -> None:
    radius = 0.05
    tiling = tile(fs.Box((0, 0), (1, 1)) - fs.Disk((0.5, 0.55), radius), (3, 3))
    finer, _ = toward_curved(tiling, 300)
    assert len(finer.cells) > len(tiling.cells)
    cut = [cell for cell in finer.cells if not cell.whole]
    assert max(float(np.max(cell.upper - cell.lower)) for cell in cut) <= 1.5 * radius
    # cells far away stay, and no more are made than may be
    assert max(float(np.max(cell.upper - cell.lower)) for cell in finer.cells) == pytest.approx(1 / 3)
    assert len(toward_curved(tiling, 12)[0].cells) <= 12
