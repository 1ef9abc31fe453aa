"""Where cells are without their domain, and quadrature over them."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm import Box, Disk, Domain, Ellipse, Interval, LShape, Polygon
from fspielm.cells import Tiling, tile
from fspielm.cells.quadrature import cell_rule

DOMAINS: dict[str, Domain] = {
    "interval": Interval(-1, 2),
    "L": LShape((0, 0), 1),
    "disk": Disk((0.1, 0), 1),
    "ellipse": Ellipse((0, 0), (1, 0.3)),
    "with a hole": Box((0, 0), (1, 1)) - Disk((0.4, 0.45), 0.2),
    "triangle": Polygon([(0, 0), (1, 0.1), (0.3, 0.9)]),
}


@pytest.fixture(params=list(DOMAINS))
def tiling(request: pytest.FixtureRequest) -> Tiling:
    """Some cells are halved."""
    domain = DOMAINS[request.param]
    even = tile(domain, (4,) * domain.dimension)
    return even.halve({cell: range(domain.dimension) for cell in range(0, len(even.cells), 3)})


def test_a_point_in_no_frame_goes_to_the_nearest(tiling: Tiling) -> None:
    frames = tiling.frames
    lower, upper = tiling.domain.bounding_box
    points = np.random.default_rng(0).uniform(lower - 0.3, upper + 0.3, (2000, len(lower)))
    off = np.maximum(np.maximum(frames.lower - points[:, None], points[:, None] - frames.upper), 0.0)
    squares, found = np.sum(off**2, axis=2), frames.locate(points)
    assert np.all(squares[np.arange(len(points)), found] <= squares.min(axis=1) + 1e-20)


def test_the_rule_is_spectrally_accurate_and_stays_inside(tiling: Tiling) -> None:
    def values(points: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(points[:, 0]) * np.cos(2 * points[:, -1]))

    rule = cell_rule(tiling.frames, tiling.domain, np.full(len(tiling.cells), 14))
    fine = tiling.domain.quadrature(20_000)
    assert np.all(rule.weights > 0)
    assert tiling.domain.contains(rule.points).all()
    assert np.sum(rule.weights) == pytest.approx(tiling.domain.measure, rel=1e-12)
    assert rule.integrate(values(rule.points)) == pytest.approx(fine.integrate(values(fine.points)), rel=1e-11)


def test_a_function_with_kinks_between_cells_is_integrated_exactly() -> None:
    tiling = tile(Disk((0, 0), 1), (4, 4))
    rule = cell_rule(tiling.frames, tiling.domain, np.full(len(tiling.cells), 14))
    # the coordinate lines are borders of cells
    assert rule.integrate(np.abs(rule.points[:, 0])) == pytest.approx(4 / 3, rel=1e-12)


def test_borders_have_a_cell_on_either_side(tiling: Tiling) -> None:
    ends, cells = tiling.frames.borders
    assert {frozenset(pair) for pair in cells.tolist()} >= {frozenset(joint.cells) for joint in tiling.joints}
    assert ends.shape == (len(cells), 2, tiling.domain.dimension)


def test_breaks_are_where_a_curve_enters_another_box() -> None:
    tiling = tile(Disk((0, 0), 1), (2, 2))
    (circle,) = tiling.domain.boundary()
    breaks = tiling.frames.breaks(circle)
    # where the circle turns, the border of boxes may be beside by rounding
    np.testing.assert_array_equal(np.unique(breaks.round(9)), [0, 0.25, 0.5, 0.75, 1])
