"""Solutions that are not the only ones: the others are too fast for a basis that the data suggest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable
from random_families.draw import Draw
from scipy.optimize import brentq

import fspielm as fs
from adversary_families.along import Line, S, around
from adversary_families.challenge import Challenge, Exact
from adversary_families.reference import Equation, March, graded, march
from adversary_families.stating import Stating

_X, _Y, _Z = sp.symbols("x y z")


def make_hidden(draw: Draw, hidden: bool) -> Challenge:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw, bool], Challenge], ...] = (
        _round_steklov,
        _round_steklov,
        _box_steklov,
        _gallery,
        _well,
        _whirl,
        _eddy,
        _waves_all_round,
    )
    return draw.one_of(makers)(draw, hidden)


def _stated(
    draw: Draw,
    kind: str,
    equation: Any,
    domain: Any,
    conditions: Any,
    exact: Any,
    hidden: bool,
    stating: Stating | None = None,
) -> Challenge:
    x = _coordinates(domain)
    values: Exact = as_callable(exact, x) if isinstance(exact, sp.Basic) else exact
    tol = draw.log_between(1e-8, 1e-4) if domain.dimension < 3 else draw.log_between(1e-5, 1e-3)
    given = {} if stating is None else stating.given
    problem = fs.Problem(equation, domain, conditions, given=given)
    return Challenge(kind, problem, values, tol, stated="callable" if given else "expression", determined=not hidden)


def _coordinates(domain: Any) -> tuple[sp.Symbol, ...]:
    return (_X, _Y, _Z)[: domain.dimension]


def _laplacian(u: Any) -> Any:
    return sum(u.diff(v, 2) for v in u.args)


def _round_steklov(draw: Draw, hidden: bool) -> Challenge:
    """Normal derivative = m u on a disk or a ball, which r^m times a harmonic satisfies if m is whole."""
    dimension = draw.one_of((2, 2, 3))
    radius = draw.log_between(0.5, 2)
    low, high = (3, 150) if dimension == 2 else (3, 30)
    m = round(draw.log_between(low, high))
    x = (_X, _Y, _Z)[:dimension]
    u = sp.Function("u")(*x)
    slope = (m if hidden else m + 0.5) / radius
    parts = [(0, sp.Integer(1)), (1, _X / radius), (2, (_X**2 - _Y**2) / radius**2)]
    weights = [draw.between(0.3, 1) * draw.one_of((-1, 1)) for _ in parts]
    exact = sum(w * p for w, (_, p) in zip(weights, parts, strict=True))
    value = sum(w * (order / radius - slope) * p for w, (order, p) in zip(weights, parts, strict=True))
    domain: Any = (fs.Disk if dimension == 2 else fs.Ball)([0.0] * dimension, radius)
    kind = f"normal derivative = {'m' if hidden else '(m + 1/2)'} u, m = {m}, {dimension}d"
    condition = fs.Robin(-slope, 1, value)
    return _stated(draw, kind, sp.Eq(_laplacian(u), 0), domain, [condition], exact, hidden)


def _box_steklov(draw: Draw, hidden: bool) -> Challenge:
    """The same on one side of a rectangle, whose other sides are held."""
    n, height = round(draw.log_between(3, 60)), draw.between(0.5, 1.2)
    square = draw.one_of((0.0, draw.between(1, 10)))
    u = sp.Function("u")(_X, _Y)

    def slope(k: float) -> float:
        q = math.sqrt((k * math.pi) ** 2 + square)
        return q / math.tanh(q * height)

    sigma = slope(n if hidden else n + 0.5)
    q = math.sqrt(math.pi**2 + square)
    exact = sp.sin(math.pi * _X) * sp.sinh(q * _Y) / math.sinh(q * height)
    value = sp.sin(math.pi * _X) * (q / math.tanh(q * height) - sigma)
    conditions = [fs.Dirichlet(0, on=["x-", "x+", "y-"]), fs.Robin(-sigma, 1, value, on="y+")]
    domain = fs.Box((0, 0), (1, height))
    kind = f"normal derivative = sigma u on a side, n = {n}{'' if hidden else ' + 1/2'}"
    return _stated(draw, kind, sp.Eq(_laplacian(u) - square * u, 0), domain, conditions, exact, hidden)


def _gallery(draw: Draw, hidden: bool) -> Challenge:
    """A resonance of a high order on a disk, with an index that varies, and data of order zero."""
    order, radius, varying = draw.one_of(range(4, 15)), draw.log_between(0.5, 2), draw.between(-0.4, 0.4)
    breaks = graded(0.0, 1.1 * radius, [(0.0, 0.05 * radius)])

    def tried(square: float, m: int) -> March:
        equation = Equation(
            lambda r: (2 * m + 1) / r,
            lambda r: square * (1 + varying * np.exp(-2 * (r / radius) ** 2)),
            np.zeros_like,
        )
        return march(equation, [(1.0, 0.0, 0.0)], breaks)

    def end(square: float, m: int = order) -> float:
        return float(tried(square, m)(np.array([radius]))[0, 0])

    guesses = np.linspace(order**2, (order + 6) ** 2, 24) / radius**2
    values = [end(g) for g in guesses]
    k = next(i for i in range(len(values) - 1) if values[i] * values[i + 1] < 0)
    resonant = brentq(end, guesses[k], guesses[k + 1], xtol=1e-13 * guesses[k], rtol=1e-14)
    if not hidden:
        resonant = max((resonant * f for f in np.linspace(0.8, 1.2, 11)), key=lambda q: _clearance(tried, q, radius))
    solution = tried(resonant, 0)
    size = float(solution(np.array([radius]))[0, 0])

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = solution(np.linalg.norm(points, axis=1))[:, 0] / size
        return values

    u = sp.Function("u")(_X, _Y)
    stating = Stating((_X, _Y), draw.chance(0.4))
    index = stating.inside("n", 1 + varying * sp.exp(-2 * (_X**2 + _Y**2) / radius**2))
    kind = f"{'resonance' if hidden else 'no resonance'} on a disk, order {order}"
    equation = sp.Eq(_laplacian(u) + resonant * index * u, 0)
    return _stated(draw, kind, equation, fs.Disk((0, 0), radius), [fs.Dirichlet(1)], exact, hidden, stating)


def _clearance(tried: Any, square: float, radius: float) -> float:
    """How far from any resonance: the least share of its largest value that a solution has at the boundary."""
    r = np.linspace(0.02, 1, 50) * radius
    shares = []
    for m in range(25):
        values = np.abs(tried(square, m)(r)[:, 0] * (r / radius) ** m)
        shares.append(values[-1] / values.max())
    return float(min(shares))


def _well(draw: Draw, hidden: bool) -> Challenge:
    """A state bound in a well at the centre, which is even, and odd data at the ends."""
    half, w = draw.log_between(0.5, 2), draw.between(0.06, 0.2)
    depth = draw.between(0.6, 1.8) / (w * half) ** 2
    well = depth / sp.cosh(S / (w * half)) ** 2

    def tried(square: float) -> Any:
        return around(Line(sp.Integer(1), square - well, sp.Integer(0), [(0.0, w * half)]), 1, 0, 1.1 * half)

    def end(square: float) -> float:
        return float(tried(square)(np.array([half]))[0, 0])

    guesses = np.linspace(0, 1, 60) * depth
    values = [end(g) for g in guesses]
    k = next((i for i in range(59) if values[i] * values[i + 1] < 0), None)
    if k is None:
        return _well(draw, hidden)
    square = brentq(end, guesses[k], guesses[k + 1], xtol=1e-14 * depth, rtol=1e-14)
    off = draw.one_of((1.4, 1.6))
    square *= 1 if hidden else off
    odd = _odd(Line(sp.Integer(1), square - well, sp.Integer(0), [(0.0, w * half)]), half)
    u = sp.Function("u")(_X)
    stating = Stating((_X,), draw.chance(0.4))
    equation = sp.Eq(u.diff(_X, 2) + stating.inside("c", well.subs(S, _X) - square) * u, 0)
    conditions = [fs.Dirichlet(-1, on="x-"), fs.Dirichlet(1, on="x+")]
    kind = "a bound state" if hidden else "no bound state"
    return _stated(draw, kind, equation, fs.Interval(-half, half), conditions, odd, hidden, stating)


def _odd(line: Line, half: float) -> Exact:
    solution = march(line.equation(), [(0.0, 1.0, 0.0)], graded(0.0, 1.1 * half, line.places))
    size = float(solution(np.array([half]))[0, 0])

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        x = points[:, 0]
        values: NDArray[np.float64] = np.sign(x) * solution(np.abs(x))[:, 0] / size
        return values

    return exact


def _whirl(draw: Draw, hidden: bool) -> Challenge:
    """What is carried round and round on a disk; the twin drifts across it."""
    radius, drift = draw.log_between(0.5, 2), draw.between(2, 4)
    u = sp.Function("u")(_X, _Y)
    shift = 0.0 if hidden else drift * radius
    exact = draw.between(0.5, 1.5) * _Y + draw.between(-1, 1) * _X * _Y + draw.between(0.5, 1)

    def carried(v: Any) -> Any:
        return (shift - _Y) * v.diff(_X) + _X * v.diff(_Y)

    equation = sp.Eq(carried(u), sp.expand(carried(exact)))
    conditions = [fs.Dirichlet(exact)]
    return _stated(
        draw, "a whirl" if hidden else "a drift", equation, fs.Disk((0, 0), radius), conditions, exact, hidden
    )


def _eddy(draw: Draw, hidden: bool) -> Challenge:
    """Flow along two walls against each other, with a small eddy between that no inflow reaches."""
    height = draw.between(0.6, 1.2)
    strength = (draw.log_between(0.05, 0.5) * height) ** 2 / 4
    drift = draw.between(2, 3) * height
    shift = 0.0 if hidden else drift
    stream = (_Y + shift) ** 2 / 2 - strength * sp.cos(2 * math.pi * _X)
    u = sp.Function("u")(_X, _Y)
    exact = sp.cos(stream / height**2 * draw.between(0.5, 1.5))
    stating = Stating((_X, _Y), draw.chance(0.4))
    velocity = stating.inside("a", stream.diff(_Y)), stating.inside("b", -stream.diff(_X))
    equation = sp.Eq(velocity[0] * u.diff(_X) + velocity[1] * u.diff(_Y), 0)
    domain = fs.Box((-0.5, -height), (0.5, height))
    kind = "an eddy" if hidden else "no eddy"
    return _stated(draw, kind, equation, domain, [fs.Dirichlet(exact)], exact, hidden, stating)


def _waves_all_round(draw: Draw, hidden: bool) -> Challenge:
    """The wave equation with values all round a rectangle with sides in a ratio of whole numbers."""
    q = round(draw.log_between(5, 60))
    p = draw.one_of([p for p in range(q // 2 + 1, 2 * q) if math.gcd(p, q) == 1])
    u = sp.Function("u")(_X, _Y)
    k, phases = draw.between(1, 3), (draw.phase(), draw.phase())
    sign = 1 if hidden else -1
    along = (lambda s: sp.cos(k * s)) if hidden else (lambda s: sp.cosh(k * s))
    exact = sp.cos(k * _X + phases[0]) * along(_Y) + 0.5 * sp.sin(k * _Y + phases[1]) * along(_X)
    domain = fs.Box((0, 0), (1, p / q))
    kind = f"{'waves' if hidden else 'no waves'} all round, ratio {p}/{q}"
    equation = sp.Eq(u.diff(_X, 2) - sign * u.diff(_Y, 2), 0)
    return _stated(draw, kind, equation, domain, [fs.Dirichlet(exact)], exact, hidden)
