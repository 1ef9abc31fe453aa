"""The everyday problems: each can be stated, and has a reference to be measured against."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import fspielm as fs

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks come with the repository, not with the package"
)

COUNT = 21
COMPLEX = ("cabin", "cabin, 1 kHz")


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_every_problem_is_stated() -> None:
    from everyday_problems import EVERYDAY, MEDIA

    assert len(EVERYDAY) == COUNT
    assert set(MEDIA) <= set(EVERYDAY)
    for name, chosen in EVERYDAY.items():
        assert isinstance(chosen.state(), fs.Problem), name


def test_points_are_inside_of_what_is_stated_and_references_belong_to_them() -> None:
    from everyday_problems import EVERYDAY
    from everyday_problems.places import POINTS

    for name, chosen in EVERYDAY.items():
        points = chosen.points()
        assert points.shape == (POINTS, 2), name
        assert chosen.state().domain.contains(points).all(), name
        known = chosen.known() if chosen.exact is None else chosen.exact(points[:20]).reshape(20, -1)
        rows = len(known) if chosen.exact is not None else POINTS
        expected = {"modes": (6, 1), "stokes": (rows, 3)}.get(name, (rows, chosen.fields))
        assert known.shape == expected, name
        assert np.isfinite(known).all(), name
        assert np.iscomplexobj(known) == (name in COMPLEX), name
        assert chosen.errors(known)[0] == 0.0 if chosen.exact is None else True, name


def test_a_reference_is_the_solution_of_its_problem() -> None:
    from everyday_problems import EVERYDAY

    chosen = EVERYDAY["inclusion"]
    solution = fs.solve(chosen.state(), tol=1e-3, rng=0)
    assert chosen.errors(np.asarray(solution(chosen.points())))[0] <= 1e-3


def test_disks_neither_touch_each_other_nor_the_outline() -> None:
    from everyday_problems import places

    for place in (one for one in vars(places).values() if isinstance(one, places.Place)):
        for (_, one, r), (_, other, s) in combinations(place.rounds, 2):
            assert math.dist(one, other) > r + s
        around = 2 * math.pi * np.arange(60) / 60
        for _, center, radius in place.rounds:
            rim = center + (radius + 2e-6) * np.stack([np.cos(around), np.sin(around)], axis=1)
            assert place.contains(rim).all()


def test_the_square_and_the_bent_plate_have_known_values_in_the_middle() -> None:
    """Timoshenko's tables: 0.07367 for the torsion of a square, 0.00220 for a clamped plate of 1 : 1.5."""
    from everyday_problems.closed import clamped_plate, heated_square

    assert heated_square(np.array([[0.5, 0.5]])) == pytest.approx(0.0736713, abs=1e-7)
    assert clamped_plate(np.array([[0.75, 0.5]]), 1.5, 1.0) == pytest.approx(0.00220, abs=5e-6)


def test_rows_are_kept_by_problem_tolerance_and_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from everyday_problems import table

    monkeypatch.setattr(table, "TABLE", tmp_path / "everyday.csv")
    empty = dict.fromkeys(table.HEAD, "")
    ours = {"name": "plate", "tol": "1e-03", "label": "now", "error": "2e-4", "estimate": "6e-4", "seconds": "0.3"}
    for row in (
        ours | {"seconds": "9"},
        {"name": "square", "tol": "1e-03", "label": "now", "verdict": "given up after 120 s"},
        {"name": "plate", "tol": "1e-03", "label": table.PEER, "error": "1e-4", "seconds": "0.02"},
        ours,
    ):
        table.keep(empty | row)
    assert [row["name"] for row in table.measured().values()] == ["square", "plate", "plate"]
    assert "| plate | 0.3 | 2e-04 | 6e-04 | 0.02 | 1e-04 | 15 |" in table.report(1e-3)
    assert "| square | given up after 120 s |" in table.report(1e-3)
    assert "| tol 1e-3: median of estimate over error | 3 |" in table.summary()
    assert "| tol 1e-3: largest of seconds | inf |" in table.summary()
