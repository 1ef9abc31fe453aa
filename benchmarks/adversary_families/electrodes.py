"""Narrow boundary values: fields of points just outside, and pulses that enter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from random_families.conditions import as_callable, normals
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge
from adversary_families.narrow import Spot
from adversary_families.stating import Goal, Stating, draw_goal


def make_electrode(draw: Draw, narrow: bool) -> Challenge:
    """The field of a point just outside, given by its values or its flux on the boundary."""
    dimension = draw.one_of((2, 2, 2, 2, 3))
    size = draw.log_between(0.6, 2.5)
    goal = draw_goal(draw, dimension, 1e-7 if dimension == 2 else 1e-4)
    x = sp.symbols("x y z")[:dimension]
    domain, foot, outward = _draw_foot(draw, dimension, size)
    lower, upper = domain.bounding_box
    d = goal.width * float((upper - lower).max())
    away = [v - float(p + d * n) for v, p, n in zip(x, foot, outward, strict=True)]
    square = 0.0 if draw.chance(0.6) else (draw.between(0.5, 2.5) / size) ** 2 * (1 if dimension == 2 else -1)
    r = sp.sqrt(sum(v**2 for v in away))
    kind, field = draw.one_of(_fields(draw, dimension, square, away, r, size))
    strength = draw.log_between(0.05, 1) * draw.one_of((-1, 1)) * narrow
    smooth = _smooth(draw, x, square, size)
    exact = smooth + strength * field
    stating = Stating(x, goal.stated == "callable")
    u = sp.Function("u")(*x)
    equation = sp.Eq(sum(u.diff(v, 2) for v in x) + square * u, 0)
    conditions, told = _conditions(draw, domain, x, exact, stating)
    return Challenge(
        f"{kind}, {told} {dimension}d {type(domain).__name__}",
        fs.Problem(equation, domain, conditions),
        as_callable(exact, x),
        goal.tol,
        goal.width,
        goal.stated,
        goal.beyond,
        spots=(Spot(tuple(range(dimension)), tuple(float(p) for p in foot), d),) if narrow else (),
    )


def _draw_foot(draw: Draw, dimension: int, size: float) -> tuple[Any, Any, Any]:
    """A domain, a point of its boundary away from corners, and the normal there."""
    if draw.chance(0.5):
        direction = draw.rng.standard_normal(dimension)
        direction /= np.linalg.norm(direction)
        shape = fs.Disk if dimension == 2 else fs.Ball
        return shape([0.0] * dimension, size / 2), size / 2 * direction, direction
    sides = size * np.array([1.0, *(draw.between(0.6, 1) for _ in range(dimension - 1))])
    axis, top = int(draw.rng.integers(dimension)), draw.one_of((0, 1))
    foot = sides * np.array([draw.between(0.3, 0.7) for _ in range(dimension)])
    foot[axis] = top * sides[axis]
    normal = np.zeros(dimension)
    normal[axis] = 2 * top - 1
    return fs.Box([0.0] * dimension, sides.tolist()), foot, normal


def _fields(
    draw: Draw, dimension: int, square: float, away: list[sp.Expr], r: sp.Expr, size: float
) -> list[tuple[str, sp.Expr]]:
    """Fields of a charge or a dipole, by name."""
    if dimension == 3:
        k = math.sqrt(-square)
        return [("charge", size * sp.exp(-k * r) / r)]
    if square:
        k = math.sqrt(square)
        return [("source of waves", sp.bessely(0, k * r)), ("dipole of waves", away[0] / r * sp.bessely(1, k * r))]
    angle = draw.phase()
    dipole = size * (math.cos(angle) * away[0] + math.sin(angle) * away[1]) / sum(v**2 for v in away)
    return [("charge", sp.log(r / size)), ("dipole", dipole)]


def _smooth(draw: Draw, x: Any, square: float, size: float) -> sp.Expr:
    """A solution without narrow parts."""
    if len(x) == 3:
        direction = draw.frame(3)[0] * math.sqrt(-square)
        wave = sp.exp(sum(float(v) * s for v, s in zip(direction, x, strict=True)))
        return draw.between(0.5, 1.5) * wave + (draw.between(-1, 1) * x[0] * x[1] / size**2 if not square else 0)
    if square:
        a, k = draw.phase(), math.sqrt(square)
        return draw.between(0.5, 1.5) * sp.cos(k * math.cos(a) * x[0] + k * math.sin(a) * x[1] + draw.phase())
    return draw.between(0.5, 1.5) + draw.between(-1, 1) * x[0] / size + draw.between(-1, 1) * x[0] * x[1] / size**2


def _conditions(draw: Draw, domain: Any, x: Any, exact: sp.Expr, stating: Stating) -> tuple[list[Any], str]:
    """Values all round; or fluxes on a part of a box, or values and fluxes mixed on a circle."""
    choice = draw.chance(0.4)
    if not choice:
        return [fs.Dirichlet(stating.value(exact))], "values"
    flux = {
        name: sum(n * exact.diff(v) for n, v in zip(normal, x, strict=True))
        for name, normal in normals(domain, x).items()
    }
    if isinstance(domain, fs.Box):
        (first, *_), last = list(flux), list(flux)[-1]
        conditions: list[Any] = [fs.Neumann(stating.value(flux[name]), on=name) for name in flux if name != last]
        return [*conditions, fs.Dirichlet(stating.value(exact), on=last)], f"fluxes from {first} on"
    # a mixture with a plus is never in resonance
    size = domain.radius
    return [fs.Robin(1, 0.3 * size, stating.value(exact + 0.3 * size * flux[next(iter(flux))]))], "mixed"


def make_entering(draw: Draw, narrow: bool) -> Challenge:
    """A pulse that enters at one end: carried along, or a wave."""
    x, t = sp.symbols("x t")
    goal: Goal = draw_goal(draw, 2, 1e-6)
    side, speed = draw.log_between(0.6, 2), draw.between(0.5, 1.5)
    end = side / speed * draw.between(0.5, 1.2)
    w, t0 = goal.width * max(side, end), end * draw.between(0.2, 0.6)
    height = draw.log_between(0.5, 3) * max(1.0, 1e-2 / math.sqrt(goal.width)) * narrow
    phase = t - x / speed
    exact = sp.cos(draw.between(1, 4) * phase / end + draw.phase()) + height * sp.exp(-(((phase - t0) / w) ** 2))
    stating = Stating((x, t), goal.stated == "callable")
    u = sp.Function("u")(x, t)
    conditions: list[Any] = [
        fs.Dirichlet(stating.value(exact.subs(x, 0)), on="x-"),
        fs.Initial(stating.value(exact.subs(t, 0))),
    ]
    if draw.chance(0.5):
        equation, kind = sp.Eq(u.diff(t) + speed * u.diff(x), 0), "transport"
    else:
        equation, kind = sp.Eq(u.diff(t, 2) - speed**2 * u.diff(x, 2), 0), "wave"
        conditions += [
            fs.Initial(stating.value(exact.diff(t).subs(t, 0)), order=1),
            fs.Condition(sp.Eq(u.diff(t) + speed * u.diff(x), 0), on="x+"),
        ]
    return Challenge(
        f"entering pulse, {kind} 1d+t",
        fs.Problem(equation, fs.Interval(0, side) * fs.Time(0, end), conditions),
        as_callable(exact, (x, t)),
        goal.tol,
        goal.width,
        goal.stated,
        goal.beyond,
        # in x it moves with t
        spots=(Spot((0,), (-speed * t0,), speed * w, (speed,)),) if narrow else (),
    )
