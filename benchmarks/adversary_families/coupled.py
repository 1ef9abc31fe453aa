"""Systems that deceive by themselves: a condition that is missing, a body in resonance, modes that grow unseen."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import sympy as sp
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge, Exact, stacked

_X, _Y, _T = sp.symbols("x y t")


def make_coupled(draw: Draw, hidden: bool) -> Challenge:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw, bool], Challenge], ...] = (
        _missing_side,
        _missing_at_an_end,
        _missing_in_time,
        _resonant_body,
        _growing,
        _growing,
        _backward,
    )
    return draw.one_of(makers)(draw, hidden)


def _values(exact: Any, x: tuple[sp.Symbol, ...]) -> Exact:
    return stacked([as_callable(sp.sympify(e), x) for e in exact])


def _lame(u: Any, v: Any, lam: float, mu: float, inertia: float = 0.0) -> list[Any]:
    spread = u.diff(_X) + v.diff(_Y)
    return [
        (lam + mu) * spread.diff(s) + mu * (w.diff(_X, 2) + w.diff(_Y, 2)) + inertia * w for s, w in ((_X, u), (_Y, v))
    ]


def _missing_side(draw: Draw, hidden: bool) -> Challenge:
    """An elastic body that has two conditions on every side, but on one of them twice the same."""
    u, v = (sp.Function(name)(_X, _Y) for name in "uv")
    lam, mu = draw.log_between(0.3, 5), 1.0
    k = draw.between(1, 5)
    exact = (sp.sin(k * _X + _Y**2), sp.cos(k * _Y - _X) + _X * _Y)
    equations = [sp.Eq(a, b) for a, b in zip(_lame(u, v, lam, mu), _lame(*exact, lam, mu), strict=True)]
    # along y+ the derivative of u along x follows from u
    second = (u.diff(_X), exact[0].diff(_X)) if hidden else (v, exact[1])
    conditions = [
        fs.Dirichlet({u: exact[0], v: exact[1]}, on=["x-", "x+", "y-"]),
        fs.Dirichlet({u: exact[0]}, on="y+"),
        fs.Condition(sp.Eq(*second), on="y+"),
    ]
    domain = fs.Box((0, 0), (1, draw.between(0.5, 1)))
    kind = f"elasticity, {'twice the same' if hidden else 'two conditions'} on a side"
    problem = fs.Problem(equations, domain, conditions, unknowns=[u, v])
    return Challenge(kind, problem, _values(exact, (_X, _Y)), draw.log_between(1e-8, 1e-4), determined=not hidden)


def _missing_at_an_end(draw: Draw, hidden: bool) -> Challenge:
    """A beam as four equations of first order: as many conditions as it needs, one of which follows from the others."""
    names = "wsmq"
    f = [sp.Function(name)(_X) for name in names]
    k, stiffness = draw.between(1, 8), draw.log_between(0.3, 3)
    w = sp.sin(k * _X + _X**2)
    exact = (w, w.diff(_X), stiffness * w.diff(_X, 2), stiffness * w.diff(_X, 3))

    def operator(g: Any) -> list[Any]:
        return [g[0].diff(_X) - g[1], stiffness * g[1].diff(_X) - g[2], g[2].diff(_X) - g[3], g[3].diff(_X)]

    equations = [sp.Eq(a, b) for a, b in zip(operator(f), operator(exact), strict=True)]
    # the force at one end follows from that at the other
    places = ((0, 1, 3), (3,)) if hidden else ((0, 1), (2, 3))
    conditions: list[Any] = [
        fs.Dirichlet({f[i]: exact[i] for i in chosen}, on=f"x{side}") for chosen, side in zip(places, "-+", strict=True)
    ]
    kind = f"beam, {'twice the force' if hidden else 'force and moment'} at its end"
    problem = fs.Problem(equations, fs.Interval(0, 1), conditions, unknowns=f)
    return Challenge(kind, problem, _values(exact, (_X,)), draw.log_between(1e-9, 1e-4), determined=not hidden)


def _missing_in_time(draw: Draw, hidden: bool) -> Challenge:
    """Heat and moisture: at one end the heat and its rate are known, and nothing of the moisture."""
    a, b = (sp.Function(name)(_X, _T) for name in "ab")
    c = draw.between(0.1, 0.4)
    k = draw.between(1, 5)
    exact = (sp.sin(k * _X + _T), sp.cos(k * _X - _T) + _X * _T)

    def operator(p: Any, q: Any) -> list[Any]:
        return [p.diff(_T) - p.diff(_X, 2) - c * q.diff(_X, 2), q.diff(_T) - q.diff(_X, 2) / 2 - c * p.diff(_X, 2)]

    equations = [sp.Eq(p, q) for p, q in zip(operator(a, b), operator(*exact), strict=True)]
    second = (a.diff(_T), exact[0].diff(_T)) if hidden else (b, exact[1])
    conditions = [
        fs.Dirichlet({a: exact[0], b: exact[1]}, on="x-"),
        fs.Dirichlet({a: exact[0]}, on="x+"),
        fs.Condition(sp.Eq(*second), on="x+"),
        fs.Initial({a: exact[0].subs(_T, 0), b: exact[1].subs(_T, 0)}),
    ]
    problem = fs.Problem(equations, fs.Interval(0, 1) * fs.Time(0, 0.5), conditions, unknowns=[a, b])
    kind = f"heat and moisture, {'twice the heat' if hidden else 'both'} at an end"
    return Challenge(kind, problem, _values(exact, (_X, _T)), draw.log_between(1e-8, 1e-4), determined=not hidden)


def _resonant_body(draw: Draw, hidden: bool) -> Challenge:
    """A box on rollers driven by a long pressure wave, at the frequency of one of its short shear modes."""
    u, v = (sp.Function(name)(_X, _Y) for name in "uv")
    mu, height = 1.0, draw.between(0.5, 1)
    m, n = draw.one_of(range(1, 9)), draw.one_of(range(1, 6))
    lam = draw.log_between(20, 400)
    inertia = mu * math.pi**2 * (m**2 + (n / height) ** 2)
    if not hidden:
        inertia *= _off(inertia / mu, height)
    k = math.sqrt(inertia / (lam + 2 * mu))
    angle = draw.between(0.3, 1.2)
    phase = k * (math.cos(angle) * _X + math.sin(angle) * _Y) + draw.phase()
    exact = (math.cos(angle) * sp.sin(phase), math.sin(angle) * sp.sin(phase))

    def shear(p: Any, q: Any) -> Any:
        return p.diff(_Y) + q.diff(_X)

    conditions: list[Any] = [
        fs.Dirichlet({u: exact[0]}, on=["x-", "x+"]),
        fs.Dirichlet({v: exact[1]}, on=["y-", "y+"]),
        fs.Condition(sp.Eq(shear(u, v), shear(*exact))),
    ]
    equations = [sp.Eq(left, 0) for left in _lame(u, v, lam, mu, inertia)]
    problem = fs.Problem(equations, fs.Box((0, 0), (1, height)), conditions, unknowns=[u, v])
    kind = f"elastic body {'in' if hidden else 'off'} resonance, shear mode {m}, {n}, lam {lam:g}"
    return Challenge(kind, problem, _values(exact, (_X, _Y)), draw.log_between(1e-8, 1e-4), determined=not hidden)


def _off(square: float, height: float) -> float:
    """A factor that takes the square of a wavenumber to the middle of the widest gap between modes close by."""
    modes = sorted(math.pi**2 * (m**2 + (n / height) ** 2) for m in range(1, 30) for n in range(1, 30))
    near = [q for q in modes if 0.7 * square < q < 1.5 * square] or [0.7 * square, 1.5 * square]
    gaps = [(b - a, (a + b) / 2) for a, b in pairwise(near)] or [(1.0, 0.9 * square)]
    return max(gaps)[1] / square


def _growing(draw: Draw, hidden: bool) -> Challenge:
    """Two substances that decay together, while their opposite grows out of rounding."""
    a, b = (sp.Function(name)(_X, _T) for name in "ab")
    rate = draw.log_between(40, 300) if hidden else draw.between(0.5, 5)
    n, end = draw.one_of((1, 2, 3)), draw.between(0.1, 0.4)
    skew = draw.log_between(0.3, 3)
    mode = sp.sin(n * math.pi * _X)
    decay = sp.exp((-rate - (n * math.pi) ** 2) * _T)
    # the matrix [[0, r s], [r / s, 0]] has the eigenvectors (s, -1) for -r and (s, 1) for r
    exact = (skew * mode * decay, -mode * decay)
    equations = [
        sp.Eq(a.diff(_T) - a.diff(_X, 2) - rate * skew * b, 0),
        sp.Eq(b.diff(_T) - b.diff(_X, 2) - rate / skew * a, 0),
    ]
    conditions = [fs.Dirichlet({a: 0, b: 0}), fs.Initial({a: skew * mode, b: -mode})]
    problem = fs.Problem(equations, fs.Interval(0, 1) * fs.Time(0, end), conditions, unknowns=[a, b])
    kind = f"{'growing' if hidden else 'tame'} modes of a pair, rate {rate:g}"
    return Challenge(kind, problem, _values(exact, (_X, _T)), draw.log_between(1e-8, 1e-4))


def _backward(draw: Draw, hidden: bool) -> Challenge:
    """Cross-diffusion so strong that differences run backward in time; the data have none."""
    a, b = (sp.Function(name)(_X, _T) for name in "ab")
    c = draw.between(1.2, 3) if hidden else draw.between(0.1, 0.6)
    n = draw.one_of((1, 2))
    rate = (1 + c) * (n * math.pi) ** 2
    mode = sp.sin(n * math.pi * _X)
    exact = (mode * sp.exp(-rate * _T), mode * sp.exp(-rate * _T))
    equations = [sp.Eq(p.diff(_T) - p.diff(_X, 2) - c * q.diff(_X, 2), 0) for p, q in ((a, b), (b, a))]
    conditions = [fs.Dirichlet({a: 0, b: 0}), fs.Initial({a: mode, b: mode})]
    domain = fs.Interval(0, 1) * fs.Time(0, draw.between(0.5, 2) / rate)
    problem = fs.Problem(equations, domain, conditions, unknowns=[a, b])
    kind = f"{'backward' if hidden else 'forward'} cross-diffusion, {c:g}"
    return Challenge(kind, problem, _values(exact, (_X, _T)), draw.log_between(1e-8, 1e-4), determined=not hidden)
