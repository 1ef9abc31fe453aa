"""Narrow initial values: heat that spreads, waves that part, what is carried along."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge
from adversary_families.narrow import Spot
from adversary_families.stating import Goal, Stating, draw_goal

_T = sp.Symbol("t")


@dataclass(frozen=True)
class _Setting:
    goal: Goal
    x: tuple[sp.Symbol, ...]
    side: float
    centre: tuple[float, ...]
    narrow: bool

    @property
    def width(self) -> float:
        return self.goal.width * self.side

    def challenge(
        self, kind: str, equation: Any, end: float, conditions: Any, exact: Any, spots: Any, scale: Any = None
    ) -> Challenge:
        n = len(self.x)
        space: Any = fs.Interval(0, self.side) if n == 1 else fs.Box((0, 0), (self.side, self.side))
        return Challenge(
            f"{kind} {n}d+t",
            fs.Problem(equation, space * fs.Time(0, end), conditions),
            as_callable(exact, (*self.x, _T)),
            self.goal.tol,
            self.goal.width,
            self.goal.stated,
            self.goal.beyond,
            spots=spots if self.narrow else (),
            scale=scale if self.narrow else None,
        )

    def stating(self) -> Stating:
        return Stating((*self.x, _T), self.goal.stated == "callable")


def make_hot_spot(draw: Draw, narrow: bool) -> Challenge:
    """Any of the equations, with narrow initial values or velocities."""
    make: Callable[[Draw, bool], Challenge] = draw.one_of((_heat, _heat, _wave, _transport))
    return make(draw, narrow)


def _draw_setting(draw: Draw, narrow: bool, dimension: int) -> _Setting:
    side = draw.log_between(0.6, 2)
    centre = tuple(float(f"{side * draw.between(0.35, 0.65):.4g}") for _ in range(dimension))
    return _Setting(draw_goal(draw, dimension + 1, 1e-6), sp.symbols("x y")[:dimension], side, centre, narrow)


def _heat(draw: Draw, narrow: bool) -> Challenge:
    setting = _draw_setting(draw, narrow, draw.one_of((1, 1, 2)))
    x, side, w, n = setting.x, setting.side, setting.width, len(setting.x)
    end, conductivity = side**2 * draw.between(0.05, 0.3), draw.between(0.3, 1)
    spread = w**2 + 4 * conductivity * _T
    square = sum((v - c) ** 2 for v, c in zip(x, setting.centre, strict=True))
    # as much heat in all, whatever the width
    height = draw.log_between(0.3, 2) * (side / w) ** n / 10 * narrow
    k = draw.between(0.5, 2) / side
    smooth = sp.prod([sp.cos(k * v + draw.phase()) for v in x]) * sp.exp(-conductivity * n * k**2 * _T)
    exact = smooth + height * (w**2 / spread) ** sp.Rational(n, 2) * sp.exp(-square / spread)
    stating = setting.stating()
    u = sp.Function("u")(*x, _T)
    equation = sp.Eq(u.diff(_T) - conductivity * sum(u.diff(v, 2) for v in x), 0)
    conditions = [fs.Dirichlet(stating.value(exact)), fs.Initial(stating.value(exact.subs(_T, 0)))]
    spots = (Spot((*range(n), n), (*setting.centre, 0.0), w),)

    def scale(points: NDArray[np.float64]) -> NDArray[np.float64]:
        area = w**2 + 4 * conductivity * points[:, -1]
        near = area / (1 + np.sum((points[:, :-1] - setting.centre) ** 2, axis=1) / area)
        return np.stack([np.sqrt(near)] * n + [near / (4 * conductivity)], axis=1)

    return setting.challenge("heat", equation, end, conditions, exact, spots, scale)


def _wave(draw: Draw, narrow: bool) -> Challenge:
    setting = _draw_setting(draw, narrow, 1)
    (x,), side, w, (x0,) = setting.x, setting.side, setting.width, setting.centre
    speed = draw.between(0.5, 1.5)
    # over before anything narrow is at the boundary
    end = 0.1 * side / speed
    k = draw.between(1, 4) / side
    smooth = sp.cos(k * x + draw.phase()) * sp.cos(k * speed * _T)
    away, back = ((x - x0 - sign * speed * _T) / w for sign in (1, -1))
    if draw.chance(0.5):
        height = draw.log_between(0.5, 3) * max(1.0, 1e-2 / math.sqrt(setting.goal.width)) * narrow
        exact = smooth + height / 2 * (sp.exp(-(away**2)) + sp.exp(-(back**2)))
        kind = "wave, plucked"
    else:
        height = draw.log_between(0.3, 2) * narrow
        exact, kind = smooth + height * (sp.erf(back) - sp.erf(away)), "wave, struck"
    stating = setting.stating()
    u = sp.Function("u")(x, _T)
    conditions = [
        # what is narrow has not arrived
        fs.Dirichlet(stating.value(smooth)),
        fs.Initial(stating.value(exact.subs(_T, 0))),
        fs.Initial(stating.value(exact.diff(_T).subs(_T, 0)), order=1),
    ]
    equation = sp.Eq(u.diff(_T, 2) - speed**2 * u.diff(x, 2), 0)
    spots = tuple(Spot((0,), (x0,), w, (sign * speed,)) for sign in (1, -1))
    return setting.challenge(kind, equation, end, conditions, exact, spots)


def _transport(draw: Draw, narrow: bool) -> Challenge:
    n = draw.one_of((1, 1, 2))
    setting = _draw_setting(draw, narrow, n)
    x, side, w = setting.x, setting.side, setting.width
    velocity = [draw.between(0.3, 1) for _ in x]
    end = 0.1 * side
    carried = [v - c * _T for v, c in zip(x, velocity, strict=True)]
    smooth = sp.prod([sp.cos(draw.between(1, 3) * v / side + draw.phase()) for v in carried])
    height = draw.log_between(0.5, 3) * max(1.0, 1e-2 / setting.goal.width ** (n / 2)) * narrow
    square = sum((v - c) ** 2 for v, c in zip(carried, setting.centre, strict=True))
    exact = smooth + height * sp.exp(-square / w**2)
    stating = setting.stating()
    u = sp.Function("u")(*x, _T)
    equation = sp.Eq(u.diff(_T) + sum(c * u.diff(v) for v, c in zip(x, velocity, strict=True)), 0)
    conditions = [
        *(fs.Dirichlet(stating.value(smooth), on=f"{v}-") for v in x),
        fs.Initial(stating.value(exact.subs(_T, 0))),
    ]
    spots = (Spot(tuple(range(n)), setting.centre, w, tuple(velocity)),)
    return setting.challenge("transport", equation, end, conditions, exact, spots)
