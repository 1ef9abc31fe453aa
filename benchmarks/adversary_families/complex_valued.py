"""Complex problems that deceive by themselves: walls that let a wave through, losses that hardly hold a resonance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import sympy as sp
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge

_X, _Y, _T = sp.symbols("x y t")


def make_complex_valued(draw: Draw, hidden: bool) -> Challenge:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw, bool], Challenge], ...] = (
        _wrong_wall,
        _almost_resonant,
        _almost_resonant,
        _gaining,
    )
    return draw.one_of(makers)(draw, hidden)


def _wrong_wall(draw: Draw, hidden: bool) -> Challenge:
    """An absorbing wall with the wrong sign lets a wave through that the other one lets out."""
    k, low = draw.log_between(10, 150), draw.between(1, 4)
    two = draw.chance(0.4)
    x = (_X, _Y) if two else (_X,)
    u = sp.Function("u")(*x)
    along = sp.cos(low * _X + draw.phase()) + sp.I * sp.sin(low * _X / 2)
    exact = along * (1 + _Y**2 / 3) if two else along

    def operator(v: Any) -> Any:
        return sum(v.diff(s, 2) for s in x) + k**2 * v

    sign = 1 if hidden else -1
    conditions: list[Any] = [
        fs.Robin(sign * sp.I * k, 1, sign * sp.I * k * exact - exact.diff(_X), on="x-"),
        fs.Robin(-sp.I * k, 1, -sp.I * k * exact + exact.diff(_X), on="x+"),
    ]
    if two:
        conditions += [fs.Neumann(-exact.diff(_Y), on="y-"), fs.Neumann(exact.diff(_Y), on="y+")]
    domain = fs.Box((0, 0), (1, 0.5)) if two else fs.Interval(0, 1)
    problem = fs.Problem(sp.Eq(operator(u), operator(exact)), domain, conditions)
    kind = f"{'a wave in and out' if hidden else 'two absorbing walls'}, k = {k:g}, {len(x)}d"
    return Challenge(kind, problem, as_callable(exact, x), draw.log_between(1e-8, 1e-4), determined=not hidden)


def _almost_resonant(draw: Draw, hidden: bool) -> Challenge:
    """A box at a frequency of one of its short modes, which nothing but a tiny loss holds; data of a long one."""
    height = draw.between(0.5, 1)
    m, n = draw.one_of(range(3, 12)), draw.one_of(range(1, 8))
    loss = draw.log_between(1e-15, 1e-4) if hidden else draw.between(0.2, 0.5)
    square = math.pi**2 * (m**2 + (n / height) ** 2)
    u = sp.Function("u")(_X, _Y)
    p, q = draw.between(0.5, 2), draw.phase()
    exact = sp.cos(p * (_X + _Y**2) + q) + sp.I * sp.exp(_X / 2) * _Y

    def operator(v: Any) -> Any:
        return v.diff(_X, 2) + v.diff(_Y, 2) + square * (1 + sp.I * loss) * v

    problem = fs.Problem(sp.Eq(operator(u), operator(exact)), fs.Box((0, 0), (1, height)), [fs.Dirichlet(exact)])
    kind = f"mode {m}, {n} with a loss of {loss:.0e}"
    return Challenge(kind, problem, as_callable(exact, (_X, _Y)), draw.log_between(1e-9, 1e-4))


def _gaining(draw: Draw, hidden: bool) -> Challenge:
    """Schroedinger's equation with a diffusion of the wrong sign, however small; the data are one slow mode."""
    u = sp.Function("u")(_X, _T)
    small = draw.log_between(1e-3, 1) * (1 if hidden else -1)
    n = draw.one_of((1, 2))
    mode = sp.sin(n * math.pi * _X)
    rate = (n * math.pi) ** 2 * (small - 1j)
    end = draw.between(0.3, 1.5) / abs(rate)
    # u_t = i u_xx - small u_xx
    exact = mode * sp.exp(sp.sympify(rate) * _T)
    equation = sp.Eq(u.diff(_T) - sp.sympify(1j - small) * u.diff(_X, 2), 0)
    problem = fs.Problem(equation, fs.Interval(0, 1) * fs.Time(0, end), [fs.Dirichlet(0), fs.Initial(mode)])
    kind = f"{'gaining' if hidden else 'losing'} waves of short length, {abs(small):g}"
    tol = draw.log_between(1e-8, 1e-4)
    return Challenge(kind, problem, as_callable(exact, (_X, _T)), tol, determined=not hidden)
