"""Nonlinear problems that deceive: fronts nobody sees, narrow reactions, folds, blow-up, kinks that may be anywhere."""

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
from adversary_families.challenge import Challenge
from adversary_families.narrow import Spot
from adversary_families.profiles import KINK, LAYER
from adversary_families.stating import Stating, draw_goal

_X, _Y, _T = sp.symbols("x y t")
# The width of a twin's front, over the length.
_WIDE = 0.3


def make_nonlinear(draw: Draw, hidden: bool) -> Challenge:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw, bool], Challenge], ...] = (
        _front,
        _front,
        _front,
        _reaction,
        _reaction,
        _fold_of_a_line,
        _fold_of_a_disk,
        _blow_up,
        _unstable,
        _kink,
    )
    return draw.one_of(makers)(draw, hidden)


def _front(draw: Draw, narrow: bool) -> Challenge:
    """A front that a right-hand side makes; reactions that pull back leave one solution."""
    where = draw.one_of(("1d", "1d", "2d", "1d+t"))
    x = {"1d": (_X,), "2d": (_X, _Y), "1d+t": (_X, _T)}[where]
    goal, x0 = draw_goal(draw, len(x)), draw.between(0.25, 0.75)
    width = goal.width if narrow else _WIDE
    velocity = draw.between(-0.2, 0.2) if where == "1d+t" else 0.0
    smooth = draw.between(0.5, 1.5) + draw.between(0.3, 1) * sp.sin(draw.between(1, 4) * sum(x) + draw.phase())
    front = draw.between(0.3, 1) * LAYER.of(_X - x0 - velocity * _T, width)
    exact = smooth + front * (sp.cos(draw.between(0.5, 2) * _Y) if where == "2d" else 1)
    a, power = draw.log_between(0.5, 20), draw.one_of((3, 5))
    reaction = draw.one_of((lambda v: a * v**power, lambda v: a * sp.sinh(v), lambda v: a * sp.exp(v)))

    def left(v: Any) -> Any:
        steady = -v.diff(_X, 2) - (v.diff(_Y, 2) if where == "2d" else 0)
        return steady + reaction(v) + (v.diff(_T) if where == "1d+t" else 0)

    stating = Stating(x, goal.stated == "callable")
    u = sp.Function("u")(*x)
    equation = sp.Eq(left(u), stating.inside("f", left(exact)), evaluate=False)
    space: Any = fs.Box((0, 0), (1, 1)) if where == "2d" else fs.Interval(0, 1)
    domain = space * fs.Time(0, 1) if where == "1d+t" else space
    conditions: list[Any] = [fs.Dirichlet(stating.value(exact))]
    if where == "1d+t":
        conditions.append(fs.Initial(stating.value(exact.subs(_T, 0))))
    spots = (Spot((0,), (x0,), width, (velocity,) if velocity else ()),)
    return Challenge(
        f"{'narrow' if narrow else 'wide'} front, {where}",
        fs.Problem(equation, domain, conditions, given=stating.given),
        as_callable(exact, x),
        goal.tol,
        goal.width if narrow else math.nan,
        goal.stated,
        goal.beyond,
        spots=spots,
    )


def _reaction(draw: Draw, narrow: bool) -> Challenge:
    """A reaction in a narrow zone alone, which bends what is straight beside it."""
    two = draw.chance(0.4)
    x = (_X, _Y) if two else (_X,)
    goal, x0 = draw_goal(draw, len(x)), draw.between(0.25, 0.75)
    width, power = goal.width if narrow else _WIDE, draw.one_of((3, 4))
    exact = draw.between(0.5, 1.5) + draw.between(-0.3, 0.3) * (_X - x0) + draw.between(1, 3) * KINK.of(_X - x0, width)
    stating = Stating(x, goal.stated == "callable")
    u = sp.Function("u")(*x)
    c = stating.inside("c", exact.diff(_X, 2) / exact**power)
    equation = sp.Eq(sum(u.diff(v, 2) for v in x), c * u**power, evaluate=False)
    sides = [f"{v}{sign}" for v in x[1:] for sign in "-+"]
    conditions: list[Any] = [fs.Dirichlet(exact, on=("x-", "x+"))] + [fs.Neumann(0, on=side) for side in sides]
    domain: Any = fs.Box((0, 0), (1, 0.5)) if two else fs.Interval(0, 1)
    return Challenge(
        f"reaction in a {'narrow' if narrow else 'wide'} zone, {len(x)}d",
        fs.Problem(equation, domain, conditions, given=stating.given),
        as_callable(exact, x),
        goal.tol,
        goal.width if narrow else math.nan,
        goal.stated,
        goal.beyond,
        spots=(Spot((0,), (x0,), width),),
    )


def _fold_of_a_line(draw: Draw, close: bool) -> Challenge:
    """Bratu's problem on a line, close to its fold or far from it: two solutions."""
    fold = brentq(lambda s: s * math.tanh(s / 4) - 4, 1.0, 10.0)
    theta = fold * (1 + (draw.log_between(1e-7, 1e-2) if close else draw.between(0.2, 0.6)) * draw.one_of((-1, 1)))
    lam = theta**2 / (2 * math.cosh(theta / 4) ** 2)

    def off(s: float) -> float:
        return s**2 / (2 * math.cosh(s / 4) ** 2) - lam

    other = brentq(off, fold, 60.0, xtol=1e-15) if theta < fold else brentq(off, 1e-9, fold, xtol=1e-15)
    both = [-2 * sp.log(sp.cosh((_X - 0.5) * s / 2) / sp.cosh(s / 4)) for s in (theta, other)]
    u = sp.Function("u")(_X)
    problem = fs.Problem(sp.Eq(u.diff(_X, 2) + lam * sp.exp(u), 0), fs.Interval(0, 1), [fs.Dirichlet(0)])
    first, second = (as_callable(each, (_X,)) for each in both)
    name = f"{'close to' if close else 'far from'} a fold, 1d"
    return Challenge(name, problem, first, draw.log_between(1e-9, 1e-4), others=(second,))


def _fold_of_a_disk(draw: Draw, close: bool) -> Challenge:
    """The same on a disk."""
    b = 1 + (draw.log_between(1e-7, 1e-2) if close else draw.between(0.3, 0.7)) * draw.one_of((-1, 1))
    lam = 8 * b / (1 + b) ** 2
    both = [2 * sp.log((1 + s) / (1 + s * (_X**2 + _Y**2))) for s in (b, 1 / b)]
    u = sp.Function("u")(_X, _Y)
    equation = sp.Eq(u.diff(_X, 2) + u.diff(_Y, 2) + lam * sp.exp(u), 0)
    problem = fs.Problem(equation, fs.Disk((0, 0), 1), [fs.Dirichlet(0)])
    first, second = (as_callable(each, (_X, _Y)) for each in both)
    name = f"{'close to' if close else 'far from'} a fold, disk"
    return Challenge(name, problem, first, draw.log_between(1e-8, 1e-4), others=(second,))


def _blow_up(draw: Draw, close: bool) -> Challenge:
    """What becomes infinite soon after the end."""
    u = sp.Function("u")(_X, _T)
    left = draw.log_between(3e-3, 5e-2) if close else draw.between(0.5, 2)
    wave = 1 + draw.between(0.1, 0.4) * sp.cos(math.pi * _X)
    exact = wave / (1 + left - _T)
    source = exact.diff(_T) - exact.diff(_X, 2) - exact**2
    equation = sp.Eq(u.diff(_T) - u.diff(_X, 2) - u**2, source, evaluate=False)
    conditions = [fs.Neumann(0), fs.Initial(exact.subs(_T, 0))]
    problem = fs.Problem(equation, fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    name = f"{'close to' if close else 'far from'} blow-up"

    def scale(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([np.full(len(points), 0.3), 0.3 * (1 + left - points[:, 1])], axis=1)

    return Challenge(name, problem, as_callable(exact, (_X, _T)), draw.log_between(1e-8, 1e-4), scale=scale)


def _unstable(draw: Draw, hidden: bool) -> Challenge:
    """A second mode on top of a state whose first mode grows out of rounding."""
    u = sp.Function("u")(_X, _T)
    a, end = (draw.log_between(60, 300) if hidden else draw.between(0, 5)), draw.between(0.2, 0.5)
    exact = draw.between(0.05, 0.15) * sp.sin(2 * math.pi * _X) * (1 + draw.between(0.2, 0.8) * sp.sin(3 * _T))
    operator = u.diff(_T) - u.diff(_X, 2) - a * (u - u**3)
    source = operator.subs(u, exact).doit()
    problem = fs.Problem(
        sp.Eq(operator, source, evaluate=False),
        fs.Interval(0, 1) * fs.Time(0, end),
        [fs.Dirichlet(0), fs.Initial(exact.subs(_T, 0))],
    )
    name = f"{'unstable' if hidden else 'stable'} state"
    return Challenge(name, problem, as_callable(exact, (_X, _T)), draw.log_between(1e-8, 1e-4))


def _kink(draw: Draw, narrow: bool) -> Challenge:
    """Between two states: where the kink is, nothing says to less than rounding; a wide one knows its place."""
    u = sp.Function("u")(_X)
    width = draw.log_between(2e-3, 2e-2) if narrow else draw.between(0.5, 1)
    x0 = draw.between(0.4, 0.6)
    exact = sp.tanh((_X - x0) / width)
    equation = sp.Eq(width**2 * u.diff(_X, 2), 2 * (u**3 - u), evaluate=False)
    problem = fs.Problem(equation, fs.Interval(0, 1), [fs.Dirichlet(exact)])
    name = f"{'narrow' if narrow else 'wide'} kink between two states"
    exact_values = as_callable(exact, (_X,))
    tol = draw.log_between(1e-8, 1e-4)
    return Challenge(name, problem, exact_values, tol, determined=not narrow, spots=(Spot((0,), (x0,), width),))
