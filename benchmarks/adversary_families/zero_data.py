"""All data are zero, and so is one solution; at a resonance there are others."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable
from random_families.draw import Draw
from scipy.special import jn_zeros, jv

import fspielm as fs
from adversary_families.challenge import AMPLE, Challenge, Exact
from adversary_families.varying import draw_medium

_X, _Y, _Z = sp.symbols("x y z")


def make_zero(draw: Draw, resonant: bool) -> Challenge:
    """Any of the kinds, at a tolerance that is easily met."""
    tol = draw.log_between(1e-6, 1e-2)
    kind, problem, null = draw.one_of((_box, _box, _disk, _varying, _steklov))(draw, resonant)
    where = "at" if resonant else "beside"
    exact: Exact = null if resonant else (lambda points: np.zeros(len(points)))
    return Challenge(
        f"zero data, {where} a resonance of {kind}", problem, exact, tol, determined=not resonant, budget=AMPLE
    )


def _laplacian(u: Any) -> Any:
    return sum(u.diff(v, 2) for v in u.args)


def _middle(values: list[float], at: float) -> float:
    """The middle of the widest gap among the values about one of them."""
    near = sorted(sorted(set(values), key=lambda v: abs(v - at))[:8])
    low, high = max(itertools.pairwise(near), key=lambda pair: pair[1] - pair[0])
    return (low + high) / 2


def _box(draw: Draw, resonant: bool) -> tuple[str, fs.Problem, Exact]:
    dimension, slopes = draw.one_of((1, 2, 2, 2, 3)), draw.chance(0.4)
    x = (_X, _Y, _Z)[:dimension]
    high = {1: 30, 2: 9, 3: 4}[dimension]
    lengths = [draw.log_between(0.5, 2) for _ in x]
    numbers = [draw.one_of(range(1, high)) for _ in x]

    def square(orders: tuple[int, ...]) -> float:
        return sum((n * math.pi / length) ** 2 for n, length in zip(orders, lengths, strict=True))

    first = 0 if slopes else 1
    every = np.stack(np.meshgrid(*[np.arange(first, 3 * high)] * dimension), axis=-1).reshape(-1, dimension)
    at = square(tuple(numbers))
    k2 = at if resonant else _middle([square(tuple(map(int, orders))) for orders in every], at)
    u = sp.Function("u")(*x)
    domain: Any = fs.Interval(0, lengths[0]) if dimension == 1 else fs.Box([0] * dimension, lengths)
    problem = fs.Problem(sp.Eq(_laplacian(u) + k2 * u, 0), domain, [fs.Neumann(0) if slopes else fs.Dirichlet(0)])
    wave = sp.cos if slopes else sp.sin
    null = sp.prod([wave(n * math.pi / length * v) for n, length, v in zip(numbers, lengths, x, strict=True)])
    return f"a box, {numbers}{', slopes' * slopes}", problem, as_callable(null, x)


def _disk(draw: Draw, resonant: bool) -> tuple[str, fs.Problem, Exact]:
    order, number, radius = draw.one_of(range(13)), draw.one_of((1, 2, 3)), draw.log_between(0.5, 2)
    zero = float(jn_zeros(order, number)[-1])
    ka = zero if resonant else _middle([float(z) for m in range(40) for z in jn_zeros(m, 12)], zero)
    u = sp.Function("u")(_X, _Y)
    equation = sp.Eq(_laplacian(u) + (ka / radius) ** 2 * u, 0)
    problem = fs.Problem(equation, fs.Disk((0, 0), radius), [fs.Dirichlet(0)])

    def null(points: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = points.T
        values: NDArray[np.float64] = jv(order, zero * np.hypot(x, y) / radius) * np.cos(order * np.arctan2(y, x))
        return values

    return f"a disk, order {order}", problem, null


def _varying(draw: Draw, resonant: bool) -> tuple[str, fs.Problem, Exact]:
    medium = draw_medium(draw)
    u = sp.Function("u")(*medium.x)
    q = medium.q if resonant else medium.q + medium.beside
    problem = fs.Problem(sp.Eq(_laplacian(u) + q * u, 0), medium.domain, medium.conditions(sp.Integer(0)))
    return f"a medium that varies, {len(medium.x)}d", problem, as_callable(medium.null, medium.x)


def _steklov(draw: Draw, resonant: bool) -> tuple[str, fs.Problem, Exact]:
    m, radius = round(draw.log_between(3, 60)), draw.log_between(0.5, 2)
    u = sp.Function("u")(_X, _Y)
    condition = fs.Robin(-(m if resonant else m + 0.5) / radius, 1, 0)
    problem = fs.Problem(sp.Eq(_laplacian(u), 0), fs.Disk((0, 0), radius), [condition])

    def null(points: NDArray[np.float64]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = (((points[:, 0] + 1j * points[:, 1]) / radius) ** m).real
        return values

    return f"a wall that pulls, order {m}", problem, null
