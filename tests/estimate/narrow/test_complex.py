"""Complex data and coefficients: what is narrow in either part is found."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import NarrowPlaces
from fspielm.problem import value_jumps

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
BUMP = sp.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) * 10**10)


@pytest.fixture(autouse=True)
def no_part_is_dropped() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        yield


def look(source: Any, value: Any = 0) -> NarrowPlaces:
    return fs.find_narrow(fs.Problem(sp.Eq(LAPLACE, source), SQUARE, fs.Dirichlet(value)))


@pytest.mark.parametrize(
    "source",
    [
        sp.I * BUMP,
        sp.exp(sp.I * x) + sp.I * BUMP,
        sp.exp(3 * sp.I * y) * BUMP,
        sp.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) * 10**10 + sp.I * x),
        (1 + sp.I * BUMP) ** 2,
    ],
    ids=str,
)
def test_expressions_are_enclosed(source: sp.Expr) -> None:
    found = look(source)
    assert found.looks == ()
    place = min(found.places, key=lambda one: one.width)
    assert place.width < 1e-4
    np.testing.assert_allclose(0.5 * (place.lower + place.upper), [0.3, 0.4], atol=1e-3)


def test_smooth_waves_are_nothing() -> None:
    found = look(sp.exp(sp.I * (3 * x + y)), sp.sin(x + sp.I * y))
    assert (found.places, found.looks) == ((), ())


def test_what_has_no_rule_is_sampled_and_said() -> None:
    found = look(sp.sqrt(x + sp.I))
    assert [one.source for one in found.looks] == ["the right-hand side"]


def test_callables() -> None:
    found = look(0, lambda p: 1j * np.tanh(200 * (p[:, 0] - 0.4)))
    narrow = [place for place in found.places if place.kind == "narrow"]
    assert {place.source for place in narrow} == {"the value of 'dirichlet y-'", "the value of 'dirichlet y+'"}
    assert all(abs(place.sites.points[:, 0].mean() - 0.4) < 0.05 for place in narrow)


@pytest.mark.parametrize("factor", [1, sp.I, 1 + sp.I])
def test_jumps_along_a_side(factor: Any) -> None:
    step = factor * sp.Piecewise((1, x < 0.3), (0, True))
    for value in (step, lambda p: complex(factor) * (p[:, 0] < 0.3)):
        problem = fs.Problem(LAPLACE, SQUARE, fs.Dirichlet(value))
        (bottom,) = (c for c in problem.constraints if c.name == "dirichlet y-")
        np.testing.assert_allclose(value_jumps(bottom), [0.3], atol=1e-9)
