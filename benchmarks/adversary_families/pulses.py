"""What is narrow in time: absorption, sources and boundary values that last for a moment; and sources that move."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge
from adversary_families.narrow import Spot
from adversary_families.stating import Stating, draw_goal

_T = sp.Symbol("t")
# A pulse and its integral from the far past on, of (t - t0) / w, over w.
_PULSES = (
    ("Gaussian", lambda s: sp.exp(-(s**2)), lambda s: sp.sqrt(sp.pi) / 2 * (1 + sp.erf(s))),
    ("sech2", lambda s: 1 / sp.cosh(s) ** 2, lambda s: 1 + sp.tanh(s)),
    ("pole", lambda s: 1 / (1 + s**2), lambda s: sp.pi / 2 + sp.atan(s)),
)


def make_pulse(draw: Draw, narrow: bool) -> Challenge:
    """Heat that is absorbed, all over, at one moment."""
    dimension = draw.one_of((1, 1, 1, 2))
    x, side, end, wave, square = _draw_wave(draw, dimension)
    goal = draw_goal(draw, dimension + 1)
    w, t0 = goal.width * max(side, end), end * draw.between(0.2, 0.8)
    name, pulse, integral = draw.one_of(_PULSES)
    height, conductivity = draw.log_between(0.3, 4) * narrow / w, draw.between(0.3, 1.0)
    lost = height * w * (integral((_T - t0) / w) - integral(sp.Float(-t0 / w)).evalf(30))
    exact = wave * sp.exp(-conductivity * square * _T - lost)
    stating = Stating((*x, _T), goal.stated == "callable")
    u = sp.Function("u")(*x, _T)
    base = draw.between(0, 1)
    c = stating.inside("c", height * pulse((_T - t0) / w) + base)
    exact *= sp.exp(-base * _T)
    equation = sp.Eq(u.diff(_T) - conductivity * sum(u.diff(v, 2) for v in x) + c * u, 0)
    return Challenge(
        f"{name} absorbing, pulse {dimension}d+t",
        fs.Problem(equation, _space(dimension, side) * fs.Time(0, end), _still(wave), given=stating.given),
        as_callable(exact, (*x, _T)),
        goal.tol,
        goal.width,
        goal.stated,
        goal.beyond,
        spots=(Spot((dimension,), (t0,), w),) if narrow else (),
    )


def make_flash(draw: Draw, narrow: bool) -> Challenge:
    """Heat from a source that lasts for a moment."""
    dimension = draw.one_of((1, 1, 1, 2))
    x, side, end, wave, square = _draw_wave(draw, dimension)
    goal = draw_goal(draw, dimension + 1)
    w, t0 = goal.width * max(side, end), end * draw.between(0.2, 0.8)
    height, rate = draw.log_between(0.3, 4) * narrow / w, draw.between(0.3, 1.0) * square
    s = (_T - t0) / w
    # the convolution of the pulse with exp(-rate t), its square completed
    shift = rate * w / 2
    primitive = sp.sqrt(sp.pi) / 2 * w * (sp.erf(s - shift) - sp.erf(sp.Float(-t0 / w - shift)))
    warmed = height * primitive * sp.exp(rate * (t0 - _T) + shift**2)
    exact = wave * (sp.exp(-rate * _T) + warmed)
    stating = Stating((*x, _T), goal.stated == "callable")
    u = sp.Function("u")(*x, _T)
    f = stating.inside("f", height * sp.exp(-(s**2)) * wave)
    equation = sp.Eq(u.diff(_T) - rate / square * sum(u.diff(v, 2) for v in x), f)
    return Challenge(
        f"Gaussian source, flash {dimension}d+t",
        fs.Problem(equation, _space(dimension, side) * fs.Time(0, end), _still(wave), given=stating.given),
        as_callable(exact, (*x, _T)),
        goal.tol,
        goal.width,
        goal.stated,
        goal.beyond,
        spots=(Spot((dimension,), (t0,), w),) if narrow else (),
    )


def make_moving(draw: Draw, narrow: bool) -> Challenge:
    """Heat from a source that moves and is narrow, with a solution that was made up."""
    x = sp.Symbol("x")
    side, end = draw.log_between(0.6, 2), draw.between(0.3, 1)
    goal = draw_goal(draw, 2, 1e-6)
    w, x0 = goal.width * max(side, end), side * draw.between(0.3, 0.5)
    velocity = draw.between(0.1, 0.4) * side / end
    wave = sp.cos(draw.between(1, 3) * x / side + draw.phase()) * sp.exp(-draw.between(0.2, 1) * _T)
    # felt as its width, but not less than in the third digit
    height = draw.log_between(0.3, 3) * max(1.0, 1e-2 / math.sqrt(goal.width)) * narrow
    bump = height * sp.exp(-(((x - x0 - velocity * _T) / w) ** 2))
    exact = wave + bump
    stating = Stating((x, _T), goal.stated == "callable")
    u = sp.Function("u")(x, _T)
    f = stating.inside("f", exact.diff(_T) - exact.diff(x, 2))
    conditions = [fs.Dirichlet(stating.value(exact)), fs.Initial(stating.value(exact.subs(_T, 0)))]
    return Challenge(
        "Gaussian source, moving 1d+t",
        fs.Problem(
            sp.Eq(u.diff(_T) - u.diff(x, 2), f),
            fs.Interval(0, side) * fs.Time(0, end),
            conditions,
            given=stating.given,
        ),
        as_callable(exact, (x, _T)),
        goal.tol,
        goal.width,
        goal.stated,
        goal.beyond,
        spots=(Spot((0,), (x0,), w, (velocity,)),) if narrow else (),
    )


def _draw_wave(draw: Draw, dimension: int) -> tuple[tuple[sp.Symbol, ...], float, float, sp.Expr, float]:
    """Coordinates, the side of the domain, the end of time, a wave that vanishes all round, its frequency squared."""
    x = sp.symbols("x y")[:dimension]
    side, end = draw.log_between(0.6, 2), draw.between(0.3, 1)
    waves = [draw.one_of((1, 2)) if dimension == 1 else 1 for _ in x]
    wave = sp.prod([sp.sin(n * math.pi / side * v) for n, v in zip(waves, x, strict=True)])
    return x, side, end * side**2 / math.pi, wave, sum((n * math.pi / side) ** 2 for n in waves)


def _space(dimension: int, side: float) -> Any:
    return fs.Interval(0, side) if dimension == 1 else fs.Box((0, 0), (side, side))


def _still(wave: sp.Expr) -> list[Any]:
    return [fs.Dirichlet(0), fs.Initial(wave)]
