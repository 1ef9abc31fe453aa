"""Inclusions, rings and shells: a coefficient or a source that is narrow around a point or a circle or a sphere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.draw import Draw

import fspielm as fs
from adversary_families.along import Line, S, around
from adversary_families.challenge import Challenge
from adversary_families.narrow import Spot
from adversary_families.profiles import BUMPS, GAUSSIAN, JUMP, KINK, SMOOTH_BUMPS, Profile
from adversary_families.reference import March
from adversary_families.stating import Goal, Stating, draw_goal

_ORDERS = (0, 1, 2)
_WIDE = 0.3


@dataclass(frozen=True)
class _Inclusion:
    """What a problem and its twin have in common; lengths are absolute, `size` is the longest side of the domain."""

    role: str
    profile: Profile
    goal: Goal
    dimension: int
    size: float
    ring: float
    strength: float
    base: float
    varying: float

    def line(self, narrow: bool) -> Line:
        """The equation along the radius."""
        size, w = self.size, self.goal.width * self.size
        if not self.profile.bump and not narrow:
            w = _WIDE * size
        g = self.profile.of(S - self.ring, w) / (size if self.profile.name == "kink" else 1)
        height = self.strength / size**2
        if self.profile.bump:
            power = 1 if self.ring else self.dimension if self.role == "source" else 2
            height *= (size / w) ** power * narrow
        c = self.base / size**2 * (1 + self.varying * S**2 / size**2)
        a, f = sp.Integer(1), sp.Integer(0)
        if self.role == "divergence":
            # a ring that insulates, or a point that conducts
            a = 1 / (1 + height * size**2 * g) if self.ring else 1 + (self.strength * narrow) * g
        elif self.role == "source":
            f = -height * g
        else:
            c += height * g
        places = [(self.ring, w)] if narrow or not self.profile.bump else []
        return Line(a, c, f, places, [self.ring + j * w for j in self.profile.jumps])


@dataclass(frozen=True, eq=False)
class _Field:
    """A sum of solutions of several orders around a centre, each times a harmonic polynomial."""

    centre: NDArray[np.float64]
    marches: list[March]
    weights: list[NDArray[np.float64]]
    radius: float

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values."""
        away = points - self.centre
        r = np.linalg.norm(away, axis=1)
        polynomials = _polynomials(away.T / self.radius)
        return sum(m(r) @ w * p for m, w, p in zip(self.marches, self.weights, polynomials, strict=True))


def _polynomials(away: Any) -> list[Any]:
    """Harmonic ones of order 0, 1, 2."""
    return [1, away[0], away[0] ** 2 - away[1] ** 2]


def make_inclusion(draw: Draw, narrow: bool, roles: tuple[str, ...]) -> Challenge:
    """An inclusion, a ring or a shell in a coefficient or a source."""
    dimension = draw.one_of((2, 2, 2, 3))
    role = draw.one_of(roles)
    domain, centre, inner, outer, round_ = _draw_place(draw, dimension)
    lower, upper = domain.bounding_box
    inclusion = _draw_inclusion(draw, role, dimension, float((upper - lower).max()), inner)
    line = inclusion.line(narrow)
    robin = draw.between(0.1, 0.5) * inner if round_ and role != "index" and draw.chance(0.3) else 0.0
    data = [draw.between(0.5, 2), *(draw.between(-1, 1) if draw.chance(0.6) else 0.0 for _ in _ORDERS[1:])]
    field = _solve(line, dimension, centre, inner, 1.15 * outer, robin, data)

    x = sp.symbols("x y z")[:dimension]
    away = [v - float(m) for v, m in zip(x, centre, strict=True)]
    place = {S: sp.sqrt(sum(v**2 for v in away))}
    stating = Stating(x, inclusion.goal.stated == "callable")
    u = sp.Function("u")(*x)
    a = stating.within_divergence("a", line.a.subs(place))
    c = stating.inside("c", line.c.subs(place))
    f = stating.inside("f", line.f.subs(place))
    equation = sp.Eq(sum((a * u.diff(v)).diff(v) for v in x) - c * u, f)
    expression = sum(d * p for d, p in zip(data, _polynomials([v / inner for v in away]), strict=True))
    value: Any = sp.sympify(expression) if round_ else field
    condition = fs.Robin(1, robin, value) if robin else fs.Dirichlet(value)
    w = inclusion.goal.width * inclusion.size

    def jumps(points: NDArray[np.float64]) -> NDArray[np.float64]:
        r = np.linalg.norm(points - centre, axis=1)
        return np.min([np.abs(r - inclusion.ring - j * w) for j in inclusion.profile.jumps], axis=0)

    where = "ring" if inclusion.ring else "point"
    return Challenge(
        f"{inclusion.profile.name} {role}, {where} {dimension}d {type(domain).__name__}",
        fs.Problem(equation, domain, [condition], given=stating.given),
        field,
        inclusion.goal.tol,
        inclusion.goal.width,
        inclusion.goal.stated,
        inclusion.goal.beyond,
        spots=(Spot(tuple(range(dimension)), tuple(centre), w, ring=inclusion.ring),) if narrow else (),
        jumps=jumps if inclusion.profile.jumps else None,
    )


def _draw_place(draw: Draw, dimension: int) -> tuple[Any, NDArray[np.float64], float, float, bool]:
    """A domain, a point in it, its least and largest distance from the boundary, and whether that is a circle."""
    size = draw.log_between(0.6, 2.5)
    middle = np.array([draw.between(-1, 1) for _ in range(dimension)])
    shape = draw.one_of(("round", "round", "box", "ellipse"))
    if shape == "round":
        return (fs.Disk if dimension == 2 else fs.Ball)(middle.tolist(), size / 2), middle, size / 2, size / 2, True
    centre = np.array([float(f"{m + size * draw.between(-0.15, 0.15):.4g}") for m in middle])
    if shape == "ellipse" and dimension == 2:
        small, angle = draw.between(0.35, 0.45), draw.between(0, 3)
        domain: Any = fs.Ellipse(middle.tolist(), (size / 2, small * size), angle)
        return domain, centre, 0.15 * size, 0.75 * size, False
    half = 0.5 * size * np.array([1.0, *(draw.between(0.7, 1) for _ in range(dimension - 1))])
    domain = fs.Box((middle - half).tolist(), (middle + half).tolist())
    away = np.abs(centre - middle)
    return domain, centre, float((half - away).min()), float(np.linalg.norm(half + away)), False


def _draw_inclusion(draw: Draw, role: str, dimension: int, size: float, inner: float) -> _Inclusion:
    is_ring = draw.chance(0.3)
    if is_ring:
        goal, profiles = draw_goal(draw, dimension, 1e-7, 0.02), (GAUSSIAN, JUMP)
    elif role == "divergence":
        # an inclusion that conducts is felt as its volume
        goal, profiles = draw_goal(draw, dimension, 0.01 if dimension == 2 else 0.02), SMOOTH_BUMPS
    elif role == "source" or dimension == 2:
        # in space the reference loses as many digits as a source is narrow
        goal, profiles = draw_goal(draw, dimension, 1e-7 if dimension == 2 else 1e-5), (*BUMPS, KINK)
    else:
        # what absorbs at a point of space is felt as its width
        goal, profiles = draw_goal(draw, dimension, 3e-4), (*BUMPS, KINK)
    profile = draw.one_of(profiles)
    if role == "divergence" and is_ring:
        profile = GAUSSIAN
    ring = float(f"{draw.between(0.35, 0.7) * inner:.4g}") if is_ring else 0.0
    strength = draw.log_between(0.5, 20) if profile.bump else draw.log_between(5, 60)
    if role == "divergence" and not is_ring:
        strength = draw.log_between(3, 60)
    base = draw.between(0, 4) if role != "index" else -draw.between(0.2, 0.6) * dimension * math.pi**2
    return _Inclusion(role, profile, goal, dimension, size, ring, strength, base, draw.one_of((0.0, 0.5)))


def _solve(
    line: Line,
    dimension: int,
    centre: NDArray[np.float64],
    radius: float,
    reach: float,
    robin: float,
    data: list[float],
) -> _Field:
    """The field with ``u + robin du/dn`` equal to data times the polynomials at the radius."""
    marches = [around(line, dimension, order, reach) for order in _ORDERS]
    at = np.array([radius])
    weights = []
    for order, m, value in zip(_ORDERS, marches, data, strict=True):
        there = (m(at) * (1 + robin * order / radius) + robin * m(at, slope=True))[0]
        forced = float(order == 0)
        weights.append(np.array([(value - forced * there[1]) / there[0], forced]))
    return _Field(centre, marches, weights, radius)
