"""Slabs: a coefficient or a source that is narrow in one coordinate, in one to three dimensions and in time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.along import End, Line, S, Sum, between
from adversary_families.challenge import Challenge
from adversary_families.narrow import Spot
from adversary_families.profiles import BUMPS, SMOOTH_BUMPS, TRANSITIONS, Profile
from adversary_families.stating import Goal, Stating, draw_goal

# The width of a twin's transition, over the length.
_WIDE = 0.3
# How far from a resonance an equation with an index of refraction stays.
_FAR = 0.03


@dataclass(frozen=True)
class _Slab:
    """What a problem and its twin have in common; lengths are absolute."""

    role: str
    profile: Profile
    goal: Goal
    start: float
    length: float
    centre: float
    strength: float
    base: float
    varying: float
    ends: tuple[tuple[float, float, float], tuple[float, float, float]]

    def line(self, narrow: bool, across: float = 0.0, decay: float = 0.0) -> Line:
        """The equation along the coordinate; `across` is the square of the frequency in the others, `decay` in time."""
        length = self.length
        w = self.goal.width * length
        height = self.strength
        if self.profile.bump:
            height *= (length / w) * narrow
        elif not narrow:
            w = _WIDE * length
        g = self.profile.of(S, w) / (length if self.profile.name == "kink" else 1)
        c = self.base / length**2 * (1 + self.varying * sp.sin(3 * S / length))
        a, f = sp.Integer(1), sp.Integer(0)
        if self.role == "divergence":
            a = 1 / (1 + height * g) if self.profile.bump else 1 + height * g
        elif self.role == "source":
            f = -height * g / length**2
        else:
            # an index of refraction attracts; a wide one that does would have resonances
            c += height * g / length**2 * (-1 if self.role == "index" and self.profile.bump else 1)
        jumps = [j * w for j in self.profile.jumps]
        return Line(a, c + a * across - decay, f, [(0.0, w)] if narrow or not self.profile.bump else [], jumps)

    def solution(self, narrow: bool, across: float, decay: float = 0.0) -> tuple[Sum, float]:
        """Along the coordinate, from the centre."""
        left, right = self.start - self.centre, self.start + self.length - self.centre
        (v0, s0, d0), (v1, s1, d1) = self.ends
        return between(
            self.line(narrow, across, decay),
            (End(left, v0, -s0 * self.length, d0), End(right, v1, s1 * self.length, d1)),
        )


def make_slab(draw: Draw, narrow: bool, roles: tuple[str, ...]) -> Challenge:
    """A slab in a coefficient or a source."""
    dimension = draw.one_of((1, 1, 1, 2, 2, 3))
    role = draw.one_of(roles)
    in_time = draw.chance(0.35) and dimension == 1 and role in ("absorbing", "divergence")
    slab = _draw_slab(draw, role, dimension + in_time)
    x = (*sp.symbols("x y z")[:dimension], *([sp.Symbol("t")] if in_time else []))
    factors, sides, others, across = _draw_others(draw, x[1:dimension], slab.length)
    decay = draw.between(0.3, 2) / slab.length**2 if in_time else 0.0
    while role == "index" and slab.solution(True, across)[1] < _FAR:
        slab = replace(slab, strength=0.7 * slab.strength)
    along, _ = slab.solution(narrow, across, decay)
    factor = sp.prod(factors) * (sp.exp(-decay * x[-1]) if in_time else 1)

    stating = Stating(x, slab.goal.stated == "callable")
    place = {S: x[0] - slab.centre}
    line = slab.line(narrow)
    u = sp.Function("u")(*x)
    a = stating.within_divergence("a", line.a.subs(place))
    c = stating.inside("c", line.c.subs(place))
    f = stating.inside("f", line.f.subs(place) * factor)
    space = sum((a * u.diff(v)).diff(v) for v in x[:dimension]) - c * u
    domain: Any = (
        fs.Interval(slab.start, slab.start + slab.length)
        if dimension == 1
        else fs.Box([slab.start, *[0.0] * len(sides)], [slab.start + slab.length, *sides])
    )
    conditions = [
        _condition(*end, slab.length, factor, f"x{sign}") for end, sign in zip(slab.ends, "-+", strict=True)
    ] + others
    rest = as_callable(sp.sympify(factor), x)

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return along(points[:, 0] - slab.centre) * rest(points)

    if in_time:
        domain = domain * fs.Time(0, draw.between(0.3, 1) * slab.length**2)

        def initial(points: NDArray[np.float64]) -> NDArray[np.float64]:
            return along(points[:, 0] - slab.centre)

        conditions.append(fs.Initial(initial))
    equation = sp.Eq(u.diff(x[-1]) - space, -f) if in_time else sp.Eq(space, f)
    w = slab.goal.width * slab.length
    return Challenge(
        f"{slab.profile.name} {role}, slab {dimension}d{'+t' * in_time}",
        fs.Problem(equation, domain, conditions, given=stating.given),
        exact,
        slab.goal.tol,
        slab.goal.width,
        slab.goal.stated,
        slab.goal.beyond,
        spots=(Spot((0,), (slab.centre,), w),) if narrow else (),
        jumps=(lambda points: np.abs(np.abs(points[:, 0] - slab.centre) - w)) if slab.profile.jumps else None,
    )


def _draw_slab(draw: Draw, role: str, coordinates: int) -> _Slab:
    goal = draw_goal(draw, coordinates)
    smooth = role == "divergence"
    profile = draw.one_of((*(SMOOTH_BUMPS if smooth else BUMPS), *(TRANSITIONS if draw.chance(0.5) else ())))
    length = draw.log_between(0.5, 3)
    start = draw.between(-1, 1)
    centre = start + length * draw.between(0.2, 0.8)
    strength = draw.log_between(0.5, 20) if profile.bump else draw.log_between(3, 60)
    base = draw.between(0, 4) if role != "index" else -draw.between(0.2, 0.6) * math.pi**2
    return _Slab(role, profile, goal, start, length, centre, strength, base, *_draw_rest(draw, base))


def _draw_rest(draw: Draw, base: float) -> tuple[float, Any]:
    """How the background varies, and (value, slope, data) of the condition at either end."""
    varying = draw.one_of((0.0, 0.5))
    kinds = draw.one_of(((1, 0, 1, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0), (1, 0.3, 1, 0), (1, 0.3, 0, 1)))
    if base < 0:
        kinds = (1, 0, 1, 0)
    values = [draw.between(0.3, 2) * draw.one_of((-1, 1)) for _ in range(2)]
    return varying, ((kinds[0], kinds[1], values[0]), (kinds[2], kinds[3], values[1]))


def _condition(value: float, slope: float, data: float, length: float, factor: sp.Expr, on: str) -> Any:
    """The condition at an end: ``value u + slope length du/dn = data factor``."""
    if not slope:
        return fs.Dirichlet(data * factor, on=on)
    if not value:
        return fs.Neumann(data / length * factor, on=on)
    return fs.Robin(value, slope * length, data * factor, on=on)


def _draw_others(
    draw: Draw, others: tuple[sp.Symbol, ...], length: float
) -> tuple[list[sp.Expr], list[float], list[Any], float]:
    """Waves in the other coordinates, their sides, conditions and the square of their frequency."""
    factors, sides, conditions, across = [], [], [], 0.0
    for v in others:
        side = length * draw.between(0.6, 1.2)
        waves, still = draw.one_of((1, 2)), draw.chance(0.5)
        k = waves * math.pi / side
        factors.append(sp.sin(k * v) if still else sp.cos(k * v))
        condition = fs.Dirichlet if still else fs.Neumann
        conditions += [condition(0, on=f"{v}-"), condition(0, on=f"{v}+")]
        sides.append(side)
        across += k**2
    return factors, sides, conditions, across
