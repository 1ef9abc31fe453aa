"""Time and space-time: construction, the initial sites, lateral parts, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fspielm.errors import ProblemError
from fspielm.geometry import Box, Disk, Domain, Interval, SpaceTime, Time


def test_time() -> None:
    time = Time(1, 3)
    assert (time.start, time.end, time.duration) == (1.0, 3.0, 2.0)
    assert repr(time) == "Time(1.0, 3.0)"
    assert time == Time(1.0, 3.0)
    assert hash(time) == hash(Time(1.0, 3.0))


def test_product_with_time() -> None:
    domain = Interval(0, 1) * Time(0, 2)
    assert isinstance(domain, SpaceTime)
    assert domain == SpaceTime(Interval(0, 1), Time(0, 2))
    assert (domain.space, domain.time) == (Interval(0, 1), Time(0, 2))
    assert domain.space.time is None
    assert (domain.dimension, domain.measure) == (2, 2.0)
    assert repr(domain) == "Interval(0.0, 1.0) * Time(0.0, 2.0)"
    assert domain.contains([[0, 0], [1, 2], [0.5, 2.1], [1.1, 1], [0.5, -0.1]]).tolist() == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_lateral_parts_of_an_interval() -> None:
    left, right = (Interval(0, 1) * Time(2, 5)).boundary(["x", "t"])
    assert [left.name, right.name] == ["x-", "x+"]
    assert (right.measure, right.parameters) == (3.0, 1)
    sites = right.place(np.array([[0.0], [0.5], [1.0]]))
    assert sites.points.tolist() == [[1, 2], [1, 3.5], [1, 5]]
    assert sites.normals is not None
    assert sites.normals.tolist() == [[1, 0]] * 3
    assert len(right.sample(10, np.random.default_rng(0))) == 10


def test_faces_keep_their_names_in_time() -> None:
    names = [part.name for part in (Box((0, 0), (1, 1)) * Time(0, 1)).boundary(["a", "b", "t"])]
    assert names == ["a-", "a+", "b-", "b+"]


@pytest.mark.parametrize("n", [0, 1, 200])
def test_initial_sites(n: int, sampling: Any) -> None:
    domain = Disk((0, 0), 2) * Time(-3, 1)
    sites = domain.initial(n, np.random.default_rng(1), sampling)
    assert sites.points.shape == (n, 3)
    assert (sites.points[:, 2] == -3).all()
    assert domain.space.contains(sites.points[:, :2]).all()
    assert sites.normals is not None
    assert sites.normals.tolist() == [[0, 0, -1]] * n
    again = domain.initial(n, np.random.default_rng(1), sampling)
    assert np.array_equal(sites.points, again.points)


def test_time_enters_once() -> None:
    with pytest.raises(ProblemError, match=r"Time once.*Interval.*\* Time"):
        _ = Interval(0, 1) * Time(0, 1) * Time(0, 1)


def test_only_time_multiplies_a_domain() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = Interval(0, 1) * 2  # type: ignore[operator]


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (1, 0, r"end.*later than start.*1\.0.*0\.0"),
        (1, 1, r"end.*later than start"),
        (0, math.inf, r"Time: end.*finite.*inf"),
        (math.nan, 1, r"Time: start.*finite.*nan"),
        ("0", 1, r"Time: start.*a number.*'0'"),
        (0, (1,), r"Time: end.*a number.*\(1,\)"),
    ],
)
def test_bad_times(start: Any, end: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Time(start, end)


class TestAlone:
    """Time as a domain of its own."""

    TIME = Time(-1, 3)

    def test_is_a_domain(self) -> None:
        assert isinstance(self.TIME, Domain)
        assert self.TIME.time is self.TIME
        assert (self.TIME.dimension, self.TIME.measure) == (1, 4.0)
        assert [end.tolist() for end in self.TIME.bounding_box] == [[-1.0], [3.0]]
        assert self.TIME.boundary(["t"]) == ()
        assert self.TIME.contains([[-1], [3], [-1.1], [3.1], [0]]).tolist() == [True, True, False, False, True]

    def test_samples(self, sampling: Any) -> None:
        points = self.TIME.sample(50, np.random.default_rng(0), sampling)
        assert points.shape == (50, 1)
        assert self.TIME.contains(points).all()

    def test_the_start_is_one_site(self, sampling: Any) -> None:
        rng = np.random.default_rng(0)
        assert len(self.TIME.initial(0, rng, sampling)) == 0
        sites = self.TIME.initial(7, rng, sampling)
        assert sites.points.tolist() == [[-1.0]]
        assert sites.normals is not None
        assert sites.normals.tolist() == [[-1.0]]

    def test_quadrature(self) -> None:
        rule = self.TIME.quadrature(6)
        for power in range(12):  # of what six nodes integrate exactly
            exact = (3.0 ** (power + 1) - (-1.0) ** (power + 1)) / (power + 1)
            assert rule.integrate(rule.points[:, 0] ** power) == pytest.approx(exact, rel=1e-13)

    def test_what_only_space_can(self) -> None:
        with pytest.raises(ProblemError, match=r"Time once; Time.*has its time"):
            _ = self.TIME * Time(0, 1)
        with pytest.raises(ProblemError, match=r"combine.*in space.*by Time"):
            _ = self.TIME | Interval(0, 1)
        with pytest.raises(ProblemError, match=r"rotated in space.*by Time"):
            self.TIME.moved((1,))

    def test_picture(self, tmp_path: Any) -> None:
        pytest.importorskip("matplotlib")
        axes = self.TIME.plot(tmp_path / "time.png", points=3)
        assert (axes.get_xlabel(), axes.get_title()) == ("$t$", "")
