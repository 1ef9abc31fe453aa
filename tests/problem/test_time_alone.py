"""Conditions where time is the whole domain: which it takes, and which are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs

t, x = sp.symbols("t x")
u = sp.Function("u")(t)
UNIT = fs.Time(0, 1)
OSCILLATION, DECAY = u.diff(t, 2) + 9 * u, u.diff(t) + u


def test_initial_conditions_hold_at_one_point() -> None:
    problem = fs.Problem(OSCILLATION, fs.Time(2, 3), [fs.Initial(t), fs.Initial(0, order=1)])
    assert [c.name for c in problem.constraints] == ["initial", "initial order 1"]
    first = problem.constraints[0]
    sites = first.sample(10, np.random.default_rng(0))
    assert (len(sites), first.region.count, first.measure) == (1, 1, 1.0)
    assert first.value(sites.points).tolist() == [2.0]
    assert not problem.missing


@pytest.mark.parametrize(
    ("points", "missing"), [([[0.5]], True), ([[0.5], [0.7]], False), ([[0.1], [0.5], [0.7]], False)]
)
def test_points_may_stand_for_initial_conditions(points: Any, missing: bool) -> None:
    assert bool(fs.Problem(OSCILLATION, UNIT, [fs.Measured(points, 0)]).missing) is missing


def test_a_curve_is_as_many_points_as_are_wanted() -> None:
    assert not fs.Problem(OSCILLATION, UNIT, [fs.Condition(u - t, at=lambda s: s[:, None])]).missing


@pytest.mark.parametrize(
    ("equation", "conditions", "message"),
    [
        (DECAY, [], r"conditions is empty"),
        (OSCILLATION, [fs.Initial(1)], r"order 2 .*misses.*order=1.*velocity"),
        (DECAY, [fs.Initial(1), fs.Initial(0, order=1)], r"Initial.*an equation of order 1"),
        (DECAY, [fs.Initial(1), fs.Initial(2)], r"two Initial.*order 0"),
        (DECAY, [fs.Initial(fs.normal_derivative(t))], r"^the value of Initial.*a meaning"),
        *[
            (
                OSCILLATION,
                [condition],
                rf"^{type(condition).__name__}: Time.*no boundary.*fs\.Initial"
            )
            for condition in (
                fs.Dirichlet(1),
                fs.Dirichlet(1, on="t-"),
                fs.Dirichlet(1, on=t < 0.5),
                fs.Neumann(1, on="rest"),
                fs.Robin(1, 1, 1),
                fs.Symmetry(),
                fs.Condition(u.diff(t)),
            )
        ],
        (OSCILLATION, [fs.Periodic("t")], r"^Periodic:.*'t-'.*start of time"),
    ],
)  # fmt: skip
def test_refused(equation: Any, conditions: Any, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.Problem(equation, UNIT, conditions)


def test_an_interval_has_no_start() -> None:
    with pytest.raises(fs.ProblemError, match=r"space \* fs\.Time.*ordinary"):
        fs.Problem(OSCILLATION, fs.Interval(0, 1), [fs.Initial(1)])


def test_coordinates_are_counted() -> None:
    w = sp.Function("w")(x, t)
    with pytest.raises(fs.ProblemError, match=r"has 1, time included.*\* Time"):
        fs.Problem(w.diff(t) - w.diff(x, 2), UNIT, [fs.Initial(0)])
