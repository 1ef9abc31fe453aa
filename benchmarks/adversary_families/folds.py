"""Folds at loose tolerances: Bratu's problem next to its fold, where Newton's method converges slowly, or beyond it."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp
from random_families.conditions import as_callable
from random_families.draw import Draw
from scipy.optimize import brentq

import fspielm as fs
from adversary_families.challenge import Challenge

_X, _Y = sp.symbols("x y")
# Of problems next to a fold, the share that has no solution.
_BEYOND = 0.25
_NEAREST, _NEAR = 1e-10, 1e-2


def make_fold(draw: Draw, close: bool) -> Challenge:
    """On a line or on a disk, of any size, amplitude and boundary value."""
    disk, tol = draw.chance(0.4), draw.log_between(1e-6, 1e-2)
    size, amplitude, value = draw.log_between(0.3, 3), draw.log_between(0.1, 10), draw.between(-1, 1)
    beyond = draw.chance(_BEYOND) and close
    # of the parameter, how far it is from that of the fold
    off, far = draw.log_between(_NEAREST, _NEAR), draw.between(0.05, 0.8)
    off = off if close else far
    return (_disk if disk else _line)(off, beyond, tol, size, amplitude, value)


def _line(off: float, beyond: bool, tol: float, size: float, amplitude: float, value: float) -> Challenge:
    """On a line, u = -2 log(cosh((x - 1/2) s / 2) / cosh(s / 4)) with lam = s^2 / (2 cosh(s / 4)^2)."""
    fold = brentq(lambda s: s * math.tanh(s / 4) - 4, 1.0, 10.0, xtol=1e-15)

    def parameter(s: float) -> float:
        return s**2 / (2 * math.cosh(s / 4) ** 2)

    lam = parameter(fold) * (1 + off if beyond else 1 - off)
    # both solutions merge as the square root: their places are known to half the digits of the parameter's distance
    ends = (fold, fold) if beyond else tuple(_both(parameter, lam, fold))
    if not beyond:
        lam = parameter(ends[0])
    t = _X / size
    exact = [amplitude * (value - 2 * sp.log(sp.cosh((t - 0.5) * s / 2) / sp.cosh(s / 4))) for s in ends]
    strength = lam * amplitude * math.exp(-value) / size**2
    u = sp.Function("u")(_X)
    equation = sp.Eq(u.diff(_X, 2) + strength * sp.exp(u / amplitude), 0)
    return _challenge("1d", off, beyond, tol, equation, fs.Interval(0, size), amplitude * value, exact, (_X,))


def _disk(off: float, beyond: bool, tol: float, size: float, amplitude: float, value: float) -> Challenge:
    """The same on a disk: u = 2 log((1 + b) / (1 + b r^2)) with lam = 8 b / (1 + b)^2, at most 2."""
    lam = 2 * (1 + off if beyond else 1 - off)
    # 1 - off = 4 b / (1 + b)^2 = 1 - ((1 - b) / (1 + b))^2
    root = 0.0 if beyond else math.sqrt(off)
    low = (1 - root) / (1 + root)
    rr = (_X**2 + _Y**2) / size**2
    exact = [amplitude * (value + 2 * sp.log((1 + b) / (1 + b * rr))) for b in (low, 1 / low)]
    strength = lam * amplitude * math.exp(-value) / size**2
    u = sp.Function("u")(_X, _Y)
    equation = sp.Eq(u.diff(_X, 2) + u.diff(_Y, 2) + strength * sp.exp(u / amplitude), 0)
    return _challenge("disk", off, beyond, tol, equation, fs.Disk((0, 0), size), amplitude * value, exact, (_X, _Y))


def _both(parameter: Any, lam: float, fold: float) -> list[float]:
    """Where the parameter has a value, on both sides of the fold."""
    return [brentq(lambda s: parameter(s) - lam, low, high, xtol=1e-15) for low, high in ((1e-9, fold), (fold, 60.0))]


def _challenge(
    where: str, off: float, beyond: bool, tol: float, equation: sp.Eq, domain: Any, edge: float, exact: Any, x: Any
) -> Challenge:
    first, second = (as_callable(each, x) for each in exact)
    name = "beyond" if beyond else "next to" if off <= _NEAR else "far from"
    problem = fs.Problem(equation, domain, [fs.Dirichlet(edge)])
    return Challenge(
        f"{name} a fold, {where}", problem, first, tol, others=(second,), determined=not beyond, exists=not beyond
    )
