"""Disk: what is special to it, and bad input."""

from __future__ import annotations

import math
from typing import Any

import pytest
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.geometry import Disk


def test_disk() -> None:
    disk = Disk((1, 2), 3)
    assert repr(disk) == "Disk(center=(1.0, 2.0), radius=3.0)"
    assert disk == Disk([1, 2], sp.Integer(3))
    assert disk.time is None
    (circle,) = disk.boundary()
    assert (circle.name, circle.measure) == ("circle", pytest.approx(6 * math.pi))
    assert disk.contains([[4, 2], [4.0001, 2], [1, 2]]).tolist() == [True, False, True]


BAD_DISKS: list[tuple[Any, Any, str]] = [
    ((0, 0), 0, r"Disk: radius.*positive.*0\.0"),
    ((0, 0), -1, r"Disk: radius.*positive.*-1\.0"),
    ((0, 0), math.inf, r"Disk: radius.*finite.*inf"),
    ((0, 0), "1", r"Disk: radius.*a number.*'1'"),
    ((0, 0, 0), 1, r"Disk: center.*two.*got 3"),
    (0, 1, r"Disk: center.*sequence"),
    ((0, math.nan), 1, r"Disk: center\[1\].*finite.*nan"),
]


@pytest.mark.parametrize(("center", "radius", "message"), BAD_DISKS)
def test_bad_disks(center: Any, radius: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Disk(center, radius)
