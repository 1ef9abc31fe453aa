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
# Of so many points of comparison one is asked for where all would take long.
FEW = 20
COMPLEX = ("cabin", "cabin, 1 kHz")


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_every_problem_is_stated_and_has_a_reference_at_points_of_its_domain() -> None:
    from everyday_problems import EVERYDAY, MEDIA

    assert len(EVERYDAY) == COUNT
    assert set(MEDIA) <= set(EVERYDAY)
    for name, chosen in EVERYDAY.items():
        problem, points = chosen.state(), chosen.points()
        assert isinstance(problem, fs.Problem), name
        assert problem.domain.contains(points[::FEW]).all(), name
        known = chosen.known() if chosen.exact is None else chosen.exact(points[::FEW]).reshape(len(points[::FEW]), -1)
        rows = len(points) if chosen.exact is None else len(points[::FEW])
        assert known.shape == {"modes": (6, 1), "stokes": (rows, 3)}.get(name, (rows, chosen.fields)), name
        assert np.isfinite(known).all(), name
        assert np.iscomplexobj(known) == (name in COMPLEX), name


def test_errors_are_relative_and_those_of_a_pressure_are_told_apart() -> None:
    from everyday_problems import EVERYDAY

    flow, modes = EVERYDAY["stokes"], EVERYDAY["modes"]
    assert flow.errors(flow.known() * [1.01, 1.01, 1.1]) == pytest.approx((0.01, 0.1))
    assert modes.errors(modes.known() * np.linspace(1, 1.01, 6)[:, None])[0] == pytest.approx(0.01)
    assert modes.errors(modes.known()[:5])[0] == np.inf


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
