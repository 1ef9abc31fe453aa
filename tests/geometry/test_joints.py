"""Joints: smooth places of a boundary at which its curvature jumps."""

import numpy as np
import pytest

import fspielm as fs
from fspielm.geometry import edges_of
from fspielm.geometry.plane import joints_of


def test_a_stadium_has_four() -> None:
    stadium = fs.Disk((-1, 0), 1) | fs.Box((-1, -1), (1, 1)) | fs.Disk((1, 0), 1)
    found = joints_of([edge.curve for edge in edges_of(stadium) or ()])
    corners = sorted(tuple(np.round(joint.point, 12)) for joint in found)
    assert corners == [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    # normals point up and down
    assert [np.sin(joint.away) * joint.point[1] for joint in found] == pytest.approx([1, 1, 1, 1])


@pytest.mark.parametrize("domain", [fs.Disk((0, 0), 1), fs.Box((0, 0), (1, 1)), fs.LShape()])
def test_corners_and_circles_have_none(domain: fs.Domain) -> None:
    assert not joints_of([edge.curve for edge in edges_of(domain) or ()])
