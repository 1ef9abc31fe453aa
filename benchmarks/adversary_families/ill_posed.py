"""Statements that magnify rounding without a bound, and some that magnify it a lot; their twins run the other way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge
from adversary_families.stating import Stating, draw_goal

_X, _Y, _T = sp.symbols("x y t")


def make_ill_posed(draw: Draw, hidden: bool) -> Challenge:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw, bool], Challenge], ...] = (
        _backward_heat,
        _backward_heat,
        _cauchy,
        _growing,
        _growing,
        _higher,
        _narrow_backward,
    )
    return draw.one_of(makers)(draw, hidden)


def _stated(
    draw: Draw, kind: str, equation: Any, end: float, conditions: Any, exact: Any, ill_posed: bool, two: bool = False
) -> Challenge:
    space: Any = fs.Box((0, 0), (1, 1)) if two else fs.Interval(0, 1)
    x = (_X, _Y, _T) if two else (_X, _T)
    tol = draw.log_between(1e-8, 1e-4) if not two else draw.log_between(1e-5, 1e-3)
    problem = fs.Problem(equation, space * fs.Time(0, end), conditions)
    return Challenge(kind, problem, as_callable(exact, x), tol, determined=not ill_posed)


def _backward_heat(draw: Draw, hidden: bool) -> Challenge:
    two = draw.chance(0.3)
    x = (_X, _Y) if two else (_X,)
    u = sp.Function("u")(*x, _T)
    sign = 1 if hidden else -1
    conductivity, n = draw.between(0.3, 1), draw.one_of((1, 2))
    mode = sp.prod([sp.sin(n * math.pi * v) for v in x])
    rate = conductivity * len(x) * (n * math.pi) ** 2
    end = draw.between(0.5, 2) / rate
    exact = mode * sp.exp(sign * rate * _T)
    equation = sp.Eq(u.diff(_T) + sign * conductivity * sum(u.diff(v, 2) for v in x), 0)
    kind = f"{'backward' if hidden else 'forward'} heat {len(x)}d+t"
    return _stated(draw, kind, equation, end, [fs.Dirichlet(0), fs.Initial(mode)], exact, hidden, two)


def _cauchy(draw: Draw, hidden: bool) -> Challenge:
    u = sp.Function("u")(_X, _T)
    k, sign = draw.between(0.5, 4), 1 if hidden else -1
    grow, change = (sp.cosh, sp.sinh) if hidden else (sp.cos, sp.sin)
    wave = sp.sin(k * _X + draw.phase())
    velocity = draw.between(-1, 1)
    exact = wave * (grow(k * _T) + velocity * change(k * _T))
    conditions = [fs.Dirichlet(exact), fs.Initial(wave), fs.Initial(velocity * k * wave, order=1)]
    equation = sp.Eq(u.diff(_T, 2) + sign * u.diff(_X, 2), 0)
    kind = "Laplace from one side" if hidden else "waves from one side"
    return _stated(draw, kind, equation, draw.between(0.3, 1), conditions, exact, hidden)


def _growing(draw: Draw, hidden: bool) -> Challenge:
    """Well-posed, but slower modes than that of the data grow out of rounding."""
    u = sp.Function("u")(_X, _T)
    n, end = draw.one_of((2, 3)), draw.between(0.1, 0.4)
    spread = draw.chance(0.4)
    if spread:
        # u_t = -u_xx - stiffness u_xxxx: modes about the one with (k pi)^2 = 1 / (2 stiffness) grow
        fastest = draw.one_of((6, 8, 10)) * math.pi
        stiffness = 1 / (2 * fastest**2)
        sign = 1 if hidden else -1
        rate = sign * (n * math.pi) ** 2 - stiffness * (n * math.pi) ** 4
        operator = u.diff(_T) + sign * u.diff(_X, 2) + stiffness * u.diff(_X, 4)
    else:
        a = draw.log_between(40, 300) if hidden else draw.between(0, 5)
        rate = a - (n * math.pi) ** 2
        operator = u.diff(_T) - u.diff(_X, 2) - a * u
    end = end if not spread else min(end, 60 / (fastest**2 / 2))
    mode = sp.sin(n * math.pi * _X)
    conditions: list[Any] = [fs.Dirichlet(0), fs.Initial(mode)]
    if spread:
        conditions.append(fs.Condition(sp.Eq(u.diff(_X, 2), 0)))
    kind = f"{'growing' if hidden else 'decaying'} modes{' of fourth order' * spread}"
    return _stated(draw, kind, sp.Eq(operator, 0), end, conditions, mode * sp.exp(rate * _T), False)


def _higher(draw: Draw, hidden: bool) -> Challenge:
    u = sp.Function("u")(_X, _T)
    sign, n = 1 if hidden else -1, draw.one_of((1, 2))
    rate = draw.between(0.3, 1.5)
    stiffness = rate / (n * math.pi) ** 4
    mode = sp.sin(n * math.pi * _X)
    conditions = [fs.Dirichlet(0), fs.Condition(sp.Eq(u.diff(_X, 2), 0)), fs.Initial(mode)]
    equation = sp.Eq(u.diff(_T) - sign * stiffness * u.diff(_X, 4), 0)
    kind = f"{'backward' if hidden else 'forward'} diffusion of fourth order"
    return _stated(draw, kind, equation, 1.0, conditions, mode * sp.exp(sign * rate * _T), hidden)


def _narrow_backward(draw: Draw, hidden: bool) -> Challenge:
    """Heat that runs backward in a narrow zone, where a steady state shows nothing of it."""
    u = sp.Function("u")(_X, _T)
    goal, x0 = draw_goal(draw, 2), draw.between(0.2, 0.8)
    stating = Stating((_X, _T), goal.stated == "callable")
    a = stating.inside("a", 1 - draw.between(1.5, 3) * hidden * sp.exp(-(((_X - x0) / goal.width) ** 2)))
    exact = draw.between(0.5, 1.5) + draw.between(0.5, 1.5) * _X
    equation = sp.Eq(u.diff(_T) - a * u.diff(_X, 2), 0)
    domain = fs.Interval(0, 1) * fs.Time(0, draw.between(0.2, 1))
    problem = fs.Problem(equation, domain, [fs.Dirichlet(exact), fs.Initial(exact)], given=stating.given)
    return Challenge(
        f"{'backward' if hidden else 'forward'} in a narrow zone",
        problem,
        as_callable(exact, (_X, _T)),
        goal.tol,
        goal.width if hidden else float(np.nan),
        goal.stated,
        goal.beyond,
        determined=not hidden,
    )
