"""The shapes of the paper's benchmarks: what is special to them, bad input, and that they are known everywhere.

The contract suite of all shapes, in ``tests/geometry``, runs over them too.
"""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.geometry import PolarCurve
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda


def radii(curve: PolarCurve, n: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    angles = 2 * math.pi * np.arange(n) / n
    (symbol,) = curve.radius.free_symbols
    return angles, sp.lambdify(symbol, curve.radius, "numpy")(angles)


@pytest.mark.parametrize("radius", [0.25, 1, 1e-6, 1e6])
def test_the_radius_of_a_panda_is_its_mean(radius: float) -> None:
    assert np.mean(radii(Panda(radius))[1]) == pytest.approx(radius, rel=1e-14)


def test_a_panda_looks_like_one() -> None:
    panda = Panda()
    angles, r = radii(panda)
    assert panda.center == (0.5, 0.5)
    # mirrored left to right
    (symbol,) = panda.radius.free_symbols
    mirrored = sp.lambdify(symbol, panda.radius, "numpy")(math.pi - angles)
    assert mirrored == pytest.approx(r, rel=1e-13)
    # two ears, the places farthest out, at the upper right and left
    tips = np.flatnonzero((r > np.roll(r, 1)) & (r >= np.roll(r, -1)) & (r > 1.3 * 0.25))
    assert np.degrees(angles[tips]) == pytest.approx([47, 133], abs=3)
    # clear of the head: a notch on both sides of each
    right = (angles > 0) & (angles < math.pi / 2)
    notches = r[right][[np.argmin(np.abs(angles[right] - math.radians(a))) for a in (28, 68)]]
    assert (notches < 0.72 * r.max()).all()
    # wider than high without the ears, and in the unit square with room to spare
    lower, upper = panda.bounding_box
    assert (upper - lower)[0] / 0.25 == pytest.approx(2.1, abs=0.05)
    assert (upper - lower)[1] / 0.25 == pytest.approx(1.85, abs=0.05)
    assert (lower > 0.2).all()
    assert (upper < 0.8).all()


def test_bad_pandas() -> None:
    with pytest.raises(ProblemError, match=r"Panda: radius.*positive.*-1\.0"):
        Panda(-1)
    with pytest.raises(ProblemError, match=r"Panda: radius.*a number.*'big'"):
        Panda("big")  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match=r"center.*sequence of numbers"):
        Panda(1, 0)  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("center", "radius", "message"),
    [
        ((0, 0), -1, r"Pacman: radius.*positive.*-1\.0"),
        ((0, 0), "1", r"Pacman: radius.*a number.*'1'"),
        ((0, 0, 0), 1, r"Pacman: center.*two.*got 3"),
        (0, 1, r"Pacman: center.*sequence"),
        ((0, math.nan), 1, r"Pacman: center\[1\].*finite.*nan"),
    ],
)
def test_bad_pacmen(center: Any, radius: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Pacman(center, radius)


@pytest.mark.parametrize("mouth", [0, -0.1, math.pi, 45])
def test_bad_mouths(mouth: float) -> None:
    with pytest.raises(ProblemError, match=r"Pacman: mouth.*0 and pi"):
        Pacman(mouth=mouth)


# Runs in a fresh interpreter, where nothing has asked for the benchmarks yet.
PROBE = """
import sys
from fspielm.files import read_problem

text = 'unknown = "u(x, y)"\\nequation = "laplacian(u) = 0"\\n'
text += 'conditions = [{type = "dirichlet", value = 0}]\\n[domain]\\nshape = "'
disk = read_problem(text + 'Disk"\\ncenter = [0, 0]\\nradius = 1')
print("fspielm.paper.cases" in sys.modules)
print(read_problem(text + 'Pacman"').domain)
import fspielm
print("Panda" in fspielm.__all__, "Panda" in dir(fspielm), fspielm.Panda.__module__, fspielm.Pacman.__module__)
"""


def test_files_and_the_package_know_them_without_loading_the_benchmarks_before() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "False",
        "Pacman(center=(0.5, 0.5), radius=0.4, mouth=0.7853981633974483)",
        "True True fspielm.geometry.shapes.panda fspielm.geometry.shapes.pacman",
    ]
