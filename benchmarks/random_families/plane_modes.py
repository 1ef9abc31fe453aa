"""Eigenvalues of plane shapes: sums, radial equations, closed forms of triangles, zeros of Bessel's functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import mpmath as mp
import numpy as np

from random_families.line_modes import Known, Line

_ROUNDING = 4e-15


def closed(values: list[float], count: int) -> Known:
    """The first of some values that are known to rounding."""
    first = np.array(sorted(values)[:count])
    return Known(first, _ROUNDING * (np.abs(first) + np.abs(first).max()))


def sums(one: Known, other: Known, count: int) -> Known:
    """Of two directions that separate."""
    values = np.add.outer(one.values, other.values).ravel()
    slack = np.add.outer(one.slack, other.slack).ravel()
    # beyond the last of either, sums may be missing
    end = min(one.values[-1] + other.values[0], one.values[0] + other.values[-1])
    order = [place for place in np.argsort(values, kind="stable") if values[place] <= end]
    assert len(order) >= count
    return Known(values[order], slack[order]).first(count)


def rings(line: Callable[[int], Line], count: int) -> Known:
    """Of a disk or an annulus, by the radial equation of each order; all but those of order zero twice."""
    values, slack, order = [], [], 0
    while True:
        own = line(order).known(count)
        if len(values) >= count and own.values[0] > sorted(values)[count - 1]:
            break
        for _ in range(1 + (order > 0)):
            values += own.values.tolist()
            slack += own.slack.tolist()
        order += 1
    first = np.argsort(values, kind="stable")[:count]
    return Known(np.array(values)[first], np.array(slack)[first])


def sector(opening: float, radius: float, count: int, *, free: bool) -> Known:
    """Zero on the arc, and on both sides zero or without slope."""
    values: list[float] = []
    order = 0 if free else 1
    while True:
        nu = order * math.pi / opening
        own = [(_zero(nu, n) / radius) ** 2 for n in range(1, count + 1)]
        if len(values) >= count and own[0] > sorted(values)[count - 1]:
            return closed(values, count)
        values += own
        order += 1


@cache
def _zero(nu: float, n: int) -> float:
    return float(mp.besseljzero(nu, n)) if nu or n else 0.0


def triangle(kind: str, side: float, count: int, *, free: bool) -> Known:
    """Of a triangle that tiles the plane by reflection: zero all round, or without slopes.

    ``"equilateral"`` of this side, ``"right"`` with two legs of it, or ``"half"``: half of an equilateral one.
    """
    low, most = (0 if free else 1), 6 + 3 * math.isqrt(count)
    pairs = [(m, n) for m in range(low, most + 40) for n in range(low, most + 40)]
    if kind == "right":
        chosen = [(m, n) for m, n in pairs if (m >= n if free else m > n)]
        return closed([(math.pi / side) ** 2 * (m * m + n * n) for m, n in chosen], count)
    if kind == "half":
        pairs = [(m, n) for m, n in pairs if (m >= n if free else m > n)]
    return closed([(4 * math.pi / (3 * side)) ** 2 * (m * m + m * n + n * n) for m, n in pairs], count)
