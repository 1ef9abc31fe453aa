"""Particular tilings."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.cells import Tiling, tile
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.geometry import Annulus, Ball, Box, Disk, Domain, Interval, LShape, Polygon, Time


def toward(tiling: Tiling, point: tuple[float, float], times: int) -> Tiling:
    """Halve the cells at a point so many times."""
    for _ in range(times):
        lower, upper = (np.array([getattr(cell, end) for cell in tiling.cells]) for end in ("lower", "upper"))
        at = np.flatnonzero(np.all((lower <= point) & (point <= upper), axis=1)).tolist()
        tiling = tiling.halve(dict.fromkeys(at, (0, 1)))
    return tiling


def neighbours(tiling: Tiling) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {number: set() for number in range(len(tiling.cells))}
    for joint in tiling.joints:
        found[joint.cells[0]].add(joint.cells[1])
        found[joint.cells[1]].add(joint.cells[0])
    return found


@pytest.mark.parametrize("domain", [Box((0, 0), (2, 1)), Interval(0, 2) * Time(0, 1)])
def test_a_box_has_the_joints_of_a_grid(domain: Domain) -> None:
    tiling = tile(domain, (6, 4))
    assert len(tiling.cells) == 24
    assert all(cell.whole for cell in tiling.cells)
    assert sum(joint.axis == 0 for joint in tiling.joints) == 5 * 4
    assert sum(joint.axis == 1 for joint in tiling.joints) == 6 * 3


def test_a_hanging_node_cuts_the_joint_of_the_large_cell() -> None:
    tiling = tile(Box((0, 0), (2, 1)), (2, 1)).halve({1: (0, 1)})
    spans = [joint.span for joint in tiling.joints if 0 in joint.cells]
    assert sorted(spans) == [(0.0, 0.5), (0.5, 1.0)]


def test_halving_forty_times_toward_a_corner() -> None:
    tiling = toward(tile(LShape((0, 0), 1), (2, 2)), (0.0, 0.0), 40)
    assert all(cell.whole for cell in tiling.cells)
    assert min(float((cell.upper - cell.lower).min()) for cell in tiling.cells) == 2.0**-40
    assert sum(np.prod(cell.upper - cell.lower) for cell in tiling.cells) == pytest.approx(3.0, rel=1e-14)
    # nine new cells each time, three of which are halved again
    assert len(tiling.cells) == 3 + 9 * 40
    assert all(neighbours(tiling).values())
    assert len(tiling.stretches(tiling.domain.boundary()[0])) == 41


def test_halving_toward_an_oblique_corner() -> None:
    tiling = toward(tile(Polygon([(0, 0), (1, -0.3), (2, 0), (1, 1)]), (3, 2)), (0.0, 0.0), 25)
    shares = [cell.share * np.prod(cell.upper - cell.lower) for cell in tiling.cells]
    assert sum(shares) == pytest.approx(tiling.domain.measure, rel=1e-12)
    assert all(neighbours(tiling).values())


def test_a_sliver_is_joined_to_its_neighbour_and_halved_with_it() -> None:
    # low in the right column there is a fiftieth of its width, high in it what reaches over the hole
    domain = Box((0, 0), (2, 2)) - Box((1.02, 0), (3, 1.9))
    tiling = tile(domain, (2, 2))
    assert sorted(len(cell.boxes) for cell in tiling.cells) == [1, 1, 2]
    (number,) = [number for number, cell in enumerate(tiling.cells) if len(cell.boxes) == 2]
    assert tiling.cells[number].lower.tolist() == [0.0, 0.0]
    assert tiling.cells[number].upper.tolist() == [1.02, 1.0]
    assert tiling.cells[number].share == pytest.approx(1.0)
    halved = tiling.halve({number: (1,)})
    assert sorted(len(cell.boxes) for cell in halved.cells) == [1, 1, 2, 2]


def test_pieces_of_a_thin_domain_stay_apart() -> None:
    tiling = tile(Annulus((0, 0), 0.99, 1), (4, 4))
    assert len(tiling.cells) == 12


def test_stretches_end_where_a_mask_does() -> None:
    disk = Disk((0, 0), 1)
    stretches = tile(disk, (4, 4)).stretches(disk.boundary()[0], lambda points: points[:, 0] > 0.1)
    total = 2 * np.pi * sum(each.end - each.start for each in stretches)
    assert total == pytest.approx(2 * np.arccos(0.1), abs=1e-13)


def test_a_point_outside_of_a_mask_has_no_stretch() -> None:
    interval = Interval(0, 1)
    tiling = tile(interval, (3,))
    left, right = interval.boundary()
    assert [each.cell for each in tiling.stretches(left)] == [0]
    assert [each.cell for each in tiling.stretches(right)] == [2]
    assert tiling.stretches(right, lambda points: points[:, 0] < 0.5) == ()


def test_cells_at_the_start_of_time() -> None:
    tiling = tile(Interval(0, 2) * Time(1, 3), (2, 2)).halve({0: (0, 1)})
    faces = tiling.face_stretches(1, 0)
    assert [span for _, span in faces] == [(0.0, 0.5), (0.5, 1.0), (1.0, 2.0)]
    assert all(tiling.cells[cell].lower[1] == 1.0 for cell, _ in faces)
    assert [span for _, span in tiling.face_stretches(1, 1)] == [(0.0, 1.0), (1.0, 2.0)]
    gap = tile((Interval(0, 3) - Interval(1, 1.5)) * Time(0, 1), (2, 1))
    assert [span for _, span in gap.face_stretches(1, 0)] == [(0.0, 1.0), (1.5, 3.0)]
    assert tile(Time(0, 1), (4,)).face_stretches(0, 0) == ((0, (0.0, 0.0)),)
    assert tile(Time(0, 1), (4,)).face_stretches(0, 1) == ((3, (0.0, 0.0)),)


def test_a_point_outside_is_in_the_cell_with_the_nearest_frame() -> None:
    tiling = tile(LShape((0, 0), 1), (2, 2))
    (cell,) = tiling.locate([[0.9, -0.1]])
    assert np.array_equal(tiling.cells[cell].lower, [0.0, 0.0])


def test_what_is_refused() -> None:
    with pytest.raises(ProblemError, match="one or two dimensions"):
        tile(Ball((0, 0, 0), 1), (1, 1, 1))
    with pytest.raises(ProblemError, match=r"shape.*2 positive"):
        tile(Disk((0, 0), 1), (3,))
    tiling = tile(Disk((0, 0), 1), (2, 2))
    with pytest.raises(ProblemError, match="from 0 to 3; got 4"):
        tiling.halve({4: (0,)})
    with pytest.raises(ProblemError, match="axes of a cell"):
        tiling.halve({0: (2,)})
    with pytest.raises(UnsuitableError, match="no number between"):
        toward(tile(Box((1, 1), (2, 2)), (1, 1)), (1.0, 1.0), 60)
    with pytest.raises(UnsuitableError, match="too small"):
        toward(tile(Disk((1e10, 0), 1), (2, 2)), (1e10 + 0.6, 0.8), 12)
