"""What tells one sweep from another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

import fspielm as fs
from fspielm.sweeps.plan import digest_of, digest_of_measure


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
