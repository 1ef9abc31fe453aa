"""Where the holes of plane domains are."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.geometry import Annulus, Box, Disk, Domain, LShape, Polygon


@pytest.mark.parametrize(
    ("domain", "center", "radius", "clearance"),
    [
        (Annulus((1, 2), 0.5, 2), (1, 2), 0.5, 1.5),
        (Box((0, 0), (4, 2)) - Disk((1, 1), 0.25), (1, 1), 0.25, 0.75),
        (Box((0, 0), (4, 4)) - Box((1, 1), (2, 2)), (1.5, 1.5), 0.5, 1.0),
        ((Box((0, 0), (4, 2)) - Disk((1, 1), 0.25)).scaled(2, center=(0, 0)), (2, 2), 0.5, 1.5),
    ],
    ids=repr,
)
def test_one_hole(domain: Domain, center: tuple[float, float], radius: float, clearance: float) -> None:
    (hole,) = domain.hole_places()
    assert hole.center == pytest.approx(center, abs=0.02)
    assert hole.radius == pytest.approx(radius, rel=0.02)
    assert hole.clearance == pytest.approx(clearance, rel=0.01)


def test_a_hole_whose_middle_is_not_in_it() -> None:
    boomerang = [(1, 1), (5, 1), (5, 5), (4.8, 5), (4.8, 1.2), (1, 1.2)]
    domain = Polygon([(0, 0), (6, 0), (6, 6), (0, 6)], holes=[boomerang])
    (hole,) = domain.hole_places()
    assert not domain.contains(np.array([hole.center])).any()
    assert 0.05 < hole.radius <= 0.15


@pytest.mark.parametrize("domain", [Disk((0, 0), 1), LShape(), Box((0, 0), (1, 1)), Box((0,), (1,))], ids=repr)
def test_no_hole(domain: Domain) -> None:
    assert domain.hole_places() == ()
