"""Callable data that jump, or have kinks, on a line: the solution is known in pieces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge

_X = sp.Symbol("x")


def make_jump(draw: Draw, jumps: bool) -> Challenge:
    """-u'' + b u' + c u = f, or u' + c u = f, where a derivative of u jumps at some places, and f with it."""
    length, tol = draw.log_between(0.5, 3), draw.log_between(1e-9, 1e-2)
    first = draw.chance(0.2)
    drift, reaction = draw.one_of((0.0, draw.between(-5, 5))), draw.one_of((0.0, draw.log_between(0.1, 100)))
    t = _X / length
    exact = draw.between(-1, 1) + draw.between(0.2, 1) * sp.sin(draw.between(0.5, 6) * t + draw.phase())
    places = [draw.between(0.05, 0.95) for _ in range(draw.one_of((1, 1, 2, 3)))]
    # the first derivative of u that jumps: that of the equation's order, or the next, where f has kinks alone
    order = (1 if first else 2) + draw.chance(0.25)
    for place in places:
        height, rate = draw.log_between(0.03, 30) * draw.one_of((-1, 1)), draw.between(-2, 2)
        s = t - place
        part = height * s**order / math.factorial(order) * sp.exp(rate * s)
        exact += sp.Piecewise((part, s > 0), (0, True)) if jumps else 0
    # at the places themselves, f has the value of one side
    left = (lambda v: v.diff(_X) + reaction * v) if first else _second_order(drift, reaction)
    source = sp.Function("f")(_X)
    u = sp.Function("u")(_X)
    given = {source: as_callable(sp.piecewise_fold(left(exact)), (_X,))}
    values = as_callable(exact, (_X,))
    ends = {place: float(values(np.array([[place]]))[0]) for place in (0.0, length)}
    on = {"x-": ends[0.0]} if first else {"x-": ends[0.0], "x+": ends[length]}
    problem = fs.Problem(
        sp.Eq(left(u), source, evaluate=False),
        fs.Interval(0, length),
        [fs.Dirichlet(value, on=side) for side, value in on.items()],
        given=given,
    )

    def distance(points: Any) -> Any:
        return abs(points[:, :1] / length - np.array([places])).min(axis=1) * length

    what = f"{'jumps' if order == (1 if first else 2) else 'kinks'} of a source" if jumps else "smooth source"
    return Challenge(
        f"{what}, {'first' if first else 'second'} order",
        problem,
        values,
        tol,
        stated="callable",
        jumps=distance if jumps else None,
    )


def _second_order(drift: float, reaction: float) -> Any:
    return lambda v: -v.diff(_X, 2) + drift * v.diff(_X) + reaction * v
