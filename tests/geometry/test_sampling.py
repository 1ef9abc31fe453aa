"""Sampling: coverage, rejection that ends, bad input; and sites."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, final

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.geometry import BoundaryPart, Box, Disk, Domain, Interval, Sites, Time
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda
from fspielm.numerics import unit_stream


@final
class Sliver(Domain):
    """The part of the unit square below a given height: as thin as one likes in a box that does not fit."""

    dimension = 2  # type: ignore[assignment]

    def __init__(self, height: float) -> None:
        self.height = height

    @property
    def bounding_box(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(2), np.ones(2)

    @property
    def measure(self) -> float:
        return self.height

    def _contains(self, points: np.ndarray, closed: bool) -> np.ndarray:
        return points[:, 1] < self.height

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return ()

    def __repr__(self) -> str:
        return "Sliver"


@pytest.mark.parametrize("n", [1, 100])
@pytest.mark.parametrize("height", [0.0, 1e-9])
def test_rejection_gives_up_on_a_thin_region(height: float, n: int, sampling: Any) -> None:
    with pytest.raises(ProblemError, match=r"Sliver fills.*1e-05.*enlarge"):
        Sliver(height).sample(n, np.random.default_rng(0), sampling)


def test_rejection_gives_up_in_time_as_well() -> None:
    with pytest.raises(ProblemError, match=r"Sliver \* Time.*fills"):
        (Sliver(0.0) * Time(0, 1)).sample(10, np.random.default_rng(0))


def test_rejection_is_patient_with_a_narrow_region(sampling: Any) -> None:
    points = Sliver(1e-3).sample(100, np.random.default_rng(0), sampling)
    assert points.shape == (100, 2)
    assert (points[:, 1] < 1e-3).all()


def empty_cells(domain: Domain, points: np.ndarray, per_axis: int) -> int:
    """Count the cells of a grid over the bounding box that lie in the domain and hold no point."""
    lower, upper = domain.bounding_box
    unit = np.array(list(itertools.product(range(per_axis), repeat=domain.dimension)))
    inside = np.ones(len(unit), dtype=bool)
    for offset in itertools.product([0.0, 0.5, 1.0], repeat=domain.dimension):
        inside &= domain.contains(lower + (upper - lower) * (unit + offset) / per_axis)
    filled = np.floor((points - lower) / (upper - lower) * per_axis).astype(int).clip(0, per_axis - 1)
    return len({tuple(cell) for cell in unit[inside]} - {tuple(cell) for cell in filled})


@pytest.mark.parametrize(
    "domain",
    [Interval(-1, 2), Box((0, 0), (3, 1)), Disk((5, 5), 1), Pacman(), Panda(), Interval(0, 1) * Time(0, 5)],
    ids=lambda domain: repr(domain)[:12],
)
def test_low_discrepancy_covers_better(domain: Domain) -> None:
    per_axis = 100 if domain.dimension == 1 else 14
    empty = {
        rule: sum(
            empty_cells(domain, domain.sample(400, np.random.default_rng(seed), rule), per_axis) for seed in range(3)
        )
        for rule in ("uniform", "low-discrepancy")
    }
    assert empty["uniform"] > 0
    assert empty["low-discrepancy"] < 0.6 * empty["uniform"]


def test_boundary_is_covered_better(rng: np.random.Generator) -> None:
    (circle,) = Disk((0, 0), 1).boundary()
    gaps = {}
    for rule in ("uniform", "low-discrepancy"):
        x, y = circle.sample(200, rng, rule).points.T
        gaps[rule] = np.diff(np.sort(np.arctan2(y, x))).max()
    assert gaps["low-discrepancy"] < 0.6 * gaps["uniform"]


def test_the_stream_goes_on_where_it_stopped(sampling: Any) -> None:
    whole = unit_stream(3, np.random.default_rng(5), sampling)(20)
    stream = unit_stream(3, np.random.default_rng(5), sampling)
    assert np.array_equal(whole, np.concatenate([stream(5), stream(0), stream(15)]))
    assert ((whole >= 0) & (whole < 1)).all()
    assert unit_stream(0, np.random.default_rng(5), sampling)(4).shape == (4, 0)


def test_unknown_sampling(rng: np.random.Generator) -> None:
    rule: Any = "sobol"
    message = r"sampling.*'uniform'.*'sobol'"
    domain = Interval(0, 1) * Time(0, 1)
    for draw in (
        domain.sample,
        domain.initial,
        domain.boundary()[0].sample,
        Interval(0, 1).boundary()[0].sample,
    ):
        with pytest.raises(ProblemError, match=message):
            draw(3, rng, rule)


@pytest.mark.parametrize("n", [-1, 2.5, "3", True, None])
def test_bad_count(n: Any, rng: np.random.Generator) -> None:
    domain = Interval(0, 1) * Time(0, 1)
    for draw in (
        domain.sample,
        domain.initial,
        domain.boundary()[0].sample,
        Interval(0, 1).boundary()[0].sample,
    ):
        with pytest.raises(ProblemError, match=r"\bn must be a whole.*points, zero"):
            draw(n, rng)


def test_numpy_integers_count(rng: np.random.Generator) -> None:
    assert len(Disk((0, 0), 1).sample(np.int64(5), rng)) == 5  # type: ignore[arg-type]


def test_sites() -> None:
    sites = Sites(np.arange(6.0).reshape(3, 2), np.ones((3, 2)))
    assert (len(sites), sites.dimension) == (3, 2)
    chosen = sites.select(np.array([True, False, True]))
    assert chosen.points.tolist() == [[0, 1], [4, 5]]
    assert chosen.normals is not None
    assert len(chosen.normals) == 2
    assert Sites(sites.points).select(slice(1)).normals is None
