"""Materials of both signs: functions that live along the border between them, of an order that the data do not have."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import AMPLE, Challenge

_X, _Y = sp.symbols("x y")
# Contrasts among which that of a twin is found, and orders that it keeps away from.
_CANDIDATES = (0.2, 0.3, 0.4, 0.5, 2.0, 2.5, 3.0, 4.0, 5.0)
_ORDERS = 60
# Nearer to a contrast of -1 than this, nothing but rounding selects an order.
_NEAREST = 1e-9


def make_negative(draw: Draw, hidden: bool) -> Challenge:
    """A disk of a negative material, or a layer of it."""
    return draw.one_of((_round, _layers))(draw, hidden)


def _clear(selected: Callable[[int], Sequence[float]]) -> float:
    """The candidate that is farthest from the contrasts which select an order."""
    taken = np.log([c for order in range(1, _ORDERS) for c in selected(order) if c > 0])
    return max(_CANDIDATES, key=lambda c: float(np.abs(np.log(c) - taken).min()))


def _near_enough(first: int, contrast: Callable[[int], float]) -> int:
    """The order, or a lower one that a contrast still selects."""
    return next((m for m in range(first, 2, -1) if abs(contrast(m) - 1) > _NEAREST), 3)


def _round(draw: Draw, hidden: bool) -> Challenge:
    """A disk in a disk, with values or a mixture of values and slopes outside."""
    radius, share, m = draw.log_between(0.5, 2), draw.between(0.3, 0.9), round(draw.log_between(3, 50))
    beta = draw.one_of((0.0, 0.0, draw.log_between(0.05, 2)))  # of the slope, in units of the radius
    weights = [draw.between(0.3, 1) * draw.one_of((-1, 1)) for _ in range(3)]
    by_region, tol = draw.chance(0.6), draw.log_between(1e-8, 1e-3)

    def contrast(order: int) -> float:
        s = share ** (2 * order)
        # (r/R)^m + g (r/R)^-m satisfies the condition outside; in its terms, so that beta m = 1 is no division by zero
        more, less = 1 + beta * order, 1 - beta * order
        return (more + less * s) / (more - less * s)

    m = _near_enough(m, contrast)
    c = contrast(m) if hidden else _clear(lambda order: [contrast(order)])

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        z = (points[:, 0] + 1j * points[:, 1]) / radius
        rho, within = np.abs(z), np.abs(z) < share
        total = np.full(len(points), weights[0])
        for order in (1, 2):
            s = share ** (2 * order)
            # A (rho^j + g rho^-j) outside and B rho^j inside, with g = s (1 + c) / (1 - c)
            up, down = (1 - c), s * (1 + c)
            size = (up + down) + beta * order * (up - down)
            inside = (up + down / s) / size
            outside = (up + down * np.maximum(rho, 0.5 * share) ** (-2.0 * order)) / size
            total = total + weights[order] * np.where(within, inside, outside) * (z**order).real
        return total

    polynomials = (sp.Integer(1), _X / radius, (_X**2 - _Y**2) / radius**2)
    value = sum(w * p for w, p in zip(weights, polynomials, strict=True))
    condition = fs.Robin(1, beta * radius, value) if beta else fs.Dirichlet(value)
    core, whole = fs.Disk((0, 0), share * radius), fs.Disk((0, 0), radius)
    domain: Any = fs.Regions(core=core, shell=whole - core) if by_region else whole
    material = fs.ByRegion(core=-c, shell=1.0)
    inner = sp.Lt(_X**2 + _Y**2, (share * radius) ** 2)
    problem = _stated(domain, material if by_region else sp.Piecewise((-c, inner), (1, True)), [condition])
    kind = f"a disk of {-c:.6g}, {f'order {m}' if hidden else 'no order'}{', Robin' * bool(beta)}"
    return Challenge(
        kind,
        problem,
        exact,
        tol,
        determined=not hidden,
        budget=AMPLE,
        jumps=lambda points: np.abs(np.hypot(points[:, 0], points[:, 1]) - share * radius),
    )


def _layers(draw: Draw, hidden: bool) -> Challenge:
    """A layer on another one, or between two, in a rectangle whose other sides are held."""
    width, between = draw.log_between(0.5, 2), draw.chance(0.5)
    first, second = draw.between(0.15, 0.5), draw.between(0.15, 0.5)
    n, odd = round(draw.log_between(3, 25)), draw.chance(0.5)
    weights = [draw.between(0.3, 1) * draw.one_of((-1, 1)) for _ in range(2)]
    by_region, tol = draw.chance(0.6), draw.log_between(1e-8, 1e-3)
    # from below: heights and signs; a layer between others is symmetric
    levels = np.cumsum([0.0, first, second, first]) if between else np.cumsum([0.0, first, first + second])
    levels = np.array([float(f"{level:.6g}") for level in levels])

    def contrasts(order: int) -> list[float]:
        k = order * math.pi / width
        if not between:
            low, high = np.diff(levels)
            return [math.tanh(k * low) / math.tanh(k * high)]
        half = math.tanh(k * second / 2)
        return [1 / (math.tanh(k * first) * half), half / math.tanh(k * first)]

    def contrast(order: int) -> float:
        return contrasts(order)[-1 if odd else 0]

    n = _near_enough(n, contrast)
    c = contrast(n) if hidden else _clear(contrasts)
    signs = [1.0, -c, 1.0] if between else [-c, 1.0]

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = points.T
        total = np.zeros(len(points))
        for order, weight in enumerate(weights, 1):
            k = order * math.pi / width
            values = _through_layers(k, levels, signs)
            layer = np.clip(np.searchsorted(levels, y) - 1, 0, len(signs) - 1)
            begin, end = levels[layer], levels[layer + 1]
            share = values[layer] * np.sinh(k * (end - y)) + values[layer + 1] * np.sinh(k * (y - begin))
            total += weight * np.sin(k * x) * share / np.sinh(k * (end - begin))
        return total

    top = sum(w * sp.sin(order * sp.pi * _X / width) for order, w in enumerate(weights, 1))
    names = ("below", "middle", "above") if between else ("below", "above")
    boxes = [fs.Box((0, low), (width, high)) for low, high in itertools.pairwise(levels)]
    if by_region:
        domain: Any = fs.Regions(**dict(zip(names, boxes, strict=True)))
        material: Any = fs.ByRegion(**dict(zip(names, signs, strict=True)))
    else:
        domain = fs.Box((0, 0), (width, levels[-1]))
        pieces = [(sign, sp.Lt(_Y, level)) for sign, level in zip(signs[:-1], levels[1:-1], strict=True)]
        material = sp.Piecewise(*pieces, (signs[-1], True))
    # the sines vanish on the sides by themselves, and the power below
    problem = _stated(domain, material, [fs.Dirichlet(top * (_Y / float(levels[-1])) ** 4)])
    kind = f"{'a layer between others' if between else 'two layers'} of {-c:.6g}, {f'order {n}' if hidden else 'none'}"
    return Challenge(
        kind,
        problem,
        exact,
        tol,
        determined=not hidden,
        budget=AMPLE,
        jumps=lambda points: np.abs(points[:, 1, None] - levels[None, 1:-1]).min(axis=1),
    )


def _through_layers(k: float, levels: NDArray[np.float64], signs: Sequence[float]) -> NDArray[np.float64]:
    """Values at all levels of what is zero below and one above: fluxes balance at those between."""
    heights = np.diff(levels)
    own = np.array(signs) / np.tanh(k * heights)
    across = np.array(signs) / np.sinh(k * heights)
    inner = len(signs) - 1
    matrix, right = np.zeros((inner, inner)), np.zeros(inner)
    for i in range(inner):
        matrix[i, i] = own[i] + own[i + 1]
        if i:
            matrix[i, i - 1] = -across[i]
        if i + 1 < inner:
            matrix[i, i + 1] = -across[i + 1]
    right[-1] = across[-1]
    return np.concatenate([[0.0], np.linalg.solve(matrix, right), [1.0]])


def _stated(domain: Any, material: Any, conditions: Any) -> fs.Problem:
    u, a = (sp.Function(name)(_X, _Y) for name in "ua")
    if isinstance(material, fs.ByRegion):
        equation = sp.Eq((a * u.diff(_X)).diff(_X) + (a * u.diff(_Y)).diff(_Y), 0)
        return fs.Problem(equation, domain, conditions, given={a: material})
    return fs.Problem(
        sp.Eq(sp.Derivative(material * u.diff(_X), _X) + sp.Derivative(material * u.diff(_Y), _Y), 0),
        domain,
        conditions,
    )
