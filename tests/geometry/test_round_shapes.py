"""Disk and Pacman: what is special to them, and bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.geometry import Disk, Pacman


def test_disk() -> None:
    disk = Disk((1, 2), 3)
    assert repr(disk) == "Disk(center=(1.0, 2.0), radius=3.0)"
    assert disk == Disk([1, 2], sp.Integer(3))
    assert disk.time is None
    (circle,) = disk.boundary()
    assert (circle.name, circle.measure) == ("circle", pytest.approx(6 * math.pi))
    assert disk.contains([[4, 2], [4.0001, 2], [1, 2]]).tolist() == [True, False, True]


def test_pacman_of_the_paper() -> None:
    pacman = Pacman()
    assert (pacman.center, pacman.radius, pacman.mouth) == ((0.5, 0.5), 0.4, math.pi / 4)
    assert pacman == Pacman((0.5, 0.5), 0.4, sp.pi / 4)
    parts = {part.name: part.measure for part in pacman.boundary()}
    assert parts == pytest.approx({"arc": 0.4 * 1.5 * math.pi, "lower": 0.4, "upper": 0.4})
    # in the mouth; left, above and below of it; its tip and lips, which belong to the boundary
    mouth, body = [[0.7, 0.5], [0.5001, 0.5]], [[0.3, 0.5], [0.5, 0.8], [0.5, 0.2]]
    lip = 0.5 + 0.4 * math.sqrt(0.5)
    edge = [[0.5, 0.5], [0.6, 0.6], [0.6, 0.4], [lip, lip]]
    assert pacman.contains(mouth + body + edge).tolist() == [False] * 2 + [True] * 7


def test_pacman_edges_are_where_their_names_say() -> None:
    _, lower, upper = Pacman().boundary()
    unit = np.array([[0.5]])
    assert (lower.name, upper.name) == ("lower", "upper")
    assert lower.place(unit).points[0, 1] < 0.5 < upper.place(unit).points[0, 1]
    s = math.sqrt(0.5)
    assert upper.place(unit).normals == pytest.approx(np.array([[s, -s]]))
    assert lower.place(unit).normals == pytest.approx(np.array([[s, s]]))


@pytest.mark.parametrize("mouth", [1e-3, 1.0, math.pi / 2, 2.0, 3.1])
def test_pacman_with_any_mouth(mouth: float) -> None:
    pacman = Pacman((0, 0), 1, mouth)
    angles = np.array([-1.0, -0.999, 0.999, 1.0]) * (mouth + 1e-9)
    ring = 0.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    assert pacman.contains(ring).tolist() == [True, False, False, True]
    assert not pacman.contains([[0.5, 0.0]]).any()
    points = pacman.sample(100, np.random.default_rng(0))
    assert (np.abs(np.arctan2(points[:, 1], points[:, 0])) >= mouth).all()


BAD_DISKS: list[tuple[Any, Any, str]] = [
    ((0, 0), 0, r"Disk: radius must be positive; got 0\.0"),
    ((0, 0), -1, r"Disk: radius must be positive; got -1\.0"),
    ((0, 0), math.inf, r"Disk: radius must be finite; got inf"),
    ((0, 0), "1", r"Disk: radius must be a number; got '1'"),
    ((0, 0, 0), 1, r"Disk: center must have two coordinates \(x, y\); got 3: \(0\.0, 0\.0, 0\.0\)"),
    (0, 1, r"Disk: center must be a sequence of numbers"),
    ((0, math.nan), 1, r"Disk: center\[1\] must be finite; got nan"),
]


@pytest.mark.parametrize(("center", "radius", "message"), BAD_DISKS)
def test_bad_disks(center: Any, radius: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Disk(center, radius)
    with pytest.raises(ProblemError, match=message.replace("Disk", "Pacman")):
        Pacman(center, radius)


@pytest.mark.parametrize("mouth", [0, -0.1, math.pi, 45])
def test_bad_mouths(mouth: float) -> None:
    with pytest.raises(ProblemError, match=r"Pacman: mouth is half .* between 0 and pi radians; got"):
        Pacman(mouth=mouth)
