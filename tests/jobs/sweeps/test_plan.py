"""What tells one sweep from another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import CubicSpline

import fspielm as fs
from fspielm.jobs.sweep_plan import digest_of, digest_of_measure, size


def at(place: float) -> Callable[..., Any]:
    def measure(solution: Any, place: float = place) -> Any:
        return solution([[place]])

    return measure


def through(function: Callable[..., Any], seen: list[Any]) -> Callable[..., Any]:
    return lambda solution: (seen, function(solution))


def test_defaults_and_functions_that_a_measure_was_made_with_count_and_what_changes_does_not() -> None:
    assert digest_of_measure(at(0.5)) == digest_of_measure(at(0.5)) != digest_of_measure(at(0.4))
    one, again, other = through(max, [1]), through(max, [2]), through(at(0.5), [1])
    assert digest_of_measure(one) == digest_of_measure(again) != digest_of_measure(other)
    assert digest_of_measure(other) != digest_of_measure(through(at(0.4), [1]))


def test_what_comes_in_counts() -> None:
    x, y, k = sp.symbols("x y k")
    u = sp.Function("u")(x, y)
    equation, outside = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0), fs.Exterior(fs.Disk((0, 0), 1))

    def digest(direction: tuple[int, int]) -> str:
        incident = fs.plane_wave(k, direction)
        return digest_of(fs.Problem(equation, outside, [fs.Dirichlet(0)], given={k: ...}, incident=incident), (k,))

    assert digest((1, 0)) == digest((1, 0)) != digest((0, 1))


FACTOR = 2.0
TABLE = np.linspace(0, 1, 5)


def scaled(points: Any) -> Any:
    return FACTOR * points[:, 0]


def tabled(points: Any) -> Any:
    return [np.interp(place, TABLE, TABLE) for place in points[:, 0]]


def through_another(points: Any) -> Any:
    return 1 + scaled(points)


class Scaled:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, points: Any) -> Any:
        return self.factor * points[:, 0]

    def method(self, points: Any) -> Any:
        return self.factor * points[:, 0]


x, k = sp.symbols("x k")
u, f = sp.Function("u")(x), sp.Function("f")(x)
PLACES = {
    "given": lambda call: {
        "equation": sp.Eq(u.diff(x, 2) + k * u, f),
        "conditions": [fs.Dirichlet(0)],
        "given": {f: call},
    },
    "condition": lambda call: {"equation": u.diff(x, 2) + k * u, "conditions": [fs.Dirichlet(call)]},
    "coefficient of a condition": lambda call: {"equation": u.diff(x, 2) + k * u, "conditions": [fs.Robin(call, 1, 0)]},
}


@pytest.mark.parametrize("place", PLACES)
class TestCallablesOfAProblem:
    def digest(self, place: str, call: Callable[..., Any]) -> str:
        return digest_of(fs.Problem(domain=fs.Interval(0, 1), **PLACES[place](call)), (k,))

    @pytest.mark.parametrize("call", [scaled, through_another, lambda points: FACTOR + points[:, 0]])
    def test_globals_count(self, place: str, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
        before = self.digest(place, call)
        assert before == self.digest(place, call)
        monkeypatch.setitem(globals(), "FACTOR", 3.0)
        assert before != self.digest(place, call)

    def test_arrays_count(self, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
        before = self.digest(place, tabled)
        monkeypatch.setitem(globals(), "TABLE", TABLE**2)
        assert before != self.digest(place, tabled)

    @pytest.mark.parametrize(
        "make",
        [
            lambda size: lambda points: size * points[:, 0],
            Scaled,
            lambda size: Scaled(size).method,
            lambda size: partial(lambda factor, points: factor * points[:, 0], size),
            lambda size: lambda points: CubicSpline(TABLE, size * TABLE)(points[:, 0]),
        ],
        ids=["closure", "object", "method", "partial", "spline"],
    )
    def test_what_they_were_made_with_counts(self, place: str, make: Callable[[float], Callable[..., Any]]) -> None:
        assert self.digest(place, make(1.0)) == self.digest(place, make(1.0)) != self.digest(place, make(2.0))


def test_splines_in_closures_count() -> None:
    one, other = CubicSpline(TABLE, TABLE), CubicSpline(TABLE, TABLE**2)
    digests = [digest_of_measure(through(spline, [])) for spline in (one, CubicSpline(TABLE, TABLE), other)]
    assert digests[0] == digests[1] != digests[2]


def test_globals_of_a_measure_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of_measure(lambda solution: FACTOR * solution)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert before != digest_of_measure(lambda solution: FACTOR * solution)


def test_kept_sweeps_of_earlier_versions_have_the_same_default_measure() -> None:
    assert digest_of_measure(size) == "febc25a105e38cff"


def test_functions_of_the_library_go_by_their_names() -> None:
    def squared(solution: fs.Solution) -> float:
        return float(size(solution)["size"]) ** 2

    before = digest_of_measure(squared)
    code = size.__code__
    size.__code__ = code.replace(co_consts=("another docstring", *code.co_consts[1:]))
    try:
        assert digest_of_measure(squared) == before
    finally:
        size.__code__ = code
