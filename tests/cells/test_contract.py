"""What holds of every tiling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fspielm.cells import Tiling

# Off the edges by this share of a cell, points are on one side of them.
ASIDE = 1e-6


def frames(tiling: Tiling) -> tuple[np.ndarray, np.ndarray]:
    return np.array([cell.lower for cell in tiling.cells]), np.array([cell.upper for cell in tiling.cells])


def measures(tiling: Tiling) -> np.ndarray:
    return np.array([cell.share * np.prod(cell.upper - cell.lower) for cell in tiling.cells])


def in_boxes(tiling: Tiling, cell: int, points: np.ndarray, slack: float = 0.0) -> np.ndarray:
    boxes = tiling.cells[cell].boxes
    return np.any([np.all((points >= a - slack) & (points <= b + slack), axis=1) for a, b in boxes], axis=0)


def test_the_pieces_add_up_to_the_domain(tiling: Tiling) -> None:
    assert measures(tiling).sum() == pytest.approx(tiling.domain.measure, rel=1e-6)


def test_points_are_found_in_the_frame_and_a_box_of_their_cell(tiling: Tiling) -> None:
    points = tiling.domain.sample(5000, np.random.default_rng(0), "low-discrepancy")
    cells = tiling.locate(points)
    lower, upper = frames(tiling)
    slack = 1e-13 * np.abs(points).max()
    assert np.all((points >= lower[cells] - slack) & (points <= upper[cells] + slack))
    for cell in np.unique(cells):
        assert in_boxes(tiling, cell, points[cells == cell], slack).all()
    # as many as its measure says: evenly spread points are, but for some along its rim
    counted = np.bincount(cells, minlength=len(tiling.cells)) / len(points)
    assert np.abs(counted - measures(tiling) / tiling.domain.measure).max() < 0.005


def test_frames_are_as_small_as_can_be(tiling: Tiling) -> None:
    domain = tiling.domain
    unit = np.stack(np.meshgrid(*[np.linspace(0, 1, 81)] * domain.dimension, indexing="ij"), -1)
    unit = unit.reshape(-1, domain.dimension)
    for number, cell in enumerate(tiling.cells[:: max(1, len(tiling.cells) // 12)]):
        points = cell.lower + (cell.upper - cell.lower) * unit
        held = domain.contains(points) & in_boxes(tiling, number * max(1, len(tiling.cells) // 12), points)
        # a corner of the piece may lie between points, so near to the face it is on as these are to each other
        assert np.all(unit[held].min(axis=0) < 0.1)
        assert np.all(unit[held].max(axis=0) > 0.9)


def test_only_boxes_in_the_domain_are_whole(tiling: Tiling) -> None:
    for cell in tiling.cells:
        if cell.whole:
            assert len(cell.boxes) == 1
            assert cell.share == 1.0
            assert np.array_equal(cell.lower, cell.boxes[0][0])
            assert np.array_equal(cell.upper, cell.boxes[0][1])
            points = cell.lower + (cell.upper - cell.lower) * np.random.default_rng(1).random((20, len(cell.lower)))
            assert tiling.domain.contains(points).all()
        else:
            assert 0 < cell.share <= 1


def test_joints_lie_in_the_domain_between_their_cells(tiling: Tiling) -> None:
    dimension = tiling.domain.dimension
    for joint in tiling.joints:
        low, high = joint.span
        step = ASIDE * (high - low if dimension == 2 else 1e-3)
        points = np.full((3, dimension), joint.at)
        if dimension == 2:
            assert low < high
            points[:, 1 - joint.axis] = low + np.array([0.013, 0.47, 0.99]) * (
                high - low
            )  # not where the boundary may touch
        else:
            assert joint.span == (0.0, 0.0)
        assert tiling.domain.contains(points).all()
        for cell, side in zip(joint.cells, (-step, step), strict=True):
            beside = points.copy()
            beside[:, joint.axis] += side
            assert in_boxes(tiling, cell, beside).all()
            assert tiling.domain.contains(beside).all()


def test_no_joint_is_missing(tiling: Tiling) -> None:
    """Short steps across borders of cells cross joints."""
    domain = tiling.domain
    rng = np.random.default_rng(2)
    points = domain.sample(3000, rng)
    extent = np.ptp(domain.bounding_box, axis=0)
    for axis in range(domain.dimension):
        on = points.copy()
        on[:, axis] += 0.02 * extent[axis]
        ways = np.linspace(points, on, 21).reshape(-1, domain.dimension)
        free = domain.contains(ways).reshape(21, -1).all(axis=0)
        first, last = tiling.locate(points), tiling.locate(on)
        crossed = np.flatnonzero(free & (first != last))
        for row in crossed[:200]:
            across = points[row, 1 - axis] if domain.dimension == 2 else 0.0
            between = [
                joint
                for joint in tiling.joints
                if joint.axis == axis
                and points[row, axis] <= joint.at <= on[row, axis]
                and joint.span[0] <= across <= joint.span[1]
            ]
            assert between
            assert {first[row], last[row]} <= {cell for joint in between for cell in joint.cells}


def test_stretches_cover_the_boundary_each_in_its_cell(tiling: Tiling) -> None:
    for part in tiling.domain.boundary():
        stretches = tiling.stretches(part)
        if part.parameters == 0:
            assert [(each.start, each.end) for each in stretches] == [(0.0, 0.0)]
            assert tiling.locate(part.place(np.empty((1, 0))).points) == [stretches[0].cell]
            continue
        assert stretches[0].start == 0.0
        assert stretches[-1].end == 1.0
        assert all(a.end == b.start for a, b in pairwise(stretches))
        assert set(part.breaks) <= {each.start for each in stretches} | {1.0}
        for each in stretches:
            length = each.end - each.start
            inner = part.place((each.start + length * np.array([0.01, 0.3, 0.99]))[:, None])
            assert inner.normals is not None
            points = inner.points - ASIDE * length * part.measure * inner.normals
            if length > 1e-8:
                assert in_boxes(tiling, each.cell, points).all()


def test_cells_hang_together(tiling: Tiling, connected: bool) -> None:
    reached, new = {0}, {0}
    while new:
        pairs = [joint.cells for joint in tiling.joints]
        new = {b if a in new else a for a, b in pairs if (a in new) != (b in new)} - reached
        reached |= new
    if connected:
        assert reached == set(range(len(tiling.cells)))
    else:
        assert len(reached) < len(tiling.cells)
