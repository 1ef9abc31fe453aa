"""Open space: what is fast or narrow along the rim of a disk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.draw import Draw
from random_families.outgoing import Medium, X, Y
from scipy.special import hankel1

import fspielm as fs
from adversary_families.challenge import Challenge, Exact
from adversary_families.narrow import Spot
from adversary_families.stating import draw_goal

U = sp.Function("u")(X, Y)
_LAPLACE = Medium("laplace", 0.0)
# The window is twice as wide as a disk.
_WINDOW = 4.0
_LIMIT = 1 / 300


def make_multipole(draw: Draw, high: bool) -> Challenge:
    """Data that turn many times around a disk, beside such as turn once; as callables these may be far too fast."""
    radius, center = draw.log_between(0.4, 3), (draw.between(-2, 2), draw.between(-2, 2))
    waves, by_callable, tol = draw.chance(0.4), draw.chance(0.6), draw.log_between(1e-9, 1e-4)
    fast, slow = round(draw.log_between(30, 140 if waves else 1500)), draw.one_of((3, 4, 5, 6))
    order = fast if high else slow
    k = float(f"{max(order / 4, 1) * draw.between(1, 2) / radius:.4g}") if waves else 0.0
    strength, phase = draw.log_between(0.1, 1), draw.phase()
    medium = Medium("waves", k) if waves else _LAPLACE

    def angular(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        x, y = (points - np.array(center)).T
        return np.hypot(x, y), np.arctan2(y, x)

    def one(points: NDArray[np.float64], n: int) -> NDArray[Any]:
        r, theta = angular(points)
        if waves:
            return np.asarray(hankel1(n, k * r) / hankel1(n, k * radius) * np.exp(1j * n * theta))
        return np.asarray((radius / r) ** n * np.cos(n * theta + phase))

    def exact(points: NDArray[np.float64]) -> NDArray[Any]:
        return one(points, 1) + strength * one(points, order)

    def rim(points: NDArray[np.float64]) -> NDArray[Any]:
        theta = angular(points)[1]
        turned = [np.exp(1j * n * theta) if waves else np.cos(n * theta + phase) for n in (1, order)]
        return np.asarray(turned[0] + strength * turned[1])

    theta = sp.atan2(Y - center[1], X - center[0])
    turned = [sp.exp(sp.I * n * theta) if waves else sp.cos(n * theta + phase) for n in (1, order)]
    data: Any = rim if by_callable else turned[0] + strength * turned[1]
    width = math.pi / (2 * order) / _WINDOW
    return Challenge(
        f"multipole of order {order}, {medium.kind}",
        fs.Problem(medium.equation(U), fs.Exterior(fs.Disk(center, radius)), [fs.Dirichlet(data)]),
        exact,
        tol,
        width if high else math.nan,
        "callable" if by_callable else "expression",
        by_callable and width < _LIMIT,
        spots=(Spot((0, 1), center, width * _WINDOW * radius, ring=radius),) if high else (),
    )


def make_arc(draw: Draw, narrow: bool) -> Challenge:
    """A potential on a short arc of a disk, beside a wide one; what an arc makes is known in closed form."""
    goal, radius = draw_goal(draw, 2, 1e-6), draw.log_between(0.4, 3)
    center, where = (draw.between(-2, 2), draw.between(-2, 2)), draw.phase()
    half = goal.width * _WINDOW
    height = draw.log_between(0.5, 2) * max(1.0, 0.1 * math.sqrt(1e-3 / goal.width)) * narrow
    foot = (center[0] + radius * math.cos(where), center[1] + radius * math.sin(where))
    reach = 2 * radius * math.sin(half / 2)
    tilt = draw.phase()

    def exact(points: NDArray[np.float64]) -> NDArray[Any]:
        z = (points - np.array(center)) @ np.array([1, 1j])
        mirrored = radius / np.conj(z)
        ends = [np.exp(1j * (where + sign * half)) - mirrored for sign in (-1, 1)]
        subtended = np.mod(np.angle(ends[1] / ends[0]), 2 * math.pi)
        return np.asarray(1 + (np.exp(1j * tilt) * radius / z).real + height * (subtended - half) / math.pi)

    def rim(points: NDArray[np.float64]) -> NDArray[Any]:
        z = (points - np.array(center)) @ np.array([1, 1j])
        near = np.hypot(*(points - np.array(foot)).T) < reach
        return np.asarray(1 + (np.exp(1j * tilt) * radius / z).real + height * near)

    a, b = X - center[0], Y - center[1]
    wide = 1 + radius * (math.cos(tilt) * a + math.sin(tilt) * b) / (a**2 + b**2)
    step = sp.Piecewise((1, (X - foot[0]) ** 2 + (Y - foot[1]) ** 2 < reach**2), (0, True))
    data: Any = rim if goal.stated == "callable" else wide + height * step
    problem = fs.Problem(_LAPLACE.equation(U), fs.Exterior(fs.Disk(center, radius)), [fs.Dirichlet(data)])
    known: Exact = exact
    return Challenge(
        f"{'short' if narrow else 'no'} arc at a potential",
        problem,
        known,
        goal.tol,
        goal.width,
        goal.stated,
        goal.beyond,
        spots=(Spot((0, 1), foot, half * radius),) if narrow else (),
    )
